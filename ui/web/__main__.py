"""The command `python -m ui.web --socket PATH`, which shows the table to browsers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from controller.log_setup import configure_logging
from ui.web.app import make_app
from ui.web.live_table import LiveTable
from ui.web.metrics import read_token
from ui.web.oidc import OidcFileError
from ui.web.people import People, PeopleError
from ui.web.routes import WebTable
from ui.web.server import ServerOptionError, add_server_options, make_server, read_house_option
from ui.web.setup_door import SetupDoor
from ui.web.webhook import AlertWebhook

DEFAULT_PORT: Final = 8443


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m ui.web", description="The table in a browser, read-only.")
    parser.add_argument("--socket", type=Path, required=True, help="read-only Unix socket of the table's service")
    parser.add_argument("--setup", type=Path, metavar="SOCKET", help="socket of potkeeper setup-door")
    parser.add_argument("--feed-delay", type=int, metavar="SECONDS", help="offer /feed with this delay")
    parser.add_argument("--webhook", metavar="URL", help="address that gets a message for each alert")
    add_server_options(parser, DEFAULT_PORT)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Serve browsers until a signal ends the program. Return 2 if a file cannot be used."""
    options = arguments(argv)
    configure_logging(options.log_level)
    try:
        people = People(options.folder / "people.json")
        door = SetupDoor(options.setup) if options.setup is not None else None
        webhook = AlertWebhook(options.webhook) if options.webhook is not None else None
        web = WebTable(
            LiveTable(options.socket),
            people,
            metrics_token=read_token(options.folder),
            door=door,
            feed_delay_s=options.feed_delay,
            webhook=webhook,
            house_sign_in=read_house_option(options, people),
        )
        server = make_server(make_app(web), options)
    except (PeopleError, OidcFileError, ServerOptionError, OSError) as error:
        print(f"web: {error}", file=sys.stderr)
        return 2
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
