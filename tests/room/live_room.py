"""A room with its live side in this process, and clients of its sockets, as tests use them.

The store is in memory, so that these tests need no PostgreSQL.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from controller.integrity import ChainHead, TableKey
from controller.room import (
    Alert,
    LiveServer,
    LiveUplink,
    RoomServer,
    SpanStore,
    StoredSpan,
    TablesFile,
    Uplink,
    add_table,
)
from controller.room.live import messages
from controller.room.messages import TOKEN_PREFIX
from controller.view import live_protocol
from tests.service.service_process import DEADLINE_S

KEYS = ("11" * 32, "22" * 32, "33" * 32)
"""Private keys of the tables."""
MAX_WAIT_S = 0.1
"""Longest wait of an uplink after an error."""


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class MemoryStore(SpanStore):
    """A store that keeps everything in memory. While it hangs, it stores nothing and does not answer."""

    def __init__(self) -> None:
        super().__init__("")
        self.heads: dict[str, ChainHead] = {}
        self.alerts: list[Alert] = []
        self.works = asyncio.Event()
        self.works.set()

    async def read_position(self, table: str) -> ChainHead | None:
        await self.works.wait()
        return self.heads.get(table)

    async def add(self, table: str, spans: Sequence[StoredSpan]) -> None:
        await self.works.wait()
        self.heads[table] = spans[-1].span.head

    async def add_alert(self, alert: Alert) -> None:
        self.alerts.append(alert)

    def problems(self) -> list[str]:
        return [alert.problem for alert in self.alerts]


class Room:
    """A running room with the tables "Table 1", "Table 2" and so on."""

    def __init__(self, folder: Path, table_count: int) -> None:
        self.folder = folder
        self.live = folder / "live"
        self.tables = folder / "tables.toml"
        self.tokens = [
            add_table(self.tables, f"Table {number + 1}", TableKey(KEYS[number]).public_key)
            for number in range(table_count)
        ]
        self.store = MemoryStore()
        self.address = ""

    def headers(self, number: int = 0) -> dict[str, str]:
        return {"Authorization": TOKEN_PREFIX + self.tokens[number]}

    @asynccontextmanager
    async def connected(self, number: int = 0) -> AsyncIterator[FakeTable]:
        """Connect as the live side of a table that the test plays itself."""
        async with connect(self.address + "/live", additional_headers=self.headers(number), proxy=None) as connection:
            yield FakeTable(connection)

    @asynccontextmanager
    async def uplink(self, socket: Path, journal: Path, number: int = 0) -> AsyncIterator[None]:
        """Run both sides of the uplink of a table during a block."""
        arguments = (journal, self.address, self.tokens[number])
        tasks = [
            asyncio.create_task(Uplink(*arguments, max_wait_s=MAX_WAIT_S).run()),
            asyncio.create_task(LiveUplink(socket, *arguments, max_wait_s=MAX_WAIT_S).run()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[RoomClient]:
        """Follow the states at `room.sock` during a block."""
        reader, writer = await asyncio.open_unix_connection(self.live / "room.sock", limit=live_protocol.MAX_LINE_BYTES)
        try:
            yield RoomClient(reader)
        finally:
            writer.close()

    @asynccontextmanager
    async def client(self, number: int = 0) -> AsyncIterator[Streams]:
        """Connect to the socket of a table in the folder during a block."""
        path = self.live / "tables" / f"{number}.sock"
        reader, writer = await asyncio.open_unix_connection(path, limit=2**20)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


class FakeTable:
    """The live side of a table's uplink, which sends what a test wants."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, message: object) -> None:
        await self.connection.send(messages.encode_message(message))

    async def receive(self) -> messages.RoomMessage:
        async with asyncio.timeout(DEADLINE_S):
            return messages.decode_room_message(await self.connection.recv())

    async def until_closed(self) -> tuple[int | None, str | None]:
        """Wait until the room closes the connection, and return its code and reason."""
        async with asyncio.timeout(DEADLINE_S):
            await self.connection.wait_closed()
        return self.connection.close_code, self.connection.close_reason


class RoomClient:
    """A client of `room.sock` with the newest states."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self.sockets: dict[str, str] = {}
        self.states: dict[str, live_protocol.TableState] = {}

    async def read_line(self) -> live_protocol.RoomLine:
        async with asyncio.timeout(DEADLINE_S):
            data = await self._reader.readline()
        assert data, "the room has closed the connection"
        line = live_protocol.decode_line(data)
        if isinstance(line, live_protocol.RoomTables):
            self.sockets = {table.name: table.socket for table in line.tables}
        elif isinstance(line, live_protocol.TableState):
            self.states[line.table] = line
        return line

    async def until(self, condition: Callable[[live_protocol.TableState], Any], name: str = "Table 1") -> None:
        """Read lines until the state of a table fulfils a condition."""
        async with asyncio.timeout(DEADLINE_S):
            while name not in self.states or not condition(self.states[name]):
                await self.read_line()


@asynccontextmanager
async def live_room(table_count: int = 1) -> AsyncIterator[Room]:
    """Run a room during a block."""
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="live") as name:
        room = Room(Path(name), table_count)
        tables = TablesFile(room.tables)
        live = LiveServer(room.live, tables.read_names)
        async with live.running():
            server = await RoomServer(room.store, tables, live).listen("127.0.0.1", 0, None)
            async with server:
                room.address = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
                yield room
                room.store.works.set()


async def read_until(reader: asyncio.StreamReader, condition: Callable[[bytes], Any]) -> bytes:
    """Read lines until one fulfils a condition, and return this line."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition(line := await reader.readline()):
            assert line, "the connection has ended"
        return line


async def until(condition: Callable[[], Any]) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.01)


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Read until the other end closes the connection."""
    with suppress(ConnectionError):
        async with asyncio.timeout(DEADLINE_S):
            while await reader.read(65_536):
                pass
    return True


async def cancel(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
