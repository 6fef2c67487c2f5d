"""Carving: find the records in a damaged file, and prove which records belong together.

SQLite reads the rows forwards until the damage, and backwards until the damage. Other records are found in the raw
bytes of the file and its WAL, because the hash of a record directly follows its JSON body. A row is proven if its hash
covers its body and the hash of the row before it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Final, NamedTuple

import msgspec

from controller.journal.records import try_decode_record
from controller.journal.segment_header import SegmentHeader, decode_header
from controller.journal.sqlite_file import GENESIS_HASH, HASH_BYTES, chain_hash, connect, create_segment_file, sibling

SHARED_MEMORY: Final = Path("/dev/shm")
"""Folder in memory for temporary copies of a journal, because the disk may be full or read-only."""
_COPY_PREFIX: Final = "potkeeper"
"""Prefix of the folder names of temporary copies. The number of the process that made the copy follows."""
PAGE_BYTES: Final = 4096
"""Size in bytes of a page in the SQLite file of a journal."""
_BODY_PATTERN: Final = re.compile(rb'\{"(?:number":\d{1,18},"at_us|config)":')
"""Pattern of the first bytes in the JSON of a record or a segment header."""
_decode_json_at: Final = json.JSONDecoder().raw_decode


class CarvedRow(NamedTuple):
    """A record's JSON body, the hash that was found with it, and the digest of its snapshot.

    The digest is "" if the record has no snapshot.
    """

    body: bytes
    hash: bytes
    state_digest: str = ""


class RecordRun(NamedTuple):
    """Consecutive records that are proven by their hashes.

    `first_number` is the number of the first record, and `previous_hash` is the hash of the row before it.
    """

    first_number: int
    previous_hash: bytes
    rows: tuple[CarvedRow, ...]

    @property
    def last_number(self) -> int:
        """Number of the last record in this run of consecutive records."""
        return self.first_number + len(self.rows) - 1

    def after(self, number: int) -> RecordRun:
        """Return the part of the run after record `number`, or the whole run if it begins after `number`."""
        skipped = number - self.first_number + 1
        return RecordRun(number + 1, self.rows[skipped - 1].hash, self.rows[skipped:]) if skipped else self


class CarvedRows(NamedTuple):
    """Everything in a file that looks like a row of a segment.

    Only the segment header has been verified, not the other rows.
    """

    header: SegmentHeader | None
    header_hash: bytes
    """Hash of the segment header, or empty bytes if it is unknown."""
    rows: dict[int, list[CarvedRow]]
    """Rows by record number. If SQLite has returned rows with this number, they come first."""
    last_number: int
    """Number of the last record as the SQL table `head` of the file has it, or 0 if the table cannot be read."""


@contextmanager
def temporary_journal_path() -> Iterator[Path]:
    """Yield a path for a temporary journal, which is deleted afterwards.

    Also delete the temporary journals of processes that were killed. Raises OSError.
    """
    parent = SHARED_MEMORY if SHARED_MEMORY.is_dir() else Path(gettempdir())
    for leftover in parent.glob(f"{_COPY_PREFIX}-*-*"):
        if not Path("/proc", leftover.name.split("-")[1]).exists():
            shutil.rmtree(leftover, ignore_errors=True)
    with TemporaryDirectory(dir=parent, prefix=f"{_COPY_PREFIX}-{os.getpid()}-") as folder:
        yield Path(folder) / "journal"


@contextmanager
def working_copy(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary copy of a segment with its WAL.

    SQLite can open the copy even if the first page is damaged or only the WAL is left. Raises OSError.
    """
    with temporary_journal_path() as copy:
        for suffix in ("", "-wal"):
            if sibling(path, suffix).exists():
                shutil.copyfile(sibling(path, suffix), sibling(copy, suffix))
        if not copy.exists() or copy.stat().st_size == 0:
            copy.write_bytes(bytes(PAGE_BYTES))  # SQLite needs a first page to read the WAL.
        _repair_first_page(copy)
        yield copy


