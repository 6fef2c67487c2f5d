"""`--archive-mb N`."""

from __future__ import annotations

from typing import Final

from hardware.bad_input import BadInputError, shown

MOST_MB: Final = 1_000_000
"""A terabyte: more than any card or disk of a table has."""


def archive_bytes(megabytes: str) -> int:
    """What the archive of a journal may take, in bytes. Raises BadInputError."""
    if not (megabytes.isascii() and megabytes.isdecimal() and len(megabytes) < 10 and 0 < int(megabytes) <= MOST_MB):
        raise BadInputError(f"--archive-mb {shown(megabytes)}: expected whole megabytes, 1 to {MOST_MB}")
    return int(megabytes) * 1_000_000
