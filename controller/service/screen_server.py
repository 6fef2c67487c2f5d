"""The screen server: it accepts connections on Unix sockets, reads commands and sends views.

The rights of a client depend on its socket and its user. The server does not trust what a client says about itself. No
client can keep others out:

- Each socket has its own limit of connections. If the limit is reached, the connection with the oldest command is
  closed for a new one.
- If one process has several connections, a process without a connection gets a place at once.
- A client that sends too fast delays only itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence, Set
from pathlib import Path
from typing import Final, TypeAlias

from controller import presenter
from controller.service.rate_limit import RateLimiter, RateLimiters
from controller.service.roles import Endpoint, PermissionRefusal, Role
from controller.view import (
    MessageValues,
    RefusalView,
    Reply,
    ServiceMessage,
    protocol,
)
from hardware.text_input_validation import BadInputError

MAX_CONNECTIONS: Final = 16
"""Maximum number of connections per socket.

Dealer, players, room and floor need fewer connections, so more are a fault.
"""
MIN_CONNECTION_AGE_S: Final = 0.5
"""Minimum age in seconds of a connection that may be closed to make room for another one.

A dealer's screen that was refused connects again after this time.
"""
MAX_UNSENT_BYTES: Final = 1_000_000
"""Number of unread bytes above which a screen gets no views. It gets the newest view when it has read them."""
PendingReply: TypeAlias = Callable[[], Awaitable[Reply]]
LineHandler: TypeAlias = Callable[[bytes, Endpoint], Reply | PendingReply]
"""Callback for a line from a screen. It returns the reply, or an asynchronous function that returns it later."""
_logger = logging.getLogger(__name__)
_CREDENTIALS: Final = struct.Struct("3i")
"""Structure of SO_PEERCRED: process, user and group."""
_SOCKET_MODE: Final = 0o660
"""File mode of a socket whose door names none. Its owner and its group may connect."""
_FOLDER_MODE: Final = 0o750
"""File mode of a folder that is made for the socket of a door with a group. Only this group may pass through."""


class _Connection:
    """One connection of a screen."""

    def __init__(
        self, writer: asyncio.StreamWriter, endpoint: Endpoint, process: int, limiter: RateLimiter, now_s: float
    ) -> None:
        self.writer = writer
        self.endpoint = endpoint
        self.process = process
        self.limiter = limiter
        self.connected_s = now_s
        self.last_command_s = 0.0
        """Time of the connection's last successful command, or 0 before its first one."""
        self.pending: asyncio.Task[None] | None = None
        """Task that will send a page. Commands on the same connection do not wait for the page."""

    @property
    def unsent_bytes(self) -> int:
        return self.writer.transport.get_write_buffer_size()


