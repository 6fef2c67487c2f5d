"""The options of the command line that say how a screen looks: theme, language, size."""

from __future__ import annotations

import argparse
from typing import Final, get_args

from controller.words import Language
from ui.scene import Look, layout, theme

SIZES: Final = {one.name: one for one in layout.LAYOUTS}


def add_look(parser: argparse.ArgumentParser) -> None:
    """Adds `--theme`, `--language` and `--size`."""
    parser.add_argument("--theme", choices=sorted(theme.THEMES), default="dark", help="bright where light falls on it")
    parser.add_argument("--language", choices=get_args(Language), default="en", help="of all words on it")
    parser.add_argument("--size", choices=sorted(SIZES), help="of the window; else that of the display, or 1280x800")


def look_of(options: argparse.Namespace) -> Look:
    """What those options ask for."""
    return Look(SIZES.get(options.size, layout.TEN), theme.THEMES[options.theme], options.language)


def size_of(options: argparse.Namespace) -> tuple[int, int] | None:
    """The size of the window, where one was named."""
    one = SIZES.get(options.size)
    return (one.width, one.height) if one is not None else None
