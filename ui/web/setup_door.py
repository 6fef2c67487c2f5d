"""The way from the program for browsers to the door for the set-up, a socket of `potkeeper setup-door`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from controller.view import protocol, setup

TASK_TIMEOUT_S: Final = 150.0
"""Maximum time in seconds for a task, which is longer than the limit of the door."""


class DoorError(protocol.SocketError):
    """Error for a task that the door did not answer."""

    fault = "link"


@dataclass(frozen=True, slots=True)
class SetupDoor:
    """The socket of the door."""

    socket: Path

    async def ask(self, request: setup.SetupRequest) -> setup.SetupAnswer:
        """Return the answer to a task. Raises DoorError if the door does not answer in time."""
        try:
            async with asyncio.timeout(TASK_TIMEOUT_S):
                reader, writer = await asyncio.open_unix_connection(self.socket, limit=2 * setup.MAX_LINE_BYTES)
                try:
                    writer.write(msgspec.json.encode(request) + b"\n")
                    return msgspec.json.decode(await reader.readline(), type=setup.SetupAnswer)
                finally:
                    writer.close()
        except (OSError, TimeoutError, ValueError) as error:
            raise DoorError(f"the door for the set-up does not answer: {error}") from error
