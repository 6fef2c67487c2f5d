"""The command `potkeeper web`, which shows a running table to browsers in a separate process."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import click

from controller.commands.error_exit import EXIT_BAD_INPUT, print_error
from controller.commands.option_values import log_level_option
from controller.config import BadInputError

ROOM_SOCKET: Final = Path("room/table.sock")
"""Default socket of the program, as in the example in `roles.toml`."""
WEB_PACKAGES: Final = ("argon2", "authlib", "prometheus_client", "starlette", "uvicorn")
"""Packages of the extra `web`, without which a program for browsers does not run."""
Command = TypeVar("Command", bound=Callable[..., Any])
_PATH: Final = click.Path(path_type=Path)


def server_options(default_port: int) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a server for browsers to a command."""
    options = (
        click.option("--folder", type=_PATH, required=True, help="Folder of the people who may sign in."),
        click.option("--oidc", type=_PATH, metavar="FILE", help="Sign in with the accounts of the house."),
        click.option("--host", help="Address at which browsers connect. Default: all addresses of this machine."),
        click.option(
            "--port", type=click.IntRange(1, 65535), default=default_port, show_default=True, help="Port for browsers."
        ),
        click.option("--certificate", type=_PATH, help="The house's certificate, as PEM."),
        click.option("--key", type=_PATH, help="Key of the house's certificate, as PEM."),
    )

    def add_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add_options


def run_browser_program(module: str, options: Mapping[str, Path | str | int | None]) -> NoReturn:
    """Replace this process by a program for browsers. If the extra is not installed, end with one line instead."""
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print_error(
            BadInputError(f"{', '.join(missing)} not installed, expected the extra: pip install potkeeper[web]")
        )
        sys.exit(EXIT_BAD_INPUT)
    arguments = [sys.executable, "-m", module]
    for name, value in options.items():
        arguments += ["--" + name.replace("_", "-"), str(value)] if value is not None else []
    os.execv(sys.executable, arguments)


@click.command()
@click.option("--socket", type=_PATH, default=ROOM_SOCKET, show_default=True, help="Read-only socket of the table.")
@click.option("--setup", type=_PATH, metavar="SOCKET", help="Socket of `potkeeper setup-door`.")
@click.option(
    "--feed-delay",
    type=click.IntRange(0, 3600),
    metavar="SECONDS",
    help="Offer the public state of the table at /feed, this much later. Default: no feed.",
)
@click.option("--webhook", metavar="URL", help="Address that gets a message for each alert.")
@server_options(8443)
@log_level_option
def web(**options: Path | str | int | None) -> None:
    """Show a running table to browsers, read-only, over TLS."""
    run_browser_program("ui.web", options)
