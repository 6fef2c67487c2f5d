"""The last alerts: raised when, and cleared when and by whom."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from controller.service.looks.clock import time_of_day
from controller.view import Alert, AlertLine, AlertsPage, By

ALERTS: Final = 200
"""Of an evening; those that stand and are older are not told any more when they are cleared."""

Key = tuple[str, int, str]
"""`Alert.key`."""


@dataclass(slots=True)
class _Line:
    """One alert from when it was raised."""

    alert: Alert
    raised_us: int
    hand: int
    cleared_us: int | None = None
    by: By = ""
    badge: str = ""


class Raised:
    """The log of one service, from its start on."""

    def __init__(self, now_us: int) -> None:
        self._since_us = now_us
        self._lines: deque[_Line] = deque(maxlen=ALERTS)
        self._standing: dict[Key, _Line] = {}

    def shows(self, alerts: Sequence[Alert], now_us: int, *, hand: int, did: tuple[By, str]) -> None:
        """These stand in a view. What stood in the one before and does not any more was cleared, by whoever did
        something since: `did` is who, and whose badge spoke for it."""
        if not alerts and not self._standing:
            return
        now = {alert.key: alert for alert in alerts}
        for key in [key for key in self._standing if key not in now]:
            line = self._standing.pop(key)
            line.cleared_us, (line.by, line.badge) = now_us, did
        for key, alert in now.items():
            if key in self._standing:
                self._standing[key].alert = alert
            else:
                self._standing[key] = _Line(alert, now_us, hand)
                self._lines.append(self._standing[key])

    def page(self) -> AlertsPage:
        """The newest first."""
        lines = [_told(line) for line in self._lines]
        return AlertsPage(alerts=tuple(lines[::-1]), since_s=time_of_day(self._since_us))


def _told(line: _Line) -> AlertLine:
    return AlertLine(
        alert=msgspec.structs.replace(line.alert, choices=()),
        raised_s=time_of_day(line.raised_us),
        cleared_s=None if line.cleared_us is None else time_of_day(line.cleared_us),
        by=line.by,
        badge=line.badge,
        hand=line.hand,
    )
