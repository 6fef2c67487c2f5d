"""Later seats that put chips in before the seat in turn has acted.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.derived_state import (
    amount_accounted,
    is_pending_for,
    spot_of,
    total_value,
    uncounted_chips,
)
from controller.live.hypotheses.card_protector import may_be_card_protector
from controller.live.state import Live
from controller.rules import Hand
from controller.table import HeldOutOfTurn, balances
from hardware.events import Chip
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
        if _may_act(live, hand, seat) and (_has_visible_chips(live, seat) or _has_waiting_bet(live, seat))
    )


def _may_act(live: Live, hand: Hand, seat: int) -> bool:
    """Return True if the seat must act, or may have to act again because another seat may have raised.

    The possible raise was made out of turn, or is visible as chips on the spot of the seat in turn.
    """
    held_by_others = [other for holder, other in live.table.street.held_actions.items() if holder != seat]
    is_raise_held = any(
        isinstance(other, HeldOutOfTurn) and other.wager_total > hand.bets[seat] for other in held_by_others
    )
    turn_reading = live.reader.unsettled.get(BET_SPOTS[hand.turn - 1])
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
    reading = live.reader.unsettled.get(BET_SPOTS[seat - 1])
    if reading is None:
        return False
    spot = spot_of(live, seat)
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


def _has_waiting_bet(live: Live, seat: int) -> bool:
    """Return True if chips of the seat wait for an explanation and may be a bet."""
    spot = live.spots.get(BET_SPOTS[seat - 1])
    is_waiting = spot is not None and spot.pending is not None
    return is_waiting and (_is_deferred(live, seat) or uncounted_chips(live, seat).amount > 0)


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


def has_early_chips(live: Live, seat: int) -> bool:
    """Return True if this later seat has chips that still move, or chips that wait for chips of earlier seats."""
    return has_unsettled_chips(live, seat, include_late=True) or _is_deferred(live, seat)


def has_unsettled_chips(live: Live, seat: int, *, include_late: bool = False) -> bool:
    """Return True while the seat has chips that still move and do not count yet.

    With `include_late`, include chips that have moved for longer than a player needs to put chips in.
    """
    reading = live.reader.unsettled.get(BET_SPOTS[seat - 1])
    if reading is None or (reading.is_late and not include_late) or reading.unknown_tags:
        return False
    return total_value(reading.stack) > _expected(live, seat)
