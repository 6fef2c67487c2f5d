"""Entry points of the live table: functions for events, commands, the passage of time, and program errors.

Each function returns a `Transition` and is pure: the same state, event and time give the same transition.
"""

from __future__ import annotations

from typing import Final

from controller.live import pending
from controller.live.derived_state import (
    UNREAD_SPOT,
    has_elapsed,
    may_have_unawarded_chips,
    pending_seats_for,
)
from controller.live.input import dealer_input, key_queue, sensor_events
from controller.live.input.key_queue import next_key_deadline_us
from controller.live.pending import LONE_EMPTY_SPOT_DELAY_US
from controller.live.pending_reasons import PENDING_POLICIES
from controller.live.state import Live
from controller.live.step_effects import MINUTE_US
from controller.live.transition import Transition
from controller.steps import MAX_CLOCK_MINUTES, Step, StepSource, observations, table_steps
from controller.table import tournament
from hardware.events import (
    ChipsAppeared,
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    PressesLost,
    SeatPressed,
    SpotActive,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
    WeakTagFound,
    WrongDeviceSetting,
)
from hardware.spots import POT

SECOND_US: Final = 1_000_000
UNSETTLED_TIMEOUT_US: Final = 3_000_000
"""Time after which chips that still move are shown as unsettled, in microseconds. A player needs two seconds to put
chips in and leave them at rest. After three seconds, either an arm covers the chips or the reader gets no stable
reading."""
ASK_DELAY_US: Final = 2_500_000
"""Delay before the dealer is asked about an emptied spot, in microseconds. If a sweep or a key explains the empty spot,
it normally arrives earlier."""
HELD_ACTION_DELAY_US: Final = 3_000_000
"""Delay before the dealer is asked about chips that a later seat put in out of turn, in microseconds. The dealer
normally enters the folds of the seats in between within this time."""
UNAWARDED_CHIPS_DELAY_US: Final = 5_000_000
"""Delay from the last award of a pot until chips left in the pot are reported, in microseconds. The dealer normally
pushes the pot to the winner within this time."""


def handle_event(live: Live, event: Event, at_us: int) -> Transition:
    """Return the transition for an event of the hardware."""
    return _drop_stale_ask_marks(_apply_event(live, event, at_us))


def _apply_event(live: Live, event: Event, at_us: int) -> Transition:
    transition = Transition(live, at_us=at_us)
    match event:
        case SpotActive():
            return transition._replace(live=key_queue.mark_active(live, event, at_us))
        case StackProvisional():
            return _run_keys_after_report(sensor_events.apply_provisional_stack(transition, event), event.spot)
        case StackSettled():
            return _run_keys_after_report(sensor_events.apply_settled_stack(transition, event), event.spot)
        case ChipsAppeared():
            return sensor_events.apply_chips_appeared(transition, event)
        case SpotOffline():
            return _run_keys_after_report(sensor_events.apply_tray_offline(transition, event), event.spot)
        case SpotOnline():
            return sensor_events.apply_tray_online(transition, event)
        case KeyPressed():
            return key_queue.press_or_queue_key(transition, event.key)
        case SeatPressed():
            return dealer_input.apply_seat_button(transition, event.seat)
        case WeakTagFound():
            return transition.apply("sensor", observations.RecordTagWeak(event.uid, event.denomination))
        case DeviceUp() | DeviceDown() | WrongDeviceSetting() | PressesLost():
            return transition.apply("sensor", _device_observation(event))


def _device_observation(event: DeviceUp | DeviceDown | WrongDeviceSetting | PressesLost) -> Step:
    """Return the observation that records what a reader or board reported."""
    match event:
        case DeviceUp():
            return observations.RecordDeviceUp(event.device)
        case DeviceDown():
            return observations.RecordDeviceDown(event.device, event.reason)
        case WrongDeviceSetting():
            return observations.RecordDeviceMisconfigured(
                event.device, event.setting, f"{event.actual}, expected {event.expected}"
            )
        case PressesLost():
            return observations.RecordPressesLost(event.device, event.count)


