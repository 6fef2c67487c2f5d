"""What a journal is on the disk: its records, their hashes, its files, the lock of its one writer.

`controller.journal.journal` reads and writes journals, `controller.journal.salvage` repairs them; all that both need is here.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

import msgspec

Source: TypeAlias = Literal["dealer", "sensor", "floor", "script"]

MAX_BODY_BYTES: Final = 3500
"""Longest record as JSON: fits one page of the file, so that salvage finds it in one piece."""
MAX_BATCH: Final = 10_000
"""Records of one `append`: far more than one event has, and still one short transaction."""
BUSY_S: Final = 1.0
"""Wait for somebody who has the file open in a database tool; a table cannot wait longer."""
CHECKPOINT_PAGES: Final = 1000
"""The WAL is copied into the file when it has grown to this (4 MB): some 500 appends."""

APPLICATION: Final = 0x504F544B
"""SQLite's application_id of a journal: "POTK"."""
FORMAT: Final = 1
"""SQLite's user_version: the form of the tables and of the hashes."""
HASH_BYTES: Final = 16
"""Enough against chance, which is what damages disks; nobody is kept from writing a whole new journal."""
BEFORE_ALL: Final = bytes(HASH_BYTES)
"""The hash before the opening."""
_SCHEMA: Final = f"""
PRAGMA page_size = 4096;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
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
    """How a journal begins: the table's configuration as JSON text, the version of its form, the wall-clock time."""

    config: str
    version: int
    at: str


encode_json = msgspec.json.Encoder().encode


def chained(before: bytes, body: bytes) -> bytes:
    """The hash of a record: of the hash before it and its body."""
    return hashlib.blake2b(before + body, digest_size=HASH_BYTES).digest()


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
    body = encode_json(Record(number, entry.at_us, entry.do, entry.source, entry.badge))
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
    except BlockingIOError:
        writer = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(descriptor)
        raise JournalError(f"journal {path}: process {writer} is writing it, expected no other writer") from None
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"journal {path}: {error.strerror}, expected a file system with locks") from None
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
    """A connection to a journal's file; transactions are begun and ended by hand, text comes back as bytes.
    Raises sqlite3.Error."""
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    db.text_factory = bytes
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    except UnicodeDecodeError:  # SQLite's complaint repeats what stands there, which need not be text
        db.close()
        raise sqlite3.DatabaseError("malformed database schema") from None
    except sqlite3.Error:
        db.close()
        raise
    return db


def build(path: Path, opening: Opening, bodies: Iterable[bytes] = ()) -> None:
    """Writes a whole journal into a new file and closes it. Raises sqlite3.Error, OSError."""
    for ending in ("", "-wal", "-shm", "-journal"):
        beside(path, ending).unlink(missing_ok=True)
    db = connect(path, "rwc")
    try:
        db.executescript(_SCHEMA)
        db.execute("BEGIN IMMEDIATE")
        body = encode_json(opening)
        number, last = 0, chained(BEFORE_ALL, body)
        db.execute("INSERT INTO record VALUES (0, ?, ?)", (body.decode(), last))
        for number, body in enumerate(bodies, start=1):
            last = chained(last, body)
            db.execute("INSERT INTO record VALUES (?, ?, ?)", (number, body.decode(), last))
        db.execute("INSERT INTO head VALUES (1, ?, ?)", (number, last))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
    finally:
        db.close()


def missing(path: Path) -> JournalError:
    """The error for a journal that is not there."""
    if beside(path, ".salvaged").exists():
        return JournalError(f"journal {path}: its salvage was cut short, expected to be salvaged again")
    return JournalError(f"journal {path}: no such file, expected a journal")


def close(db: sqlite3.Connection | None) -> None:
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
