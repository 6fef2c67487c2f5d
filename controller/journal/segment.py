"""One file of a journal, for reading: its opening, its records, the states that hold after some of them.

A segment is a SQLite file (WAL, synchronous=FULL). Row 0 is the `Opening`, the others are the steps in the order in
which they were taken. Each row holds the record as JSON (`body`) and `hash`, the BLAKE2b of the hash before it and
the body; the opening's covers the last record of the segment before. The row of `head` repeats number and hash of the
last record, with their signature (`seal`). A state is a row of its own; its digest stands in the opening or in the
record after which it holds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.journal.file import (
    APPLICATION,
    BEFORE_ALL,
    beside,
    chained,
    close,
    commits_lost,
    connect,
    missing,
    unpacked,
)
from controller.journal.opening import FORM, FORM_BEFORE, Opening
from controller.journal.records import Entry, JournalError, Record, decode_record
from controller.journal.whole import digest_of
from controller.seals import Head
from controller.table import StepError

READ_AT_ONCE: Final = 1000
"""Records fetched in one go: a reader of a long journal holds no old state of the file for long."""

_decode_opening = msgspec.json.Decoder(Opening).decode


class Segment:
    """One segment, open for reading; `Journal` is the one that is written."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def view(cls, path: Path, *, closed: bool = False) -> Segment:
        """A segment for reading, also while another process writes it, also when it is damaged. A `closed` one of the
        archive is written by nobody. Raises JournalError."""
        if not path.exists():
            raise missing(path)
        try:
            db = connect(path, "ro&immutable=1" if closed else "ro")
        except sqlite3.Error as error:
            raise JournalError(f"journal {path}: {error}, expected a journal") from None
        return Segment(path, db)

    def close(self) -> None:
        """Gives the file back; doing it again does nothing."""
        close(self._db)

    # --- what stands in it ---

    def opening(self) -> Opening:
        """The first row. Raises JournalError where it is damaged."""
        application, form = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if application != (APPLICATION,):
            raise JournalError(f"journal {self.path}: another kind of file, expected a journal of form {FORM}")
        if form[0] not in (FORM, FORM_BEFORE):
            raise JournalError(f"journal {self.path}: of form {form[0]}, expected form {FORM}, a new journal")
        row = self._one("SELECT body, hash FROM record WHERE number = 0")
        if row is None or not isinstance(row[0], bytes):
            raise self._bad(0, "missing" if row is None else "damaged")
        try:
            opening = _decode_opening(row[0])
            before = bytes.fromhex(opening.before) or BEFORE_ALL
        except (msgspec.MsgspecError, ValueError) as error:
            raise self._bad(0, str(error)) from None
        if chained(before, row[0]) != row[1]:
            raise self._bad(0, "damaged")
        if opening.form != form[0]:
            raise self._bad(0, f"of form {opening.form} in a file of form {form[0]}")
        return opening

    @property
    def name(self) -> str:
        """The journal's name. Raises JournalError."""
        return self.opening().name or self._hash_of(0).hex()

    def head(self) -> Head:
        """How far it goes. Raises JournalError."""
        number, last = self._head()
        return Head(self.name, self.opening().segment, number, last)

    def seal(self) -> bytes:
        """The signature of the head; empty where it was not signed. Raises JournalError."""
        if self.opening().form != FORM:
            return b""
        found = self._one("SELECT seal FROM head WHERE one = 1")
        if found is None or not isinstance(found[0], bytes):
            raise JournalError(f"journal {self.path}: damaged head, expected a signature")
        return found[0]

    @property
    def last(self) -> int:
        """Number of the last record; 0 where there is only an opening."""
        return self._head()[0]

    def bodies(self, after: int | None = None) -> Iterator[tuple[bytes, Record]]:
        """Records as `records` gives them, with the bytes that are written for each."""
        begins = self.opening().after
        number = begins if after is None else after
        trouble: JournalError | None = None
        try:
            head, head_hash = self._head()
        except JournalError as error:
            # Without the head the records can still be read; that the end is the end cannot be said.
            trouble, head, head_hash = error, 2**63 - 1, b""
        last = self._hash_of(0 if number == begins else number) if number <= head else head_hash
        while number < head:
            rows = self._rows(number, head)
            for found, body, stored in rows:
                if found != number + 1:
                    raise self._bad(number + 1, "missing")
                if not isinstance(body, bytes) or chained(last, body) != stored:
                    raise self._bad(found, "damaged")
                number, last = found, stored
                yield body, self._decoded(number, body)
            if not rows:
                raise trouble or self._bad(number + 1, "missing", f"expected records up to {head}")
        if number == head and last != head_hash:
            raise self._bad(head, "not the one that was written last")

    def records(self, after: int | None = None) -> Iterator[Record]:
        """The records behind number `after`, or all, in order, each checked; those written meanwhile are left out.

        Raises JournalError at the first bad record: what came before it is good."""
        for _, record in self.bodies(after):
            yield record

    def entries(self, after: int | None = None) -> Iterator[Entry]:
        """The entries behind record number `after`, or all, in order, as they were given to `append`.

        Raises JournalError at the first bad record, and at one that is no step of this program."""
        for record in self.records(after):
            try:
                yield record.entry()
            except StepError as error:
                raise self._bad(record.number, str(error)) from None

    def state(self, number: int, digest: str) -> bytes:
        """The state after this record (that of the opening: after the last one before the segment), which has this
        digest. Raises JournalError where it is missing or another."""
        row = self._one("SELECT body FROM state WHERE number = ?", number)
        try:
            if row is None or not isinstance(row[0], bytes):
                raise ValueError("missing")
            state = unpacked(row[0])
        except ValueError as error:
            raise self._bad(number, f"its state is damaged: {error}", "expected the one written") from None
        if digest_of(state) != digest:
            raise self._bad(number, "its state is damaged", "expected the one written")
        return state

    # --- whether it is whole ---

    def verify(self, frames: int | None = None) -> int:
        """Checks everything and returns the number of records; `frames` of the WAL are valid, where that is known.
        Raises JournalError that names the first bad one."""
        opening = self.opening()
        self.verify_wal(frames)
        if opening.state:
            self.state(opening.after, opening.state)
        count = 0
        for record in self.records():
            count += 1
            if record.state:
                self.state(record.number, record.state)
        # The head is read after the row: another process may be writing.
        for query in ("SELECT min(number) FROM record", "SELECT max(number) FROM record"):
            ((number,), (head, _)) = self._one(query), self._head()
            if not 0 <= number <= head:
                raise self._bad(number, "not one that was written", f"expected records up to {head}")
        if strange := self._one("SELECT number FROM record WHERE number > 0 AND number <= ?", opening.after):
            raise self._bad(strange[0], "not one of this segment", f"expected records from {opening.after + 1}")
        if (found := self._one("PRAGMA quick_check(1)")) != (b"ok",):
            told = found[0].decode("utf-8", "replace").replace("\n", " ") if found else "no answer"
            raise JournalError(
                f"journal {self.path}: all records are good, but the file is damaged: {told}, expected ok"
            )
        return count

    def verify_wal(self, frames: int | None = None) -> None:
        """Whether the WAL was damaged: what it held behind the damage is not among the records. Raises JournalError."""
        lost = commits_lost(beside(self.path, "-wal"), frames)
        # Read while it was begun anew it may look so: another look then sees another WAL.
        if lost > 1 and (lost := commits_lost(beside(self.path, "-wal"), frames)) > 1:
            raise JournalError(f"journal {self.path}: {lost} commits at the end are damaged, expected at most one torn")

    def _head(self) -> tuple[int, bytes]:
        row = self._one("SELECT number, hash FROM head WHERE one = 1")
        if row is None or not isinstance(row[0], int) or not isinstance(row[1], bytes):
            raise JournalError(f"journal {self.path}: damaged head, expected number and hash of the last record")
        return row[0], row[1]

    def _hash_of(self, number: int) -> bytes:
        row = self._one("SELECT hash FROM record WHERE number = ?", number)
        if row is None or not isinstance(row[0], bytes):
            raise self._bad(number, "missing")
        return row[0]

    def _rows(self, after: int, last: int) -> list[tuple[int, object, object]]:
        rows: list[tuple[int, object, object]] = []
        try:
            for row in self._db.execute(
                "SELECT number, body, hash FROM record WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
                (after, last, READ_AT_ONCE),
            ):
                rows.append(row)
        except sqlite3.Error as error:
            if not rows:
                raise self._bad(after + 1, str(error)) from None
        return rows

    def _decoded(self, number: int, body: bytes) -> Record:
        try:
            record = decode_record(body)
        except msgspec.MsgspecError as error:
            raise self._bad(number, str(error)) from None
        if record.number != number:
            raise self._bad(number, f"is record {record.number}")
        return record

    def _one(self, query: str, *values: int) -> Any:
        try:
            return self._db.execute(query, values).fetchone()
        except sqlite3.Error as error:
            raise JournalError(f"journal {self.path}: {error}, expected a whole journal") from None

    def _bad(self, number: int, what: str, expected: str = "expected the record that was written") -> JournalError:
        name = "the opening" if number == 0 else f"record {number}"
        return JournalError(f"journal {self.path}: {name}: {what}, {expected}", number)
