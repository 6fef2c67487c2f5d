"""Correction of the last motion, if the chips on the spot show that it was read too high or too low."""

from __future__ import annotations

from controller.live.hypotheses.hypothesis import Verdict
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import hand_steps


def last_motion(live: Live, facts: SpotFacts) -> hand_steps.MovesChips | None:
    """Return the last step, a motion of this seat, or None if it was not a bet or call in turn by chips alone."""
    last_step, table = facts.last_step, live.table
    if facts.seat in table.street.spoken_amounts:
        return None
    if not isinstance(last_step, hand_steps.MovesChips) or last_step.back:
        return None
    before = table.undo_stack[-1].table_before.hand
    was_in_turn = before is not None and before.turn == facts.seat
    return last_step if was_in_turn and facts.seat not in live.bets.awaiting_chips else None


def corrected(seat: int, chips: tuple[int, ...]) -> Verdict:
    """Return the verdict that replaces the last motion by a motion of these chips."""
    return Verdict("lies", steps_before=(hand_steps.Undoes(),), steps_after=(hand_steps.MovesChips(seat, chips),))
