"""What a journal is on the disk: the hashes of its records, its files, the lock of its one writer."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import msgspec

from controller.journal.opening import FORM, Opening
from controller.journal.records import JournalBusy, JournalError, encode_json
from controller.seals import NO_GUARD, Guard, Head

BUSY_S: Final = 1.0
"""Wait for somebody who has the file open in a database tool; a table cannot wait longer."""
CHECKPOINT_PAGES: Final = 1000
"""The WAL is copied into the file when it has grown to this (4 MB): some 500 appends."""

APPLICATION: Final = 0x504F544B
"""SQLite's application_id of a journal: "POTK"."""
HASH_BYTES: Final = 16
"""Enough against chance, which is what damages disks; nobody is kept from writing a whole new journal."""
BEFORE_ALL: Final = bytes(HASH_BYTES)
"""The hash before the opening."""
_SCHEMA: Final = f"""
PRAGMA page_size = 4096;
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORM};
CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash BLOB NOT NULL,
    seal BLOB NOT NULL) STRICT;
CREATE TABLE state (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
"""
_WAL_HEAD: Final = 32
_FRAME_HEAD: Final = 24
"""Bytes before the first frame of a WAL, and before the page of each."""
Trouble: TypeAlias = Literal["deleted", "wal-removed", "replaced", "cut"]
"""What may happen to an open file."""
MAX_STATE_BYTES: Final = 16_000_000
"""A state as it is read, a hundred times that of a full table: a damaged one does not fill the memory."""


def chained(before: bytes, body: bytes) -> bytes:
    """The hash of a record: of the hash before it and its body."""
    return hashlib.blake2b(before + body, digest_size=HASH_BYTES).digest()


def as_rows(before: bytes, bodies: Iterable[bytes], first: int) -> list[tuple[int, str, bytes]]:
    """Records as rows, each with its number, its body, and the hash that covers all before it."""
    found: list[tuple[int, str, bytes]] = []
    for number, body in enumerate(bodies, first):
        before = hashlib.blake2b(before + body, digest_size=HASH_BYTES).digest()
        found.append((number, body.decode(), before))
    return found


def beside(path: Path, ending: str) -> Path:
    """The file beside a journal that has its name and this ending."""
    return path.with_name(path.name + ending)


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
        raise JournalBusy(f"journal {path}: process {writer} is writing it, expected no other writer") from None
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"journal {path}: {error.strerror}, expected a file system with locks") from None
    with suppress(OSError):  # who has the lock is only for the message
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


def connect(path: Path, mode: Literal["ro", "rw", "rwc", "ro&immutable=1"]) -> sqlite3.Connection:
    """A connection to a journal's file; transactions are begun and ended by hand, text comes back as bytes. Of an
    immutable file nothing lies beside it. Raises sqlite3.Error."""
    if mode != "rwc" and path.exists() and path.stat().st_size == 0:
        # SQLite deletes the WAL of an empty file, also where it is only to read: records may be there and nowhere else.
        raise sqlite3.DatabaseError("the file is empty")
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


def build(
    path: Path,
    opening: Opening,
    bodies: Iterable[bytes] = (),
    states: Mapping[int, bytes] = MappingProxyType({}),
    guard: Guard = NO_GUARD,
) -> None:
    """Writes a whole segment into a new file and closes it: `bodies` of its records, `states` by the number of the
    record after which each holds. Raises sqlite3.Error, OSError."""
    opening = msgspec.structs.replace(opening, form=FORM)
    discard(path)
    db = connect(path, "rwc")
    try:
        db.executescript(_SCHEMA)
        body = encode_json(opening)
        begun = chained(bytes.fromhex(opening.before) or BEFORE_ALL, body)
        written = as_rows(begun, bodies, opening.after + 1)
        db.executemany("INSERT INTO record VALUES (?, ?, ?)", [(0, body.decode(), begun), *written])
        db.executemany("INSERT INTO state VALUES (?, ?)", [(at, packed(state)) for at, state in states.items()])
        number, last = (written[-1][0], written[-1][2]) if written else (opening.after, begun)
        head = Head(opening.name or begun.hex(), opening.segment, number, last)
        db.execute("INSERT INTO head VALUES (1, ?, ?, ?)", (number, last, guard.seal(head)))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
    finally:
        db.close()


