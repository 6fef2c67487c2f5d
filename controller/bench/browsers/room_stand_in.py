"""A room without a database, for the benchmark of a table with an uplink. It accepts every span and keeps none.

`python -m controller.bench.browsers.room_stand_in PORT` prints a line when it has accepted the first span.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Final

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from controller.bench.browsers.measurement import HOST, READY

POSITION: Final = msgspec.msgpack.encode({"type": "position", "head": None})
ACCEPTED: Final = msgspec.msgpack.encode({"type": "accepted", "is_stored": True})
"""Messages of a room, see `controller/room/messages.py`."""


async def _accept(connection: ServerConnection) -> None:
    await connection.send(POSITION)
    is_first = True
    with suppress(ConnectionClosed):
        async for _ in connection:
            await connection.send(ACCEPTED)
            if is_first:
                sys.stdout.buffer.write(READY)
                sys.stdout.flush()
                is_first = False


async def _run(port: int) -> None:
    async with serve(_accept, HOST, port, compression=None):
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(_run(int(sys.argv[1])))
