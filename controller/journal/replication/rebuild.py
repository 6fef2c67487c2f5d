"""Build a journal from the rows of its segments, with the same hashes and signatures."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.integrity import ChainHead
from controller.journal import archive
from controller.journal.records import JournalError
from controller.journal.segment_header import FORMAT_VERSION, SegmentHeader, decode_header
from controller.journal.sqlite_file import sibling, write_segment_file
from hardware.file_replacement import fsync_folder


class SegmentRows(NamedTuple):
    """The rows of a segment as the table has written them."""

    opening: bytes
    """JSON of the segment header."""
    bodies: Sequence[bytes]
    """JSON of the records."""
    states: Mapping[int, bytes]
    """Snapshots by record number, in compressed form."""
    signature: bytes
    """Signature of the last record, or empty bytes."""


def rebuild_journal(path: Path, segments: Iterable[SegmentRows]) -> list[ChainHead]:
    """Write a journal with these segments to `path`, and return the head of each segment.

    The last segment becomes the running segment, and the others are put into the archive. If a segment has the number
    of an earlier one, such as after a salvage, the earlier one becomes `PATH.damaged-N`, as at the table. The files are
    on disk when this returns.

    This does not check signatures, so call `audit_journal` afterwards. Raises JournalError if files exist at `path`, if
    there is no segment, or if rows are not those of a segment.
    """
    if existing := [file for file in (path, archive.archive_folder(path)) if file.exists()]:
        raise JournalError(f"journal {path}: {existing[0].name} exists, expected no journal yet")
    heads: list[ChainHead] = []
    try:
        archive.archive_folder(path).mkdir(parents=True)
        for rows in segments:
            heads.append(_add_segment(path, rows))
        if not heads:
            raise JournalError(f"journal {path}: no segments, expected at least one")
        archive.closed_segment_path(path, heads[-1].segment).rename(path)
        path.chmod(0o644)
        for closed_path in archive.closed_segments(path):
            closed_path.chmod(archive.CLOSED_FILE_MODE)
        fsync_folder(archive.archive_folder(path))
        fsync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal {path}: {error}, expected a folder that can be written") from None
    return heads


def _add_segment(path: Path, rows: SegmentRows) -> ChainHead:
    """Write a segment into the archive, and quarantine the segments that it replaces."""
    try:
        header = decode_header(rows.opening)
        _require_format(header)
        bytes.fromhex(header.previous_hash)
    except (msgspec.MsgspecError, ValueError) as error:
        raise JournalError(f"journal {path}: segment header: {error}, expected the one that was written", 0) from None
    for closed_path in archive.closed_segments(path):
        if archive.segment_number(closed_path) >= header.segment:
            archive.quarantine(closed_path.rename(path))
    unfinished = sibling(path, ".new")
    head = write_segment_file(unfinished, header, rows.opening, rows.bodies, rows.states, lambda _: rows.signature)
    unfinished.rename(archive.closed_segment_path(path, header.segment))
    return head


def _require_format(header: SegmentHeader) -> None:
    """Raise ValueError if the segment has another format than the current one."""
    if header.format_version != FORMAT_VERSION:
        raise ValueError(f"format {header.format_version}, expected format {FORMAT_VERSION}")
