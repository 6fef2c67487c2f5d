"""What the firmware expects of a board. Not copied to the board: only type checkers read it."""

from __future__ import annotations

from typing import Protocol


class Hal(Protocol):
    """Must: never block, keep time running. May: lose bytes (frames are repeated), give time in coarse steps.

    `buttons` and `lamps` count those of the board, at most 32 each.
    """

    buttons: int
    lamps: int

    def nonce(self) -> int:
        """A number from 1 to 2**32 - 1, another one at each boot."""

    def now_us(self) -> int:
        """Microseconds since some moment of the past; never wraps, never goes back."""

    def levels(self) -> int:
        """Mask of the buttons that are down now, bouncing as they do."""

    def set_lamps(self, mask: int) -> None:
        """Lights exactly the lamps of the mask."""

    def read(self) -> bytes:
        """What has come from the host since last asked, possibly nothing; a bounded piece of it."""

    def write(self, data: bytes) -> None:
        """Sends to the host; what does not fit is dropped."""

    def idle(self) -> None:
        """Lets at most a millisecond pass."""
