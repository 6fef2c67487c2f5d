"""Names, tokens and keys of simulated tables, and what their process reports."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from controller.integrity import TableKey

READY: Final = b"ready\n"
"""Line that the process of the tables prints when all tables are connected."""


class TablesReport(msgspec.Struct, frozen=True):
    """The replies that the tables have received."""

    replies_s: list[float]
    """Time in seconds from each span to its reply."""
    acknowledged: dict[str, int]
    """Number of the last record that the room has acknowledged, by the name of the table."""
    failures: list[str]
    """Reasons why the room has refused or closed connections."""


def table_name(number: int) -> str:
    """Return the name of a table."""
    return f"Table {number}"


def table_token(number: int) -> str:
    """Return the token of a table, which is no secret in a measurement."""
    return hashlib.sha256(b"token %d" % number).hexdigest()


def table_key(number: int) -> TableKey:
    """Return the key of a table."""
    return TableKey(hashlib.sha256(b"key %d" % number).hexdigest())
