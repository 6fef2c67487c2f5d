"""Stack detection for all spots of a table, which turns good and failed readings into events."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from hardware.events import Event, SpotOffline, SpotOnline, WeakTagFound
from hardware.spots import SpotAntenna, seat_of_spot
from hardware.stack_detection.defective_tags import WeakTagHistory
from hardware.stack_detection.interference import InterferenceDetector
from hardware.stack_detection.spot_contents import TagCatalog
from hardware.stack_detection.spot_reporter import NEVER_CHANGED_US, UNREADABLE_FAULTS, DetectionTimes, SpotReporter
from hardware.stack_detection.spot_tracker import SpotTracker
from hardware.stack_detection.tag_locator import TagLocator

MIN_OFFLINE_FAULTS: Final = 2
"""Number of failed readings after which a spot can go offline. A spot with fewer failed readings goes offline only
after twice the usual time."""
MIN_DARK_SPOTS: Final = 3
"""Number of spots of one reader whose common failure proves a fault of the reader. An arm cannot cover three such
spots, because neighbouring seats are connected to different readers."""
DARK_SPOTS_TIMEOUT_US: Final = 300_000
"""Time for which several spots of a reader must have failed before they go offline. A hand that waves over the spots
covers each spot for a shorter time."""
MAX_FLAPS: Final = 3
"""Number of times that a spot must go offline within `FLAPPING_WINDOW_US` to count as flapping. A flapping spot needs
more than one good reading to be online again, because a loose cable would otherwise fill the journal."""
FLAPPING_WINDOW_US: Final = 60_000_000
"""Time within which a spot must go offline `MAX_FLAPS` times to be flapping."""
STABLE_ONLINE_US: Final = 5_000_000
"""Time without a failed reading after which a flapping spot is online again."""


@dataclass(slots=True)
class _SpotState:
    """State of a spot: its tags, its last report, and whether it can be read."""

    tracker: SpotTracker
    reporter: SpotReporter
    last_good_us: int
    """Time of the last good reading, or the time since which a good reading is expected."""
    is_online: bool | None = None
    """Whether the spot is online, or None until its first good reading or its timeout."""
    fault_count: int = 0
    failing_since_us: int = 0
    """Time since which every reading has failed, or 0 if the last reading was good."""
    last_fault: str = ""
    offline_times_us: tuple[int, ...] = ()
    """Last times at which the spot went offline, at most `MAX_FLAPS`. A reading that fails just before the spot would
    be online again counts as going offline."""
    stable_since_us: int | None = None
    """Time since which all readings of an offline spot were good, or None if the last reading failed."""

    @property
    def repeated_failure_since_us(self) -> int | None:
        """Return the time since which all readings of the spot have failed.

        Return None if the last reading was good, or if only one reading has failed and the spot is not offline.
        """
        is_failing = self.failing_since_us and (self.fault_count >= MIN_OFFLINE_FAULTS or self.is_online is False)
        return self.failing_since_us if is_failing else None


class StackDetector:
    """Stack detection for all spots of a table.

    Readings and faults must be recorded in the order of their times. Each method that records something returns the
    resulting events.
    """

    def __init__(
        self, spot_antennas: Iterable[SpotAntenna], catalog: TagCatalog, times: DetectionTimes, now_us: int = 0
    ) -> None:
        """Create a detector in which no spot has been read yet. `catalog` decides which tags are chips or lammers."""
        spot_antennas = tuple(spot_antennas)
        heaps = [spot_antenna.spot for spot_antenna in spot_antennas if spot_antenna.is_heap]
        locator = TagLocator({antenna.spot: antenna.neighbours for antenna in spot_antennas}, heaps)
        self._states: dict[str, _SpotState] = {}
        self._states_of_reader: dict[str, list[_SpotState]] = {}
        """States of all spots of the same reader, by spot."""
        states_by_reader: dict[str, list[_SpotState]] = {}
        for spot_antenna in spot_antennas:
            spot = spot_antenna.spot
            tracker = SpotTracker(spot, locator, now_us)
            reporter = SpotReporter(tracker, spot_antenna, catalog, times)
            state = self._states[spot] = _SpotState(tracker, reporter, now_us)
            self._states_of_reader[spot] = states_by_reader.setdefault(spot_antenna.reader, [])
            self._states_of_reader[spot].append(state)
        self._catalog = catalog
        self._weak_tag_history = WeakTagHistory()
        self._interference = InterferenceDetector(state.tracker for state in self._states.values())
        self._offline_us = times.offline_us
        self._deadline_us = now_us
        """Time before which no spot can go offline. A failed reading may make this time earlier."""

    # --- inputs ---

    def record_reading(self, name: str, tags: tuple[str, ...], at_us: int, is_complete: bool = True) -> list[Event]:
        """Record a good reading of a spot, with the UIDs of all tags in sorted order.

        `is_complete` is False if more tags answered than the reader reported.
        """
        state = self._states[name]
        events: list[Event] = []
        if not state.is_online:
            if state.stable_since_us is None:
                state.stable_since_us = at_us
            if _is_flapping(state, at_us) and at_us - state.stable_since_us < STABLE_ONLINE_US:
                return []
            state.is_online, state.stable_since_us = True, None
            self._deadline_us = at_us
            state.tracker.restart_quiet_time(at_us)
            state.reporter.restart(at_us)
            events.append(SpotOnline(name, at_us))
        elif state.fault_count >= UNREADABLE_FAULTS:
            state.tracker.restart_quiet_time(at_us)
        state.last_good_us = at_us
        state.fault_count, state.failing_since_us = 0, 0
        state.last_fault = ""
        if is_complete:
            self._interference.record_reading(state.tracker, tags, at_us)
        is_new = state.tracker.record_reading(tags, at_us, is_complete, self.has_interference(at_us))
        events += state.reporter.on_reading(is_new, at_us)
        return events + self._weak_tag_events(state.tracker, at_us) if state.tracker.just_departed else events

    def record_fault(self, name: str, code: str, at_us: int) -> list[Event]:
        """Record a failed reading, which proves nothing about the chips but may mean a hand over the spot."""
        state = self._states[name]
        state.fault_count += 1
        state.last_fault = code
        state.failing_since_us = state.failing_since_us or at_us
        _record_interruption(state, at_us)
        online_states = [other for other in self._states_of_reader[name] if other.is_online is not False]
        self._deadline_us = min([self._deadline_us, *map(self._offline_at_us, online_states)])
        if state.is_online is False:
            return []
        state.tracker.record_failure()
        active_events = state.reporter.on_read_failures(state.fault_count, at_us) if state.is_online else []
        return [*active_events, *self.poll(at_us)]

    def set_presence_sensors(self, spots: Collection[str]) -> None:
        """Record the spots with a presence sensor that works."""
        for name, state in self._states.items():
            reporter = state.reporter
            if name not in spots:
                reporter.presence_changed_us = None
            elif reporter.presence_changed_us is None:
                reporter.presence_changed_us = NEVER_CHANGED_US

    def record_presence_change(self, name: str, now_us: int) -> None:
        """Record that the presence sensor of the spot has changed. Do nothing if the sensor is not used."""
        reporter = self._states[name].reporter
        if reporter.presence_changed_us is not None:
            reporter.presence_changed_us = now_us

    def restart_offline_timeout(self, names: Iterable[str], now_us: int) -> None:
        """Restart the offline timeout of spots that the scheduler deliberately does not read now.

        A spot with several failed readings keeps its timeout.
        """
        for name in names:
            state = self._states[name]
            if state.fault_count < MIN_OFFLINE_FAULTS:
                state.last_good_us = max(state.last_good_us, now_us)
        self._update_deadline(now_us)

    def record_link_down(self, names: Iterable[str], reason: str, at_us: int) -> list[Event]:
        """Record that the reader of these spots has lost its link."""
        states = [self._states[name] for name in names]
        for state in states:
            _record_interruption(state, at_us)
            state.failing_since_us = 0
        return [self._set_offline(state, reason, at_us) for state in states if state.is_online is not False]

    def poll(self, now_us: int) -> list[Event]:
        """Return the events of spots that had no good reading for too long and go offline."""
        if now_us < self._deadline_us:
            return []
        waited_for = [state for state in self._states.values() if state.is_online is not False]
        late = [state for state in waited_for if now_us >= self._offline_at_us(state)]
        events = [self._set_offline(state, state.last_fault or "no-reading", now_us) for state in late]
        self._update_deadline(now_us)
        return events

    # --- queries ---

    def next_deadline_us(self) -> int:
        """Return the latest time at which to call `poll` again."""
        return self._deadline_us

    def earliest_settle_us(self, name: str) -> int | None:
        """Return the earliest time at which a reading can settle the spot.

        Return None if the spot is settled or not online.
        """
        state = self._states[name]
        return None if not state.is_online or state.reporter.is_settled else state.reporter.earliest_settle_us

    def is_unsure(self, name: str) -> bool:
        """Return True if another reading of the spot is needed, because the last readings differ.

        A settled stack needs another reading if a fifth of its chips is missing, but not if one chip of ten is missing.
        """
        state = self._states[name]
        return bool(state.is_online) and state.reporter.is_unsure

    def is_online(self, name: str) -> bool | None:
        """Return whether the spot is online, or None until its first good reading or its timeout."""
        return self._states[name].is_online

    def has_interference(self, now_us: int) -> bool:
        """Return True if interference disturbs the antennas, so that missed readings say nothing about the chips."""
        return self._interference.is_active(now_us)

    def has_lasting_interference(self, now_us: int) -> bool:
        """Return True if interference has disturbed the antennas for so long that it is worth a note."""
        return self._interference.is_lasting(now_us)

    def is_elsewhere(self, name: str, uid: str) -> bool:
        """Return True if the tag is present at another spot."""
        return self._states[name].tracker.is_elsewhere(uid)

    def settled_tags(self, name: str) -> frozenset[str] | None:
        """Return the tags of the settled stack, or None if the spot is offline or not settled."""
        state = self._states[name]
        return state.tracker.present_tags if state.is_online and state.reporter.is_settled else None

    # --- implementation ---

    def _weak_tag_events(self, spot: SpotTracker, at_us: int) -> list[Event]:
        """Return an event for each weak chip that has just left a bet spot."""
        if seat_of_spot(spot.name) is None:
            return []
        weak = [
            track.uid for track in spot.just_departed if self._weak_tag_history.record_removal(track, spot.peak_count)
        ]
        values = ((uid, self._catalog.denomination(uid)) for uid in weak)
        return [WeakTagFound(spot.name, uid, value, at_us) for uid, value in values if value is not None]

    def _update_deadline(self, now_us: int) -> None:
        """Update the earliest time at which a spot goes offline unless a good reading comes first."""
        waited_for = (self._offline_at_us(state) for state in self._states.values() if state.is_online is not False)
        self._deadline_us = min(waited_for, default=now_us + self._offline_us)

    def _offline_at_us(self, state: _SpotState) -> int:
        timeout_factor = 1 if state.fault_count >= MIN_OFFLINE_FAULTS else 2
        own_offline_us = state.last_good_us + timeout_factor * self._offline_us
        group_offline_us = self._group_offline_us(state) if state.fault_count else None
        return own_offline_us if group_offline_us is None else min(own_offline_us, group_offline_us)

    def _group_offline_us(self, state: _SpotState) -> int | None:
        """Return the time at which this spot goes offline together with other spots of its reader.

        Return None if fewer than `MIN_DARK_SPOTS` spots of the reader began to fail at about the same time.
        """
        starts_us = [other.repeated_failure_since_us for other in self._states_of_reader[state.tracker.name]]
        together = sorted(
            us for us in starts_us if us is not None and abs(us - state.failing_since_us) < self._offline_us
        )
        return together[MIN_DARK_SPOTS - 1] + DARK_SPOTS_TIMEOUT_US if len(together) >= MIN_DARK_SPOTS else None

    def _set_offline(self, state: _SpotState, reason: str, at_us: int) -> Event:
        state.tracker.forget()
        state.is_online = False
        state.fault_count = 0
        state.offline_times_us = _add_offline_time(state.offline_times_us, at_us)
        return SpotOffline(state.tracker.name, reason, at_us)


def _record_interruption(state: _SpotState, at_us: int) -> None:
    """Record that a reading failed while a flapping spot was about to be online again."""
    if state.stable_since_us is not None:
        state.stable_since_us, state.offline_times_us = None, _add_offline_time(state.offline_times_us, at_us)


def _add_offline_time(offline_times_us: tuple[int, ...], at_us: int) -> tuple[int, ...]:
    return (*offline_times_us[1 - MAX_FLAPS :], at_us)


def _is_flapping(state: _SpotState, at_us: int) -> bool:
    return len(state.offline_times_us) == MAX_FLAPS and at_us - state.offline_times_us[0] < FLAPPING_WINDOW_US
