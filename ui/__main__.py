"""`python -m ui --socket PATH`: the dealer's screen as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from ui.display import DisplayError, display, kivy_environment
from ui.options import add_look, look_of, size_of


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m ui", description="The dealer's touchscreen of a table.")
    parser.add_argument(
        "--socket", type=Path, required=True, help="Unix socket of the table's service; it may start later"
    )
    parser.add_argument("--players", action="store_true", help="what players see: nothing to touch, no stacks")
    parser.add_argument("--fullscreen", action="store_true", help="fill the panel, hide the mouse pointer")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="write a PNG of every view that was drawn")
    parser.add_argument("--once", action="store_true", help="end after the first view was drawn")
    parser.add_argument(
        "--report-frames",
        action="store_true",
        help="print a line of JSON for every change that reached the glass: the sequence of its view, the monotonic "
        "microsecond of its flip, its display, whether it is live, the line before the dealer, and what can be "
        "touched where",
    )
    add_look(parser)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Exit code 0: ended when told to; 2: nothing to draw on."""
    options = arguments(argv)
    try:
        with kivy_environment(), display():
            # Kivy reads its environment and opens its window while it is imported.
            from ui.app import Options, run

            asyncio.run(
                run(
                    options.socket,
                    Options(
                        fullscreen=options.fullscreen,
                        pictures=options.pictures,
                        report_frames=options.report_frames,
                        once=options.once,
                        players=options.players,
                        look=look_of(options),
                        size=size_of(options),
                    ),
                )
            )
    except DisplayError as error:
        print(f"ui: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
