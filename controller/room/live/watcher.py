"""The newest view of a table as its uplink sees it, and what only time shows: hands an hour, and the last push."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from pathlib import Path
from typing import Final

from controller.view import PROTOCOL_VERSION, TableView, protocol, table_summary

logger = logging.getLogger(__name__)

SILENCE_TIMEOUT_S: Final = 3.0
"""Time in seconds without a line after which the table counts as lost. The service sends four heartbeats a second."""
RETRY_DELAY_S: Final = 1.0
"""Time in seconds before the next connection to the service."""
RATE_WINDOW_S: Final = 3600.0
MIN_RATE_TIME_S: Final = 600.0
"""Time in seconds that must be observed before hands an hour are known. In less time the number would jump."""


class TablePace:
    """The number of hands an hour and the minutes since the dealer has come, from views over time."""

    def __init__(self) -> None:
        self._hands: deque[tuple[float, int]] = deque()
        """Times of views with the number of the hand, oldest first. The number differs from view to view."""
        self._dealer = ""
        self._dealer_since_s: float | None = None
        self._has_gap = True

    def note_view(self, view: TableView, now_s: float) -> None:
        """Note the newest view at a monotonic time."""
        if self._has_gap and self._dealer != view.dealer:
            self._dealer_since_s = None  # The dealer has come at a time when nobody looked.
        elif self._dealer != view.dealer:
            self._dealer_since_s = now_s
        self._dealer, self._has_gap = view.dealer, False
        if self._hands and view.hand_number < self._hands[-1][1]:
            self._hands.clear()  # A new journal counts hands from the beginning.
        if not self._hands or view.hand_number != self._hands[-1][1]:
            self._hands.append((now_s, view.hand_number))

    def note_gap(self) -> None:
        """Note that views may be missing from now on."""
        self._has_gap = True

    def hands_per_hour(self, now_s: float) -> int | None:
        """Return the hands in the last hour, or None if too little time was observed.

        In the first hour, return the hands an hour at the pace so far.
        """
        # Keep one time before the window, because the number of hands at its beginning is the one of that time.
        while len(self._hands) > 1 and now_s - self._hands[1][0] >= RATE_WINDOW_S:
            self._hands.popleft()
        if not self._hands or now_s - self._hands[0][0] < MIN_RATE_TIME_S:
            return None
        observed_s = min(now_s - self._hands[0][0], RATE_WINDOW_S)
        return round((self._hands[-1][1] - self._hands[0][1]) * 3600 / observed_s)

    def dealer_minutes(self, now_s: float) -> int | None:
        """Return the whole minutes since the dealer has come, or None if this is not known."""
        if not self._dealer or self._dealer_since_s is None:
            return None
        return int((now_s - self._dealer_since_s) // 60)


class TableWatcher:
    """Follows the view at the read-only socket of a table."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._view: TableView | None = None
        self._pace = TablePace()
        self._last_problem = ""
        self.changed = asyncio.Event()
        """Set after each new view, and when the table is lost."""

    def summary(self) -> table_summary.TableSummary | None:
        """Return the summary of the newest view, or None if the table cannot be seen now."""
        if self._view is None:
            return None
        now_s = time.monotonic()
        return table_summary.summarise(
            self._view,
            hands_per_hour=self._pace.hands_per_hour(now_s),
            dealer_minutes=self._pace.dealer_minutes(now_s),
        )

    async def run(self) -> None:
        """Follow the view until the task is cancelled. A lost connection is made again."""
        while True:
            problem = "the service has closed the connection"
            try:
                await self._follow()
            except (OSError, ValueError) as error:
                problem = f"{type(error).__name__}: {error}" if isinstance(error, TimeoutError) else str(error)
            if problem != self._last_problem:
                logger.warning("live: %s: %s. Trying again", self._socket, problem)
            self._last_problem, self._view = problem, None
            self._pace.note_gap()
            self.changed.set()
            await asyncio.sleep(RETRY_DELAY_S)

    async def _follow(self) -> None:
        """Read views until the connection ends. Raises OSError or ValueError."""
        async with asyncio.timeout(SILENCE_TIMEOUT_S):
            reader, writer = await asyncio.open_unix_connection(self._socket, limit=protocol.MAX_LINE_BYTES)
        try:
            while True:
                async with asyncio.timeout(SILENCE_TIMEOUT_S):
                    line = await reader.readline()
                if not line:
                    return
                if (view := protocol.decode_service_message(line).view) is not None:
                    self._receive(view)
        finally:
            writer.close()

    def _receive(self, view: TableView) -> None:
        if view.protocol != PROTOCOL_VERSION:
            raise protocol.SocketError(f"views have version {view.protocol}, expected {PROTOCOL_VERSION}")
        self._view, self._last_problem = view, ""
        self._pace.note_view(view, time.monotonic())
        self.changed.set()
