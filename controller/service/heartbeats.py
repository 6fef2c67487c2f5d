"""Heartbeats of the service, which show that it is alive and how old a command is.

While the service hangs, it does not read commands, and they wait in its sockets. When it continues, such a command may
be too old: the table may have changed since its sender last saw it. Therefore each command names the last heartbeat
that its screen had received. The service refuses a command if that heartbeat is too old.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.view import (
    protocol,
)

MAX_COMMAND_AGE_US: Final = int(protocol.MAX_COMMAND_AGE_S * 1_000_000)
"""Maximum age in µs of the heartbeat that an accepted command names."""


class Heartbeats:
    """Heartbeats since the service started.

    `first` is the number of the first heartbeat, which no earlier start has used.
    """

    def __init__(self, first: int) -> None:
        self._newest = first
        self._sent: deque[tuple[int, int]] = deque()
        """Numbers and times of the heartbeats that are not too old, oldest first."""

    def next_number(self, now_us: int) -> int:
        """Return the number for the next heartbeat, which is sent at `now_us`."""
        self._forget_old(now_us)
        self._newest += 1
        self._sent.append((self._newest, now_us))
        return self._newest

    def is_late(self, heartbeat: int, now_us: int) -> bool:
        """Return True if a command that names this heartbeat is too old.

        A heartbeat from before the last start of the service is too old as well. Return False if `heartbeat` is 0,
        which means that the command names none.
        """
        self._forget_old(now_us)
        return bool(heartbeat) and all(number != heartbeat for number, _ in self._sent)

    def _forget_old(self, now_us: int) -> None:
        while self._sent and now_us - self._sent[0][1] > MAX_COMMAND_AGE_US:
            self._sent.popleft()
