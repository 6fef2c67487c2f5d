"""When something was, as a person at the table reads it off a clock."""

from __future__ import annotations

import time

from firmware_bridge.clock import monotonic_us


def time_of_day(at_us: int) -> int:
    """Seconds since midnight where the table stands, of a time of the monotonic clock that runs now."""
    then = time.localtime(time.time() - (monotonic_us() - at_us) / 1_000_000)
    return (then.tm_hour * 60 + then.tm_min) * 60 + then.tm_sec
