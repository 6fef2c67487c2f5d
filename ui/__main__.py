"""The command `python -m ui --socket PATH`, which runs the dealer's screen as its own process."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from controller.log_setup import DEFAULT_LOG_LEVEL, LOG_LEVELS, configure_logging
from controller.messages import CatalogueError
from ui.appearance_options import add_appearance_options, appearance_of, window_size_of
from ui.virtual_display import DisplayError, display, set_kivy_environment


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m ui", description="The dealer's touchscreen of a table.")
    parser.add_argument(
        "--socket", type=Path, required=True, help="Unix socket of the table's service; it may start later"
    )
    parser.add_argument(
        "--players", action="store_true", help="show the display for players, without stacks and touch targets"
    )
    parser.add_argument("--fullscreen", action="store_true", help="fill the panel and hide the mouse pointer")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="write a PNG of every view that is drawn")
    parser.add_argument("--once", action="store_true", help="end after the first view is drawn")
    parser.add_argument(
        "--report-frames",
        action="store_true",
        help="print a line of JSON for every change that is shown: the sequence of its view, the monotonic time of its "
        "flip in µs, its display, whether it is live, the status line, and the positions of the touch targets",
    )
    parser.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        default=DEFAULT_LOG_LEVEL,
        help="least important level of log lines on standard error",
    )
    parser.add_argument(
        "--settings", type=Path, metavar="FILE", help="file that keeps the settings of the page SETTINGS over a restart"
    )
    add_appearance_options(parser)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the screen. Return 0 after a requested end, or 2 if no display or no fitting catalogue is available."""
    options = arguments(argv)
    configure_logging(options.log_level)
    try:
        with set_kivy_environment(), display():
            # Kivy opens its window when it is imported, so the import must wait until the environment is set.
            from ui.app import ScreenOptions, run

            asyncio.run(
                run(
                    options.socket,
                    ScreenOptions(
                        fullscreen=options.fullscreen,
                        screenshot_dir=options.pictures,
                        takes_pictures=options.pictures is not None,
                        report_frames=options.report_frames,
                        exits_after_first_frame=options.once,
                        is_players_display=options.players,
                        appearance=appearance_of(options),
                        settings_file=options.settings,
                        window_size=window_size_of(options),
                    ),
                )
            )
    except (CatalogueError, DisplayError) as error:
        print(f"ui: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
