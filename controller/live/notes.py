"""`note`: what each note makes of the live state: what spots and devices have told, was answered, counted or looked at
beside the table."""

from __future__ import annotations

from functools import singledispatch
from typing import Final, get_args

from controller.live import counting
from controller.live.places import antes_in, found_in, lying_after, placed
from controller.live.queries import IN_TURN, SEAT_OF, UNTOLD, worth
from controller.live.state import Live, Spot, Waiting
from controller.table import (
    AnswersActsNow,
    AnswersOutOfTurn,
    CallsFloor,
    ChipsAre,
    Confirms,
    DealtTooEarly,
    DeviceIsDown,
    DeviceIsMisset,
    DeviceIsUp,
    DropsCount,
    EndsCount,
    FloorCame,
    KeyCameLate,
    KnowsBadges,
    LosesPresses,
    Note,
    RecordsAltered,
    RecordsChecked,
    RecordsDamaged,
    RecordsMissed,
    RestartChecked,
    Restarted,
    SpotBack,
    SpotFailed,
    SpotHolds,
    SpotOut,
    StartsCount,
    TagCopied,
    TagIsWeak,
    TagsChecked,
    WaitsFor,
    WasDenied,
)
from hardware.spots import PAD, POT, TRAY, bet_spot

MOST_FOUND: Final = 200
"""Chips whose tags fail are some ten of a house's thousands on an evening: so many are enough to name."""
MOST_TAGS: Final = 10
"""Copied or weak tags that are told at a time: one is a matter for the floor, so many are a matter for the house."""


@singledispatch
def note(step: Note, live: Live, at_us: int) -> Live:
    """The state after a note."""
    raise NotImplementedError(f"no effect of {type(step).__name__}")


_WAITS: dict[str, WaitsFor] = {why: why for why in get_args(WaitsFor)}


@note.register
def _(step: SpotHolds, live: Live, at_us: int) -> Live:
    old = live.spots.get(step.spot, UNTOLD)
    lies = lying_after(old.lies or (), step)
    there = {chip.uid for chip in lies}
    left = old.left & there
    if step.taken == "left":
        left |= {chip.uid for chip in step.came}
    why = _WAITS.get(step.taken)
    waiting = Waiting(why, _next_place(live, step.spot), at_us, _open_round(live)) if why is not None else None
    is_out = SEAT_OF.get(step.spot) in live.table.offline
    has_waited = is_out and old.waiting is not None and not (step.came or step.went)  # read before the tray was out
    strangers = (*old.strangers, *step.strangers) if step.more else step.strangers
    lammers = (*old.lammers, *step.lammers) if step.more else step.lammers
    if step.spot in (POT, TRAY) and step.came and old.lies is not None:
        live = live._replace(
            found=(*live.found, *found_in(live, step, at_us))[-MOST_FOUND:], antes_in=antes_in(live, step)
        )
    live = live._replace(places=placed(live, step, at_us))
    spot = Spot(
        lies=lies,
        explained=old.explained if waiting else lies,
        waiting=waiting,
        strangers=strangers,
        lammers=lammers,
        at_least=step.at_least,
        left=left,
        hidden=old.hidden and has_waited,
        altered=old.altered and has_waited,
        told_us=old.told_us if lies == old.lies else at_us,
    )
    undone = live.undone and frozenset(seat for seat in live.undone if bet_spot(seat) != step.spot)
    put_back = live.put_back and frozenset(seat for seat in live.put_back if bet_spot(seat) != step.spot)
    live = live._replace(spots={**live.spots, step.spot: spot}, undone=undone, put_back=put_back)
    return counting.settled(live) if step.spot == PAD else live


def _open_round(live: Live) -> int:
    hand = live.table.hand
    return hand.round if hand is not None and hand.phase in IN_TURN else 0


def _next_place(live: Live, spot: str) -> int:
    others = (each.waiting.place for name, each in live.spots.items() if each.waiting is not None and name != spot)
    return 1 + max(others, default=0)


@note.register
def _(step: SpotOut, live: Live, at_us: int) -> Live:
    return live.with_spot(step.spot, live.spots.get(step.spot, UNTOLD)._replace(out=step.reason))


@note.register
def _(step: SpotBack, live: Live, at_us: int) -> Live:
    spot = live.spots.get(step.spot)
    return live if spot is None else live.with_spot(step.spot, spot._replace(out=None))


@note.register
def _(step: SpotFailed, live: Live, at_us: int) -> Live:
    if not step.spot:
        return live._replace(failed=step.what)
    live = live.without_glimpse(step.spot)
    return live.with_spot(step.spot, live.spots.get(step.spot, UNTOLD)._replace(failed=step.what))


@note.register
def _(step: DeviceIsDown, live: Live, at_us: int) -> Live:
    return live._replace(devices={**live.devices, step.device: step.reason})


@note.register
def _(step: DeviceIsUp, live: Live, at_us: int) -> Live:
    missets = {key: why for key, why in live.missets.items() if key[0] != step.device}
    return live._replace(devices={**live.devices, step.device: None}, missets=missets)


