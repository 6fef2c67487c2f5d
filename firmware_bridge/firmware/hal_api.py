"""Interface between the firmware and the board's hardware.

Only type checkers use this file, so it is not copied to the board.
"""

from __future__ import annotations

from typing import Protocol


class Hal(Protocol):
    """Interface to the hardware of a board with at most 32 buttons, 32 lamps and 32 presence inputs.

    Methods must not block. The clock must never stop, but it may be coarse. Bytes may be lost, because host and board
    repeat their frames.
    """

    button_count: int
    lamp_count: int
    presence_count: int

    def nonce(self) -> int:
        """Return a random number for this boot, from 1 to 2**32 - 1. It differs from that of other boots."""

    def serial(self) -> int:
        """Return a number of 64 bits that identifies this board. It never changes."""

    def now_us(self) -> int:
        """Return the time in µs since some moment. The result never wraps and never decreases."""

    def button_levels(self) -> int:
        """Return the buttons that are pressed now as a bit mask, without debouncing."""

    def presence_levels(self) -> int:
        """Return the levels of the presence inputs as a bit mask, without debouncing."""

    def set_lamps(self, mask: int) -> None:
        """Turn on the lamps that the bit mask selects, and turn off all others."""

    def receive(self) -> bytes:
        """Return received bytes from the host, up to a fixed number. Return no bytes if none have arrived."""

    def send(self, data: bytes) -> None:
        """Send bytes to the host. Drop bytes for which the buffer has no room."""

    def start_watchdog(self) -> None:
        """Start a timer that restarts the board unless `feed_watchdog` is called again and again."""

    def feed_watchdog(self) -> None:
        """Start the time of the watchdog again."""

    def restart(self) -> None:
        """Restart the board at once. On a board this does not return."""

    def sleep_briefly(self) -> None:
        """Sleep for at most a millisecond."""
