"""Chips that fell silent on a bet spot although they may still be there, because their stack detunes the antenna.

A stack of one height may shift the resonance of its antenna so far that no chip answers. Such chips did not leave: no
reading failed as under a hand, no other spot was swept, and no other spot reads them. Source: readers.md, 1.

Example: the first chip of two lands at seat 4 and answers once. With the second chip, both are silent. A fold key is
then probably meant for a later seat, so it waits until the dealer has said what is on the spot.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    SWEEP_WINDOW_US,
    UNREAD_SPOT,
    bets_possibly_answered,
    hears_own_stack,
    is_betting,
    least_wager,
    may_have_called,
    owes_chips,
    total_value,
    was_bet_by_other,
)
from controller.live.missed_chips import is_new_this_hand, missed_chips_among
from controller.live.pending_reasons import PENDING_POLICIES
from controller.live.state import Live, Spot, UnsettledReading
from controller.rules import clockwise_after
from controller.table import balances
from hardware.events import Chip, ChipsAppeared, StackProvisional, StackSettled
from hardware.spots import BET_SPOTS, POT


def track_vanished(live: Live, event: StackProvisional | StackSettled) -> Live:
    """Return a copy of the state that records chips that left their spot or fell silent before they came to rest.

    Record only chips that could be part of a bet in this betting round. If the chips return, remove this record,
    because a hand had only covered the chips.
    """
    name = event.spot
    seat, spot = SEAT_OF_SPOT.get(name, 0), live.spots.get(name, UNREAD_SPOT)
    reading, gone = live.reader.unsettled.get(name) or _pending_as_reading(spot), live.reader.vanished.get(name)
    if gone is not None and not set(gone.stack).isdisjoint(event.stack):
        return live.without_vanished(name)  # The chips are back, so a hand had only covered them.
    is_incomplete = reading is not None and _is_incomplete(live, seat, reading, event)
    if (reading is None or not reading.stack) and gone is None:
        reading, is_incomplete = _silent_reading(live, seat, event), True
    if event.stack or reading is None or reading.unknown_tags or not reading.stack:
        return live
    if not live.setup.tolerates_delays or not may_act(live, seat):
        return live
    if hears_own_stack(live, seat) and set(reading.weak_tags).issuperset(_uids(reading.stack) - _uids(spot.accounted)):
        return live  # Chips at the edge of the antenna answer now and then.
    if set(reading.stack) <= set(spot.accounted or ()):
        return live
    reading = reading._replace(gone_us=event.at_us, is_incomplete=is_incomplete)
    return live._replace(reader=live.reader._replace(vanished={**live.reader.vanished, name: reading}))


def track_swept(live: Live, event: ChipsAppeared) -> Live:
    """Return a copy of the state in which chips that left their spot, and answer in the pot, count as swept.

    If the pot reads other chips with them that no spot has read, the stack had more chips than the reading shows.
    """
    uids, unread = {chip.uid for chip in event.chips}, bool(missed_chips_among(live, event))
    swept = {
        name: reading._replace(is_in_pot=True, is_incomplete=reading.is_incomplete or unread)
        for name, reading in live.reader.vanished.items()
        if not uids.isdisjoint(chip.uid for chip in reading.stack)
    }
    return live._replace(reader=live.reader._replace(vanished={**live.reader.vanished, **swept})) if swept else live


def has_unread_chips(live: Live, seat: int) -> bool:
    """Return True if chips of the seat fell silent while more chips landed, so that the amount is not known."""
    gone = live.reader.vanished.get(BET_SPOTS[seat - 1])
    return gone is not None and gone.is_incomplete


def has_lone_silence(live: Live, seat: int) -> bool:
    """Return True if chips of the seat fell silent, and no sweep explains it, so that they may be a bet on the spot."""
    name = BET_SPOTS[seat - 1]
    gone = live.reader.vanished.get(name)
    if gone is not None:
        is_lone = _is_missing_in_pot(live, gone) and not _is_other_spot_emptying(live, name, gone.gone_us)
        return gone.is_incomplete or is_lone or bool(bets_possibly_answered(live, seat))
    spot = live.spots.get(name, UNREAD_SPOT)
    reading = live.reader.unsettled.get(name)
    is_silent = _is_emptying(live, name, spot) and not (spot.on_spot if reading is None else reading.stack)
    since_us = _silent_since_us(reading, spot)
    is_lone = is_silent and not _is_other_spot_emptying(live, name, since_us)
    return is_lone and balances.counted_bet(live.table, seat) > 0


def silent_since_us(live: Live, seat: int) -> int:
    """Return the time in µs at which the chips of the seat left or fell silent, or 0 if they are on the spot."""
    name = BET_SPOTS[seat - 1]
    gone = live.reader.vanished.get(name)
    if gone is not None:
        return gone.gone_us
    return _silent_since_us(live.reader.unsettled.get(name), live.spots.get(name, UNREAD_SPOT))


def silent_seat_before(live: Live, seat: int) -> int:
    """Return the first seat before this seat whose silent chips may still be on its spot, or 0.

    The dealer may name this seat as the seat in turn. Every seat before it would then count as folded or checked.
    """
    hand = live.table.hand
    if hand is None or not hand.turn or seat not in hand.seats_to_act:
        return 0
    passed_seats = takewhile(lambda other: other != seat, clockwise_after(hand.dealt_seats, hand.turn - 1))
    is_silent = has_lone_silence if hand.current_bet else has_unread_chips
    return next((other for other in passed_seats if other in hand.seats_to_act and is_silent(live, other)), 0)


def is_call_swept(live: Live) -> bool:
    """Return True if the seat in turn has put in a call out of turn, and the dealer has swept it with other bets.

    Dealers sweep only bets, so that the player has called.
    """
    if not may_have_called(live) or live.table.hand is None:
        return False
    name = BET_SPOTS[live.table.hand.turn - 1]
    spot, reading = live.spots.get(name, UNREAD_SPOT), live.reader.unsettled.get(name)
    is_silent = _is_emptying(live, name, spot) and not (spot.on_spot if reading is None else reading.stack)
    return is_silent and _is_other_spot_emptying(live, name, _silent_since_us(reading, spot))


def may_act(live: Live, seat: int) -> bool:
    """Return True if the betting is open or the seat owes chips, so that its chips may be part of a bet."""
    return is_betting(live.table) or owes_chips(live.table, seat)


def _is_incomplete(live: Live, seat: int, reading: UnsettledReading, event: StackProvisional | StackSettled) -> bool:
    """Return True if more chips landed than the reading shows.

    Other chips answered while the stack landed, or the chips are not enough for a call or the smallest bet.
    """
    added = total_value(reading.stack) - live.table.street.spot_totals[seat]
    return not set(event.fallen_silent) <= set(reading.stack) or 0 < added < least_wager(live, seat)


def _silent_reading(live: Live, seat: int, event: StackProvisional | StackSettled) -> UnsettledReading | None:
    """Return the chips on the spot and those that answered only while the stack landed, or None if there are none.

    Return None if they began to land before this hand, because they are the last pot, which the dealer has pushed over
    the spot.
    """
    if 0 < event.first_seen_us < live.times.hand_began_us:
        return None
    chips = tuple(
        chip
        for chip in event.fallen_silent
        if is_new_this_hand(live, chip.uid) and not was_bet_by_other(live, seat, chip)
    )
    if not chips or hears_own_stack(live, seat):
        return None
    on_spot = live.spots.get(event.spot, UNREAD_SPOT).on_spot or ()
    return UnsettledReading(
        (*on_spot, *chips), event.unknown_tags, event.lammers, at_least=True, first_seen_us=event.first_seen_us
    )


def _is_missing_in_pot(live: Live, gone: UnsettledReading) -> bool:
    """Return True if the pot has an antenna but has not read these chips, so that they were hardly swept."""
    return live.spots.get(POT, UNREAD_SPOT).on_spot is not None and not gone.is_in_pot


def _uids(chips: Iterable[Chip] | None) -> set[str]:
    return {chip.uid for chip in chips or ()}


def _is_other_spot_emptying(live: Live, name: str, since_us: int) -> bool:
    """Return True if the chips of another bet spot left at about this time, so that the dealer may be sweeping."""
    times = [reading.gone_us for other, reading in live.reader.vanished.items() if other != name]
    times += [
        _silent_since_us(live.reader.unsettled.get(other), spot)
        for other, spot in live.spots.items()
        if other != name and other in SEAT_OF_SPOT and _is_emptying(live, other, spot)
    ]
    return any(abs(at_us - since_us) <= SWEEP_WINDOW_US for at_us in times)


def _is_emptying(live: Live, name: str, spot: Spot) -> bool:
    """Return True if the explained chips of this spot have left, or are no longer read."""
    reading = live.reader.unsettled.get(name)
    is_unread = reading is not None and not reading.stack and bool(spot.accounted)
    return is_unread or (spot.pending is not None and spot.pending.reason in ("emptied", "covered"))


def _silent_since_us(reading: UnsettledReading | None, spot: Spot) -> int:
    """Return the time at which the chips of an emptying spot left, or 0 if the spot is not emptying."""
    if spot.pending is not None and spot.pending.reason in ("emptied", "covered"):
        return spot.pending.since_us
    return reading.first_seen_us if reading is not None else 0


def _pending_as_reading(spot: Spot) -> UnsettledReading | None:
    """Return the spot's unexplained chips as a reading if they count as a bet after a sweep, otherwise None.

    They count if the dealer could sweep them only because they are a bet.
    """
    pending = spot.pending
    if pending is None or not PENDING_POLICIES[pending.reason].counts_if_swept or not spot.on_spot:
        return None
    return UnsettledReading(spot.on_spot, spot.unknown_tags, spot.lammers, spot.at_least, pending.since_us)
