"""The host's monotonic clock. Pure modules do not read it, because their callers pass in the time."""

from __future__ import annotations

import time


def monotonic_us() -> int:
    """Return the host's monotonic clock in µs. All `at_us` and `now_us` are times of this clock."""
    return time.monotonic_ns() // 1000
