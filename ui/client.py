"""The screen's end of the Unix socket: views and replies come in, commands go out; reconnects by itself.

What it tells is true, or it says that it does not know. Without a beat of the service for `SILENT_S`, after a line that
cannot be read and after a view that is older than the one before, nothing is live until the service has told anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.view import (
    MAX_LINE_BYTES,
    PROTOCOL,
    SILENT_S,
    Command,
    Page,
    Refused,
    Reply,
    SocketError,
    TableView,
    decode_to_screen,
    encode,
)
from ui.state import Say

FIRST_RETRY_S: Final = 0.1
"""A service that was only restarted is back within two seconds: ask soon."""
LAST_RETRY_S: Final = 2.0
"""A service that is down for longer is asked for every two seconds: often enough for a person who waits."""
READ_FIRST_S: Final = 0.05
"""What came while this program was busy painting is read before the service is called silent."""
MAX_UNANSWERED: Final = 32
"""Commands on their way without a reply. A dealer has one or two; more: the service does not answer."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """What the client tells; each is called in the event loop and must not block."""

    view: Callable[[TableView], None]
    refused: Callable[[Refused], None]
    """A command was not done."""
    bad_line: Callable[[str], None]
    """A line could not be read: what was expected. `lost` follows."""
    lost: Callable[[Say], None]
    """What was shown may not be true any more. Called once for each reason in a row."""
    live: Callable[[], None] = lambda: None
    """A service that was silent is back, and what was shown is still true."""
    page: Callable[[str, Page], None] = lambda do, page: None
    """What a command `look …` asked for, with that command."""


class Client:
    """One connection at a time to `path`, for as long as `run` runs.

    Commands that the service has not answered when a connection ends are sent again over the next one: it says what
    became of them, does none twice, and none that comes too late. While it is not known whether the service lives,
    nothing is sent, then or later."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: asyncio.StreamWriter | None = None
        self._name = secrets.token_hex(8)
        self._unanswered: dict[int, Command] = {}
        self._last_id = 0
        self._reason: Say | None = None
        self._handlers: Handlers
        self._live = False
        self._has_view = False
        """A view has come over this connection."""
        self._newest = (0, 0)
        """Run and sequence of the last view."""
        self._beat = 0
        self._timer: asyncio.TimerHandle | None = None
        """When the service is called silent."""

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
        """Sends one step, or asks for a page; False when there is nobody to send it to, or too much is unanswered."""
        if self._writer is None or not self._live or len(self._unanswered) >= MAX_UNANSWERED:
            return False
        self._last_id += 1
        command = Command(client=self._name, id=self._last_id, do=do, shown=shown, beat=self._beat)
        self._unanswered[command.id] = command
        self._writer.write(encode(command))
        return True

    async def _read(self, reader: asyncio.StreamReader) -> bool:
        """Reads until the connection ends; True when at least one line came, and all could be used."""
        came = False
        reason = Say("connection-ended")
        self._wait()
        try:
            while line := await reader.readline():
                if (unusable := self._line(line)) is not None:  # the next connection begins with the newest view
                    came, reason = False, unusable
                    break
                came = True
        except ValueError:
            reason = Say("line-too-long", {"count": MAX_LINE_BYTES})
        except OSError as error:
            reason = self._failed(error)
        finally:
            await self._close()
        self._lose(reason)
        return came

    def _line(self, line: bytes) -> Say | None:
        """Takes a line; why it cannot be used, or None."""
        try:
            message = decode_to_screen(line)
        except SocketError as error:
            self._handlers.bad_line(str(error))
            return Say("bad-line", {"reason": str(error)})
        if message.beat:
            self._take_beat(message.beat)
        if message.reply is not None:
            self._take_reply(message.reply)
        return self._take_view(message.view) if message.view is not None else None

    def _take_view(self, view: TableView) -> Say | None:
        run, sequence = self._newest
        if view.run == run and view.sequence < sequence:
            return Say("old-view")
        self._newest = (view.run, view.sequence)
        self._has_view = self._live = True
        self._reason = None
        self._handlers.view(view)
        self._wait()
        if view.protocol != PROTOCOL and self._timer is not None:
            self._timer.cancel()  # what it is called, and whether it beats, is not known: its view says enough
        return None

    def _take_beat(self, beat: int) -> None:
        self._beat = beat
        self._wait()
        if self._has_view and not self._live:
            self._live, self._reason = True, None
            self._handlers.live()

    def _take_reply(self, reply: Reply) -> None:
        command = self._unanswered.pop(reply.id, None)
        if reply.refused is not None:
            self._handlers.refused(reply.refused)
        if reply.page is not None and command is not None:
            self._handlers.page(command.do, reply.page)

    # --- silence ---

    def _wait(self) -> None:
        """From now on the service may be silent for so long."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(SILENT_S, self._listen_once_more)

    def _listen_once_more(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(READ_FIRST_S, self._silent)

    def _silent(self) -> None:
        self._live = False
        self._lose(Say("silent"))

    async def _close(self) -> None:
        self._live = self._has_view = False
        if self._timer is not None:
            self._timer.cancel()
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
