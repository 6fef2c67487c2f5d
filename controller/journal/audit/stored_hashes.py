"""Hashes as a segment stores them. A hash may be wrong, because an audit also reads altered segments."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from controller.integrity import HighWaterMark
from controller.journal.audit.findings import EXPECTED_RECORDS
from controller.journal.carving import CarvedRow
from controller.journal.records import JournalError
from controller.journal.segment import Segment
from controller.journal.sqlite_file import connect


def connect_to_segment(path: Path, *, closed: bool) -> sqlite3.Connection:
    """Open the database of a segment for reading. `closed` is True if the table no longer writes the segment."""
    return connect(path, "ro&immutable=1" if closed else "ro")


def read_row(db: sqlite3.Connection, number: int) -> CarvedRow | None:
    """Return the row of a record, or None if the row is missing or has values of another type."""
    row = db.execute("SELECT body, hash FROM record WHERE number = ?", (number,)).fetchone()
    is_valid = row is not None and isinstance(row[0], bytes) and isinstance(row[1], bytes)
    return CarvedRow(*row) if is_valid else None


def hash_at(segment: Segment, number: int, *, closed: bool) -> bytes:
    """Return the hash that is stored in a row. Raises JournalError if the row does not exist."""
    try:
        with closing(connect_to_segment(segment.path, closed=closed)) as db:
            stored = read_row(db, number)
    except sqlite3.Error as error:
        raise JournalError(f"journal {segment.path}: {error}, expected an undamaged journal") from None
    if stored is None:
        raise JournalError(f"journal {segment.path}: record {number}: missing, {EXPECTED_RECORDS}", number)
    return stored.hash


def contradicts_mark(segment: Segment, mark: HighWaterMark, *, closed: bool) -> bool:
    """Return True if the high-water mark and the segment have different hashes for the record that the mark names."""
    head, header = segment.chain_head(), segment.read_header()
    if (mark.journal, mark.segment) != (head.journal, head.segment) or mark.number < header.previous_number:
        return False
    row = mark.number if mark.number > header.previous_number else 0
    return mark.hash != hash_at(segment, row, closed=closed).hex()
