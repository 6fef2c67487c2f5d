"""The SQLite file of a segment: its tables, its hash chain, its WAL and its lock."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import msgspec

from controller.integrity import NO_GUARD, ChainHead, JournalGuard, local_mark_path, open_without_links
from controller.journal.records import JournalBusy, JournalError, encode_json
from controller.journal.segment_header import FORMAT_VERSION, PREVIOUS_FORMAT_VERSION, SegmentHeader

BUSY_TIMEOUT_S: Final = 1.0
"""Maximum time in seconds to wait for a file that a database tool has locked. The table cannot stop for longer."""
CHECKPOINT_PAGES: Final = 1000
"""Number of WAL pages after which SQLite copies the WAL into the file. This is 4 MB, or about 500 appends."""

APPLICATION_ID: Final = 0x504F544B
"""SQLite application_id of a journal: "POTK" in ASCII."""
HASH_BYTES: Final = 16
"""Number of bytes in a hash, which is enough to detect random damage.

Longer hashes would not help against forgery, because a forger can compute all hashes again.
"""
GENESIS_HASH: Final = bytes(HASH_BYTES)
"""Value that takes the place of the previous hash in the first segment header of a table."""
_TABLES: Final = {
    "record": "CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT",
    "head": "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash BLOB NOT NULL, "
    "seal BLOB NOT NULL) STRICT",
    "state": "CREATE TABLE state (number INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
}
"""SQL statements that create the tables of a segment, by the name of the table."""
_PREVIOUS_TABLES: Final = {
    "record": _TABLES["record"],
    "head": _TABLES["head"].replace(", seal BLOB NOT NULL", ""),
}
"""SQL statements of the tables in the previous format."""


def _schema_objects(tables: Mapping[str, str]) -> frozenset[bytes]:
    """Return type, name and SQL of each table in one text."""
    return frozenset(f"table {name} {sql}".encode() for name, sql in tables.items())


SCHEMA_OBJECTS: Final = _schema_objects(_TABLES)
PREVIOUS_SCHEMA_OBJECTS: Final = _schema_objects(_PREVIOUS_TABLES)
_SCHEMA: Final = f"""
PRAGMA page_size = 4096;
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT_VERSION};
{";".join(_TABLES.values())};
"""
_WAL_HEADER_BYTES: Final = 32
"""Number of bytes in the header of a WAL file. Source: SQLite, "WAL-mode File Format"."""
_FRAME_HEADER_BYTES: Final = 24
"""Number of bytes in the header before each page in a WAL. The header and the page together are a frame."""
FileChange: TypeAlias = Literal["deleted", "wal-removed", "replaced", "cut"]
"""Kinds of changes that another program can make to the files of an open journal."""
MAX_STATE_BYTES: Final = 16_000_000
"""Maximum length of a decompressed snapshot in bytes, a hundred times the length for a full table.

The limit prevents a damaged snapshot from filling the memory.
"""


def chain_hash(previous_hash: bytes, body: bytes) -> bytes:
    """Return the hash of a record, which covers the previous hash and the record's body."""
    return hashlib.blake2b(previous_hash + body, digest_size=HASH_BYTES).digest()


def chained_rows(last_hash: bytes, bodies: Iterable[bytes], first: int) -> list[tuple[int, str, bytes]]:
    """Return the rows of records: number, body, and the hash that covers this row and all rows before it."""
    rows: list[tuple[int, str, bytes]] = []
    for number, body in enumerate(bodies, first):
        last_hash = hashlib.blake2b(last_hash + body, digest_size=HASH_BYTES).digest()
        rows.append((number, body.decode(), last_hash))
    return rows


def sibling(path: Path, suffix: str) -> Path:
    """Return the path of a file in the same folder: the name of `path` followed by a suffix."""
    return path.with_name(path.name + suffix)


