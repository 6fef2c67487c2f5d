"""The stand-in for the service: it beats, shows a view after every step, and answers what is looked at."""

from __future__ import annotations

import asyncio
from pathlib import Path

from controller.view import Command, HandsPage, ToScreen, decode_to_screen, encode
from ui import tryout

DEADLINE_S = 10.0


async def _talk(path: Path, *commands: str) -> list[ToScreen]:
    """What comes until each command is answered and has had its view."""
    serving = asyncio.create_task(tryout.serve(path))
    try:
        while not path.exists():
            await asyncio.sleep(0)
        reader, writer = await asyncio.open_unix_connection(path)
        came: list[ToScreen] = []

        async def until_a_view() -> None:
            while not came or came[-1].view is None:
                came.append(decode_to_screen(await reader.readline()))

        await until_a_view()
        for number, do in enumerate(commands, 1):
            writer.write(encode(Command(client="a", id=number, do=do)))
            while came[-1].reply is None:
                came.append(decode_to_screen(await reader.readline()))
        await until_a_view()
        writer.close()
        return came
    finally:
        serving.cancel()


def test_a_look_is_answered_and_a_step_has_the_next_view(tmp_path: Path) -> None:
    came = asyncio.run(asyncio.wait_for(_talk(tmp_path / "table", "look hands", "5 fold"), DEADLINE_S))
    assert any(one.beat for one in came)
    assert [type(one.reply.page) for one in came if one.reply is not None] == [HandsPage, type(None)]
    assert [one.view.sequence for one in came if one.view is not None] == [1, 2]
