"""Command-line options for the appearance of a screen: theme, language and size."""

from __future__ import annotations

import argparse
from typing import Final

from controller.messages import languages
from ui.scene import Appearance, layout, tokens

LAYOUTS_BY_NAME: Final = {panel.name: panel for panel in layout.LAYOUTS}


def add_appearance_options(parser: argparse.ArgumentParser) -> None:
    """Add the options `--theme`, `--language` and `--size` to a parser."""
    parser.add_argument(
        "--theme", choices=sorted(tokens.THEMES), default="dark", help="use bright if light falls on the screen"
    )
    parser.add_argument("--language", choices=languages(), default="en", help="language of all texts")
    parser.add_argument(
        "--size",
        choices=sorted(LAYOUTS_BY_NAME),
        help="size of the window (default: the size of the display, or 1280x800)",
    )


def appearance_of(options: argparse.Namespace) -> Appearance:
    """Return the appearance that the options select."""
    return Appearance(
        LAYOUTS_BY_NAME.get(options.size, layout.TEN_INCH_LAYOUT), tokens.THEMES[options.theme], options.language
    )


def window_size_of(options: argparse.Namespace) -> tuple[int, int] | None:
    """Return the width and height of the window, or None if the option is not given."""
    panel = LAYOUTS_BY_NAME.get(options.size)
    return (panel.width, panel.height) if panel is not None else None
