"""Hypotheses: players made change, so that chips moved between two spots and nobody bet.

The chips wait, and the dealer is asked whether they were exchanged. There are two cases:

- Chips that left a spot are worth as much as another seat must get back (`CHANGE_TAKEN`). Example: seat 3 called 50
  with a chip of 100 and must get back 50. Chips for 50 leave spot 4.
- All new chips were on other bet spots in this betting round (`CHANGE_GIVEN`). Example: chips for 25 leave spot 4 and
  arrive on spot 3.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import has_chips_worth, is_betting, was_bet_by_other
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import observations
from controller.table import balances


def _explain_taken(live: Live, facts: SpotFacts) -> Verdict | None:
    lost = facts.accounted_value - facts.value
    if lost <= 0 or not facts.evidence.isdisjoint(("covered", "other-swept")):
        return None
    others = [other for other in live.table.players if other != facts.seat]
    due_seats = [other for other in others if balances.due_back(live.table, other) == lost]
    if "last-motion" in facts.evidence:  # The seat may reduce its bet instead, unless another seat needs change.
        due_seats = [other for other in due_seats if not has_chips_worth(live, other, lost)]
    return Verdict("change") if due_seats else None


def _explain_given(live: Live, facts: SpotFacts) -> Verdict | None:
    are_from_others = all(was_bet_by_other(live, facts.seat, chip) for chip in facts.new_chips)
    return Verdict("change") if are_from_others else None


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    if not is_betting(live.table):
        return None
    if not waiting.removed:
        return waiting.question("change", waiting.added, "nothing", "bet")
    if not waiting.is_due:
        return None
    change = observations.ExplainsChips(waiting.seat, "change", waiting.removed)
    return ChipQuestion(
        waiting.seat, "change", waiting.removed, (change, observations.ExplainsChips(waiting.seat, "taken"))
    )


CHANGE_GIVEN: Final = Hypothesis(frozenset({"unexpected", "known-chips"}), _explain_given, "change", _question)
CHANGE_TAKEN: Final = Hypothesis(frozenset({"fewer"}), _explain_taken)