def _drop_stale_ask_marks(transition: Transition) -> Transition:
    """Remove spots from `ask_now`, the spots to ask the dealer about, if they need no explanation now.

    If such a spot needs an explanation again later, its delay starts from the beginning.
    """
    live = transition.live
    if not live.ended_delays.ask_now:
        return transition
    return transition._replace(
        live=live._replace(
            ended_delays=live.ended_delays._replace(
                ask_now=live.ended_delays.ask_now & {spot for spot, _ in _awaiting_explanation(live)}
            )
        )
    )


def _run_keys_after_report(transition: Transition, spot: str) -> Transition:
    """Apply the key presses that waited for a reading of this spot."""
    if not transition.live.reader.active and not transition.live.queued_keys:
        return transition
    return key_queue.run_ready_keys(transition._replace(live=key_queue.mark_reported(transition.live, spot)))


def handle_command(
    live: Live, step: Step, at_us: int, *, source: StepSource = "dealer", shown_turn: int | None = None
) -> Transition:
    """Return the transition for a command of a person.

    `shown_turn` is the seat that the person's screen showed as the seat in turn.
    """
    transition = key_queue.run_or_queue_command(Transition(live, at_us=at_us), step, source, shown_turn)
    return _drop_stale_ask_marks(
        key_queue.run_ready_keys(transition) if transition.steps and transition.live.queued_keys else transition
    )


def handle_program_error(live: Live, about: Event | Step | None, message: str, at_us: int) -> Transition:
    """Return the transition that records an error of this program.

    `about` is the event or command that the program failed to handle, or None if it failed in `tick`. Such an event or
    command has no other effect. `message` is for the technician. If the program failed on an event of a spot, the spot
    counts as doubtful until its next reading.
    """
    spot = about.spot if isinstance(about, StackProvisional | StackSettled | SpotOffline | SpotOnline) else ""
    return Transition(live, at_us=at_us).apply("sensor", observations.RecordProgramError(spot, message))


def tick(live: Live, now_us: int) -> Transition:
    """Return the transition that only the passage of time until `now_us` causes."""
    transition = Transition(live, at_us=now_us)
    if live.queued_keys:
        transition = key_queue.run_ready_keys(transition)
    transition = pending.apply_withdrawn_chips(transition)
    if live.setup.has_clock:
        transition = _count_minutes(transition)
    live_after = _mark_overdue(transition.live, now_us)
    has_new_late_reading = (
        live_after.reader.earlier_seats and live_after.reader.unsettled != transition.live.reader.unsettled
    )
    transition = transition._replace(live=live_after)
    return pending.apply_resolved_pending(transition) if has_new_late_reading else transition


def _count_minutes(transition: Transition) -> Transition:
    """Add a step for the minutes that have passed since the last such step, if the game depends on time.

    When the machine restarts, its clock starts again, and nobody knows how long the machine was off. The time it was
    off therefore counts as one minute.
    """
    live, now_us = transition.live, transition.at_us
    minutes = (now_us - live.times.minutes_counted_us) // MINUTE_US if now_us >= live.times.minutes_counted_us else 1
    if not live.times.minutes_counted_us or not minutes or not tournament.depends_on_time(live.table):
        return transition
    return transition.apply("sensor", table_steps.TimePasses(min(minutes, MAX_CLOCK_MINUTES)))


