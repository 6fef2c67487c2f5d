"""Times as people at the table read them from a clock."""

from __future__ import annotations

import time

from firmware_bridge.clock import monotonic_us


def time_of_day(at_us: int) -> int:
    """Return the local time, in seconds since midnight, for a time of the monotonic clock in µs."""
    local = time.localtime(time.time() - (monotonic_us() - at_us) / 1_000_000)
    return (local.tm_hour * 60 + local.tm_min) * 60 + local.tm_sec
