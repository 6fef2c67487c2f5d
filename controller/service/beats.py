"""The beats of a service: that it lives, told to screens, and how old the one is that a touch was made under.

A service that hangs reads nothing: what was touched meanwhile lies in its sockets and is read when it goes on. By its
beat it is known for what it is: a touch of a table that nobody saw any more.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.view import LATE_S

LATE_US: Final = int(LATE_S * 1_000_000)


class Beats:
    """Those of one run of the service; `first` is a number that no other run has come near."""

    def __init__(self, first: int) -> None:
        self._newest = first
        self._sent: deque[tuple[int, int]] = deque()
        """Number and time of each that a touch may still name, oldest first."""

    def next(self, now_us: int) -> int:
        """The number of a beat that is sent now."""
        self._forget(now_us)
        self._newest += 1
        self._sent.append((self._newest, now_us))
        return self._newest

    def is_late(self, beat: int, now_us: int) -> bool:
        """True for a touch under a beat that was sent too long ago, or by another run. 0 is never late."""
        self._forget(now_us)
        return bool(beat) and all(number != beat for number, _ in self._sent)

    def _forget(self, now_us: int) -> None:
        while self._sent and now_us - self._sent[0][1] > LATE_US:
            self._sent.popleft()
