"""What can be found of records in a damaged file, and which of it belongs together.

Records are asked for by SQLite from both ends, and searched for in the bytes of the file and of its WAL: a body is
followed by its hash in one page. A row counts only where some row of the number before has the hash that chains it.
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

from controller.journal.file import BEFORE_ALL, HASH_BYTES, beside, build, chained, connect
from controller.journal.opening import Opening
from controller.journal.records import record_in

MEMORY: Final = Path("/dev/shm")
"""Copies to look at lie in memory where there is such a place: the disk may be full or read-only."""
_COPY: Final = "potkeeper"
"""How the folders of copies begin; the process whose copy it is comes next."""
PAGE_BYTES: Final = 4096
"""Of a journal's file."""
_BODY: Final = re.compile(rb'\{"(?:number":\d{1,18},"at_us|config)":')
"""How the JSON of a record and of an opening begin."""
_END: Final = json.JSONDecoder().raw_decode
_decode_opening = msgspec.json.Decoder(Opening).decode


class Row(NamedTuple):
    """A record's body as it was found, with the hash behind it, and the digest of the state that was kept with it."""

    body: bytes
    hash: bytes
    digest: str = ""


class Stretch(NamedTuple):
    """Proven records without gaps: the number of the first, the hash before it, the rows."""

    first: int
    before: bytes
    rows: tuple[Row, ...]

    @property
    def last(self) -> int:
        """Number of the last record."""
        return self.first + len(self.rows) - 1

    def behind(self, number: int) -> Stretch:
        """The part behind record `number`, which is one of it, or the one before the first."""
        count = number - self.first + 1
        return Stretch(number + 1, self.rows[count - 1].hash, self.rows[count:]) if count else self


class Traces(NamedTuple):
    """All that looks like rows of a segment: nothing of it is proven but the opening."""

    opening: Opening | None
    begun: bytes
    """The opening's hash; empty where that is not known."""
    rows: dict[int, list[Row]]
    """By number; what SQLite gave comes first."""
    head: int
    """The number of the last record, as the file names it; 0 where it does not."""


