"""Options that several commands share: `--port NAME=PATH`, `--archive-mb N`, `--archive-days N`, and `--log-level`."""

from __future__ import annotations

from typing import Final

import click

from controller.log_setup import DEFAULT_LOG_LEVEL, LOG_LEVELS
from hardware.text_input_validation import BadInputError, quote_value

MAX_ARCHIVE_MB: Final = 1_000_000
"""Largest allowed value of `--archive-mb`, in megabytes.

This is one terabyte, which is more than the disk of any table has.
"""
MAX_ARCHIVE_DAYS: Final = 36_500
"""Largest allowed value of `--archive-days`, which is a century."""
log_level_option: Final = click.option(
    "--log-level",
    type=click.Choice(LOG_LEVELS),
    default=DEFAULT_LOG_LEVEL,
    show_default=True,
    help="Least important level of log lines on standard error.",
)


def parse_port_option(port: str) -> tuple[str, str]:
    """Return device name and port path from a `--port` option. Raise BadInputError if the option is not valid."""
    name, equals, path = port.partition("=")
    if not equals or not name or not path:
        raise BadInputError(f"--port {port}: expected NAME=PATH, such as odd=/dev/ttyUSB0")
    return name, path


def parse_archive_mb(megabytes: str) -> int:
    """Return the value of `--archive-mb` in bytes. Raise BadInputError if the value is not valid."""
    return _parse_whole("--archive-mb", megabytes, "megabytes", 1, MAX_ARCHIVE_MB) * 1_000_000


def parse_archive_days(days: str) -> int:
    """Return the value of `--archive-days`. Raise BadInputError if the value is not valid."""
    return _parse_whole("--archive-days", days, "days", 0, MAX_ARCHIVE_DAYS)


def _parse_whole(option: str, text: str, unit: str, first: int, last: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and first <= int(text) <= last):
        raise BadInputError(f"{option} {quote_value(text)}: expected whole {unit}, {first} to {last}")
    return int(text)
