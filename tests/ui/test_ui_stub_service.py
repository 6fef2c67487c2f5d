"""Check the stub of the service: it sends heartbeats, shows a view after every step, and answers queries."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.view import (
    Command,
    ServiceMessage,
    pages,
    protocol,
)
from ui import stub_service

DEADLINE_S = 120.0


async def _exchange(path: Path, *commands: str) -> list[ServiceMessage]:
    """Send these commands, and return all messages up to the last reply and the next view."""
    serving = asyncio.create_task(stub_service.serve(path))
    try:
        while not path.exists():
            await asyncio.sleep(0)
        reader, writer = await asyncio.open_unix_connection(path)
        received: list[ServiceMessage] = []

        async def read_until_view() -> None:
            while not received or received[-1].view is None:
                received.append(protocol.decode_service_message(await reader.readline()))

        await read_until_view()
        for number, do in enumerate(commands, 1):
            writer.write(protocol.encode(Command(client="a", id=number, do=do)))
            while received[-1].reply is None:
                received.append(protocol.decode_service_message(await reader.readline()))
        await read_until_view()
        writer.close()
        return received
    finally:
        serving.cancel()


def test_stub_service_answers_queries_and_sends_a_view_after_each_step(tmp_path: Path) -> None:
    received = asyncio.run(asyncio.wait_for(_exchange(tmp_path / "table", "look hands", "5 fold"), DEADLINE_S))
    assert any(message.heartbeat for message in received)
    assert [type(message.reply.page) for message in received if message.reply is not None] == [
        pages.HandsPage,
        type(None),
    ]
    assert [message.view.sequence for message in received if message.view is not None] == [1, 2]
