"""Which chips came first: a splash over two spots, and chips that wait for those of others.

Source: rulings.md, "When" and "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.queries import (
    explained,
    is_call,
    is_open_doubt,
    is_waiting,
    lying,
    spot_of,
    uncounted,
    waiting,
    worth,
)
from controller.live.state import Began, Glimpse, Live
from controller.table import is_unknown, owed, stack
from hardware.events import Chip, StackComplete
from hardware.spots import BET_SPOTS

SPLASH_US: Final = 600_000
"""Chips of one hand are seen on two spots within this time; the next player has not seen them by then."""
APART_US: Final = 150_000
"""Spots on which the first chips came further apart than this, for certain, were not reached by one hand; a hand takes
twice as long at most."""


def began(event: StackComplete | Glimpse, own: Glimpse | None = None) -> Began:
    """When the motion began by the reading; by what was seen of it first, where there is that."""
    if own is not None:
        return Began(own.after_us, own.since_us)
    at_us = event.at_us if isinstance(event, StackComplete) else 0
    return Began(event.after_us, event.since_us or at_us)


def is_splash(live: Live, seat: int, own: Began | None = None) -> bool:
    """True where chips have come to the next spot too, with those that began to come then (None: that was asked
    before), count for nothing yet, and one of the two seats is in turn."""
    hand = live.table.hand
    return hand is not None and any(
        hand.turn in (seat, other)
        and _lands_with(live, other, seat, own)
        and not _is_called(live, seat, other)
        and not _are_two(live, seat, other)
        for other in (seat - 1, seat + 1)
        if 1 <= other <= len(BET_SPOTS)
    )


def _are_two(live: Live, seat: int, other: int) -> bool:
    """True where no hand of the seat in turn can have brought what has come to both: it does not have so much, or the
    other has put in all it had."""
    hand, table = live.table.hand, live.table
    behind = other if hand is not None and hand.turn == seat else seat
    acts = other if behind == seat else seat
    rest = uncounted(live, behind).amount
    more = uncounted(live, acts).amount + rest
    too_much = acts in table.players and not is_unknown(table, acts) and more > stack(table, acts)
    all_in = behind in table.players and not is_unknown(table, behind) and rest == stack(table, behind)
    return rest > 0 and (too_much or all_in)


def _is_called(live: Live, seat: int, other: int) -> bool:
    """True where somebody behind the two has put in just the larger of what lies at them: each is a bet of its own."""
    larger = max(lying(live, seat), lying(live, other))
    behind = waiting(live, "deferred")
    return any(lying(live, third) == larger for third in behind if third not in (seat, other))


def _lands_with(live: Live, seat: int, beside: int, own: Began | None) -> bool:
    if is_waiting(live, seat, "splash"):
        return True
    glimpse, due = live.glimpses.get(BET_SPOTS[seat - 1]), live.table.street.felt[seat] + owed(live.table, seat)
    if glimpse is None or worth(glimpse.stack) <= max(explained(live, seat), due):
        return False
    if {chip.uid for chip in _new_at(live, seat)} <= set(glimpse.weak):  # they lay there, and answer only now
        return False
    if own is None:
        return True
    apart_us = max(own.after_us - glimpse.since_us, (glimpse.after_us or glimpse.since_us - SPLASH_US) - own.since_us)
    if all(is_call(live, each, _new_at(live, each)) for each in (seat, beside)):  # a raise hardly falls into two calls
        return False
    return abs(glimpse.since_us - own.since_us) <= SPLASH_US and apart_us <= APART_US


def _new_at(live: Live, seat: int) -> list[Chip]:
    """The chips that are seen at the seat and are not explained."""
    name = BET_SPOTS[seat - 1]
    seen, spot = live.glimpses.get(name), spot_of(live, seat)
    stack = seen.stack if seen is not None else spot.lies or ()
    return [chip for chip in stack if chip not in set(spot.explained or ())]


def comes_after(live: Live, seat: int, since_us: int) -> bool:
    """True where chips of the seat in turn came before these, and are not told or not wholly read yet: what lies behind
    them is judged by what they are. Who has acted may act again where they are seen to be a raise."""
    hand = live.table.hand
    if hand is None or hand.turn in (0, seat) or seat not in hand.live or seat in hand.all_in:
        return False
    glimpse, waits = live.glimpses.get(BET_SPOTS[hand.turn - 1]), seat in hand.pending
    if glimpse is not None and glimpse.since_us < since_us:
        return worth(glimpse.stack) > (live.table.street.felt[hand.turn] if waits else hand.level)
    return waits and (is_open_doubt(live, hand.turn) or is_waiting(live, hand.turn, "splash"))
