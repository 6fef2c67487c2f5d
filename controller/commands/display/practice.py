"""The command `potkeeper practice`, with which a dealer learns the screen in ten guided hands."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--socket", "address", type=click.Path(path_type=Path), help="Socket for a screen that is started apart.")
@click.argument("screen_options", nargs=-1, type=click.UNPROCESSED)
def practice(address: Path | None, screen_options: tuple[str, ...]) -> None:
    """Practise ten guided hands on the screen.

    The alert band says what happens at the table. The dealer enters it, and the program checks each step. Without
    `--socket` the command starts the screen with SCREEN_OPTIONS, which are those of `potkeeper screen`, and ends with
    the screen.
    """
    sys.exit(asyncio.run(_run(address, screen_options)))


async def _run(address: Path | None, screen_options: tuple[str, ...]) -> int:
    """Serve the practice table until its screen ends. Return the exit code of the screen."""
    from controller.practice import PracticeTable, load_lessons, serve_practice

    table = PracticeTable(load_lessons())
    if address is not None:
        async with serve_practice(table, address):
            click.echo(f"practice: potkeeper screen --socket {address}")
            await asyncio.Event().wait()
    with tempfile.TemporaryDirectory(prefix="potkeeper-") as folder:
        socket = Path(folder) / "table.sock"
        async with serve_practice(table, socket):
            arguments = ("-m", "controller.cli", "screen", "--socket", str(socket), *screen_options)
            screen = await asyncio.create_subprocess_exec(sys.executable, *arguments)
            return await screen.wait()
