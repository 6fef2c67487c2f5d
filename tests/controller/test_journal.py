"""The journal keeps every acknowledged record, detects damage, and ends the process after a failed write."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count as count_from
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.config import parse_typed_step
from controller.integrity import local_mark_path
from controller.journal import (
    Entry,
    Journal,
    JournalError,
    JournalWriteFailed,
    Record,
    SegmentHeader,
    audit_journal,
    export_jsonl,
    is_journal_file,
    salvage_journal,
    show_text,
    verify,
)
from controller.journal.records import encode_json
from controller.journal.segment_header import FORMAT_VERSION
from controller.journal.sqlite_file import create_segment_file
from controller.steps import Declaration, Step, StepSyntaxError, hand_steps, observations, parse_step, table_steps

OPENING = SegmentHeader('{"game": {"blinds": [2, 5]}}', 1, "2026-11-21T07:00:00Z", FORMAT_VERSION)
FOLD = hand_steps.Declares(3, Declaration("fold"))
DEADLINE_S = 120.0
"""Timeout in seconds for work that usually needs less than a second. Only a failing test waits for the timeout."""


def entry(number: int, size: int = 0) -> Entry:
    step: Step = (
        hand_steps.MovesChips(3, (number, *(25,) * size))
        if size
        else hand_steps.Declares(3, Declaration("raise", number))
    )
    return Entry(number * 1000, step, "dealer", "E0")


def filled(path: Path, count: int, batch_size: int = 1) -> Path:
    """Create a closed journal with `count` records. Each commit adds `batch_size` records."""
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, count + 1, batch_size):
            journal.append([entry(n) for n in range(number, min(number + batch_size, count + 1))])
    return path


def read(path: Path) -> list[Record]:
    with closing(Journal.open_read_only(path)) as journal:
        return list(journal.records())


def good_part(path: Path) -> tuple[list[Record], JournalError | None]:
    """Read the records up to the first bad record. Return the good records and the error.

    The error is None if all records are good.
    """
    good: list[Record] = []
    try:
        with closing(Journal.open_read_only(path)) as journal:
            for record in journal.records():
                good.append(record)
            journal.verify()
    except JournalError as error:
        return good, error
    return good, None


def one_line(error: BaseException) -> str:
    text = str(error)
    assert "\n" not in text and "expected" in text, text
    return text


words = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=40)
amounts = st.integers(1, 10**14)
seats = st.integers(1, 10)
steps = st.one_of(
    st.builds(hand_steps.Declares, seats, st.builds(Declaration, st.just("raise"), amounts, is_raise_by=st.booleans())),
    st.builds(hand_steps.MovesChips, seats, st.lists(st.integers(1, 1000), min_size=1, max_size=40).map(tuple)),
    st.builds(table_steps.SitsDown, seats, amounts, words),
    st.builds(observations.RecordSpotOffline, st.just("pot"), st.lists(words, max_size=3).map(" ".join)),
)
entries = st.builds(
    Entry,
    at_us=st.integers(0, 2**63 - 1),
    step=steps,
    source=st.sampled_from(["dealer", "sensor", "floor", "script"]),
    badge=st.text("0123456789ABCDEF", max_size=14),
    command=st.sampled_from(["", '["4f1c",17]']),
    proof=st.sampled_from(["", "a0b1"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(entries, max_size=5), max_size=8), st.data())
def test_appended_records_are_read_back(batches: list[list[Entry]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.journal")
        with closing(Journal.create(path, OPENING)) as journal:
            for batch in batches:
                before = journal.last_number
                assert journal.append(batch) == before + len(batch)
            written = [entry for batch in batches for entry in batch]
            assert len(journal.flush_durations_us) == sum(1 for batch in batches if batch)
            assert journal.verify() == len(written)
        reopened, header = Journal.open(path)
        with closing(reopened):
            assert header == OPENING
            stored = list(reopened.records())
            assert [record.number for record in stored] == list(range(1, len(written) + 1))
            assert list(reopened.entries()) == written
            after = data.draw(st.integers(0, len(written)))
            assert list(reopened.records(after)) == stored[after:]
            assert list(reopened.entries(after)) == written[after:]
            assert [json.loads(line) for line in export_jsonl(path)][1:] == [
                json.loads(json.dumps(_as_dict(r))) for r in stored
            ]
            assert len(list(show_text(path))) == len(written) + 1


def _as_dict(record: Record) -> dict[str, Any]:
    return {name: value for name in record.__struct_fields__ if (value := getattr(record, name)) != ""}


def test_journal_show_prints_readable_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        fold, count = hand_steps.Declares(3, Declaration("fold")), table_steps.FloorCountsPot(640)
        journal.append([Entry(5_000_000, fold, "dealer"), Entry(3_666_250_000, count, "floor", "04A1")])
        journal.append([Entry(3_667_250_000, count, "floor")])
    assert list(show_text(path)) == [
        "opened 2026-11-21T07:00:00Z, configuration version 1, 28 characters, journal 71b638ef8e679aae353aa84033ee8c9d",
        "      1  0:00:00.000  dealer  3 fold",
        "      2  1:01:01.250  floor   floor pot 640  [04A1]",
        "      3  1:01:02.250  floor   floor pot 640  [not authorised]",
    ]


def test_viewer_sees_the_records_present_when_it_began(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal, closing(Journal.open_read_only(path)) as viewer:
        journal.append([entry(1), entry(2)])
        reading = viewer.records()
        assert next(reading).number == 1
        journal.append([entry(3)])
        assert [record.number for record in reading] == [2]
        assert viewer.last_number == viewer.verify() == 3


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (Entry(0, table_steps.SitsDown(3, 200, "ann\x07"), "dealer"), "one line"),
        (Entry(0, table_steps.SitsDown(3, 200, "\ud800"), "dealer"), "one line"),
        (Entry(0, FOLD, "dealer", "04A1\t"), "badge .* expected one line"),
        (Entry(0, FOLD, "player"), "source 'player'"),  # type: ignore[arg-type]
        (Entry(-1, FOLD, "dealer"), "at_us = -1"),
        (Entry(2**63, FOLD, "dealer"), "at_us"),
        (Entry(0, table_steps.SitsDown(3, 200, "x" * 3500), "dealer"), "bytes, expected at most"),
    ],
)
def test_invalid_entry_is_refused_and_the_journal_stays_usable(tmp_path: Path, bad: Entry, message: str) -> None:
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        with pytest.raises(JournalError, match=message) as raised:
            journal.append([entry(1), bad])
        assert "record 2" in one_line(raised.value)
        assert not isinstance(raised.value, JournalWriteFailed)
        assert journal.append([entry(1)]) == 1


def test_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)):
        result = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from controller.journal import *; Journal.open(__import__('pathlib').Path(sys.argv[1]))",
                path,
            ],
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert result.returncode == 1
        assert "is writing it, expected no other writer" in result.stderr.splitlines()[-1]
        for attempt in (lambda: Journal.open(path), lambda: salvage_journal(path)):
            with pytest.raises(JournalError, match=r"process \d+ is writing it"):
                attempt()
    Journal.open(path)[0].close()


def test_files_that_are_not_journals_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no such file"):
        Journal.open(tmp_path / "none")
    with pytest.raises(JournalError, match="no such file"):
        Journal.open_read_only(tmp_path / "none")
    (tmp_path / "text").write_text("a letter to the floor" * 100)
    sqlite3.connect(tmp_path / "other").executescript("CREATE TABLE record (number); VACUUM").close()
    for name in ("text", "other"):
        with pytest.raises(JournalError) as raised:
            Journal.open(tmp_path / name)
        one_line(raised.value)
        with pytest.raises(JournalError):
            list(export_jsonl(tmp_path / name))
    filled(tmp_path / "whole", 1)
    with pytest.raises(JournalError, match="exists, expected no journal yet"):
        Journal.create(tmp_path / "whole", OPENING)
    with pytest.raises(JournalError, match="expected a writable folder"):
        Journal.create(tmp_path / "nowhere" / "t", OPENING)


def test_journal_of_an_earlier_format_is_refused_with_its_number(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 3)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")
    for use in (Journal.open, lambda path: list(export_jsonl(path))):
        with pytest.raises(JournalError, match="format 1, expected format 4, a new journal") as raised:
            use(path)
        assert raised.value.number is None
        one_line(raised.value)


def test_record_with_an_unknown_step_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    lines = ("3 fold", "3 dances", "4 fold")
    create_segment_file(
        path, OPENING, [encode_json(Record(number, 0, do, "dealer")) for number, do in enumerate(lines, 1)]
    )
    with closing(Journal.open(path)[0]) as journal:
        assert journal.verify() == 3
        with pytest.raises(JournalError, match="record 2: '3 dances': ") as raised:
            list(journal.entries())
        assert raised.value.number == 2
        assert [entry.step for entry in journal.entries(after=2)] == [parse_step("4 fold")]


def test_record_with_a_name_that_is_no_longer_accepted_is_read(tmp_path: Path) -> None:
    path, do = tmp_path / "t.journal", f"3 name {'ann' * 20}"
    create_segment_file(path, OPENING, [encode_json(Record(1, 0, do, "dealer"))])
    with pytest.raises(StepSyntaxError, match="expected a name of at most 40 characters"):
        parse_typed_step(do)
    with closing(Journal.open(path)[0]) as journal:
        assert [entry.step for entry in journal.entries()] == [table_steps.CorrectsName(3, "ann" * 20)]


def test_non_text_schema_is_reported_as_damage(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 3)
    data = path.read_bytes()
    at = data.index(b"CREATE TABLE record")
    path.write_bytes(data[: at + 9] + b"\x89" + data[at + 10 :])
    for use in (Journal.open, Journal.open_read_only):
        with pytest.raises(JournalError, match="malformed database schema, expected a journal") as raised:
            use(path)
        one_line(raised.value)


# Damage to a journal of ten records: the SQL that does the damage, and the number of the first bad record.
HARM = {
    "word changed": ("UPDATE record SET body = replace(body, 'raise', 'bluff') WHERE number = 4", 4),
    "hash changed": ("UPDATE record SET hash = zeroblob(16) WHERE number = 4", 4),
    "record removed": ("DELETE FROM record WHERE number = 6", 6),
    "opening changed": ("UPDATE record SET body = replace(body, '5', '6') WHERE number = 0", 0),
    "opening removed": ("DELETE FROM record WHERE number = 0", 0),
    "end removed": ("DELETE FROM record WHERE number > 7", 8),
    "end removed, head adjusted": ("DELETE FROM record WHERE number > 7; UPDATE head SET number = 7", 7),
    "two exchanged": (
        "UPDATE record SET number = 99 WHERE number = 3; UPDATE record SET number = 3 WHERE number = 5;"
        "UPDATE record SET number = 5 WHERE number = 99",
        3,
    ),
    "one duplicated": (
        "UPDATE record SET body = (SELECT body FROM record WHERE number = 8),"
        " hash = (SELECT hash FROM record WHERE number = 8) WHERE number = 9",
        9,
    ),
    "one added": ("INSERT INTO record SELECT 11, body, hash FROM record WHERE number = 10", 11),
    "one added before the first": ("INSERT INTO record SELECT -1, body, hash FROM record WHERE number = 10", -1),
    "head removed": ("DELETE FROM head", None),
    "head changed": ("UPDATE head SET hash = zeroblob(16)", 10),
}


@pytest.mark.parametrize("name", HARM)
def test_damage_is_detected_and_the_first_bad_record_reported(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path / "t.journal", 10)
    script, first = HARM[name]
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script)
    with pytest.raises(JournalError) as raised:
        Journal.open(path)
    assert raised.value.number == first
    one_line(raised.value)
    good, error = good_part(path)
    assert error is not None
    assert [record.number for record in good] == list(range(1, len(good) + 1))
    if "head" in name:
        assert len(good) >= 7
    if first is not None and first > 0:
        assert len(good) >= first - 1
        salvage = salvage_journal(path)
        assert salvage.kept_records >= first - 1 and salvage.damaged_path is not None and salvage.damaged_path.exists()
        assert "record" in salvage.lost_summary
        journal, header = Journal.open(path)
        with closing(journal):
            assert (header.config, header.origin) == (OPENING.config, "salvage")
            assert [entry_read.step for entry_read in journal.entries()] == [
                entry(n).step for n in range(1, salvage.kept_records + 1)
            ]
            assert journal.append([entry(99)]) == salvage.kept_records + 1


def flipped(data: bytes, at: int, mask: int) -> bytes:
    return data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]


def damage_and_judge(folder: Path, image: bytes, damaged: bytes, count: int) -> bool:
    """Write the damaged bytes to a file. Return True if the journal reports the damage when it is opened.

    The records before the damage must still be readable, and equal to the same records of the undamaged journal.
    """
    path = folder / "t.journal"
    for file in folder.iterdir():
        file.unlink()
    path.write_bytes(damaged)
    try:
        journal, header = Journal.open(path)
    except JournalError as error:
        one_line(error)
        is_detected = True
    else:
        with closing(journal):
            assert header == OPENING
            assert [entry_read.step for entry_read in journal.entries()] == [entry(n).step for n in range(1, count + 1)]
        is_detected = False
    path.write_bytes(damaged)
    good, _ = good_part(path)
    assert [record.entry().step for record in good] == [entry(n).step for n in range(1, len(good) + 1)]
    try:
        salvage = salvage_journal(path, OPENING)
    except JournalError as error:
        one_line(error)
    else:
        assert salvage.kept_records >= len(good)
        assert [record.entry().step for record in read(path)] == [
            entry(n).step for n in range(1, salvage.kept_records + 1)
        ]
    assert damaged != image
    return is_detected


def test_flipped_bits_are_detected_or_harmless(tmp_path: Path) -> None:
    count = 200
    image = filled(tmp_path / "t.journal", count, batch_size=50).read_bytes()
    work = tmp_path / "damaged"
    work.mkdir()
    noise = random.Random(20261121)
    detected = sum(
        damage_and_judge(work, image, flipped(image, noise.randrange(len(image)), 1 << noise.randrange(8)), count)
        for _ in range(150)
    )
    # Most bytes of the file belong to records. A change in the unused end of a page is not detected.
    assert detected > 75


def test_truncated_file_is_detected(tmp_path: Path) -> None:
    count = 200
    image = filled(tmp_path / "t.journal", count, batch_size=50).read_bytes()
    work = tmp_path / "damaged"
    work.mkdir()
    noise = random.Random(7)
    for length in [0, 1, 99, 4096, len(image) - 1, *(noise.randrange(len(image)) for _ in range(15))]:
        assert damage_and_judge(work, image, image[:length], count)
        zeroed = image[:length] + bytes(len(image) - length)
        assert zeroed == image or damage_and_judge(work, image, zeroed, count)


def test_lost_page_costs_only_the_records_on_it(tmp_path: Path) -> None:
    """If an inner page of the B-tree is lost, the records below it are found in the bytes of the file."""
    path = filled(tmp_path / "t.journal", 300)
    image = path.read_bytes()
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'record'").fetchone()
    start = (root - 1) * 4096
    path.write_bytes(image[:start] + bytes(4096) + image[start + 4096 :])
    with pytest.raises(JournalError):
        Journal.open(path)
    salvage = salvage_journal(path)
    assert salvage.kept_records == 300
    assert len(read(path)) == 300
    assert salvage.damaged_path is not None and salvage.damaged_path.read_bytes()[:start] == image[:start]
    assert salvage_journal(path).lost_summary == "nothing"


def test_interrupted_salvage_is_finished(tmp_path: Path) -> None:
    path = filled(tmp_path / "t.journal", 5)
    path.rename(tmp_path / "t.journal.damaged-1")
    (tmp_path / "t.journal-wal").write_bytes(b"of the damaged one")
    filled(tmp_path / "t.journal.salvaged", 3)
    with pytest.raises(JournalError, match="its salvage was interrupted"):
        Journal.open(path)
    with pytest.raises(JournalError, match="exists"):
        Journal.create(path, OPENING)
    assert salvage_journal(path).kept_records == 3
    assert len(read(path)) == 3
    assert (tmp_path / "t.journal.damaged-1-wal").read_bytes() == b"of the damaged one"


def live_image(folder: Path, count: int) -> tuple[bytes, bytes]:
    """Return the bytes of the database file and of the WAL after `count` appends, while the journal is open."""
    path = folder / "live.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, count + 1):
            journal.append([entry(number)])
        return path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()


def write_journal_files(folder: Path, image: bytes, wal: bytes) -> Path:
    for file in folder.glob("t.journal*"):
        file.unlink()
    path = folder / "t.journal"
    path.write_bytes(image)
    path.with_name(path.name + "-wal").write_bytes(wal)
    return path


@pytest.mark.parametrize("damage", ["empty", "gone"])
def test_records_of_a_lost_database_file_are_recovered_from_the_wal(tmp_path: Path, damage: str) -> None:
    """If the database file is empty, SQLite deletes its WAL, even if it only reads.

    The journal must therefore not open an empty file.
    """
    path = write_journal_files(tmp_path, *live_image(tmp_path, 30))
    wal = path.with_name(path.name + "-wal")
    wal_data = wal.read_bytes()
    if damage == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
    for read_access in (
        lambda: list(export_jsonl(path)),
        lambda: verify(path),
        lambda: audit_journal(path),
        lambda: Journal.open(path),
    ):
        with pytest.raises(JournalError):
            read_access()
        assert wal.read_bytes() == wal_data, "a read access changed the WAL"
    salvage = salvage_journal(path, OPENING)
    assert salvage.kept_records == 30 and salvage.damaged_path is not None
    assert len(read(path)) == 30
    assert salvage.damaged_path.with_name(salvage.damaged_path.name + "-wal").read_bytes() == wal_data


def test_empty_file_is_a_journal_if_a_wal_or_mark_exists(tmp_path: Path) -> None:
    path = write_journal_files(tmp_path, *live_image(tmp_path, 3))
    path.write_bytes(b"")
    assert is_journal_file(path)
    path.with_name(path.name + "-wal").unlink()
    assert not is_journal_file(path)
    local_mark_path(path).touch()
    assert is_journal_file(path)


def test_wal_damage_is_distinguished_from_a_power_cut(tmp_path: Path) -> None:
    """SQLite silently ignores the first bad frame of a WAL and all frames after it. The journal reports the damage."""
    image, wal = live_image(tmp_path, 30)
    noise = random.Random(3)
    last_commit = len(wal) - 2 * 4120
    for at in [0, 17, 33, 41, *(noise.randrange(last_commit - 2 * 4120) for _ in range(40))]:
        path = write_journal_files(tmp_path, image, flipped(wal, at, 0x10))
        for _ in range(2):
            with pytest.raises(JournalError, match="commits at the end are damaged"):
                Journal.open(path)
        # No record is lost, because later frames of the WAL contain newer copies of the damaged page.
        assert salvage_journal(path).kept_records == 30
        assert len(read(path)) == 30


def test_power_cut_during_a_commit_leaves_all_or_none_of_it(tmp_path: Path) -> None:
    """Some sectors of the last commit are not on the disk, but all earlier commits are complete.

    A disk may write the sectors of a commit in any order.
    """
    path = tmp_path / "live.journal"
    images: list[tuple[bytes, bytes]] = []
    with closing(Journal.create(path, OPENING)) as journal:
        for number in range(1, 41):
            journal.append([entry(2 * number - 1, 40), entry(2 * number, 40)])
            images.append((path.read_bytes(), path.with_name(path.name + "-wal").read_bytes()))
    noise = random.Random(11)
    extra_records = set()
    for commits, ((image, wal), (_, later)) in enumerate(pairwise(images), start=1):
        torn = bytearray(wal)
        for at in range(len(wal), len(later), 512):
            kind = noise.choice(["written", "written", "lost", "garbage"])
            new = later[at : at + 512]
            torn += {"written": new, "lost": bytes(len(new)), "garbage": noise.randbytes(len(new))}[kind]
        if noise.random() < 0.5:
            torn = torn[: noise.randrange(len(wal), len(torn) + 1)]
        reopened, _ = Journal.open(write_journal_files(tmp_path, image, bytes(torn)))
        with closing(reopened):
            assert reopened.last_number in (2 * commits, 2 * commits + 2)
            extra_records.add(reopened.last_number - 2 * commits)
            assert [record.number for record in reopened.records()] == list(range(1, reopened.last_number + 1))
            reopened.append([entry(reopened.last_number + 1)])
    assert 0 in extra_records


def append_forever(path: Path, output: TextIO, *, pause_after: int = 0) -> None:
    """Append records until the process is killed, and print the last record number after each append.

    If `pause_after` is given, print each number before its records are appended. After this number of prints, wait for
    the kill. `pause_after` plants a fault that the tests must notice.
    """
    journal, _ = Journal.open(path)
    number = journal.last_number
    for prints in count_from(1):
        count = 1 + number % 3
        records = [Entry(n, parse_step(f"3 raise to {n}"), "sensor") for n in range(number + 1, number + count + 1)]
        number += count
        if not pause_after:
            journal.append(records)
        print(number, file=output, flush=True)
        if prints == pause_after:
            signal.pause()
        if pause_after:
            journal.append(records)


def kill_while_appending(path: Path, after: int, *, plants_fault: bool = False) -> int:
    """Start a process that appends records, kill it, and return the last record number that it printed.

    The process is killed after it has printed `after` numbers. It is a fork of the test's process, because a new
    process would need half a second for its imports.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            with open(write, "w", encoding="ascii") as output:
                append_forever(path, output, pause_after=after if plants_fault else 0)
        finally:
            os._exit(1)
    os.close(write)
    with open(read, encoding="ascii") as output:
        acknowledged = 0
        for _ in range(after):
            acknowledged = int(output.readline())
        os.kill(child, signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in output if line.endswith("\n"))])
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    return acknowledged