@note.register
def _(step: DeviceIsMisset, live: Live, at_us: int) -> Live:
    return live._replace(missets={**live.missets, (step.device, step.setting): step.reason})


@note.register
def _(step: LosesPresses, live: Live, at_us: int) -> Live:
    count = live.presses_lost.get(step.device, 0) + step.count
    return live._replace(presses_lost={**live.presses_lost, step.device: count})


@note.register
def _(step: AnswersOutOfTurn, live: Live, at_us: int) -> Live:
    if step.seat not in live.table.street.held:
        return live._replace(ruled=live.ruled._replace(early=step.seat))
    return live._replace(answered=live.answered | {step})


@note.register
def _(step: AnswersActsNow, live: Live, at_us: int) -> Live:
    return live._replace(answered=live.answered | {step})


@note.register
def _(step: ChipsAre, live: Live, at_us: int) -> Live:
    name = bet_spot(step.seat)
    spot = live.spots.get(name, UNTOLD)
    if step.what == "nothing":
        no_bet = _left_where_it_lies if spot.waiting else _latest_left
        return live.with_spot(name, no_bet(live, spot, step.seat))
    return live.with_spot(name, spot.let_be() if step.what == "covered" else spot.taken_as_is())


def _left_where_it_lies(live: Live, spot: Spot, seat: int) -> Spot:
    """The chips that wait are no bet. Where what the book counts besides lies among them, as it was keyed while the
    tray was out, nobody can tell which they are: what goes first is none."""
    lay = spot.explained or ()
    expected = missing = live.table.street.felt[seat] - worth(chip for chip in lay if chip.uid not in spot.left)
    for chip in spot.lies or ():
        if chip not in lay and chip.denomination <= missing:
            missing -= chip.denomination
    return spot.taken_as_is() if expected > 0 and not missing else spot.left_over()


def _latest_left(live: Live, spot: Spot, seat: int) -> Spot:
    """The chips that came last are no bet, as far as the book does not count them."""
    chips = [chip for chip in spot.lies or () if chip.uid not in spot.left]
    excess, left = worth(chips) - live.table.street.felt[seat], set(spot.left)
    for chip in sorted(chips, key=lambda chip: live.places[chip.uid].at_us, reverse=True):
        if 0 < chip.denomination <= excess:
            excess -= chip.denomination
            left.add(chip.uid)
    return spot._replace(left=frozenset(left))


@note.register
def _(step: StartsCount, live: Live, at_us: int) -> Live:
    name = bet_spot(step.seat)
    return counting.begun(live.without_glimpse(name).without_vanished(name) if step.what == "bet" else live, step)


@note.register
def _(step: EndsCount, live: Live, at_us: int) -> Live:
    return counting.ended(live)


@note.register
def _(step: DropsCount, live: Live, at_us: int) -> Live:
    return live._replace(counting=None)


@note.register
def _(step: Confirms, live: Live, at_us: int) -> Live:
    return live._replace(sources={**live.sources, step.seat: "confirmed"})


@note.register
def _(step: DealtTooEarly, live: Live, at_us: int) -> Live:
    return live._replace(too_early=True)


@note.register
def _(step: KeyCameLate, live: Live, at_us: int) -> Live:
    return live._replace(ruled=live.ruled._replace(late_key=step.seat))


@note.register
def _(step: CallsFloor, live: Live, at_us: int) -> Live:
    return live._replace(floor_called=True)


@note.register
def _(step: FloorCame, live: Live, at_us: int) -> Live:
    return live._replace(floor_called=False)


@note.register
def _(step: Restarted, live: Live, at_us: int) -> Live:
    return live._replace(restarted=True)


@note.register
def _(step: RestartChecked, live: Live, at_us: int) -> Live:
    return live._replace(restarted=False)


@note.register
def _(step: RecordsDamaged, live: Live, at_us: int) -> Live:
    return live._replace(damaged=True)


@note.register
def _(step: KnowsBadges, live: Live, at_us: int) -> Live:
    return live._replace(badges=step.count)


@note.register
def _(step: WasDenied, live: Live, at_us: int) -> Live:
    return live


@note.register
def _(step: RecordsAltered, live: Live, at_us: int) -> Live:
    return live._replace(altered=live.altered | {step.how})


@note.register
def _(step: RecordsMissed, live: Live, at_us: int) -> Live:
    return live._replace(missed=live.missed + step.count)


@note.register
def _(step: RecordsChecked, live: Live, at_us: int) -> Live:
    return live._replace(damaged=False, missed=0, altered=frozenset())


@note.register
def _(step: TagCopied, live: Live, at_us: int) -> Live:
    if step.tag in live.copied or len(live.copied) >= MOST_TAGS:
        return live
    return live._replace(copied={**live.copied, step.tag: (step.one, step.other)})


@note.register
def _(step: TagIsWeak, live: Live, at_us: int) -> Live:
    if step.tag in live.weak or len(live.weak) >= MOST_TAGS:
        return live
    return live._replace(weak={**live.weak, step.tag: step.denomination})


@note.register
def _(step: TagsChecked, live: Live, at_us: int) -> Live:
    return live._replace(copied={}, weak={})