def discard(path: Path) -> None:
    """Takes a file away that no journal was made of yet, or was left by a process that was killed at it."""
    for ending in ("", "-wal", "-shm", "-journal"):
        beside(path, ending).unlink(missing_ok=True)


def packed(state: bytes) -> bytes:
    """A state as it stands in a row."""
    return zlib.compress(state)


def unpacked(body: bytes) -> bytes:
    """The state of a row. Raises ValueError where it is damaged."""
    unpacking = zlib.decompressobj()
    try:
        state = unpacking.decompress(body, MAX_STATE_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not unpacking.eof:
        raise ValueError("cut short, or too long")
    return state


def is_there(path: Path) -> bool:
    """Whether anything lies there that records may be in: the file, or its WAL alone."""
    return path.exists() or beside(path, "-wal").exists()


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


def commits_lost(wal: Path, frames: int | None = None) -> int:
    """Commits that a WAL holds behind its valid `frames`, which are counted here where SQLite has not said how many
    they are: it takes a WAL up to the first bad frame, and drops the rest without a word.

    One may be torn by a power cut: each is flushed before the next begins. Two or more were acknowledged, so
    that the WAL was damaged afterwards. Source: SQLite, "WAL-mode File Format"."""
    data = wal.read_bytes() if wal.exists() else b""
    if len(data) < _WAL_HEAD + _FRAME_HEAD:
        return 0
    size = int.from_bytes(data[8:12], "big") + _FRAME_HEAD
    whole = _sum(data, data[:24]) == _stored(data, 24)
    frames = (_valid(data, size) if whole else 0) if frames is None else frames
    # Frames of earlier rounds of the WAL have other salts. A damaged header says nothing: then the first frame does.
    salts = data[16:24] if whole else data[_WAL_HEAD + 8 : _WAL_HEAD + 16]
    starts = range(_WAL_HEAD + frames * size, len(data) - _FRAME_HEAD, size)
    return sum(1 for at in starts if data[at + 8 : at + 16] == salts and any(data[at + 4 : at + 8]))


def _valid(data: bytes, size: int) -> int:
    """Frames of a WAL with a whole header up to the first bad one."""
    sums = _stored(data, 24)
    for number, at in enumerate(range(_WAL_HEAD, len(data) - size + 1, size)):
        sums = _sum(data, data[at : at + 8] + data[at + _FRAME_HEAD : at + size], sums)
        if data[at + 8 : at + 16] != data[16:24] or _stored(data, at + 16) != sums:
            return number
    return (len(data) - _WAL_HEAD) // size


def _stored(data: bytes, at: int) -> tuple[int, int]:
    return int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")


def _sum(wal: bytes, part: bytes, before: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """SQLite's checksum of a part of a WAL, behind that of what comes before it."""
    s0, s1 = before
    for x0, x1 in struct.iter_unpack(">II" if wal[3] & 1 else "<II", part):
        s0 = (s0 + x0 + s1) & 0xFFFFFFFF
        s1 = (s1 + x1 + s0) & 0xFFFFFFFF
    return s0, s1


class Watch:
    """Are the files of an open journal still those that were opened? What was removed, exchanged or emptied under a
    running service would take every further record without a word: SQLite goes on writing to files that no name leads
    to. A look takes some microseconds."""

    def __init__(self, path: Path) -> None:
        self._files = {str(path): _seen(str(path)), (wal := str(beside(path, "-wal"))): None}
        self._wal = wal

    def trouble(self) -> tuple[str, Trouble] | None:
        """The file that something has happened to since the last look, and what; None for nothing."""
        for name, before in self._files.items():
            now = _seen(name)
            if before is None:  # the WAL comes with the first append
                self._files[name] = now
                continue
            if now is None:
                return name, "wal-removed" if name == self._wal else "deleted"
            if now[:2] != before[:2]:
                return name, "replaced"
            # The file grows; the WAL is written again from its beginning, and never gets shorter while it is open.
            if now[2] < before[2]:
                return name, "cut"
            self._files[name] = now
        return None


def _seen(name: str) -> tuple[int, int, int] | None:
    """Device, number and size of a file; None where there is none."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size
