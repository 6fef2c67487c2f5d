"""What every emulated device offers to those who carry its bytes (a simulation, or `pty.PtyDevice`)."""

from __future__ import annotations

from typing import Protocol


class Emulator(Protocol):
    """A device in somebody else's time: microseconds of one monotonic clock that never goes back.

    What comes out is a list of (at_us, bytes): the moment at which the last of these bytes has reached the
    host. These moments never go back either.
    """

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Bytes from the host, in any chunking."""

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        """What the device says by itself. To be called after whatever was done to it, and at its deadline."""

    def next_deadline_us(self) -> int | None:
        """When `poll` has to be called at the latest; None: not before something else happens."""
