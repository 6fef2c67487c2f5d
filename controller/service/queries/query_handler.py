"""The query handler: it answers each query of a screen with a page."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from controller.config import BadInputError
from controller.journal import build_id, program_version
from controller.live import Live
from controller.service.queries.accounts_report import report_page
from controller.service.queries.alert_log import AlertLog
from controller.service.queries.award_preview import award_page
from controller.service.queries.device_page import HealthSource, devices_page
from controller.service.queries.game_page import games_page
from controller.service.queries.hand_log import MAX_HANDS, HandLog, LoggedHand
from controller.service.queries.hand_pages import hand_page, hands_page
from controller.service.queries.requests import AwardQuery, HandQuery, Query, SetUpCommand, TableQuery
from controller.service.roles import Endpoint
from controller.steps import Step
from controller.table import Table
from controller.view import (
    MessageValues,
    RefusalView,
    pages,
)
from firmware_bridge.clock import monotonic_us
from hardware.health import HardwareHealth

HandFormatter = Callable[[Table, Sequence[Step]], str]
"""Callback that returns a hand as text. It receives the table before the hand and the hand's steps.

Raises BadInputError if the hand cannot be written as text.
"""
MAX_QUEUED_HANDS: Final = 8
"""Maximum number of hands that wait to be formatted, for all connections together.

A person asks for one hand at a time.
"""
MAX_TEXT_CHARS: Final = 200_000
"""Maximum length of a hand's text in characters.

A text of this length fits into one line to a screen.

The text of a long hand has a tenth of this length.
"""
ARCHIVE_READ_TIMEOUT_S: Final = 5.0
"""Time in seconds for which a page waits until the archived hands are read.

Reading them takes about one second, but a disk may hang.
"""


WEB_CODE_DIGITS: Final = 6
"""Number of digits of the code with which the first person signs in with a browser."""
WEB_CODE_SHOWN_US: Final = 600_000_000
"""Time in microseconds for which the devices page shows the code after a browser has needed it."""


def can_query(endpoint: Endpoint) -> bool:
    """Return True if clients of this socket may request pages. Players may not, because pages show stacks."""
    return endpoint.role != "player"


class QueryRefusal(StrEnum):
    """Reasons why a query is refused."""

    NO_SUCH_HAND = "no-such-hand"
    """No hand with this number was played, or the log no longer has the hand. The refusal contains the number."""
    HAND_NOT_OVER = "hand-not-over"
    HAND_INCOMPLETE = "hand-not-whole"
    """The log does not have the first steps of the hand. The refusal contains the hand's number."""
    PHH_UNAVAILABLE = "no-phh"
    """The hand cannot be written in the PHH format. The refusal contains the hand's number and the reason."""


class QueryHandler:
    """The logs of one table, and the pages that are built from them.

    `journal_path` is shown on the devices page. `format_hand` writes a hand as a PHH file.
    """

    def __init__(
        self, hand_log: HandLog | None = None, format_hand: HandFormatter | None = None, journal_path: str = ""
    ) -> None:
        self._start_us = monotonic_us()
        self.hand_log = hand_log or HandLog()
        self.alert_log = AlertLog(self._start_us)
        self.health_source: HealthSource = HardwareHealth
        self.append_times: Callable[[], pages.AppendTimes] = pages.AppendTimes
        self.set_up_page: Callable[[], pages.SetUpPage] = pages.SetUpPage
        self._format_hand = format_hand
        self._journal_path = journal_path
        self._format_lock = asyncio.Lock()
        self._queued_hands = 0
        self._archive_task: asyncio.Task[HandLog] | None = None
        self._web_code = f"{secrets.randbelow(10**WEB_CODE_DIGITS):0{WEB_CODE_DIGITS}}"
        self._web_code_until_us = 0

    async def build_page(self, query: Query, live: Live) -> pages.Page | RefusalView:
        """Return the page that a query asks for, or the reason why the query is refused."""
        if isinstance(query, HandQuery) or query == TableQuery("hands"):
            await self._load_archived_hands()
        match query:
            case TableQuery():
                return self._table_page(query, live)
            case SetUpCommand():
                return self.set_up_page()
            case AwardQuery():
                return award_page(live.table, query.award)
            case HandQuery():
                hand = next((hand for hand in self.hand_log.hands() if hand.number == query.number), None)
                if hand is None:
                    return _refuse(QueryRefusal.NO_SUCH_HAND, query.number)
                return hand_page(hand) if query.page == "hand" else await self._phh_page(hand)

    def _table_page(self, query: TableQuery, live: Live) -> pages.Page:
        match query.page:
            case "hands":
                return hands_page(self.hand_log.hands(), live.table)
            case "alerts":
                return self.alert_log.build_page()
            case "report":
                return report_page(live.table, self.hand_log, has_open_access=live.badge_count == 0)
            case "games":
                return games_page(live.table)
            case "set-up":
                return self.set_up_page()
            case "devices":
                now_us = monotonic_us()
                page = devices_page(
                    live,
                    self.health_source(),
                    now_us,
                    uptime_us=now_us - self._start_us,
                    version=program_version(),
                    build=build_id(),
                    journal_path=self._journal_path,
                    web_code=self._web_code if now_us < self._web_code_until_us else "",
                )
                return msgspec.structs.replace(page, append_times=self.append_times())
            case "web-code":
                self._web_code_until_us = monotonic_us() + WEB_CODE_SHOWN_US
                return pages.WebCodePage(code=self._web_code)

    async def _load_archived_hands(self) -> None:
        """Read the archived hands in a thread, once, if the log has fewer than `MAX_HANDS` hands.

        If reading takes too long, this page is built without the archived hands, and a later page has them.
        """
        read_archived = self.hand_log.read_archived
        if read_archived is None or len(self.hand_log.hands()) >= MAX_HANDS:
            return
        self._archive_task = self._archive_task or asyncio.create_task(asyncio.to_thread(read_archived))
        done, _ = await asyncio.wait({self._archive_task}, timeout=ARCHIVE_READ_TIMEOUT_S)
        if done:
            error = self._archive_task.exception()
            self.hand_log.prepend(HandLog() if error is not None else self._archive_task.result())
            if error is not None:
                raise error

    async def _phh_page(self, hand: LoggedHand) -> pages.PhhPage | RefusalView:
        """Return a hand as PHH text.

        A thread formats one hand at a time, because formatting takes as long as a hundred steps would.
        """
        if not hand.is_over:
            return _refuse(QueryRefusal.HAND_NOT_OVER, hand.number)
        if not hand.is_complete:
            return _refuse(QueryRefusal.HAND_INCOMPLETE, hand.number)
        if self._format_hand is None or self._queued_hands >= MAX_QUEUED_HANDS:
            return _refuse(QueryRefusal.PHH_UNAVAILABLE, hand.number)
        self._queued_hands += 1
        try:
            async with self._format_lock:
                text = await asyncio.to_thread(self._format_hand, hand.table_before, hand.steps)
        except BadInputError as error:
            return _refuse(QueryRefusal.PHH_UNAVAILABLE, hand.number, str(error))
        finally:
            self._queued_hands -= 1
        if len(text) > MAX_TEXT_CHARS:
            return _refuse(
                QueryRefusal.PHH_UNAVAILABLE, hand.number, f"{len(text)} characters, expected at most {MAX_TEXT_CHARS}"
            )
        return pages.PhhPage(hand=hand.number, text=text)


def _refuse(refusal: QueryRefusal, hand: int, reason: str = "") -> RefusalView:
    return RefusalView(code=refusal.value, values=MessageValues(hand=hand, reason=reason))
