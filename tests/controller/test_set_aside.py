"""Journals that were set aside, `PATH.damaged-N`: each has a name of its own, and they keep to their room."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from controller.config import read_config
from controller.journal import Entry, Journal, JournalError, archive, finish, opening_of, replace, salvage, thin
from controller.journal.archive import all_aside, room_of
from controller.journal.file import beside
from controller.live import Setup
from controller.service import recorder as recording
from controller.service.looks import Played
from controller.service.recorder import Place
from controller.service.starting import take_up
from controller.table import Declaration, Declares
from tests.killing import dying, is_killed
from tests.service.running import until

OPENING = opening_of("{}")
LINES = 20
"""Of what exports one and takes it away, at least."""


class Killed(BaseException):
    """What follows is not done any more."""


def journal_of(path: Path, *wagers: int) -> None:
    """A journal whose process was killed: its last record is in the WAL alone."""
    Journal.create(path, OPENING).close()
    for some in (wagers[:-1], wagers[-1:]):
        journal, _ = Journal.open(path)
        with closing(journal):
            for wager in some:
                journal.append([Entry(wager, Declares(3, Declaration("raise", wager)), "dealer")])
            wal = beside(path, "-wal")
            files = {each: each.read_bytes() for each in (path, wal) if each.exists()}
    for each, data in files.items():
        each.write_bytes(data)


def aside_of(path: Path, *journals: tuple[int, ...]) -> None:
    """So many journals set aside, each with its records, and a journal that runs."""
    for wagers in journals:
        journal_of(path, *wagers)
        assert replace(path, OPENING) is not None
        path.unlink()
    Journal.create(path, OPENING).close()


def told(lines: Iterator[str] | list[str]) -> list[str]:
    return [json.loads(line)["do"] for line in lines if '"number":' in line]


def exported(path: Path) -> dict[str, list[str]]:
    """By name, the records that are kept of what went."""
    return {
        each.name.removeprefix(f"{path.name}."): told(gzip.decompress(each.read_bytes()).decode().splitlines())
        for each in sorted(path.parent.glob("*.jsonl.gz"))
    }


def names(path: Path) -> list[str]:
    return [each.name.removeprefix(f"{path.name}.") for each in all_aside(path)]


def test_the_oldest_go_when_their_records_are_beside_and_the_last_stays(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (10, 20), (30,), (40, 50, 60))
    thin(path)
    assert names(path) == ["damaged-1", "damaged-2", "damaged-3"]
    newest = all_aside(path)[-1]
    thin(path, room_of(newest) + room_of(all_aside(path)[1]))
    assert names(path) == ["damaged-2", "damaged-3"]
    thin(path, 0)
    assert names(path) == ["damaged-3"]
    assert exported(path) == {
        "damaged-1.jsonl.gz": ["3 raise to 10", "3 raise to 20"],
        "damaged-2.jsonl.gz": ["3 raise to 30"],
    }
    assert {each.name for each in tmp_path.glob("*.damaged-[12]*")} == {each.name for each in tmp_path.glob("*.gz")}


def test_of_one_that_is_damaged_all_that_can_be_proven_stays(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (10, 20, 30), ())
    for each in tmp_path.glob("*.damaged-1*"):
        each.write_bytes(each.read_bytes().replace(b"raise to 20", b"raise to 25"))
    thin(path, 0)
    assert exported(path)["damaged-1.jsonl.gz"] == ["3 raise to 10", "3 raise to 30"]


def test_of_one_that_holds_nothing_but_a_state_nothing_stays(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (), (), ())
    beside(path, ".damaged-2").write_bytes(b"no journal any more")
    thin(path, 0)
    assert names(path) == ["damaged-3"] and exported(path) == {}


def test_one_that_cannot_be_read_stays_and_others_go_for_it(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (10,), (20,), (30,))
    for ending in ("", "-wal"):
        beside(path, f".damaged-1{ending}").unlink(missing_ok=True)
    beside(path, ".damaged-1").mkdir()
    with pytest.raises(JournalError, match="Is a directory"):
        thin(path, 0)
    assert names(path) == ["damaged-1", "damaged-3"] and list(exported(path)) == ["damaged-2.jsonl.gz"]


def test_killed_while_one_goes_nothing_of_it_is_lost(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    wagers = tuple(range(10, 130))  # on several pages, of which the WAL has the last
    aside_of(made / "t.journal", wagers, ())
    killed, moment = 0, 1
    while True:
        path = tmp_path / str(moment) / "t.journal"
        shutil.copytree(made, path.parent)
        if not is_killed(partial(killed_before, moment, path)):
            break
        thin(path, 0)
        assert names(path) == ["damaged-2"], f"killed at line {moment}"
        assert list(exported(path).values()) == [[f"3 raise to {each}" for each in wagers]], f"killed at line {moment}"
        killed, moment = killed + 1, moment + 1
    assert killed > LINES


def killed_before(moment: int, path: Path) -> None:
    with dying(moment, lambda code: code.co_name in ("thin", "write_lines", "take_away", "room_of")):
        thin(path, 0)


def test_a_number_is_not_used_again_whatever_was_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (10,), (20,))
    beside(path, ".damaged-1").unlink()  # for want of room; its WAL was overlooked
    thin(path, 0)
    assert replace(path, OPENING) == beside(path, ".damaged-3")
    for each in all_aside(path)[-1:]:
        each.rename(beside(path, ".damaged-4000"))
    assert replace(path, OPENING) == beside(path, ".damaged-4001"), "however many there were"


def test_a_wal_that_was_not_moved_yet_follows_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the two, beside others of which somebody has taken some away."""
    path = tmp_path / "t.journal"
    aside_of(path, (10,), (20, 25))
    other = beside(path, ".damaged-2-wal").read_bytes()
    for each in tmp_path.glob("*.damaged-1*"):
        each.unlink()
    path.unlink()
    journal_of(path, 30, 35)
    own = beside(path, "-wal").read_bytes()
    rename = Path.rename
    moved: list[Path] = []

    def killed(self: Path, target: Path) -> Path:
        if moved:
            raise Killed
        moved.append(self)
        return rename(self, target)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "rename", killed)
        replace(path, OPENING)
    assert moved == [path] and finish(path)
    assert beside(path, ".damaged-2-wal").read_bytes() == other
    assert beside(path, ".damaged-3-wal").read_bytes() == own


