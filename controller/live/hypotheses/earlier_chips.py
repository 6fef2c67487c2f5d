"""Hypothesis: the chips cannot be explained before earlier chips or answers of other seats.

The chips wait ("deferred") until the earlier chips have settled and the dealer has answered. One of these must be true:

- The seat's chips may answer a bet that a later seat has made out of turn.
- The seat in turn has earlier chips that are still moving or in doubt.
- Later seats certainly put in chips before this seat did, and these chips are still moving.

Example: seat 3 is in turn, and its chips are still moving. Chips for 40 arrive at seat 4. The 40 are a call if seat 3
bets 40, and a bet if seat 3 checks.

Source: rulings.md, "When" and "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import (
    bets_possibly_answered,
    has_unresolved_doubt,
    is_pending_for,
    spot_of,
    total_value,
)
from controller.live.hypotheses.card_protector import DEALING_WINDOW_US
from controller.live.hypotheses.early_seats import has_early_chips, has_unsettled_chips
from controller.live.hypotheses.hypothesis import Hypothesis, Verdict
from controller.live.hypotheses.spot_facts import SpotFacts
from controller.live.state import Live, MotionStart
from controller.rules import NO_SEATS
from hardware.spots import BET_SPOTS


def _explain(live: Live, facts: SpotFacts) -> Verdict | None:
    must_wait = bool(bets_possibly_answered(live, facts.seat)) or (
        "unexpected" in facts.evidence
        and (
            _is_behind_unsettled_turn(live, facts.seat, facts.arrival.first_seen_us)
            or bool(seats_with_earlier_chips(live, facts.seat, facts.arrival))
        )
    )
    if not must_wait:
        return None
    return Verdict("deferred", earlier_seats=seats_with_earlier_chips(live, facts.seat, facts.arrival))


def _is_behind_unsettled_turn(live: Live, seat: int, since_us: int) -> bool:
    """Return True if the seat in turn has earlier chips that are still moving or in doubt.

    The chips of this seat must then wait, because their meaning depends on the earlier chips. If this seat has already
    acted, it must wait only for a raise. Example: seat 3 is in turn, and its chips are still moving. Chips for 40
    arrive at seat 4. The 40 are a call if seat 3 bets 40, and a bet if seat 3 checks.
    """
    hand = live.table.hand
    if hand is None or hand.turn in (0, seat) or seat not in hand.live_seats or seat in hand.all_in:
        return False
    reading, has_to_act = live.reader.unsettled.get(BET_SPOTS[hand.turn - 1]), seat in hand.seats_to_act
    if reading is not None and reading.first_seen_us < since_us:
        return total_value(reading.stack) > (
            live.table.street.spot_totals[hand.turn] if has_to_act else hand.current_bet
        )
    return has_to_act and (has_unresolved_doubt(live, hand.turn) or is_pending_for(live, hand.turn, "splash"))


def seats_with_earlier_chips(live: Live, seat: int, start: MotionStart) -> frozenset[int]:
    """Return the later seats that certainly put in chips before the seat in turn did.

    The order is certain if two readings prove it. First, chips are read on the spot of the later seat. After that, the
    spot of the seat in turn is read without new chips. A later key cannot change that the later seat acted out of turn.

    Example: seat 3 is in turn. Chips are read on spot 5 at 10.0 s. Spot 3 is read empty at 10.2 s, and with chips at
    10.4 s. Seat 5 acted out of turn.
    """
    hand = live.table.hand
    if hand is None or hand.turn != seat:
        return NO_SEATS
    early_seats = (other for other in hand.seats_to_act if other != seat and has_early_chips(live, other))
    return frozenset(other for other in early_seats if _was_certainly_present(live, other, start.last_absent_us))


def _was_certainly_present(live: Live, seat: int, at_us: int) -> bool:
    """Return True if new chips of the seat were certainly on its spot at `at_us`.

    Leave out the following chips:

    - a blind that the seat had to post,
    - chips with weak tags, because the antenna may have missed them earlier,
    - a single chip that arrived with the cards, because it protects them,
    - chips that began to arrive before the hand, because they belong to the last hand.
    """
    hand, spot, first_seen_us = (
        live.table.hand,
        spot_of(live, seat),
        live.reader.first_seen_us.get(BET_SPOTS[seat - 1], {}),
    )
    reading = live.reader.unsettled.get(BET_SPOTS[seat - 1])
    known_chips = set(spot.on_spot or () if reading is not None else spot.accounted or ())
    new_chips = [
        chip for chip in (reading.stack if reading is not None else spot.on_spot or ()) if chip not in known_chips
    ]
    weak_tags = reading.weak_tags if reading is not None else ()
    reported_us = min((first_seen_us.get(chip.uid, spot.changed_us) for chip in new_chips), default=spot.changed_us)
    began_us = reading.first_seen_us if reading is not None else reported_us
    if began_us < live.times.hand_began_us:
        return False
    dealing_over_us = live.times.hand_began_us + DEALING_WINDOW_US if hand is not None and hand.round_number == 1 else 0
    if began_us >= dealing_over_us and {chip.uid for chip in new_chips}.isdisjoint(weak_tags):
        return began_us <= at_us
    arrivals = ((chip, first_seen_us.get(chip.uid, began_us)) for chip in new_chips if chip.uid not in weak_tags)
    present = {chip: arrived_us for chip, arrived_us in arrivals if arrived_us <= at_us}
    protector_value = max(
        (chip.denomination for chip, arrived_us in present.items() if arrived_us < dealing_over_us), default=0
    )
    bet_value = total_value(chip for chip in known_chips if chip.uid not in spot.ignored)
    blind = max(0, live.table.street.spot_totals[seat] - bet_value) if dealing_over_us else 0
    return total_value(present) > protector_value + blind


# --- chips that wait ---


def earlier_seats(live: Live, seat: int) -> frozenset[int]:
    """Return the later seats that put in chips before this seat did, if this seat is in turn.

    Otherwise return an empty set, because this seat has acted and the later seats may be in turn by then.
    """
    in_turn = live.table.hand is not None and live.table.hand.turn == seat
    return live.reader.earlier_seats.get(seat, NO_SEATS) if in_turn else NO_SEATS


def _is_wait_over(live: Live, seat: int) -> bool:
    """Return True if no earlier chips are moving, and the chips answer no bet out of turn."""
    pending = spot_of(live, seat).pending
    if pending is not None and _is_behind_unsettled_turn(live, seat, pending.since_us):
        return False
    are_others_moving = any(has_unsettled_chips(live, other) for other in earlier_seats(live, seat))
    return not are_others_moving and not bets_possibly_answered(live, seat)


EARLIER_CHIPS: Final = Hypothesis(
    frozenset({"open", "more", "others-wait"}), _explain, "deferred", is_wait_over=_is_wait_over
)
