"""Choice of the hypothesis that explains a settled stack of a bet spot.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from controller.live.derived_state import (
    amount_accounted,
    bets_possibly_answered,
    has_uncertain_chips,
    has_unresolved_doubt,
    is_betting,
    is_exact_call,
    is_pending_for,
    is_pot_awarded,
    owes_chips,
    seats_to_act,
    spot_of,
    total_value,
)
from controller.live.hypotheses.arrival_order import is_behind_unsettled_turn, is_splash, motion_start
from controller.live.hypotheses.early_chips import first_arrival, seats_with_earlier_chips
from controller.live.hypotheses.last_pot import is_from_neighbour, is_last_pot, last_pot_disposition
from controller.live.hypotheses.non_bet_chips import is_own_stack
from controller.live.hypotheses.removed_chips import is_making_change, is_other_seat_swept, is_taking_own_change
from controller.live.state import Live
from controller.steps import observations
from controller.table import balances
from hardware.events import StackSettled


def classify_reading(live: Live, seat: int, event: StackSettled) -> observations.Disposition | None:
    """Return the decision about the chips of a settled stack, or None if they count as a bet.

    The decision is a `Disposition`, such as "doubt". The first rule that applies decides:

    - The reader is not certain of the stack. Return "doubt", unless the stack is probably the last pot.
    - The setup of the table does not tolerate delays. Return None.
    - The betting is closed and the seat owes chips. Return None, or "lies" (explained) if chips left during a sweep.
    - The betting is closed and new chips arrived. Return "between", or "left" after the first award of a pot.
    - The betting is closed and chips left. Return "lies", or None if the seat took exactly the chips that it must get
      back.
    - The betting is open, and the spot with a counted bet is empty. Return "change" or "emptied".
    - The betting is open and chips arrived. Return the result of `_classify_new_chips`.
    - The betting is open and counted chips left. Return "covered", "change" or "emptied", or None if the player took
      the chips back.
    """
    if _is_doubtful(live, seat, event):
        return last_pot_disposition(live, seat, event) or "doubt"
    if not live.setup.tolerates_delays:
        return None
    if not is_betting(live.table):
        if owes_chips(live.table, seat):
            has_fewer = total_value(event.stack) < amount_accounted(live, seat)
            return "lies" if has_fewer and is_other_seat_swept(live, seat, event.at_us) else None
        if _is_more(live, seat, event) and not _fills_recorded_bet(live, seat, event):
            return "left" if is_pot_awarded(live.table) else "between"
        return None if is_taking_own_change(live, seat, event) else "lies"
    if not event.stack and event.doubt != "covered" and _may_be_swept(live, seat):
        return "change" if is_making_change(live, seat, event) else "emptied"
    if _is_more(live, seat, event):
        return _classify_new_chips(live, seat, event)
    if total_value(event.stack) < amount_accounted(live, seat) and _may_be_swept(live, seat):
        if event.doubt == "covered":
            return "covered"
        if is_making_change(live, seat, event):
            return "change"
        return "emptied" if is_other_seat_swept(live, seat, event.at_us) else None
    return None


def _is_doubtful(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the reader is not certain of the stack.

    An unknown tag makes new chips doubtful, because it may be a chip of another house. There are two exceptions:

    - The unknown tag was on the spot before the chips, so it protects the cards.
    - The new chips are exactly the amount that the seat owes or must call. Example: with 10 to call, chips of 5 and 5
      and an unknown tag are a call.
    """
    spot = spot_of(live, seat)
    if event.at_least and spot.ignored and set(event.stack) <= set(spot.on_spot or ()):
        return is_pending_for(live, seat, "doubt")
    if event.at_least and not event.unknown_tags:
        return not _is_expected_amount(live, seat, event)
    if event.at_least or not event.unknown_tags:
        return event.at_least
    if spot.on_spot is None or set(event.stack) <= set(spot.on_spot) or has_unresolved_doubt(live, seat):
        return True
    new_chips = [chip for chip in event.stack if chip not in set(spot.on_spot)]
    if total_value(new_chips) == balances.owed(live.table, seat) or (
        seat in seats_to_act(live) and is_exact_call(live, seat, new_chips)
    ):
        return False
    reading = live.unsettled.get(event.spot)
    return not set(event.unknown_tags) <= {
        *spot.unknown_tags,
        *(reading.initial_unknown_tags if reading is not None else ()),
    }


