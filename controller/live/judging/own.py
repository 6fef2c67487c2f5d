"""Chips of the player's own that are no bet: a stack that came too near, a chip that protects cards."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from controller.live.judging.order import SPLASH_US
from controller.live.queries import is_betting, is_call, is_waiting, passed, spot_of, worth
from controller.live.state import Live
from controller.rules import Hand, to_call
from controller.table import pot, stack
from hardware.events import Chip, StackComplete

DEALING_US: Final = 12_000_000
"""The first cards come within this time, and with them the chips that protect them."""
OVERBET: Final = 20
"""A bet of so many pots that is not all that a player has is more often a stack that came too near."""
OVER_CALL: Final = 6
"""Who has put in just the call, and besides a few chips that are worth so many pots, has more often called beside a
stack that came too near."""
FEW_CHIPS: Final = 5
"""A stack that comes too near is seen in part; whoever means such a bet puts in many chips, or says so."""


def is_own_stack(live: Live, seat: int, came: list[Chip], event: StackComplete) -> bool:
    """True for chips that answer too seldom to lie on the spot and are no call, one that came with the cards, and a few
    that are worth many pots."""
    hand, table = live.table.hand, live.table
    if hand is None:
        return False
    if len(came) > 1 and {chip.uid for chip in came} <= set(event.weak) and not is_call(live, seat, came):
        return True
    if may_protect(live, seat, event.stack, event.at_us):
        return True
    if seat != hand.turn:
        return False
    amount, call = worth(came), call_within(live, seat, came)
    if len(came) <= FEW_CHIPS and OVERBET * pot(table) <= amount < stack(table, seat):
        return True
    return call > 0 and call + OVER_CALL * pot(table) <= amount < stack(table, seat)


def may_protect(live: Live, seat: int, stack: tuple[Chip, ...], at_us: int) -> bool:
    """True where all that lies at a seat is one chip that came with the cards, and is no act. In turn that is one which
    is less than a call; behind the turn any but a call, or a raise where its size is fixed, as those before may have
    folded, and with a bring-in to come those too."""
    hand = live.table.hand
    if hand is None or hand.round != 1 or len(stack) != 1 or live.table.street.felt[seat]:
        return False
    if passed(live.hand_us, at_us, DEALING_US):
        return False
    if seat == hand.turn:
        return worth(stack) < min(hand.level, hand.stacks[seat])
    return bool(hand.bring_in) or not (is_call(live, seat, list(stack)) or worth(stack) == _fixed_raise(hand))


def _fixed_raise(hand: Hand) -> int:
    """What a raise comes to where its size is fixed, 0 where it is not: who puts in just that raises."""
    return hand.level + hand.size if hand.game.structure == "fixed-limit" else 0


def protecting(live: Live, seat: int, event: StackComplete) -> Chip | None:
    """The chip among those that have come that protects the seat's cards: it lay there, alone, before the others, since
    the cards were dealt. Where it waits already, it is one unless all together are just a call; where it was only seen,
    if the others are. None where there is none, or the seat has posted a blind."""
    hand, spot = live.table.hand, spot_of(live, seat)
    if hand is None or hand.round != 1 or seat not in hand.pending or live.table.street.felt[seat]:
        return None
    if event.strangers or not live.setup.patient or not is_betting(live.table):
        return None
    came = [chip for chip in event.stack if chip not in set(spot.explained or ())]
    shown = live.shown.get(event.spot, {})
    first = min(came, key=lambda chip: shown.get(chip.uid, event.at_us), default=None)
    if first is None or len(came) < 2 or passed(live.hand_us, shown.get(first.uid, event.at_us), DEALING_US):
        return None
    if is_waiting(live, seat, "own-stack"):
        return first if spot.lies == (first,) and not is_call(live, seat, came) else None
    others = [chip for chip in came if chip != first]
    next_us = min(shown.get(chip.uid, event.at_us) for chip in others)
    alone = next_us - shown.get(first.uid, event.at_us) >= SPLASH_US
    return first if alone and is_call(live, seat, others) else None


def call_within(live: Live, seat: int, came: Iterable[Chip]) -> int:
    """What the seat in turn has to call, where the smallest of the chips come to just that and there are a few more; 0
    where that is not so."""
    hand = live.table.hand
    call = to_call(hand, seat) if hand is not None and hand.turn == seat else 0
    sums = list(accumulate(sorted(chip.denomination for chip in came)))
    few_more = 0 < sum(total > call for total in sums) <= FEW_CHIPS
    return call if few_more and call in sums else 0
