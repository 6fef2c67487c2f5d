"""Hypotheses: the dealer has swept the chips of the spot.

There are two cases:

- The spot of a recorded bet is empty, or some of its chips left while another seat's bet was swept (`SWEEP`). The spot
  waits until another event shows whether they were swept or taken back. Example: spots 3 and 4 empty within 5 seconds.
  The dealer can also answer that the chips are still there, because a stack of one height may detune its antenna so far
  that no chip answers.
- All chips were replaced by new chips (`REPLACED_BET`). The old chips were swept, and the new chips wait for the next
  street. Another spot must have been swept too, because otherwise the players made change. Example: spots 3 and 4 had
  50 each. Then spot 4 is empty, and spot 3 has a new chip of 25.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import has_unanswered_bet, is_betting, owes_chips
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.rules import Phase
from controller.steps import observations
from controller.table import balances


def _explain_sweep(live: Live, facts: SpotFacts) -> Verdict | None:
    if "covered" in facts.evidence:
        return None
    return Verdict("emptied") if not facts.event.stack or "other-swept" in facts.evidence else None


def _explain_replaced(live: Live, facts: SpotFacts) -> Verdict | None:
    swept_tags = _swept_tags(live, facts)
    if not swept_tags:
        return None
    disposition: observations.Disposition = "emptied" if "open" in facts.evidence else "lies"
    swept = observations.RecordSpotReading(facts.event.spot, disposition, removed_tags=swept_tags)
    return Verdict("between", steps_before=(swept,))


def _swept_tags(live: Live, facts: SpotFacts) -> tuple[str, ...]:
    """Return the UIDs of chips that were swept before the present chips arrived, or an empty tuple."""
    spot, hand, event, seat = facts.spot, facts.hand, facts.event, facts.seat
    if not live.setup.tolerates_delays or hand is None or event.at_least or event.unknown_tags:
        return ()
    if hand.phase is not Phase.CLOSED and "open" not in facts.evidence:
        return ()
    if (
        not balances.counted_bet(live.table, seat)
        or owes_chips(live.table, seat)
        or spot.was_offline
        or seat in live.bets.awaiting_chips
    ):
        return ()
    was_empty = hand.phase is Phase.CLOSED and facts.unsettled is not None and not facts.unsettled.stack
    is_swept = was_empty or "other-swept" in facts.evidence
    return tuple(chip.uid for chip in spot.on_spot or ()) if is_swept else ()


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    if not is_betting(live.table) or not waiting.is_due or not has_unanswered_bet(live, waiting.seat):
        return None
    return waiting.question("emptied", waiting.removed, "swept", "taken", "covered")


SWEEP: Final = Hypothesis(frozenset({"fewer"}), _explain_sweep, "emptied", _question)
REPLACED_BET: Final = Hypothesis(frozenset({"replaced"}), _explain_replaced)