def test_a_wal_whose_file_was_deleted_joins_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.journal"
    aside_of(path, (10, 15))
    other = beside(path, ".damaged-1-wal").read_bytes()
    path.unlink()
    journal_of(path, 30, 35)
    path.unlink()

    def killed(self: Path, target: Path) -> Path:
        if beside(path, ".salvaged").exists():
            raise Killed
        return rename(self, target)

    rename = Path.rename
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "rename", killed)
        replace(path, OPENING)
    assert finish(path)
    assert beside(path, ".damaged-1-wal").read_bytes() == other
    assert names(path) == ["damaged-1", "damaged-2"]


def test_a_disk_that_fails_again_and_again_takes_no_more_than_its_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recorder and the start both see to it."""
    monkeypatch.setattr(recording, "ASIDE_BYTES", 0)
    path = tmp_path / "t.journal"
    table = read_config("stacks = { 1 = 100 }\n[game]\nblinds = [1, 2]\n")
    _, live, recorder = take_up(table, Place(path), Setup(clock=True), 1, Played())
    for at_us in range(10_000_000, 40_000_000, 10_000_000):
        path.unlink()
        live = recorder.keep(recorder.keep(live, at_us), at_us)
        assert not recorder.dark
        until(lambda: len(names(path)) <= 1, "what was set aside keeps to its room")
    recorder.close()
    for _ in range(3):
        path.write_bytes(path.read_bytes()[:5000])
        salvage(path, OPENING)
    assert len(names(path)) > 1
    take_up(table, Place(path), Setup(clock=True), 1, Played())[2].close()
    until(lambda: len(names(path)) == 1, "what was set aside keeps to its room")


def test_a_disk_whose_journals_are_kept_without_end_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "take_away", lambda aside: None)
    with pytest.raises(AssertionError, match=r"damaged-1"):
        test_the_oldest_go_when_their_records_are_beside_and_the_last_stays(tmp_path)
