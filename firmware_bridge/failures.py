"""Inventories that fail on the wire: how often one is tried, and when the reader is to be started anew."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

ATTEMPTS: Final = 2
"""A second attempt cures a frame that noise hit; a third would only hold up the other spots."""
RESET_AFTER: Final = 5
"""Inventories that failed on the wire in a row although probes are answered: then the reader is started anew."""
RESETS_AT_ONCE: Final = 3
"""Resets that may follow one another with no inventory between; what they did not cure is worth a try now and then
only: each of them costs all antennas a second."""
RESET_PAUSE_US: Final = 60_000_000
"""Between resets after these."""

Failed: TypeAlias = Literal["bad-frame", "doubtful", "timeout"]
"""How an inventory failed on the wire: its answer came spoilt, or is whole and a part of it may have been lost, or did
not come in time."""


def is_tried_again(attempts: int, how: Failed, *, is_tall: bool) -> bool:
    """Whether one that failed so is begun anew by the driver itself. A tall stack whose answer came spoilt is not:
    whoever chooses what is read may have others that have waited longer."""
    return attempts < ATTEMPTS and not (is_tall and how == "bad-frame")


class Failures:
    """Counts inventories that failed on the wire, and says when the reader is to be started anew."""

    def __init__(self) -> None:
        self._in_row = 0
        """Attempts that failed."""
        self._resets = 0
        self._reset_us = 0

    def worked(self) -> None:
        """An inventory was answered."""
        self._in_row = self._resets = 0

    def down(self) -> None:
        """The reader is gone: what failed before says nothing of it when it is back."""
        self._in_row = 0

    def failed(self, attempts: int, now_us: int) -> bool:
        """Another one was not, in so many attempts. True: start the reader anew now."""
        self._in_row += attempts
        if self._in_row < RESET_AFTER * ATTEMPTS:
            return False
        if self._resets >= RESETS_AT_ONCE and now_us - self._reset_us < RESET_PAUSE_US:
            return False
        self._in_row = 0
        self._resets += 1
        self._reset_us = now_us
        return True
