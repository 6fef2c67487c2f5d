"""The newest view of the table, drawn for browsers, and queries to the service.

A slow browser does not delay the others and needs no queue. It gets the newest picture as soon as it can read again,
and misses the pictures in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controller.view import Command, RefusalView, Reply, TableView, pages, protocol
from ui.client import Client, Handlers
from ui.scene import Appearance, lay_out_scene, paint
from ui.state import ScreenMessage, ScreenState, lose_connection, restore_connection, show_view
from ui.web.svg import svg_groups

QUERY_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds that a query may take. A page needs milliseconds, and a person does not wait longer."""
IDLE_EVENT_INTERVAL_S: Final = 5.0
"""Interval in seconds between events while nothing changes. A browser without events marks its picture as old."""


class TableUnreachableError(protocol.SocketError):
    """Error for a query that the service did not answer."""

    fault = "link"


class QueryRefusedError(protocol.SocketError):
    """Error for a query that the service refused, such as for a hand that it no longer has."""

    fault = "person"

    def __init__(self, refusal: RefusalView) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class PictureChange:
    """What a browser must change in its picture.

    `order` has the identifiers of the groups from bottom to top, or nothing if the groups are the same as before.
    `groups` has the changed groups as SVG.
    """

    groups: dict[str, str]
    order: tuple[str, ...] = ()


@dataclass(slots=True)
class LiveTable:
    """The table as browsers see it, kept up to date over the socket of the service."""

    socket: Path
    screen: ScreenState = ScreenState()
    on_view: list[Callable[[TableView], None]] = field(default_factory=list)
    """Functions that get each new view, such as for the feed."""
    views_received: int = 0
    """Number of views since this program started."""
    followers: int = 0
    """Number of browsers that follow the table now."""
    _groups: dict[Appearance, dict[str, str]] = field(default_factory=dict)
    """The groups of the present picture, for each appearance that a browser has asked for since the last change."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Keep the table up to date until the task is cancelled. A lost connection is made again."""
        await Client(self.socket).run(
            Handlers(
                on_view=self._receive_view,
                on_refusal=lambda refusal: None,
                on_bad_line=lambda reason: None,
                on_connection_lost=self._lose_connection,
                on_live_again=lambda: self._change(restore_connection(self.screen)),
            )
        )

    @property
    def view(self) -> TableView | None:
        """Return the newest view, or None if the service has not been reached yet."""
        return self.screen.view

    async def changes(self, appearance: Appearance) -> AsyncIterator[PictureChange]:
        """Yield the whole picture, and then its changes. While nothing changes, yield empty changes."""
        shown: dict[str, str] = {}
        self.followers += 1
        try:
            while True:
                changed, groups = self._changed, self.groups(appearance)
                yield PictureChange(
                    {identifier: group for identifier, group in groups.items() if shown.get(identifier) != group},
                    () if groups.keys() == shown.keys() else tuple(groups),
                )
                shown = groups
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), IDLE_EVENT_INTERVAL_S)
        finally:
            self.followers -= 1

    async def first_view(self) -> TableView:
        """Return the newest view, and wait for it if the connection is new. Raises TableUnreachableError."""
        if self.screen == ScreenState():  # Neither a view nor an error has come yet.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), QUERY_TIMEOUT_S)
        if self.view is None:
            raise TableUnreachableError(f"expected a view of the service at {self.socket}")
        return self.view

    def groups(self, appearance: Appearance) -> dict[str, str]:
        """Return the SVG groups of the present picture."""
        groups = self._groups.get(appearance)
        if groups is None:
            drawing = paint.draw_scene(lay_out_scene(self.screen, appearance))
            groups = self._groups[appearance] = svg_groups(drawing, appearance.layout)
        return groups

    async def ask(self, query: str) -> pages.Page:
        """Return the answer of the service to a query such as `look hands`.

        Raises QueryRefusedError if the service refuses the query, and TableUnreachableError if no answer comes in time.
        """
        page = await self.do(query)
        if page is None:
            raise TableUnreachableError(f"{query}: expected a page of the service at {self.socket}")
        return page

    async def do(self, step: str) -> pages.Page | None:
        """Send a step or a query, and return the page of the reply, or None for a step.

        Raises QueryRefusedError if the service refuses it, and TableUnreachableError if no reply comes in time.
        """
        try:
            async with asyncio.timeout(QUERY_TIMEOUT_S):
                reply = await self._send(step)
        except (OSError, TimeoutError, ValueError) as error:
            raise TableUnreachableError(
                f"{step}: expected an answer of the service at {self.socket}: {error}"
            ) from error
        if reply.refused is not None:
            raise QueryRefusedError(reply.refused)
        return reply.page

    async def _send(self, step: str) -> Reply:
        reader, writer = await asyncio.open_unix_connection(self.socket, limit=protocol.MAX_LINE_BYTES)
        try:
            writer.write(protocol.encode(Command(client=secrets.token_hex(8), id=1, do=step)))
            while line := await reader.readline():
                reply = protocol.decode_service_message(line).reply
                if reply is not None:
                    return reply
            raise ConnectionError("the connection ended")
        finally:
            writer.close()

    def _receive_view(self, view: TableView) -> None:
        self.views_received += 1
        for receive in self.on_view:
            receive(view)
        self._change(show_view(self.screen, view))

    def _lose_connection(self, reason: ScreenMessage) -> None:
        self._change(lose_connection(self.screen, reason))

    def _change(self, screen: ScreenState) -> None:
        """Replace the state, and wake every browser that waits for a change."""
        self.screen = screen
        self._groups.clear()
        self._changed.set()
        self._changed = asyncio.Event()
