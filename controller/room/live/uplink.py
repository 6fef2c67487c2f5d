"""The live side of the uplink: it sends summaries of the table to the room, and relays the room's tunnels."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
import time
from collections import deque
from contextlib import closing
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from controller.integrity import ChainHead
from controller.journal import JournalError, Segment
from controller.room.live.messages import (
    LIVE_PATH,
    MAX_MESSAGE_BYTES,
    Close,
    LiveError,
    Open,
    Summary,
    TunnelMessage,
    decode_room_message,
    encode_message,
)
from controller.room.live.tunnels import MAX_TUNNELS, Streams, Tunnels, run_until_one_ends
from controller.room.live.watcher import TableWatcher
from controller.room.messages import TOKEN_PREFIX
from controller.view import table_summary

logger = logging.getLogger(__name__)

MIN_SUMMARY_INTERVAL_S: Final = 0.5
"""Minimum time in seconds between two summaries. More often nobody looks at a tile."""
REFRESH_INTERVAL_S: Final = 15.0
"""Time in seconds after which the summary is made again without a new view, because its minutes change."""
HEAD_INTERVAL_S: Final = 2.0
"""Time in seconds between two looks at the head of the journal."""
MAX_FAILED_LOOKS: Final = 5
"""Number of failed looks at the journal after which its newest record counts as unknown.

A look can fail because the service changes the segment at that moment.
"""
MAX_OPENS: Final = 20
OPENS_WINDOW_S: Final = 2.0
"""Of the tunnels that the room opens in this time, the uplink accepts `MAX_OPENS`, so that the service is not busy with
connections."""
MIN_WAIT_S: Final = 1.0
"""Minimum time in seconds before the next connection."""
CLOSE_TIMEOUT_S: Final = 1.0
"""Maximum time in seconds for the room to confirm the end of a connection, before it is cut.

The confirmation is behind the messages that the uplink no longer reads, so that it often does not arrive.
"""


class LiveUplink:
    """Sends summaries of a table to the room, and connects the room's tunnels to one socket of the table."""

    def __init__(
        self,
        socket: Path,
        journal: Path,
        address: str,
        token: str,
        context: ssl.SSLContext | None = None,
        *,
        max_wait_s: float,
    ) -> None:
        """Follow the view at `socket`. The other arguments are those of `Uplink`."""
        self._socket = socket
        self._journal = journal
        self._address = address.rstrip("/") + LIVE_PATH
        self._headers = {"Authorization": TOKEN_PREFIX + token}
        self._context = context
        self._max_wait_s = max_wait_s
        self._watcher = TableWatcher(socket)
        self._newest: ChainHead | None = None
        self._last_problem = ""

    async def run(self) -> None:
        """Send summaries and relay tunnels until the task is cancelled."""
        while True:
            try:
                await run_until_one_ends(self._watcher.run(), self._look_at_journal(), self._keep_connected())
            except Exception:
                # An error of this part must not end the program, which also sends the journal.
                logger.exception("live: error of the program. Trying again")
            await self._wait()

    async def _keep_connected(self) -> None:
        while True:
            try:
                await self._serve_room()
            except (OSError, WebSocketException, LiveError) as error:
                if str(error) != self._last_problem:
                    logger.warning("live: %s. Trying again", error)
                self._last_problem = str(error)
            await self._wait()

    async def _wait(self) -> None:
        await asyncio.sleep(random.uniform(min(MIN_WAIT_S, self._max_wait_s), self._max_wait_s))

    async def _serve_room(self) -> None:
        """Connect to the room, and serve it until the connection ends."""
        async with connect(
            self._address,
            ssl=self._context,
            additional_headers=self._headers,
            max_size=MAX_MESSAGE_BYTES,
            max_queue=1,
            close_timeout=CLOSE_TIMEOUT_S,
            compression=None,
            proxy=None,
        ) as connection:
            logger.info("live: connected to the room")
            self._last_problem = ""

            async def send(message: TunnelMessage) -> None:
                await connection.send(encode_message(message))

            tunnels = Tunnels(send)
            try:
                await run_until_one_ends(self._send_summaries(connection), self._receive(connection, tunnels))
            finally:
                await tunnels.close()

    async def _send_summaries(self, connection: ClientConnection) -> None:
        last: Summary | None = None
        while True:
            self._watcher.changed.clear()
            summary = self._watcher.summary()
            data = table_summary.encode_summary(summary) if summary is not None else None
            is_recorded = summary is not None and summary.is_recorded
            message = Summary(data, self._newest if is_recorded else None)
            if message != last:
                await connection.send(encode_message(message))
                last = message
            await asyncio.sleep(MIN_SUMMARY_INTERVAL_S)
            try:
                async with asyncio.timeout(REFRESH_INTERVAL_S):
                    await self._watcher.changed.wait()
            except TimeoutError:
                continue

    async def _receive(self, connection: ClientConnection, tunnels: Tunnels) -> None:
        """Serve the tunnels of the room. Raises LiveError if a message is not valid."""
        times_s: deque[float] = deque(maxlen=MAX_OPENS)
        async for data in connection:
            message = decode_room_message(data)
            if not isinstance(message, Open):
                tunnels.receive(message)
                continue
            tunnels.check_number(message.tunnel)
            now_s = time.monotonic()
            is_flood = len(times_s) == MAX_OPENS and now_s - times_s[0] < OPENS_WINDOW_S
            if is_flood or tunnels.is_full:
                reason = f"{MAX_OPENS} tunnels in {OPENS_WINDOW_S:g} s" if is_flood else f"{MAX_TUNNELS} tunnels"
                await connection.send(encode_message(Close(message.tunnel, f"expected at most {reason}")))
                continue
            times_s.append(now_s)
            tunnels.start(message.tunnel, self._connect_to_table)

    async def _connect_to_table(self) -> Streams:
        return await asyncio.open_unix_connection(self._socket)

    async def _look_at_journal(self) -> None:
        """Keep the newest record of the journal up to date until the task is cancelled."""
        failed_looks = 0
        while True:
            try:
                newest: ChainHead | None = await asyncio.to_thread(_read_head, self._journal)
                failed_looks = 0
            except JournalError:
                failed_looks += 1
                newest = self._newest if failed_looks < MAX_FAILED_LOOKS else None
            if newest != self._newest:
                self._newest = newest
                self._watcher.changed.set()
            await asyncio.sleep(HEAD_INTERVAL_S)


def _read_head(journal: Path) -> ChainHead:
    """Return the last record of a journal. Raises JournalError."""
    with closing(Segment.open_read_only(journal)) as segment:
        return segment.chain_head()