def check_after_kill(path: Path, acknowledged: int) -> None:
    journal, _ = Journal.open(path)
    with closing(journal):
        assert journal.last_number >= acknowledged
        # The last append adds up to three records. These records may be on the disk although the process has not
        # printed their number.
        assert journal.last_number <= acknowledged + 3
        assert all(record.do == f"3 raise to {record.number}" for record in journal.records(max(0, acknowledged - 500)))


def kill_often(path: Path, times: int, seed: int) -> None:
    Journal.create(path, OPENING).close()
    noise = random.Random(seed)
    for _ in range(times):
        check_after_kill(path, kill_while_appending(path, noise.randrange(1, 400)))


def test_every_acknowledged_record_survives_kill_9(ram_path: Path) -> None:
    kill_often(ram_path / "t.journal", 30, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_every_acknowledged_record_survives_many_kills(tmp_path: Path, seed: int) -> None:
    kill_often(tmp_path / "t.journal", 100, seed=1000 + seed)


def test_planted_early_acknowledgement_is_caught(ram_path: Path) -> None:
    """The process prints a number before it commits the record, and is killed between these two moments."""
    path = ram_path / "t.journal"
    Journal.create(path, OPENING).close()
    with pytest.raises(AssertionError):
        check_after_kill(path, kill_while_appending(path, 40, plants_fault=True))


class Failing(sqlite3.Connection):
    """SQLite connection that raises an error instead of executing a statement that begins with `statement`.

    If `late` is true, it executes the statement first and then raises the error.
    """

    statement, late = "", False

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self.statement and sql.startswith(self.statement):
            if self.late:
                super().execute(sql, *values)
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *values)


