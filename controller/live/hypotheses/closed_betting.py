"""Hypothesis: chips moved while nobody could bet.

New chips wait for the next street, because the player has bet too early or the dealer has not dealt yet. After an award
they are ignored. Chips that leave were swept, with two exceptions. The seat may take the chips that it must get back.
If other chips remain, the player has taken back a part of the bet.

Example: the betting of the flop is closed. Chips for 40 arrive on spot 3, and count as a bet when the turn is dealt.
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import (
    is_betting,
    is_pot_awarded,
    owes_chips,
    spot_of,
    total_value,
)
from controller.live.hypotheses.hypothesis import MOTION, ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.motions import chip_values, motion_between, within_chip_limit
from controller.live.state import Live
from controller.rules import Phase
from controller.table import balances
from hardware.spots import BET_SPOTS


def _explain(live: Live, facts: SpotFacts) -> Verdict:
    if owes_chips(live.table, facts.seat):
        is_swept = facts.value < facts.accounted_value and "other-swept" in facts.evidence
        return Verdict("lies") if is_swept else MOTION
    if "more" in facts.evidence and not _fills_recorded_bet(live, facts):
        return Verdict("left" if is_pot_awarded(live.table) else "between")
    return MOTION if _is_own_change(live, facts) or _has_taken_back(live, facts) else Verdict("lies")


def _fills_recorded_bet(live: Live, facts: SpotFacts) -> bool:
    """Return True if the new chips are a part of a bet that is already recorded.

    Either the earlier chips of the bet are still on the spot, or all new chips were there in this betting round.
    Example: the dealer entered a raise to 60, and chips for 40 were read. The other 20 arrive from a neighbour's spot.
    """
    accounted, hand = set(facts.spot.accounted or ()), facts.hand
    if facts.value > facts.recorded_total or hand is None:
        return False
    here = (facts.event.spot, live.table.hands_started, hand.round_number)
    locations = [live.chip_locations.get(chip.uid) for chip in facts.new_chips]
    are_back = all(
        location is not None and (location.spot, location.hand, location.round) == here for location in locations
    )
    return are_back or (bool(accounted) and accounted <= set(facts.event.stack))


def _value_taken(facts: SpotFacts) -> int:
    """Return the value of the chips that left while other chips of the bet remain, or 0 if the dealer sweeps."""
    accounted, present = set(facts.spot.accounted or ()), set(facts.event.stack)
    is_swept = not present or "other-swept" in facts.evidence
    return total_value(accounted - present) if present < accounted and not is_swept else 0


def _is_own_change(live: Live, facts: SpotFacts) -> bool:
    """Return True if the chips that left are exactly the chips that the seat must get back.

    Other chips must remain on the spot. Example: chips for 150 are on the spot, the seat must get back 50, and chips
    for 50 leave. The player took the change.
    """
    taken = _value_taken(facts)
    return live.table.is_hand_in_progress and taken > 0 and taken == balances.due_back(live.table, facts.seat)


def _has_taken_back(live: Live, facts: SpotFacts) -> bool:
    """Return True if the player has taken back a part of a counted bet after the betting was closed.

    Other chips must remain on the spot, because a sweep takes all chips. Return False if another seat must get back
    chips, because the dealer or a player may make change. Example: three players have bet 30 each, and 5 of the 30 of
    one player leave before the dealer sweeps.
    """
    hand = facts.hand
    if hand is None or hand.phase is not Phase.CLOSED or facts.accounted_value != facts.recorded_total:
        return False
    if not facts.evidence.isdisjoint(("weak-tags", "covered")) or not _value_taken(facts):
        return False
    return not any(balances.due_back(live.table, seat) for seat in live.table.players)


# --- chips that wait for the next street ---


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    """Return the question whether chips that arrived while nobody could bet are a bet.

    Return None while the betting is open, because the chips are leaving or the next reading counts them.
    """
    seat, hand = waiting.seat, live.table.hand
    if is_betting(live.table) and not is_pending_from_this_round(live, seat):
        return None
    is_late = (
        not is_betting(live.table)
        and hand is not None
        and seat in hand.live_seats
        and bool(chips_while_closed(live, seat))
    )
    return waiting.question("chips-between-rounds", waiting.added, *(("bet",) if is_late else ()))


def is_pending_from_this_round(live: Live, seat: int) -> bool:
    """Return True if the seat's chips replaced swept chips while this betting round was open.

    Such chips belong to the next betting round, so they do not count in this round.
    """
    pending, hand = spot_of(live, seat).pending, live.table.hand
    return pending is not None and hand is not None and pending.round == hand.round_number


def chips_while_closed(live: Live, seat: int) -> tuple[int, ...]:
    """Return the chips that arrived while nobody could bet.

    Leave out chips that already count as a bet. If a counted chip has left the spot, the bet was swept, and all chips
    on the spot are new. Otherwise the counted chips are still among the chips on the spot.
    """
    spot, hand = spot_of(live, seat), live.table.hand
    accounted = set(spot.accounted or ())
    here = (BET_SPOTS[seat - 1], live.table.hands_started, hand.round_number if hand is not None else 0)
    if any(
        (location.spot, location.hand, location.round) == here and not location.is_present
        for location in live.chip_locations.values()
    ):
        return within_chip_limit(chip_values(tuple(chip for chip in spot.on_spot or () if chip not in accounted)))
    return motion_between(live.table.street.spot_totals[seat], spot._replace(was_offline=False), spot.on_spot or ())[0]


def _is_wait_over(live: Live, seat: int) -> bool:
    """Return True if the next street has been dealt and the chips are still on the spot."""
    return is_betting(live.table) and not is_pending_from_this_round(live, seat) and not _is_leaving(live, seat)


def _is_leaving(live: Live, seat: int) -> bool:
    """Return True if some of the seat's unexplained chips are leaving the spot.

    The next reading shows which chips remain.
    """
    spot, reading = spot_of(live, seat), live.reader.unsettled.get(BET_SPOTS[seat - 1])
    new_chips = set(spot.on_spot or ()) - set(spot.accounted or ())
    return reading is not None and not new_chips <= set(reading.stack)


CLOSED_BETTING: Final = Hypothesis(frozenset({"closed"}), _explain, "between", _question, _is_wait_over)
