"""A follower reads every record of a journal once and in order, and a journal can be built again from what it read."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.integrity import TableKey, make_guard
from controller.journal import (
    Journal,
    JournalBusy,
    JournalError,
    JournalFollower,
    Segment,
    SegmentRows,
    Stretch,
    audit_journal,
    new_header,
    rebuild_journal,
    salvage_journal,
    trim_archive,
)
from controller.journal.archive import closed_segments, list_quarantined
from controller.journal.replication import follower as follower_module
from controller.journal.sqlite_file import sibling
from tests.controller.journal_tampering import KEY, entries
from tests.service.service_process import wait_until

FIRST = new_header('{"game": {"blinds": [2, 5]}}')
Rows = tuple[bytes, dict[int, tuple[bytes, bytes]], dict[int, bytes], tuple[int, bytes, bytes]]


class Writer:
    """A table that writes a journal and can do everything that changes its files."""

    def __init__(self, folder: Path, key: TableKey = KEY) -> None:
        self.path = folder / "t.journal"
        self.guard = make_guard(self.path, key)
        self.journal = Journal.create(self.path, FIRST, guard=self.guard)

    def append(self, count: int = 1, state: bytes = b"") -> None:
        last = self.journal.last_number
        self.journal.append(entries(last + 1, last + count), state)

    def rotate(self) -> None:
        state = b"state at record %d" % self.journal.last_number
        self._retry_while_read(lambda: self.journal.rotate(state))

    def begin_new_journal(self) -> None:
        config = '{"game": {"blinds": [5, 10]}}'
        self._retry_while_read(lambda: self.journal.rotate(b"state of a new game", "configuration", config=config))

    @staticmethod
    def _retry_while_read(rotate: Callable[[], None]) -> None:
        """Begin a new segment, as the service does it: if another process reads the file, try again later."""

        def has_rotated() -> bool:
            try:
                rotate()
            except JournalBusy:
                return False
            return True

        wait_until(has_rotated, "nobody reads the segment")

    def salvage(self) -> None:
        """Damage the last record on disk, and replace the journal with its proven records."""
        if self.journal.segment_record_count < 2:
            self.append(2)
        self.journal.close()
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("UPDATE record SET body = 'damaged' WHERE number = (SELECT max(number) FROM record)")
            db.commit()
        result = salvage_journal(self.path, guard=self.guard)
        assert result.damaged_path is not None
        self.journal = Journal.open(self.path, guard=self.guard)[0]

    def restart(self) -> None:
        self.journal.close()
        self.journal = Journal.open(self.path, guard=self.guard)[0]

    def close(self) -> None:
        self.journal.close()


EVENTS: dict[str, Callable[[Writer], None]] = {
    "append": Writer.append,
    "hand-end": lambda writer: writer.append(3, b"state at the end of a hand"),
    "rotate": Writer.rotate,
    "new-journal": Writer.begin_new_journal,
    "salvage": Writer.salvage,
    "restart": Writer.restart,
}


def rows_of(path: Path) -> Rows:
    """Return everything that the file of a segment contains."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        db.text_factory = bytes
        rows = {number: (body, stored) for number, body, stored in db.execute("SELECT * FROM record")}
        states = dict(db.execute("SELECT number, body FROM state"))
        opening, _ = rows.pop(0)
        return opening, rows, states, db.execute("SELECT number, hash, seal FROM head").fetchone()


def journal_rows(path: Path) -> list[Rows]:
    return [rows_of(segment_path) for segment_path in (*closed_segments(path), path)]


class Collected(NamedTuple):
    """The content of a segment that a follower has read so far."""

    opening: bytes
    bodies: list[bytes]
    states: dict[int, bytes]
    signature: bytes

    def rows(self) -> SegmentRows:
        return SegmentRows(self.opening, self.bodies, self.states, self.signature)


def collect(stretches: Sequence[Stretch]) -> list[Collected]:
    segments: list[Collected] = []
    for stretch in stretches:
        if stretch.begins_segment:
            segments.append(Collected(stretch.opening, [], {}, b""))
        segment = segments[-1]
        segment.bodies.extend(stretch.bodies)
        segment.states.update(stretch.states)
        segments[-1] = segment._replace(signature=stretch.signature or b"")
    return segments


def read_all(follower: JournalFollower) -> list[Stretch]:
    stretches: list[Stretch] = []
    while (stretch := follower.read()) is not None:
        assert not stretches or stretch.begins_segment or stretch.previous == stretches[-1].head
        stretch.verify()
        stretches.append(stretch)
    return stretches