def follow_link(path: Path) -> Path:
    """Return the path, or the path of the file if the path is a symbolic link. A broken link is followed too."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def acquire_lock(path: Path) -> int:
    """Lock a journal for writing and return the descriptor of the lock. Closing the descriptor unlocks the journal.

    Raises JournalBusy if another process holds the lock, JournalError if the lock file cannot be made or is a link.
    """
    try:
        descriptor = open_without_links(sibling(path, ".lock"))
    except OSError as error:
        raise JournalError(f"journal {path}: its lock: {error.strerror}, expected a writable folder") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        writer = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(descriptor)
        raise JournalBusy(f"journal {path}: process {writer} is writing it, expected no other writer") from None
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"journal {path}: {error.strerror}, expected a file system that supports locks") from None
    with suppress(OSError):  # The process number is only needed for the error message above.
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def connect(path: Path, mode: Literal["ro", "rw", "rwc", "ro&immutable=1"]) -> sqlite3.Connection:
    """Return a connection to a journal's file. Transactions are explicit, and texts are returned as bytes.

    Use the mode `ro&immutable=1` for closed segments, so that SQLite creates no files next to them. Raises
    sqlite3.Error.
    """
    if mode != "rwc" and path.exists() and path.stat().st_size == 0:
        # Even in read-only mode, SQLite deletes the WAL of an empty file. That WAL may have the only copy of records.
        raise sqlite3.DatabaseError("the file is empty")
    if mode == "ro" and not has_wal(path) and not os.access(path.parent, os.W_OK, effective_ids=True):
        # SQLite cannot create its files on a read-only medium, and nobody can write to the journal there.
        mode = "ro&immutable=1"
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    db.text_factory = bytes
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    except UnicodeDecodeError:  # SQLite's error message quotes damaged bytes, which are perhaps not UTF-8.
        db.close()
        raise sqlite3.DatabaseError("malformed database schema") from None
    except sqlite3.Error:
        db.close()
        raise
    return db


def deny_changed_schema(db: sqlite3.Connection) -> None:
    """Let SQLite refuse to write after another program has changed the SQL schema, for example with a trigger.

    SQLite compiles each statement once, and again only after a change of the schema. It calls the authorizer when it
    compiles, so that a commit takes no longer. Source: SQLite, "Compile-Time Authorization Callbacks".
    """
    compiled: set[tuple[object, ...]] = set()

    def authorize(action: int, *target: str | None) -> int:
        if action not in (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE):
            return sqlite3.SQLITE_OK
        *_, trigger = statement = (action, *target)
        if trigger is not None or statement in compiled:
            return sqlite3.SQLITE_DENY
        compiled.add(statement)
        return sqlite3.SQLITE_OK

    db.set_authorizer(authorize)


def create_segment_file(
    path: Path,
    header: SegmentHeader,
    bodies: Iterable[bytes] = (),
    states: Mapping[int, bytes] = MappingProxyType({}),
    guard: JournalGuard = NO_GUARD,
) -> None:
    """Write a complete segment into a new file and close it.

    `bodies` are the records. The keys of `states` are record numbers, and each value is the snapshot after that record.
    Raises sqlite3.Error or OSError.
    """
    header = msgspec.structs.replace(header, format_version=FORMAT_VERSION)
    stored_states = {number: compress_state(state) for number, state in states.items()}
    write_segment_file(path, header, encode_json(header), bodies, stored_states, guard.sign)


def write_segment_file(
    path: Path,
    header: SegmentHeader,
    opening: bytes,
    bodies: Iterable[bytes],
    stored_states: Mapping[int, bytes],
    sign: Callable[[ChainHead], bytes],
) -> ChainHead:
    """Write a complete segment from its rows into a new file, close it, and return its head.

    `opening` is the JSON of the header, and `stored_states` has the snapshots in compressed form. `sign` returns the
    signature of the head. Raises sqlite3.Error or OSError.
    """
    delete_segment_files(path)
    db = connect(path, "rwc")
    try:
        db.executescript(_SCHEMA)
        header_hash = chain_hash(bytes.fromhex(header.previous_hash) or GENESIS_HASH, opening)
        rows = chained_rows(header_hash, bodies, header.previous_number + 1)
        db.executemany("INSERT INTO record VALUES (?, ?, ?)", [(0, opening.decode(), header_hash), *rows])
        db.executemany("INSERT INTO state VALUES (?, ?)", list(stored_states.items()))
        number, last_hash = (rows[-1][0], rows[-1][2]) if rows else (header.previous_number, header_hash)
        head = ChainHead(header.journal_name or header_hash.hex(), header.segment, number, last_hash)
        db.execute("INSERT INTO head VALUES (1, ?, ?, ?)", (number, last_hash, sign(head)))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
        return head
    finally:
        db.close()


def delete_segment_files(path: Path) -> None:
    """Delete an unfinished segment file, with the files that SQLite keeps next to it.

    Such files exist if a process was killed while it created a segment.
    """
    for suffix in ("", "-wal", "-shm", "-journal"):
        sibling(path, suffix).unlink(missing_ok=True)


def compress_state(state: bytes) -> bytes:
    """Return a snapshot in the compressed form in which its row stores it."""
    return zlib.compress(state)


def decompress_state(body: bytes) -> bytes:
    """Return the snapshot that a row stores in compressed form. Raises ValueError if it is damaged."""
    decompressor = zlib.decompressobj()
    try:
        state = decompressor.decompress(body, MAX_STATE_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not decompressor.eof:
        raise ValueError("truncated, or too long")
    return state


def journal_exists(path: Path) -> bool:
    """Return True if a journal's file or its WAL exists. A WAL alone may also have records."""
    return path.exists() or sibling(path, "-wal").exists()


def has_journal_signature(path: Path) -> bool:
    """Return True if a high-water mark or the first bytes show that the file is a journal.

    Return False for a format that is too old to be read, so that the service does not touch the file. Source: SQLite,
    "Database File Format", application_id and user_version.
    """
    if local_mark_path(path).exists():
        return True
    try:
        with path.open("rb") as file:
            first_bytes = file.read(72)
            return (
                first_bytes[68:] == APPLICATION_ID.to_bytes(4, "big")
                and int.from_bytes(first_bytes[60:64], "big") >= PREVIOUS_FORMAT_VERSION
            )
    except OSError:
        return False


