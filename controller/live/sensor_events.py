"""Handlers for sensor events, which record chips as put in or taken back, or as waiting for an explanation.

If the betting is open, a reading that is complete and certain becomes a step at once. A reading must wait if it is
doubtful, arrives between betting rounds, looks like a sweep, or may not be a bet. Source: rulings.md, "A dealer is a
person".
"""

from __future__ import annotations

from typing import Final

from controller.live.chip_locations import missed_chips_among
from controller.live.count_pad import is_counting_bet
from controller.live.derived_state import (
    SEAT_OF_SPOT,
    UNREAD_SPOT,
    is_betting,
    is_pending_for,
    open_raise_seat,
    total_value,
)
from controller.live.hypotheses import (
    card_protector,
    classify_reading,
    first_arrival,
    revised_motion,
    seats_with_earlier_chips,
    swept_before_new_chips,
)
from controller.live.motions import apply_reading, to_observation
from controller.live.pending import apply_resolved_pending, apply_sweep, end_open_raise, track_vanished
from controller.live.state import Live, UnsettledReading
from controller.live.transition import Transition
from controller.steps import hand_steps, observations, table_steps
from hardware.events import ChipsAppeared, SpotOffline, SpotOnline, StackProvisional, StackSettled
from hardware.spots import BET_SPOTS

_REFUSAL_REPORTED: Final[tuple[observations.Disposition, ...]] = ("folded-seat", "between", "left")
"""Decisions by which the chips of a reading do not count. The dealer still sees why the table would refuse such chips
as a bet."""

# --- readings ---


def apply_provisional_stack(transition: Transition, event: StackProvisional) -> Transition:
    """Record the stack, which may still change, as the unsettled reading of its bet spot.

    If the stack equals the last settled stack, remove the unsettled reading instead. Ignore a spot without a seat, and
    a bet spot if the dealer is counting its chips on the count pad.
    """
    if event.spot not in SEAT_OF_SPOT or is_counting_bet(transition.live, SEAT_OF_SPOT[event.spot]):
        return transition
    live = track_vanished(transition.live, event)
    spot, before = live.spots.get(event.spot, UNREAD_SPOT), live.unsettled.get(event.spot)
    if (event.stack, event.unknown_tags, event.lammers) == (spot.on_spot, spot.unknown_tags, spot.lammers):
        live = live.without_unsettled(event.spot)
    else:
        spot_total = live.table.street.spot_totals[SEAT_OF_SPOT[event.spot]]
        is_new_motion = before is None or total_value(before.stack) <= spot_total < total_value(
            event.stack
        )  # The blind has come to rest, and now a bet arrives.
        start = (event.first_seen_us or event.at_us, event.last_absent_us)
        began_us, absent_us = (
            start if before is None or is_new_motion else (before.first_seen_us, before.last_absent_us)
        )
        is_late = before is not None and not is_new_motion and before.is_late
        has_no_new_chips = set(event.stack) <= set(spot.on_spot or ())
        initial_unknown_tags = (
            event.unknown_tags if has_no_new_chips else before.initial_unknown_tags if before is not None else ()
        )
        contents = (event.stack, event.unknown_tags, event.lammers, event.at_least)
        reading = UnsettledReading(
            *contents,
            began_us,
            is_late=is_late,
            initial_unknown_tags=initial_unknown_tags,
            last_absent_us=absent_us,
            weak_tags=event.weak_tags,
        )
        first_seen_us = {chip.uid: transition.at_us for chip in event.stack} | dict(
            live.first_seen_us.get(event.spot, {})
        )
        live = live._replace(
            unsettled={**live.unsettled, event.spot: reading},
            first_seen_us={**live.first_seen_us, event.spot: first_seen_us},
        )
    return apply_sweep(transition._replace(live=live))


def apply_settled_stack(transition: Transition, event: StackSettled) -> Transition:
    """Record a settled stack as chips put in or taken back, as waiting for an explanation, or as ignored.

    If the reader reports copied tags, record these tags first.
    """
    return _apply_stack(transition if event.doubt != "copied" else _record_copied_tags(transition, event), event)


def apply_chips_appeared(transition: Transition, event: ChipsAppeared) -> Transition:
    """Record chips that appeared in the pot although no bet spot reported them in this hand.

    Record the chips at their first reading, because the dealer may push the pot before a second reading.
    """
    chips = missed_chips_among(transition.live, event)
    if not chips:
        return transition
    at_least = transition.live.spots[event.spot].at_least
    return transition.apply(
        "sensor",
        observations.RecordSpotReading(event.spot, "lies", added=chips, at_least=at_least, is_continuation=True),
    )


def _record_copied_tags(transition: Transition, event: StackSettled) -> Transition:
    """Record each tag of this stack that also answers on another spot, as a copied tag."""
    uids = {chip.uid for chip in event.stack}
    locations = ((chip.uid, name) for name, spot in transition.live.spots.items() for chip in spot.on_spot or ())
    copies = sorted((uid, name) for uid, name in locations if uid in uids and name != event.spot)
    for uid, other in copies:
        transition = transition.apply("sensor", observations.RecordTagCopied(uid, other, event.spot))
    return transition


