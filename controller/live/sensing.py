"""What spots tell: settled readings become motions, or wait for the dealer.

A complete, readable motion while the betting is open is a step. What a reader is not sure of, what comes between the
rounds, what looks like a sweep and what may answer a bet behind it waits. Source: rulings.md, "A dealer is a person".

Part of a change on a spot is expected, because the book is ahead of the hands: the dealer has keyed the deal and sweeps
a second later, keyed a bet at a tray that was out, or taken a step back. That part explains itself when it is seen;
what is left was a person's motion.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from controller.live.change import Change
from controller.live.evolve import without_glimpse
from controller.live.queries import (
    SEAT_OF,
    UNTOLD,
    answers_to,
    explained,
    is_betting,
    is_paid,
    is_waiting,
    owes_chips,
    raising,
    spot_of,
    sweeping,
    waiting,
    worth,
)
from controller.live.state import Glimpse, Live, Spot
from controller.table import MOST_CHIPS, Moves, SpotBack, SpotHolds, SpotOut, Taken, TrayBack, TrayOut, counted
from hardware.chips import chips_for
from hardware.events import Chip, StackComplete, StackSeen, TrayOffline, TrayOnline
from hardware.spots import BET_SPOTS

ALONE_US: Final = 2_500_000
"""One spot that emptied alone for so long was not swept: its player took the chips back."""


def passed(since_us: int, now_us: int, limit_us: int) -> bool:
    """True where so much time has passed. A time that is still to come is one of before a restart of the machine: long
    ago."""
    return not 0 <= now_us - since_us < limit_us


# --- readings ---


def seen(live: Live, event: StackSeen) -> Live:
    """The state with what a bet spot shows at this moment; a spot that shows what it held anyway shows nothing."""
    if event.spot not in SEAT_OF:
        return live
    spot = live.spots.get(event.spot, UNTOLD)
    if (event.stack, event.strangers, event.lammers) == (spot.lies, spot.strangers, spot.lammers):
        return without_glimpse(live, event.spot)
    before = live.glimpses.get(event.spot)
    since_us, late = (event.at_us, False) if before is None else (before.since_us, before.late)
    glimpse = Glimpse(event.stack, event.strangers, event.lammers, event.at_least, since_us, late)
    return live._replace(glimpses={**live.glimpses, event.spot: glimpse})


def complete(change: Change, event: StackComplete) -> Change:
    """What a spot holds now, settled."""
    seat = SEAT_OF.get(event.spot)
    taken: Taken | None = "lies" if seat is None else _made_of(change.live, seat, event)
    if seat is not None and taken is None:
        change = _moved(_raised_before(change, seat, event.at_us), seat, event)
    else:
        change = change.then("sensor", _reading(change.live, event.spot, event, taken or "lies"))
    return follow_up(change._replace(live=without_glimpse(change.live, event.spot)))


def _raised_before(change: Change, seat: int, at_us: int) -> Change:
    """What was seen of a raise in several motions before the next seat began its own belongs to the raise."""
    glimpses, spot = change.live.glimpses, BET_SPOTS[seat - 1]
    if not glimpses.keys() - {spot}:
        return change
    raiser, own = raising(change.live.table), glimpses.get(spot)
    more = glimpses.get(BET_SPOTS[raiser - 1]) if raiser else None
    if more is None or more.since_us >= (own.since_us if own is not None else at_us):
        return change
    return raise_is_over(change, seat)


def _made_of(live: Live, seat: int, event: StackComplete) -> Taken | None:
    """Why the reading waits, or why no motion is concluded from it; None where it is one, or explains itself."""
    if event.at_least or event.strangers:
        return "doubt"
    if not live.setup.patient:
        return None
    if not is_betting(live.table):
        if owes_chips(live.table, seat):
            return None
        if _is_more(live, seat, event):
            return "left" if is_paid(live.table) else "between"
        return "lies"
    if not event.stack and _may_be_swept(live, seat):
        return "emptied"
    return "deferred" if answers_to(live, seat) and _is_more(live, seat, event) else None


def _is_more(live: Live, seat: int, event: StackComplete) -> bool:
    """True where more lies at the seat than before. Swept chips are gone though they count still; what was keyed
    because the tray was out or not sure lies there though no reading says so, and what counts again since a step was
    taken back, or since the floor has set the bet, is put back there."""
    was, spot = explained(live, seat), spot_of(live, seat)
    if spot.hidden or spot.failed or seat in live.put_back or is_waiting(live, seat, "doubt"):
        was = max(was, live.table.street.felt[seat])
    return worth(event.stack) > was


def _may_be_swept(live: Live, seat: int) -> bool:
    """True for a spot whose chips count: that they go was not to be expected while the round is open."""
    felt = live.table.street.felt[seat]
    return counted(live.table, seat) > 0 and felt >= explained(live, seat)


def _moved(change: Change, seat: int, reading: StackComplete | Glimpse | Spot) -> Change:
    """The reading is taken, with the motion in it. `refused` says why the table refuses that."""
    live, name = change.live, BET_SPOTS[seat - 1]
    spot = live.spots.get(name, UNTOLD)
    if isinstance(reading, Spot):  # it has waited, and is older than what was keyed while the tray was out
        stack, spot = reading.lies or (), spot._replace(hidden=False)
    else:
        stack = reading.stack
    forward, back = motion(live.table.street.felt[seat], spot, stack)
    holds = _reading(live, name, reading, "lies")
    if not forward and not back:
        return change.then("sensor", holds)
    return change.then("sensor", holds, Moves(seat, forward, back))


def _reading(live: Live, name: str, reading: StackComplete | Glimpse | Spot, taken: Taken) -> SpotHolds:
    """The reading as what came and went since the spot last told."""
    old = live.spots.get(name, UNTOLD).lies or ()
    new = reading.lies or () if isinstance(reading, Spot) else reading.stack
    came, went = set(new) - set(old), set(old) - set(new)
    return SpotHolds(
        name,
        taken,
        came=tuple(chip for chip in new if chip in came),
        went=tuple(chip.uid for chip in old if chip in went),
        strangers=reading.strangers,
        lammers=reading.lammers,
        at_least=reading.at_least,
    )


# --- from two readings to the motion between them ---


def motion(felt: int, spot: Spot, stack: tuple[Chip, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The motion that brought a bet spot to the chips `stack`: what was put forward and what was taken back, nothing of
    either where there was none. `felt` is what lies there by the book."""
    old, new = _values(spot.explained or ()), _values(stack)
    was, now = sum(old), sum(new)
    if spot.explained is None or (spot.hidden and was < felt):  # what was keyed lay there, for all anybody knows
        return _difference(now - felt)
    change, expected = now - was, felt - was
    came, went = Counter(new) - Counter(old), Counter(old) - Counter(new)
    # What goes is expected where the book has less, and what comes with it is a motion, also in the same values: then
    # the tags tell. What comes is expected where the book has more.
    if expected < 0:
        came = Counter(chip.denomination for chip in set(stack) - set(spot.explained))
        net = change + min(-expected, worth(set(spot.explained) - set(stack)))
    else:
        net = change - min(expected, max(0, change))
    if spot.hidden and spot.altered:
        return _difference(net)
    if net and net == change:
        return few(_listed(came)), few(_listed(went))
    if came and net == _value(came):
        return few(_listed(came)), ()
    return _difference(net)


