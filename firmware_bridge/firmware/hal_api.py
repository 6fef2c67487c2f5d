"""Interface between firmware and board, for type checkers only. It is not copied to the board."""

from __future__ import annotations

from typing import Protocol


class Hal(Protocol):
    """Hardware of a board with at most 32 buttons and 32 lamps.

    Methods must not block, and the clock must never stop. The clock may be coarse. Bytes may be lost, because both ends
    repeat their frames.
    """

    button_count: int
    lamp_count: int

    def nonce(self) -> int:
        """Return a number from 1 to 2**32 - 1 that differs at each boot."""

    def now_us(self) -> int:
        """Return a time in µs that never wraps and never goes back."""

    def button_levels(self) -> int:
        """Return the mask of the buttons that are pressed now, without debouncing."""

    def set_lamps(self, mask: int) -> None:
        """Turn on exactly the lamps of this mask."""

    def receive(self) -> bytes:
        """Return some bytes from the host, at most a fixed number, or no bytes if none arrived."""

    def send(self, data: bytes) -> None:
        """Send bytes to the host and drop what does not fit."""

    def sleep_briefly(self) -> None:
        """Sleep for at most a millisecond."""
