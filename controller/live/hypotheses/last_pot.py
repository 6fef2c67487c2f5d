"""Hypotheses: the new chips are the last pot, which the dealer pushes over the spot to the winner.

If the seat is in turn, the chips wait and the dealer is asked. Otherwise the table ignores them. There are two cases:

- The stack is too tall to be read completely (`TALL_POT`), and at least 70 percent of the chips read have left another
  spot.
- The stack is read with certainty (`LAST_POT`). See `_is_last_pot` for its rules.

Example: the last pot had 12 chips, and its hand ended 4 seconds ago. Nine chips arrive on the winner's spot.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    amount_accounted,
    has_elapsed,
    is_betting,
    is_exact_call,
    is_pot_awarded,
    total_value,
)
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts, motion_start
from controller.live.state import ChipLocation, Live
from hardware.events import Chip
from hardware.spots import BET_SPOTS, POT

POT_PUSH_WINDOW_US: Final = 15_000_000
"""Time in µs after the end of a hand in which its pot may be pushed over a bet spot. Later, the winner has stacked the
chips and may bet them."""
DEAL_OVERLAP_WINDOW_US: Final = 2_000_000
"""Time after the start of a hand during which the pot of the last hand may still arrive, in microseconds. Chips that
certainly arrived later are not the last pot."""
MIN_POT_SHARE: Final = 0.7
"""Minimum share of the last pot's chips that must be read to recognize the pot. A pot is pushed as a whole, but the
reader may miss some of its chips."""
MIN_POT_CHIPS: Final = 3
"""Minimum number of chips that can be a pot, such as two blinds and a bet."""


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    if facts.hand is None:
        return None
    last_absent_us = motion_start(facts.event, facts.unsettled).last_absent_us
    if not _is_last_pot(live, facts.seat, facts.new_chips, facts.event.at_us, last_absent_us):
        return None
    return Verdict("last-pot" if facts.seat == facts.hand.turn else "left")


def _explain_tall(live: Live, facts: SpotFacts) -> Verdict | None:
    event, spot, hand = facts.event, facts.spot, facts.hand
    if not event.at_least or event.unknown_tags or hand is None or spot.accounted is None:
        return None
    moved_chips = [
        chip
        for chip in facts.new_chips
        if (location := live.chip_locations.get(chip.uid)) is not None and not _is_still_there(location)
    ]
    if not moved_chips or len(moved_chips) < MIN_POT_SHARE * len(facts.new_chips):
        return None
    if is_pot_awarded(live.table):
        return Verdict("left") if len(moved_chips) >= MIN_POT_CHIPS else None
    is_rest_of_pot = bool(spot.ignored) and _are_of_last_pot(live, moved_chips, event.at_us)
    if "open" not in facts.evidence or not (is_rest_of_pot or _is_last_pot(live, facts.seat, moved_chips, event.at_us)):
        return None
    return Verdict("last-pot" if facts.seat == hand.turn else "left")


def _is_last_pot(live: Live, seat: int, new_chips: list[Chip], at_us: int, last_absent_us: int = 0) -> bool:
    """Return True if the new chips are a pot that the dealer pushes over the seat's spot.

    The pot may include chips that the seat itself has bet. There are two cases:

    - All chips were swept from bet spots in an earlier betting round of this hand.
    - The chips are at least 70 percent of the last pot. Its hand ended at most 15 seconds ago, and the seat has not
      acted in this hand. The chips may have arrived within the first 2 seconds of this hand.

    Return False for fewer than three chips, for an exact call, and if a chip is still recorded on another spot.
    `last_absent_us` is the time of the last reading without the new chips.

    Example: the last pot had 12 chips, and its hand ended 4 seconds ago. Nine chips arrive on the winner's spot.
    """
    located_chips = [(chip, live.chip_locations.get(chip.uid)) for chip in new_chips]
    locations = [location for _, location in located_chips if location is not None and not _is_still_there(location)]
    unknown_value = total_value(chip for chip, location in located_chips if location is None)
    missing_post = max(0, live.table.street.spot_totals[seat] - amount_accounted(live, seat))
    if len(locations) < MIN_POT_CHIPS or any(
        location is not None and _is_still_there(location) for _, location in located_chips
    ):
        return False
    if unknown_value > missing_post or is_exact_call(live, seat, new_chips):
        return False
    if live.table.hand is None or all(location.spot == BET_SPOTS[seat - 1] for location in locations):
        return False
    hand, round_number = live.table.hands_started, live.table.hand.round_number
    if all(
        location.spot in SEAT_OF_SPOT and location.hand == hand and location.round < round_number
        for location in locations
    ):
        return True
    has_acted = any(act.seat == seat for act in live.table.hand.action_log)
    if (
        has_acted
        or not live.times.hand_ended_us
        or has_elapsed(live.times.hand_ended_us, at_us, POT_PUSH_WINDOW_US)
        or last_absent_us > live.times.hand_began_us + DEAL_OVERLAP_WINDOW_US
    ):
        return False
    are_all_from_pot = all(location.hand == hand - 1 or _was_in_pot(location, at_us) for location in locations)
    return are_all_from_pot and len(locations) >= MIN_POT_SHARE * _pot_chip_count(live, hand - 1)


def _was_in_pot(location: ChipLocation, at_us: int) -> bool:
    """Return True if the chip is in the pot, or left the pot within `POT_PUSH_WINDOW_US`.

    If the chip left the pot earlier, the winner has already stacked it.
    """
    return location.spot == POT and (
        location.is_present or not has_elapsed(location.gone_us, at_us, POT_PUSH_WINDOW_US)
    )


def _are_of_last_pot(live: Live, chips: list[Chip], at_us: int) -> bool:
    """Return True if all these chips were in the last hand's pot a moment ago."""
    are_from_last_hand = all(live.chip_locations[chip.uid].hand == live.table.hands_started - 1 for chip in chips)
    return (
        are_from_last_hand
        and live.times.hand_ended_us > 0
        and not has_elapsed(live.times.hand_ended_us, at_us, POT_PUSH_WINDOW_US)
    )


def _is_still_there(location: ChipLocation) -> bool:
    """Return True if the chip should still be on the spot on which it was last seen.

    Return False for a chip that was last seen in the pot, because the pot antenna is read more slowly. Such a chip may
    have left the pot without a reading of the pot.
    """
    return location.is_present and location.spot != POT


def _pot_chip_count(live: Live, hand: int) -> int:
    """Return the number of chips that left this hand's pot and were not read at a bet spot or the tray since."""
    return sum(location.hand == hand and not _is_still_there(location) for location in live.chip_locations.values())


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    return waiting.question("last-pot", waiting.added, "nothing", "bet") if is_betting(live.table) else None


LAST_POT: Final = Hypothesis(frozenset({"unexpected", "known-chips"}), _explain, "last-pot", _question)
TALL_POT: Final = Hypothesis(frozenset({"doubtful", "known-chips"}), _explain_tall)
