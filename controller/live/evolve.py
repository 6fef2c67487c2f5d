"""`evolve`: what each step makes of the live state. The only way that anything of it that lasts changes.

The same on the first time and when a journal is replayed. A step of the table goes through `controller.table`; a note
changes what is known beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Final, get_args

from controller.live import counting
from controller.live.places import antes_in, found_in, lying_after, placed
from controller.live.queries import IN_TURN, SEAT_OF, UNTOLD, may_be_astray, possible_answers, worth
from controller.live.state import BetSource, Live, Ruled, Spot, Waiting
from controller.rules import BEING_GIVEN, NO_SEATS, Phase
from controller.table import (
    ActionOn,
    AllPutIn,
    AnswersActsNow,
    AnswersOutOfTurn,
    CallsFloor,
    Caution,
    ChipsAre,
    Confirms,
    DealtTooEarly,
    Declares,
    DeviceIsDown,
    DeviceIsMisset,
    DeviceIsUp,
    DropsCount,
    EndsCount,
    FloorCame,
    FloorSeatStep,
    FloorSetsBet,
    HeldOutOfTurn,
    KeyCameLate,
    KnowsBadges,
    LosesPresses,
    Moves,
    Note,
    Outcome,
    PutsIn,
    RecordsAltered,
    RecordsChecked,
    RecordsDamaged,
    RecordsMissed,
    Redoes,
    RestartChecked,
    Restarted,
    Says,
    Source,
    SpotBack,
    SpotFailed,
    SpotHolds,
    SpotOut,
    StartsBomb,
    StartsCount,
    StartsHand,
    Step,
    Table,
    TagCopied,
    TagIsWeak,
    TagsChecked,
    TimePasses,
    TrayOut,
    Undoes,
    WaitsFor,
    Warned,
    WasAnother,
    WasDenied,
    owed,
)
from controller.table import step as table_step
from hardware.spots import PAD, POT, TRAY, bet_spot

MINUTE_US: Final = 60_000_000
MOST_FOUND: Final = 200
"""Chips whose tags fail are some ten of a house's thousands on an evening: so many are enough to name."""
_SETS_BETS: Final = (Undoes, Redoes, FloorSetsBet, WasAnother, PutsIn, AllPutIn)
"""Steps by which chips lie there or do not, whatever the readers have told."""
_MADE_GOOD: Final = frozenset({Caution.UNDER_BET, Caution.UNDER_CALL, Caution.UNDER_RAISE, Caution.CHIPS_WITHDRAWN})
"""Warnings that say that chips are missing."""
MOST_TAGS: Final = 10
"""Copied or weak tags that are told at a time: one is a matter for the floor, so many are a matter for the house."""


def evolve(live: Live, step: Step, source: Source, at_us: int) -> tuple[Live, Outcome]:
    """The state after a step of the time `at_us`, and what came of it at the table; where that refused it, the state as
    it was. Pure. Raises what is raised where this program is at fault."""
    if isinstance(step, Note):
        return _settled(live, note(step, live, at_us), at_us), Outcome(live.table)
    outcome = table_step(live.table, step, at_us)
    if outcome.refused is not None:
        return live, outcome
    return _settled(live, _taken(live, outcome, step, source, at_us), at_us), outcome


# --- steps of the table ---


def _taken(live: Live, outcome: Outcome, step: Step, source: Source, at_us: int) -> Live:
    before, after = live.table, outcome.table
    live = live._replace(clocked_us=_clocked(live, step, source, at_us))
    if isinstance(step, TimePasses):  # nothing that is shown of the last step is over by that
        return live._replace(table=after)
    ruled = Ruled((*_still_said(live, step, after), *outcome.warned), at_us=at_us)
    live = live._replace(table=after, ruled=ruled, too_early=False, failed="")
    if after.street.held is not before.street.held:
        held_us = {seat: live.held_us.get(seat, at_us) for seat in after.street.held}
        live = live._replace(held_us=held_us, overdue=frozenset(live.overdue & held_us.keys()))
    live = _acknowledged(live, outcome, step, before)
    if source != "sensor":
        live = live._replace(presses_lost={})
    if _is_new_street(before, after):
        live = _new_street(live, before.street.felt)
    if isinstance(step, _SETS_BETS):
        more = [now - was for was, now in zip(before.street.felt, after.street.felt, strict=True)]
        fell, rose = _where(more, lambda change: change < 0), _where(more, lambda change: change > 0)
        undone = live.undone | fell if isinstance(step, Undoes) else live.undone - rose
        live = live._replace(undone=undone, put_back=live.put_back | rose)
        if isinstance(step, WasAnother | AllPutIn):
            live = live._replace(sources={**live.sources, **dict.fromkeys(fell | rose, "keyed")})
    elif isinstance(step, StartsBomb | StartsHand):
        live = live._replace(restarted=False, hand_us=at_us, antes_in=0)
    elif isinstance(step, TrayOut):
        name = bet_spot(step.seat)
        live = _with_spot(without_glimpse(live, name), name, live.spots.get(name, UNTOLD)._replace(hidden=True))
    for seat in before.offline:
        if after.street.felt[seat] not in (0, before.street.felt[seat]):
            spot = live.spots.get(bet_spot(seat), UNTOLD)
            live = _with_spot(live, bet_spot(seat), spot._replace(altered=True))
    if isinstance(step, Declares | Says | Moves | WasAnother | PutsIn | FloorSeatStep):
        old = live.sources.get(step.seat)
        live = live._replace(sources={**live.sources, step.seat: _bet_source(old, step, source)})
    if before.hand and after.hand and before.hand.turn != after.hand.turn:
        live = live._replace(turned_us=at_us if source == "sensor" else 0)
    return live


