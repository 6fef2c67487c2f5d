"""Build journals with a signature and high-water marks, and alter them in every way that needs no table key."""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from controller.config import parse_config
from controller.integrity import (
    ChainHead,
    JournalGuard,
    SentHead,
    TableKey,
    local_mark_path,
    make_guard,
    read_sent_heads,
)
from controller.integrity.sent_heads import HeadLogFile
from controller.journal import Entry, Journal, audit_journal, new_header
from controller.journal.sqlite_file import chain_hash, sibling
from controller.service import TableService
from controller.service.recorder import JournalLocation
from controller.steps import Declaration, hand_steps, kind_of_alteration, observations, parse_step
from hardware.badges import Badge

RECORDS = 30
KEY = TableKey("11" * 32)
OTHER_KEY = TableKey("22" * 32)
FLOOR = Badge(uid="04A1B2C3", name="Ann", role="floor", key="0b" * 20)
OTHER_FLOOR = Badge(uid="04A1B2C4", name="Bob", role="floor", key="0c" * 20)
Rows = dict[int, tuple[bytes, bytes]]


class GuardedJournal(NamedTuple):
    """A journal with two high-water marks, which are files that name its last record.

    One of these files is in the journal's folder, and the other, the far mark, is on another device.
    """

    path: Path
    far_mark: Path

    @property
    def heads(self) -> Path:
        """The log of signed heads, which is on another device."""
        return self.far_mark.with_name("far.heads")

    def send_head(self, head: ChainHead) -> None:
        """Add a signed head to the log of heads, as the table does after each hand."""
        sent = SentHead(head.journal, head.segment, head.number, head.hash.hex(), KEY.sign(head).hex())
        HeadLogFile(self.heads).deliver(msgspec.json.encode(sent))

    def guard(self, key: TableKey = KEY) -> JournalGuard:
        return make_guard(self.path, key, self.far_mark)

    @property
    def marks(self) -> tuple[Path, Path]:
        return local_mark_path(self.path), self.far_mark

    def inspect_journal(self, *keys: str, marks: bool = True) -> list[str]:
        """Return the kinds of tampering that an audit of the journal finds."""
        findings = audit_journal(
            self.path, keys or (KEY.public_key,), self.marks if marks else (), (FLOOR, OTHER_FLOOR)
        ).findings
        return [kind for kind, _ in findings]


def entries(first: int, last: int) -> list[Entry]:
    return [
        Entry(number, hand_steps.Declares(3, Declaration("raise", number)), "dealer")
        for number in range(first, last + 1)
    ]


def create_journal(folder: Path, records: int = RECORDS) -> GuardedJournal:
    """Create a closed journal with this number of records, and commit ten records at a time."""
    book = GuardedJournal(folder / "t.journal", folder / "far.mark")
    guard = book.guard()
    with closing(Journal.create(book.path, new_header("{}"), guard=guard)) as journal:
        for number in range(1, records + 1, 10):
            journal.append(entries(number, number + 9))
    return book


@cache
def _original() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    create_journal(Path(folder.name))
    return folder


def copy_journal(folder: Path) -> GuardedJournal:
    """Return a copy of the journal that all tests share, which has `RECORDS` records."""
    return _copy_of(_original(), folder)


def copy_table_journal(folder: Path) -> GuardedJournal:
    """Return a copy of the closed journal of a table service, which has `RECORDS` records.

    The original is created once for all tests.
    """
    return _copy_of(_table_journal(), folder)


def _copy_of(original: TemporaryDirectory[str], folder: Path) -> GuardedJournal:
    shutil.copytree(original.name, folder, dirs_exist_ok=True)
    return GuardedJournal(folder / "t.journal", folder / "far.mark")


# --- the attacker: has the files, but not the key ---


def rows_of(path: Path) -> tuple[Rows, tuple[int, bytes, bytes]]:
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        rows = {number: (body, stored) for number, body, stored in db.execute("SELECT * FROM record")}
        return rows, db.execute("SELECT number, hash, seal FROM head").fetchone()


def write_rows(path: Path, rows: Rows, head: tuple[int, bytes, bytes]) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM record")
        db.executemany(
            "INSERT INTO record VALUES (?, ?, ?)",
            [(number, body.decode(), stored) for number, (body, stored) in rows.items()],
        )
        db.execute("UPDATE head SET number = ?, hash = ?, seal = ?", head)
        db.commit()


def edit_rows(book: GuardedJournal, edit: Callable[[Rows], Rows]) -> None:
    rows, head = rows_of(book.path)
    write_rows(book.path, edit(rows), head)


