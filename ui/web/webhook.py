"""The webhook for alerts: one POST request to an address of the house for each alert that begins or ends.

The table does not wait for it. If the address does not answer, a message is sent again three times and then left out
with a line in the log, because the next view of the table has the alerts that are open.
"""

from __future__ import annotations

import asyncio
import logging
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from controller.messages import messages_for
from controller.view import Alert, TableView

_logger = logging.getLogger(__name__)

TIMEOUT_S: Final = 5.0
"""Maximum time in seconds to wait for the address."""
RETRY_DELAYS_S: Final = (2.0, 10.0, 60.0)
"""Pauses in seconds before a message is sent again. A switch of a network restarts within a minute."""
MAX_WAITING: Final = 100
"""Maximum number of messages that wait for the address. With more, the newest is left out."""


class AlertMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a request: an alert that has begun or ended, with its text in English."""

    table: str
    event: Literal["begins", "ends"]
    code: str
    level: str
    seat: int
    """Seat of the alert, or 0 if it is about no seat."""
    title: str
    text: str


@dataclass(slots=True)
class AlertWebhook:
    """Sends alerts to an address."""

    url: str
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S
    _open: dict[tuple[str, int, str], Alert] = field(default_factory=dict)
    _waiting: asyncio.Queue[AlertMessage] = field(default_factory=lambda: asyncio.Queue(MAX_WAITING))

    def add(self, view: TableView) -> None:
        """Queue a message for each alert that has begun or ended since the last view."""
        alerts = {alert.key: alert for alert in view.alerts}
        for key, alert in {**self._open, **alerts}.items():
            if key not in self._open:
                self._queue(view, alert, "begins")
            elif key not in alerts:
                self._queue(view, alert, "ends")
        self._open = alerts

    def _queue(self, view: TableView, alert: Alert, event: Literal["begins", "ends"]) -> None:
        messages = messages_for(view)
        message = AlertMessage(
            table=view.table_name,
            event=event,
            code=alert.code,
            level=alert.level,
            seat=alert.values.seat,
            title=messages.alert_title(alert),
            text=messages.alert_text(alert),
        )
        self.send(message)

    def send(self, message: AlertMessage) -> None:
        """Queue a message. It is left out if too many messages wait."""
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            _logger.warning("webhook: %d messages wait, %s is left out", MAX_WAITING, message.code)

    async def run(self) -> None:
        """Send the messages in their order until the task is cancelled."""
        while True:
            message = await self._waiting.get()
            for pause_s in (*self.retry_delays_s, None):
                try:
                    await asyncio.to_thread(self._post, msgspec.json.encode(message))
                    break
                except (OSError, ValueError) as error:
                    _logger.warning("webhook: %s not sent: %s", message.code, error)
                    if pause_s is not None:
                        await asyncio.sleep(pause_s)

    def _post(self, body: bytes) -> None:
        """Send one message. Raises OSError if the address does not confirm it."""
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            pass
