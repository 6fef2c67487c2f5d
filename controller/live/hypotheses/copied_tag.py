"""Hypothesis: a tag of this stack is a copy, because a tag with the same UID also answers on another spot.

The chips do not count until the dealer says whether they are a bet.

Example: a chip on spot 3 also answers on spot 7.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import is_betting
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live


def _explain(live: Live, facts: SpotFacts) -> Verdict:
    return Verdict("copied")


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    return waiting.question("copied", waiting.added, "bet", "nothing") if is_betting(live.table) else None


COPIED_TAG: Final = Hypothesis(frozenset({"unexpected", "copied"}), _explain, "copied", _question)
