"""A stub of the service for trying out a screen: `python -m ui.stub_service --socket PATH`.

The stub sends the first sample view. After each step that the screen sends, the next sample view follows. The stub
answers queries with sample pages and prints each command.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
from itertools import count
from pathlib import Path

import msgspec

from controller.log_setup import configure_logging
from controller.view import (
    Reply,
    ServiceMessage,
    protocol,
)
from ui.page_samples import PAGES_BY_QUERY
from ui.view_samples import view_samples

_logger = logging.getLogger(__name__)


async def _serve_screen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one screen: send a view, wait for a step, and send the next view. Send heartbeats all the time."""
    heartbeats = asyncio.create_task(_send_heartbeats(writer))
    views = [
        sample.view for sample in view_samples() if sample.is_live and not (sample.touches or sample.is_players_display)
    ]
    for number in count():
        view = msgspec.structs.replace(views[number % len(views)], sequence=number + 1)
        writer.write(protocol.encode(ServiceMessage(view=view)))
        if not await _answer_until_step(reader, writer):
            break
    heartbeats.cancel()
    writer.close()


async def _send_heartbeats(writer: asyncio.StreamWriter) -> None:
    """Send heartbeats until cancelled."""
    for number in count(1):
        writer.write(protocol.encode(ServiceMessage(heartbeat=number)))
        await asyncio.sleep(protocol.HEARTBEAT_INTERVAL_S)


async def _answer_until_step(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer queries until a step arrives. Return False if the screen has disconnected."""
    while line := await reader.readline():
        try:
            command = protocol.decode_command(line)
        except protocol.SocketError as error:
            _logger.warning("%s", error)
            continue
        print(f"{command.view_sequence:5}  {command.do}", flush=True)
        page = PAGES_BY_QUERY.get(command.do)
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=command.id, page=page))))
        if page is None:
            return True
    return False


async def serve(path: Path) -> None:
    """Serve screens until cancelled."""
    path.unlink(missing_ok=True)
    try:
        async with await asyncio.start_unix_server(_serve_screen, path) as server:
            await server.serve_forever()
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m ui.stub_service", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    configure_logging()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(parser.parse_args().socket))
