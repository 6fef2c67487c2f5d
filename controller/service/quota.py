"""How fast one client may give commands. A client is a process, however many connections it has, or has had."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

A_SECOND: Final = 20
"""Commands: four times what the fastest dealer touches; with so many from one client the others do not notice it."""
AT_ONCE: Final = 40
"""A screen that was cut off sends up to 32 again."""


class Quotas:
    """Those of all clients, by the number of their process."""

    def __init__(self) -> None:
        self._of: dict[int, Quota] = {}

    def of(self, process: int, now_s: float, connected: Set[int]) -> Quota:
        """That of a client that connects, as it has left it; `connected` are those that are there."""
        self._of = {each: quota for each, quota in self._of.items() if each in connected or not quota.is_full(now_s)}
        return self._of.setdefault(process, Quota(now_s))


class Quota:
    """One client's. Who is faster waits: nothing is refused, and what it sends meanwhile stays with it."""

    def __init__(self, now_s: float) -> None:
        self._left = float(AT_ONCE)
        self._at_s = now_s

    def is_full(self, now_s: float) -> bool:
        """True where it is as a new one: nothing was taken out of it for a while."""
        return self._left + (now_s - self._at_s) * A_SECOND >= AT_ONCE

    def wait_s(self, now_s: float) -> float:
        """Takes one command out of it; how many seconds from now that may be done."""
        self._left = min(float(AT_ONCE), self._left + (now_s - self._at_s) * A_SECOND) - 1
        self._at_s = now_s
        return max(0.0, -self._left / A_SECOND)
