"""One segment of a journal, for reading: its header, its records and its snapshots.

A segment is a SQLite file (WAL, synchronous=FULL) with three tables.

- `record`: row 0 is the `SegmentHeader`, and the other rows are the steps in the order in which they were applied. The
  column `body` has the row as JSON. The column `hash` is the BLAKE2b of the previous row's hash and the body. For row 0
  the previous row is the last record of the previous segment.
- `head`: one row with number, hash and signature (`seal`) of the last record.
- `state`: snapshots. The digest of a snapshot is in the segment header, or in the record after which the snapshot was
  made.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.integrity import ChainHead
from controller.journal.records import Entry, JournalError, Record, decode_record
from controller.journal.segment_header import (
    FORMAT_VERSION,
    PREVIOUS_FORMAT_VERSION,
    SegmentHeader,
    decode_header,
)
from controller.journal.snapshot import digest_of_bytes
from controller.journal.sqlite_file import (
    APPLICATION_ID,
    GENESIS_HASH,
    PREVIOUS_SCHEMA_OBJECTS,
    SCHEMA_OBJECTS,
    chain_hash,
    close_quietly,
    connect,
    count_lost_commits,
    decompress_state,
    missing_journal_error,
    sibling,
)
from controller.steps import StepSyntaxError

FETCH_RECORDS: Final = 1000
"""Maximum number of records per query.