def _repair_first_page(copy: Path) -> None:
    """Replace a damaged first page with the first page of a new journal.

    The first page has the names of the tables and the numbers of their root pages, which are the same in every journal.
    Source: SQLite, "Database File Format", the database header.
    """
    try:
        with closing(connect(copy, "ro")) as db:
            db.execute("SELECT count(*) FROM head").fetchone()
        return
    except sqlite3.Error:
        new_journal = sibling(copy, ".fresh")
    with suppress(sqlite3.Error):
        create_segment_file(new_journal, SegmentHeader("", 0, ""))
        page = bytearray(new_journal.read_bytes()[:PAGE_BYTES])
        page[28:32] = (copy.stat().st_size // PAGE_BYTES).to_bytes(4, "big")
        with copy.open("r+b") as file:
            file.write(page)


def carve_rows(path: Path) -> CarvedRows:
    """Return all rows in the file at `path` and its WAL. Raises OSError."""
    header: SegmentHeader | None = None
    header_hash = b""
    rows: dict[int, list[CarvedRow]] = {}
    # Scan the bytes before SQLite opens the file, because SQLite then moves the WAL into the file.
    scanned_rows = list(_scan_bytes(path))
    sqlite_rows, head = _read_rows(path)
    # The table updates the head with every record, so that the head names the last record. Rows after
    # that record were inserted by somebody else.
    is_head_known = any((_record_number(row_pair), row_pair[1]) == head for row_pair in sqlite_rows)
    foreign_rows = {row_pair for row_pair in sqlite_rows if is_head_known and _record_number(row_pair) > head[0]}
    for body, stored in (*sqlite_rows, *scanned_rows):
        if (body, stored) in foreign_rows:
            continue
        if body.startswith(b'{"config"'):
            header_hash = header_hash or stored
            if header is None and (decoded := _try_decode_header(body, stored)) is not None:
                header, header_hash = decoded, stored
        elif (record := try_decode_record(body)) is not None:
            row = CarvedRow(body, stored, record.state_digest)
            same_number = rows.setdefault(record.number, [])
            if row not in same_number:
                same_number.append(row)
    return CarvedRows(header, header_hash, rows, head[0])


def proven_runs(carved: CarvedRows) -> list[RecordRun]:
    """Return the proven records in order, as runs of records with consecutive numbers.

    Two records may have the same number. A power cut can remove a record that was not yet acknowledged, and the next
    record then gets its number. Of two records with the same number, the record with more proven successors is used.
    """
    runs: list[RecordRun] = []
    lowest_number = max(carved.rows, default=0) + 1
    for number in sorted(carved.rows, reverse=True):
        if number >= lowest_number:
            continue
        run = next(
            (candidate for row in carved.rows[number] if (candidate := _run_ending_with(carved, number, row)).rows),
            None,
        )
        if run is not None:
            runs.append(run)
            lowest_number = run.first_number
    return runs[::-1]


def _run_ending_with(carved: CarvedRows, number: int, row: CarvedRow) -> RecordRun:
    """Return the run of proven records that ends with this row. The run is empty if this row is not proven."""
    rows: list[CarvedRow] = []
    while True:
        predecessor = _predecessor(carved, number, row)
        if predecessor is None:
            # The hash of this row is proven, because the hash of the next row covers it. The body of this row is not
            # proven.
            return RecordRun(number + 1, row.hash, tuple(rows[::-1]))
        rows.append(row)
        if isinstance(predecessor, bytes):
            return RecordRun(number, predecessor, tuple(rows[::-1]))
        number, row = number - 1, predecessor


def _predecessor(carved: CarvedRows, number: int, row: CarvedRow) -> CarvedRow | bytes | None:
    """Return the row before this row, which the hash of this row must cover.

    If the segment header comes before this row, return the hash of the header. Return None if no row fits. If several
    rows fit, prefer a row that has a fitting row before it.
    """
    candidates = [
        candidate for candidate in carved.rows.get(number - 1, []) if chain_hash(candidate.hash, row.body) == row.hash
    ]
    if candidates:
        return next(
            (
                candidate
                for candidate in candidates
                if len(candidates) > 1 and _predecessor(carved, number - 1, candidate)
            ),
            candidates[0],
        )
    return carved.header_hash if carved.header_hash and chain_hash(carved.header_hash, row.body) == row.hash else None


def _try_decode_header(body: bytes, stored: bytes) -> SegmentHeader | None:
    """Return the segment header that a JSON body contains, or None if `stored` is not the hash of the body."""
    try:
        header = decode_header(body)
        is_valid = chain_hash(bytes.fromhex(header.previous_hash) or GENESIS_HASH, body) == stored
    except (msgspec.MsgspecError, ValueError):
        return None
    return header if is_valid else None


def _read_rows(path: Path) -> tuple[list[tuple[bytes, bytes]], tuple[int, bytes]]:
    """Return the rows that SQLite can read, and the number and hash of the last record.

    SQLite reads forwards from the first row and backwards from the last, because it stops at damage. If the number and
    hash of the last record cannot be read, they are 0 and empty bytes.
    """
    rows: list[tuple[bytes, bytes]] = []
    try:
        db = connect(path, "rw")
    except sqlite3.Error:
        return rows, (0, b"")
    with closing(db):
        for order in ("ASC", "DESC"):
            try:
                for body, stored in db.execute(f"SELECT body, hash FROM record ORDER BY number {order}"):
                    if isinstance(body, bytes) and isinstance(stored, bytes):
                        rows.append((body, stored))
            except sqlite3.Error:
                continue
        try:
            row = db.execute("SELECT number, hash FROM head WHERE one = 1").fetchone()
        except sqlite3.Error:
            return rows, (0, b"")
    return rows, row if row is not None and isinstance(row[0], int) else (0, b"")


def _record_number(row: tuple[bytes, bytes]) -> int:
    record = try_decode_record(row[0])
    return record.number if record is not None else 0


def _scan_bytes(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield everything in the raw bytes that looks like a record's body with its hash.

    The WAL may have the same page many times, but each result is yielded only once.
    """
    yielded: set[bytes] = set()
    for file in (path, sibling(path, "-wal")):
        data = file.read_bytes() if file.exists() else b""
        text = data.decode("latin-1")  # Latin-1 has one character per byte, so offsets in text and bytes are equal.
        for match in _BODY_PATTERN.finditer(data):
            try:
                _, end = _decode_json_at(text, match.start())
            except (ValueError, RecursionError):
                continue
            body, stored = data[match.start() : end], data[end : end + HASH_BYTES]
            if body + stored not in yielded:
                yielded.add(body + stored)
                yield body, stored
