"""The record of denied commands, with a limit so that a program cannot fill the journal with denials."""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.service.roles.permissions import Endpoint, PermissionRefusal
from controller.steps import Step, format_step, observations

MAX_DENIALS_PER_MINUTE: Final = 10
"""Maximum number of recorded denials of one socket per minute.

A person causes one or two denials. A program that tries all commands must not fill the journal.
"""
MINUTE_US: Final = 60_000_000


class DenialLog:
    """The denials that were recorded in the last minute.

    Each socket has its own limit, so that a program at one socket cannot hide the denials of another.
    """

    def __init__(self) -> None:
        self._recent_by_endpoint: dict[str, deque[tuple[int, observations.CommandDenied]]] = {}
        """Recorded denials with their times, by the name of the socket."""

    def denial_to_record(
        self, endpoint: Endpoint, reason: PermissionRefusal, step: Step, now_us: int
    ) -> observations.CommandDenied | None:
        """Return the observation to record about a denial, or None.

        Return None if the same denial was already recorded within the last minute, or if the limit for this minute is
        reached.
        """
        recent = self._recent_by_endpoint.setdefault(endpoint.name, deque())
        while recent and now_us - recent[0][0] >= MINUTE_US:
            recent.popleft()
        denial = observations.CommandDenied(endpoint.name, f"{reason} {format_step(step)}")
        if len(recent) == MAX_DENIALS_PER_MINUTE or any(denial == earlier for _, earlier in recent):
            return None
        recent.append((now_us, denial))
        return denial