def _apply_stack(transition: Transition, event: StackSettled) -> Transition:
    """Apply a settled stack of any spot.

    If the chips replaced swept chips, they wait for the next street ("between"). The hypotheses decide about all other
    chips.
    """
    seat = SEAT_OF_SPOT.get(event.spot)
    if seat is None:
        return transition.apply("sensor", to_observation(transition.live, event.spot, event, "lies"))
    if is_counting_bet(transition.live, seat):
        return transition.apply("sensor", to_observation(transition.live, event.spot, event, "doubt"))
    transition, refused = transition._replace(live=track_vanished(transition.live, event)), transition.refusal
    swept_tags = swept_before_new_chips(transition.live, seat, event)
    if swept_tags:
        transition = transition.apply(
            "sensor",
            observations.RecordSpotReading(event.spot, _swept_disposition(transition.live), removed_tags=swept_tags),
        )
    transition = _exclude_card_protector(transition, seat, event)
    disposition: observations.Disposition | None = (
        "between" if swept_tags else classify_reading(transition.live, seat, event)
    )
    if disposition in _REFUSAL_REPORTED:
        refused = apply_reading(transition, seat, event).refusal
        if (
            disposition == "folded-seat" and refused is None
        ):  # The table accepts the chips, for example because the folded seat owes them.
            disposition = None
    motion = revised_motion(transition.live, seat, event) if disposition in (None, "covered", "deferred") else ()
    if motion:
        observation = to_observation(transition.live, event.spot, event, "lies")
        transition = transition.apply("sensor", hand_steps.Undoes(), observation, hand_steps.MovesChips(seat, motion))
    elif disposition is None:
        transition = apply_reading(_end_earlier_open_raise(transition, seat, event.at_us), seat, event)
    else:
        earlier_seats = seats_with_earlier_chips(transition.live, seat, first_arrival(transition.live, seat, event))
        transition = transition.apply("sensor", to_observation(transition.live, event.spot, event, disposition))
        transition = transition._replace(refusal=refused if disposition in _REFUSAL_REPORTED else transition.refusal)
        if disposition == "deferred" and earlier_seats:
            transition = transition._replace(
                live=transition.live._replace(earlier_seats={**transition.live.earlier_seats, seat: earlier_seats})
            )
    return apply_resolved_pending(apply_sweep(transition._replace(live=transition.live.without_unsettled(event.spot))))


def _exclude_card_protector(transition: Transition, seat: int, event: StackSettled) -> Transition:
    """Record that the chip that protects the seat's cards is ignored, so that it is not part of the bet."""
    chip = card_protector(transition.live, seat, event)
    if chip is None:
        return transition
    is_pending = is_pending_for(transition.live, seat, "own-stack")
    return transition.apply(
        "sensor",
        observations.ExplainsChips(seat, "nothing")
        if is_pending
        else observations.RecordSpotReading(event.spot, "left", added=(chip,)),
    )


def _swept_disposition(live: Live) -> observations.Disposition:
    """Return the decision about swept chips.

    The decision is "emptied" (unexplained) while the betting is open, otherwise "lies" (explained).
    """
    return "emptied" if is_betting(live.table) else "lies"


def _end_earlier_open_raise(transition: Transition, seat: int, at_us: int) -> Transition:
    """Fix the amount of another seat's "raise" without an amount if its last chips came before this seat's chips."""
    unsettled, spot = transition.live.unsettled, BET_SPOTS[seat - 1]
    if not unsettled.keys() - {spot}:
        return transition
    raiser, own_reading = open_raise_seat(transition.live.table), unsettled.get(spot)
    raise_reading = unsettled.get(BET_SPOTS[raiser - 1]) if raiser else None
    if raise_reading is None or raise_reading.first_seen_us >= (
        own_reading.first_seen_us if own_reading is not None else at_us
    ):
        return transition
    return end_open_raise(transition, seat)


# --- offline spots ---


def apply_tray_offline(transition: Transition, event: SpotOffline) -> Transition:
    """Record that a spot is no longer read, and forget its chips that have not come to rest."""
    seat = SEAT_OF_SPOT.get(event.spot)
    transition = transition._replace(live=_without_transient_chips(transition.live, event.spot))
    if seat is None:
        return transition.apply("sensor", observations.RecordSpotOffline(event.spot, event.reason))
    return (
        transition
        if seat in transition.live.table.offline_seat_sensors
        else transition.apply("sensor", table_steps.RecordSeatSensorOffline(seat))
    )


def apply_tray_online(transition: Transition, event: SpotOnline) -> Transition:
    """Record that a spot is read for the first time or again. An event with its settled stack follows."""
    seat = SEAT_OF_SPOT.get(event.spot)
    transition = transition._replace(live=_without_transient_chips(transition.live, event.spot))
    if seat is None:
        return transition.apply("sensor", observations.RecordSpotOnline(event.spot))
    return (
        transition.apply("sensor", table_steps.RecordSeatSensorOnline(seat))
        if seat in transition.live.table.offline_seat_sensors
        else transition
    )


def _without_transient_chips(live: Live, spot: str) -> Live:
    return live.without_unsettled(spot).without_vanished(spot)
