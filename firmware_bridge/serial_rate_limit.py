"""Rate limit of a serial port, which detects devices that send more than their line can carry.

The module is pure: numbers of bytes and times are passed in.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

BITS_PER_BYTE: Final = 10
"""Bits per byte on the line: start, eight data bits and stop. A parity bit only makes the line slower."""
RATE_TOLERANCE: Final = 2
"""Factor by which a port may exceed the rate of its line, because adapters deliver what they have buffered."""
MAX_BURST_BYTES: Final = 4096
"""Bytes that the kernel may have buffered for a port while this process was busy."""
MAX_READS_PER_SECOND: Final = 400
"""Maximum reads of a port per second. More reads mean that the port delivers single bytes. Its owner then reads less
often, in larger pieces."""

RateDecision: TypeAlias = Literal["continue", "pause", "close"]
"""What the owner of the port must do: continue, read again after a pause, or close the port."""


class RateLimiter:
    """Counters of the bytes and reads of a port beyond those that its line speed allows."""

    def __init__(self) -> None:
        self._at_us = 0
        self._bytes = 0.0
        self._reads = 0.0

    def consume(self, count: int, baud: int, now_us: int) -> RateDecision:
        """Record that `count` bytes were read at once from a port of this speed, and return what to do."""
        passed_s = max(0, now_us - self._at_us) / 1e6
        rate = RATE_TOLERANCE * baud / BITS_PER_BYTE
        self._at_us = now_us
        self._bytes = max(0.0, self._bytes - rate * passed_s) + count
        self._reads = max(0.0, self._reads - MAX_READS_PER_SECOND * passed_s) + 1
        if self._bytes > rate + MAX_BURST_BYTES:
            return "close"
        return "pause" if self._reads > MAX_READS_PER_SECOND else "continue"
