"""The folder with the sockets of a room: `room.sock` with all states, and `tables/0.sock` and so on for each table.

Only the owner and the group of the folder may pass through it and connect to its sockets.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from controller.room.live.table_states import TableStates
from controller.view import live_protocol
from hardware.text_input_validation import BadInputError

logger = logging.getLogger(__name__)

FOLDER_MODE: Final = 0o750
SOCKET_MODE: Final = 0o660
MAX_FOLLOWERS: Final = 16
"""Maximum number of clients of `room.sock`. A house has a page or two."""
MAX_READ_BYTES: Final = 16_384
"""Limit of what is read ahead from a client. A command has less than 1 kB."""

OpenTunnel: TypeAlias = Callable[[str, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Function that relays the bytes of a client to the table with this name, and returns at the end."""


class LiveFolder:
    """The sockets in a folder."""

    def __init__(self, path: Path, states: TableStates, open_tunnel: OpenTunnel) -> None:
        self._path = path
        self._states = states
        self._open_tunnel = open_tunnel
        self._group = -1
        self._room: asyncio.Server | None = None
        self._tables: list[asyncio.Server] = []
        self._names: tuple[str, ...] | None = None
        """Names of the tables that have sockets, or None before all sockets are open."""
        self._followers: set[asyncio.Task[None]] = set()
        """Tasks that serve the clients of `room.sock`."""
        self._table_clients: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Make the folder and open all sockets. Sockets that a killed room left are removed. Raises BadInputError."""
        try:
            self._prepare()
            self._room = await self._listen(self._path / live_protocol.ROOM_SOCKET, self._serve_follower)
            await self._open_table_sockets()
        except OSError as error:
            raise BadInputError(f"--live {self._path}: {error}, expected a folder for sockets") from None

    async def update(self) -> None:
        """Open a socket for each table of the room, after the file of the tables has changed."""
        if self._names != self._states.names:
            # The numbers have changed, so that each client must look for its table again.
            await self._close_table_sockets()
            await self._open_table_sockets()

    async def close(self) -> None:
        """Close all connections and remove the sockets."""
        if self._room is not None:
            self._room.close()
            (self._path / live_protocol.ROOM_SOCKET).unlink(missing_ok=True)
        await _cancel(self._followers)
        await self._close_table_sockets()

    def _prepare(self) -> None:
        """Make the folders, and remove dead sockets. Raises OSError or BadInputError."""
        tables = self._path / live_protocol.TABLE_SOCKETS
        self._path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        self._group = self._path.stat().st_gid
        tables.mkdir(FOLDER_MODE, exist_ok=True)
        self._give_to_group(tables)
        for folder in (self._path, tables):
            folder.chmod(FOLDER_MODE | folder.stat().st_mode & stat.S_ISGID)
        for path in (self._path / live_protocol.ROOM_SOCKET, *sorted(tables.glob("*.sock"))):
            if path.exists():
                _remove_dead_socket(path)

    def _give_to_group(self, path: Path) -> None:
        """Give a file to the group of the folder, unless it has this group, because the room's unit forbids changes."""
        if path.stat().st_gid != self._group:
            os.chown(path, -1, self._group)

    async def _listen(
        self, path: Path, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> asyncio.Server:
        listener = socket.socket(socket.AF_UNIX)
        try:
            # Nobody can connect until the socket listens. Set its group and mode before that.
            listener.bind(str(path))
            self._give_to_group(path)
            path.chmod(SOCKET_MODE)
            return await asyncio.start_unix_server(serve, sock=listener, limit=MAX_READ_BYTES)
        except BaseException:
            listener.close()
            raise

    async def _open_table_sockets(self) -> None:
        names = self._states.names
        for number, name in enumerate(names):

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str = name) -> None:
                await self._serve_table(name, reader, writer)

            self._tables.append(await self._listen(self._path / live_protocol.TABLE_SOCKETS / f"{number}.sock", serve))
        self._names = names

    async def _close_table_sockets(self) -> None:
        for number, server in enumerate(self._tables):
            server.close()
            (self._path / live_protocol.TABLE_SOCKETS / f"{number}.sock").unlink(missing_ok=True)
        self._tables.clear()
        self._names = None
        await _cancel(self._table_clients)

    async def _serve_table(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with _as_client(self._table_clients, writer):
            await self._open_tunnel(name, reader, writer)

    async def _serve_follower(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send all states and their changes to a client, which has nothing to say."""
        with _as_client(self._followers, writer):
            if len(self._followers) > MAX_FOLLOWERS:
                logger.warning("room.sock: %d clients are connected, another one is refused", MAX_FOLLOWERS)
                return
            async with aclosing(self._states.follow()) as states:
                async for lines in states:
                    writer.write(lines)
                    await writer.drain()


@contextmanager
def _as_client(clients: set[asyncio.Task[None]], writer: asyncio.StreamWriter) -> Iterator[None]:
    """Keep the present task in a set during a block, and then close its connection."""
    task = asyncio.current_task()
    assert task is not None
    clients.add(task)
    try:
        yield
    except (OSError, asyncio.CancelledError):
        return  # The client has disconnected, or the room is stopping.
    finally:
        clients.discard(task)
        writer.close()


async def _cancel(clients: set[asyncio.Task[None]]) -> None:
    """Cancel the tasks of clients and wait for their end."""
    tasks = list(clients)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _remove_dead_socket(path: Path) -> None:
    """Delete a socket file that no process uses. Raises BadInputError if it is in use or not a socket."""
    if not path.is_socket():
        raise BadInputError(f"{path}: another kind of file exists, expected a free path for a socket")
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        if probe.connect_ex(str(path)) == 0:
            raise BadInputError(f"{path}: another room uses it, expected a free socket")
    path.unlink()
