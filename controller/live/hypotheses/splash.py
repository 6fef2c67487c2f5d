"""Hypothesis: one bet fell on two neighbouring spots.

The chips on both spots wait. The dealer is asked for one bet of all chips, or two separate bets.

Example: seat 3 is in turn. Chips for 50 arrive on spot 3, and 0.2 seconds later chips for 50 on spot 4. Either seat 3
bets 100 and the chips slid apart, or seat 4 acted as well.

Source: rulings.md, "When" and "A dealer is a person".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller.live.derived_state import (
    amount_accounted,
    amount_on_spot,
    is_betting,
    is_exact_call,
    is_pending_for,
    pending_seats_for,
    spot_of,
    total_value,
    uncounted_chips,
)
from controller.live.hypotheses.hypothesis import ChipQuestion, Hypothesis, Verdict, WaitingChips
from controller.live.hypotheses.spot_facts import SpotFacts, motion_start
from controller.live.state import Live, MotionStart
from controller.steps import observations
from controller.table import balances
from hardware.events import Chip
from hardware.spots import BET_SPOTS

SPLASH_WINDOW_US: Final = 600_000
"""Maximum time between the first readings of chips on two spots if both may be one bet, in microseconds. The limit is
0.6 seconds, because the next player cannot react to a bet faster."""
MAX_SPLASH_GAP_US: Final = 150_000
"""Maximum proven time between the arrivals of chips on two spots if both may be one bet, in microseconds. A time is
proven if one spot shows chips and a later reading of the other spot still shows no new chips. A hand that drops chips
reaches both spots within twice this time."""


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    start = motion_start(facts.event, facts.unsettled)
    return Verdict("splash") if _is_splash(live, facts.seat, start, facts.new_chips) else None


def _is_splash(live: Live, seat: int, start: MotionStart | None, new_chips: Sequence[Chip] = ()) -> bool:
    """Return True if a player may have put the chips on this spot and a neighbouring spot with one movement.

    All of these must be true:

    - One of the two seats is in turn.
    - The chips on both spots do not count yet.
    - The chips on both spots arrived within `SPLASH_WINDOW_US` of each other, or rolled from one to the other. Skip the
      test of the time if `start`, the arrival of this seat's chips, is None.
    - The amounts allow a single bet (see `_are_two_motions`).
    - No later seat has called the larger amount (see `_is_called`).
    """
    hand = live.table.hand
    return hand is not None and any(
        hand.turn in (seat, other)
        and (_have_rolled(live, other, seat, new_chips) or _arrived_together(live, other, seat, start))
        and not _is_called(live, seat, other)
        and not _are_two_motions(live, seat, other)
        for other in (seat - 1, seat + 1)
        if 1 <= other <= len(BET_SPOTS)
    )


def _are_two_motions(live: Live, seat: int, other: int) -> bool:
    """Return True if the amounts prove that the chips on the two spots are not one bet.

    Either the seat in turn has fewer chips than both spots together, or the other seat has put in its whole stack.
    Example: seat 3 has 80 left in its stack, and the chips on the two spots are worth 100.
    """
    hand, table = live.table.hand, live.table
    later_seat = other if hand is not None and hand.turn == seat else seat
    seat_in_turn = other if later_seat == seat else seat
    later_amount = uncounted_chips(live, later_seat).amount
    total = uncounted_chips(live, seat_in_turn).amount + later_amount
    exceeds_stack = (
        seat_in_turn in table.players
        and not balances.is_stack_unknown(table, seat_in_turn)
        and total > balances.stack_behind(table, seat_in_turn)
    )
    is_all_in = (
        later_seat in table.players
        and not balances.is_stack_unknown(table, later_seat)
        and later_amount == balances.stack_behind(table, later_seat)
    )
    return later_amount > 0 and (exceeds_stack or is_all_in)


def _is_called(live: Live, seat: int, other: int) -> bool:
    """Return True if a later seat put in exactly the larger of the amounts on the two spots.

    The later seat called the larger amount, so the two amounts are two separate bets. Example: chips for 20 and 60
    arrive on two spots, and chips for 60 on a third spot.
    """
    larger = max(amount_on_spot(live, seat), amount_on_spot(live, other))
    deferred = pending_seats_for(live, "deferred")
    return any(amount_on_spot(live, third) == larger for third in deferred if third not in (seat, other))


def _arrived_together(live: Live, seat: int, neighbour: int, own_start: MotionStart | None) -> bool:
    """Return True if the chips on this spot arrived together with the chips on the neighbouring spot.

    Return False in these cases:

    - The table expects the chips, such as a blind.
    - All of the chips have weak tags, so that they may have been there before.
    - Both amounts are exact calls.
    """
    if is_pending_for(live, seat, "splash"):
        return True
    name = BET_SPOTS[seat - 1]
    reading = live.reader.unsettled.get(name) or live.reader.vanished.get(name)
    expected_total = live.table.street.spot_totals[seat] + balances.owed(live.table, seat)
    if reading is None or total_value(reading.stack) <= max(amount_accounted(live, seat), expected_total):
        return False
    if {chip.uid for chip in set(reading.stack) - set(spot_of(live, seat).accounted or ())} <= set(
        reading.weak_tags
    ):  # These chips were there before. Their weak tags answer only now.
        return False
    if own_start is None:
        return True
    apart_us = max(
        own_start.last_absent_us - reading.first_seen_us,
        (reading.last_absent_us or reading.first_seen_us - SPLASH_WINDOW_US) - own_start.first_seen_us,
    )
    if all(
        is_exact_call(live, one_seat, _unaccounted_chips(live, one_seat)) for one_seat in (seat, neighbour)
    ):  # A raise that falls on two spots is unlikely to give two exact calls.
        return False
    return abs(reading.first_seen_us - own_start.first_seen_us) <= SPLASH_WINDOW_US and apart_us <= MAX_SPLASH_GAP_US


def _have_rolled(live: Live, seat: int, neighbour: int, new_chips: Sequence[Chip]) -> bool:
    """Return True if chips on one of the two spots were seen on the other one before, and did not count there.

    Only readings of this movement count. `new_chips` are those of a settled stack at one of the spots. Example: eight
    chips are seen on spot 3, and 0.4 s later four of them on spot 4.
    """
    seen, spots = live.reader.first_seen_us, (BET_SPOTS[seat - 1], BET_SPOTS[neighbour - 1])
    gone = [chip for name in spots if name in live.reader.vanished for chip in live.reader.vanished[name].stack]
    chips = {*new_chips, *_unaccounted_chips(live, seat), *_unaccounted_chips(live, neighbour)}
    times = (seen.get(spots[0], {}), seen.get(spots[1], {}))
    return not chips.isdisjoint(gone) or any(chip.uid in times[0] and chip.uid in times[1] for chip in chips)


def _unaccounted_chips(live: Live, seat: int) -> list[Chip]:
    """Return the chips seen on the seat's spot that no recorded step explains."""
    name = BET_SPOTS[seat - 1]
    reading, spot = live.reader.unsettled.get(name), spot_of(live, seat)
    stack = reading.stack if reading is not None else spot.on_spot or ()
    return [chip for chip in stack if chip not in set(spot.accounted or ())]