def _still_said(live: Live, step: Step, after: Table) -> tuple[Warned, ...]:
    """What words were warned about, and holds when their chips come: all but that chips are missing, once none are."""
    joins = after.joins
    if not isinstance(step, Moves) or joins.seat != step.seat or joins.seat != live.table.joins.seat:
        return ()
    is_good = not owed(after, step.seat)
    return tuple([each for each in live.ruled.warned if not (is_good and each.code in _MADE_GOOD)])


def _acknowledged(live: Live, outcome: Outcome, step: Step, before: Table) -> Live:
    """Who says that the action is on the seat in turn has heard of all that waits behind it, until that seat does
    something out of turn again."""
    known = live.acknowledged - {each.seat for each in outcome.warned if each.code is Caution.OUT_OF_TURN}
    if isinstance(step, ActionOn) and before.hand is not None and before.hand.turn == step.seat:
        known |= {seat for seat, held in before.street.held.items() if isinstance(held, HeldOutOfTurn)}
    return live._replace(acknowledged=known) if known != live.acknowledged else live


def _clocked(live: Live, step: Step, source: Source, at_us: int) -> int:
    """Up to when minutes have been counted: from the first step on, in whole ones; anew where the clock has begun
    anew, as after a machine was off."""
    if not live.clocked_us or at_us < live.clocked_us:
        return at_us
    counted = isinstance(step, TimePasses) and source == "sensor"
    return at_us - (at_us - live.clocked_us) % MINUTE_US if counted else live.clocked_us


def _where(changes: list[int], so: Callable[[int], bool]) -> frozenset[int]:
    """The seats of which it is so."""
    return frozenset(seat for seat, change in enumerate(changes) if so(change))


def _is_new_street(before: Table, after: Table) -> bool:
    """Also where the hand is set up anew: the bets of before lie there no longer."""
    old, new = before.hand, after.hand
    if old is None or new is None:
        return True
    return (old.round, old.button, old.order, before.hands) != (new.round, new.button, new.order, after.hands)


def _new_street(live: Live, felt: Sequence[int]) -> Live:
    """What was open about the chips of the last one is over: they are swept. So is what of them is seen, not settled,
    as change for a large chip; `felt` is what each seat had there by the book."""
    for why, after in _OVER_WITH_STREET.items():
        live = _resolved(live, why, after)
    if live.counting is not None and live.counting.what == "bet":
        live = live._replace(counting=None)
    glimpses = {name: each for name, each in live.glimpses.items() if worth(each.stack) > felt[SEAT_OF[name]]}
    return live._replace(sources={}, undone=NO_SEATS, put_back=NO_SEATS, vanished={}, shown={}, glimpses=glimpses)


def _bet_source(old: BetSource | None, step: Step, source: Source) -> BetSource:
    if source == "sensor":
        return "confirmed" if old == "keyed" else "sensed"
    return old if isinstance(step, Says) and old is not None else "keyed"


# --- notes ---


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
    return _with_spot(live, step.spot, live.spots.get(step.spot, UNTOLD)._replace(out=step.reason))


@note.register
def _(step: SpotBack, live: Live, at_us: int) -> Live:
    spot = live.spots.get(step.spot)
    return live if spot is None else _with_spot(live, step.spot, spot._replace(out=None))