@contextmanager
def in_memory() -> Iterator[Path]:
    """A place for a journal's file that is gone afterwards; that of a process which was killed goes with the next one.
    Raises OSError."""
    place = MEMORY if MEMORY.is_dir() else Path(gettempdir())
    for left in place.glob(f"{_COPY}-*-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(dir=place, prefix=f"{_COPY}-{os.getpid()}-") as folder:
        yield Path(folder) / "journal"


@contextmanager
def copy_of(path: Path) -> Iterator[Path]:
    """A copy of a segment and its WAL, to look at and to open, also where its first page is damaged or the WAL alone is
    left. Raises OSError."""
    with in_memory() as copy:
        for ending in ("", "-wal"):
            if beside(path, ending).exists():
                shutil.copyfile(beside(path, ending), beside(copy, ending))
        if not copy.exists() or copy.stat().st_size == 0:
            copy.write_bytes(bytes(PAGE_BYTES))  # of the journal the WAL alone is left
        _heal(copy)
        yield copy


def _heal(copy: Path) -> None:
    """Gives a file whose first page is damaged that of a new journal: it says no more than how the tables are called,
    and where they begin, which is the same in all. Source: SQLite, "Database File Format", the database header."""
    try:
        with closing(connect(copy, "ro")) as db:
            db.execute("SELECT count(*) FROM head").fetchone()
        return
    except sqlite3.Error:
        fresh = beside(copy, ".fresh")
    with suppress(sqlite3.Error):
        build(fresh, Opening("", 0, ""))
        page = bytearray(fresh.read_bytes()[:PAGE_BYTES])
        page[28:32] = (copy.stat().st_size // PAGE_BYTES).to_bytes(4, "big")
        with copy.open("r+b") as file:
            file.write(page)


def traces_of(path: Path) -> Traces:
    """What the file at `path` and its WAL hold. Raises OSError."""
    opening: Opening | None = None
    begun = b""
    rows: dict[int, list[Row]] = {}
    in_bytes = list(_in_bytes(path))  # first: SQLite puts the WAL into the file
    by_sqlite, head = _by_sqlite(path)
    # The head is written with the records: a row behind it was put there by somebody else.
    is_whole = any((_number(each), each[1]) == head for each in by_sqlite)
    strange = {each for each in by_sqlite if is_whole and _number(each) > head[0]}
    for body, stored in (*by_sqlite, *in_bytes):
        if (body, stored) in strange:
            continue
        if body.startswith(b'{"config"'):
            begun = begun or stored
            if opening is None and (found := _opening(body, stored)) is not None:
                opening, begun = found, stored
        elif (record := record_in(body)) is not None:
            row = Row(body, stored, record.state)
            known = rows.setdefault(record.number, [])
            if row not in known:
                known.append(row)
    return Traces(opening, begun, rows, head[0])


def stretches(traces: Traces) -> list[Stretch]:
    """The proven records, from the first on. Where a number was written twice, because a power cut took the first one
    away before anybody was answered, the one counts that more was built on."""
    found: list[Stretch] = []
    before = max(traces.rows, default=0) + 1
    for number in sorted(traces.rows, reverse=True):
        if number >= before:
            continue
        stretch = next((way for row in traces.rows[number] if (way := _way_to(traces, number, row)).rows), None)
        if stretch is not None:
            found.append(stretch)
            before = stretch.first
    return found[::-1]


def _way_to(traces: Traces, number: int, row: Row) -> Stretch:
    """The proven rows that lead to this one; none where the row itself is not proven."""
    rows: list[Row] = []
    while True:
        before = _before(traces, number, row)
        if before is None:
            # Of the row above it is proven that it follows this one's hash; nothing says that this body is right.
            return Stretch(number + 1, row.hash, tuple(rows[::-1]))
        rows.append(row)
        if isinstance(before, bytes):
            return Stretch(number, before, tuple(rows[::-1]))
        number, row = number - 1, before


def _before(traces: Traces, number: int, row: Row) -> Row | bytes | None:
    """The row that the hash of this one covers, the opening's hash, or None where there is neither. Of several bodies
    with that hash one is right: the one that is chained itself."""
    found = [each for each in traces.rows.get(number - 1, []) if chained(each.hash, row.body) == row.hash]
    if found:
        return next((each for each in found if len(found) > 1 and _before(traces, number - 1, each)), found[0])
    return traces.begun if traces.begun and chained(traces.begun, row.body) == row.hash else None


def _opening(body: bytes, stored: bytes) -> Opening | None:
    try:
        opening = _decode_opening(body)
        whole = chained(bytes.fromhex(opening.before) or BEFORE_ALL, body) == stored
    except (msgspec.MsgspecError, ValueError):
        return None
    return opening if whole else None


def _by_sqlite(path: Path) -> tuple[list[tuple[bytes, bytes]], tuple[int, bytes]]:
    """The rows that can be read from the first on, and from the last back; and number and hash of the last, as the
    head names it, 0 where that cannot be read."""
    found: list[tuple[bytes, bytes]] = []
    try:
        db = connect(path, "rw")
    except sqlite3.Error:
        return found, (0, b"")
    with closing(db):
        for order in ("ASC", "DESC"):
            try:
                for body, stored in db.execute(f"SELECT body, hash FROM record ORDER BY number {order}"):
                    if isinstance(body, bytes) and isinstance(stored, bytes):
                        found.append((body, stored))
            except sqlite3.Error:
                continue
        try:
            row = db.execute("SELECT number, hash FROM head WHERE one = 1").fetchone()
        except sqlite3.Error:
            return found, (0, b"")
    return found, row if row is not None and isinstance(row[0], int) else (0, b"")


def _number(row: tuple[bytes, bytes]) -> int:
    record = record_in(row[0])
    return record.number if record is not None else 0


def _in_bytes(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """What is followed by the bytes of a hash, wherever it stands. The same page stands in a WAL many times."""
    seen: set[bytes] = set()
    for file in (path, beside(path, "-wal")):
        data = file.read_bytes() if file.exists() else b""
        text = data.decode("latin-1")  # a byte a character: places in one are places in the other
        for match in _BODY.finditer(data):
            try:
                _, end = _END(text, match.start())
            except (ValueError, RecursionError):
                continue
            body, stored = data[match.start() : end], data[end : end + HASH_BYTES]
            if body + stored not in seen:
                seen.add(body + stored)
                yield body, stored
