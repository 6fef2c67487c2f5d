"""Effects of observations on the live state.

Observations concern spots, devices, the dealer's answers, counts on the count pad, and reviews by the floor.
Observations change no money.

A reading of a spot lists the chips that arrived and left. `Live.chip_locations` keeps for each chip the spot, hand and
betting round in which it arrived. The package `hypotheses` uses these locations to decide what new chips are. For
example, chips that were in the last pot a moment ago are probably on their way to the winner, and not a bet.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Final, get_args

from controller.live import count_pad
from controller.live.derived_state import BETTING_PHASES, SEAT_OF_SPOT, UNREAD_SPOT, total_value
from controller.live.missed_chips import chips_of_fill, count_antes_seen, find_missed_chips
from controller.live.state import ChipLocation, FloorCall, Live, PendingReading, Spot
from controller.rules import Phase
from controller.steps import Observation, observations
from hardware.events import Chip
from hardware.spots import COUNT_PAD, POT, TRAY, bet_spot

MAX_MISSED_CHIPS: Final = 200
"""Maximum number of kept reports about chips that no bet spot read. A house has thousands of tags, of which about ten
fail in an evening, so that 200 reports are enough."""
MAX_LOCATIONS: Final = 6_000
"""Maximum number of chips whose location is kept. A table of ten players uses about 2,000 chips. If the maximum is
exceeded, the older half of the locations is forgotten."""
MAX_REPORTED_TAGS: Final = 10
"""Maximum number of copied tags, and of weak tags, that are reported at a time. The floor can exchange a few chips. Ten
or more bad tags are a problem of the whole chip set."""


@singledispatch
def apply_observation(step: Observation, live: Live, at_us: int) -> Live:
    """Return the state after the observation."""
    raise NotImplementedError(
        f"{type(step).__name__} has no effect on the live state: register one in observation_effects.py"
    )


_PENDING_REASONS: dict[str, observations.PendingReason] = {why: why for why in get_args(observations.PendingReason)}


@apply_observation.register
def _apply_spot_reading(step: observations.RecordSpotReading, live: Live, at_us: int) -> Live:
    """Return a copy of the state in which the reading is the last settled stack of its spot.

    If the reading waits for an explanation, the explained chips do not change. Otherwise all chips on the spot are
    explained.
    """
    old = live.spots.get(step.spot, UNREAD_SPOT)
    on_spot = _chips_after(old.on_spot or (), step)
    reason = _PENDING_REASONS.get(step.disposition)
    pending = (
        PendingReading(reason, _next_order(live, step.spot), at_us, _open_round(live)) if reason is not None else None
    )
    is_offline = SEAT_OF_SPOT.get(step.spot) in live.table.offline_seat_sensors
    stays_pending = (
        is_offline and old.pending is not None and not (step.added or step.removed_tags)
    )  # This reading was made before the sensor went offline.
    unknown_tags = (*old.unknown_tags, *step.unknown_tags) if step.is_continuation else step.unknown_tags
    lammers = (*old.lammers, *step.lammers) if step.is_continuation else step.lammers
    if step.spot in (POT, TRAY) and step.added and old.on_spot is not None:
        live = live._replace(
            pot_check=live.pot_check._replace(
                missed_chips=(*live.pot_check.missed_chips, *find_missed_chips(live, step, at_us))[-MAX_MISSED_CHIPS:],
                antes_seen=count_antes_seen(live, step),
                fill_due=live.pot_check.fill_due - total_value(chips_of_fill(live, step, at_us)),
            )
        )
    live = live._replace(chip_locations=_update_locations(live, step, at_us))
    ignored = old.ignored and old.ignored & {chip.uid for chip in on_spot}
    if step.disposition == "left":
        ignored |= {chip.uid for chip in step.added}
    spot = Spot(
        on_spot=on_spot,
        accounted=old.accounted if pending else on_spot,
        pending=pending,
        unknown_tags=unknown_tags,
        lammers=lammers,
        at_least=step.at_least,
        ignored=ignored,
        was_offline=old.was_offline and stays_pending,
        bet_changed_offline=old.bet_changed_offline and stays_pending,
        changed_us=old.changed_us if on_spot == old.on_spot else at_us,
    )
    undone_seats = live.bets.undone_seats and frozenset(
        seat for seat in live.bets.undone_seats if bet_spot(seat) != step.spot
    )
    awaiting_chips = live.bets.awaiting_chips and frozenset(
        seat for seat in live.bets.awaiting_chips if bet_spot(seat) != step.spot
    )
    live = live._replace(
        spots={**live.spots, step.spot: spot},
        bets=live.bets._replace(undone_seats=undone_seats, awaiting_chips=awaiting_chips),
    )
    return count_pad.update_count(live) if step.spot == COUNT_PAD else live


def _open_round(live: Live) -> int:
    hand = live.table.hand
    return hand.round_number if hand is not None and hand.phase in BETTING_PHASES else 0


def _next_order(live: Live, spot: str) -> int:
    orders = (
        other_spot.pending.order
        for name, other_spot in live.spots.items()
        if other_spot.pending is not None and name != spot
    )
    return 1 + max(orders, default=0)


def _chips_after(before: tuple[Chip, ...], step: observations.RecordSpotReading) -> tuple[Chip, ...]:
    """Return the chips on the spot after the reading.

    `before` are the chips on the spot before the reading. An added chip may be among them, if it waited for an
    explanation and is ignored now. The result is sorted by denomination, largest first, then by UID.
    """
    removed_tags = set(step.removed_tags)
    chips = {chip for chip in before if chip.uid not in removed_tags} | set(step.added)
    return tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))


def _update_locations(live: Live, step: observations.RecordSpotReading, at_us: int) -> Mapping[str, ChipLocation]:
    """Return the last location of every chip after this reading."""
    if not step.added and not step.removed_tags:
        return live.chip_locations
    locations, hand = dict(live.chip_locations), live.table.hand
    round_number = hand.round_number if hand is not None and hand.phase is not Phase.OVER else 0
    for uid in step.removed_tags:
        if uid in locations and locations[uid].spot == step.spot:
            locations[uid] = locations[uid]._replace(is_present=False, gone_us=at_us)
    for chip in step.added:
        locations[chip.uid] = ChipLocation(step.spot, live.table.hands_started, round_number, at_us)
    if len(locations) > MAX_LOCATIONS:
        locations = dict(sorted(locations.items(), key=lambda item: item[1].since_us)[MAX_LOCATIONS // 2 :])
    return locations


@apply_observation.register
def _apply_spot_offline(step: observations.RecordSpotOffline, live: Live, at_us: int) -> Live:
    return live.with_spot(step.spot, live.spots.get(step.spot, UNREAD_SPOT)._replace(offline_reason=step.reason))


@apply_observation.register
def _apply_spot_online(step: observations.RecordSpotOnline, live: Live, at_us: int) -> Live:
    spot = live.spots.get(step.spot)
    return live if spot is None else live.with_spot(step.spot, spot._replace(offline_reason=None))


@apply_observation.register
def _apply_program_error(step: observations.RecordProgramError, live: Live, at_us: int) -> Live:
    if not step.spot:
        return live._replace(program_error=step.detail)
    live = live.without_unsettled(step.spot)
    return live.with_spot(step.spot, live.spots.get(step.spot, UNREAD_SPOT)._replace(program_error=step.detail))


@apply_observation.register
def _apply_device_down(step: observations.RecordDeviceDown, live: Live, at_us: int) -> Live:
    faults = live.device_faults
    return live._replace(device_faults=faults._replace(down={**faults.down, step.device: step.reason}))


@apply_observation.register
def _apply_device_up(step: observations.RecordDeviceUp, live: Live, at_us: int) -> Live:
    wrong_settings = {
        device: settings for device, settings in live.device_faults.wrong_settings.items() if device != step.device
    }
    faults = live.device_faults
    return live._replace(
        device_faults=faults._replace(down={**faults.down, step.device: None}, wrong_settings=wrong_settings)
    )


@apply_observation.register
def _apply_device_misconfigured(step: observations.RecordDeviceMisconfigured, live: Live, at_us: int) -> Live:
    faults = live.device_faults
    settings = {**faults.wrong_settings.get(step.device, {}), step.setting: step.reason}
    return live._replace(device_faults=faults._replace(wrong_settings={**faults.wrong_settings, step.device: settings}))


@apply_observation.register
def _apply_presses_lost(step: observations.RecordPressesLost, live: Live, at_us: int) -> Live:
    count = live.device_faults.lost_presses.get(step.device, 0) + step.count
    faults = live.device_faults
    return live._replace(device_faults=faults._replace(lost_presses={**faults.lost_presses, step.device: count}))


@apply_observation.register
def _apply_answers_out_of_turn(step: observations.AnswersOutOfTurn, live: Live, at_us: int) -> Live:
    if step.seat not in live.table.street.held_actions:
        return live._replace(last_warnings=live.last_warnings._replace(early_seat=step.seat))
    return live._replace(
        out_of_turn=live.out_of_turn._replace(answered_questions=live.out_of_turn.answered_questions | {step})
    )


@apply_observation.register
def _apply_answers_acts_now(step: observations.AnswersActsNow, live: Live, at_us: int) -> Live:
    return live._replace(
        out_of_turn=live.out_of_turn._replace(answered_questions=live.out_of_turn.answered_questions | {step})
    )


@apply_observation.register
def _apply_explains_chips(step: observations.ExplainsChips, live: Live, at_us: int) -> Live:
    name = bet_spot(step.seat)
    spot = live.spots.get(name, UNREAD_SPOT)
    if step.explanation == "nothing":
        ignore_chips = _ignore_pending_chips if spot.pending else _ignore_newest_chips
        return live.with_spot(name, ignore_chips(live, spot, step.seat))
    return live.with_spot(name, spot.without_pending() if step.explanation == "covered" else spot.with_all_accounted())


def _ignore_pending_chips(live: Live, spot: Spot, seat: int) -> Spot:
    """Return a copy of the spot that ignores the chips that wait for an explanation.

    If the dealer entered a bet while the sensor was offline, nobody knows which of these chips are the bet. All chips
    then count as explained, and the first chips that leave count as the ignored ones.
    """
    accounted = spot.accounted or ()
    expected = missing = live.table.street.spot_totals[seat] - total_value(
        chip for chip in accounted if chip.uid not in spot.ignored
    )
    for chip in spot.on_spot or ():
        if chip not in accounted and chip.denomination <= missing:
            missing -= chip.denomination
    return spot.with_all_accounted() if expected > 0 and not missing else spot.with_new_ignored()


def _ignore_newest_chips(live: Live, spot: Spot, seat: int) -> Spot:
    """Return a copy of the spot that ignores the newest chips, so that the other chips make the recorded total."""
    chips = [chip for chip in spot.on_spot or () if chip.uid not in spot.ignored]
    excess, ignored = total_value(chips) - live.table.street.spot_totals[seat], set(spot.ignored)
    for chip in sorted(chips, key=lambda chip: live.chip_locations[chip.uid].since_us, reverse=True):
        if 0 < chip.denomination <= excess:
            excess -= chip.denomination
            ignored.add(chip.uid)
    return spot._replace(ignored=frozenset(ignored))


@apply_observation.register
def _apply_starts_pad_count(step: observations.StartsPadCount, live: Live, at_us: int) -> Live:
    name = bet_spot(step.seat)
    return count_pad.start_count(
        live.without_unsettled(name).without_vanished(name) if step.purpose == "bet" else live, step
    )


@apply_observation.register
def _apply_accepts_pad_count(step: observations.AcceptsPadCount, live: Live, at_us: int) -> Live:
    return count_pad.end_count(live)


@apply_observation.register
def _apply_discards_pad_count(step: observations.DiscardsPadCount, live: Live, at_us: int) -> Live:
    return live._replace(pad=live.pad._replace(pad_count=None))


@apply_observation.register
def _apply_confirms_tray_reading(step: observations.ConfirmsSensorReading, live: Live, at_us: int) -> Live:
    return live._replace(bets=live.bets._replace(sources={**live.bets.sources, step.seat: "confirmed"}))


@apply_observation.register
def _apply_dealt_before_betting_closed(step: observations.DealtBeforeBettingClosed, live: Live, at_us: int) -> Live:
    return live._replace(dealt_too_early=True)


@apply_observation.register
def _apply_late_key_ignored(step: observations.LateKeyIgnored, live: Live, at_us: int) -> Live:
    return live._replace(last_warnings=live.last_warnings._replace(late_key_seat=step.seat))


@apply_observation.register
def _apply_calls_floor(step: observations.CallsFloor, live: Live, at_us: int) -> Live:
    called_us = live.ended_delays.floor_called_us or at_us
    return live._replace(
        floor_called=True,
        floor_call=live.floor_call._replace(reason=step.reason or live.floor_call.reason),
        ended_delays=live.ended_delays._replace(floor_called_us=called_us),
    )


@apply_observation.register
def _apply_answers_floor_call(step: observations.AnswersFloorCall, live: Live, at_us: int) -> Live:
    return live._replace(floor_call=live.floor_call._replace(answered_by=step.name)) if live.floor_called else live


@apply_observation.register
def _apply_calls_clock(step: observations.CallsClock, live: Live, at_us: int) -> Live:
    return live._replace(
        ended_delays=live.ended_delays._replace(
            clock_seat=step.seat, clock_called_us=at_us, clock_seconds_left=live.table.game.clock_seconds
        )
    )


@apply_observation.register
def _apply_clears_floor_call(step: observations.ClearsFloorCall, live: Live, at_us: int) -> Live:
    return live._replace(
        floor_called=False,
        floor_call=FloorCall(),
        ended_delays=live.ended_delays._replace(floor_called_us=0, floor_waiting_minutes=0),
    )


@apply_observation.register
def _apply_service_restarted(step: observations.ServiceRestarted, live: Live, at_us: int) -> Live:
    return live._replace(restarted=True)


@apply_observation.register
def _apply_restart_checked(step: observations.RestartChecked, live: Live, at_us: int) -> Live:
    return live._replace(restarted=False)


@apply_observation.register
def _apply_journal_damaged(step: observations.JournalDamaged, live: Live, at_us: int) -> Live:
    return live._replace(record_faults=live.record_faults._replace(are_damaged=True))


@apply_observation.register
def _apply_clock_jumped(step: observations.ClockJumped, live: Live, at_us: int) -> Live:
    return live  # The times of the table come from a clock that never jumps.


@apply_observation.register
def _apply_badge_list_loaded(step: observations.BadgeListLoaded, live: Live, at_us: int) -> Live:
    return live._replace(
        badge_count=step.count, badge_list_number=max(live.badge_list_number, step.number), refused_badges={}
    )


@apply_observation.register
def _apply_badge_refused(step: observations.BadgeRefused, live: Live, at_us: int) -> Live:
    return live._replace(refused_badges={**live.refused_badges, step.device: step.refusal})


@apply_observation.register
def _apply_command_denied(step: observations.CommandDenied, live: Live, at_us: int) -> Live:
    return live


@apply_observation.register
def _apply_set_up_used(step: observations.SetUpUsed, live: Live, at_us: int) -> Live:
    return live


@apply_observation.register
def _apply_journal_altered(step: observations.JournalAltered, live: Live, at_us: int) -> Live:
    faults = live.record_faults
    return live._replace(record_faults=faults._replace(alterations=faults.alterations | {step.alteration}))


@apply_observation.register
def _apply_steps_not_recorded(step: observations.StepsNotRecorded, live: Live, at_us: int) -> Live:
    faults = live.record_faults
    return live._replace(record_faults=faults._replace(unrecorded_steps=faults.unrecorded_steps + step.count))


@apply_observation.register
def _apply_journal_checked(step: observations.JournalChecked, live: Live, at_us: int) -> Live:
    return live._replace(
        record_faults=live.record_faults._replace(are_damaged=False, unrecorded_steps=0, alterations=frozenset())
    )


@apply_observation.register
def _apply_journal_finding_accepted(step: observations.JournalFindingAccepted, live: Live, at_us: int) -> Live:
    return live


@apply_observation.register
def _apply_tag_copied(step: observations.RecordTagCopied, live: Live, at_us: int) -> Live:
    if step.tag in live.tag_faults.copied or len(live.tag_faults.copied) >= MAX_REPORTED_TAGS:
        return live
    faults = live.tag_faults
    return live._replace(
        tag_faults=faults._replace(copied={**faults.copied, step.tag: (step.first_spot, step.second_spot)})
    )


@apply_observation.register
def _apply_tag_weak(step: observations.RecordTagWeak, live: Live, at_us: int) -> Live:
    if step.tag in live.tag_faults.weak or len(live.tag_faults.weak) >= MAX_REPORTED_TAGS:
        return live
    faults = live.tag_faults
    return live._replace(tag_faults=faults._replace(weak={**faults.weak, step.tag: step.denomination}))


@apply_observation.register
def _apply_tags_checked(step: observations.TagsChecked, live: Live, at_us: int) -> Live:
    return live._replace(tag_faults=live.tag_faults._replace(copied={}, weak={}))
