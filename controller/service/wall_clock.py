"""Jumps of the machine's wall clock, while the service runs and while it was stopped.

The wall clock minus the monotonic clock is the time of the boot. Only a jump of the wall clock changes it, because a
time server that corrects a clock slowly corrects both clocks. The time for which a machine is suspended also counts as
a jump, because the monotonic clock then stops.
"""

from __future__ import annotations

import time
from typing import Final

from controller.journal import Record
from controller.rules import MAX_AMOUNT
from controller.steps import Step, observations
from firmware_bridge.clock import monotonic_us

MAX_CLOCK_DRIFT_US: Final = 1_000_000
"""Maximum change of the wall clock against the monotonic clock, in µs, between two checks that is no jump.

A time server slows the clock down by less than a millisecond between two checks. It sets the clock at once if the clock
is wrong by more.
"""
MAX_WRITE_DELAY_US: Final = 5_000_000
"""Maximum time in µs from a step to the wall-clock time of its record that is no jump. A disk may delay a record."""


class WallClockWatch:
    """Finds jumps of the wall clock, which the monotonic clock does not have."""

    def __init__(self) -> None:
        self._offset_us = _wall_clock_offset_us()

    def find_jump_ms(self) -> int:
        """Return by how many milliseconds the wall clock has jumped ahead since the last call, or 0.

        The number is negative if the clock has jumped back.
        """
        previous_us, self._offset_us = self._offset_us, _wall_clock_offset_us()
        jump_us = self._offset_us - previous_us
        return jump_us // 1000 if abs(jump_us) > MAX_CLOCK_DRIFT_US else 0


def find_jump_since_ms(last: Record, *, is_same_boot: bool) -> int:
    """Return by how many milliseconds the wall clock has jumped ahead since the last record was written, or 0.

    The number is negative if the clock has jumped back. After a reboot, nobody knows how long the machine was off. Then
    a jump is found only if the clock at the boot was behind the record. It has then jumped back by at least this time.

    Example: the last record is of 20:00, and the machine was booted at 19:10 by its present clock. The clock has then
    jumped back by at least 50 minutes.
    """
    if not last.wall_ms:
        return 0
    wall_us, offset_us = last.wall_ms * 1000, _wall_clock_offset_us()
    jump_us = offset_us - (wall_us - last.at_us)
    if not is_same_boot and abs(jump_us) > MAX_WRITE_DELAY_US:
        jump_us = min(0, offset_us - wall_us)
    return jump_us // 1000 if abs(jump_us) > MAX_WRITE_DELAY_US else 0


def clock_jump_step(jump_ms: int) -> Step:
    """Return the observation that the wall clock has jumped by this time, ahead or, if negative, back.

    A record that somebody has forged may have any time, so the amount is limited to what a step can have.
    """
    return observations.ClockJumped("ahead" if jump_ms > 0 else "back", min(abs(jump_ms), MAX_AMOUNT))


def _wall_clock_offset_us() -> int:
    return time.time_ns() // 1000 - monotonic_us()
