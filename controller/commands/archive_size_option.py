"""The option `--archive-mb N`."""

from __future__ import annotations

from typing import Final

from hardware.text_input_validation import BadInputError, quote_value

MAX_ARCHIVE_MB: Final = 1_000_000
"""Largest allowed value of `--archive-mb`, in megabytes.

This is one terabyte, which is more than the disk of any table has.
"""


def parse_archive_mb(megabytes: str) -> int:
    """Return the value of `--archive-mb` in bytes. Raise BadInputError if the value is not valid."""
    if not (
        megabytes.isascii() and megabytes.isdecimal() and len(megabytes) < 10 and 0 < int(megabytes) <= MAX_ARCHIVE_MB
    ):
        raise BadInputError(f"--archive-mb {quote_value(megabytes)}: expected whole megabytes, 1 to {MAX_ARCHIVE_MB}")
    return int(megabytes) * 1_000_000
