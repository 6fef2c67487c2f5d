"""A guarded journal, and all that can be done to it by a hand that has its files and not its key."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from controller.config import read_config
from controller.journal import Entry, Journal, inspect, opening_of
from controller.journal.file import beside, chained
from controller.seals import Guard, Head, TableKey, guard_of, mark_beside
from controller.service import Service
from controller.service.recorder import Place
from controller.table import CallsFloor, Declaration, Declares, parse
from hardware.badges import Badge

RECORDS = 30
KEY = TableKey("11" * 32)
OTHER_KEY = TableKey("22" * 32)
FLOOR = Badge(uid="04A1B2C3", name="Ann", role="floor", key="0b" * 20)
OTHER_FLOOR = Badge(uid="04A1B2C4", name="Bob", role="floor", key="0c" * 20)
Rows = dict[int, tuple[bytes, bytes]]


class Book(NamedTuple):
    """A journal with a mark beside it and one on another device."""

    path: Path
    far: Path

    def guard(self, key: TableKey = KEY) -> Guard:
        return guard_of(self.path, key, self.far)

    @property
    def marks(self) -> tuple[Path, Path]:
        return mark_beside(self.path), self.far

    def found(self, *keys: str, marks: bool = True) -> list[str]:
        """How the journal was altered."""
        found = inspect(self.path, keys or (KEY.public,), self.marks if marks else (), (FLOOR, OTHER_FLOOR)).found
        return [how for how, _ in found]


def entries(first: int, last: int) -> list[Entry]:
    return [Entry(number, Declares(3, Declaration("raise", number)), "dealer") for number in range(first, last + 1)]


def book_in(folder: Path, records: int = RECORDS) -> Book:
    """A closed journal of so many records, ten in each commit."""
    book = Book(folder / "t.journal", folder / "far.mark")
    guard = book.guard()
    with closing(Journal.create(book.path, opening_of("{}"), guard=guard)) as journal:
        for number in range(1, records + 1, 10):
            journal.append(entries(number, number + 9))
    return book


@cache
def _original() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    book_in(Path(folder.name))
    return folder


def copied(folder: Path) -> Book:
    """A journal of `RECORDS` records that was made once for all tests."""
    return _book_of(_original(), folder)


def copied_table(folder: Path) -> Book:
    """The journal of a table that was served once for all tests: `RECORDS` records, closed in order."""
    return _book_of(_of_a_table(), folder)


def _book_of(made: TemporaryDirectory[str], folder: Path) -> Book:
    shutil.copytree(made.name, folder, dirs_exist_ok=True)
    return Book(folder / "t.journal", folder / "far.mark")


# --- the hand that does it: it has the files, and not the key ---


def rows_of(path: Path) -> tuple[Rows, tuple[int, bytes, bytes]]:
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        rows = {number: (body, stored) for number, body, stored in db.execute("SELECT * FROM record")}
        return rows, db.execute("SELECT number, hash, seal FROM head").fetchone()


def put(path: Path, rows: Rows, head: tuple[int, bytes, bytes]) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM record")
        db.executemany(
            "INSERT INTO record VALUES (?, ?, ?)",
            [(number, body.decode(), stored) for number, (body, stored) in rows.items()],
        )
        db.execute("UPDATE head SET number = ?, hash = ?, seal = ?", head)
        db.commit()


def edited(book: Book, edit: Callable[[Rows], Rows]) -> None:
    rows, head = rows_of(book.path)
    put(book.path, edit(rows), head)


def chained_anew(book: Book, edit: Callable[[Rows], Rows], key: TableKey | None = None) -> None:
    """The edit, then all hashes made anew, signed with another key where there is one."""
    rows, (_, _, seal) = rows_of(book.path)
    rows = edit(rows)
    last = rows[0][1]
    for number in sorted(rows):
        if number:
            last = chained(last, rows[number][0])
            rows[number] = rows[number][0], last
    number = max(rows)
    if key is not None:
        seal = key.seal(Head(rows_of(book.path)[0][0][1].hex(), 1, number, last))
    put(book.path, rows, (number, last, seal))


def changed(rows: Rows, number: int = 12) -> Rows:
    body, stored = rows[number]
    return {**rows, number: (body.replace(b'"at_us":', b'"at_us":9'), stored)}


def exchanged(rows: Rows) -> Rows:
    return {**rows, 12: rows[20], 20: rows[12]}


def neighbours_exchanged(rows: Rows) -> Rows:
    return {**rows, 12: rows[13], 13: rows[12]}


def removed(rows: Rows) -> Rows:
    return {number: row for number, row in rows.items() if number != 12}


def moved_up(rows: Rows) -> Rows:
    """One is taken out, and those behind it move up."""
    return {number - (number > 12): row for number, row in rows.items() if number != 12}


def inserted(rows: Rows) -> Rows:
    """One is put in, and those behind it make room."""
    moved = {number + (number >= 12): row for number, row in rows.items()}
    return {**moved, 12: (b'{"number":12,"at_us":12,"do":"3 raise 1","source":"dealer"}', bytes(16))}


def appended(rows: Rows) -> Rows:
    body = b'{"number":%d,"at_us":1,"do":"3 raise 1","source":"dealer"}' % (RECORDS + 1)
    return {**rows, RECORDS + 1: (body, chained(rows[RECORDS][1], body))}


def cut(rows: Rows) -> Rows:
    return {number: row for number, row in rows.items() if number <= 20}


def cut_with_head(book: Book) -> None:
    """The end is cut off, and the head says so."""
    rows, (_, _, seal) = rows_of(book.path)
    put(book.path, cut(rows), (20, rows[20][1], seal))


def older_copy(book: Book) -> None:
    kept = beside(book.path, ".kept")
    shutil.copy(book.path, kept)
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 5))
    kept.replace(book.path)


def killed(book: Book) -> Path:
    """The files as they are when the service is killed: the last records are in the WAL alone."""
    folder = book.path.parent / "killed"
    folder.mkdir()
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        for number in range(RECORDS + 1, RECORDS + 6):
            journal.append(entries(number, number))
        marks = [mark for mark in journal._guard.marks if not hasattr(mark, "settled") or mark.settled(5.0)]
        assert len(marks) == 2
        for file in book.path.parent.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
    for file in folder.iterdir():
        file.replace(book.path.parent / file.name)
    return beside(book.path, "-wal")


def wal_removed(book: Book) -> None:
    killed(book).unlink()


def wal_emptied(book: Book) -> None:
    killed(book).write_bytes(b"")


def wal_changed(book: Book) -> None:
    """One bit: SQLite drops that commit and all behind it without a word."""
    wal = killed(book)
    data = bytearray(wal.read_bytes())
    data[100] ^= 0x10
    wal.write_bytes(data)


def deleted(book: Book) -> None:
    book.path.unlink()


def badge_forged(book: Book) -> None:
    """By somebody who has the table's key, but no badge."""
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append([Entry(RECORDS + 1, CallsFloor(), "floor", FLOOR.label)])