@note.register
def _(step: SpotFailed, live: Live, at_us: int) -> Live:
    if not step.spot:
        return live._replace(failed=step.what)
    live = without_glimpse(live, step.spot)
    return _with_spot(live, step.spot, live.spots.get(step.spot, UNTOLD)._replace(failed=step.what))


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
        return _with_spot(live, name, _left_over(spot) if spot.waiting else _latest_left(live, spot, step.seat))
    return _with_spot(live, name, _let_be(spot) if step.what == "covered" else _taken_as_is(spot))


def _latest_left(live: Live, spot: Spot, seat: int) -> Spot:
    """The chips that came last are no bet, as far as the book does not count them."""
    chips = [chip for chip in spot.lies or () if chip.uid not in spot.left]
    excess, left = sum(chip.denomination for chip in chips) - live.table.street.felt[seat], set(spot.left)
    for chip in sorted(chips, key=lambda chip: live.places[chip.uid].at_us, reverse=True):
        if 0 < chip.denomination <= excess:
            excess -= chip.denomination
            left.add(chip.uid)
    return spot._replace(left=frozenset(left))


@note.register
def _(step: StartsCount, live: Live, at_us: int) -> Live:
    name = bet_spot(step.seat)
    return counting.begun(without_vanished(without_glimpse(live, name), name) if step.what == "bet" else live, step)


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


# --- what follows from either ---


def _settled(before: Live, live: Live, at_us: int) -> Live:
    """The state with what follows by itself: readings and answers whose question is over."""
    phase = _phase(live)
    if any(spot.waiting for spot in live.spots.values()):
        if phase in BEING_GIVEN:
            for why in _NO_BETS:
                live = _resolved(live, why, _left_over)
        if phase not in IN_TURN:
            live = _resolved(_resolved(live, "emptied", _taken_as_is), "covered", _taken_as_is)
    if live.answered:
        live = live._replace(answered=live.answered & possible_answers(live))
    if live.acknowledged:
        live = live._replace(acknowledged=live.acknowledged.intersection(live.table.street.held))
    if phase is Phase.OVER and _phase(before) is not Phase.OVER:
        live = live._replace(over_us=at_us)
    return live._replace(astray=False) if live.astray and not may_be_astray(live) else live


def _phase(live: Live) -> Phase:
    return live.table.hand.phase if live.table.hand is not None else Phase.OVER


def _resolved(live: Live, why: WaitsFor, after: Callable[[Spot], Spot]) -> Live:
    """The state with this made of all readings that wait for this reason."""
    found = {name: after(spot) for name, spot in live.spots.items() if spot.waiting and spot.waiting.why == why}
    return live._replace(spots={**live.spots, **found}) if found else live


def _taken_as_is(spot: Spot) -> Spot:
    return spot._replace(explained=spot.lies, waiting=None)


def _let_be(spot: Spot) -> Spot:
    return spot._replace(waiting=None)


def _of_lying(spot: Spot) -> Spot:
    """What has gone was swept, and explains nothing any more; what is not sure waits for the next reading."""
    there = set(spot.lies or ())
    explained = None if spot.explained is None else tuple(chip for chip in spot.explained if chip in there)
    return spot._replace(explained=explained, waiting=None)


def _left_over(spot: Spot) -> Spot:
    """Chips that came while the betting was closed are too late for the hand, and too early for the next."""
    came = {chip.uid for chip in spot.lies or ()} - {chip.uid for chip in spot.explained or ()}
    return _taken_as_is(spot)._replace(left=spot.left | came)


_NO_BETS: Final[tuple[WaitsFor, ...]] = (
    "between",
    "own-stack",
    "last-pot",
    "splash",
    "copied",
    "change",
    "folded-seat",
)
"""What of these is not said to be a bet by the time the pots are given is none."""
_OVER_WITH_STREET: Final[dict[WaitsFor, Callable[[Spot], Spot]]] = {
    "emptied": _taken_as_is,
    "covered": _taken_as_is,
    "doubt": _of_lying,
    **{why: _left_over for why in _NO_BETS if why != "between"},
}


def _with_spot(live: Live, name: str, spot: Spot) -> Live:
    return live._replace(spots={**live.spots, name: spot})


def without_glimpse(live: Live, name: str) -> Live:
    """The state without what the spot shows at this moment."""
    if name not in live.glimpses:
        return live
    return live._replace(glimpses={other: glimpse for other, glimpse in live.glimpses.items() if other != name})


def without_vanished(live: Live, name: str) -> Live:
    """The state without what was seen at the spot and has left."""
    if name not in live.vanished:
        return live
    return live._replace(vanished={other: glimpse for other, glimpse in live.vanished.items() if other != name})
