"""Hypotheses: a hand or an arm covered chips of a bet, so that the reader could not read them.

There are two cases:

- The reader reports that something covers the chips (`COVERED_CHIPS`). The chips wait, and the dealer is asked.
- Chips that were on the spot in this betting round appear again (`REAPPEARED_CHIPS`). They belong to the seat's last
  motion, which is recorded anew. Example: 50 of a call of 100 were covered. The call is recorded as 100.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import UNREAD_SPOT, is_betting, least_wager, swept_seats, total_value
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.last_motion import corrected, last_motion
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live
from controller.steps import observations
from hardware.events import Chip, StackSettled


def _explain_covered(live: Live, facts: SpotFacts) -> Verdict | None:
    return Verdict("covered") if facts.value < facts.accounted_value else None


def _explain_reappeared(live: Live, facts: SpotFacts) -> Verdict | None:
    motion = last_motion(live, facts)
    accounted, present = set(facts.spot.accounted or ()), set(facts.event.stack)
    if motion is None or not accounted < present:
        return None
    if facts.recorded_total > total_value(chip for chip in accounted if chip.uid not in facts.spot.ignored):
        return None  # The dealer has declared the missing chips as swept.
    reappeared = _reappeared(live, facts.event, present - accounted)
    return corrected(facts.seat, (*motion.forward, *reappeared)) if reappeared else None


def _reappeared(live: Live, event: StackSettled, new_chips: set[Chip]) -> tuple[int, ...]:
    """Return the values of the new chips if all of them were on the spot earlier in this betting round."""
    hand = live.table.hand
    this_round = (event.spot, live.table.hands_started, hand.round_number if hand is not None else 0)
    known_uids = {
        uid
        for uid, location in live.chip_locations.items()
        if (location.spot, location.hand, location.round) == this_round
    }
    reported_us = live.spots.get(event.spot, UNREAD_SPOT).changed_us
    known_uids |= {uid for uid, at_us in live.reader.first_seen_us.get(event.spot, {}).items() if at_us < reported_us}
    if not {chip.uid for chip in new_chips} <= known_uids:
        return ()
    return tuple(sorted((chip.denomination for chip in new_chips), reverse=True))


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    if not is_betting(live.table) or not waiting.is_due or swept_seats(live):
        return None
    question = waiting.question("covered", waiting.removed, "covered", "swept", "taken")
    amount = 0 if waiting.spot.on_spot else least_wager(live, waiting.seat)
    call = (observations.ExplainsChips(waiting.seat, "bet", amount),) if amount else ()
    return question._replace(answers=(*question.answers, *call))


COVERED_CHIPS: Final = Hypothesis(frozenset({"fewer", "covered"}), _explain_covered, "covered", _question)
REAPPEARED_CHIPS: Final = Hypothesis(frozenset({"open", "last-motion"}), _explain_reappeared)
