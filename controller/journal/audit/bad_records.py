"""Search for the first altered record of a journal, and for the way in which the record was altered."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

from controller.integrity import HighWaterMark, is_signed_by
from controller.journal import archive
from controller.journal.audit.findings import AlterationKind, Finding, make_finding
from controller.journal.audit.stored_hashes import connect_to_segment, contradicts_mark, hash_at, read_row
from controller.journal.evidence import alteration_label
from controller.journal.records import JournalError, try_decode_record
from controller.journal.segment import Segment
from controller.journal.sqlite_file import chain_hash


def find_first_bad_record(path: Path) -> tuple[Path, Finding | None]:
    """Return a finding about the journal's first bad record, with its segment, or None if every record is good."""
    for segment_path in (*archive.closed_segments(path), path):
        closed = segment_path != path
        try:
            with closing(Segment.open_read_only(segment_path, closed=closed)) as segment:
                segment.verify()
        except JournalError as error:
            kind = "changed" if error.number is None else _classify(segment_path, error.number, closed=closed)
            problem = str(error).removeprefix(f"journal {segment_path}: ")
            return segment_path, Finding(kind, f"journal {segment_path}: {alteration_label(kind)}: {problem}")
    return path, None


def find_foreign_end(
    path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark], *, closed: bool
) -> Iterator[Finding]:
    """Yield a finding if a segment with a bad record also has an end that the table has not written.

    Somebody who has rewritten records may damage one more byte, so that the journal looks as if a disk had failed. But
    after a failure of a disk, the signature still fits the head or the last record. A segment whose head or header
    cannot be read proves nothing.
    """
    try:
        with closing(Segment.open_read_only(path, closed=closed)) as segment:
            head, signature = segment.signed_head()
            ends = [head]
            with suppress(JournalError):
                ends.append(head._replace(hash=hash_at(segment, head.number, closed=closed)))
            is_signed = not keys or any(is_signed_by(key, end, signature) for key in keys for end in ends)
            is_as_marked = not any(
                mark.number == head.number and contradicts_mark(segment, mark, closed=closed) for mark in marks
            )
    except JournalError:
        return
    if not is_signed or (not is_as_marked and len({end.hash for end in ends}) == 1):
        yield make_finding(
            "remade", path, f"the end at record {head.number} is not the one that this table has written"
        )


def find_broken_link(path: Path) -> Finding:
    """Return a finding about a segment that does not continue the segment before it."""
    numbers = [segment.read_header().segment for segment in archive.iter_segments(path)]
    for number, following in pairwise(sorted(numbers)):
        if following > number + 1:
            return make_finding("removed", path, f"segment {number + 1} is missing")
        if following == number:
            return make_finding("inserted", path, f"segment {number} is there twice")
    for number, expected in zip(numbers, sorted(numbers), strict=True):
        if number != expected:
            return make_finding("exchanged", path, f"segment {number} is in the place of segment {expected}")
    return make_finding("exchanged", path, "a segment does not continue the one before it")


def _classify(path: Path, number: int, *, closed: bool) -> AlterationKind:
    """Return how the first bad record was altered. Return `changed` if this cannot be determined."""
    try:
        with closing(connect_to_segment(path, closed=closed)) as db:
            return _classify_row(db, number)
    except sqlite3.Error:
        return "changed"


def _classify_row(db: sqlite3.Connection, number: int) -> AlterationKind:
    head_number, highest_number = db.execute(
        "SELECT (SELECT number FROM head), (SELECT max(number) FROM record)"
    ).fetchone()
    before, row, following = (read_row(db, row_number) for row_number in (number - 1, number, number + 1))
    if not isinstance(head_number, int) or not isinstance(highest_number, int) or number == 0:
        return "changed"
    if not 0 < number <= head_number:
        return "inserted"
    if row is None:
        return "cut" if highest_number < number else "removed"
    record = try_decode_record(row.body)
    body_number = record.number if record is not None else None
    is_next = before is not None and following is not None and chain_hash(before.hash, following.body) == following.hash
    if is_next and body_number != number + 1:
        return "inserted"
    if body_number not in (None, number):
        return "exchanged" if _is_in_anotherread_row(db, number) else "removed"
    return "changed"


def _is_in_anotherread_row(db: sqlite3.Connection, number: int) -> bool:
    """Return True if the record with this number is in a row that has another number."""
    prefix = f'{{"number":{number},%'
    count = db.execute("SELECT count(*) FROM record WHERE number != ? AND body LIKE ?", (number, prefix)).fetchone()
    return bool(count[0])
