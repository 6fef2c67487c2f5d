"""Hypothesis: the chips are last street's bet, which was still on a spot when the dealer dealt this street.

Somebody lifted the chips and put them back, an arm covered them, or the dealer pushed them over another spot. The chips
wait, and the dealer is asked whether they are still to be swept. They never count without an answer. If the player has
put other chips on top, the table ignores the chips of the last street, and the next hypotheses examine the others.

Example: seat 4 called 35, and the flop is dealt before the bets are collected. The dealer lifts the 35 and puts them
down again. The question is "last street's chips?", with the answers SWEPT and BET 35.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import is_betting
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import hand_steps, observations
from hardware.events import Chip
from hardware.spots import BET_SPOTS


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    left_over = left_over_chips(live, tuple(facts.new_chips))
    if not left_over:
        return None
    if len(left_over) == len(facts.new_chips):
        return Verdict("left-over")
    ignored = observations.RecordSpotReading(facts.event.spot, "left", added=left_over)
    return Verdict(None, steps_before=(ignored,), is_partial=True)


def left_over_chips(live: Live, chips: tuple[Chip, ...]) -> tuple[Chip, ...]:
    """Return those of the chips that were on a bet spot when this street was dealt, and have left it since.

    The spot may be that of another seat, because a dealer who collects late pushes chips over the spots of others.
    """
    hand = live.table.hand
    dealt_us = _dealt_us(live)
    if hand is None or not dealt_us:
        return ()
    locations = ((chip, live.chip_locations.get(chip.uid)) for chip in chips)
    return tuple(
        chip
        for chip, location in locations
        if location is not None
        and location.spot in BET_SPOTS
        and location.hand == live.table.hands_started
        and 0 < location.round < hand.round_number
        and location.gone_us > dealt_us
    )


def _dealt_us(live: Live) -> int:
    """Return the time at which the dealer dealt this street, or 0 if no street has been dealt in this hand."""
    for entry in reversed(live.table.undo_stack):
        if isinstance(entry.step, hand_steps.DealsStreet):
            return entry.at_us
        if isinstance(entry.step, hand_steps.StartsHand | hand_steps.StartsBombPot):
            return 0
    return 0


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    return waiting.question("left-over", waiting.added, "swept", "bet") if is_betting(live.table) else None


LEFT_OVER: Final = Hypothesis(frozenset({"unexpected", "known-chips"}), _explain, "left-over", _question)
