"""Hypothesis: the player reduced the bet at once, and at least a call is left.

The last motion is recorded anew with the chips that remain. If less than a call remains, or another seat has put chips
in since, the player has taken the bet back instead.

Example: 20 chips of 5 were read as a bet of 100. Within 5 seconds 12 chips leave, and the bet is 40.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import has_elapsed
from controller.live.hypotheses.hypothesis import Hypothesis, Verdict
from controller.live.hypotheses.last_motion import corrected, last_motion
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.rules import to_call

CUT_BACK_WINDOW_US: Final = 5_000_000
"""Time after a bet during which a player may take some chips of the bet back, in microseconds. Players reduce a bet at
once or not at all."""


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    accounted, present = set(facts.spot.accounted or ()), set(facts.event.stack)
    before = live.table.undo_stack[-1].table_before.hand if present < accounted and last_motion(live, facts) else None
    if before is None:
        return None
    event, locations = facts.event, live.chip_locations
    began_us = facts.unsettled.first_seen_us if facts.unsettled is not None else event.first_seen_us or event.at_us
    has_later_motion = any(
        other.first_seen_us < began_us for name, other in live.reader.unsettled.items() if name != event.spot
    )
    arrival_times = {locations[chip.uid].since_us for chip in accounted - present if chip.uid in locations}
    if has_later_motion or len(arrival_times) != 1 or has_elapsed(max(arrival_times), began_us, CUT_BACK_WINDOW_US):
        return None
    kept = tuple(chip.denomination for chip in event.stack if locations[chip.uid].since_us in arrival_times)
    return corrected(facts.seat, kept) if sum(kept) >= max(1, to_call(before, before.turn)) else None


REDUCED_BET: Final = Hypothesis(frozenset({"open", "last-motion"}), _explain)