# --- chips that wait ---


def splash_seats(live: Live) -> tuple[int, ...]:
    """Return the seats whose chips wait because they may be one bet, longest wait first."""
    return pending_seats_for(live, "splash")


def _question(live: Live, waiting: WaitingChips) -> ChipQuestion | None:
    """Return the question about both spots for the seat that has bet.

    This is the seat in turn if the bet fell on its spot, also if all of its chips rolled away. Otherwise it is the seat
    that has waited longest.
    """
    hand, seats, seat = live.table.hand, splash_seats(live), waiting.seat
    if not is_betting(live.table) or seat != (hand.turn if hand is not None and hand.turn in seats else seats[0]):
        return None
    total = sum(uncounted_chips(live, other).amount for other in seats)
    seat = next((other for other in seats_rolled_away(live) if hand is not None and other == hand.turn), seat)
    one_bet = observations.ExplainsChips(seat, "bet", total)
    return ChipQuestion(seat, "splash", total, (one_bet, observations.ExplainsChips(seat, "bet")))


def seats_rolled_away(live: Live) -> tuple[int, ...]:
    """Return the seats whose chips left before they came to rest, and wait on a neighbouring spot as a splash."""
    waiting = {chip for seat in splash_seats(live) for chip in _unaccounted_chips(live, seat)}
    gone = ((seat, live.reader.vanished.get(name)) for seat, name in enumerate(BET_SPOTS, 1))
    return tuple(seat for seat, reading in gone if reading is not None and waiting.intersection(reading.stack))


def _is_wait_over(live: Live, seat: int) -> bool:
    """Return True if the chips on the two spots no longer look like one bet."""
    return not _is_splash(live, seat, None)


SPLASH: Final = Hypothesis(frozenset({"unexpected", "neighbour-moves"}), _explain, "splash", _question, _is_wait_over)
