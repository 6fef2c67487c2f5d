"""The command `potkeeper web`, which shows a running table to browsers in a separate process."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Final

import click

from controller.commands.error_exit import EXIT_BAD_INPUT, print_error
from controller.commands.option_values import log_level_option
from controller.config import BadInputError

ROOM_SOCKET: Final = Path("room/table.sock")
"""Default socket of the program, as in the example in `roles.toml`."""
WEB_PACKAGES: Final = ("argon2", "prometheus_client", "starlette", "uvicorn")
"""Packages of the extra `web`, without which this command does not run."""


@click.command()
@click.option(
    "--socket",
    "address",
    type=click.Path(path_type=Path),
    default=ROOM_SOCKET,
    show_default=True,
    help="Read-only socket of the table, whose role is `room`.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the people who may sign in and of the table's certificate.",
)
@click.option("--setup", type=click.Path(path_type=Path), metavar="SOCKET", help="Socket of `potkeeper setup-door`.")
@click.option(
    "--feed-delay",
    type=click.IntRange(0, 3600),
    metavar="SECONDS",
    help="Offer the public state of the table at /feed, this much later. Default: no feed.",
)
@click.option("--webhook", metavar="URL", help="Address that gets a message for each alert.")
@click.option("--host", help="Address at which browsers connect. Default: all addresses of this machine.")
@click.option("--port", type=click.IntRange(1, 65535), default=8443, show_default=True, help="Port for browsers.")
@click.option("--certificate", type=click.Path(path_type=Path), help="The house's certificate, as PEM.")
@click.option("--key", type=click.Path(path_type=Path), help="Key of the house's certificate, as PEM.")
@log_level_option
def web(address: Path, **options: Path | str | int | None) -> None:
    """Show a running table to browsers, read-only, over TLS."""
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print_error(
            BadInputError(f"{', '.join(missing)} not installed, expected the extra: pip install potkeeper[web]")
        )
        sys.exit(EXIT_BAD_INPUT)
    arguments = [sys.executable, "-m", "ui.web", "--socket", str(address)]
    for name, value in options.items():
        arguments += ["--" + name.replace("_", "-"), str(value)] if value is not None else []
    os.execv(sys.executable, arguments)
