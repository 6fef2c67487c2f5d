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

import fcntl
import hashlib
import os
import sqlite3
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

Source: TypeAlias = Literal["dealer", "sensor", "floor", "script"]

MAX_BODY_BYTES: Final = 3500
"""Longest record as JSON: fits one page of the file, so that salvage finds it in one piece."""
MAX_BATCH: Final = 10_000
"""Records of one `append`: far more than one event has, and still one short transaction."""
FLUSHES_KEPT: Final = 10_000
"""Durations in `flush_us`: the last half hour of a very busy table."""
BUSY_S: Final = 1.0
"""Wait for somebody who has the file open in a database tool; a table cannot wait longer."""
CHECKPOINT_PAGES: Final = 1000
"""The WAL is copied into the file when it has grown to this (4 MB): some 500 appends."""

_APPLICATION: Final = 0x504F544B
_FORMAT: Final = 1
_READ_AT_ONCE: Final = 1000
_HASH_BYTES: Final = 16
_BEFORE_ALL: Final = bytes(_HASH_BYTES)
_SCHEMA: Final = f"""
PRAGMA page_size = 4096;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
"""


class JournalError(Exception):
    """The journal cannot be used as asked; one line: what, where, what was expected.

    `number` is the first bad record where one is known (0 is the opening)."""

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class JournalDead(JournalError):
    """A write failed: nobody knows what is on the disk. Never try again: end the process, open the journal anew."""


class Entry(msgspec.Struct, frozen=True):
    """What is to be written: `do` is one line in the words of the table scripts, `badge` who gave it, where known."""

    at_us: int
    do: str
    source: Source
    badge: str = ""


class Record(msgspec.Struct, frozen=True):
    """One entry as it was written; numbers have no gaps and begin at 1."""

    number: int
    at_us: int
    do: str
    source: Source
    badge: str = ""


class Opening(msgspec.Struct, frozen=True):
    """How a journal begins: the table's configuration as JSON text, the version of its form, and the wall-clock time."""

    config: str
    version: int
    at: str


_decode_record = msgspec.json.Decoder(Record).decode
_decode_opening = msgspec.json.Decoder(Opening).decode
_encode = msgspec.json.Encoder().encode


def chained(before: bytes, body: bytes) -> bytes:
    """The hash of a record: of the hash before it and its body."""
    return hashlib.blake2b(before + body, digest_size=_HASH_BYTES).digest()


def beside(path: Path, ending: str) -> Path:
    """The file beside a journal that has its name and this ending."""
    return path.with_name(path.name + ending)


def encode(entry: Entry, number: int) -> bytes:
    """An entry as the body of record `number`. Raises JournalError where it is no entry."""
    where = f"record {number}"
    if entry.source not in get_args(Source):
        raise JournalError(f"{where}: source {entry.source!r}, expected one of {', '.join(get_args(Source))}")
    if not 0 <= entry.at_us < 2**63:
        raise JournalError(f"{where}: at_us = {entry.at_us}, expected 0 to 2**63 - 1")
    for name, text in (("do", entry.do), ("badge", entry.badge)):
        if not text.isprintable():
            raise JournalError(f"{where}: {name} {text[:60]!r}, expected one line of printable text")
    if not entry.do:
        raise JournalError(f"{where}: do is empty, expected a step")
    body = _encode(Record(number, entry.at_us, entry.do, entry.source, entry.badge))
    if len(body) > MAX_BODY_BYTES:
        raise JournalError(f"{where}: {len(body)} bytes, expected at most {MAX_BODY_BYTES}")
    return body


