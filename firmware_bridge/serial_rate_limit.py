"""Rate limit of a serial port, which detects devices that send more than their line can carry.

The module does not read a clock or a port. The caller passes in the number of bytes and the time.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

BITS_PER_BYTE: Final = 10
"""Bits on the line for each byte: one start bit, eight data bits and one stop bit. With a parity bit the line would be
slower."""
RATE_TOLERANCE: Final = 2
"""Factor by which the bytes from a port may exceed the rate of its line, because adapters deliver buffered bytes
faster."""
MAX_BURST_BYTES: Final = 4096
"""Number of bytes that may arrive at once beyond the rate. The kernel may have buffered them while this process was
busy."""
MAX_READS_PER_SECOND: Final = 400
"""Maximum number of reads of a port per second. More reads mean that the port delivers its bytes one by one. The owner
of the port then reads less often, so that each read returns more bytes."""

RateDecision: TypeAlias = Literal["continue", "pause", "close"]
"""What the owner of a port must do after a read: continue, pause before the next read, or close the port."""


class RateLimiter:
    """Rate limiter of a port, which counts the bytes and the reads that exceed its limits."""

    def __init__(self) -> None:
        self._at_us = 0
        self._bytes = 0.0
        self._reads = 0.0

    def consume(self, count: int, baud: int, now_us: int) -> RateDecision:
        """Record a read of `count` bytes from a port of this speed. Return what the owner of the port must do."""
        passed_s = max(0, now_us - self._at_us) / 1e6
        rate = RATE_TOLERANCE * baud / BITS_PER_BYTE
        self._at_us = now_us
        self._bytes = max(0.0, self._bytes - rate * passed_s) + count
        self._reads = max(0.0, self._reads - MAX_READS_PER_SECOND * passed_s) + 1
        if self._bytes > rate + MAX_BURST_BYTES:
            return "close"
        return "pause" if self._reads > MAX_READS_PER_SECOND else "continue"
