"""The command `python -m ui.pit --live FOLDER`, which shows all tables of a room to browsers."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Final

from controller.log_setup import configure_logging
from ui.pit.app import make_app
from ui.pit.live_room import LiveRoom
from ui.pit.web_pit import WebPit
from ui.web import (
    OidcFileError,
    People,
    PeopleError,
    ServerOptionError,
    add_server_options,
    make_server,
    read_house_option,
)

_logger = logging.getLogger(__name__)

DEFAULT_PORT: Final = 8445


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m ui.pit", description="All tables of a room in a browser.")
    parser.add_argument("--live", type=Path, required=True, help="folder with the sockets of potkeeper room serve")
    add_server_options(parser, DEFAULT_PORT)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Serve browsers until a signal ends the program. Return 2 if a file cannot be used."""
    options = arguments(argv)
    configure_logging(options.log_level)
    try:
        people = People(options.folder / "people.json")
        pit = WebPit(LiveRoom(options.live), people, house_sign_in=read_house_option(options, people))
        server = make_server(make_app(pit), options)
    except (PeopleError, OidcFileError, ServerOptionError, OSError) as error:
        print(f"pit: {error}", file=sys.stderr)
        return 2
    if pit.code:
        print(f"pit: nobody can sign in yet. The code for the first person is {pit.code}", file=sys.stderr, flush=True)
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
