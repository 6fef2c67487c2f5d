"""Damaged journals are renamed to `PATH.damaged-N` with a new number N, and removed if they exceed a size limit."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from controller.config import parse_config
from controller.journal import (
    Entry,
    Journal,
    JournalError,
    archive,
    finish_replacement,
    new_header,
    replace_journal,
    salvage_journal,
    trim_quarantine,
)
from controller.journal.archive import list_quarantined, quarantined_bytes
from controller.journal.sqlite_file import sibling
from controller.live import TableSetup
from controller.service import recorder as recording
from controller.service.queries import HandLog
from controller.service.recorder import JournalLocation
from controller.service.recovery import recover
from controller.steps import Declaration, hand_steps
from tests.kill_at_line import is_killed, kill_before_line
from tests.service.service_process import wait_until

OPENING = new_header("{}")
LINES = 20
"""Minimum number of lines of code at which the test kills the process during the removal of a journal."""


class Killed(BaseException):
    """Exception that the test raises in place of a kill of the process."""


def journal_of(path: Path, *wagers: int) -> None:
    """Create the files that a killed process leaves of a journal.

    The journal has one record for each wager. The last record is only in the WAL, the write-ahead log of SQLite.
    """
    Journal.create(path, OPENING).close()
    for batch in (wagers[:-1], wagers[-1:]):
        journal, _ = Journal.open(path)
        with closing(journal):
            for wager in batch:
                journal.append([Entry(wager, hand_steps.Declares(3, Declaration("raise", wager)), "dealer")])
            wal = sibling(path, "-wal")
            images = {file: file.read_bytes() for file in (path, wal) if file.exists()}
    for file, data in images.items():
        file.write_bytes(data)


def quarantine_journals(path: Path, *journals: tuple[int, ...]) -> None:
    """Create one damaged journal for each list of wagers, and then a new journal without damage.

    Each damaged journal is renamed, as the service does when it finds the damage.
    """
    for wagers in journals:
        journal_of(path, *wagers)
        assert replace_journal(path, OPENING) is not None
        path.unlink()
    Journal.create(path, OPENING).close()


def record_lines(lines: Iterator[str] | list[str]) -> list[str]:
    return [json.loads(line)["do"] for line in lines if '"number":' in line]


def exported(path: Path) -> dict[str, list[str]]:
    """Return the records in each export file, by the name of the file.

    The export files contain the records of the damaged journals that were removed.
    """
    return {
        file.name.removeprefix(f"{path.name}."): record_lines(gzip.decompress(file.read_bytes()).decode().splitlines())
        for file in sorted(path.parent.glob("*.jsonl.gz"))
    }


def names(path: Path) -> list[str]:
    return [file.name.removeprefix(f"{path.name}.") for file in list_quarantined(path)]


def test_oldest_damaged_journals_are_exported_and_removed_but_the_last(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10, 20), (30,), (40, 50, 60))
    trim_quarantine(path)
    assert names(path) == ["damaged-1", "damaged-2", "damaged-3"]
    newest = list_quarantined(path)[-1]
    trim_quarantine(path, quarantined_bytes(newest) + quarantined_bytes(list_quarantined(path)[1]))
    assert names(path) == ["damaged-2", "damaged-3"]
    trim_quarantine(path, 0)
    assert names(path) == ["damaged-3"]
    assert exported(path) == {
        "damaged-1.jsonl.gz": ["3 raise to 10", "3 raise to 20"],
        "damaged-2.jsonl.gz": ["3 raise to 30"],
    }
    assert {file.name for file in tmp_path.glob("*.damaged-[12]*")} == {file.name for file in tmp_path.glob("*.gz")}


def test_removal_keeps_all_proven_records_of_a_damaged_journal(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10, 20, 30), ())
    for file in tmp_path.glob("*.damaged-1*"):
        file.write_bytes(file.read_bytes().replace(b"raise to 20", b"raise to 25"))
    trim_quarantine(path, 0)
    assert exported(path)["damaged-1.jsonl.gz"] == ["3 raise to 10", "3 raise to 30"]


def test_removal_of_a_journal_without_records_keeps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (), (), ())
    sibling(path, ".damaged-2").write_bytes(b"no journal any more")
    trim_quarantine(path, 0)
    assert names(path) == ["damaged-3"] and exported(path) == {}


def test_unreadable_journal_is_kept_and_others_are_removed_instead(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10,), (20,), (30,))
    for ending in ("", "-wal"):
        sibling(path, f".damaged-1{ending}").unlink(missing_ok=True)
    sibling(path, ".damaged-1").mkdir()
    with pytest.raises(JournalError, match="Is a directory"):
        trim_quarantine(path, 0)
    assert names(path) == ["damaged-1", "damaged-3"] and list(exported(path)) == ["damaged-2.jsonl.gz"]


def test_kill_during_removal_loses_no_record(ram_path: Path) -> None:
    original = ram_path / "original"
    original.mkdir()
    wagers = tuple(range(10, 130))  # With this number of records, the database has several pages.
    quarantine_journals(original / "t.journal", wagers, ())
    killed, moment = 0, 1
    while True:
        path = ram_path / str(moment) / "t.journal"
        shutil.copytree(original, path.parent)
        if not is_killed(partial(killed_before, moment, path)):
            break
        trim_quarantine(path, 0)
        assert names(path) == ["damaged-2"], f"killed at line {moment}"
        assert list(exported(path).values()) == [[f"3 raise to {wager}" for wager in wagers]], (
            f"killed at line {moment}"
        )
        killed, moment = killed + 1, moment + 1
    assert killed > LINES


TRIMMING = {
    function.__code__
    for function in (trim_quarantine, archive.write_gzip_lines, archive.delete_quarantined, archive.quarantined_bytes)
}


def killed_before(moment: int, path: Path) -> None:
    with kill_before_line(moment, lambda code: code in TRIMMING):
        trim_quarantine(path, 0)


def test_number_of_a_damaged_journal_is_never_reused(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10,), (20,))
    sibling(path, ".damaged-1").unlink()  # Somebody deleted the journal but not its WAL.
    trim_quarantine(path, 0)
    assert replace_journal(path, OPENING) == sibling(path, ".damaged-3")
    for file in list_quarantined(path)[-1:]:
        file.rename(sibling(path, ".damaged-4000"))
    assert replace_journal(path, OPENING) == sibling(path, ".damaged-4001"), "a number below the highest one was used"


def test_unmoved_wal_follows_its_own_database_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process was killed after it renamed the damaged journal, but before it renamed its WAL.

    An earlier damaged journal has been removed, and another one is still there.
    """
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10,), (20, 25))
    other = sibling(path, ".damaged-2-wal").read_bytes()
    for file in tmp_path.glob("*.damaged-1*"):
        file.unlink()
    path.unlink()
    journal_of(path, 30, 35)
    own = sibling(path, "-wal").read_bytes()
    rename = Path.rename
    moved: list[Path] = []

    def killed_rename(self: Path, target: Path) -> Path:
        if moved:
            raise Killed
        moved.append(self)
        return rename(self, target)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "rename", killed_rename)
        replace_journal(path, OPENING)
    assert moved == [path] and finish_replacement(path)
    assert sibling(path, ".damaged-2-wal").read_bytes() == other
    assert sibling(path, ".damaged-3-wal").read_bytes() == own


