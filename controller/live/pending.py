"""Resolution of readings that wait for an explanation, and of chips that have not come to rest yet.

A key, an action of the next seat or a sweep ends the movement of a seat's chips. The chips seen by then are all that
the seat put in. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    SWEEP_WINDOW_US,
    bets_possibly_answered,
    has_elapsed,
    has_unanswered_bet,
    has_unresolved_doubt,
    hears_own_stack,
    is_betting,
    is_pending_for,
    open_raise_seat,
    owes_chips,
    pending_seats_for,
    spot_of,
    swept_seats,
    total_value,
)
from controller.live.hypotheses import (
    WAIT_ENDS,
    earlier_seats,
    has_early_chips,
    is_own_stack_in_motion,
    withdrawn_protector,
)
from controller.live.motions import chip_values, reading_steps, within_chip_limit
from controller.live.silent_chips import may_act
from controller.live.state import Live, UnsettledReading
from controller.live.transition import Transition
from controller.rules import Phase, clockwise_after
from controller.steps import hand_steps, observations
from controller.table import balances
from hardware.chip_set import chips_for
from hardware.spots import BET_SPOTS

LONE_EMPTY_SPOT_DELAY_US: Final = 2_500_000
"""Time after which the chips of a single emptied spot count as taken back, in microseconds. If the dealer had swept the
chips, another spot would be empty by then."""

MAX_READING_DELAY_US: Final = 1_000_000
"""Maximum time in microseconds from the landing of a last bet to its first report, in which a sweep may begin."""


# --- pending readings ---


def apply_resolved_pending(transition: Transition) -> Transition:
    """Count the chips of every waiting reading that can be explained now.

    - "between" (arrived between rounds): the street has been dealt, so that these chips are bets of the new round.
    - "splash" (one bet on two spots): the chips on the two spots no longer look like one bet.
    - "deferred" (waits for other seats): no earlier chips are moving, and the chips answer no bet out of turn.

    Keep the `refusal` of the transition, because it concerns the event and not these readings.
    """
    if not any(spot.pending for spot in transition.live.spots.values()):
        return transition
    refused = transition.refusal
    for reason, is_wait_over in WAIT_ENDS.items():
        for seat in pending_seats_for(transition.live, reason):
            if is_wait_over(transition.live, seat):
                transition = apply_pending(transition, seat)
    return transition._replace(refusal=refused)


def apply_pending(transition: Transition, seat: int) -> Transition:
    """Count the seat's waiting chips as its action now.

    If later seats put in chips before this seat did, record that these later seats acted out of turn. If the chips have
    left since, the dealer has swept them and is not asked about them.
    """
    early_seats = [other for other in earlier_seats(transition.live, seat) if _has_acted_early(transition.live, other)]
    counted = set(spot_of(transition.live, seat).on_spot or ())
    transition = transition.apply("sensor", *reading_steps(transition.live, seat, spot_of(transition.live, seat)))
    gone = transition.live.reader.vanished.get(BET_SPOTS[seat - 1])
    if gone is not None and set(gone.stack) <= counted and transition.refusal is None:
        transition = transition._replace(live=transition.live.without_vanished(BET_SPOTS[seat - 1]))
    still_waiting = {other: seats for other, seats in transition.live.reader.earlier_seats.items() if other != seat}
    transition = transition._replace(
        live=transition.live._replace(reader=transition.live.reader._replace(earlier_seats=still_waiting))
    )
    return (
        transition.apply("sensor", *(observations.AnswersOutOfTurn(other) for other in early_seats))
        if transition.refusal is None
        else transition
    )


def _has_acted_early(live: Live, seat: int) -> bool:
    """Return True if this later seat has an action that waits or new chips on its spot."""
    return seat in live.table.street.held_actions or has_unresolved_doubt(live, seat) or has_early_chips(live, seat)


def apply_withdrawn_chips(transition: Transition) -> Transition:
    """Record chips as taken back if their spot has been empty for `LONE_EMPTY_SPOT_DELAY_US`.

    If the table refuses the change, `refusal` gives the reason, as for any other reading.
    """
    for seat in pending_seats_for(transition.live, "emptied"):
        due_us = withdrawn_chips_us(transition.live, seat)
        if due_us is not None and has_elapsed(due_us, transition.at_us, LONE_EMPTY_SPOT_DELAY_US):
            transition = apply_pending(transition, seat)
    return transition


def withdrawn_chips_us(live: Live, seat: int) -> int | None:
    """Return the time in µs at which the spot was emptied if its chips will count as taken back, otherwise None.

    Return None in these cases:

    - Other spots were emptied too, so that the dealer sweeps.
    - The bet may have ended the betting round, so that the dealer may have swept it.
    - The chip may have protected the cards, and a fold may have been meant for this seat.
    """
    pending, protector = spot_of(live, seat).pending, withdrawn_protector(live)
    if pending is None or not is_betting(live.table) or swept_seats(live) or has_unanswered_bet(live, seat):
        return None
    return None if protector is not None and protector.folds and protector.seat == seat else pending.since_us


def chips_left_after_undo(live: Live, seat: int) -> tuple[int, ...]:
    """Return the chips on the spot that no recorded step counts now.

    The step that counted the chips was undone, or the chips were declared as returned. The seat's next declaration
    applies to these chips. Return an empty tuple if all chips count, or if any chip is from an earlier betting round.
    """
    spot_total, hand, spot = live.table.street.spot_totals[seat], live.table.hand, spot_of(live, seat)
    chips = tuple(chip for chip in spot.accounted or () if chip.uid not in spot.ignored)
    if seat not in live.bets.undone_seats and hand is not None and live.setup.tolerates_delays:
        this_round = (live.table.hands_started, hand.round_number)
        locations = [live.chip_locations.get(chip.uid) for chip in chips]
        if any(location is None or (location.hand, location.round) != this_round for location in locations):
            return ()
    excess = total_value(chips) - spot_total
    if excess <= 0:
        return ()
    return within_chip_limit(chips_for(excess) if spot_total else chip_values(chips))


# --- motions that end before they settle ---


def end_motion(transition: Transition, seat: int, *, is_round_over: bool = False) -> Transition:
    """Count the chips that the seat has put in, because the next seat acts or a key is pressed.

    The chips seen by now count, whether they are still moving or have left. Do nothing in these cases:

    - The chips are not worth more than the recorded total.
    - There are unknown tags, or a question about the chips must be answered first.
    - The chips are at the edge of the antenna. If the betting round is over and the antenna is not known to hear the
      stack behind the line, they count if another seat has put in as much.
    - The stack may have unread chips, is still on the spot, and the betting round is not over.
    - The chips fell silent while more chips were landing, and the betting round is not over.
    """
    live, name = transition.live, BET_SPOTS[seat - 1]
    reading = live.reader.vanished.get(name) or live.reader.unsettled.get(name)
    if reading is None or reading.unknown_tags or (bets_possibly_answered(live, seat) and not is_round_over):
        return transition
    if (reading.is_incomplete or (reading.at_least and not reading.gone_us)) and not is_round_over:
        return transition
    if live.table.street.spot_totals[seat] >= total_value(reading.stack):
        return transition
    may_be_bet = is_round_over and not hears_own_stack(live, seat) and _is_matched(live, seat, reading)
    if not may_be_bet and is_own_stack_in_motion(live, seat, reading):
        return transition
    # The refusal does not concern the key that ended the motion.
    return _apply_ended_motion(transition, seat, reading)._replace(refusal=None)


def _is_matched(live: Live, seat: int, reading: UnsettledReading) -> bool:
    """Return True if another seat has put in as much as this reading shows, so that the reading may be a called bet."""
    seen = [*live.reader.vanished.items(), *live.reader.unsettled.items()]
    amounts = [total_value(other.stack) for name, other in seen if name != BET_SPOTS[seat - 1]]
    amounts += [total for other, total in enumerate(live.table.street.spot_totals) if other != seat]
    return max(amounts, default=0) >= total_value(reading.stack)


def _apply_ended_motion(transition: Transition, seat: int, reading: UnsettledReading) -> Transition:
    """Record that the seat put in the chips that were seen on its spot.

    If these chips have left, also record what is on the spot now.
    """
    name = BET_SPOTS[seat - 1]
    spot = spot_of(transition.live, seat)
    live = transition.live.without_vanished(name)
    transition = transition._replace(live=live if reading.gone_us else live.without_unsettled(name))
    transition = transition.apply("sensor", *reading_steps(transition.live, seat, reading))
    if not reading.gone_us:
        return transition
    pending, on_spot = spot.pending, spot.on_spot or ()
    is_swept = (
        transition.live.setup.tolerates_delays
        and is_betting(transition.live.table)
        and balances.counted_bet(transition.live.table, seat) > 0
    )
    present, seen = set(on_spot), set(reading.stack)
    present_reading = observations.RecordSpotReading(
        name,
        pending.reason if pending is not None else "emptied" if is_swept else "lies",
        added=tuple(chip for chip in on_spot if chip not in seen),
        removed_tags=tuple(chip.uid for chip in reading.stack if chip not in present),
        unknown_tags=spot.unknown_tags,
        lammers=spot.lammers,
        at_least=spot.at_least,
    )
    return transition.apply("sensor", present_reading)


def end_open_raise(transition: Transition, acting_seat: int) -> Transition:
    """Fix the amount of a raise that was still open, because another seat acts.

    Only the chips seen by now belong to the raise.
    """
    raising_seat = open_raise_seat(transition.live.table) if transition.live.reader.unsettled else 0
    return transition if raising_seat in (0, acting_seat) else end_motion(transition, raising_seat)


# --- chips swept before they settled ---


def apply_sweep(transition: Transition) -> Transition:
    """Count chips that vanished from their spots as the last bets of the betting round if they were swept.

    The chips were swept if at least two spots emptied within `SWEEP_WINDOW_US`. Leave out a single chip that may have
    protected cards, because a player who folds takes it back. Also leave out chips that fell silent before the chips of
    another spot arrived, because a sweep begins after the last bet. Such a stack may have detuned its antenna.
    """
    live = transition.live
    if not live.reader.vanished:
        return transition
    last_arrival_us = max(reading.first_seen_us for reading in live.reader.vanished.values())
    last_seen_us = max((at_us for chips in live.reader.first_seen_us.values() for at_us in chips.values()), default=0)
    times = [
        reading.gone_us
        for name, reading in live.reader.vanished.items()
        if reading.gone_us >= last_seen_us - MAX_READING_DELAY_US
        and (len(reading.stack) > 1 or not is_pending_for(live, SEAT_OF_SPOT[name], "own-stack"))
        and reading.gone_us >= last_arrival_us
    ]
    for seat in (*pending_seats_for(live, "emptied"), *pending_seats_for(live, "covered")):
        pending = spot_of(live, seat).pending
        if BET_SPOTS[seat - 1] not in live.reader.vanished and pending is not None:
            times.append(pending.since_us)
    if len(times) < 2 or max(times) - min(times) > SWEEP_WINDOW_US:
        return transition
    return end_all_motions(transition)


def end_all_motions(transition: Transition) -> Transition:
    """Count all chips that seats are putting in, because a sweep or the dealer's key ends the betting round.

    Start at the seat in turn, so that the chips count in the order of the actions.
    """
    live, hand = transition.live, transition.live.table.hand
    has_open_motions = live.reader.vanished or live.reader.unsettled or pending_seats_for(live, "splash")
    if hand is None or not has_open_motions or not live.setup.tolerates_delays:
        return transition
    refused = transition.refusal
    for seat in clockwise_after(hand.dealt_seats, hand.turn - 1):
        name = BET_SPOTS[seat - 1]
        reading = transition.live.reader.unsettled.get(name)
        can_act = seat in hand.seats_to_act or owes_chips(transition.live.table, seat)
        is_motion = reading is not None and can_act and _adds_to_spot(transition.live, seat, reading)
        if may_act(transition.live, seat) and (is_motion or name in transition.live.reader.vanished):
            transition = end_motion(transition, seat, is_round_over=True)
        elif is_pending_for(transition.live, seat, "splash") or _is_deferred_in_turn(transition.live, seat):
            transition = apply_pending(transition, seat)
    return transition._replace(refusal=refused)


def _is_deferred_in_turn(live: Live, seat: int) -> bool:
    """Return True if the seat is in turn and its chips waited only for chips of other seats."""
    in_turn = live.table.hand is not None and live.table.hand.turn == seat
    return in_turn and is_pending_for(live, seat, "deferred") and not bets_possibly_answered(live, seat)


def complete_unread_calls(transition: Transition) -> Transition:
    """Add the unread part of every call when the dealer deals.

    All bets must be swept, and more than a third of every call must have been read. The other chips were then on the
    spot too, but their tags did not answer. Example: the call was 100, and chips for 95 were read and swept. The
    missing 5 are added.
    """
    live = transition.live
    hand = live.table.hand
    if hand is None or hand.phase is not Phase.CLOSED or not live.setup.tolerates_delays:
        return transition
    owing_seats = [seat for seat in hand.live_seats if owes_chips(live.table, seat)]
    if not all(_is_swept(live, seat) for seat in owing_seats):
        return transition
    for seat in owing_seats:
        transition = transition.apply(
            "dealer", hand_steps.MovesChips(seat, within_chip_limit(chips_for(balances.owed(live.table, seat))))
        )
    return transition


def _is_swept(live: Live, seat: int) -> bool:
    """Return True if the seat's spot is empty and more than a third of its call was read."""
    spot, reading = spot_of(live, seat), live.reader.unsettled.get(BET_SPOTS[seat - 1])
    is_empty = not reading.stack if reading is not None else spot.on_spot == ()
    return (
        is_empty
        and not spot.was_offline
        and 2 * balances.counted_bet(live.table, seat) > balances.owed(live.table, seat)
    )


def _adds_to_spot(live: Live, seat: int, reading: UnsettledReading) -> bool:
    """Return True if the chips seen were added to the chips that were on the spot before.

    If all chips on the spot are new, they belong to the next street.
    """
    hand, on_spot = live.table.hand, set(spot_of(live, seat).on_spot or ())
    return not on_spot or not on_spot.isdisjoint(reading.stack) or (hand is not None and hand.turn == seat)