def rechain(book: GuardedJournal, edit: Callable[[Rows], Rows], key: TableKey | None = None) -> None:
    """Edit the records of the journal and rebuild its hash chain. If `key` is given, sign the new last hash with it."""
    rows, (_, _, seal) = rows_of(book.path)
    rows = edit(rows)
    last = rows[0][1]
    for number in sorted(rows):
        if number:
            last = chain_hash(last, rows[number][0])
            rows[number] = rows[number][0], last
    number = max(rows)
    if key is not None:
        seal = key.sign(ChainHead(rows_of(book.path)[0][0][1].hex(), 1, number, last))
    write_rows(book.path, rows, (number, last, seal))


def change_record(rows: Rows, number: int = 12) -> Rows:
    body, stored = rows[number]
    return {**rows, number: (body.replace(b'"at_us":', b'"at_us":9'), stored)}


def exchange_records(rows: Rows) -> Rows:
    return {**rows, 12: rows[20], 20: rows[12]}


def exchange_neighbours(rows: Rows) -> Rows:
    return {**rows, 12: rows[13], 13: rows[12]}


def remove_record(rows: Rows) -> Rows:
    return {number: row for number, row in rows.items() if number != 12}


def remove_and_renumber(rows: Rows) -> Rows:
    """Remove record 12 and renumber the records after it."""
    return {number - (number > 12): row for number, row in rows.items() if number != 12}


def insert_record(rows: Rows) -> Rows:
    """Insert a record with number 12 and renumber the records after it."""
    moved = {number + (number >= 12): row for number, row in rows.items()}
    return {**moved, 12: (b'{"number":12,"at_us":12,"do":"3 raise 1","source":"dealer"}', bytes(16))}


def append_record(rows: Rows) -> Rows:
    body = b'{"number":%d,"at_us":1,"do":"3 raise 1","source":"dealer"}' % (RECORDS + 1)
    return {**rows, RECORDS + 1: (body, chain_hash(rows[RECORDS][1], body))}


def truncate(rows: Rows) -> Rows:
    return {number: row for number, row in rows.items() if number <= 20}


def truncate_with_head(book: GuardedJournal) -> None:
    """Remove the last records. Make the stored number and hash of the last record match the shorter journal."""
    rows, (_, _, seal) = rows_of(book.path)
    write_rows(book.path, truncate(rows), (20, rows[20][1], seal))


def restore_older_copy(book: GuardedJournal) -> None:
    older_copy = sibling(book.path, ".older_copy")
    shutil.copy(book.path, older_copy)
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 5))
        book.send_head(journal.committed_head)
    older_copy.replace(book.path)


def forge_acceptances(rows: Rows) -> Rows:
    """Change a record, and add acceptances of the findings that the service will record about this."""
    last = max(rows)
    body = rows[last][0]
    forged = {
        number: (
            re.sub(rb'"do":"[^"]*"', b'"do":"records-accepted 1:%d"' % (number + 9), body).replace(
                b'"number":%d' % last, b'"number":%d' % number
            ),
            bytes(16),
        )
        for number in range(last + 1, last + 10)
    }
    changed = body.replace(b'"source":"dealer"', b'"source":"floor"')
    assert changed != body
    return {**rows, last: (changed, bytes(16)), **forged}


def truncate_to_sent_head(book: GuardedJournal) -> None:
    """Remove the last records, with the head and its signature that left the table before these records."""
    [sent] = read_sent_heads(book.heads)[0]
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append(entries(RECORDS + 1, RECORDS + 5))
        book.send_head(journal.committed_head)
    rows, _ = rows_of(book.path)
    kept = {number: row for number, row in rows.items() if number <= sent.number}
    write_rows(book.path, kept, (sent.number, sent.head.hash, bytes.fromhex(sent.signature)))


def kill_service(book: GuardedJournal) -> Path:
    """Leave the files of the journal as if the service was killed, and return the path of the WAL.

    The last five records are only in the WAL, the write-ahead log of SQLite.
    """
    folder = book.path.parent / "killed"
    folder.mkdir()
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        for number in range(RECORDS + 1, RECORDS + 6):
            journal.append(entries(number, number))
        marks = [
            mark
            for mark in journal._guard.marks
            if not hasattr(mark, "wait_until_stored") or mark.wait_until_stored(5.0)
        ]
        assert len(marks) == 2
        book.send_head(journal.committed_head)
        for file in book.path.parent.iterdir():
            if file.is_file():
                shutil.copy(file, folder)
    for file in folder.iterdir():
        file.replace(book.path.parent / file.name)
    return sibling(book.path, "-wal")