def _difference(net: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return few(chips_for(max(0, net))), few(chips_for(max(0, -net)))


def few(chips: tuple[int, ...]) -> tuple[int, ...]:
    """The chips; where they are more than a step can name, fewer chips of the same value."""
    return chips if len(chips) <= MOST_CHIPS else chips_for(sum(chips))


def _value(chips: Counter[int]) -> int:
    return sum(chips.elements())


def _values(chips: tuple[Chip, ...]) -> tuple[int, ...]:
    return tuple(chip.denomination for chip in chips)


def _listed(chips: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(chips.elements(), reverse=True))


# --- readings that have waited ---


def follow_up(change: Change) -> Change:
    """Readings whose meaning has become clear: chips that came between the rounds are the first motions of the street
    that has opened now, and chips that answer nothing any more are an act. What the table refuses of them was not what
    the change is about."""
    if not any(spot.waiting for spot in change.live.spots.values()):
        return change
    refused = change.refused
    if is_betting(change.live.table):
        for seat in waiting(change.live, "between"):
            change = _take_waiting(change, seat)
    for seat in waiting(change.live, "deferred"):
        if not answers_to(change.live, seat):
            change = _take_waiting(change, seat)
    return change._replace(refused=refused)


def _take_waiting(change: Change, seat: int) -> Change:
    """What waited at the seat is taken now."""
    return _moved(change, seat, spot_of(change.live, seat))


def taken_back(change: Change) -> Change:
    """Spots that have been empty alone for so long that it was no sweep."""
    for seat in waiting(change.live, "emptied"):
        held_back = spot_of(change.live, seat).waiting
        if sweeping(change.live) or held_back is None or held_back.why != "emptied":
            continue
        if passed(held_back.at_us, change.at_us, ALONE_US):
            change = _take_waiting(change, seat)
    return change._replace(refused=None)  # nobody asked


def motion_is_over(change: Change, seat: int) -> Change:
    """A key while chips of the seat in turn are seen and not settled: its motion is over, because the next seat acts or
    the dealer says so. The table is another one where that was a motion."""
    live = change.live
    glimpse = live.glimpses.get(BET_SPOTS[seat - 1])
    if glimpse is None or glimpse.at_least or glimpse.strangers or answers_to(live, seat):
        return change
    if live.table.street.felt[seat] >= worth(glimpse.stack):
        return change
    change = change._replace(live=without_glimpse(live, BET_SPOTS[seat - 1]))
    return _moved(change, seat, glimpse)._replace(refused=None)  # the key is about something else


def raise_is_over(change: Change, by: int) -> Change:
    """Another seat acts: chips that are seen of a raise in several motions, and are not settled, are the last of it."""
    raiser = raising(change.live.table) if change.live.glimpses else 0
    return change if raiser in (0, by) else motion_is_over(change, raiser)


def lying_uncounted(live: Live, seat: int) -> tuple[int, ...]:
    """The chips on the spot that the book does not count since a step was taken back."""
    felt = live.table.street.felt[seat]
    excess = explained(live, seat) - felt
    if seat not in live.undone or excess <= 0:
        return ()
    return few(chips_for(excess) if felt else _values(spot_of(live, seat).explained or ()))


# --- spots that are not read ---


def offline(change: Change, event: TrayOffline) -> Change:
    """A spot is not read any more."""
    seat = SEAT_OF.get(event.spot)
    change = change._replace(live=without_glimpse(change.live, event.spot))
    if seat is None:
        return change.then("sensor", SpotOut(event.spot, event.reason))
    return change if seat in change.live.table.offline else change.then("sensor", TrayOut(seat))


def online(change: Change, event: TrayOnline) -> Change:
    """A spot is read again, or for the first time; what it holds follows."""
    seat = SEAT_OF.get(event.spot)
    change = change._replace(live=without_glimpse(change.live, event.spot))
    if seat is None:
        return change.then("sensor", SpotBack(event.spot))
    return change.then("sensor", TrayBack(seat)) if seat in change.live.table.offline else change
