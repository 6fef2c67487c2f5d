"""The screens of a table: their connections on a Unix socket, the lines from them, the views to them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.view import MAX_LINE_BYTES, Refused, Reply, ToScreen, Values, encode
from hardware.bad_input import BadInputError

MOST_SCREENS: Final = 16
"""Dealer, players, pit, floor: more connections than that are a fault."""
MOST_UNSENT_BYTES: Final = 1_000_000
"""A screen that has not read so much is left out until it has: it gets the newest view then."""


class Screens:
    """All screens of one table. `answer` says what comes of a line from one, `newest` is the view that all have."""

    def __init__(self, answer: Callable[[bytes], Reply], newest: ToScreen) -> None:
        self._answer = answer
        self._newest = encode(newest)
        self._connected: set[asyncio.StreamWriter] = set()
        self._behind: set[asyncio.StreamWriter] = set()
        self._path: Path | None = None
        self._server: asyncio.AbstractServer | None = None

    async def listen(self, path: Path) -> None:
        """Lets screens in at the path; a socket that a dead service left there is replaced. Raises BadInputError."""
        try:
            if path.exists():
                _remove_dead(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, str(path), limit=MAX_LINE_BYTES)
        except OSError as error:
            raise BadInputError(f"{path}: {error.strerror or error}, expected the path of a Unix socket") from None
        self._path = path

    def close(self) -> None:
        """Ends all connections, and the socket."""
        if self._server is not None:
            self._server.close()
        for screen in list(self._connected):
            screen.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def show(self, view: ToScreen) -> None:
        """Sends a view to all."""
        self._newest = encode(view)
        for screen in list(self._connected):
            self._send(screen, self._newest)

    def catch_up(self) -> None:
        """Sends the newest view to those that had been left out and have read what was sent."""
        for screen in list(self._behind):
            self._send(screen, self._newest)

    def _send(self, screen: asyncio.StreamWriter, line: bytes) -> None:
        transport = screen.transport
        if transport.is_closing():
            self._connected.discard(screen)
            self._behind.discard(screen)
        elif transport.get_write_buffer_size() > MOST_UNSENT_BYTES:
            self._behind.add(screen)
        else:
            self._behind.discard(screen)
            screen.write(line)

    async def _serve(self, reader: asyncio.StreamReader, screen: asyncio.StreamWriter) -> None:
        if len(self._connected) >= MOST_SCREENS:
            screen.close()
            return
        self._connected.add(screen)
        screen.write(self._newest)
        try:
            while line := await reader.readline():
                self._reply(screen, self._answer(line))
                await asyncio.sleep(0)  # one that sends without pause lets the others and the trays have their turn
        except asyncio.CancelledError:
            return  # the service ends
        except (ValueError, ConnectionError):  # a line without end, or a screen that went away
            too_long = Refused(code="not-a-step", values=Values(reason=f"expected lines up to {MAX_LINE_BYTES} bytes"))
            self._reply(screen, Reply(id=0, refused=too_long))
        finally:
            self._connected.discard(screen)
            self._behind.discard(screen)
            screen.close()

    def _reply(self, screen: asyncio.StreamWriter, reply: Reply) -> None:
        self._send(screen, encode(ToScreen(reply=reply)))


def _remove_dead(path: Path) -> None:
    if not path.is_socket():
        raise BadInputError(f"{path}: something else is there, expected a free place for a socket")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise BadInputError(f"{path}: a service is running there, expected a free socket")
