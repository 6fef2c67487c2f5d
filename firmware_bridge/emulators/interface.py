"""Interface of the emulators. `SimulatedLine` and `PtyDevice` use it to carry the bytes of an emulator."""

from __future__ import annotations

from typing import Protocol


class Emulator(Protocol):
    """An emulated device.

    Its owner passes in the time, in µs of a monotonic clock that never goes back. Output is a list of (at_us, bytes) in
    order of time. `at_us` is the time at which the last of these bytes reaches the host.
    """

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Pass bytes from the host to the device, and return the device's output.

        The bytes may arrive in pieces of any size.
        """

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """Return the output that the device sends without a request.

        Call this method at `next_deadline_us`, and whenever the state of the emulator was changed.
        """

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if there is no such time."""
