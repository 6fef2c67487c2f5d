"""The uplink of a table: it follows the journal and sends each new record to the room.

It keeps three rules. What the room has is asked, never remembered. One span is on its way at a time. After any error,
the uplink connects again and asks, after a random wait.
"""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
from pathlib import Path
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from controller.integrity import ChainHead
from controller.journal import JournalBusy, JournalError, JournalFollower, Stretch
from controller.room.messages import (
    TOKEN_PREFIX,
    RoomMessage,
    RoomPosition,
    SpanAccepted,
    SpanRefused,
    decode_message,
)
from controller.room.spans import SpanError, encode_span, split_stretch, verify_span

logger = logging.getLogger(__name__)

LOOK_INTERVAL_S: Final = 1.0
"""Time in seconds between two looks at the journal.

One look takes less than 1 ms of a processor. The room needs about as much processor time for each span, however many
records it has, so that half the interval would let half as many tables use a room.
"""
REPLY_TIMEOUT_S: Final = 60.0
"""Maximum time in seconds for a reply of the room, which may have to wait for its disk."""
MIN_WAIT_S: Final = 1.0
"""Minimum time in seconds before the next connection."""
MAX_WAIT_S: Final = 30.0
"""Maximum time in seconds before the next connection.

The wait is random, because a thousand handshakes at once would keep a room busy for 20 s.
"""


class Uplink:
    """Sends the journal of a table to the room. It only reads the journal."""

    def __init__(
        self,
        journal: Path,
        address: str,
        token: str,
        context: ssl.SSLContext | None = None,
        *,
        max_wait_s: float = MAX_WAIT_S,
    ) -> None:
        """Send to the WebSocket `address`. `context` has the trusted certificates if the address begins with `wss:`."""
        self._journal = journal
        self._address = address
        self._token = token
        self._context = context
        self._max_wait_s = max_wait_s
        self._last_problem = ""

    async def run(self) -> None:
        """Send the journal until the task is cancelled."""
        while True:
            try:
                await self._send_journal()
            except (OSError, TimeoutError, WebSocketException, SpanError) as error:
                self._log_once(f"{type(error).__name__}: {error}")
            await asyncio.sleep(random.uniform(min(MIN_WAIT_S, self._max_wait_s), self._max_wait_s))

    async def _send_journal(self) -> None:
        """Connect, ask what the room has, and send what follows, until an error is raised."""
        async with connect(
            self._address,
            ssl=self._context,
            additional_headers={"Authorization": TOKEN_PREFIX + self._token},
            compression=None,
            proxy=None,
        ) as connection:
            follower = JournalFollower(self._journal, await _receive_position(connection))
            logger.info("room: connected, it has %s", _describe(follower.position))
            self._last_problem = ""
            while True:
                stretch = await self._read(follower)
                if stretch is None:
                    await asyncio.sleep(LOOK_INTERVAL_S)
                    continue
                for span in split_stretch(stretch):
                    await _send(connection, span)

    async def _read(self, follower: JournalFollower) -> Stretch | None:
        """Return the next records, or None if there are none that can be read at this moment."""
        try:
            return await asyncio.to_thread(follower.read)
        except JournalBusy:
            return None
        except JournalError as error:
            # The service salvages a damaged journal when it next starts. The follower then continues.
            self._log_once(str(error))
            return None

    def _log_once(self, problem: str) -> None:
        """Log a problem, unless it is the one that was logged last."""
        if problem != self._last_problem:
            logger.warning("room: %s. Trying again", problem)
        self._last_problem = problem


async def _receive_position(connection: ClientConnection) -> ChainHead | None:
    message = await _receive(connection)
    if not isinstance(message, RoomPosition):
        raise SpanError("not-a-span", "room: sent another message, expected the position of the journal")
    return message.head


async def _send(connection: ClientConnection, span: Stretch) -> None:
    """Send a span and wait for the reply. Raises SpanError if the room refuses it, or if the span is wrong."""
    verify_span(span, None)
    await connection.send(encode_span(span))
    message = await _receive(connection)
    if isinstance(message, SpanRefused):
        raise SpanError("not-a-span", f"the room refuses a span, {message.problem}: {message.text}")
    if not isinstance(message, SpanAccepted):
        raise SpanError("not-a-span", "room: sent another message, expected the reply to a span")


async def _receive(connection: ClientConnection) -> RoomMessage:
    async with asyncio.timeout(REPLY_TIMEOUT_S):
        data = await connection.recv()
    return decode_message(data if isinstance(data, bytes) else data.encode())


def _describe(position: ChainHead | None) -> str:
    return "no record yet" if position is None else f"segment {position.segment} to record {position.number}"
