"""The screen's end of the Unix socket: views and replies come in, commands go out; reconnects by itself."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.view import MAX_LINE_BYTES, Command, Refused, SocketError, TableView, decode_to_screen, encode
from ui.state import Say

FIRST_RETRY_S: Final = 0.1
"""A service that was only restarted is back within two seconds: ask soon."""
LAST_RETRY_S: Final = 2.0
"""A service that is down for longer is asked for every two seconds: often enough for a person who waits."""
MAX_UNANSWERED: Final = 32
"""Commands on their way without a reply. A dealer has one or two; more: the service does not answer."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """What the client tells; each is called in the event loop and must not block."""

    view: Callable[[TableView], None]
    refused: Callable[[Refused], None]
    """A command was not done."""
    bad_line: Callable[[str], None]
    """A line could not be read: what was expected."""
    lost: Callable[[Say], None]
    """Not connected (any more). Called once for each reason in a row."""


class Client:
    """One connection at a time to `path`, for as long as `run` runs.

    Commands that the service has not answered when a connection ends are sent again over the next one: it says what
    became of them, and does none twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: asyncio.StreamWriter | None = None
        self._name = secrets.token_hex(8)
        self._unanswered: dict[int, Command] = {}
        self._last_id = 0
        self._reason: Say | None = None
        self._handlers: Handlers

    async def run(self, handlers: Handlers) -> None:
        """Connects, reads, reconnects, until it is cancelled; tells the handlers."""
        self._handlers = handlers
        retry_s = FIRST_RETRY_S
        while True:
            try:
                reader, self._writer = await asyncio.open_unix_connection(self.path, limit=MAX_LINE_BYTES)
            except OSError as error:
                self._lose(self._failed(error))
            else:
                for command in self._unanswered.values():
                    self._writer.write(encode(command))
                if await self._read(reader):
                    retry_s = FIRST_RETRY_S
            await asyncio.sleep(retry_s)
            retry_s = min(LAST_RETRY_S, retry_s * 2)

    def send(self, do: str, shown: int) -> bool:
        """Sends one step; False when there is nobody to send it to, or too much is unanswered."""
        if self._writer is None or len(self._unanswered) >= MAX_UNANSWERED:
            return False
        self._last_id += 1
        command = Command(client=self._name, id=self._last_id, do=do, shown=shown)
        self._unanswered[command.id] = command
        self._writer.write(encode(command))
        return True

    async def _read(self, reader: asyncio.StreamReader) -> bool:
        """Reads until the connection ends; True when at least one line came."""
        came = False
        reason = Say("connection-ended")
        try:
            while line := await reader.readline():
                came = True
                self._reason = None
                self._line(line)
        except ValueError:
            reason = Say("line-too-long", {"count": MAX_LINE_BYTES})
        except OSError as error:
            reason = self._failed(error)
        finally:
            await self._close()
        self._lose(reason)
        return came

    def _line(self, line: bytes) -> None:
        try:
            message = decode_to_screen(line)
        except SocketError as error:
            self._handlers.bad_line(str(error))
            return
        if message.view is not None:
            self._handlers.view(message.view)
        if message.reply is not None:
            self._unanswered.pop(message.reply.id, None)
            if message.reply.refused is not None:
                self._handlers.refused(message.reply.refused)

    async def _close(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _failed(self, error: OSError) -> Say:
        return Say("no-connection", {"path": str(self.path), "reason": error.strerror or str(error)})

    def _lose(self, reason: Say) -> None:
        if reason != self._reason:
            self._reason = reason
            self._handlers.lost(reason)
