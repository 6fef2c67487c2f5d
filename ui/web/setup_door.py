"""The way from the program for browsers to the door for the set-up, a socket of `potkeeper setup-door`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.view import protocol, setup

TASK_TIMEOUT_S: Final = 630.0
"""Maximum time in seconds until a task is answered, which is longer than the limit of the door."""
TRANSFER_TIMEOUT_S: Final = 3600.0
"""Maximum time in seconds for a file, which is enough for a backup over a slow network."""


class DoorError(protocol.SocketError):
    """Error for a task that the door did not answer."""

    fault = "link"


@dataclass(frozen=True, slots=True)
class SetupDoor:
    """The socket of the door."""

    socket: Path

    async def ask(
        self, request: setup.SetupRequest, upload: AsyncIterator[bytes] | None = None
    ) -> tuple[setup.SetupAnswer, AsyncIterator[bytes]]:
        """Return the answer to a task, and the bytes of its file, which must be read to their end.

        `upload` has the bytes that follow the request. Raises DoorError if the door does not answer in time.
        """
        try:
            async with asyncio.timeout(TASK_TIMEOUT_S):
                reader, writer = await asyncio.open_unix_connection(self.socket, limit=2 * setup.MAX_LINE_BYTES)
                try:
                    writer.write(msgspec.json.encode(request) + b"\n")
                    async for chunk in upload or _nothing():
                        writer.write(chunk)
                        await writer.drain()
                    answer = msgspec.json.decode(await reader.readline(), type=setup.SetupAnswer)
                except BaseException:
                    writer.close()
                    raise
        except (OSError, TimeoutError, ValueError) as error:
            raise DoorError(f"the door for the set-up does not answer: {error}") from error
        if not answer.file_bytes:
            writer.close()
        return answer, _file(reader, writer, answer.file_bytes)


async def _file(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> AsyncIterator[bytes]:
    """Yield the bytes of a file. Raise EOFError if the door ends early, so that the browser sees a broken download."""
    try:
        async with asyncio.timeout(TRANSFER_TIMEOUT_S):
            while size:
                chunk = await reader.read(min(size, setup.CHUNK_BYTES))
                if not chunk:
                    raise EOFError(f"{size} bytes of the file are missing")
                size -= len(chunk)
                yield chunk
    finally:
        writer.close()


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""
