"""A stand-in for the service, to try a screen out: `python -m ui.tryout --socket PATH`.

It shows the reference views one after the other, one step further with every step that a touch sends, answers what is
looked at with the reference pages, and prints each command.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from itertools import count
from pathlib import Path

import msgspec

from controller.view import BEAT_S, Reply, SocketError, ToScreen, decode_command, encode
from ui.page_samples import PAGES
from ui.samples import samples


async def _screen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One screen: a view, a step, the next view; and a beat all the time."""
    beating = asyncio.create_task(_beat(writer))
    views = [sample.view for sample in samples() if sample.live and not (sample.touches or sample.players)]
    for number in count():
        view = msgspec.structs.replace(views[number % len(views)], sequence=number + 1)
        writer.write(encode(ToScreen(view=view)))
        if not await _until_a_step(reader, writer):
            break
    beating.cancel()
    writer.close()


async def _beat(writer: asyncio.StreamWriter) -> None:
    """It lives."""
    for number in count(1):
        writer.write(encode(ToScreen(beat=number)))
        await asyncio.sleep(BEAT_S)


async def _until_a_step(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answers commands until one was a step; False when the screen is gone."""
    while line := await reader.readline():
        try:
            command = decode_command(line)
        except SocketError as error:
            print(error, file=sys.stderr, flush=True)
            continue
        print(f"{command.shown:5}  {command.do}", flush=True)
        page = PAGES.get(command.do)
        writer.write(encode(ToScreen(reply=Reply(id=command.id, page=page))))
        if page is None:
            return True
    return False


async def serve(path: Path) -> None:
    """Serves until it is cancelled."""
    path.unlink(missing_ok=True)
    try:
        async with await asyncio.start_unix_server(_screen, path) as server:
            await server.serve_forever()
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m ui.tryout", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args().socket))
