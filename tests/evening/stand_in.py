"""A service as a screen sees it: whatever view is wanted, beats, an answer to every command; nothing is done."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from controller.service.looks import Look, asked
from controller.service.looks.asked import OfAward, OfTable
from controller.service.looks.award import award_page
from controller.service.looks.games import games_page
from controller.table import Table
from controller.view import BEAT_S, Page, Refused, Reply, ReportPage, TableView, ToScreen, decode_command, encode

DEADLINE_S = 10.0


class StandIn:
    """One screen's service."""

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
        """Waits for the screen."""
        self._server.settimeout(DEADLINE_S)
        self._connection, _ = self._server.accept()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._beat)]
        for thread in self._threads:
            thread.start()

    def show(self, table: Table, view: TableView) -> int:
        """Shows it under a sequence of its own, which it gives."""
        self._table = table
        self._sequence += 1
        self._send(ToScreen(view=replace(view, run=1, sequence=self._sequence)))
        return self._sequence

    def command(self) -> str:
        """The next step that the screen sends."""
        return self._commands.get(timeout=DEADLINE_S)

    def silent(self) -> bool:
        """True when nothing was sent that nobody has asked for."""
        return self._commands.empty()

    def close(self) -> None:
        """Hangs up."""
        self._ended.set()
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(DEADLINE_S)
        self._connection.close()
        self._server.close()

    def _send(self, message: ToScreen) -> None:
        with self._sending, contextlib.suppress(OSError):
            self._connection.sendall(encode(message))

    def _beat(self) -> None:
        number = 0
        while not self._ended.wait(BEAT_S):
            number += 1
            self._send(ToScreen(beat=number))

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._connection.makefile("rb") as lines:
            for line in lines:
                command = decode_command(line)
                look = asked(command.do)
                if look is None:
                    self._send(ToScreen(reply=Reply(id=command.id)))
                    self._commands.put(command.do)
                    continue
                self._send(ToScreen(reply=self._answer(command.id, look)))

    def _answer(self, number: int, look: Look) -> Reply:
        """What a page asks for, of the table that is shown; of the others an empty report."""
        page: Page | Refused = ReportPage()
        if isinstance(look, OfAward) and self._table is not None:
            page = award_page(self._table, look.award)
        elif look == OfTable("games") and self._table is not None:
            page = games_page(self._table)
        return Reply(id=number, refused=page) if isinstance(page, Refused) else Reply(id=number, page=page)


@contextlib.contextmanager
def stand_in(address: Path) -> Iterator[StandIn]:
    """One that waits for its screen."""
    one = StandIn(address)
    try:
        yield one
    finally:
        one.close()
