"""Chips that have gone, or have come again: change, a cut-out, a hand over the stack, a sweep."""

from __future__ import annotations

from typing import Final

from controller.live.queries import SWEEP_US, UNTOLD, explained, is_betting, owes_chips, passed, spot_of, worth
from controller.live.state import Live
from controller.rules import Hand, Phase, to_call
from controller.table import Moves, counted, due_back
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS

CUT_US: Final = 5_000_000
"""Who cuts chips back out of a bet does so at once."""


def is_change(live: Live, seat: int, event: StackComplete) -> bool:
    """True where a seat lost as much as another one has due back: they made change."""
    lost = explained(live, seat) - worth(event.stack)
    if lost <= 0 or others_swept(live, seat, event.at_us):
        return False
    return any(due_back(live.table, other) == lost for other in live.table.players if other != seat)


def takes_own_change(live: Live, seat: int, event: StackComplete) -> bool:
    """True where just what is due back to the seat has gone, and the rest of its chips stays: its player took it."""
    lay, now = set(spot_of(live, seat).explained or ()), set(event.stack)
    due = due_back(live.table, seat) if live.table.playing else 0
    return due > 0 and bool(now) and now < lay and worth(lay - now) == due and not others_swept(live, seat, event.at_us)


def resized(live: Live, seat: int, event: StackComplete) -> tuple[int, ...]:
    """What the last motion of the seat is after all, where nobody has acted behind it: chips were cut back, or came
    in sight again. None where that is not so."""
    told, table = live.table.told, live.table
    if not live.setup.patient or not is_betting(table) or not isinstance(told, Moves) or seat in table.street.spoken:
        return ()
    before = table.past[-1].before.hand
    if told.seat != seat or told.back or before is None or before.turn != seat or seat in live.put_back:
        return ()
    lay, now = set(spot_of(live, seat).explained or ()), set(event.stack)
    if now < lay:
        return _cut_back(live, before, event, lay - now)
    left = spot_of(live, seat).left
    expected = table.street.felt[seat] > worth(chip for chip in lay if chip.uid not in left)  # said to be swept
    again = _reappeared(live, event, now - lay) if lay < now and not expected else ()
    return (*told.forward, *again) if again else ()


def _reappeared(live: Live, event: StackComplete, came: set[Chip]) -> tuple[int, ...]:
    """What the chips are worth, where all of them lay on the spot before in this round: a hand was over them."""
    hand = live.table.hand
    since = (event.spot, live.table.hands, hand.round if hand is not None else 0)
    lay = {uid for uid, place in live.places.items() if (place.spot, place.hand, place.round) == since}
    told_us = live.spots.get(event.spot, UNTOLD).told_us
    lay |= {uid for uid, at_us in live.shown.get(event.spot, {}).items() if at_us < told_us}
    if not {chip.uid for chip in came} <= lay:
        return ()
    return tuple(sorted((chip.denomination for chip in came), reverse=True))


def _cut_back(live: Live, before: Hand, event: StackComplete, went: set[Chip]) -> tuple[int, ...]:
    """What is left of the motion. What is less than the call is chips taken back."""
    own = live.glimpses.get(event.spot)
    since_us = own.since_us if own is not None else event.since_us or event.at_us
    behind = any(other.since_us < since_us for name, other in live.glimpses.items() if name != event.spot)
    times = {live.places[chip.uid].at_us for chip in went if chip.uid in live.places}
    if behind or len(times) != 1 or passed(max(times), since_us, CUT_US):
        return ()
    kept = tuple(chip.denomination for chip in event.stack if live.places[chip.uid].at_us in times)
    return kept if sum(kept) >= max(1, to_call(before, before.turn)) else ()


def swept_and_new(live: Live, seat: int, event: StackComplete) -> tuple[str, ...]:
    """UIDs of the chips that were swept before those came that lie there now; none where it was no sweep. Chips for
    their like on a spot by itself are change."""
    spot, hand = spot_of(live, seat), live.table.hand
    if not live.setup.patient or hand is None or not event.stack or event.at_least or event.strangers:
        return ()
    if hand.phase is not Phase.CLOSED and not is_betting(live.table):
        return ()
    if not counted(live.table, seat) or owes_chips(live.table, seat) or spot.hidden or seat in live.put_back:
        return ()
    lay = spot.lies or ()
    if not lay or not set(lay).isdisjoint(event.stack):
        return ()
    between = live.glimpses.get(BET_SPOTS[seat - 1])
    was_empty = hand.phase is Phase.CLOSED and between is not None and not between.stack
    if not was_empty and not others_swept(live, seat, event.at_us):
        return ()
    return tuple(chip.uid for chip in lay)


def others_swept(live: Live, seat: int, at_us: int) -> bool:
    """True where the chips of another seat that count have just left its spot, or are leaving it. A spot that was empty
    before they counted tells of none, nor does a tray that is out."""
    felt, is_closed = live.table.street.felt, not is_betting(live.table)
    for other in range(1, len(felt)):
        spot, glimpse = spot_of(live, other), live.glimpses.get(BET_SPOTS[other - 1])
        if other == seat or not felt[other] or spot.hidden:
            continue
        if spot.lies == () and (spot.explained or is_closed) and not passed(spot.told_us, at_us, SWEEP_US):
            return True
        if spot.lies and glimpse is not None and not glimpse.stack:
            return True
    return False