def test_wal_of_a_deleted_file_joins_no_other_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.journal"
    quarantine_journals(path, (10, 15))
    other = sibling(path, ".damaged-1-wal").read_bytes()
    path.unlink()
    journal_of(path, 30, 35)
    path.unlink()

    def killed_rename(self: Path, target: Path) -> Path:
        if sibling(path, ".salvaged").exists():
            raise Killed
        return rename(self, target)

    rename = Path.rename
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "rename", killed_rename)
        replace_journal(path, OPENING)
    assert finish_replacement(path)
    assert sibling(path, ".damaged-1-wal").read_bytes() == other
    assert names(path) == ["damaged-1", "damaged-2"]


def test_repeatedly_failing_disk_keeps_the_size_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size limit applies when the service starts and when the recorder replaces a failed journal."""
    monkeypatch.setattr(recording, "MAX_QUARANTINE_BYTES", 0)
    path = tmp_path / "t.journal"
    table = parse_config("stacks = { 1 = 100 }\n[game]\nblinds = [1, 2]\n")
    _, live, recorder = recover(table, JournalLocation(path), TableSetup(has_clock=True), 1, HandLog())
    for at_us in range(10_000_000, 40_000_000, 10_000_000):
        path.unlink()
        live = recorder.maintain(recorder.maintain(live, at_us), at_us)
        assert not recorder.is_unrecorded
        wait_until(lambda: len(names(path)) <= 1, "the quarantine to keep its size limit")
    recorder.close()
    for _ in range(3):
        path.write_bytes(path.read_bytes()[:5000])
        salvage_journal(path, OPENING)
    assert len(names(path)) > 1
    recover(table, JournalLocation(path), TableSetup(has_clock=True), 1, HandLog())[2].close()
    wait_until(lambda: len(names(path)) == 1, "the quarantine to keep its size limit")


def test_planted_unlimited_retention_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "delete_quarantined", lambda path: None)
    with pytest.raises(AssertionError, match=r"damaged-1"):
        test_oldest_damaged_journals_are_exported_and_removed_but_the_last(tmp_path)
