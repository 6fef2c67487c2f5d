"""Hypothesis: a seat that has folded, or was not dealt in, put chips in.

The chips do not count, unless the table accepts them because the seat owes them. If the last step was the fold, the
player may have bet before the dealer pressed the fold key. The dealer is then asked whether the chips are a bet.

Example: seat 5 has folded, and 25 arrive on spot 5.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import is_betting
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import hand_steps


def _explain(live: Live, facts: SpotFacts) -> Verdict:
    return Verdict("folded-seat", stands_if_refused=True)


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    hand, seat = live.table.hand, waiting.seat
    if not waiting.is_due or not is_betting(live.table) or hand is None or seat not in hand.folded:
        return None
    if _just_folded(live, seat):
        return waiting.question("folded-seat", waiting.added, "bet", "nothing")
    return waiting.question("folded-seat", waiting.added, "nothing")


def _just_folded(live: Live, seat: int) -> bool:
    """Return True if the last step was a fold of this seat.

    The seat may have put in its chips before the dealer pressed the fold key.
    """
    last_step = live.table.last_step
    return (
        isinstance(last_step, hand_steps.Declares) and last_step.seat == seat and last_step.declaration.kind == "fold"
    )


FOLDED_SEAT: Final = Hypothesis(frozenset({"unexpected", "seat-out"}), _explain, "folded-seat", _question)