def _mark_overdue(live: Live, now_us: int) -> Live:
    """Return the state in which every delay that has ended by now is marked as ended.

    The delays concern moving chips, open questions, actions that wait for their turn, the clock of a player, and chips
    in the pot after the last award.
    """
    late_readings = {
        name: reading._replace(is_late=True)
        for name, reading in live.reader.unsettled.items()
        if not reading.is_late and has_elapsed(reading.first_seen_us, now_us, UNSETTLED_TIMEOUT_US)
    }
    if late_readings:
        live = live._replace(reader=live.reader._replace(unsettled={**live.reader.unsettled, **late_readings}))
    ask_now = frozenset(
        spot
        for spot, at_us in _awaiting_explanation(live)
        if spot in live.ended_delays.ask_now or has_elapsed(at_us, now_us, ASK_DELAY_US)
    )
    held_too_long = frozenset(
        seat
        for seat, at_us in live.out_of_turn.held_since_us.items()
        if has_elapsed(at_us, now_us, HELD_ACTION_DELAY_US)
    )
    if (ask_now, held_too_long) != (live.ended_delays.ask_now, live.ended_delays.held_too_long):
        live = live._replace(ended_delays=live.ended_delays._replace(ask_now=ask_now, held_too_long=held_too_long))
    if live.ended_delays.clock_seat and live.ended_delays.clock_seconds_left:
        elapsed_s = (now_us - live.ended_delays.clock_called_us) // SECOND_US
        left = max(0, live.table.game.clock_seconds - elapsed_s) if elapsed_s >= 0 else 0
        if left != live.ended_delays.clock_seconds_left:
            live = live._replace(ended_delays=live.ended_delays._replace(clock_seconds_left=left))
    if live.ended_delays.floor_called_us:
        minutes = max(0, now_us - live.ended_delays.floor_called_us) // MINUTE_US
        if minutes != live.ended_delays.floor_waiting_minutes:
            live = live._replace(ended_delays=live.ended_delays._replace(floor_waiting_minutes=minutes))
    if (
        not live.ended_delays.has_unawarded_chips
        and may_have_unawarded_chips(live)
        and has_elapsed(_unawarded_since(live), now_us, UNAWARDED_CHIPS_DELAY_US)
    ):
        live = live._replace(ended_delays=live.ended_delays._replace(has_unawarded_chips=True))
    return live


def _awaiting_explanation(live: Live) -> list[tuple[str, int]]:
    """Return (spot, time in µs) for each spot with chips that the next event may explain.

    The time is the start of a delay of `ASK_DELAY_US`. If no event explains the chips within this delay, the dealer is
    asked.
    """
    vanished = [(spot, reading.gone_us) for spot, reading in live.reader.vanished.items()]
    return vanished + [
        (name, spot.pending.since_us)
        for name, spot in live.spots.items()
        if spot.pending is not None
        and PENDING_POLICIES[spot.pending.reason].is_asked_late
        and name not in live.reader.vanished
    ]


def _unawarded_since(live: Live) -> int:
    """Return the start of the delay after which chips left in the pot are reported."""
    return max(live.times.hand_ended_us, live.spots.get(POT, UNREAD_SPOT).changed_us)


def next_deadline_us(live: Live) -> int | None:
    """Return the latest time at which `tick` must be called, or None if time alone changes nothing."""
    deadlines = [
        reading.first_seen_us + UNSETTLED_TIMEOUT_US
        for reading in live.reader.unsettled.values()
        if not reading.is_late
    ]
    due_us = next_key_deadline_us(live)
    deadlines += [due_us] if due_us is not None else []
    deadlines += [
        at_us + ASK_DELAY_US for spot, at_us in _awaiting_explanation(live) if spot not in live.ended_delays.ask_now
    ]
    deadlines += [
        at_us + HELD_ACTION_DELAY_US
        for seat, at_us in live.out_of_turn.held_since_us.items()
        if seat not in live.ended_delays.held_too_long
    ]
    deadlines += [
        emptied_us + LONE_EMPTY_SPOT_DELAY_US
        for seat in pending_seats_for(live, "emptied")
        if (emptied_us := pending.withdrawn_chips_us(live, seat)) is not None
    ]
    if not live.ended_delays.has_unawarded_chips and may_have_unawarded_chips(live):
        deadlines.append(_unawarded_since(live) + UNAWARDED_CHIPS_DELAY_US)
    if live.setup.has_clock and live.times.minutes_counted_us and tournament.depends_on_time(live.table):
        deadlines.append(live.times.minutes_counted_us + MINUTE_US)
    if live.ended_delays.clock_seat and live.ended_delays.clock_seconds_left:
        next_second = live.table.game.clock_seconds - live.ended_delays.clock_seconds_left + 1
        deadlines.append(live.ended_delays.clock_called_us + next_second * SECOND_US)
    if live.ended_delays.floor_called_us:
        minutes = live.ended_delays.floor_waiting_minutes + 1
        deadlines.append(live.ended_delays.floor_called_us + minutes * MINUTE_US)
    return min(deadlines, default=None)
