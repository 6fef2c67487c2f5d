"""Hypotheses about a player's own chips that are not a bet, such as a chip that protects the cards."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from controller.live.derived_state import has_elapsed, is_betting, is_exact_call, is_pending_for, spot_of, total_value
from controller.live.hypotheses.arrival_order import SPLASH_WINDOW_US
from controller.live.state import Live
from controller.rules import Hand, to_call
from controller.table import (
    balances,
)
from hardware.events import Chip, StackSettled

DEALING_WINDOW_US: Final = 12_000_000
"""Time after the start of a hand during which the first cards are dealt, in microseconds. A player may put a chip on
the cards in this time."""
OWN_STACK_POTS: Final = 20
"""Minimum value, in multiples of the pot, at which a few chips are probably not a bet. The chips are then part of a
stack too close to the spot. The rule does not apply to a whole stack, because a whole stack is an all-in."""
OWN_STACK_BESIDE_CALL_POTS: Final = 6
"""Minimum value, in multiples of the pot, of chips in addition to an exact call that are probably not a bet. The player
has then called, and the other chips are part of a stack too close to the spot."""
MAX_OWN_STACK_CHIPS: Final = 5
"""Maximum number of chips that the reader sees of a stack too close to the spot. Players who really bet many times the
pot put in more chips than this, or announce the bet."""


def is_own_stack(live: Live, seat: int, new_chips: list[Chip], event: StackSettled) -> bool:
    """Return True if the new chips are probably part of the player's stack and not a bet.

    At least one rule must apply:

    - There are at least two chips, all with weak tags, and they are not exactly the call. They are at the edge of the
      antenna.
    - A single chip may protect the cards.
    - The seat is in turn, and one to five chips are together worth at least 20 pots. Example: three chips of 100 in a
      pot of 15.
    - The seat is in turn, the smallest chips are exactly the call, and the others are worth at least 6 pots. Example:
      with 10 to call in a pot of 15, the chips are 5, 5 and 100.

    The last two rules do not apply if the chips are the whole stack, because the seat is then all-in.
    """
    hand, table = live.table.hand, live.table
    if hand is None:
        return False
    if (
        len(new_chips) > 1
        and {chip.uid for chip in new_chips} <= set(event.weak_tags)
        and not is_exact_call(live, seat, new_chips)
    ):
        return True
    if may_be_card_protector(live, seat, event.stack, event.at_us):
        return True
    if seat != hand.turn:
        return False
    amount, call = total_value(new_chips), call_amount_within(live, seat, new_chips)
    if len(new_chips) <= MAX_OWN_STACK_CHIPS and OWN_STACK_POTS * balances.announced_pot(
        table
    ) <= amount < balances.stack_behind(table, seat):
        return True
    return call > 0 and call + OWN_STACK_BESIDE_CALL_POTS * balances.announced_pot(
        table
    ) <= amount < balances.stack_behind(table, seat)


def may_be_card_protector(live: Live, seat: int, stack: tuple[Chip, ...], at_us: int) -> bool:
    """Return True if the only chip on the spot may have arrived with the cards to protect them.

    The rule applies in the first betting round, within `DEALING_WINDOW_US`, to a seat without a blind. The value of the
    chip decides:

    - If the seat is in turn, the chip must be worth less than a call.
    - If the seat is not in turn, the chip must not be a call or a raise of fixed size. Such a chip is more likely a
      bet, because the seats before this seat may have folded.
    - If the bring-in is still due, the chip may have any value. No seat can have folded yet, so that the chip cannot be
      a call.

    Example: with 10 to call, one chip of 25 at a later seat may protect cards. One chip of 10 is a call.
    """
    hand = live.table.hand
    if hand is None or hand.round_number != 1 or len(stack) != 1 or live.table.street.spot_totals[seat]:
        return False
    if has_elapsed(live.hand_began_us, at_us, DEALING_WINDOW_US):
        return False
    if seat == hand.turn:
        return total_value(stack) < min(hand.current_bet, hand.stacks[seat])
    return bool(hand.bring_in_seat) or not (
        is_exact_call(live, seat, list(stack)) or total_value(stack) == _fixed_raise(hand)
    )


def _fixed_raise(hand: Hand) -> int:
    """Return the total of a raise if the rules fix its size, otherwise 0."""
    return hand.current_bet + hand.min_raise if hand.game.structure == "fixed-limit" else 0


def card_protector(live: Live, seat: int, event: StackSettled) -> Chip | None:
    """Return the new chip that protects the seat's cards, or None.

    This chip arrived first, alone, and while the cards were dealt. One of two cases must apply:

    - The dealer is already asked about the chip, and all new chips together are not exactly the call.
    - The chip was seen at least `SPLASH_WINDOW_US` before the other chips, and the others alone are exactly the call.

    Example: with 10 to call, one chip of 25 is seen at 4 s, and chips of 5 and 5 arrive at 9 s. The 25 protects the
    cards. Return None if the seat has posted a blind.
    """
    hand, spot = live.table.hand, spot_of(live, seat)
    if hand is None or hand.round_number != 1 or seat not in hand.seats_to_act or live.table.street.spot_totals[seat]:
        return None
    if event.unknown_tags or not live.setup.tolerates_delays or not is_betting(live.table):
        return None
    new_chips = [chip for chip in event.stack if chip not in set(spot.accounted or ())]
    first_seen_us = live.first_seen_us.get(event.spot, {})
    first = min(new_chips, key=lambda chip: first_seen_us.get(chip.uid, event.at_us), default=None)
    if (
        first is None
        or len(new_chips) < 2
        or has_elapsed(live.hand_began_us, first_seen_us.get(first.uid, event.at_us), DEALING_WINDOW_US)
    ):
        return None
    if is_pending_for(live, seat, "own-stack"):
        return first if spot.on_spot == (first,) and not is_exact_call(live, seat, new_chips) else None
    others = [chip for chip in new_chips if chip != first]
    next_us = min(first_seen_us.get(chip.uid, event.at_us) for chip in others)
    arrived_alone = next_us - first_seen_us.get(first.uid, event.at_us) >= SPLASH_WINDOW_US
    return first if arrived_alone and is_exact_call(live, seat, others) else None


def call_amount_within(live: Live, seat: int, new_chips: Iterable[Chip]) -> int:
    """Return the amount to call if the smallest of the new chips make exactly this amount, otherwise 0.

    The seat must be in turn and must have put in one to five chips in addition to the call. Example: with 10 to call,
    chips of 5, 5 and 100 give 10.
    """
    hand = live.table.hand
    call = to_call(hand, seat) if hand is not None and hand.turn == seat else 0
    sums = list(accumulate(sorted(chip.denomination for chip in new_chips)))
    has_few_more = 0 < sum(total > call for total in sums) <= MAX_OWN_STACK_CHIPS
    return call if has_few_more and call in sums else 0
