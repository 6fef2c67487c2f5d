"""The server of a room: one WebSocket for each table, on which the table sends its journal."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import defaultdict, deque
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from controller.room.messages import TOKEN_PREFIX, RoomPosition, SpanAccepted, SpanRefused, encode_message
from controller.room.span_chain import SpanChain
from controller.room.spans import MAX_SPAN_BYTES, SpanError
from controller.room.store import Alert, SpanStore, StoreError
from controller.room.tables_file import RoomTable, TablesFile
from controller.systemd import notify_systemd, stop_on_signals
from hardware.text_input_validation import BadInputError, escape_invisible

logger = logging.getLogger(__name__)

MAX_MESSAGE_BYTES: Final = 2 * MAX_SPAN_BYTES
"""Maximum bytes of a message. It is larger than a span, so that an oversized span is refused by its name."""
ALIVE_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds in which an earlier connection must answer a ping before a new one takes its place."""
MAX_ALERTS_PER_MINUTE: Final = 10
"""Maximum number of alerts about a table in a minute, so that a stolen token cannot fill the database."""


class RoomServer:
    """Receives the journals of the tables and keeps them in the store."""

    def __init__(self, store: SpanStore, tables: TablesFile) -> None:
        self._store = store
        self._tables = tables
        self._connections: dict[str, ServerConnection] = {}
        self._places: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """A lock for each table, which its connection holds until its last span is stored."""
        self._last_alerts: dict[tuple[str, str], tuple[str, int]] = {}
        """Place of the last alert of each table and problem."""
        self._alert_times_s: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MAX_ALERTS_PER_MINUTE))

    async def listen(self, host: str | None, port: int, context: ssl.SSLContext | None) -> Server:
        """Begin to accept connections, and return the listening server. Raises OSError."""
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
        if self._table_of(request) is not None:
            return None
        logger.warning("%s: unknown token, expected that of a table", _address(connection))
        return connection.respond(HTTPStatus.UNAUTHORIZED, "unknown token\n")

    async def _handle(self, connection: ServerConnection) -> None:
        table = self._table_of(connection.request) if connection.request is not None else None
        if table is None:
            return
        with suppress(ConnectionClosed):
            try:
                if await self._is_second(table, connection):
                    await connection.close(CloseCode.POLICY_VIOLATION, "another connection uses this token")
                    return
                async with self._places[table.name]:
                    self._connections[table.name] = connection
                    await self._receive(table, connection)
            except StoreError as error:
                logger.error("%s: %s", table.name, error)
                await connection.close(CloseCode.TRY_AGAIN_LATER, "the store cannot be used")

    async def _is_second(self, table: RoomTable, connection: ServerConnection) -> bool:
        """Return True if another connection of the table is alive, which is an alert. Close it if it is not alive."""
        earlier = self._connections.get(table.name)
        if earlier is None or not self._places[table.name].locked():
            return False
        try:
            async with asyncio.timeout(ALIVE_TIMEOUT_S):
                await (await earlier.ping())
        except (TimeoutError, ConnectionClosed):
            earlier.transport.abort()
            return False
        text = f"a second connection from {_address(connection)}, while {_address(earlier)} is connected"
        await self._report(table, SpanError("second-connection", text))
        return True

    async def _receive(self, table: RoomTable, connection: ServerConnection) -> None:
        """Store the spans of a table until the connection ends or a span is refused. Raises StoreError."""
        position = await self._store.read_position(table.name)
        chain = SpanChain(position, table.keys)
        await connection.send(encode_message(RoomPosition(position)))
        async for data in connection:
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
            await connection.send(encode_message(SpanAccepted(bool(accepted.proven))))

    async def _report(self, table: RoomTable, error: SpanError) -> None:
        """Add an alert, unless it repeats the last one of its kind or there are too many. Raises StoreError."""
        kind, head = (table.name, error.problem), error.head
        place = ("", error.number) if head is None else (head.journal, error.number)
        times_s, now_s = self._alert_times_s[table.name], asyncio.get_running_loop().time()
        has_too_many = len(times_s) == MAX_ALERTS_PER_MINUTE and now_s - times_s[0] < 60
        if self._last_alerts.get(kind) == place or has_too_many:
            return
        times_s.append(now_s)
        logger.warning("%s: %s: %s", table.name, error.problem, escape_invisible(str(error)))
        journal, segment = ("", 0) if head is None else (head.journal, head.segment)
        texts = (escape_invisible(journal), segment, error.number, escape_invisible(str(error)))
        await self._store.add_alert(Alert(datetime.now(UTC), table.name, error.problem, *texts))
        self._last_alerts[kind] = place


async def run_room(
    database: str, tables: TablesFile, host: str | None, port: int, context: ssl.SSLContext | None
) -> None:
    """Keep the journals of the tables until a signal ends the program. Raises StoreError or OSError."""
    store, stopped = SpanStore(database), asyncio.Event()
    stop_on_signals(stopped.set)
    try:
        await store.open()
        server = await RoomServer(store, tables).listen(host, port, context)
        logger.info("room: ready at port %d", port)
        notify_systemd("READY=1")
        await stopped.wait()
        server.close()
        await server.wait_closed()
    finally:
        await store.close()


def _address(connection: ServerConnection) -> str:
    """Return the address of a client for the log."""
    address = connection.remote_address
    return str(address[0]) if address else "unknown"
