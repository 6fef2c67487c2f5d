"""The journal: every event is on disk before any screen shows what it did.

A journal is one SQLite file (WAL, synchronous=FULL). Record 0 is the `Opening`, records 1, 2, 3 … are the steps in the
order in which they were taken; feeding them to the table gives the same state again. Each row holds the record as JSON
(`body`) and `hash`, the BLAKE2b of the hash before it and the body; the row of `head` repeats the number and hash
of the last record. So damaged, missing and exchanged records are found and the first bad one is named.

What no check can find: the loss of the last commit alone looks like a power cut before that commit.

Beside `PATH` lie SQLite's `PATH-wal` and `PATH-shm`, and `PATH.lock`, held by the one process that writes; `PATH.new`
and `PATH.salvaged` exist while a journal is being made. A journal may be used by any thread, by one at a time.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.journal.file import (
    APPLICATION,
    BEFORE_ALL,
    FORMAT,
    as_rows,
    beside,
    build,
    chained,
    close,
    commits_behind,
    connect,
    hold,
    missing,
    sync_folder,
)
from controller.journal.records import Entry, JournalDead, JournalError, Opening, Record, encode
from controller.table import StepError

MAX_BATCH: Final = 10_000
"""Records of one `append`: far more than one event has, and still one short transaction."""
FLUSHES_KEPT: Final = 10_000
"""Durations in `flush_us`: the last half hour of a very busy table."""
READ_AT_ONCE: Final = 1000
"""Records fetched in one go: a reader of a long journal holds no old state of the file for long."""

_decode_record = msgspec.json.Decoder(Record).decode
_decode_opening = msgspec.json.Decoder(Opening).decode


class Journal:
    """One journal, open for writing (`create`, `open`) or for reading (`view`). Made by these three only."""

    def __init__(self, path: Path, db: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self.flush_us: deque[int] = deque(maxlen=FLUSHES_KEPT)
        """Microseconds of each of the last commits: writing the WAL and waiting for the disk."""
        self._db = db
        self._lock = lock
        self._dead = ""
        self._last = 0
        self._hash = BEFORE_ALL

    @classmethod
    def create(cls, path: Path, opening: Opening) -> Journal:
        """A new journal, on disk with its opening when this returns.

        Raises JournalError where the file, or a part of an earlier one, is there already."""
        lock = hold(path)
        try:
            for ending in ("", "-wal", ".salvaged"):
                if beside(path, ending).exists():
                    raise JournalError(f"journal {path}: {beside(path, ending).name} exists, expected no journal yet")
            new = beside(path, ".new")
            build(new, opening)
            new.rename(path)
            sync_folder(path.parent)
            return cls._for_writing(path, lock)[0]
        except BaseException as error:
            os.close(lock)
            if isinstance(error, (OSError, sqlite3.Error)):
                raise JournalError(f"journal {path}: {error}, expected to write it") from None
            raise

    @classmethod
    def open(cls, path: Path) -> tuple[Journal, Opening]:
        """A journal to go on with, every record checked, and its opening.

        Raises JournalError when there is none, another process writes it, or it is damaged (see `damage.salvage`)."""
        if not path.exists():
            raise missing(path)
        lock = hold(path)
        try:
            return cls._for_writing(path, lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def view(cls, path: Path) -> Journal:
        """A journal for reading, also while another process writes it, also when it is damaged."""
        if not path.exists():
            raise missing(path)
        try:
            db = connect(path, "ro")
        except sqlite3.Error as error:
            raise JournalError(f"journal {path}: {error}, expected a journal") from None
        return cls(path, db, None)

    @classmethod
    def check(cls, path: Path) -> None:
        """Whether `open` would find the journal whole. Only for who holds the lock. Raises JournalError."""
        close(cls._for_writing(path, -1)[0]._db)

    @classmethod
    def _for_writing(cls, path: Path, lock: int) -> tuple[Journal, Opening]:
        guard: sqlite3.Connection | None = None
        db: sqlite3.Connection | None = None
        try:
            # The last connection that can write removes the WAL as it closes: while this one is open, a journal that
            # turns out to be damaged keeps it.
            guard = connect(path, "ro")
            guard.execute("SELECT count(*) FROM head").fetchone()
            db = connect(path, "rw")
            journal = cls(path, db, lock)
            opening = journal.opening()
            # What a killed process left in the WAL goes to the file, with a flush of its own: after a failed
            # flush the WAL may be in the cache only, though it reads well.
            _, frames, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if (lost := commits_behind(beside(path, "-wal"), frames)) > 1:
                raise JournalError(f"journal {path}: {lost} commits at the end are damaged, expected at most one torn")
            if (mode := db.execute("PRAGMA journal_mode").fetchone()[0]) != b"wal":
                raise JournalError(f"journal {path}: journal_mode {mode.decode()}, expected wal")
            journal.verify()
            journal._last, journal._hash = journal._head()
            return journal, opening
        except sqlite3.Error as error:
            close(db)
            raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
        except BaseException:
            close(db)
            raise
        finally:
            close(guard)

    @property
    def last(self) -> int:
        """Number of the last record; 0 where there is only the opening."""
        return self._last if self._lock is not None else self._head()[0]

    def append(self, entries: Sequence[Entry]) -> int:
        """Writes all entries or none, and returns the number of the last one; they are on disk when it returns.

        Raises JournalError where an entry is none (nothing was written, the journal goes on), JournalDead when
        writing failed, and ever after."""
        if self._dead:
            raise JournalDead(self._dead)
        if self._lock is None:
            raise JournalError(f"journal {self.path}: open for reading or closed, expected open for writing")
        if len(entries) > MAX_BATCH:
            raise JournalError(f"journal {self.path}: {len(entries)} records at once, expected at most {MAX_BATCH}")
        if not entries:
            return self._last
        written = as_rows(self._hash, encode(entries, self._last + 1), self._last + 1)
        number, _, last = written[-1]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO record VALUES (?, ?, ?)", written)
            self._db.execute("UPDATE head SET number = ?, hash = ? WHERE one = 1", (number, last))
            began = time.perf_counter_ns()
            self._db.execute("COMMIT")
        except BaseException as error:
            self._dead = f"journal {self.path}: writing record {written[0][0]} failed ({error}): end the process"
            if isinstance(error, sqlite3.Error):
                raise JournalDead(self._dead, written[0][0]) from error
            raise
        self.flush_us.append((time.perf_counter_ns() - began) // 1000)
        self._last, self._hash = number, last
        return number

    def opening(self) -> Opening:
        """The first record. Raises JournalError where it is damaged."""
        application, form = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if application != (APPLICATION,):
            raise JournalError(f"journal {self.path}: another kind of file, expected a journal of form {FORMAT}")
        if form != (FORMAT,):
            raise JournalError(f"journal {self.path}: of form {form[0]}, expected form {FORMAT}, a new journal")
        row = self._one("SELECT body, hash FROM record WHERE number = 0")
        if row is None or not isinstance(row[0], bytes) or chained(BEFORE_ALL, row[0]) != row[1]:
            raise self._bad(0, "missing" if row is None else "damaged")
        try:
            return _decode_opening(row[0])
        except msgspec.MsgspecError as error:
            raise self._bad(0, str(error)) from None

    def bodies(self, after: int = 0) -> Iterator[tuple[bytes, Record]]:
        """Records as `records` gives them, with the bytes that are written for each."""
        trouble: JournalError | None = None
        try:
            head, head_hash = self._head()
        except JournalError as error:
            # Without the head the records can still be read; that the end is the end cannot be said.
            trouble, head, head_hash = error, 2**63 - 1, b""
        number, last = after, self._hash_of(after) if after <= head else head_hash
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

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records behind number `after`, in order, each checked; those written meanwhile are left out.

        Raises JournalError at the first bad record: what came before it is good."""
        for _, record in self.bodies(after):
            yield record

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The entries behind record number `after`, in order, as they were given to `append`.

        Raises JournalError at the first bad record, and at one that is no step of this program."""
        for record in self.records(after):
            try:
                yield record.entry()
            except StepError as error:
                raise self._bad(record.number, str(error)) from None

    def verify(self) -> int:
        """Checks everything and returns the number of records. Raises JournalError that names the first bad one."""
        self.opening()
        count = sum(1 for _ in self.bodies())
        # The head is read after the row: another process may be writing.
        for query in ("SELECT min(number) FROM record", "SELECT max(number) FROM record"):
            ((number,), (head, _)) = self._one(query), self._head()
            if not 0 <= number <= head:
                raise self._bad(number, "not one that was written", f"expected records up to {head}")
        if (found := self._one("PRAGMA quick_check(1)")) != (b"ok",):
            told = found[0].decode("utf-8", "replace").replace("\n", " ") if found else "no answer"
            raise JournalError(f"journal {self.path}: all records are good, but the file is damaged: {told}")
        return count

    def close(self) -> None:
        """Gives the file and the lock back; doing it again does nothing."""
        close(self._db)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

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
            record = _decode_record(body)
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
