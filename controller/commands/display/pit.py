"""The command `potkeeper pit`, which shows all tables of a room to browsers in a separate process."""

from __future__ import annotations

from pathlib import Path

import click

from controller.commands.display.web import run_browser_program, server_options
from controller.commands.option_values import log_level_option


@click.command()
@click.option(
    "--live",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder with the sockets of `potkeeper room serve --live`.",
)
@server_options(8445)
@log_level_option
def pit(**options: Path | str | int | None) -> None:
    """Show all tables of a room to browsers, those first that need a person."""
    run_browser_program("ui.pit", options)
