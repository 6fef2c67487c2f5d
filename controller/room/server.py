"""The server of a room: one WebSocket for the journal of every table, and one for its summaries."""

from __future__ import annotations

import asyncio
import asyncio.sslproto
import logging
import resource
import ssl
import time
from collections import defaultdict, deque
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from controller.integrity import ChainHead
from controller.log_setup import log_fields
from controller.room.live import LIVE_PATH, LiveError, LiveServer
from controller.room.messages import TOKEN_PREFIX, RoomPosition, SpanAccepted, SpanRefused, encode_message
from controller.room.room_counts import RoomCounts, offer_measurements
from controller.room.span_chain import SpanChain
from controller.room.spans import MAX_SPAN_BYTES, SpanError, SpanProblem
from controller.room.store import Alert, SpanStore, StoreError
from controller.room.tables_file import RoomTable, TablesFile
from controller.systemd import notify_systemd, stop_on_signals
from hardware.text_input_validation import BadInputError, escape_invisible

logger = logging.getLogger(__name__)

MAX_MESSAGE_BYTES: Final = 2 * MAX_SPAN_BYTES
"""Maximum bytes of a message. It is larger than a span, so that an oversized span is refused by its name."""
TLS_BUFFER_BYTES: Final = 16_384
"""Size of the buffer of a connection with TLS, which is that of the largest TLS record.

The default of asyncio, 256 kB, would take most of the memory of a room with many tables.
"""
ALIVE_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds in which an earlier connection must answer a ping before a new one takes its place."""
MAX_ALERTS_PER_MINUTE: Final = 10
"""Maximum number of alerts about a table in a minute, so that a stolen token cannot fill the database."""


class _Place(NamedTuple):
    """The place of one connection. A table has one for its spans and one for its summaries."""

    table: str
    is_live: bool


class RoomServer:
    """Receives the journals of the tables and keeps them in the store."""

    def __init__(self, store: SpanStore, tables: TablesFile, live: LiveServer | None = None) -> None:
        """Without `live`, the room refuses summaries."""
        self._store = store
        self._tables = tables
        self._live = live
        self.counts = RoomCounts()
        self._connections: dict[_Place, ServerConnection] = {}
        self._locks: defaultdict[_Place, asyncio.Lock] = defaultdict(asyncio.Lock)
        """A lock for each place, which its connection holds until its last span is stored."""
        self._last_alerts: dict[tuple[str, str], tuple[str, int]] = {}
        """Place of the last alert of every table and problem."""
        self._alert_times_s: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MAX_ALERTS_PER_MINUTE))

    async def listen(self, host: str | None, port: int, context: ssl.SSLContext | None) -> Server:
        """Begin to accept connections, and return the listening server. Raises OSError."""
        asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES
        return await serve(
            self._handle,
            host,
            port,
            ssl=context,
            process_request=self._reject_strangers,
            max_size=MAX_MESSAGE_BYTES,
            max_queue=1,
            compression=None,
            server_header=None,
        )

    def _table_of(self, request: Request) -> RoomTable | None:
        """Return the table whose token is in a request, or None."""
        try:
            self._tables.reload()
        except BadInputError as error:
            logger.error("%s. The tables stay as they were", error)
        header = request.headers.get("Authorization", "")
        return self._tables.find_by_token(header.removeprefix(TOKEN_PREFIX))

    def _reject_strangers(self, connection: ServerConnection, request: Request) -> Response | None:
        if self._table_of(request) is None:
            logger.warning("%s: unknown token, expected that of a table", _address(connection))
            return connection.respond(HTTPStatus.UNAUTHORIZED, "unknown token\n")
        if _is_live(request) and self._live is None:
            return connection.respond(HTTPStatus.NOT_FOUND, "the room has no live side, expected the option --live\n")
        return None

    async def _handle(self, connection: ServerConnection) -> None:
        request = connection.request
        table = self._table_of(request) if request is not None else None
        if request is None or table is None:
            return
        place = _Place(table.name, _is_live(request))
        with suppress(ConnectionClosed):
            try:
                if await self._is_second(table, place, connection):
                    await connection.close(CloseCode.POLICY_VIOLATION, "another connection uses this token")
                    return
                async with self._locks[place]:
                    self._connections[place] = connection
                    if not place.is_live:
                        await self._receive_journal(table, connection)
                    elif self._live is not None:
                        await self._serve_live(self._live, table, connection)
            except StoreError as error:
                logger.error("%s: %s", table.name, error)
                await connection.close(CloseCode.TRY_AGAIN_LATER, "the store cannot be used")

    async def _is_second(self, table: RoomTable, place: _Place, connection: ServerConnection) -> bool:
        """Return True if another connection of the table is alive, which is an alert. Close it if it is not alive."""
        earlier = self._connections.get(place)
        if earlier is None or not self._locks[place].locked():
            return False
        try:
            async with asyncio.timeout(ALIVE_TIMEOUT_S):
                await (await earlier.ping())
        except (TimeoutError, ConnectionClosed):
            earlier.transport.abort()
            return False
        text = f"a second connection from {_address(connection)}, while {_address(earlier)} is connected"
        problem: SpanProblem = "second-live-connection" if place.is_live else "second-connection"
        await self._report(table, SpanError(problem, text))
        return True

    async def _serve_live(self, live: LiveServer, table: RoomTable, connection: ServerConnection) -> None:
        """Receive summaries until the connection ends or a message is not valid. Raises StoreError."""
        try:
            await live.handle(table.name, connection)
        except LiveError as error:
            await self._report(table, SpanError("bad-live-message", str(error)))
            await connection.close(CloseCode.POLICY_VIOLATION, "a message is not valid")

    async def _receive_journal(self, table: RoomTable, connection: ServerConnection) -> None:
        self.counts.connected.add(table.name)
        try:
            await self._receive(table, connection)
        finally:
            self.counts.connected.discard(table.name)

    async def _receive(self, table: RoomTable, connection: ServerConnection) -> None:
        """Store the spans of a table until the connection ends or a span is refused. Raises StoreError."""
        position = await self._store.read_position(table.name)
        self._note_stored(table, position)
        chain = SpanChain(position, table.keys)
        await connection.send(encode_message(RoomPosition(position)))
        async for data in connection:
            arrived_s = time.monotonic()
            try:
                accepted = chain.add(data if isinstance(data, bytes) else data.encode())
            except SpanError as error:
                await self._report(table, error)
                await connection.send(encode_message(SpanRefused(error.problem, str(error))))
                await connection.close(CloseCode.POLICY_VIOLATION, error.problem)
                return
            for problem in accepted.problems:
                await self._report(table, problem)
            if accepted.proven:
                await self._store.add(table.name, accepted.proven)
                self._note_stored(table, accepted.proven[-1].span.head)
                self.counts.spans += len(accepted.proven)
                self.counts.records += sum(len(stored.span.bodies) for stored in accepted.proven)
            await connection.send(encode_message(SpanAccepted(bool(accepted.proven))))
            self.counts.note_acknowledged(time.monotonic() - arrived_s)

    def _note_stored(self, table: RoomTable, head: ChainHead | None) -> None:
        if self._live is not None:
            self._live.note_stored(table.name, head)

    async def _report(self, table: RoomTable, error: SpanError) -> None:
        """Add an alert, unless it repeats the last one of its kind or there are too many. Raises StoreError."""
        kind, head = (table.name, error.problem), error.head
        place = ("", error.number) if head is None else (head.journal, error.number)
        times_s, now_s = self._alert_times_s[table.name], asyncio.get_running_loop().time()
        has_too_many = len(times_s) == MAX_ALERTS_PER_MINUTE and now_s - times_s[0] < 60
        if self._last_alerts.get(kind) == place or has_too_many:
            return
        times_s.append(now_s)
        fields = log_fields(table=table.name, event="raised", code=error.problem, level="warning", record=error.number)
        logger.warning("%s: %s: %s", table.name, error.problem, escape_invisible(str(error)), extra=fields)
        journal, segment = ("", 0) if head is None else (head.journal, head.segment)
        texts = (escape_invisible(journal), segment, error.number, escape_invisible(str(error)))
        await self._store.add_alert(Alert(datetime.now(UTC), table.name, error.problem, *texts))
        self._last_alerts[kind] = place
        self.counts.alerts[error.problem] += 1


async def run_room(
    database: str,
    tables: TablesFile,
    host: str | None,
    port: int,
    *,
    context: ssl.SSLContext | None,
    live_folder: Path | None = None,
    metrics_port: int | None = None,
) -> None:
    """Keep the journals of the tables until a signal ends the program.

    With `live_folder`, also offer what the tables show now. With `metrics_port`, offer measurements at this port of the
    machine. Raises BadInputError, StoreError or OSError.
    """
    raise_file_limit()
    store, stopped = SpanStore(database), asyncio.Event()
    stop_on_signals(stopped.set)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        live = None
        if live_folder is not None:
            live = LiveServer(live_folder, tables.read_names)
            await stack.enter_async_context(live.running())
        await store.open()
        room = RoomServer(store, tables, live)
        if metrics_port is not None:
            stack.callback(offer_measurements(metrics_port, room.counts, tables.read_names))
        server = await room.listen(host, port, context)
        logger.info("room: ready at port %d", port)
        notify_systemd("READY=1")
        await stopped.wait()
        server.close()
        await server.wait_closed()


def raise_file_limit() -> None:
    """Allow this program as many open files as the system permits. A table needs up to three and its tunnels."""
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


def _is_live(request: Request) -> bool:
    """Return True for the WebSocket with summaries. A proxy may put a prefix before its path."""
    return request.path.partition("?")[0].endswith(LIVE_PATH)


def _address(connection: ServerConnection) -> str:
    """Return the address of a client for the log."""
    address = connection.remote_address
    return str(address[0]) if address else "unknown"