def differences(folder: Path, stretches: Sequence[Stretch], path: Path) -> list[str]:
    """Build a journal from what a follower has read, and return how it differs from the journal at `path`."""
    copy = folder / "copy.journal"
    rebuild_journal(copy, [segment.rows() for segment in collect(stretches)])
    problems = [line for _, line in audit_journal(copy, [KEY.public_key]).findings]
    problems += [] if journal_rows(copy) == journal_rows(path) else ["the rows differ"]
    return problems


@pytest.mark.parametrize("seed", range(12))
def test_follower_reads_every_record_whatever_happens_to_the_files(tmp_path: Path, seed: int) -> None:
    choices = random.Random(seed)
    with closing(Writer(tmp_path)) as writer:
        follower = JournalFollower(writer.path)
        stretches = read_all(follower)
        for _ in range(40):
            name = choices.choice(["append", "append", "append", *EVENTS])
            EVENTS[name](writer)
            if choices.random() < 0.7:
                stretches += read_all(follower)
            if choices.random() < 0.3:
                follower = JournalFollower(writer.path, follower.position)
        writer.append()
        stretches += read_all(follower)
        if not list_quarantined(writer.path):
            assert differences(tmp_path, stretches, writer.path) == []
    collected = {segment.opening: segment for segment in collect(stretches)}
    for opening, rows, states, (_, _, signature) in journal_rows(writer.path):
        expected = Collected(opening, [body for body, _ in rows.values()], states, signature)
        assert collected[opening] == expected


