"""The record of denied commands and refused cards, with a limit so that nobody can fill the journal with them."""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.service.roles.permissions import Endpoint, PermissionRefusal
from controller.steps import Step, format_step, observations
from hardware.badges import BadgeSeen

MAX_DENIALS_PER_MINUTE: Final = 10
"""Maximum number of recorded denials of one socket, or refused cards of one badge reader, per minute.

A person causes one or two denials. A program that tries all commands must not fill the journal.
"""
MINUTE_US: Final = 60_000_000


class RefusedCardLog:
    """The refused cards that were recorded in the last minute, by badge reader."""

    def __init__(self) -> None:
        self._recent_us: dict[str, deque[int]] = {}

    def refusal_to_record(self, device: str, seen: BadgeSeen) -> observations.BadgeRefused | None:
        """Return the observation to record about a refused card, or None if the limit for this minute is reached."""
        recent_us = self._recent_us.setdefault(device, deque())
        while recent_us and seen.at_us - recent_us[0] >= MINUTE_US:
            recent_us.popleft()
        if len(recent_us) == MAX_DENIALS_PER_MINUTE:
            return None
        recent_us.append(seen.at_us)
        return observations.BadgeRefused(device, seen.refusal or "unknown", seen.label if seen.role else "")


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
