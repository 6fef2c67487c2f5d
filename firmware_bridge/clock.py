"""The clock that everything outside the pure parts reads."""

from __future__ import annotations

import time


def monotonic_us() -> int:
    """The host's monotonic clock in microseconds: `at_us` and `now_us` everywhere are of this clock."""
    return time.monotonic_ns() // 1000
