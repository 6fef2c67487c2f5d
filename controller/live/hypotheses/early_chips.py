"""Hypotheses about chips that later seats put in before the seat in turn has acted.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.derived_state import amount_accounted, is_pending_for, spot_of, total_value, uncounted_chips
from controller.live.hypotheses.arrival_order import motion_start
from controller.live.hypotheses.non_bet_chips import DEALING_WINDOW_US, may_be_card_protector
from controller.live.state import Live, MotionStart
from controller.rules import NO_SEATS, Hand
from controller.table import (
    HeldOutOfTurn,
    balances,
)
from hardware.events import Chip, StackSettled
from hardware.spots import BET_SPOTS


def seats_with_early_chips(live: Live) -> tuple[int, ...]:
    """Return the later seats with new chips that do not count yet.

    Report the chips as soon as they are seen, even if they turn out not to be a bet. Report a single chip that may
    protect cards only when the dealer is asked about it. Return an empty tuple if no seat is in turn.
    """
    hand = live.table.hand
    if hand is None or not hand.turn:
        return ()
    later_seats = [seat for seat in hand.live_seats if seat not in hand.all_in and seat != hand.turn]
    return tuple(
        seat
        for seat in later_seats
        if _may_act(live, hand, seat) and (_has_visible_chips(live, seat) or _has_pending_chips(live, seat))
    )


def _may_act(live: Live, hand: Hand, seat: int) -> bool:
    """Return True if the seat must act, or may have to act again because another seat may have raised.

    The possible raise was made out of turn, or is visible as chips on the spot of the seat in turn.
    """
    held_by_others = [other for holder, other in live.table.street.held_actions.items() if holder != seat]
    is_raise_held = any(
        isinstance(other, HeldOutOfTurn) and other.wager_total > hand.bets[seat] for other in held_by_others
    )
    turn_reading = live.unsettled.get(BET_SPOTS[hand.turn - 1])
    return (
        seat in hand.seats_to_act
        or is_raise_held
        or (turn_reading is not None and total_value(turn_reading.stack) > hand.current_bet)
    )


def _has_visible_chips(live: Live, seat: int) -> bool:
    """Return True if new chips are seen on the seat's spot.

    A chip with a weak tag may have been there before. It counts as new only if all expected chips, such as a blind, are
    read.
    """
    reading, spot = live.unsettled.get(BET_SPOTS[seat - 1]), spot_of(live, seat)
    if reading is None:
        return False
    new_chips = [chip for chip in set(reading.stack) - set(spot.on_spot or ()) if chip.uid not in reading.weak_tags]
    if not new_chips and not 0 < _expected(live, seat) <= total_value(spot.on_spot or ()):
        return False
    if may_be_card_protector(live, seat, reading.stack, reading.first_seen_us):
        return False
    return total_value(reading.stack) > _expected(live, seat) or (
        bool(spot.ignored) and _exceeds_post(live, seat, new_chips)
    )


def _exceeds_post(live: Live, seat: int, new_chips: list[Chip]) -> bool:
    """Return True if new chips on a spot with ignored chips are worth more than the seat must post.

    Compare only the new chips, because the ignored chips may be read only in part. Leave out chips that were bet in the
    last hand, because they may be ignored chips that were not read before.
    """
    locations, spot = live.chip_locations, spot_of(live, seat)
    new_value = total_value(
        chip
        for chip in new_chips
        if chip.uid not in locations or locations[chip.uid].hand < live.table.hands_started - 1
    )
    amount_to_post = live.table.street.spot_totals[seat] + balances.owed(live.table, seat)
    return new_value > max(
        0, amount_to_post - total_value(chip for chip in spot.on_spot or () if chip.uid not in spot.ignored)
    )


def _has_pending_chips(live: Live, seat: int) -> bool:
    """Return True if the seat has unexplained chips that may be a bet."""
    if spot_of(live, seat).pending is None:
        return False
    return _is_deferred(live, seat) or uncounted_chips(live, seat).amount > 0


def _is_deferred(live: Live, seat: int) -> bool:
    """Return True if the seat has acted with chips that cannot count before the chips of earlier seats."""
    return is_pending_for(live, seat, "deferred") and total_value(spot_of(live, seat).on_spot or ()) > _expected(
        live, seat
    )


def _expected(live: Live, seat: int) -> int:
    """Return the highest value that may be on the spot without an action of the seat.

    The result is the larger of two values. One value is that of the chips that recorded steps explain. The other is the
    sum of the ignored chips, the recorded total and the amount owed.
    """
    spot = spot_of(live, seat)
    ignored_value = total_value(chip for chip in spot.on_spot or () if chip.uid in spot.ignored)
    return max(
        amount_accounted(live, seat),
        ignored_value + live.table.street.spot_totals[seat] + balances.owed(live.table, seat),
    )


def first_arrival(live: Live, seat: int, event: StackSettled) -> MotionStart:
    """Return the time at which the first unexplained chip arrived on the spot.

    Chips that followed later do not change the result.
    """
    start = motion_start(event, live.unsettled.get(event.spot))
    new_chips, first_seen_us = (
        set(event.stack) - set(spot_of(live, seat).accounted or ()),
        live.first_seen_us.get(event.spot, {}),
    )
    first_us = min(
        (first_seen_us.get(chip.uid, start.first_seen_us) for chip in new_chips), default=start.first_seen_us
    )
    return MotionStart(min(start.last_absent_us, first_us), min(start.first_seen_us, first_us))


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


def has_early_chips(live: Live, seat: int) -> bool:
    """Return True if this later seat has chips that still move, or chips that wait for chips of earlier seats."""
    return has_unsettled_chips(live, seat, include_late=True) or _is_deferred(live, seat)


def _was_certainly_present(live: Live, seat: int, at_us: int) -> bool:
    """Return True if new chips of the seat were certainly on its spot at `at_us`.

    Leave out the following chips:

    - a blind that the seat had to post,
    - chips with weak tags, because the antenna may have missed them earlier,
    - a single chip that arrived with the cards, because it protects them,
    - chips that began to arrive before the hand, because they belong to the last hand.
    """
    hand, spot, first_seen_us = live.table.hand, spot_of(live, seat), live.first_seen_us.get(BET_SPOTS[seat - 1], {})
    reading = live.unsettled.get(BET_SPOTS[seat - 1])
    known_chips = set(spot.on_spot or () if reading is not None else spot.accounted or ())
    new_chips = [
        chip for chip in (reading.stack if reading is not None else spot.on_spot or ()) if chip not in known_chips
    ]
    weak_tags = reading.weak_tags if reading is not None else ()
    reported_us = min((first_seen_us.get(chip.uid, spot.changed_us) for chip in new_chips), default=spot.changed_us)
    began_us = reading.first_seen_us if reading is not None else reported_us
    if began_us < live.hand_began_us:
        return False
    dealing_over_us = live.hand_began_us + DEALING_WINDOW_US if hand is not None and hand.round_number == 1 else 0
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


def has_unsettled_chips(live: Live, seat: int, *, include_late: bool = False) -> bool:
    """Return True while the seat has chips that still move and do not count yet.

    With `include_late`, include chips that have moved for longer than a player needs to put chips in.
    """
    reading = live.unsettled.get(BET_SPOTS[seat - 1])
    if reading is None or (reading.is_late and not include_late) or reading.unknown_tags:
        return False
    return total_value(reading.stack) > _expected(live, seat)
