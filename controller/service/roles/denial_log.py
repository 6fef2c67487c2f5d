"""The record of denied commands, with a limit so that a program cannot fill the journal with denials."""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.service.roles.permissions import Endpoint, PermissionRefusal
from controller.steps import Step, format_step, observations

MAX_DENIALS_PER_MINUTE: Final = 10
"""Maximum number of recorded denials per minute.

A person causes one or two denials. A program that tries all commands must not fill the journal.
"""
MINUTE_US: Final = 60_000_000


class DenialLog:
    """The denials that were recorded in the last minute."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, observations.CommandDenied]] = deque(maxlen=MAX_DENIALS_PER_MINUTE)
        """Recorded denials with their times."""

    def denial_to_record(
        self, endpoint: Endpoint, reason: PermissionRefusal, step: Step, now_us: int
    ) -> observations.CommandDenied | None:
        """Return the observation to record about a denial, or None.

        Return None if the same denial was already recorded within the last minute, or if the limit for this minute is
        reached.
        """
        while self._recent and now_us - self._recent[0][0] >= MINUTE_US:
            self._recent.popleft()
        denial = observations.CommandDenied(endpoint.name, f"{reason} {format_step(step)}")
        if len(self._recent) == MAX_DENIALS_PER_MINUTE or any(denial == earlier for _, earlier in self._recent):
            return None
        self._recent.append((now_us, denial))
        return denial
