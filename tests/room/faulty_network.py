"""A network between uplinks and room that cuts, truncates, drops or delays what a connection carries."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Final, Literal, TypeAlias, TypeVar

HOST: Final = "127.0.0.1"
CHUNK_BYTES: Final = 65_536
"""Maximum number of bytes that the network carries at once."""
MAX_DELAY_S: Final = 0.5
"""Maximum delay of a chunk in seconds."""

Result = TypeVar("Result")
Direction: TypeAlias = Literal["span", "reply"]
NetworkFault: TypeAlias = Literal[
    "cut", "cut-all", "half-open", "truncate-span", "truncate-reply", "drop-span", "drop-reply", "delay"
]
FAULTS: Final[tuple[NetworkFault, ...]] = (
    *("cut", "cut-all", "half-open", "truncate-span", "truncate-reply", "drop-span", "drop-reply", "delay"),
)
"""What can happen to a connection.

- `cut`, `cut-all`: the connection, or each one, ends at both ends.
- `half-open`: only the uplink learns that the connection has ended.
- `truncate-…`: half of the next bytes arrive, and the connection ends. After `truncate-reply`, the room has stored a
  span and the uplink does not know it.
- `drop-…`: the next bytes are missing.
- `delay`: the next bytes arrive late.
"""


class Link:
    """A connection through the network."""

    def __init__(self, to_uplink: asyncio.StreamWriter, to_room: asyncio.StreamWriter) -> None:
        self.to_uplink = to_uplink
        self.to_room = to_room
        self.fault: NetworkFault | None = None
        self.delay_s = 0.0

    def abort(self) -> None:
        """End the connection at both ends."""
        self.to_uplink.transport.abort()
        self.to_room.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: Direction) -> None:
        """Carry bytes in one direction until the connection ends."""
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK_BYTES):
                fault = self.fault
                if fault == "delay":
                    await asyncio.sleep(self.delay_s)
                elif fault == "half-open":
                    continue
                elif fault is not None and fault.endswith(direction):
                    self.fault = None
                    if fault.startswith("drop"):
                        continue
                    writer.write(data[: len(data) // 2])
                    await writer.drain()
                    self.abort()
                    return
                writer.write(data)
                await writer.drain()
        if self.fault != "half-open":
            writer.close()


class FaultyNetwork:
    """Carries each connection to the room, in its own thread."""

    def __init__(self, room_port: int) -> None:
        self._room_port = room_port
        self._links: set[Link] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._handle, HOST, 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        """Port at which uplinks connect."""

    def plant(self, fault: NetworkFault, choices: Random) -> None:
        """Let this happen to a random connection."""
        self._call(lambda: self._plant(fault, choices))

    def close(self) -> None:
        """End all connections and the thread."""

        async def end() -> None:
            self._server.close()
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for link in self._links:
                link.abort()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine: Coroutine[object, object, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def _call(self, function: Callable[[], None]) -> None:
        async def call() -> None:
            function()

        self._run(call())

    def _plant(self, fault: NetworkFault, choices: Random) -> None:
        links = sorted(self._links, key=id)
        for link in links if fault == "cut-all" else choices.sample(links, min(1, len(links))):
            link.fault, link.delay_s = fault, choices.uniform(0, MAX_DELAY_S)
            if fault in ("cut", "cut-all"):
                link.abort()
            if fault == "half-open":
                link.to_uplink.transport.abort()

    async def _handle(self, from_uplink: asyncio.StreamReader, to_uplink: asyncio.StreamWriter) -> None:
        try:
            from_room, to_room = await asyncio.open_connection(HOST, self._room_port)
        except OSError:
            to_uplink.transport.abort()
            return
        link = Link(to_uplink, to_room)
        self._links.add(link)
        try:
            await asyncio.gather(link.carry(from_uplink, to_room, "span"), link.carry(from_room, to_uplink, "reply"))
        finally:
            self._links.discard(link)
            link.abort()
