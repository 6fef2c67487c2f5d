"""What the routes need from the program that offers them, whether it shows one table or many."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol

from starlette.requests import Request

from ui.web.live_table import LiveTable
from ui.web.oidc import HouseSignIn
from ui.web.people import People
from ui.web.sessions import Pauses, Sessions
from ui.web.webhook import AlertWebhook

COOKIE: Final = "__Host-session"
"""Cookie with the token of a session."""


class WebProgram(Protocol):
    """The people, who has signed in, and the tables of a program for browsers."""

    people: People
    sessions: Sessions
    pauses: Pauses
    streams: int
    """Number of browsers that follow a table now."""

    house_sign_in: HouseSignIn | None
    """The sign-in with the accounts of the house, or None if each person has a password."""
    webhook: AlertWebhook | None
    """The address that gets a message for each alert, or None for no address."""

    @property
    def name(self) -> str:
        """Return the name of the table or room in messages."""

    @property
    def static_folders(self) -> tuple[Path, ...]:
        """Return the folders with the files of the pages. A file in an earlier folder replaces one in a later one."""

    def table_of(self, request: Request) -> LiveTable:
        """Return the table that a request is about. Raise HTTPException if there is no such table."""

    async def first_code(self) -> str:
        """Return the code that the first person needs, or "" without a code. Raise SocketError if it is unknown."""
