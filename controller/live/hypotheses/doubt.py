"""Hypothesis: the reader is not certain of the stack.

The reader reports that it may have missed chips, or the stack has unknown tags. The chips do not count. The dealer is
asked for the amount if the reading shows more than the recorded total.

Example: the call is 100, and chips for 80 are read from a stack too tall to be read with certainty. The question offers
100 first, then 80.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import amount_on_spot, has_unresolved_doubt
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import observations
from controller.table import balances

MAX_HIDDEN_RATIO: Final = 1.5
"""Maximum plausible ratio of the real value of a stack to the value read. The ratio is 1.5, because a reader rarely
misses more than a third of a stack."""


def _explain(live: Live, facts: SpotFacts) -> Verdict:
    return Verdict("doubt")


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    if not has_unresolved_doubt(live, waiting.seat):
        return None
    if waiting.spot.unknown_tags:
        return waiting.question("strangers", waiting.added, "bet", "nothing")
    return ChipQuestion(waiting.seat, "at-least", waiting.added, _possible_amounts(live, waiting.seat))


def _possible_amounts(live: Live, seat: int) -> tuple[observations.ExplainsChips, ...]:
    """Return the amounts that a stack with possibly unread chips may be worth.

    The last amount is the value read. The amount to call and the seat's whole stack come first if they are at most 1.5
    times the value read. Example: chips for 80 are read, the call is 100, and the seat has 400. The result is 100 and
    80.
    """
    hand, spot_total, amount_read = live.table.hand, live.table.street.spot_totals[seat], amount_on_spot(live, seat)
    totals = (
        [hand.current_bet, spot_total + balances.stack_behind(live.table, seat)]
        if hand is not None and seat in hand.dealt_seats
        else []
    )
    plausible_totals = {total for total in totals if amount_read < total <= MAX_HIDDEN_RATIO * amount_read}
    return (
        *(
            observations.ExplainsChips(seat, "bet", total - spot_total)
            for total in sorted(plausible_totals, reverse=True)
        ),
        observations.ExplainsChips(seat, "bet"),
    )


DOUBT: Final = Hypothesis(frozenset({"doubtful"}), _explain, "doubt", _question)