def _is_expected_amount(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the value of the chips read is an amount that the table expects from the seat.

    Such an amount is the chips that the seat owes, the amount of a call, or all chips that the seat has left. The
    reading then counts as complete, because an expected amount with unread chips would be a rare coincidence. Example:
    a seat has 385 left, and the reader shows 385, perhaps with unread chips. The seat is all-in.
    """
    spot, table = spot_of(live, seat), live.table
    if spot.accounted is None or seat not in table.players or not live.setup.tolerates_delays:
        return False
    new_chips = [chip for chip in event.stack if chip not in set(spot.accounted) and chip.uid not in spot.ignored]
    if not new_chips or not set(spot.accounted) <= set(event.stack):
        return False
    is_all_in = not balances.is_stack_unknown(table, seat) and total_value(new_chips) == balances.stack_behind(
        table, seat
    )
    is_owed = total_value(new_chips) == balances.owed(table, seat)
    return is_owed or (seat in seats_to_act(live) and (is_all_in or is_exact_call(live, seat, new_chips)))


def _classify_new_chips(live: Live, seat: int, event: StackSettled) -> observations.Disposition | None:
    """Return the decision about new chips on a spot while the betting is open, or None if they count.

    The decision is a `Disposition`, such as "left" for chips that are ignored. The first rule that applies decides:

    - The table expects the chips, such as a blind. Return None. If the chips may also answer a later seat's bet out of
      turn, return "deferred".
    - The chips may be part of one bet that fell on this spot and the next spot. Return "splash".
    - The seat has folded or was not dealt in. Return "folded-seat".
    - One of the tags also answers on another spot. Return "copied".
    - The chips are a pot that the dealer has pushed to the seat. Return "last-pot" if the seat is in turn, otherwise
      "left".
    - The chips were on other bet spots in this betting round. Return "change".
    - The chips are probably the player's own stack, or protect the cards. Return "own-stack".
    - The chips cannot be explained before chips or answers of other seats arrive. Return "deferred".
    - In all other cases the chips are a bet. Return None.
    """
    hand, spot = live.table.hand, spot_of(live, seat)
    is_expected = total_value(event.stack) <= live.table.street.spot_totals[seat] or owes_chips(live.table, seat)
    if hand is None or spot.accounted is None or is_expected:
        return "deferred" if bets_possibly_answered(live, seat) else None
    new_chips, own_reading = (
        [chip for chip in event.stack if chip not in set(spot.accounted)],
        live.unsettled.get(event.spot),
    )
    if is_splash(live, seat, motion_start(event, own_reading)):
        return "splash"
    if seat in hand.folded or seat not in hand.dealt_seats:
        return "folded-seat"
    if event.doubt == "copied":
        return "copied"
    if is_last_pot(live, seat, new_chips, event.at_us, motion_start(event, own_reading).last_absent_us):
        return "last-pot" if seat == hand.turn else "left"
    if is_from_neighbour(live, seat, new_chips):
        return "change"
    if is_own_stack(live, seat, new_chips, event):
        return "own-stack"
    arrival = first_arrival(live, seat, event)
    must_wait = (
        bets_possibly_answered(live, seat)
        or is_behind_unsettled_turn(live, seat, arrival.first_seen_us)
        or seats_with_earlier_chips(live, seat, arrival)
    )
    return "deferred" if must_wait else None


def _is_more(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the value of the chips on the spot has grown.

    The earlier value is that of the explained chips. Use the recorded total instead if it is higher and one of these is
    true:

    - The sensor was offline, the reading was doubtful, or the program failed. The dealer then entered the bet with
      keys.
    - The recorded chips may not be on the spot yet, because a step was undone or the floor set the bet.
    """
    value_before, spot = amount_accounted(live, seat), spot_of(live, seat)
    if spot.was_offline or spot.program_error or seat in live.awaiting_chips or has_uncertain_chips(live, seat):
        value_before = max(value_before, live.table.street.spot_totals[seat])
    return total_value(event.stack) > value_before


def _fills_recorded_bet(live: Live, seat: int, event: StackSettled) -> bool:
    """Return True if the new chips only complete a bet that is already recorded.

    The earlier chips of the bet must still be on the spot. Example: the dealer entered a raise to 60, and chips for 40
    were read. The other 20 arrive from a neighbour's spot.
    """
    accounted = set(spot_of(live, seat).accounted or ())
    return (
        bool(accounted)
        and accounted <= set(event.stack)
        and total_value(event.stack) <= live.table.street.spot_totals[seat]
    )


def _may_be_swept(live: Live, seat: int) -> bool:
    """Return True if a sweep may take the chips on the spot.

    The chips must be a recorded bet or an action out of turn. Return False for a blind that is recorded but not on the
    spot yet.
    """
    spot_total, had_chips = (
        live.table.street.spot_totals[seat],
        amount_accounted(live, seat) > 0 or spot_of(live, seat).was_offline,
    )
    is_counted = balances.counted_bet(live.table, seat) > 0 or seat in live.table.street.held_actions
    return had_chips and is_counted and spot_total > 0 and spot_total >= amount_accounted(live, seat)