@pytest.fixture
def failing_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Failing]]:
    honest = sqlite3.connect

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return honest(*args, factory=Failing, **options)

    monkeypatch.setattr(sqlite3, "connect", connect)
    yield Failing
    Failing.statement, Failing.late = "", False


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("statement", ["BEGIN", "UPDATE", "COMMIT"])
def test_failed_write_closes_the_journal_for_good(
    tmp_path: Path, failing_connection: type[Failing], statement: str, late: bool
) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, OPENING)) as journal:
        journal.append([entry(1)])
        failing_connection.statement, failing_connection.late = statement, late
        with pytest.raises(JournalWriteFailed, match=r"writing record 2 failed .disk I/O error.: never write it again"):
            journal.append([entry(2), entry(3)])
        failing_connection.statement = ""
        with pytest.raises(JournalWriteFailed):
            journal.append([entry(2)])
    reopened, _ = Journal.open(path)
    with closing(reopened):
        # A commit that reports a failure may be on the disk or not, but never in part.
        assert reopened.last_number == (3 if late and statement == "COMMIT" else 1)


FILLER = """
    import resource, sys
    from pathlib import Path
    from controller.journal import Entry, Journal, JournalWriteFailed
    from controller.steps import parse_step
    journal, _ = Journal.open(Path(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
    number = journal.last_number
    try:
        while True:
            steps = [parse_step(f"3 raise to {n}") for n in range(number + 1, number + 8)]
            number = journal.append([Entry(number, step, "sensor") for step in steps])
    except JournalWriteFailed as error:
        print(number, error)
    try:
        journal.append([Entry(0, parse_step("3 fold"), "dealer")])
    except JournalWriteFailed:
        sys.exit(3)
"""