def hold(path: Path) -> int:
    """Locks a journal for writing; closing the descriptor gives it back. Raises JournalError when another holds it."""
    try:
        descriptor = os.open(beside(path, ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise JournalError(f"journal {path}: {error.strerror}, expected a folder that can be written") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        writer = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(descriptor)
        raise JournalError(f"journal {path}: process {writer} is writing it, expected no other writer") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def sync_folder(folder: Path) -> None:
    """Makes new and changed names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def connect(path: Path, mode: Literal["ro", "rw", "rwc"]) -> sqlite3.Connection:
    """A connection to a journal's file; transactions are begun and ended by hand, text comes back as bytes."""
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    db.text_factory = bytes
    db.execute("PRAGMA synchronous = FULL")
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    return db


def build(path: Path, opening: Opening, bodies: Iterator[bytes] = iter(())) -> None:
    """Writes a whole journal into a new file and closes it. Raises sqlite3.Error, OSError."""
    for ending in ("", "-wal", "-shm", "-journal"):
        beside(path, ending).unlink(missing_ok=True)
    db = connect(path, "rwc")
    try:
        db.executescript(_SCHEMA)
        db.execute("BEGIN IMMEDIATE")
        body = _encode(opening)
        number, last = 0, chained(_BEFORE_ALL, body)
        db.execute("INSERT INTO record VALUES (0, ?, ?)", (body.decode(), last))
        for number, body in enumerate(bodies, start=1):  # noqa: B007 - the last number is used
            last = chained(last, body)
            db.execute("INSERT INTO record VALUES (?, ?, ?)", (number, body.decode(), last))
        db.execute("INSERT INTO head VALUES (1, ?, ?)", (number, last))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
    finally:
        db.close()


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
        self._hash = _BEFORE_ALL

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

        Raises JournalError when there is none, another process writes it, or it is damaged (see `salvage`)."""
        if not path.exists():
            raise _missing(path)
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
            raise _missing(path)
        try:
            db = connect(path, "ro")
        except sqlite3.Error as error:
            raise JournalError(f"journal {path}: {error}, expected a journal") from None
        return cls(path, db, None)

    @classmethod
    def salvage(cls, path: Path, opening: Opening | None = None) -> Salvage:
        """Replaces a damaged journal by one of all records before the damage; see `controller.salvage`.

        The damaged files are kept as `PATH.damaged-N`. `opening` stands in where the journal's own is
        lost. A journal that is whole is left as it is. Raises JournalError."""
        from controller import salvage

        return salvage.salvage(path, opening)

    @classmethod
    def _for_writing(cls, path: Path, lock: int) -> tuple[Journal, Opening]:
        db: sqlite3.Connection | None = None
        try:
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
            _close(db)
            raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
        except BaseException:
            _close(db)
            raise

    @property
    def last(self) -> int:
        """Number of the last record; 0 where there is only the opening."""
        return self._last if self._lock is not None else self._head()[0]

    def append(self, entries: Sequence[Entry]) -> int:
        """Writes all entries or none, and returns the number of the last one; they are on disk when it returns.

        Raises JournalError where an entry is none (nothing was written, the journal goes on), JournalDead when
        writing failed, and ever after."""
        if self._dead or self._lock is None:
            raise JournalDead(self._dead or f"journal {self.path}: open for reading or closed, expected for writing")
        if len(entries) > MAX_BATCH:
            raise JournalError(f"journal {self.path}: {len(entries)} records at once, expected at most {MAX_BATCH}")
        if not entries:
            return self._last
        rows: list[tuple[int, str, bytes]] = []
        number, last = self._last, self._hash
        for number, entry in enumerate(entries, start=self._last + 1):
            body = encode(entry, number)
            last = chained(last, body)
            rows.append((number, body.decode(), last))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO record VALUES (?, ?, ?)", rows)
            self._db.execute("UPDATE head SET number = ?, hash = ? WHERE one = 1", (number, last))
            began = time.perf_counter_ns()
            self._db.execute("COMMIT")
        except BaseException as error:
            self._dead = f"journal {self.path}: writing record {rows[0][0]} failed ({error}): end the process"
            if isinstance(error, sqlite3.Error):
                raise JournalDead(self._dead, rows[0][0]) from error
            raise
        self.flush_us.append((time.perf_counter_ns() - began) // 1000)
        self._last, self._hash = number, last
        return number

    def opening(self) -> Opening:
        """The first record. Raises JournalError where it is damaged."""
        application, form = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if application != (_APPLICATION,) or form != (_FORMAT,):
            raise JournalError(f"journal {self.path}: another kind of file, expected a journal of form {_FORMAT}")
        row = self._one("SELECT body, hash FROM record WHERE number = 0")
        if row is None or not isinstance(row[0], bytes) or chained(_BEFORE_ALL, row[0]) != row[1]:
            raise self._bad(0, "missing" if row is None else "damaged")
        try:
            return _decode_opening(row[0])
        except msgspec.MsgspecError as error:
            raise self._bad(0, str(error)) from None

    def bodies(self, after: int = 0) -> Iterator[tuple[bytes, Record]]:
        """Records as `records` gives them, with the bytes that are written for each."""
        head, head_hash = self._head()
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
                raise self._bad(number + 1, "missing", f"expected records up to {head}")
        if number == head and last != head_hash:
            raise self._bad(head, "not the one that was written last")

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records behind number `after`, in order, each checked; those written meanwhile are left out.

        Raises JournalError at the first bad record: what came before it is good."""
        for _, record in self.bodies(after):
            yield record

    def verify(self) -> int:
        """Checks everything and returns the number of records. Raises JournalError that names the first bad one."""
        self.opening()
        count = sum(1 for _ in self.bodies())
        if (beyond := self._one("SELECT number FROM record WHERE number < 0 OR number > ?", self._head()[0])) is not None:
            # A writer may have gone on since the head was read.
            if not 0 < beyond[0] <= self._head()[0]:
                raise self._bad(beyond[0], "not one that was written", f"expected records up to {count}")
        if (found := self._one("PRAGMA quick_check(1)")) != (b"ok",):
            told = found[0].decode("utf-8", "replace").replace("\n", " ") if found else "no answer"
            raise JournalError(f"journal {self.path}: all records are good, but the file is damaged: {told}")
        return count

    def close(self) -> None:
        """Gives the file and the lock back; doing it again does nothing."""
        _close(self._db)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _head(self) -> tuple[int, bytes]:
        row = self._one("SELECT number, hash FROM head WHERE one = 1")
        if row is None or not isinstance(row[0], int) or not isinstance(row[1], bytes):
            raise JournalError(f"journal {self.path}: the head is damaged, expected the number and hash of the last record")
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
                (after, last, _READ_AT_ONCE),
            ):
                rows.append(row)  # noqa: PERF402 - what was read before the error counts
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


class Salvage(msgspec.Struct, frozen=True):
    """What became of a damaged journal: `kept` records, what was `lost` in one line, and where the damaged one lies."""

    kept: int
    lost: str
    damaged: Path | None


def _missing(path: Path) -> JournalError:
    if beside(path, ".salvaged").exists():
        return JournalError(f"journal {path}: its salvage was cut short, expected to be salvaged again")
    return JournalError(f"journal {path}: no such file, expected a journal")


def _close(db: sqlite3.Connection | None) -> None:
    """Closes what can be closed: a damaged file may fail even in this, and nothing depends on it."""
    if db is not None:
        try:
            db.close()
        except sqlite3.Error:
            return


def commits_behind(wal: Path, frames: int) -> int:
    """Commits that a WAL holds behind its `frames` valid ones.

    One may be torn by a power cut: each is flushed before the next begins. Two or more were acknowledged, so
    that the WAL was damaged afterwards. Source: SQLite, "WAL-mode File Format"."""
    data = wal.read_bytes() if wal.exists() else b""
    if len(data) < 32 + 24:
        return 0
    size = int.from_bytes(data[8:12], "big") + 24
    # Frames of earlier rounds of the WAL have other salts. A damaged header says nothing: then the first frame does.
    salts = data[16:24] if _header_is_whole(data) else data[32 + 8 : 32 + 16]
    starts = range(32 + frames * size, len(data) - 24, size)
    return sum(1 for at in starts if data[at + 8 : at + 16] == salts and any(data[at + 4 : at + 8]))


def _header_is_whole(data: bytes) -> bool:
    order: Literal["big", "little"] = "big" if data[3] & 1 else "little"
    s0 = s1 = 0
    for at in range(0, 24, 8):
        s0 = (s0 + int.from_bytes(data[at : at + 4], order) + s1) & 0xFFFFFFFF
        s1 = (s1 + int.from_bytes(data[at + 4 : at + 8], order) + s0) & 0xFFFFFFFF
    return data[24:32] == s0.to_bytes(4, "big") + s1.to_bytes(4, "big")


def export(path: Path) -> Iterator[str]:
    """A journal as JSON lines: the opening, then each record. Raises JournalError at the first bad record."""
    journal = Journal.view(path)
    try:
        yield _encode(journal.opening()).decode()
        for body, _ in journal.bodies():
            yield body.decode()
    finally:
        journal.close()


def show(path: Path) -> Iterator[str]:
    """A journal as text for people, times since the first record. Raises JournalError at the first bad record."""
    journal = Journal.view(path)
    try:
        opening = journal.opening()
        yield f"opened {opening.at}, configuration version {opening.version}, {len(opening.config)} characters"
        first: int | None = None
        for each in journal.records():
            first = each.at_us if first is None else first
            # A restart of the machine sets its clock back: the time then counts from there.
            first = min(first, each.at_us)
            seconds, us = divmod(each.at_us - first, 1_000_000)
            clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us // 1000:03}"
            yield f"{each.number:7} {clock:>12}  {each.source:6}  {each.do}" + (f"  [{each.badge}]" if each.badge else "")
    finally:
        journal.close()
