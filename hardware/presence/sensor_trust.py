"""Comparison of presence sensors with the antennas of their spots."""

from __future__ import annotations

from collections import deque
from typing import Final, Literal, TypeAlias

from firmware_bridge.driver_messages import PresenceChanged
from hardware.layout import TableLayout

SensorFault: TypeAlias = Literal["", "silent", "noisy"]

MAX_LEAD_US: Final = 3_000_000
"""Maximum time, in µs, by which a sensor may change before the antenna shows the change. It is longer than the time for
which a bet spot of a full table is not read."""
MAX_MISSED_CHANGES: Final = 4
"""Number of new contents in a row without a change of the sensor, after which the sensor counts as silent. A weak tag
may look like new contents once or twice."""
MIN_AGREEING_CHANGES: Final = 3
"""Number of new contents in a row with a change of the sensor, after which a silent sensor is used again."""
NOISE_WINDOW_US: Final = 4_000_000
"""Time, in µs, in which the changes of a sensor are counted."""
MAX_CHANGES: Final = 20
"""Maximum number of changes in that time. A stack that is put down chip by chip causes fewer changes."""
QUIET_US: Final = 10_000_000
"""Time, in µs, for which a noisy sensor must not change until it is used again."""


class PresenceSensor:
    """Presence sensor of a spot. `fault` is the reason why the sensor is not used, or ""."""

    def __init__(self) -> None:
        self.fault: SensorFault = ""
        self._changed_us: int | None = None
        self._recent: deque[tuple[int, int]] = deque()
        """Time and number of the changes within `NOISE_WINDOW_US`."""
        self._missed_count = 0
        self._agreeing_count = 0

    def record_change(self, changes: int, at_us: int) -> None:
        """Record changes of the sensor, the last of them at this time."""
        if self.fault == "noisy" and self._changed_us is not None and at_us - self._changed_us >= QUIET_US:
            self.fault = ""
        self._changed_us = at_us
        self._recent.append((at_us, changes))
        while self._recent[0][0] <= at_us - NOISE_WINDOW_US:
            self._recent.popleft()
        if sum(count for _, count in self._recent) > MAX_CHANGES:
            self.fault = "noisy"

    def record_new_contents(self, first_seen_us: int) -> None:
        """Record that the antenna shows other contents of the spot, noticed first at this time."""
        if self._changed_us is not None and self._changed_us >= first_seen_us - MAX_LEAD_US:
            self._missed_count = 0
            self._agreeing_count += 1
            if self.fault == "silent" and self._agreeing_count >= MIN_AGREEING_CHANGES:
                self.fault = ""
            return
        self._agreeing_count = 0
        self._missed_count += 1
        if self._missed_count >= MAX_MISSED_CHANGES and not self.fault:
            self.fault = "silent"


class PresenceSensors:
    """All presence sensors of a layout."""

    def __init__(self, layout: TableLayout) -> None:
        self._spots = {(panel.name, number): spot for panel in layout.panels for number, spot in panel.presence.items()}
        self._sensors = {spot: PresenceSensor() for spot in self._spots.values()}
        self._boards_up: set[str] = set()
        self._contents: dict[str, frozenset[str]] = {}
        """UIDs of the chips in the last settled stack of every spot with a sensor."""

    @property
    def usable_spots(self) -> frozenset[str]:
        """Return the spots whose sensors work, as far as their antennas show."""
        return frozenset(
            spot
            for (board, _), spot in self._spots.items()
            if board in self._boards_up and not self._sensors[spot].fault
        )

    @property
    def faults(self) -> dict[str, SensorFault]:
        """Return the fault of every sensor that is not used because of a fault, by spot."""
        return {spot: sensor.fault for spot, sensor in self._sensors.items() if sensor.fault}

    def set_board_up(self, board: str, *, is_up: bool) -> None:
        """Record that a panel board answers, or that it does not answer."""
        if is_up:
            self._boards_up.add(board)
        else:
            self._boards_up.discard(board)

    def record_change(self, change: PresenceChanged) -> str | None:
        """Record the change of a sensor, and return the spot to read.

        Return None if the sensor is not used, or if the input has no spot.
        """
        spot = self._spots.get((change.board, change.input))
        if spot is None:
            return None
        sensor = self._sensors[spot]
        sensor.record_change(change.changes, change.at_us)
        return None if sensor.fault == "noisy" else spot

    def record_settled(self, spot: str, uids: frozenset[str], first_seen_us: int) -> None:
        """Record the settled stack of a spot. Do nothing if the spot has no sensor or its chips are those of before."""
        sensor, before = self._sensors.get(spot), self._contents.get(spot)
        if sensor is None or uids == before:
            return
        self._contents[spot] = uids
        if before is not None:
            sensor.record_new_contents(first_seen_us)