@pytest.mark.parametrize("limit", [60_000, 200_001, 512 * 300 + 17])
def test_full_disk_keeps_all_acknowledged_records(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "t.journal"
    Journal.create(path, OPENING).close()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FILLER), path, str(limit)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert result.returncode == 3, result.stderr
    acknowledged, _, message = result.stdout.partition(" ")
    assert "never write it again" in message
    journal, _ = Journal.open(path)
    with closing(journal):
        assert journal.last_number == int(acknowledged) > 0
        assert journal.last_number % 7 == 0
        assert all(record.do == f"3 raise to {record.number}" for record in journal.records())


def test_append_reports_the_bytes_written(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        for number in range(200):
            journal.append([entry(number)])
        flushes = sorted(journal.flush_durations_us)
    assert len(flushes) == 200 and flushes[0] > 0
    record_property("flush_us_median", flushes[100])
    record_property("flush_us_most", flushes[-1])


def test_every_commit_waits_for_the_disk(tmp_path: Path) -> None:
    """A test cannot cut the power. It only verifies that SQLite is set to wait until the data is on the disk."""
    with closing(Journal.create(tmp_path / "t.journal", OPENING)) as journal:
        assert journal._db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert journal._db.execute("PRAGMA journal_mode").fetchone() == (b"wal",)
