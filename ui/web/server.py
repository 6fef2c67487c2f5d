"""The server of a program for browsers: its options on the command line, its certificate, and TLS."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette

from controller.log_setup import DEFAULT_LOG_LEVEL, LOG_LEVELS
from ui.web.certificate import own_certificate
from ui.web.oidc import HouseSignIn, read_house_sign_in
from ui.web.people import People

SHUTDOWN_TIMEOUT_S: Final = 2
"""Time in seconds that browsers have to close their connections when the program ends."""


class ServerOptionError(ValueError):
    """Error for options that do not belong together."""


def add_server_options(parser: argparse.ArgumentParser, default_port: int) -> None:
    """Add the options of a server to a command line."""
    parser.add_argument(
        "--folder", type=Path, required=True, help="folder of the people who may sign in and of the own certificate"
    )
    parser.add_argument("--oidc", type=Path, metavar="FILE", help="sign in with the accounts of the house")
    # asyncio listens at "::" without IPv4, and at "" with both.
    parser.add_argument("--host", default="", help="address at which browsers connect (default: all)")
    parser.add_argument("--port", type=int, default=default_port, help=f"port (default: {default_port})")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="the house's certificate, as PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="key of the house's certificate, as PEM")
    parser.add_argument("--log-level", choices=LOG_LEVELS, default=DEFAULT_LOG_LEVEL, help="least important log level")


def read_house_option(options: argparse.Namespace, people: People) -> HouseSignIn | None:
    """Return the sign-in with the accounts of the house, or None without the option. Raises OidcFileError."""
    return read_house_sign_in(options.oidc, people) if options.oidc is not None else None


def make_server(app: Starlette, options: argparse.Namespace) -> uvicorn.Server:
    """Return a server with these options, and make a certificate if the house has none.

    Raises ServerOptionError or OSError if the files of the certificate cannot be used.
    """
    if (options.certificate is None) != (options.key is None):
        raise ServerOptionError("--certificate and --key: expected both or neither")
    certificate, key = (
        own_certificate(options.folder) if options.certificate is None else (options.certificate, options.key)
    )
    config = uvicorn.Config(
        app,
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
    return uvicorn.Server(config)
