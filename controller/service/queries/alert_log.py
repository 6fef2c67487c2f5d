"""The alert log: when each of the last alerts was raised, and when and by whom it was cleared."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from controller.log_setup import log_fields
from controller.service.queries.local_time import time_of_day
from controller.view import Alert, pages

_logger = logging.getLogger(__name__)

MAX_ALERTS: Final = 200
"""Maximum number of alerts in the log, which is enough for an evening.

The oldest alerts are dropped, even if they are still active.
"""

AlertKey = tuple[str, int, str]
"""Type of `Alert.key`."""


@dataclass(slots=True)
class _LoggedAlert:
    """One alert with the times at which it was raised and cleared, and who cleared it."""

    alert: Alert
    raised_us: int
    hand: int
    cleared_us: int | None = None
    by: pages.Attribution = ""
    badge: str = ""


class AlertLog:
    """The alerts since the service started."""

    def __init__(self, now_us: int) -> None:
        self._since_us = now_us
        self._logged: deque[_LoggedAlert] = deque(maxlen=MAX_ALERTS)
        self._active: dict[AlertKey, _LoggedAlert] = {}
        self._changes: deque[tuple[Literal["raised", "cleared"], _LoggedAlert]] = deque(maxlen=MAX_ALERTS)
        """Alerts that were raised or cleared since the last call of `write_changes`."""

    def update(self, alerts: Sequence[Alert], now_us: int, *, hand: int, actor: tuple[pages.Attribution, str]) -> None:
        """Compare the alerts of a new view with the alerts of the previous view.

        An alert that has disappeared is logged as cleared by `actor`: who changed the table last, and the label of
        their badge.
        """
        if not alerts and not self._active:
            return
        current = {alert.key: alert for alert in alerts if not alert.cause}
        for key in [key for key in self._active if key not in current]:
            logged = self._active.pop(key)
            logged.cleared_us, (logged.by, logged.badge) = now_us, actor
            self._changes.append(("cleared", logged))
        for key, alert in current.items():
            if key in self._active:
                self._active[key].alert = alert
            else:
                self._active[key] = _LoggedAlert(alert, now_us, hand)
                self._logged.append(self._active[key])
                self._changes.append(("raised", self._active[key]))

    def write_changes(self, table: str) -> None:
        """Write a line for each alert that was raised or cleared into the log of the program, without any name."""
        for event, logged in self._changes:
            alert, seat = logged.alert, logged.alert.values.seat
            place = alert.subject or (f"seat {seat}" if seat else "table")
            fields = log_fields(
                table=table, event=event, code=alert.code, level=alert.level, seat=seat, subject=alert.subject,
                hand=logged.hand,
            )  # fmt: skip
            level = logging.WARNING if event == "raised" and alert.level == "warning" else logging.INFO
            _logger.log(level, "alert %s %s, %s", alert.code, event, place, extra=fields)
        self._changes.clear()

    def build_page(self) -> pages.AlertsPage:
        """Return the alerts page, with the newest alert first."""
        rows = [_to_row(logged) for logged in self._logged]
        return pages.AlertsPage(alerts=tuple(rows[::-1]), since_s=time_of_day(self._since_us))


def _to_row(logged: _LoggedAlert) -> pages.AlertRow:
    return pages.AlertRow(
        alert=msgspec.structs.replace(logged.alert, choices=()),
        raised_s=time_of_day(logged.raised_us),
        cleared_s=None if logged.cleared_us is None else time_of_day(logged.cleared_us),
        cleared_by=logged.by,
        cleared_by_badge=logged.badge,
        hand=logged.hand,
    )