def other_journal(book: Book) -> None:
    other = book.path.with_name("other")
    with closing(Journal.create(other, opening_of('{"other": 1}'), guard=Guard(KEY))) as journal:
        journal.append(entries(1, RECORDS + 9))
    other.replace(book.path)


def of_rows(edit: Callable[[Rows], Rows]) -> Callable[[Book], None]:
    return lambda book: edited(book, edit)


TAMPERINGS: dict[str, tuple[Callable[[Book], None], str]] = {
    "record changed": (of_rows(changed), "changed"),
    "opening changed": (
        of_rows(lambda rows: {**rows, 0: (rows[0][0].replace(b'"version"', b' "version"'), rows[0][1])}),
        "changed",
    ),
    "records exchanged": (of_rows(exchanged), "exchanged"),
    "neighbours exchanged": (of_rows(neighbours_exchanged), "exchanged"),
    "record removed": (of_rows(removed), "removed"),
    "record removed, others moved up": (of_rows(moved_up), "removed"),
    "record inserted": (of_rows(inserted), "inserted"),
    "record put behind the end": (of_rows(appended), "inserted"),
    "chain remade": (lambda book: chained_anew(book, changed), "remade"),
    "chain remade with another key": (lambda book: chained_anew(book, changed, OTHER_KEY), "remade"),
    "tail cut": (of_rows(cut), "cut"),
    "tail cut, with the head": (cut_with_head, "cut"),
    "older copy": (older_copy, "older-copy"),
    "WAL removed": (wal_removed, "wal-removed"),
    "WAL emptied": (wal_emptied, "wal-removed"),
    "WAL changed": (wal_changed, "changed"),
    "journal deleted": (deleted, "deleted"),
    "another journal": (other_journal, "replaced"),
    "badge forged": (badge_forged, "badge-forged"),
}


# --- a table that was served ---


CONFIG = read_config("stacks = { 1 = 1000 }\n[game]\nblinds = [1, 2]\n")


def opened(book: Book) -> Service:
    guard = guard_of(book.path, KEY, book.far, (FLOOR, OTHER_FLOOR))
    return Service.open(CONFIG, Place(book.path, guard), trays=False)


def end(service: Service) -> None:
    """Closes the journal in order."""
    assert service._recorder is not None
    service._recorder.close()


@cache
def _of_a_table() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    book = Book(Path(folder.name) / "t.journal", Path(folder.name) / "far.mark")

    async def play() -> None:
        service = opened(book)
        for _ in range(RECORDS):
            assert service.do(parse("1 add 5")) is None
        end(service)

    asyncio.run(play())
    return folder


def altered(service: Service) -> list[str]:
    """In which ways the screen says that the records were altered."""
    return [alert.values.reason for alert in service.view.alerts if alert.code == "journal-altered"]
