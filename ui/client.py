"""The screen's client for the Unix socket of the service. It receives views and replies and sends commands.

The client reconnects automatically. It marks the connection as not live after each of these events, until the service
sends new data:

- No heartbeat has arrived for `protocol.HEARTBEAT_TIMEOUT_S`.
- A line cannot be decoded.
- A view is older than the previous view.
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
    PROTOCOL_VERSION,
    Command,
    RefusalView,
    Reply,
    TableView,
    pages,
    protocol,
)
from ui.state import ScreenMessage

FIRST_RETRY_DELAY_S: Final = 0.1
"""Delay in seconds before the first attempt to reconnect. It is short, because a restarted service is back within two
seconds."""
MAX_RETRY_DELAY_S: Final = 2.0
"""Maximum delay in seconds between two attempts to reconnect, which is short enough for a person who waits."""
DRAIN_TIMEOUT_S: Final = 0.05
"""Time in seconds that the client still waits after a heartbeat timeout. Heartbeats may have arrived unread while this
program was drawing."""
MAX_UNANSWERED: Final = 32
"""Maximum number of commands without a reply, after which the client sends no more. A dealer causes only one or two, so
32 mean that the service does not reply."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """Callbacks of the client. They run in the event loop and must not block."""

    on_view: Callable[[TableView], None]
    on_refusal: Callable[[RefusalView], None]
    """Called if the service has refused a command."""
    on_bad_line: Callable[[str], None]
    """Called if a line from the service could not be decoded. The argument says what was expected. A call of
    `on_connection_lost` follows."""
    on_connection_lost: Callable[[ScreenMessage], None]
    """Called if the last view may be out of date. The argument is the reason. If the same reason occurs repeatedly, the
    callback is called only once."""
    on_live_again: Callable[[], None] = lambda: None
    """Called if the service sends a heartbeat after a silence. The last view is still up to date."""
    on_page: Callable[[str, pages.Page], None] = lambda do, page: None
    """Called if the content of a page has arrived. The first argument is the query for this page."""


class Client:
    """A connection to the service. While `run` is running, it replaces a lost connection by a new one.

    The client sends commands without a reply again over the next connection. The service does no command twice, and it
    refuses a command that is too late. While the service is silent, the client neither sends nor stores new commands.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: asyncio.StreamWriter | None = None
        self._name = secrets.token_hex(8)
        self._unanswered: dict[int, Command] = {}
        self._last_id = 0
        self._reason: ScreenMessage | None = None
        self._handlers: Handlers
        self._live = False
        self._has_view = False
        """True if a view has arrived over the present connection."""
        self._last_view = (0, 0)
        """Identifier of the service's run and sequence number, as given in the last view."""
        self._heartbeat = 0
        self._timer: asyncio.TimerHandle | None = None
        """Timer that marks the service as silent when it expires."""

    async def run(self, handlers: Handlers) -> None:
        """Connect to the service, read its messages and call the handlers. After a lost connection, connect again."""
        self._handlers = handlers
        retry_s = FIRST_RETRY_DELAY_S
        while True:
            try:
                reader, self._writer = await asyncio.open_unix_connection(self.path, limit=protocol.MAX_LINE_BYTES)
            except OSError as error:
                self._lose(self._connection_message(error))
            else:
                for command in self._unanswered.values():
                    self._writer.write(protocol.encode(command))
                if await self._read(reader):
                    retry_s = FIRST_RETRY_DELAY_S
            await asyncio.sleep(retry_s)
            retry_s = min(MAX_RETRY_DELAY_S, retry_s * 2)

    def send(self, do: str, view_sequence: int) -> bool:
        """Send a step or a query. Return False if the service is silent or too many commands have no reply."""
        if self._writer is None or not self._live or len(self._unanswered) >= MAX_UNANSWERED:
            return False
        self._last_id += 1
        command = Command(
            client=self._name, id=self._last_id, do=do, view_sequence=view_sequence, heartbeat=self._heartbeat
        )
        self._unanswered[command.id] = command
        self._writer.write(protocol.encode(command))
        return True

    async def _read(self, reader: asyncio.StreamReader) -> bool:
        """Read until the connection ends. Return True if at least one line has arrived and every line was valid."""
        got_line = False
        reason = ScreenMessage("connection-ended")
        self._restart_timer()
        try:
            while line := await reader.readline():
                if (
                    error_message := self._handle_line(line)
                ) is not None:  # the next connection starts with the newest view
                    got_line, reason = False, error_message
                    break
                got_line = True
        except ValueError:
            reason = ScreenMessage("line-too-long", {"count": protocol.MAX_LINE_BYTES})
        except OSError as error:
            reason = self._connection_message(error)
        finally:
            await self._close()
        self._lose(reason)
        return got_line

    def _handle_line(self, line: bytes) -> ScreenMessage | None:
        """Handle a line from the service. Return the reason why the line is invalid, or None if it is valid."""
        try:
            message = protocol.decode_service_message(line)
        except protocol.SocketError as error:
            self._handlers.on_bad_line(str(error))
            return ScreenMessage("bad-line", {"reason": str(error)})
        if message.heartbeat:
            self._handle_heartbeat(message.heartbeat)
        if message.reply is not None:
            self._handle_reply(message.reply)
        return self._handle_view(message.view) if message.view is not None else None

    def _handle_view(self, view: TableView) -> ScreenMessage | None:
        run, sequence = self._last_view
        if view.service_run == run and view.sequence < sequence:
            return ScreenMessage("old-view")
        self._last_view = (view.service_run, view.sequence)
        self._has_view = self._live = True
        self._reason = None
        self._handlers.on_view(view)
        self._restart_timer()
        if view.protocol != PROTOCOL_VERSION and self._timer is not None:
            self._timer.cancel()  # a service of another version may send no heartbeats
        return None

    def _handle_heartbeat(self, heartbeat: int) -> None:
        self._heartbeat = heartbeat
        self._restart_timer()
        if self._has_view and not self._live:
            self._live, self._reason = True, None
            self._handlers.on_live_again()

    def _handle_reply(self, reply: Reply) -> None:
        command = self._unanswered.pop(reply.id, None)
        if reply.refused is not None:
            self._handlers.on_refusal(reply.refused)
        if reply.page is not None and command is not None:
            self._handlers.on_page(command.do, reply.page)

    # --- silence ---

    def _restart_timer(self) -> None:
        """Restart the timer that marks the service as silent when it expires."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(protocol.HEARTBEAT_TIMEOUT_S, self._drain_then_report)

    def _drain_then_report(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(DRAIN_TIMEOUT_S, self._report_silence)

    def _report_silence(self) -> None:
        self._live = False
        self._lose(ScreenMessage("silent"))

    async def _close(self) -> None:
        self._live = self._has_view = False
        if self._timer is not None:
            self._timer.cancel()
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _connection_message(self, error: OSError) -> ScreenMessage:
        return ScreenMessage("no-connection", {"path": str(self.path), "reason": error.strerror or str(error)})

    def _lose(self, reason: ScreenMessage) -> None:
        if reason != self._reason:
            self._reason = reason
            self._handlers.on_connection_lost(reason)
