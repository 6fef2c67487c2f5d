"""A journal closes its segment file and continues in a new one.

If the process is killed during the change, the journal continues in the old or in the new segment without losing a
record.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from controller.config import parse_config
from controller.integrity import local_mark_path, make_guard
from controller.journal import (
    DEFAULT_ARCHIVE_BYTES,
    Entry,
    Journal,
    JournalBusy,
    JournalError,
    Segment,
    SegmentHeader,
    audit_journal,
    export_jsonl,
    iter_segments,
    new_header,
    show_text,
    trim_archive,
    verify,
)
from controller.journal.archive import closed_segment_path, closed_segments
from controller.journal.records import encode_entries, encode_json
from controller.journal.sqlite_file import GENESIS_HASH, chain_hash, chained_rows, sibling
from controller.live import TableSetup
from controller.service.queries import HandLog
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover
from controller.steps import Declaration, hand_steps
from tests.kill_at_line import is_killed, kill_before_line
from tests.service.service_process import wait_until

STATES = [f"state {number}".encode() for number in range(9)]
FIRST = new_header('{"game": {"blinds": [2, 5]}}')


def entry(number: int) -> Entry:
    return Entry(number * 1000, hand_steps.Declares(3, Declaration("raise", number)), "dealer")


def append_entries(journal: Journal, count: int) -> None:
    for _ in range(count):
        journal.append([entry(journal.last_number + 1)])


def rotated_journal(path: Path, *counts: int) -> Path:
    """Create a closed journal with one segment for each value of `counts`.

    The value is the number of records in the segment.
    """
    with closing(Journal.create(path, new_header(FIRST.config))) as journal:
        append_entries(journal, counts[0])
        for number, count in enumerate(counts[1:], 1):
            journal.rotate(STATES[number])
            append_entries(journal, count)
    return path


def numbers(path: Path) -> list[int]:
    return [record.number for segment in iter_segments(path) for record in segment.records()]


def test_journal_continues_in_a_new_segment(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        name = journal.journal_name
        append_entries(journal, 3)
        before = journal.chain_head()
        journal.rotate(STATES[1])
        assert (journal.last_number, journal.segment_record_count) == (3, 0)
        append_entries(journal, 2)
        assert (journal.last_number, journal.segment_record_count) == (5, 2)
    journal, header = Journal.open(path)
    with closing(journal):
        assert header == journal.header
        assert (header.journal_name, header.segment, header.previous_number) == (name, 2, 3)
        assert header.previous_hash == before.hash.hex()
        assert (header.parent_journal, header.origin, header.config) == ("", "", FIRST.config)
        assert journal.read_state(header.previous_number, header.state_digest) == STATES[1]
        assert journal.journal_name == name
        assert [record.number for record in journal.records()] == [4, 5]
        assert [entry_read.step for entry_read in journal.entries(4)] == [entry(5).step]
    assert numbers(path) == [1, 2, 3, 4, 5]
    assert verify(path) == (5, 2)
    assert len(list(export_jsonl(path))) == 7
    assert "segment 2 behind record 3" in "\n".join(show_text(path))
    closed = closed_segment_path(path, 1)
    assert closed_segments(path) == [closed]
    assert closed.stat().st_mode & 0o222 == 0
    assert not sibling(path, ".new").exists()


def test_new_journal_names_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        append_entries(journal, 2)
        parent = journal.journal_name
        journal.rotate(STATES[1], "configuration")
        assert journal.journal_name != parent
        append_entries(journal, 1)
        journal.rotate(STATES[2])
        append_entries(journal, 1)
        assert (journal.header.parent_journal, journal.header.origin, journal.header.previous_number) == (
            parent,
            "configuration",
            1,
        )
    assert numbers(path) == [1, 2, 1, 2]
    assert verify(path) == (4, 3)


def test_journal_with_a_removed_running_segment_continues_after_its_archive(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 2, 1, 1)
    with closing(Segment.open_read_only(path)) as segment:
        parent = segment.journal_name
    for ending in ("", "-wal", "-shm"):
        sibling(path, ending).unlink(missing_ok=True)
    with closing(Journal.create(path, FIRST, STATES[3])) as journal:
        assert (journal.header.segment, journal.header.parent_journal, journal.header.previous_number) == (3, parent, 0)
        assert journal.read_state(0, journal.header.state_digest) == STATES[3]
        journal.rotate(STATES[4])
    assert verify(path) == (3, 4)


def test_state_is_stored_with_the_record_it_was_given_with(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, FIRST)) as journal:
        journal.append([entry(1), entry(2)], STATES[1])
        first, second = journal.records()
        assert (first.state_digest, first.created_at) == ("", "")
        assert second.created_at
        assert journal.read_state(2, second.state_digest) == STATES[1]
    assert "state " + second.state_digest in "\n".join(show_text(path))
    for damage_sql, message in {
        "UPDATE state SET body = x'00'": "record 2: its state is damaged",
        "DELETE FROM state": "record 2: its state is damaged: missing",
    }.items():
        with closing(sqlite3.connect(path)) as db:
            db.executescript(damage_sql)
        with pytest.raises(JournalError, match=message) as raised:
            Journal.open(path)
        assert raised.value.number == 2


# --- kills at every moment ---


def killed_at(moment: int, path: Path) -> bool:
    """Start a new segment in another process, and kill the process before line number `moment`.

    Only executed lines of the journal's code are counted. Return False if the process finished before it was killed.
    """

    def rotate() -> None:
        journal = Journal.open(path, guard=make_guard(path))[0]
        with kill_before_line(moment, lambda code: "/controller/journal/" in code.co_filename):
            journal.rotate(STATES[1])
        journal.append([entry(journal.last_number + 1)])

    return is_killed(rotate)


def killed_while_rotating(folder: Path, line_step: int) -> tuple[int, int]:
    """Kill a process again and again while it starts a new segment of the journal.

    The kills are at every `line_step`-th line of code. Return how often the journal then continued in the old segment,
    and how often in the new segment.
    """
    continued = {1: 0, 2: 0}
    original = rotated_journal(folder / "original", 3).read_bytes()
    moment, running = 1, True
    while running:
        path = folder / f"{moment}.journal"
        path.write_bytes(original)
        running = killed_at(moment, path)
        assert audit_journal(path, (), [local_mark_path(path)]).findings == (), (
            "the audit reports an interrupted rotation as tampering"
        )
        journal, header = Journal.open(path, guard=make_guard(path))
        with closing(journal):
            continued[header.segment] += 1
            last = journal.append([entry(journal.last_number + 1)])
            journal.rotate(STATES[2])
        assert last == (4 if running else 5)
        assert numbers(path) == list(range(1, last + 1))
        assert verify(path) == (last, header.segment + 1)
        assert not list(folder.glob("*.new*"))
        moment += line_step
    return continued[1], continued[2]


def test_kill_during_rotation_leaves_the_old_or_the_new_segment(tmp_path: Path) -> None:
    old, new = killed_while_rotating(tmp_path, 13)
    assert old > 5 and new > 2


@pytest.mark.soak
def test_kill_at_every_line_of_a_rotation_loses_no_record(tmp_path: Path) -> None:
    old, new = killed_while_rotating(tmp_path, 1)
    print(f"killed {old + new - 1} times: {old} times the old segment continued, {new} times the new one")


def test_viewer_during_rotation_keeps_its_segment(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 3)
    journal, _ = Journal.open(path)
    with closing(journal), closing(Segment.open_read_only(path)) as viewer, closing(sqlite3.connect(path)) as reader:
        append_entries(journal, 1)
        assert viewer.last_number == 4
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM record").fetchone()
        append_entries(journal, 1)
        with pytest.raises(JournalBusy, match="another process reads it"):
            journal.rotate(STATES[1])
        append_entries(journal, 1)
        reader.execute("COMMIT")
        journal.rotate(STATES[1])
        append_entries(journal, 1)
        assert [record.number for record in viewer.records()] == [1, 2, 3, 4, 5, 6], (
            "a viewer that had the old segment open does not read it"
        )
        assert viewer.verify() == 6
    assert verify(path) == (7, 2)


def test_segment_continues_if_no_archive_can_be_created(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 3)
    in_the_way = tmp_path / "t.journal.archive"
    in_the_way.write_text("")
    journal, _ = Journal.open(path)
    with closing(journal):
        with pytest.raises(JournalError, match="expected a new segment file") as raised:
            journal.rotate(STATES[1])
        assert "\n" not in str(raised.value)
        append_entries(journal, 1)
        in_the_way.unlink()
        journal.rotate(STATES[1])
    assert verify(path) == (4, 2)


# --- the archive ---


def test_oldest_segments_are_removed_once_exported(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 5, 4, 3, 2)
    record_lines = [line for line in export_jsonl(path) if '"number":' in line]
    sizes = [segment_path.stat().st_size for segment_path in closed_segments(path)]
    assert trim_archive(path) == []
    exports = trim_archive(path, sizes[-1])
    assert closed_segments(path) == [closed_segment_path(path, 3)]
    assert [export.name for export in exports] == ["000001.jsonl.gz", "000002.jsonl.gz"]
    exported = [line for export in exports for line in gzip.decompress(export.read_bytes()).decode().splitlines()]
    assert [line for line in exported if '"number":' in line] == record_lines[:9]
    assert json.loads(exported[0])["config"] == FIRST.config
    assert numbers(path) == [10, 11, 12, 13, 14]
    assert verify(path) == (5, 2)


def test_damaged_archived_segment_is_kept_and_others_are_removed_instead(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 5, 1, 1)
    closed = closed_segment_path(path, 1)
    data = closed.read_bytes()
    closed.chmod(0o644)
    closed.write_bytes(data.replace(b"raise to 4", b"raise to 5"))
    with pytest.raises(JournalError, match="record 4: damaged"):
        trim_archive(path, 0)
    assert closed_segments(path) == [closed]
    assert [export.name for export in closed.parent.glob("*.jsonl.gz")] == ["000002.jsonl.gz"]


def test_archive_is_limited_to_its_configured_size(tmp_path: Path) -> None:
    table = parse_config("stacks = { 1 = 100 }\n[game]\nblinds = [1, 2]\n")
    for size_limit, segment_count in ((DEFAULT_ARCHIVE_BYTES, 2), (1, 0)):
        path = tmp_path / f"{size_limit}.journal"
        _, live, recorder = recover(
            table, JournalLocation(path, archive_bytes=size_limit), TableSetup(has_clock=True), 1, HandLog()
        )
        for at_us in (2, 3):
            recorder.rotate(live, at_us)
        recorder.close()
        settled = partial(_has_closed, path, segment_count)
        wait_until(settled, "an archive of the right size")


def _has_closed(path: Path, count: int) -> bool:
    return len(closed_segments(path)) == count


def test_missing_segment_is_reported(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 2, 2, 2, 2)
    second = closed_segment_path(path, 2)
    second_data = second.read_bytes()
    second.unlink()
    with pytest.raises(JournalError, match=r"segment 2 is missing, expected before 000003\.journal"):
        verify(path)
    other = rotated_journal(tmp_path / "other.journal", 2, 2, 2)
    second.write_bytes(closed_segment_path(other, 2).read_bytes())
    with pytest.raises(JournalError, match=r"000002\.journal: does not continue segment 1"):
        verify(path)
    second.unlink()
    second.write_bytes(second_data)
    assert verify(path) == (8, 4)


# --- the previous format ---

OLD_FORMAT = """
PRAGMA application_id = 0x504F544B; PRAGMA user_version = 3;
CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
"""


def journal_of_previous_format(path: Path, count: int) -> Path:
    """Create a journal in the format of the first program versions, which had no segments."""
    header = json.dumps({"config": "{}", "version": 1, "at": "2026-01-01T00:00:00+00:00"}).encode()
    header_hash = chain_hash(GENESIS_HASH, header)
    rows = chained_rows(header_hash, encode_entries([entry(number) for number in range(1, count + 1)], 1), 1)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD_FORMAT)
        db.executemany("INSERT INTO record VALUES (?, ?, ?)", [(0, header.decode(), header_hash), *rows])
        db.execute("INSERT INTO head VALUES (1, ?, ?)", (count, rows[-1][2]))
        db.commit()
        db.execute("PRAGMA journal_mode = WAL")
    return path


def test_journal_of_the_previous_format_continues_in_a_new_segment(tmp_path: Path) -> None:
    path = journal_of_previous_format(tmp_path / "t.journal", 3)
    assert verify(path) == (3, 1)
    journal, opening = Journal.open(path)
    with closing(journal):
        assert opening == SegmentHeader("{}", 1, "2026-01-01T00:00:00+00:00")
        with pytest.raises(JournalError, match="format 3, expected a new segment first"):
            journal.append([entry(4)])
        journal.rotate(STATES[1])
        append_entries(journal, 1)
    assert numbers(path) == [1, 2, 3, 4]
    assert verify(path) == (4, 2)


def test_file_whose_format_contradicts_its_header_is_damaged(tmp_path: Path) -> None:
    path = rotated_journal(tmp_path / "t.journal", 2)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 3")
    with pytest.raises(JournalError, match="format 4, but the file has format 3") as raised:
        Journal.open(path)
    assert raised.value.number == 0
    assert encode_json(FIRST)
