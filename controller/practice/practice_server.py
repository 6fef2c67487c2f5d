"""The connection of the practice table with a screen, over a Unix socket as at a real table."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

from controller.config import parse_typed_step
from controller.practice.practice_table import PracticeRefusal, PracticeTable
from controller.practice.tasks import SHOW_TASK
from controller.service import queries
from controller.view import Command, RefusalView, Reply, ServiceMessage, pages, protocol

_logger = logging.getLogger(__name__)


class PracticeServer:
    """The practice table and the screens that are connected to it."""

    def __init__(self, table: PracticeTable) -> None:
        self._table = table
        self._sequence = 1
        self._screens: set[asyncio.StreamWriter] = set()

    async def serve_screen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one screen until it disconnects."""
        self._screens.add(writer)
        heartbeats = asyncio.create_task(_send_heartbeats(writer))
        self._send_view(writer)
        try:
            while line := await reader.readline():
                try:
                    self._handle(protocol.decode_command(line), writer)
                except ValueError as error:
                    _logger.warning("%s", error)
        except OSError as error:
            _logger.info("screen disconnected: %s", error)
        finally:
            heartbeats.cancel()
            self._screens.discard(writer)
            writer.close()

    def _handle(self, command: Command, writer: asyncio.StreamWriter) -> None:
        """Answer a query, or apply a step and send the new view to all screens."""
        refused: RefusalView | None = None
        if command.do == SHOW_TASK:
            self._table.show_task()
        elif (query := queries.parse_query(command.do)) is not None:
            writer.write(protocol.encode(ServiceMessage(reply=self._answer(command.id, query))))
            return
        else:
            refused = self._table.do(parse_typed_step(command.do))
        # The screen shows a refusal until the next view, so the view comes first.
        self._sequence += 1
        for screen in self._screens:
            self._send_view(screen)
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=command.id, refused=refused))))

    def _answer(self, number: int, query: queries.Query) -> Reply:
        """Return the shares of an award or the games. The other pages are not part of the practice table."""
        page: pages.Page | RefusalView = RefusalView(code=PracticeRefusal.NO_PAGE)
        if isinstance(query, queries.AwardQuery):
            page = queries.award_page(self._table.live.table, query.award)
        elif isinstance(query, queries.TableQuery) and query.page == "games":
            page = queries.games_page(self._table.live.table)
        return Reply(id=number, refused=page) if isinstance(page, RefusalView) else Reply(id=number, page=page)

    def _send_view(self, writer: asyncio.StreamWriter) -> None:
        writer.write(protocol.encode(ServiceMessage(view=self._table.view(self._sequence))))


async def _send_heartbeats(writer: asyncio.StreamWriter) -> None:
    """Send heartbeats until cancelled."""
    for number in count(1):
        writer.write(protocol.encode(ServiceMessage(heartbeat=number)))
        await asyncio.sleep(protocol.HEARTBEAT_INTERVAL_S)


@contextlib.asynccontextmanager
async def serve_practice(table: PracticeTable, path: Path) -> AsyncIterator[None]:
    """Serve screens at this socket until the context ends."""
    path.unlink(missing_ok=True)
    server = await asyncio.start_unix_server(PracticeServer(table).serve_screen, path, limit=protocol.MAX_LINE_BYTES)
    try:
        async with server:
            yield
    finally:
        path.unlink(missing_ok=True)
