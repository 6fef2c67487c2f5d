"""The room, the people, and who has signed in: everything that the routes of the pit page use."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ui.pit.live_room import LiveRoom
from ui.pit.open_tables import OpenTables
from ui.web import STATIC_FOLDER, AlertWebhook, HouseSignIn, LiveTable, Pauses, People, Sessions

PIT_STATIC_FOLDER: Final = Path(__file__).parent / "static"


@dataclass(slots=True)
class WebPit:
    """Everything that the routes of the pit page use."""

    room: LiveRoom
    people: People
    now_s: Callable[[], float] = time.monotonic
    house_sign_in: HouseSignIn | None = None
    """The sign-in with the accounts of the house, or None if each person has a password."""
    webhook: AlertWebhook | None = None
    """Always None, because each table sends its own alerts."""
    tables: OpenTables = field(init=False)
    sessions: Sessions = field(init=False)
    pauses: Pauses = field(init=False)
    code: str = field(init=False)
    """Six digits for the first person, or "" if somebody can sign in already."""
    streams: int = 0
    """Number of browsers that follow a table now."""
    room_streams: int = 0
    """Number of browsers that follow the tiles now."""

    def __post_init__(self) -> None:
        self.sessions, self.pauses = Sessions(self.now_s), Pauses(self.now_s)
        self.tables = OpenTables(self.now_s)
        self.code = "" if len(self.people) else f"{secrets.randbelow(1_000_000):06}"

    @property
    def name(self) -> str:
        """Return the name of the page in messages, because a room has no name."""
        return "pit"

    @property
    def static_folders(self) -> tuple[Path, ...]:
        """Return the folders of the pit page and of the table in a browser. The pit page uses modules of both."""
        return (PIT_STATIC_FOLDER, STATIC_FOLDER)

    def table_of(self, request: Request) -> LiveTable:
        """Return the table with the number in the path. Raise HTTPException if there is no such table."""
        socket = self.room.socket_of(request.path_params["table"])
        if socket is None:
            raise HTTPException(404, "There is no such table in the room.")
        table = self.tables.open(socket)
        if table is None:
            raise HTTPException(503, "Too many tables are open. Close one in another browser first.")
        return table

    async def first_code(self) -> str:
        """Return the code that the program has written to its log."""
        return self.code
