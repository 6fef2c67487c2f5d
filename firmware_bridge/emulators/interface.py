"""Interface of all emulators for the owner of their bytes: `SimulatedLine` or `PtyDevice`."""

from __future__ import annotations

from typing import Protocol


class Emulator(Protocol):
    """An emulated device.

    Its owner passes in the time, as µs of a monotonic clock. Output is a list of (at_us, bytes), in which `at_us` is
    the time at which the last of these bytes reaches the host. The times that the owner passes in never go back. The
    times of the output never go back either.
    """

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Return the output that these bytes from the host cause. The bytes may arrive in pieces of any size."""

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Return output without a request. Call this after every change of the emulator, and at `next_deadline_us`."""

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if it need not be called before another event."""