def test_rebuilt_journal_equals_the_original_and_continues(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        for name in ("hand-end", "append", "rotate", "hand-end", "new-journal", "append", "rotate", "append"):
            EVENTS[name](writer)
        assert differences(tmp_path, read_all(JournalFollower(writer.path)), writer.path) == []
    copy = tmp_path / "copy.journal"
    assert copy.read_bytes()[:16] == b"SQLite format 3\0"
    with closing(Journal.open(copy, guard=make_guard(copy, KEY))[0]) as journal:
        journal.append(entries(journal.last_number + 1, journal.last_number + 1))
    assert audit_journal(copy, [KEY.public_key]).findings == ()


FAULTS: dict[str, Callable[[Stretch], Stretch]] = {
    "lost-record": lambda stretch: stretch._replace(bodies=stretch.bodies[:-1]),
    "lost-state": lambda stretch: stretch._replace(states={}),
    "lost-signature": lambda stretch: stretch._replace(signature=b""),
    "other-opening": lambda stretch: stretch._replace(opening=stretch.opening.replace(b"[2,", b"[3,")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_of_a_follower_is_found(tmp_path: Path, fault: str) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append(3, b"state at the end of a hand")
        stretches = [FAULTS[fault](stretch) for stretch in read_all(JournalFollower(writer.path))]
        assert stretches
        assert differences(tmp_path, stretches, writer.path) != []


def test_salvaged_journal_follows_the_damaged_one_in_the_copy(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        follower = JournalFollower(writer.path)
        writer.rotate()
        writer.append(4)
        stretches = read_all(follower)
        damaged_rows = rows_of(writer.path)
        writer.salvage()
        writer.append()
        stretches += read_all(follower)
        assert differences(tmp_path, stretches, writer.path) == []
    (quarantined,) = list_quarantined(tmp_path / "copy.journal")
    assert rows_of(quarantined) == damaged_rows


def test_journal_salvaged_twice_before_it_was_read_is_read_from_its_first_segment(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append(3)
        follower = JournalFollower(writer.path)
        read_all(follower)
        writer.salvage()
        writer.append(3)
        writer.salvage()
        writer.append()
        writer.begin_new_journal()
        writer.append()
        writer.rotate()
        assert differences(tmp_path, read_all(follower), writer.path) == []


def test_one_look_opens_at_most_three_files_of_a_long_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Writer(tmp_path)) as writer:
        for _ in range(20):
            writer.append()
            writer.rotate()
        follower = JournalFollower(writer.path)
        opened: list[Path] = []
        open_read_only = Segment.open_read_only

        def open_and_note(path: Path, *, closed: bool = False) -> Segment:
            opened.append(path)
            return open_read_only(path, closed=closed)

        monkeypatch.setattr(Segment, "open_read_only", open_and_note)
        looks = 0
        while follower.read() is not None:
            looks += 1
            assert len(opened) <= 3
            opened.clear()
        assert looks == 21
        assert opened == [writer.path]


def test_follower_continues_behind_segments_that_were_exported(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append(2)
        follower = JournalFollower(writer.path)
        read_all(follower)
        for _ in range(3):
            writer.append(2)
            writer.rotate()
        trim_archive(writer.path, closed_segments(writer.path)[-1].stat().st_size)
        (stretch, *_) = read_all(follower)
    assert stretch.begins_segment
    assert (stretch.previous.segment, stretch.previous.number) == (3, 6)


def test_journal_that_the_follower_does_not_know_is_read_from_its_first_segment(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        for _ in range(4):
            writer.append(2)
            writer.rotate()
        position = writer.journal.chain_head()._replace(journal="another journal", segment=3)
        stretches = read_all(JournalFollower(writer.path, position))
        assert differences(tmp_path, stretches, writer.path) == []


def test_follower_shows_that_the_journal_was_replaced_by_an_older_copy(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append(3)
    older_copy = writer.path.read_bytes()
    with closing(Journal.open(writer.path)[0]) as journal:
        journal.append(entries(4, 6))
        follower = JournalFollower(writer.path)
        (stretch,) = read_all(follower)
        assert stretch.head.number == 6
    writer.path.write_bytes(older_copy)
    behind = follower.read()
    assert behind is not None
    assert (behind.previous.number, behind.bodies, behind.head.number) == (3, (), 3)


PASSING_ERRORS = [sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN | 3 << 8]


@pytest.mark.parametrize("code", PASSING_ERRORS)
def test_error_that_passes_says_try_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append()
        follower = JournalFollower(writer.path)

        def fail(path: Path, mode: str) -> sqlite3.Connection:
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorcode = code
            raise error

        with monkeypatch.context() as patch:
            patch.setattr("controller.journal.segment.connect", fail)
            with pytest.raises(JournalBusy, match="Try again later"):
                follower.read()
        assert [stretch.head.number for stretch in read_all(follower)] == [1]


def test_damaged_record_is_an_error_and_leaves_the_position(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append(2)
        follower = JournalFollower(writer.path)
        read_all(follower)
        position = follower.position
        writer.append(2)
    with closing(sqlite3.connect(writer.path)) as db:
        db.execute("UPDATE record SET body = 'damaged' WHERE number = 3")
        db.commit()
    with pytest.raises(JournalError, match="record 3: damaged"):
        follower.read()
    assert follower.position == position


def test_long_segment_is_read_in_several_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "MAX_STRETCH_RECORDS", 4)
    with closing(Writer(tmp_path)) as writer:
        writer.append(10)
        stretches = read_all(JournalFollower(writer.path))
        assert [len(stretch.bodies) for stretch in stretches] == [4, 4, 2]
        assert [stretch.signature is None for stretch in stretches] == [True, True, False]
        assert differences(tmp_path, stretches, writer.path) == []


def test_rebuild_refuses_an_existing_journal_and_foreign_rows(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        rows = [segment.rows() for segment in collect(read_all(JournalFollower(writer.path)))]
    with pytest.raises(JournalError, match="expected no journal yet"):
        rebuild_journal(writer.path, rows)
    with pytest.raises(JournalError, match="at least one"):
        rebuild_journal(tmp_path / "empty.journal", [])
    for number, opening in enumerate((b"{}", b"\xff", rows[0].opening.replace(b'"form":4', b'"form":3'))):
        with pytest.raises(JournalError, match="segment header"):
            rebuild_journal(tmp_path / f"{number}.journal", [rows[0]._replace(opening=opening)])


def test_show_follow_prints_new_records_of_the_next_segments(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append()
        writer.rotate()
        writer.append()
        output = tmp_path / "output"
        with output.open("wb") as stream:
            command = [sys.executable, "-m", "controller.cli", "journal", "show", "--follow", str(writer.path)]
            process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)
        try:
            wait_until(lambda: b"raise to 2" in output.read_bytes(), "the running segment is printed")
            assert b"raise to 1\n" not in output.read_bytes()
            writer.append()
            writer.rotate()
            writer.append()
            wait_until(lambda: b"raise to 4" in output.read_bytes(), "the next segment is printed")
        finally:
            process.kill()
            process.wait()
    lines = output.read_text().splitlines()
    assert [line.split()[-1] for line in lines if "raise to" in line] == ["2", "3", "4"]
    assert sum("segment" in line for line in lines) == 2


def test_show_follow_ends_at_ctrl_c_and_prints_a_problem_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Writer(tmp_path)) as writer:
        writer.append()
    looks = iter(range(3))

    def wait(_seconds: float) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt
        writer.path.unlink(missing_ok=True)

    monkeypatch.setattr("controller.commands.journal.time.sleep", wait)
    result = CliRunner().invoke(main, ["journal", "show", "--follow", str(writer.path)])
    assert (result.exit_code, result.stdout.count("raise to 1")) == (0, 1)
    assert result.stderr.count("no such file") == 1


def test_show_follow_of_a_missing_journal_exits_with_2(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller.cli", "journal", "show", "--follow", str(tmp_path / "t.journal")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (result.returncode, result.stdout) == (2, "")
    assert "no such file, expected a journal" in result.stderr
    assert not sibling(tmp_path / "t.journal", "-wal").exists()
