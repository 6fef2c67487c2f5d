"""Rate limits for the commands of clients.

A client is a process. All its connections, present and past, share one limit.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

COMMANDS_PER_SECOND: Final = 20
"""Maximum number of commands per second and client. The fastest dealer sends a quarter of this number.

At this rate, no client delays the others.
"""
MAX_BURST: Final = 40
"""Maximum number of commands that a client may send at once. A screen that reconnects repeats up to 32 commands."""


class RateLimiters:
    """Rate limiters by process number."""

    def __init__(self) -> None:
        self._limiters: dict[int, RateLimiter] = {}

    def for_process(self, process: int, now_s: float, connected: Set[int]) -> RateLimiter:
        """Return the limiter of a process that connects. An earlier limiter of the same process is used again.

        `connected` are the processes that are connected now. The limiters of other processes are deleted when they have
        all their tokens again.
        """
        self._limiters = {
            number: limiter
            for number, limiter in self._limiters.items()
            if number in connected or not limiter.is_full(now_s)
        }
        return self._limiters.setdefault(process, RateLimiter(now_s))


class RateLimiter:
    """A token bucket for one client.

    The commands of a client that is too fast are not refused. They wait in its socket until they are due.
    """

    def __init__(self, now_s: float) -> None:
        self._tokens = float(MAX_BURST)
        self._updated_s = now_s

    def is_full(self, now_s: float) -> bool:
        """Return True if the limiter has all its tokens.

        Its client may then send the maximum number of commands at once.
        """
        return self._tokens + (now_s - self._updated_s) * COMMANDS_PER_SECOND >= MAX_BURST

    def take_and_wait_s(self, now_s: float) -> float:
        """Take a token for one command, and return how many seconds the command must wait."""
        self._tokens = min(float(MAX_BURST), self._tokens + (now_s - self._updated_s) * COMMANDS_PER_SECOND) - 1
        self._updated_s = now_s
        return max(0.0, -self._tokens / COMMANDS_PER_SECOND)
