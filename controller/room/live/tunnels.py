"""Tunnels: connections to Unix sockets through one WebSocket. Room and uplink use the same code.

Each direction of a tunnel has a window. A sender has at most `WINDOW_BYTES` on the way that the client at the other end
has not read. A client that stops reading therefore stops its own tunnel only. The service of the table then treats
the tunnel as it treats any screen that does not read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeAlias

from websockets.exceptions import ConnectionClosed

from controller.room.live.messages import MAX_DATA_BYTES, MAX_REASON_CHARS, Close, Data, LiveError, Taken, TunnelMessage

WINDOW_BYTES: Final = 65_536
"""Maximum number of bytes on the way in one direction of a tunnel. A dozen views fit."""
MAX_TUNNELS: Final = 8
"""Maximum number of tunnels of a table. The read-only socket accepts 16 connections, also from others."""
CLOSE_TIMEOUT_S: Final = 5.0
"""Maximum time in seconds in which a client must read what is left at the end of a tunnel."""

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Send: TypeAlias = Callable[[TunnelMessage], Awaitable[None]]


class Tunnel:
    """One tunnel, with the bytes that have arrived and are not written yet."""

    def __init__(self, number: int, send: Send) -> None:
        self.number = number
        self.is_closed_by_peer = False
        self._send = send
        self._received: asyncio.Queue[bytes | None] = asyncio.Queue()
        """Bytes for the client. None is the end. The window limits the queue."""
        self._unwritten_bytes = 0
        self._credit_bytes = WINDOW_BYTES
        """Number of bytes that may still be sent."""
        self._has_credit = asyncio.Event()

    def receive(self, message: TunnelMessage) -> None:
        """Receive a message for this tunnel. Raises LiveError if the sender ignores the window."""
        if isinstance(message, Close):
            self.is_closed_by_peer = True
            self._received.put_nowait(None)
        elif isinstance(message, Taken):
            self._credit_bytes += message.count
            if self._credit_bytes > WINDOW_BYTES:
                raise LiveError(f"tunnel {self.number}: more bytes were read than sent")
            self._has_credit.set()
        else:
            self._unwritten_bytes += len(message.content)
            if self._unwritten_bytes > WINDOW_BYTES:
                raise LiveError(f"tunnel {self.number}: expected at most {WINDOW_BYTES} bytes on the way")
            self._received.put_nowait(message.content)

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay bytes in both directions until the client or the other end closes the tunnel."""
        # `drain` then waits until the kernel has all bytes, so that they are never reported as read too early.
        writer.transport.set_write_buffer_limits(high=0)
        try:
            await run_until_one_ends(self._send_from(reader), self._write_to(writer))
        except asyncio.CancelledError:
            writer.transport.abort()  # The WebSocket has ended, so that nobody waits for a stuck client.
            raise
        finally:
            writer.close()
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await writer.wait_closed()
            except (OSError, TimeoutError):
                writer.transport.abort()

    async def _send_from(self, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(min(MAX_DATA_BYTES, self._credit_bytes)):
            self._credit_bytes -= len(data)
            await self._send(Data(self.number, data))
            while not self._credit_bytes:
                self._has_credit.clear()
                await self._has_credit.wait()

    async def _write_to(self, writer: asyncio.StreamWriter) -> None:
        while (data := await self._received.get()) is not None:
            writer.write(data)
            await writer.drain()
            self._unwritten_bytes -= len(data)
            await self._send(Taken(self.number, len(data)))


class Tunnels:
    """The tunnels of one WebSocket."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._tunnels: dict[int, Tunnel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.last_number = 0
        """The highest number that was used on this WebSocket."""

    @property
    def is_full(self) -> bool:
        """Return True if no other tunnel may be opened."""
        return len(self._tunnels) >= MAX_TUNNELS

    def check_number(self, number: int) -> None:
        """Note the number of a new tunnel. Raises LiveError if it was used before."""
        if number <= self.last_number:
            raise LiveError(f"tunnel {number}: opened after tunnel {self.last_number}, expected a higher number")
        self.last_number = number

    def start(self, number: int, connect: Callable[[], Awaitable[Streams]]) -> asyncio.Task[None]:
        """Start a tunnel after the check of its number, and return its task."""
        tunnel = self._tunnels[number] = Tunnel(number, self._send)
        task = asyncio.create_task(self._run(tunnel, connect))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def receive(self, message: TunnelMessage) -> None:
        """Receive a message of the other end. Ignore it if the tunnel has ended at this end meanwhile.

        Raises LiveError if there was no such tunnel, or if the sender ignores the window.
        """
        tunnel = self._tunnels.get(message.tunnel)
        if tunnel is not None:
            tunnel.receive(message)
        elif message.tunnel > self.last_number:
            raise LiveError(f"tunnel {message.tunnel}: never opened, expected at most {self.last_number}")

    async def close(self) -> None:
        """End all tunnels, because the WebSocket has ended."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, tunnel: Tunnel, connect: Callable[[], Awaitable[Streams]]) -> None:
        reason = ""
        with suppress(ConnectionClosed):
            try:
                await tunnel.relay(*await connect())
            except OSError as error:
                reason = str(error)[:MAX_REASON_CHARS]
            finally:
                del self._tunnels[tunnel.number]
            if not tunnel.is_closed_by_peer:
                await self._send(Close(tunnel.number, reason))


async def run_until_one_ends(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run these until the first one ends, cancel the others, and raise what the first one has raised."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