class ScreenServer:
    """The sockets of a table and their connections.

    `handle_line` handles a line from a client of a socket. `next_heartbeat` returns the number for the next heartbeat.
    `first_message` has the first view. `report_error` reports a program error as an alert.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        handle_line: LineHandler,
        next_heartbeat: Callable[[], int],
        first_message: ServiceMessage,
        report_error: Callable[[Exception], None],
    ) -> None:
        self._report_error = report_error
        self._endpoints = endpoints
        self._handle_line = handle_line
        self._next_heartbeat = next_heartbeat
        self._roles = frozenset([endpoint.role for endpoint in endpoints])
        self._newest_lines = _lines_by_role(first_message, self._roles)
        self._connected: set[_Connection] = set()
        self._skipped: set[_Connection] = set()
        self._limiters = RateLimiters()
        self._servers: dict[Path, asyncio.AbstractServer] = {}

    async def listen(self, path: Path) -> None:
        """Open all sockets. The dealer's socket is at `path`. Sockets that a killed service left are replaced.

        Raises BadInputError if a socket cannot be opened.
        """
        for endpoint in self._endpoints:
            socket_path = path.parent / endpoint.path if endpoint.path else path
            try:
                self._servers[socket_path] = await self._open_socket(socket_path, endpoint)
            except OSError as error:
                reason = error.strerror or error
                raise BadInputError(f"{socket_path}: {reason}, expected the path of a Unix socket") from None

    async def _open_socket(self, path: Path, endpoint: Endpoint) -> asyncio.AbstractServer:
        if path.exists():
            _remove_dead_socket(path)
        _make_folder(path.parent, endpoint)
        listener = socket.socket(socket.AF_UNIX)
        try:
            # Nobody can connect until the socket listens. Set its owner and mode before that.
            listener.bind(str(path))
            if endpoint.group is not None:
                os.chown(path, -1, endpoint.group)
            path.chmod(endpoint.mode if endpoint.mode is not None else _SOCKET_MODE)

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await self._serve(reader, writer, endpoint)

            return await asyncio.start_unix_server(serve, sock=listener, limit=protocol.MAX_LINE_BYTES)
        except BaseException:
            listener.close()
            raise

    def close(self) -> None:
        """Close all connections and delete the sockets."""
        for server in self._servers.values():
            server.close()
        for connection in list(self._connected):
            connection.writer.close()
        for path in self._servers:
            path.unlink(missing_ok=True)

    def send_view(self, message: ServiceMessage) -> None:
        """Send a view to all screens."""
        self._newest_lines = _lines_by_role(message, self._roles)
        for connection in list(self._connected):
            self._send_newest(connection)

    def send_heartbeat(self) -> None:
        """Send a heartbeat to all screens that have read everything that was sent to them.

        The other screens do not show the current table, so a missing heartbeat must warn them.
        """
        line = protocol.encode(ServiceMessage(heartbeat=self._next_heartbeat()))
        for connection in self._connected:
            if not connection.unsent_bytes and not connection.writer.transport.is_closing():
                connection.writer.write(line)

    def send_skipped_views(self) -> None:
        """Send the newest view to each skipped screen that has read its earlier lines by now."""
        for connection in list(self._skipped):
            self._send_newest(connection)

    def _send_newest(self, connection: _Connection) -> None:
        if connection.writer.transport.is_closing():
            self._remove(connection)
        elif connection.unsent_bytes > MAX_UNSENT_BYTES:
            self._skipped.add(connection)
        else:
            self._skipped.discard(connection)
            connection.writer.write(self._newest_lines[connection.endpoint.role])

    def _reply(self, connection: _Connection, reply: Reply) -> None:
        """Send a reply. Close the connection instead if too many bytes are unread.

        The screen will then connect again and repeat the command, so that no reply is lost.
        """
        if connection.unsent_bytes > MAX_UNSENT_BYTES:
            connection.writer.transport.abort()
            self._remove(connection)
        else:
            connection.writer.write(self._encode_reply(reply))

    def _encode_reply(self, reply: Reply) -> bytes:
        """Return the line of a reply. If it cannot be encoded, report this, and return a refusal instead."""
        try:
            return protocol.encode(ServiceMessage(reply=reply))
        except Exception as error:
            self._report_error(error)
            return protocol.encode(ServiceMessage(reply=Reply(id=reply.id, refused=RefusalView(code="fault"))))

    def _remove(self, connection: _Connection) -> None:
        if connection in self._connected:
            _logger.info("door %s: screen disconnected, process %d", connection.endpoint.name, connection.process)
        self._connected.discard(connection)
        self._skipped.discard(connection)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint) -> None:
        now_s = asyncio.get_running_loop().time
        process, user = _peer_credentials(writer)
        limiter = self._limiters.for_process(process, now_s(), {other.process for other in self._connected})
        connection = _Connection(writer, endpoint, process, limiter, now_s())
        try:
            if endpoint.users is not None and user not in endpoint.users:
                _logger.warning("door %s: user %d refused, process %d", endpoint.name, user, process)
                self._reply(connection, Reply(id=0, refused=RefusalView(code=PermissionRefusal.NOT_ALLOWED.value)))
                return
            if not self._make_room(endpoint, process, now_s()):
                _logger.warning("door %s: no room for another screen, process %d", endpoint.name, process)
                return
            self._connected.add(connection)
            _logger.info("door %s: screen connected, process %d, user %d", endpoint.name, process, user)
            writer.write(
                self._newest_lines[endpoint.role] + protocol.encode(ServiceMessage(heartbeat=self._next_heartbeat()))
            )
            while line := await reader.readline():
                if wait_s := connection.limiter.take_and_wait_s(now_s()):
                    await asyncio.sleep(wait_s)
                reply = self._handle_line(line, endpoint)
                if isinstance(reply, Reply):
                    if reply.refused is None:
                        connection.last_command_s = now_s()
                    self._reply(connection, reply)
                else:
                    await self._reply_later(connection, reply)
                await asyncio.sleep(0)  # Handle other screens and the sensors before the next line.
        except asyncio.CancelledError:
            return  # The service is stopping.
        except (ValueError, ConnectionError):  # The line was too long, or the screen has disconnected.
            too_long = RefusalView(
                code="not-a-step", values=MessageValues(reason=f"expected lines up to {protocol.MAX_LINE_BYTES} bytes")
            )
            self._reply(connection, Reply(id=0, refused=too_long))
        finally:
            self._remove(connection)
            writer.close()

    async def _reply_later(self, connection: _Connection, get_reply: PendingReply) -> None:
        """Send the reply to a query when it is ready.

        If an earlier reply on this connection is not sent yet, wait for it.
        """

        async def send_reply() -> None:
            reply = await get_reply()
            if connection in self._connected:
                self._reply(connection, reply)

        if connection.pending is not None:
            await connection.pending
        connection.pending = asyncio.create_task(send_reply())

    def _make_room(self, endpoint: Endpoint, process: int, now_s: float) -> bool:
        """Return True if this process may open another connection. Close an idle connection if necessary.

        A connection that has never sent a command is closed before others. If another process has several connections,
        a process without a connection gets one at once.
        """
        connections = [connection for connection in self._connected if connection.endpoint is endpoint]
        if len(connections) < MAX_CONNECTIONS:
            return True
        ((busiest_process, connection_count),) = Counter(connection.process for connection in connections).most_common(
            1
        )
        is_first_of_process = connection_count > 1 and all(connection.process != process for connection in connections)
        candidates = (
            [connection for connection in connections if connection.process == busiest_process]
            if is_first_of_process
            else connections
        )
        idlest = min(candidates, key=lambda connection: (connection.last_command_s, connection.connected_s))
        if not is_first_of_process and now_s - idlest.connected_s < MIN_CONNECTION_AGE_S:
            return False
        _logger.info("door %s: screen of process %d closed to make room", endpoint.name, idlest.process)
        idlest.writer.transport.abort()
        self._remove(idlest)
        return True


def _lines_by_role(message: ServiceMessage, roles: Set[Role]) -> dict[Role, bytes]:
    """Return the line to send for a message, for each role. Players receive the public view."""
    line = protocol.encode(message)
    lines = dict.fromkeys(roles, line)
    if "player" in lines and message.view is not None:
        lines["player"] = protocol.encode(ServiceMessage(view=presenter.to_public_view(message.view)))
    return lines


def _peer_credentials(writer: asyncio.StreamWriter) -> tuple[int, int]:
    """Return process number and user number of the client, as the operating system reports them."""
    credentials = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, _ = _CREDENTIALS.unpack(credentials)
    return process, user


def _make_folder(folder: Path, endpoint: Endpoint) -> None:
    """Make the folder of a socket if it does not exist. The folder belongs to the group of the door."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True)
    if endpoint.group is not None:
        os.chown(folder, -1, endpoint.group)
        folder.chmod(_FOLDER_MODE)


def _remove_dead_socket(path: Path) -> None:
    """Delete a socket file that no process uses. Raises BadInputError if it is in use or not a socket."""
    if not path.is_socket():
        raise BadInputError(f"{path}: another kind of file exists, expected a free path for a socket")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise BadInputError(f"{path}: another service uses it, expected a free socket")
