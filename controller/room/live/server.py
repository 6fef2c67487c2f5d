"""The live side of the server of a room: the WebSockets of the tables, and the tunnels of the clients in the folder."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from controller.integrity import ChainHead
from controller.room.live.folder import LiveFolder
from controller.room.live.messages import LiveError, Open, Summary, TunnelMessage, decode_table_message, encode_message
from controller.room.live.table_states import TableStates
from controller.room.live.tunnels import MAX_TUNNELS, Streams, Tunnels, run_until_one_ends

logger = logging.getLogger(__name__)

PING_INTERVAL_S: Final = 5.0
"""Time in seconds between two pings to a table."""
PING_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds for the answer to a ping. A table that is silent is not connected after at most 10 s."""
CHECK_INTERVAL_S: Final = 1.0
"""Time in seconds between two looks for new tables and for records that are not stored in time."""
MAX_SUMMARIES: Final = 20
SUMMARIES_WINDOW_S: Final = 4.0
"""An uplink sends at most 8 summaries in this time. More than `MAX_SUMMARIES` end its connection."""


class LiveServer:
    """Receives the summaries of the tables, and offers them and the tunnels in a folder."""

    def __init__(self, folder: Path, names: Callable[[], Iterable[str]]) -> None:
        """`names` returns the names of the tables in order."""
        self._names = names
        self._states = TableStates()
        self._states.set_names(names())
        self._folder = LiveFolder(folder, self._states, self._open_tunnel)
        self._tunnels: dict[str, tuple[Tunnels, ServerConnection]] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Offer the sockets in the folder during a block. Raises BadInputError."""
        try:
            await self._folder.open()
            follower = asyncio.create_task(self._follow_tables())
            try:
                yield
            finally:
                follower.cancel()
        finally:
            await self._folder.close()

    async def _follow_tables(self) -> None:
        """Follow the file of the tables and the delays of their records until the task is cancelled."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            names = tuple(self._names())
            if names != self._states.names:
                self._states.set_names(names)
            try:
                await self._folder.update()
            except OSError as error:
                logger.error("live: %s. Trying again", error)
            self._states.check_delays()

    def note_stored(self, name: str, head: ChainHead | None) -> None:
        """Note the newest record of a table that the room has stored."""
        self._states.note_stored(name, head)

    async def handle(self, name: str, connection: ServerConnection) -> None:
        """Serve the WebSocket of a table until it ends. Raises LiveError if a message is not valid."""

        async def send(message: TunnelMessage) -> None:
            await connection.send(encode_message(message))

        tunnels = Tunnels(send)
        self._tunnels[name] = (tunnels, connection)
        try:
            await run_until_one_ends(self._receive(name, connection, tunnels), _ping(connection))
        finally:
            del self._tunnels[name]
            self._states.note_disconnected(name)
            await tunnels.close()

    async def _receive(self, name: str, connection: ServerConnection, tunnels: Tunnels) -> None:
        times_s: deque[float] = deque(maxlen=MAX_SUMMARIES)
        async for data in connection:
            message = decode_table_message(data)
            if isinstance(message, Summary):
                now_s = time.monotonic()
                if len(times_s) == MAX_SUMMARIES and now_s - times_s[0] < SUMMARIES_WINDOW_S:
                    raise LiveError(f"expected at most {MAX_SUMMARIES} summaries in {SUMMARIES_WINDOW_S:g} s")
                times_s.append(now_s)
                self._states.note_summary(name, message)
            else:
                tunnels.receive(message)
            await asyncio.sleep(0)  # Handle the spans of other tables before the next message.

    async def _open_tunnel(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay a client of a table's socket. Return at once if the table cannot be reached."""
        if name not in self._tunnels:
            return
        tunnels, connection = self._tunnels[name]
        if tunnels.is_full:
            logger.warning("%s: %d clients are connected, another one is refused", name, MAX_TUNNELS)
            return
        number = tunnels.last_number + 1
        tunnels.check_number(number)

        async def connect() -> Streams:
            await connection.send(encode_message(Open(number)))
            return reader, writer

        await tunnels.start(number, connect)


async def _ping(connection: ServerConnection) -> None:
    """Send pings, and return when one is not answered in time."""
    with suppress(TimeoutError, ConnectionClosed):
        while True:
            async with asyncio.timeout(PING_TIMEOUT_S):
                await (await connection.ping())
            await asyncio.sleep(PING_INTERVAL_S)