def missing_journal_error(path: Path) -> JournalError:
    """Return the error to raise if a journal's file does not exist."""
    if sibling(path, ".salvaged").exists():
        return JournalError(f"journal {path}: its salvage was interrupted. Start the service to finish it")
    return JournalError(f"journal {path}: no such file, expected a journal")


def has_wal(path: Path) -> bool:
    """Return True if the journal's WAL exists and is not empty."""
    wal = sibling(path, "-wal")
    return wal.exists() and wal.stat().st_size > 0


def close_quietly(db: sqlite3.Connection | None) -> None:
    """Close a connection and ignore errors of SQLite.

    Closing a damaged file may fail, and nothing depends on its success.
    """
    if db is not None:
        try:
            db.close()
        except sqlite3.Error:
            return


def count_lost_commits(wal: Path, frames: int | None = None) -> int:
    """Return how many commits a WAL has after its first bad frame.

    SQLite reads a WAL up to its first bad frame and ignores the rest without an error. `frames` is the number of valid
    frames, as SQLite has reported it. If it is None, this function counts them.

    A power cut can damage at most one commit, because each commit is flushed before the next begins. If two or more
    commits are lost, the WAL was damaged after it had been flushed. Source: SQLite, "WAL-mode File Format".
    """
    data = wal.read_bytes() if wal.exists() else b""
    if len(data) < _WAL_HEADER_BYTES + _FRAME_HEADER_BYTES:
        return 0
    frame_bytes = int.from_bytes(data[8:12], "big") + _FRAME_HEADER_BYTES
    is_header_valid = _wal_checksum(data, data[:24]) == _checksum_at(data, 24)
    frames = (_count_valid_frames(data, frame_bytes) if is_header_valid else 0) if frames is None else frames
    # Each restart of the WAL changes the salts, so that frames with other salts are old. If the header is damaged, take
    # the salts from the first frame.
    salts = data[16:24] if is_header_valid else data[_WAL_HEADER_BYTES + 8 : _WAL_HEADER_BYTES + 16]
    starts = range(_WAL_HEADER_BYTES + frames * frame_bytes, len(data) - _FRAME_HEADER_BYTES, frame_bytes)
    return sum(1 for offset in starts if data[offset + 8 : offset + 16] == salts and any(data[offset + 4 : offset + 8]))


def _count_valid_frames(data: bytes, size: int) -> int:
    """Return how many frames a WAL with a valid header has before its first bad frame."""
    checksum = _checksum_at(data, 24)
    for number, offset in enumerate(range(_WAL_HEADER_BYTES, len(data) - size + 1, size)):
        checksum = _wal_checksum(
            data, data[offset : offset + 8] + data[offset + _FRAME_HEADER_BYTES : offset + size], checksum
        )
        if data[offset + 8 : offset + 16] != data[16:24] or _checksum_at(data, offset + 16) != checksum:
            return number
    return (len(data) - _WAL_HEADER_BYTES) // size


def _checksum_at(data: bytes, offset: int) -> tuple[int, int]:
    """Return the checksum at an offset, which consists of two 32-bit words."""
    return int.from_bytes(data[offset : offset + 4], "big"), int.from_bytes(data[offset + 4 : offset + 8], "big")


def _wal_checksum(wal: bytes, part: bytes, previous: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Return SQLite's checksum of a part of a WAL. `previous` is the checksum of the bytes before this part."""
    s0, s1 = previous
    for x0, x1 in struct.iter_unpack(">II" if wal[3] & 1 else "<II", part):
        s0 = (s0 + x0 + s1) & 0xFFFFFFFF
        s1 = (s1 + x1 + s0) & 0xFFFFFFFF
    return s0, s1


class FileWatch:
    """Detects that the files of an open journal were deleted, replaced or truncated.

    SQLite keeps writing to a file after its name was deleted. Every later record would then be lost without an error.
    One call of `find_change` takes a few microseconds.
    """

    def __init__(self, path: Path) -> None:
        self._files = {str(path): _file_identity(str(path)), (wal_name := str(sibling(path, "-wal"))): None}
        self._wal = wal_name

    def find_change(self) -> tuple[str, FileChange] | None:
        """Return the name of the changed file with the kind of change, or None."""
        for name, known in self._files.items():
            current = _file_identity(name)
            if known is None:  # The WAL does not exist until SQLite creates it in the first append.
                self._files[name] = current
                continue
            if current is None:
                return name, "wal-removed" if name == self._wal else "deleted"
            if current[:2] != known[:2]:
                return name, "replaced"
            # SQLite never shortens the database file. When it restarts the WAL, it overwrites the WAL without
            # shortening it.
            if current[2] < known[2]:
                return name, "cut"
            self._files[name] = current
        return None


def _file_identity(name: str) -> tuple[int, int, int] | None:
    """Return device, inode and size of a file, or None if it does not exist."""
    try:
        status = os.stat(name)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size
