"""The table, the people, and who has signed in: everything that the routes use."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from controller.view import pages
from ui.web.feed import DelayedFeed
from ui.web.live_table import LiveTable
from ui.web.oidc import HouseSignIn
from ui.web.people import People
from ui.web.routes.static_files import STATIC_FOLDER
from ui.web.sessions import Pauses, Sessions
from ui.web.setup_door import SetupDoor
from ui.web.webhook import AlertWebhook


@dataclass(slots=True)
class WebTable:
    """Everything that the routes use: the table, the people, and who has signed in."""

    table: LiveTable
    people: People
    now_s: Callable[[], float] = time.monotonic
    metrics_token: str = ""
    """Token with which Prometheus reads the measurements, or "" if people alone may read them."""
    door: SetupDoor | None = None
    """The way to tasks of the set-up, or None if the table offers none to browsers."""
    feed_delay_s: float | None = None
    """Delay of the feed for video streams in seconds, or None if the house offers no feed."""
    webhook: AlertWebhook | None = None
    """The address that gets a message for each alert, or None for no address."""
    house_sign_in: HouseSignIn | None = None
    """The sign-in with the accounts of the house, or None if each person has a password."""
    feed: DelayedFeed | None = field(init=False, default=None)
    sessions: Sessions = field(init=False)
    pauses: Pauses = field(init=False)
    streams: int = 0
    """Number of browsers that follow the table now."""

    def __post_init__(self) -> None:
        self.sessions, self.pauses = Sessions(self.now_s), Pauses(self.now_s)
        if self.feed_delay_s is not None:
            self.feed = DelayedFeed(self.feed_delay_s, self.now_s)
            self.table.on_view.append(self.feed.add)
        if self.webhook is not None:
            self.table.on_view.append(self.webhook.add)

    @property
    def name(self) -> str:
        """Return the name of the table, or "" if the service has not been reached yet."""
        return self.table.view.table_name if self.table.view is not None else ""

    @property
    def static_folders(self) -> tuple[Path, ...]:
        """Return the folder with the files of the page."""
        return (STATIC_FOLDER,)

    def table_of(self, request: Request) -> LiveTable:
        """Return the table, because there is only one."""
        return self.table

    async def first_code(self) -> str:
        """Return the code that the table's own screen shows."""
        page = await self.table.ask("look web-code")
        return page.code if isinstance(page, pages.WebCodePage) else ""
