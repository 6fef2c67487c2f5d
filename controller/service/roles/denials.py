"""What was denied, to be recorded: enough to see who tried what, never a flood."""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.service.roles.rights import Denied, Door
from controller.table import Step, WasDenied, line

A_MINUTE: Final = 10
"""Records of denials: a person who tries something has one or two, a program that tries all has no more."""
MINUTE_US: Final = 60_000_000


class Denials:
    """The last denials that were recorded."""

    def __init__(self) -> None:
        self._last: deque[tuple[int, WasDenied]] = deque(maxlen=A_MINUTE)
        """Each with when it was recorded."""

    def note(self, door: Door, why: Denied, step: Step, now_us: int) -> WasDenied | None:
        """What is to be recorded of a denial; None where the same was, or enough, within the last minute."""
        while self._last and now_us - self._last[0][0] >= MINUTE_US:
            self._last.popleft()
        denied = WasDenied(door.name, f"{why} {line(step)}")
        if len(self._last) == A_MINUTE or any(denied == before for _, before in self._last):
            return None
        self._last.append((now_us, denied))
        return denied
