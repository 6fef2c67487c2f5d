"""How much a port may say: what comes faster than its line can carry is no device of ours.

Pure: bytes and times go in.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

BITS_A_BYTE: Final = 10
"""Start, eight data bits, stop: a line carries no more bytes than that, with a parity bit fewer."""
SLACK: Final = 2
"""So many times the line's rate is let pass: adapters hand over what they have kept."""
BURST_BYTES: Final = 4096
"""What the kernel has kept of a port while this process was busy with something else."""
READS_A_S: Final = 400
"""More reads a second are those of a port that says byte after byte: it is read in larger pieces from then on."""

Verdict: TypeAlias = Literal["goes on", "rests", "babbles"]
"""`rests`: to be read again after a moment. `babbles`: to be closed."""


class Budget:
    """What has come from one port, less what it may say in the time."""

    def __init__(self) -> None:
        self._at_us = 0
        self._bytes = 0.0
        self._reads = 0.0

    def spend(self, count: int, baud: int, now_us: int) -> Verdict:
        """So many bytes were read in one piece from a port of this speed."""
        passed_s = max(0, now_us - self._at_us) / 1e6
        rate = SLACK * baud / BITS_A_BYTE
        self._at_us = now_us
        self._bytes = max(0.0, self._bytes - rate * passed_s) + count
        self._reads = max(0.0, self._reads - READS_A_S * passed_s) + 1
        if self._bytes > rate + BURST_BYTES:
            return "babbles"
        return "rests" if self._reads > READS_A_S else "goes on"