def remove_wal(book: GuardedJournal) -> None:
    kill_service(book).unlink()


def empty_wal(book: GuardedJournal) -> None:
    kill_service(book).write_bytes(b"")


def flip_wal_bit(book: GuardedJournal) -> None:
    """Flip one bit of the WAL, so that SQLite silently drops the damaged commit and all later commits."""
    wal = kill_service(book)
    data = bytearray(wal.read_bytes())
    data[100] ^= 0x10
    wal.write_bytes(data)


def delete_journal(book: GuardedJournal) -> None:
    book.path.unlink()


def forge_badge(book: GuardedJournal) -> None:
    """Append a floor decision that is signed with the table's key, but has no proof that the badge was present."""
    journal, _ = Journal.open(book.path, guard=book.guard())
    with closing(journal):
        journal.append([Entry(RECORDS + 1, observations.CallsFloor(), "floor", FLOOR.label)])


def replace_journal(book: GuardedJournal) -> None:
    other = book.path.with_name("other")
    with closing(Journal.create(other, new_header('{"other": 1}'), guard=JournalGuard(KEY))) as journal:
        journal.append(entries(1, RECORDS + 9))
    other.replace(book.path)


def row_tampering(edit: Callable[[Rows], Rows]) -> Callable[[GuardedJournal], None]:
    return lambda book: edit_rows(book, edit)


TAMPERINGS: dict[str, tuple[Callable[[GuardedJournal], None], str]] = {
    "record changed": (row_tampering(change_record), "changed"),
    "opening changed": (
        row_tampering(lambda rows: {**rows, 0: (rows[0][0].replace(b'"version"', b' "version"'), rows[0][1])}),
        "changed",
    ),
    "records exchanged": (row_tampering(exchange_records), "exchanged"),
    "neighbours exchanged": (row_tampering(exchange_neighbours), "exchanged"),
    "record removed": (row_tampering(remove_record), "removed"),
    "record removed, others moved up": (row_tampering(remove_and_renumber), "removed"),
    "record inserted": (row_tampering(insert_record), "inserted"),
    "record put behind the end": (row_tampering(append_record), "inserted"),
    "chain remade": (lambda book: rechain(book, change_record), "remade"),
    "chain remade with another key": (lambda book: rechain(book, change_record, OTHER_KEY), "remade"),
    "tail cut": (row_tampering(truncate), "cut"),
    "tail cut, with the head": (truncate_with_head, "cut"),
    "older copy": (restore_older_copy, "older-copy"),
    "WAL removed": (remove_wal, "wal-removed"),
    "WAL emptied": (empty_wal, "wal-removed"),
    "WAL changed": (flip_wal_bit, "changed"),
    "journal deleted": (delete_journal, "deleted"),
    "another journal": (replace_journal, "replaced"),
    "badge forged": (forge_badge, "badge-forged"),
}


# --- a table that was served ---


CONFIG = parse_config("stacks = { 1 = 1000 }\n[game]\nblinds = [1, 2]\n")


def open_service(book: GuardedJournal) -> TableService:
    guard = make_guard(book.path, KEY, book.far_mark, (FLOOR, OTHER_FLOOR), (str(book.heads),))
    return TableService.open(CONFIG, JournalLocation(book.path, guard), trays=False)


def close_service(service: TableService) -> None:
    """Close the journal of the service as the service does when it ends normally."""
    assert service._recorder is not None
    service._recorder.close()


@cache
def _table_journal() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory()
    book = GuardedJournal(Path(folder.name) / "t.journal", Path(folder.name) / "far.mark")

    async def play() -> None:
        service = open_service(book)
        for _ in range(RECORDS):
            assert service.apply_step(parse_step("1 add 5")) is None
        assert service._recorder is not None and service._recorder._journal is not None
        book.send_head(service._recorder._journal.committed_head)
        close_service(service)

    asyncio.run(play())
    return folder


def alteration_kinds(service: TableService) -> list[str]:
    """Return the names of the alterations about which the screen shows an alert.

    The alerts must have the kinds of these names, and nothing else.
    """
    names = sorted(service.live.record_faults.alterations)
    shown = [alert.values.reason for alert in service.view.alerts if alert.code == "journal-altered"]
    assert shown == sorted({kind_of_alteration(name) for name in names})
    return names
