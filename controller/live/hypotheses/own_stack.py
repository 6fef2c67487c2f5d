"""Hypothesis: the new chips are part of the player's stack, which is too close to the bet spot.

The chips do not count, and the dealer is asked. At least one rule must apply:

- There are at least two chips, all with weak tags, and they are not exactly the call. They are at the edge of the
  antenna. A single such chip is asked too, also if the reader is not certain of the stack.
- A single chip may protect the cards (see `card_protector`).
- The seat is in turn, and one to five chips are together worth at least 20 pots. Example: three chips of 100 in a pot
  of 15.
- The seat is in turn, the smallest chips are exactly the call, and the others are worth at least 6 pots. Example: with
  10 to call in a pot of 15, the chips are 5, 5 and 100.

The last two rules do not apply if the chips are the whole stack, because the seat is then all-in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import accumulate
from typing import Final

from controller.live.derived_state import (
    is_betting,
    is_exact_call,
    seat_in_turn,
    total_value,
)
from controller.live.hypotheses.card_protector import may_be_card_protector
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.splash import SPLASH_WINDOW_US
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.rules import to_call
from controller.steps import observations
from controller.table import balances
from hardware.events import Chip
from hardware.spots import BET_SPOTS

OWN_STACK_POTS: Final = 20
"""Minimum value, in multiples of the pot, at which a few chips are probably not a bet. The chips are then part of a
stack too close to the spot. The rule does not apply to a whole stack, because a whole stack is an all-in."""
OWN_STACK_BESIDE_CALL_POTS: Final = 6
"""Minimum value, in multiples of the pot, of chips in addition to an exact call that are probably not a bet. The player
has then called, and the other chips are part of a stack too close to the spot."""
MAX_OWN_STACK_CHIPS: Final = 5
"""Maximum number of chips that the reader sees of a stack too close to the spot. Players who really bet many times the
pot put in more chips than this, or announce the bet."""

MANY_CHIPS_WINDOW_US: Final = 2_000_000
"""Maximum time in µs between the first readings of more than `MAX_OWN_STACK_CHIPS` chips that a player put in at once.
On damp felt some tags of a tall stack first answer after one or two seconds."""


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    return Verdict("own-stack") if _is_own_stack(live, facts) else None


def _is_own_stack(live: Live, facts: SpotFacts) -> bool:
    seat, new_chips, event = facts.seat, facts.new_chips, facts.event
    if (
        len(new_chips) > 1
        and {chip.uid for chip in new_chips} <= set(event.weak_tags)
        and not is_exact_call(live, seat, new_chips)
    ):
        return True
    if may_be_card_protector(live, seat, event.stack, event.at_us):
        return True
    if facts.hand is None or seat != facts.hand.turn:
        return False
    amount, call = total_value(new_chips), call_amount_within(live, seat, new_chips)
    pot, stack = balances.announced_pot(live.table), balances.stack_behind(live.table, seat)
    if len(new_chips) <= MAX_OWN_STACK_CHIPS and OWN_STACK_POTS * pot <= amount < stack:
        return True
    return call > 0 and call + OWN_STACK_BESIDE_CALL_POTS * pot <= amount < stack


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


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    if not is_betting(live.table):
        return None
    new_chips = set(waiting.spot.on_spot or ()) - set(waiting.spot.accounted or ())
    call = call_amount_within(live, waiting.seat, new_chips)
    call_answer = (observations.ExplainsChips(waiting.seat, "bet", call),) if call else ()
    if moved_together(live, waiting.seat, new_chips):
        question = waiting.question("own-stack", waiting.added, "bet", "nothing")
        return question._replace(answers=(*question.answers[:1], *call_answer, *question.answers[1:]))
    question = waiting.question("own-stack", waiting.added, "nothing", "bet")
    return question._replace(answers=(*call_answer, *question.answers))


def moved_together(live: Live, seat: int, new_chips: Collection[Chip]) -> bool:
    """Return True if the seat in turn put several chips in at once, which are more likely a bet than a stack.

    On damp felt all tags of a bet are weak. Chips at the edge of the antenna are first heard at different times, and
    are rarely more than two. Two chips, or an exact call with other chips, are a bet if they are worth less than
    `OWN_STACK_BESIDE_CALL_POTS`. Three to five chips are a bet below `OWN_STACK_POTS`, and more chips always.
    """
    first_seen_us = live.reader.first_seen_us.get(BET_SPOTS[seat - 1], {})
    times_us = [first_seen_us[chip.uid] for chip in new_chips if chip.uid in first_seen_us]
    is_in_turn, is_many = seat == seat_in_turn(live), len(new_chips) > MAX_OWN_STACK_CHIPS
    window_us = MANY_CHIPS_WINDOW_US if is_many else SPLASH_WINDOW_US
    if not is_in_turn or not len(times_us) == len(new_chips) > 1 or max(times_us) - min(times_us) >= window_us:
        return False
    amount, pot = total_value(new_chips), balances.announced_pot(live.table)
    if len(new_chips) == 2 or call_amount_within(live, seat, new_chips):
        return amount < OWN_STACK_BESIDE_CALL_POTS * pot
    return is_many or amount < OWN_STACK_POTS * pot


OWN_STACK: Final = Hypothesis(frozenset({"unexpected"}), _explain, "own-stack", _question)
