"""The command `potkeeper screen`, which shows the screen of a running table in a separate process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from controller.commands.option_values import log_level_option

DEALER_SOCKET: Final = Path("potkeeper.sock")
"""Default socket of the dealer's screen."""
PLAYER_SOCKET: Final = Path("players/table.sock")
"""Default socket of the players' display, as in the example in `roles.toml`."""
THEMES: Final = ("dark", "bright")
"""Themes of the screen."""
SIZES: Final = ("1280x800", "1024x600")
"""Names of window sizes, copied from the package `ui` because the import of that package takes long."""


def _known_language(context: click.Context, parameter: click.Parameter, language: str) -> str:
    """Return the code of a language. Fail with a list of the available languages if this one has no catalogue."""
    from controller.messages import languages  # imported late, because no other command needs a language

    return str(click.Choice(languages()).convert(language, parameter, context))


class _ScreenCommand(click.Command):
    """Command that leaves out a wrong value of the environment if systemd runs it, so that the panel is never dark.

    The values come from `/etc/potkeeper/screen.conf`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from controller.systemd import is_run_by_systemd

        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            variable = error.param.envvar if error.param is not None else None
            if not is_run_by_systemd() or not isinstance(variable, str) or os.environ.pop(variable, None) is None:
                raise
            print(f"potkeeper: screen.conf: {variable}: {error.message} It is left out", file=sys.stderr)
            return self.parse_args(ctx, words)


@click.command(cls=_ScreenCommand)
@click.option(
    "--socket",
    "address",
    type=click.Path(path_type=Path),
    help=f"Socket of the table. Default: {DEALER_SOCKET}, or {PLAYER_SOCKET} with --players.",
)
@click.option("--players", is_flag=True, help="Show the players' display, which has nothing to touch.")
@click.option("--fullscreen", is_flag=True, help="Fill the whole display.")
@click.option(
    "--theme",
    type=click.Choice(THEMES),
    default="dark",
    envvar="POTKEEPER_THEME",
    show_default=True,
    help="Colours of the screen.",
)
@click.option(
    "--language",
    metavar="CODE",
    callback=_known_language,
    default="en",
    envvar="POTKEEPER_LANGUAGE",
    show_default=True,
    help="Language of all texts, such as de.",
)
@click.option(
    "--settings",
    type=click.Path(path_type=Path),
    envvar="POTKEEPER_SETTINGS",
    help="File that keeps the settings of the page SETTINGS over a restart.",
)
@click.option("--size", type=click.Choice(SIZES), help="Size of the window. Default: that of the display.")
@log_level_option
def screen(
    address: Path | None,
    players: bool,
    fullscreen: bool,
    theme: str,
    language: str,
    settings: Path | None,
    size: str | None,
    log_level: str,
) -> None:
    """Show the screen of a running table.

    This is the dealer's screen, or the players' display with `--players`.
    """
    socket = address or (PLAYER_SOCKET if players else DEALER_SOCKET)
    arguments = [sys.executable, "-m", "ui", "--socket", str(socket), "--theme", theme, "--language", language]
    arguments += ["--log-level", log_level]
    arguments += [option for option, is_set in (("--players", players), ("--fullscreen", fullscreen)) if is_set]
    arguments += ["--settings", str(settings)] if settings is not None else []
    os.execv(sys.executable, [*arguments, *(["--size", size] if size is not None else [])])
