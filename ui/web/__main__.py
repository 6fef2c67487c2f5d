"""The command `python -m ui.web --socket PATH`, which shows the table to browsers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import uvicorn

from controller.log_setup import DEFAULT_LOG_LEVEL, LOG_LEVELS, configure_logging
from ui.web.app import make_app
from ui.web.certificate import own_certificate
from ui.web.live_table import LiveTable
from ui.web.people import People, PeopleError
from ui.web.routes import WebTable
from ui.web.setup_door import SetupDoor
from ui.web.webhook import AlertWebhook

DEFAULT_PORT: Final = 8443
SHUTDOWN_TIMEOUT_S: Final = 2
"""Time in seconds that browsers have to close their connections when the program ends."""


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m ui.web", description="The table in a browser, read-only.")
    parser.add_argument("--socket", type=Path, required=True, help="read-only Unix socket of the table's service")
    parser.add_argument(
        "--folder", type=Path, required=True, help="folder of the people who may sign in and of the table's certificate"
    )
    parser.add_argument("--setup", type=Path, metavar="SOCKET", help="socket of potkeeper setup-door")
    parser.add_argument("--feed-delay", type=int, metavar="SECONDS", help="offer /feed with this delay")
    parser.add_argument("--webhook", metavar="URL", help="address that gets a message for each alert")
    # asyncio listens at "::" without IPv4, and at "" with both.
    parser.add_argument("--host", default="", help="address at which browsers connect (default: all)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"port (default: {DEFAULT_PORT})")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="the house's certificate, as PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="key of the house's certificate, as PEM")
    parser.add_argument("--log-level", choices=LOG_LEVELS, default=DEFAULT_LOG_LEVEL, help="least important log level")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Serve browsers until a signal ends the program. Return 2 if a file cannot be used."""
    options = arguments(argv)
    configure_logging(options.log_level)
    if (options.certificate is None) != (options.key is None):
        print("web: --certificate and --key: expected both or neither", file=sys.stderr)
        return 2
    try:
        people = People(options.folder / "people.json")
        certificate, key = (
            own_certificate(options.folder) if options.certificate is None else (options.certificate, options.key)
        )
        door = SetupDoor(options.setup) if options.setup is not None else None
        webhook = AlertWebhook(options.webhook) if options.webhook is not None else None
        config = uvicorn.Config(
            make_app(
                WebTable(
                    LiveTable(options.socket),
                    people,
                    door=door,
                    feed_delay_s=options.feed_delay,
                    webhook=webhook,
                )
            ),
            host=options.host,
            port=options.port,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        )
        config.load()
    except (PeopleError, OSError) as error:
        print(f"web: {error}", file=sys.stderr)
        return 2
    uvicorn.Server(config).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
