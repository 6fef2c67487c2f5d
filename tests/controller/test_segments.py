"""Segments: a journal goes on in a new file, and at whatever moment it is killed, the old one goes on or the new."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from controller.config import read_config
from controller.journal import (
    USUAL_BYTES,
    Entry,
    Journal,
    JournalBusy,
    JournalError,
    Opening,
    Segment,
    export,
    inspect,
    opening_of,
    segments,
    show,
    trim,
    verify,
)
from controller.journal.archive import closed_segments, place
from controller.journal.file import BEFORE_ALL, as_rows, beside, chained
from controller.journal.records import encode, encode_json
from controller.live import Setup
from controller.seals import guard_of, mark_beside
from controller.service.looks import Played
from controller.service.recorder import Place
from controller.service.starting import take_up
from controller.table import Declaration, Declares
from tests.killing import dying, is_killed
from tests.service.running import until

STATES = [f"state {number}".encode() for number in range(9)]
FIRST = opening_of('{"game": {"blinds": [2, 5]}}')


def entry(number: int) -> Entry:
    return Entry(number * 1000, Declares(3, Declaration("raise", number)), "dealer")


def appended(journal: Journal, count: int) -> None:
    for _ in range(count):
        journal.append([entry(journal.last + 1)])


def rotated(path: Path, *counts: int) -> Path:
    """A closed journal with so many records in each of its segments."""
    with closing(Journal.create(path, opening_of(FIRST.config))) as journal:
        appended(journal, counts[0])
        for number, count in enumerate(counts[1:], 1):
            journal.rotate(STATES[number])
            appended(journal, count)
    return path


def numbers(path: Path) -> list[int]:
    return [record.number for segment in segments(path) for record in segment.records()]


def test_a_journal_goes_on_in_a_new_segment(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        name = journal.name
        appended(journal, 3)
        before = journal.head()
        journal.rotate(STATES[1])
        assert (journal.last, journal.records_here) == (3, 0)
        appended(journal, 2)
        assert (journal.last, journal.records_here) == (5, 2)
    journal, opening = Journal.open(path)
    with closing(journal):
        assert opening == journal.begun
        assert (opening.name, opening.segment, opening.after) == (name, 2, 3)
        assert opening.before == before.hash.hex()
        assert (opening.parent, opening.why, opening.config) == ("", "", FIRST.config)
        assert journal.state(opening.after, opening.state) == STATES[1]
        assert journal.name == name
        assert [record.number for record in journal.records()] == [4, 5]
        assert [each.step for each in journal.entries(4)] == [entry(5).step]
    assert numbers(path) == [1, 2, 3, 4, 5]
    assert verify(path) == (5, 2)
    assert len(list(export(path))) == 7
    assert "segment 2 behind record 3" in "\n".join(show(path))
    closed = place(path, 1)
    assert closed_segments(path) == [closed]
    assert closed.stat().st_mode & 0o222 == 0
    assert not beside(path, ".new").exists()


def test_a_new_journal_names_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        appended(journal, 2)
        parent = journal.name
        journal.rotate(STATES[1], "configuration")
        assert journal.name != parent
        appended(journal, 1)
        journal.rotate(STATES[2])
        appended(journal, 1)
        assert (journal.begun.parent, journal.begun.why, journal.begun.after) == (parent, "configuration", 1)
    assert numbers(path) == [1, 2, 1, 2]
    assert verify(path) == (4, 3)


def test_a_journal_where_another_was_taken_away_goes_on_behind_its_archive(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 2, 1, 1)
    with closing(Segment.view(path)) as segment:
        parent = segment.name
    for ending in ("", "-wal", "-shm"):
        beside(path, ending).unlink(missing_ok=True)
    with closing(Journal.create(path, FIRST, STATES[3])) as journal:
        assert (journal.begun.segment, journal.begun.parent, journal.begun.after) == (3, parent, 0)
        assert journal.state(0, journal.begun.state) == STATES[3]
        journal.rotate(STATES[4])
    assert verify(path) == (3, 4)


def test_a_state_is_kept_where_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        journal.append([entry(1), entry(2)], STATES[1])
        first, second = journal.records()
        assert (first.state, first.at) == ("", "")
        assert second.at
        assert journal.state(2, second.state) == STATES[1]
    assert "state " + second.state in "\n".join(show(path))
    for harm, said in {
        "UPDATE state SET body = x'00'": "record 2: its state is damaged",
        "DELETE FROM state": "record 2: its state is damaged: missing",
    }.items():
        with closing(sqlite3.connect(path)) as db:
            db.executescript(harm)
        with pytest.raises(JournalError, match=said) as raised:
            Journal.open(path)
        assert raised.value.number == 2


# --- killed at every moment ---


def killed_at(moment: int, path: Path) -> bool:
    """Changes the segment in another process, which is killed before the so-many-th line of the journal's code; False
    where it had come to its end before that."""

    def rotate() -> None:
        journal = Journal.open(path, guard=guard_of(path))[0]
        with dying(moment, lambda code: "/controller/journal/" in code.co_filename):
            journal.rotate(STATES[1])
        journal.append([entry(journal.last + 1)])

    return is_killed(rotate)


def killed_while_rotating(folder: Path, each: int) -> tuple[int, int]:
    """Kills at every so-many-th line; how often the old segment went on then, and how often the new one."""
    went_on = {1: 0, 2: 0}
    whole = rotated(folder / "whole", 3).read_bytes()
    moment, running = 1, True
    while running:
        path = folder / f"{moment}.journal"
        path.write_bytes(whole)
        running = killed_at(moment, path)
        assert inspect(path, (), [mark_beside(path)]).found == (), "a change of segment is nobody's deed"
        journal, opening = Journal.open(path, guard=guard_of(path))
        with closing(journal):
            went_on[opening.segment] += 1
            last = journal.append([entry(journal.last + 1)])
            journal.rotate(STATES[2])
        assert last == (4 if running else 5)
        assert numbers(path) == list(range(1, last + 1))
        assert verify(path) == (last, opening.segment + 1)
        assert not list(folder.glob("*.new*"))
        moment += each
    return went_on[1], went_on[2]


def test_whenever_it_is_killed_the_old_segment_goes_on_or_the_new_one(tmp_path: Path) -> None:
    old, new = killed_while_rotating(tmp_path, 13)
    assert old > 5 and new > 2


@pytest.mark.soak
def test_killed_at_every_line_of_a_change_of_segment(tmp_path: Path) -> None:
    old, new = killed_while_rotating(tmp_path, 1)
    print(f"killed {old + new - 1} times: {old} times the old segment went on, {new} times the new one")


def test_who_reads_at_this_moment_keeps_the_segment_as_it_is(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 3)
    journal, _ = Journal.open(path)
    with closing(journal), closing(Segment.view(path)) as viewer, closing(sqlite3.connect(path)) as reader:
        appended(journal, 1)
        assert viewer.last == 4
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM record").fetchone()
        appended(journal, 1)
        with pytest.raises(JournalBusy, match="is being read"):
            journal.rotate(STATES[1])
        appended(journal, 1)
        reader.execute("COMMIT")
        journal.rotate(STATES[1])
        appended(journal, 1)
        assert [record.number for record in viewer.records()] == [1, 2, 3, 4, 5, 6], "who had it open reads the old one"
        assert viewer.verify() == 6
    assert verify(path) == (7, 2)


def test_where_no_archive_can_be_made_the_segment_goes_on(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 3)
    in_the_way = tmp_path / "t.journal.archive"
    in_the_way.write_text("")
    journal, _ = Journal.open(path)
    with closing(journal):
        with pytest.raises(JournalError, match="expected to begin another segment") as raised:
            journal.rotate(STATES[1])
        assert "\n" not in str(raised.value)
        appended(journal, 1)
        in_the_way.unlink()
        journal.rotate(STATES[1])
    assert verify(path) == (4, 2)


# --- the archive ---


def test_the_oldest_segments_go_when_they_have_been_exported(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 5, 4, 3, 2)
    kept = [line for line in export(path) if '"number":' in line]
    sizes = [each.stat().st_size for each in closed_segments(path)]
    assert trim(path) == []
    exports = trim(path, sizes[-1])
    assert closed_segments(path) == [place(path, 3)]
    assert [each.name for each in exports] == ["000001.jsonl.gz", "000002.jsonl.gz"]
    exported = [line for each in exports for line in gzip.decompress(each.read_bytes()).decode().splitlines()]
    assert [line for line in exported if '"number":' in line] == kept[:9]
    assert json.loads(exported[0])["config"] == FIRST.config
    assert numbers(path) == [10, 11, 12, 13, 14]
    assert verify(path) == (5, 2)


def test_a_damaged_segment_of_the_archive_stays_and_others_go_for_it(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 5, 1, 1)
    closed = place(path, 1)
    data = closed.read_bytes()
    closed.chmod(0o644)
    closed.write_bytes(data.replace(b"raise to 4", b"raise to 5"))
    with pytest.raises(JournalError, match="record 4: damaged"):
        trim(path, 0)
    assert closed_segments(path) == [closed]
    assert [each.name for each in closed.parent.glob("*.jsonl.gz")] == ["000002.jsonl.gz"]


def test_a_table_keeps_its_archive_to_the_room_that_it_was_given(tmp_path: Path) -> None:
    table = read_config("stacks = { 1 = 100 }\n[game]\nblinds = [1, 2]\n")
    for room, kept in ((USUAL_BYTES, 2), (1, 0)):
        path = tmp_path / f"{room}.journal"
        _, live, recorder = take_up(table, Place(path, archive_bytes=room), Setup(clock=True), 1, Played())
        for at_us in (2, 3):
            recorder.rotate(live, at_us)
        recorder.close()
        settled = partial(_has_closed, path, kept)
        until(settled, "an archive of the right size")


def _has_closed(path: Path, count: int) -> bool:
    return len(closed_segments(path)) == count


def test_what_is_missing_between_segments_is_named(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 2, 2, 2, 2)
    second = place(path, 2)
    kept = second.read_bytes()
    second.unlink()
    with pytest.raises(JournalError, match=r"segment 2 is missing, expected it before 000003\.journal"):
        verify(path)
    other = rotated(tmp_path / "other.journal", 2, 2, 2)
    second.write_bytes(place(other, 2).read_bytes())
    with pytest.raises(JournalError, match=r"000002\.journal: goes on from another segment than 1"):
        verify(path)
    second.unlink()
    second.write_bytes(kept)
    assert verify(path) == (8, 4)


# --- the form before ---

OLD_FORM = """
PRAGMA application_id = 0x504F544B; PRAGMA user_version = 3;
CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
"""


def of_the_form_before(path: Path, count: int) -> Path:
    """A journal as the program wrote it that knew no segments."""
    opening = json.dumps({"config": "{}", "version": 1, "at": "2026-01-01T00:00:00+00:00"}).encode()
    begun = chained(BEFORE_ALL, opening)
    rows = as_rows(begun, encode([entry(number) for number in range(1, count + 1)], 1), 1)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD_FORM)
        db.executemany("INSERT INTO record VALUES (?, ?, ?)", [(0, opening.decode(), begun), *rows])
        db.execute("INSERT INTO head VALUES (1, ?, ?)", (count, rows[-1][2]))
        db.commit()
        db.execute("PRAGMA journal_mode = WAL")
    return path


def test_a_journal_of_the_form_before_goes_on_in_a_segment_of_this_one(tmp_path: Path) -> None:
    path = of_the_form_before(tmp_path / "t.journal", 3)
    assert verify(path) == (3, 1)
    journal, opening = Journal.open(path)
    with closing(journal):
        assert opening == Opening("{}", 1, "2026-01-01T00:00:00+00:00")
        with pytest.raises(JournalError, match="of form 3, expected another segment first"):
            journal.append([entry(4)])
        journal.rotate(STATES[1])
        appended(journal, 1)
    assert numbers(path) == [1, 2, 3, 4]
    assert verify(path) == (4, 2)


def test_a_file_that_says_another_form_than_its_opening_is_damaged(tmp_path: Path) -> None:
    path = rotated(tmp_path / "t.journal", 2)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 3")
    with pytest.raises(JournalError, match="of form 4 in a file of form 3") as raised:
        Journal.open(path)
    assert raised.value.number == 0
    assert encode_json(FIRST)