During a long query SQLite cannot restart the WAL, so that the WAL would grow.
"""


class Segment:
    """One segment, open for reading. Its subclass `Journal` is open for writing."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def open_read_only(cls, path: Path, *, closed: bool = False) -> Segment:
        """Open a segment for reading, even if it is damaged or another process writes it.

        Set `closed` to True for a segment in the archive, because nobody writes it. Raises JournalError if the file
        cannot be opened.
        """
        if not path.exists():
            raise missing_journal_error(path)
        try:
            db = connect(path, "ro&immutable=1" if closed else "ro")
        except sqlite3.Error as error:
            raise JournalError(f"journal {path}: {error}, expected a journal") from None
        return Segment(path, db)

    def close(self) -> None:
        """Close the file. Closing it again has no effect."""
        close_quietly(self._db)

    # --- content ---

    def read_header(self) -> SegmentHeader:
        """Return the segment header. Raises JournalError if it is damaged."""
        application_id, format_version = (
            self._query_row("PRAGMA application_id"),
            self._query_row("PRAGMA user_version"),
        )
        if application_id != (APPLICATION_ID,):
            raise JournalError(
                f"journal {self.path}: another kind of file, expected a journal of format {FORMAT_VERSION}"
            )
        if format_version[0] not in (FORMAT_VERSION, PREVIOUS_FORMAT_VERSION):
            raise JournalError(
                f"journal {self.path}: format {format_version[0]}, expected format {FORMAT_VERSION}, a new journal"
            )
        row = self._query_row("SELECT body, hash FROM record WHERE number = 0")
        if row is None or not isinstance(row[0], bytes):
            raise self._error_at(0, "missing" if row is None else "damaged")
        try:
            header = decode_header(row[0])
            previous_hash = bytes.fromhex(header.previous_hash) or GENESIS_HASH
        except (msgspec.MsgspecError, ValueError) as error:
            raise self._error_at(0, str(error)) from None
        if chain_hash(previous_hash, row[0]) != row[1]:
            raise self._error_at(0, "damaged")
        if header.format_version != format_version[0]:
            raise self._error_at(0, f"format {header.format_version}, but the file has format {format_version[0]}")
        return header

    def header_body(self) -> bytes:
        """Return the segment header as the stored JSON. Raises JournalError if it is damaged."""
        self.read_header()
        body: bytes = self._query_row("SELECT body FROM record WHERE number = 0")[0]
        return body

    @property
    def journal_name(self) -> str:
        """Name of the journal. Raises JournalError if the header cannot be read."""
        return self.read_header().journal_name or self._hash_of(0).hex()

    def chain_head(self) -> ChainHead:
        """Return the journal's head: its name, and segment, number and hash of the last record. Raises JournalError."""
        number, last = self._head()
        return ChainHead(self.journal_name, self.read_header().segment, number, last)

    def signed_head(self) -> tuple[ChainHead, bytes]:
        """Return the journal's head with its signature, or with empty bytes if it is unsigned. Raises JournalError.

        One statement reads both. With two statements, the table could add a record between them, so that the signature
        of the new head would not fit the old head.
        """
        header = self.read_header()
        if header.format_version != FORMAT_VERSION:
            return self.chain_head(), b""
        row = self._query_row("SELECT number, hash, seal FROM head WHERE one = 1")
        if row is None or not isinstance(row[0], int) or not all(isinstance(value, bytes) for value in row[1:]):
            raise JournalError(f"journal {self.path}: damaged head, expected number, hash and signature")
        number, last_hash, signature = row
        return ChainHead(self.journal_name, header.segment, number, last_hash), signature

    def head_at(self, number: int) -> ChainHead:
        """Return the head that the segment had when record `number` was its last record.

        If `number` is the last record of the previous segment, return the head of the segment without records. Raises
        JournalError if the segment does not have the record.
        """
        header = self.read_header()
        stored = self._hash_of(0 if number == header.previous_number else number)
        return ChainHead(self.journal_name, header.segment, number, stored)

    def signature(self) -> bytes:
        """Return the signature of the head, or empty bytes if the head is unsigned. Raises JournalError."""
        return self.signed_head()[1]

    @property
    def last_number(self) -> int:
        """Number of the last record, or 0 if the journal has no record yet."""
        return self._head()[0]

    def bodies(self, after: int | None = None) -> Iterator[tuple[bytes, Record]]:
        """Yield each record of `records` as a pair: the stored JSON body and the record."""
        first_previous = self.read_header().previous_number
        number = first_previous if after is None else after
        head_error: JournalError | None = None
        try:
            head, head_hash = self._head()
        except JournalError as error:
            # The head, which names the last record, is damaged. The records can still be read, but nobody can see
            # whether later records are missing.
            head_error, head, head_hash = error, 2**63 - 1, b""
        last_hash = self._hash_of(0 if number == first_previous else number) if number <= head else head_hash
        while number < head:
            rows = self._rows(number, head)
            for found_number, body, stored in rows:
                if found_number != number + 1:
                    raise self._error_at(number + 1, "missing")
                if not isinstance(body, bytes) or chain_hash(last_hash, body) != stored:
                    raise self._error_at(found_number, "damaged")
                number, last_hash = found_number, stored
                yield body, self._decode(number, body)
            if not rows:
                raise head_error or self._error_at(number + 1, "missing", f"expected records up to {head}")
        if number == head and last_hash != head_hash:
            raise self._error_at(head, "not the record that the head names")

    def records(self, after: int | None = None) -> Iterator[Record]:
        """Yield the records after record `after`, or all records if `after` is None, and verify their hashes.

        Records that are appended during the iteration are not included. Raises JournalError at the first bad record.
        The records that were yielded until then are good.
        """
        for _, record in self.bodies(after):
            yield record

    def entries(self, after: int | None = None) -> Iterator[Entry]:
        """Yield the entries after record `after`, or all entries if `after` is None, as `append` received them.

        Raises JournalError at the first record that is bad or that this program cannot parse.
        """
        for record in self.records(after):
            try:
                yield record.entry()
            except StepSyntaxError as error:
                raise self._error_at(record.number, str(error)) from None

    def read_state(self, number: int, digest: str) -> bytes:
        """Return the snapshot with this digest that was made after record `number`.

        For the snapshot at the beginning of the segment, `number` is the last record of the previous segment. Raises
        JournalError if the snapshot is missing or has another digest.
        """
        return self._read_state(number, digest)[1]

    def stored_state(self, number: int, digest: str) -> bytes:
        """Return the snapshot that `read_state` returns, but in compressed form, as it is stored."""
        return self._read_state(number, digest)[0]

    def _read_state(self, number: int, digest: str) -> tuple[bytes, bytes]:
        """Return a snapshot in compressed form, as it is stored, and decompressed."""
        row = self._query_row("SELECT body FROM state WHERE number = ?", number)
        try:
            if row is None or not isinstance(row[0], bytes):
                raise ValueError("missing")
            state = decompress_state(row[0])
        except ValueError as error:
            raise self._error_at(number, f"its state is damaged: {error}", "expected the one written") from None
        if digest_of_bytes(state) != digest:
            raise self._error_at(number, "its state is damaged", "expected the one written")
        return row[0], state

    # --- verification ---

    def verify(self, frames: int | None = None) -> int:
        """Verify the whole segment and return how many records it has.

        `frames` is the number of valid WAL frames, or None if SQLite has not reported it. Raises JournalError for the
        first bad record, which the message names.
        """
        header = self.read_header()
        self.verify_schema()
        self.verify_wal(frames)
        if header.state_digest:
            self.read_state(header.previous_number, header.state_digest)
        count = 0
        for record in self.records():
            count += 1
            if record.state_digest:
                self.read_state(record.number, record.state_digest)
        # Another process may append meanwhile. Read the head after the row, so that the head is never older.
        for query in ("SELECT min(number) FROM record", "SELECT max(number) FROM record"):
            ((number,), (head, _)) = self._query_row(query), self._head()
            if not 0 <= number <= head:
                raise self._error_at(number, "never written by the table", f"expected records up to {head}")
        if foreign_row := self._query_row(
            "SELECT number FROM record WHERE number > 0 AND number <= ?", header.previous_number
        ):
            raise self._error_at(
                foreign_row[0], "from another segment", f"expected records from {header.previous_number + 1}"
            )
        if (check_result := self._query_row("PRAGMA quick_check(1)")) != (b"ok",):
            problem = check_result[0].decode("utf-8", "replace").replace("\n", " ") if check_result else "no answer"
            raise JournalError(
                f"journal {self.path}: all records are good, but the file is damaged: {problem}, expected ok"
            )
        return count

    def verify_schema(self) -> None:
        """Raise JournalError if the file has other SQL objects than the tables of a journal, such as a trigger."""
        expected = SCHEMA_OBJECTS if self.read_header().format_version == FORMAT_VERSION else PREVIOUS_SCHEMA_OBJECTS
        try:
            rows = self._db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            raise JournalError(f"journal {self.path}: {error}, expected an undamaged journal") from None
        found = {b" ".join(b" ".join(part or b"" for part in row).split()) for row in rows}
        if foreign := sorted(found.symmetric_difference(expected)):
            problem = foreign[0].decode("utf-8", "replace")
            raise JournalError(f"journal {self.path}: its SQL schema is not a journal's: {problem:.60}", 0)

    def verify_wal(self, frames: int | None = None) -> None:
        """Raise JournalError if the WAL is damaged, because SQLite ignores records behind the damage."""
        lost = count_lost_commits(sibling(self.path, "-wal"), frames)
        # If SQLite restarts the WAL at this moment, the WAL also looks damaged, so read it a second time.
        if lost > 1 and (lost := count_lost_commits(sibling(self.path, "-wal"), frames)) > 1:
            raise JournalError(f"journal {self.path}: {lost} commits at the end are damaged, expected at most one torn")

    def _head(self) -> tuple[int, bytes]:
        row = self._query_row("SELECT number, hash FROM head WHERE one = 1")
        if row is None or not isinstance(row[0], int) or not isinstance(row[1], bytes):
            raise JournalError(f"journal {self.path}: damaged head, expected number and hash of the last record")
        return row[0], row[1]

    def _hash_of(self, number: int) -> bytes:
        row = self._query_row("SELECT hash FROM record WHERE number = ?", number)
        if row is None or not isinstance(row[0], bytes):
            raise self._error_at(number, "missing")
        return row[0]

    def _rows(self, after: int, last: int) -> list[tuple[int, object, object]]:
        rows: list[tuple[int, object, object]] = []
        try:
            for row in self._db.execute(
                "SELECT number, body, hash FROM record WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
                (after, last, FETCH_RECORDS),
            ):
                rows.append(row)
        except sqlite3.Error as error:
            if not rows:
                raise self._error_at(after + 1, str(error)) from None
        return rows

    def _decode(self, number: int, body: bytes) -> Record:
        try:
            record = decode_record(body)
        except msgspec.MsgspecError as error:
            raise self._error_at(number, str(error)) from None
        if record.number != number:
            raise self._error_at(number, f"is record {record.number}")
        return record

    def _query_row(self, query: str, *values: int) -> Any:
        try:
            return self._db.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise JournalError(f"journal {self.path}: {error}, expected an undamaged journal") from None

    def _error_at(
        self, number: int, problem: str, expected: str = "expected the record that was written"
    ) -> JournalError:
        name = "the segment header" if number == 0 else f"record {number}"
        return JournalError(f"journal {self.path}: {name}: {problem}, {expected}", number)
