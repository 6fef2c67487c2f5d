"""`potkeeper screen`: the screen of a running table, as a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

DEALERS: Final = Path("potkeeper.sock")
PLAYERS: Final = Path("players.sock")
"""The door of the players, as the example in `roles.toml` names it."""
THEMES: Final = ("dark", "bright")
LANGUAGES: Final = ("en", "de", "zh")
SIZES: Final = ("1280x800", "1024x600")
"""As the screen has them: it is not loaded for their names."""


@click.command()
@click.option(
    "--socket",
    "address",
    type=click.Path(path_type=Path),
    help=f"The table's socket. Default: {DEALERS}, with --players {PLAYERS}.",
)
@click.option("--players", is_flag=True, help="What players see: whose turn, to call, the pot; nothing to touch.")
@click.option("--fullscreen", is_flag=True, help="Fill the panel.")
@click.option("--theme", type=click.Choice(THEMES), default="dark", envvar="POTKEEPER_THEME", show_default=True)
@click.option("--language", type=click.Choice(LANGUAGES), default="en", envvar="POTKEEPER_LANGUAGE", show_default=True)
@click.option("--size", type=click.Choice(SIZES), help="Of the window. Default: that of the display.")
def screen(address: Path | None, players: bool, fullscreen: bool, theme: str, language: str, size: str | None) -> None:
    """Show the screen of a running table: the dealer's, or that of the players."""
    socket = address or (PLAYERS if players else DEALERS)
    arguments = [sys.executable, "-m", "ui", "--socket", str(socket), "--theme", theme, "--language", language]
    arguments += [option for option, wanted in (("--players", players), ("--fullscreen", fullscreen)) if wanted]
    os.execv(sys.executable, [*arguments, *(["--size", size] if size is not None else [])])
