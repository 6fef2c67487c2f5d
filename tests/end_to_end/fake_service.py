"""Fake service for one screen. It sends views and heartbeats, and accepts every command but does not apply it."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from controller.service.queries import Query, parse_query
from controller.service.queries.award_preview import award_page
from controller.service.queries.game_page import games_page
from controller.service.queries.requests import AwardQuery, TableQuery
from controller.table import Table
from controller.view import (
    RefusalView,
    Reply,
    ServiceMessage,
    TableView,
    pages,
    protocol,
)

DEADLINE_S = 120.0


class FakeService:
    """Fake service with one connection, to the screen that is tested."""

    def __init__(self, address: Path) -> None:
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(address))
        self._server.listen(1)
        self._ended = threading.Event()
        self._sending = threading.Lock()
        self._commands: queue.Queue[str] = queue.Queue()
        self._table: Table | None = None
        self._sequence = 0

    def accept(self) -> None:
        """Wait until the screen connects."""
        self._server.settimeout(DEADLINE_S)
        self._connection, _ = self._server.accept()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read_commands, self._send_heartbeats)
        ]
        for thread in self._threads:
            thread.start()

    def show(self, table: Table, view: TableView) -> int:
        """Send a view to the screen with the next sequence number, and return this number."""
        self._table = table
        self._sequence += 1
        self._send(ServiceMessage(view=replace(view, service_run=1, sequence=self._sequence)))
        return self._sequence

    def command(self) -> str:
        """Return the next step that the screen has sent. Raise queue.Empty if none arrives within the deadline."""
        return self._commands.get(timeout=DEADLINE_S)

    def is_silent(self) -> bool:
        """Return True if the screen has sent no further steps, so that `command` would have to wait."""
        return self._commands.empty()

    def hang_up(self) -> None:
        """Close the connection."""
        self._ended.set()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(DEADLINE_S)
        self._connection.close()
        self._server.close()

    def _send(self, message: ServiceMessage) -> None:
        with self._sending, contextlib.suppress(OSError):
            self._connection.sendall(protocol.encode(message))

    def _send_heartbeats(self) -> None:
        number = 0
        while not self._ended.wait(protocol.HEARTBEAT_INTERVAL_S):
            number += 1
            self._send(ServiceMessage(heartbeat=number))

    def _read_commands(self) -> None:
        with contextlib.suppress(OSError), self._connection.makefile("rb") as lines:
            for line in lines:
                command = protocol.decode_command(line)
                query = parse_query(command.do)
                if query is None:
                    self._send(ServiceMessage(reply=Reply(id=command.id)))
                    self._commands.put(command.do)
                    continue
                self._send(ServiceMessage(reply=self._answer(command.id, query)))

    def _answer(self, number: int, query: Query) -> Reply:
        """Return the reply to a query.

        It is the award or games page of the shown table, or an empty report for any other query.
        """
        page: pages.Page | RefusalView = pages.ReportPage()
        if isinstance(query, AwardQuery) and self._table is not None:
            page = award_page(self._table, query.award)
        elif query == TableQuery("games") and self._table is not None:
            page = games_page(self._table)
        return Reply(id=number, refused=page) if isinstance(page, RefusalView) else Reply(id=number, page=page)


@contextlib.contextmanager
def fake_service(address: Path) -> Iterator[FakeService]:
    """Yield a fake service that listens for a screen. The service is closed when the context ends."""
    service = FakeService(address)
    try:
        yield service
    finally:
        service.hang_up()
