"""The segment header, which is the first row of a segment.

The header names the journal, the program version and the last record of the previous segment.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

import msgspec

from controller.journal.build_identity import build_id

CONFIG_VERSION: Final = 1
"""Version of the JSON form in which a segment header stores the configuration of the table."""
FORMAT_VERSION: Final = 4
"""Version of the journal's format, which includes the SQL tables, hashes, records, and the text of steps."""
PREVIOUS_FORMAT_VERSION: Final = 3
"""Version of the previous format, which is still read.

Such a journal continues with a segment in the current format.
"""
BOOT_ID_FILE: Final = Path("/proc/sys/kernel/random/boot_id")
"""File of the Linux kernel with a random identifier of the current boot."""

JournalOrigin = Literal["", "configuration", "salvage", "storage", "restore"]
"""Reason why a journal replaced an earlier one, or "" if it is the first.

- `configuration`: the table got another configuration.
- `salvage`: the earlier journal was damaged, and this one has its proven records.
- `storage`: the disk could not be written for some time.
- `restore`: an operator restored an older copy.
"""


class LayoutInForce(msgspec.Struct, frozen=True, omit_defaults=True):
    """The layout with which a table is played, and its list of chips."""

    file: str = ""
    """Name of the layout's file, or "" if the table has no sensors."""
    hash: str = ""
    """SHA-256 of the layout's file in hex, as `sha256sum` prints it."""
    options: str = ""
    """Options of `serve` that change the layout, such as `--encoded`."""
    house: str = ""
    """Name of the house in the list of chips, or "" if the layout names no register."""
    list_number: int = 0
    list_hash: str = ""
    """SHA-256 of the signed list in hex."""
    list_date: str = ""
    """Wall-clock time at which the file of the list was last changed, in UTC (ISO 8601)."""
    list_key: str = ""
    """Public key of the house, with which the list is signed."""


_WRITTEN_NAMES: Final = {
    "config_version": "version",
    "created_at": "at",
    "format_version": "form",
    "program_version": "program",
    "boot_id": "boot",
    "journal_name": "name",
    "parent_journal": "parent",
    "origin": "why",
    "previous_number": "after",
    "previous_hash": "before",
    "state_digest": "state",
    "recent_commands": "commands",
    "build_id": "build",
}
"""Names of some fields in segment headers. The code has renamed these fields, but headers keep the old names."""


class SegmentHeader(msgspec.Struct, frozen=True, omit_defaults=True, rename=_WRITTEN_NAMES):
    """The first row of a segment, as JSON. The default values describe the first segment of a table."""

    config: str
    """Configuration of the table, as JSON text."""
    config_version: int
    """Version of the JSON form of `config`."""
    created_at: str
    """Wall-clock time at which the segment was begun, in UTC (ISO 8601)."""
    format_version: int = PREVIOUS_FORMAT_VERSION
    """Format version of the file. Headers in the previous format do not have this field."""
    program_version: str = ""
    """Version of the program that writes the segment."""
    boot_id: str = ""
    """Identifier of the machine's current boot when the segment was begun.

    The times of the segment's records count from this boot.
    """
    journal_name: str = ""
    """Name of the journal.

    It is "" in a journal's first segment, because the name is the hash of that segment's header.
    """
    parent_journal: str = ""
    """Name of the journal that this one continues, or ""."""
    origin: JournalOrigin = ""
    segment: int = 1
    """Number of the segment. If a journal replaces another, its first segment gets the next number."""
    previous_number: int = 0
    """Number of the journal's last record before this segment."""
    previous_hash: str = ""
    """Hash of the last record of the previous segment in hex, or ""."""
    state_digest: str = ""
    """Digest of the snapshot with which the segment begins, or "" if it begins with the configured table."""
    recent_commands: tuple[str, ...] = ()
    """Identifiers of the last commands before the segment, oldest first, as in `Entry.command`."""
    build_id: str = ""
    """Hash of the files of the program that writes the segment, or "" in segments of earlier programs."""
    layout: LayoutInForce | None = None
    """Layout with which the segment is played, or None in segments of earlier programs."""


decode_header = msgspec.json.Decoder(SegmentHeader).decode


def new_header(
    config: str, *, parent_journal: str = "", origin: JournalOrigin = "", layout: LayoutInForce | None = None
) -> SegmentHeader:
    """Return the header of a new journal, with the current time, program version, build and boot."""
    return SegmentHeader(
        config,
        CONFIG_VERSION,
        utc_timestamp(),
        FORMAT_VERSION,
        program_version(),
        boot_id(),
        parent_journal=parent_journal,
        origin=origin,
        build_id=build_id(),
        layout=layout,
    )


def next_header(
    header: SegmentHeader,
    journal_name: str,
    last_number: int,
    last_hash: bytes,
    origin: JournalOrigin = "",
    config: str | None = None,
) -> SegmentHeader:
    """Return the header of the next segment, after the segment that ends with record `last_number`.

    If `origin` is not empty, the segment begins a new journal with the parent `journal_name`. Its records are numbered
    from 1 again, and it may have another `config`.
    """
    header_of_segment = new_header(
        header.config if config is None else config,
        parent_journal=journal_name if origin else header.parent_journal,
        origin=origin or header.origin,
        layout=header.layout,
    )
    return msgspec.structs.replace(
        header_of_segment,
        journal_name="" if origin else journal_name,
        segment=header.segment + 1,
        previous_number=0 if origin else last_number,
        previous_hash=last_hash.hex(),
    )


def is_from_current_run(header: SegmentHeader) -> bool:
    """Return True if this build of the program wrote the header since the machine was booted."""
    return (header.format_version, header.program_version, header.build_id, header.boot_id) == (
        FORMAT_VERSION,
        program_version(),
        build_id(),
        boot_id(),
    )


def utc_timestamp() -> str:
    """Return the wall-clock time in UTC, to the millisecond.

    The name of a journal is a hash of its header. Milliseconds keep the names of two journals of one table different.
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@cache
def program_version() -> str:
    """Return the version of this program, or "" if it is not installed."""
    try:
        return metadata.version("potkeeper")
    except metadata.PackageNotFoundError:
        return ""


@cache
def boot_id() -> str:
    """Return the identifier of the current boot, or "" if the machine has none."""
    try:
        return BOOT_ID_FILE.read_text().strip()
    except OSError:
        return ""
