"""The power goes at any moment: what was answered is on the disk, whatever the disk had not been told to flush."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from controller.journal import JournalError
from tests.faults import disk
from tests.faults.disk import Disk, Op
from tests.faults.playing import come_back, told

POINTS = 500
COMMANDS = 30
"""What is flushed is the same at every one."""
SOAK_POINTS = 1000
SOAK_COMMANDS = 150
"""Some hands: the WAL is copied into the file within, and another segment begun."""
LEAST_BEHIND = 0.5
"""Of the points, those behind some answer: before the first there is nothing to lose."""
LEAST_DIFFERENT = 0.5
"""Of the points, those that leave something else than all others."""
LEAST_ANSWERS = 0.4
"""Of the commands, those that were done."""
DEADLINE_S = 120.0


@dataclass(frozen=True)
class Cut:
    """What a power cut left, and what had been answered by then."""

    answered: int
    files: dict[str, bytes]


@dataclass(frozen=True)
class Evening:
    """What a process did to its disk while it played, and what it answered."""

    folder: Path
    ops: list[Op]
    answers: list[str]
    """What the table was after each answer."""

    def cuts(self, points: int, dice: Random) -> Iterator[Cut]:
        """Cuts anywhere, in order: often right behind an answer, and before it."""
        moments = sorted(dice.choices(range(len(self.ops) + 1), k=points))
        held, answered, at = Disk(), 0, 0
        for moment in moments:
            for op in self.ops[at:moment]:
                if op.path.endswith(".told"):
                    answered += op.what == "w"
                else:
                    held.take(op)
            at = moment
            yield Cut(answered, held.after_cut(dice))


def evening(folder: Path, seed: int, commands: int, *options: str) -> Evening:
    watched = folder / "disk"
    watched.mkdir()
    arguments = ["tests.faults.playing", str(watched / "table.journal"), str(seed), str(commands), *options]
    ops = disk.run(disk.built(folder), watched, folder / "log", arguments, DEADLINE_S)
    answers = [op.data.decode().split()[1] for op in ops if op.what == "w" and op.path.endswith(".told")]
    return Evening(watched, ops, answers)


def state_after(cut: Cut, played: Evening, folder: Path) -> str:
    """The table of a service that starts on what the cut left."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    disk.lay_out(cut.files, played.folder, folder)
    try:
        live = come_back(folder / "table.journal")
    except JournalError as error:
        return f"refused: {error}"
    alarm = "alarm " if live.damaged or live.altered else ""
    return alarm + told(live.table)


def as_it_is(played: Evening) -> dict[str, bytes]:
    """The files at the end, put together from the log."""
    held = Disk()
    for op in played.ops:
        held.take(op)
    return held.whole()


def left(folder: Path) -> Iterator[Path]:
    """The files that lie there, without what SQLite makes anew."""
    return (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))


def check(played: Evening, points: int, folder: Path, seed: int) -> None:
    """After each cut the table is where it was at the last answer, or one command on, and no alarm is raised: nothing
    is lost."""
    known: dict[tuple[tuple[str, int], ...], str] = {}
    behind = 0
    for cut in played.cuts(points, Random(seed)):
        content = tuple(sorted((name, hash(data)) for name, data in cut.files.items()))
        if content not in known:
            known[content] = state_after(cut, played, folder)
        # Before the first answer nothing was promised: there may be no journal yet.
        possible = played.answers[max(cut.answered - 1, 0) :][:2]
        assert known[content] in possible, f"after answer {cut.answered}"
        behind += cut.answered > 0
    assert behind >= points * LEAST_BEHIND and len(known) >= points * LEAST_DIFFERENT, f"{behind}, {len(known)}"


def test_nothing_that_was_answered_is_lost_at_a_power_cut(quick_path: Path) -> None:
    played = evening(quick_path, 1, COMMANDS)
    assert len(set(played.answers)) > COMMANDS * LEAST_ANSWERS
    assert as_it_is(played) == {str(path): path.read_bytes() for path in left(played.folder)}, "the log is not the disk"
    check(played, POINTS, quick_path / "cut", seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_nothing_that_was_answered_is_lost_at_many_power_cuts(quick_path: Path, seed: int) -> None:
    check(evening(quick_path, seed, SOAK_COMMANDS, "--hurried"), SOAK_POINTS, quick_path / "cut", seed)


def test_a_journal_that_does_not_wait_for_the_disk_is_caught(quick_path: Path) -> None:
    played = evening(quick_path, 1, COMMANDS, "--careless")
    with pytest.raises(AssertionError, match="after answer"):
        check(played, POINTS, quick_path / "cut", seed=1)
