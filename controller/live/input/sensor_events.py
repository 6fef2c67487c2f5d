"""Handlers for sensor events, which record chips as put in or taken back, or as waiting for an explanation.

If the betting is open, a reading that is complete and certain becomes a step at once. A reading must wait if it is
doubtful, arrives between betting rounds, looks like a sweep, or may not be a bet. Source: rulings.md, "A dealer is a
person".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controller.live.derived_state import (
    SEAT_OF_SPOT,
    UNREAD_SPOT,
    is_pending_for,
    open_raise_seat,
    total_value,
    was_bet_by_other,
)
from controller.live.hypotheses import HYPOTHESES, MOTION, Verdict, collect_spot_facts, left_over_chips
from controller.live.missed_chips import missed_chips_among
from controller.live.motions import reading_steps, to_observation
from controller.live.pending import apply_resolved_pending, apply_sweep, end_open_raise
from controller.live.silent_chips import track_swept, track_vanished
from controller.live.state import Live, UnsettledReading
from controller.live.transition import Transition
from controller.steps import observations, table_steps
from hardware.events import ChipsAppeared, SpotOffline, SpotOnline, StackProvisional, StackSettled
from hardware.spots import BET_SPOTS

_REFUSAL_REPORTED: Final[tuple[observations.Disposition, ...]] = ("folded-seat", "between", "left")
"""Decisions by which the chips of a reading do not count. The dealer still sees why the table would refuse such chips
as a bet."""

# --- readings ---


def apply_provisional_stack(transition: Transition, event: StackProvisional) -> Transition:
    """Record the stack, which may still change, as the unsettled reading of its bet spot.

    If the stack equals the last settled stack, remove the unsettled reading instead. Ignore a spot without a seat, and
    a bet spot if the dealer is counting its chips on the count pad. Leave out chips of another seat's bet, because the
    dealer drags them over this spot to the pot. Also leave out the seat's bet of the last street.
    """
    seat, count = SEAT_OF_SPOT.get(event.spot), transition.live.pad.pad_count
    if seat is None or (count is not None and count.is_bet_of(seat)):
        return transition
    left_over = left_over_chips(transition.live, event.stack)
    new_chips = (chip for chip in event.stack if not was_bet_by_other(transition.live, seat, chip))
    event = replace(event, stack=tuple(chip for chip in new_chips if chip not in left_over))
    live = _track_vanished(transition.live, event)
    spot, before = live.spots.get(event.spot, UNREAD_SPOT), live.reader.unsettled.get(event.spot)
    if (event.stack, event.unknown_tags, event.lammers) == (spot.on_spot, spot.unknown_tags, spot.lammers):
        live = live.without_unsettled(event.spot)
    else:
        spot_total = live.table.street.spot_totals[seat]
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
            live.reader.first_seen_us.get(event.spot, {})
        )
        live = live._replace(
            reader=live.reader._replace(
                unsettled={**live.reader.unsettled, event.spot: reading},
                first_seen_us={**live.reader.first_seen_us, event.spot: first_seen_us},
            )
        )
    return apply_sweep(transition._replace(live=live))


def _track_vanished(live: Live, event: StackProvisional | StackSettled) -> Live:
    """Record chips that left their spot. Chips on a spot from which none have vanished change nothing."""
    return live if event.stack and event.spot not in live.reader.vanished else track_vanished(live, event)


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
    if transition.live.reader.vanished:
        transition = transition._replace(live=track_swept(transition.live, event))
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
    """Apply a settled stack of any spot. The hypotheses decide about the chips on a bet spot."""
    seat, count = SEAT_OF_SPOT.get(event.spot), transition.live.pad.pad_count
    if seat is None:
        return transition.apply("sensor", to_observation(transition.live, event.spot, event, "lies"))
    if count is not None and count.is_bet_of(seat):
        return transition.apply("sensor", to_observation(transition.live, event.spot, event, "doubt"))
    before = transition.live
    transition = _explain(transition._replace(live=_track_vanished(before, event)), seat, event)
    transition = apply_sweep(transition._replace(live=transition.live.without_unsettled(event.spot)))
    if not event.stack and is_pending_for(before, seat, "own-stack"):
        # The chips were not swept with other bets. Without this, the next key would count them as a bet.
        transition = transition._replace(live=transition.live.without_vanished(event.spot))
    return apply_resolved_pending(transition)


def _explain(transition: Transition, seat: int, event: StackSettled) -> Transition:
    """Apply the verdict of the first hypothesis that explains all chips of the reading.

    A hypothesis that explains only some of the chips takes effect at once. The next hypotheses then examine the others.
    """
    facts = collect_spot_facts(transition.live, seat, event)
    for hypothesis in HYPOTHESES:
        verdict = hypothesis.explain(transition.live, facts) if hypothesis.evidence <= facts.evidence else None
        if verdict is None:
            continue
        transition = transition.apply("sensor", *verdict.steps_before)
        if not verdict.is_partial:
            return _apply_verdict(transition, seat, event, verdict)
        facts = collect_spot_facts(transition.live, seat, event)
    return _apply_verdict(transition, seat, event, MOTION)


def _apply_verdict(transition: Transition, seat: int, event: StackSettled, verdict: Verdict) -> Transition:
    """Record the reading as the verdict says."""
    disposition, refused = verdict.disposition, None
    if disposition in _REFUSAL_REPORTED:
        refused = transition.apply("sensor", *reading_steps(transition.live, seat, event)).refusal
        if verdict.stands_if_refused and refused is None:
            disposition = None
    if disposition is None:
        transition = _end_earlier_open_raise(transition, seat, event.at_us)
        return transition.apply("sensor", *reading_steps(transition.live, seat, event))
    observation = to_observation(transition.live, event.spot, event, disposition)
    transition = transition.apply("sensor", observation, *verdict.steps_after)
    if verdict.earlier_seats:
        earlier_seats = {**transition.live.reader.earlier_seats, seat: verdict.earlier_seats}
        transition = transition._replace(
            live=transition.live._replace(reader=transition.live.reader._replace(earlier_seats=earlier_seats))
        )
    return transition if refused is None else transition._replace(refusal=refused)


def _end_earlier_open_raise(transition: Transition, seat: int, at_us: int) -> Transition:
    """Fix the amount of another seat's "raise" without an amount if its last chips came before this seat's chips."""
    unsettled, spot = transition.live.reader.unsettled, BET_SPOTS[seat - 1]
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
