"""Check that a power cut at any moment loses no answered command, whichever unflushed data the disk loses."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from controller.journal import JournalError
from tests.faults import simulated_disk
from tests.faults.random_play import recover_table, table_digest
from tests.faults.simulated_disk import DiskOperation, SimulatedDisk

POINTS = 500
"""Number of power cuts."""
COMMANDS = 30
"""Number of commands in the short test. This small number is enough, because every command writes the same files."""
SOAK_POINTS = 1000
SOAK_COMMANDS = 150
"""Number of commands in the soak test.

The commands are enough for several hands, so that SQLite's write-ahead log is copied into the journal and new segments
start.
"""
MIN_ANSWERED_POINTS_SHARE = 0.5
"""Minimum share of power cuts that come after the first answer, because no answered command can be lost earlier."""
MIN_DIFFERENT_SHARE = 0.5
"""Minimum ratio of the number of different results on disk to the number of power cuts."""
MIN_ANSWERED_SHARE = 0.4
"""Minimum share of the commands that the table accepts."""
DEADLINE_S = 120.0


@dataclass(frozen=True)
class PowerCut:
    """Files after a power cut, and the number of answers that were written before the cut."""

    answered: int
    files: dict[str, bytes]


@dataclass(frozen=True)
class DiskRun:
    """Disk operations of a process that played random commands, and the answers that it wrote."""

    folder: Path
    ops: list[DiskOperation]
    answers: list[str]
    """Digest of the table at each answer, in the order of the answers."""

    def cuts(self, points: int, dice: Random) -> Iterator[PowerCut]:
        """Yield power cuts after random disk operations, in the order of these operations."""
        moments = sorted(dice.choices(range(len(self.ops) + 1), k=points))
        disk, answered, position = SimulatedDisk(), 0, 0
        for moment in moments:
            for op in self.ops[position:moment]:
                if op.path.endswith(".told"):
                    answered += op.kind == "w"
                else:
                    disk.apply(op)
            position = moment
            yield PowerCut(answered, disk.files_after_power_cut(dice))


def play(folder: Path, seed: int, commands: int, *options: str) -> DiskRun:
    """Run a process that plays random commands on a simulated disk."""
    watched = folder / "disk"
    watched.mkdir()
    arguments = ["tests.faults.random_play", str(watched / "table.journal"), str(seed), str(commands), *options]
    ops = simulated_disk.run(simulated_disk.build_library(folder), watched, folder / "log", arguments, DEADLINE_S)
    answers = [op.data.decode().split()[1] for op in ops if op.kind == "w" and op.path.endswith(".told")]
    return DiskRun(watched, ops, answers)


def state_after(cut: PowerCut, disk_run: DiskRun, folder: Path) -> str:
    """Start a service on the files after a power cut, and return the digest of its table.

    If the service reports a loss, the text begins with "alarm". If the journal cannot be opened, the text begins with
    "refused".
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    simulated_disk.write_files(cut.files, disk_run.folder, folder)
    try:
        live = recover_table(folder / "table.journal")
    except JournalError as error:
        return f"refused: {error}"
    alarm = "alarm " if live.record_faults.are_damaged or live.record_faults.alterations else ""
    return alarm + table_digest(live.table)


def final_files(run: DiskRun) -> dict[str, bytes]:
    """Return the contents of the files after the last disk operation of the log."""
    disk = SimulatedDisk()
    for op in run.ops:
        disk.apply(op)
    return disk.files_after_kill()


def durable_paths(folder: Path) -> Iterator[Path]:
    """Yield the paths of the files below a folder, except shared-memory files, which SQLite rebuilds."""
    return (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))


def check(disk_run: DiskRun, points: int, folder: Path, seed: int) -> None:
    """Cut the power at random moments and check each recovery.

    The service must recover the state of the last answer, or of the command after it. It must report no loss.
    """
    known: dict[tuple[tuple[str, int], ...], str] = {}
    answered_points = 0
    for cut in disk_run.cuts(points, Random(seed)):
        content = tuple(sorted((name, hash(data)) for name, data in cut.files.items()))
        if content not in known:
            known[content] = state_after(cut, disk_run, folder)
        # Before the first answer there may be no journal yet. A start without a journal gives the table of the first
        # answer, because the process writes that answer before its first command.
        possible = disk_run.answers[max(cut.answered - 1, 0) :][:2]
        assert known[content] in possible, f"after answer {cut.answered}"
        answered_points += cut.answered > 0
    assert answered_points >= points * MIN_ANSWERED_POINTS_SHARE, f"only {answered_points} cuts after an answer"
    assert len(known) >= points * MIN_DIFFERENT_SHARE, f"only {len(known)} different results"


def test_power_cut_loses_no_answered_command(ram_path: Path) -> None:
    disk_run = play(ram_path, 1, COMMANDS)
    assert len(set(disk_run.answers)) > COMMANDS * MIN_ANSWERED_SHARE
    files = {str(path): path.read_bytes() for path in durable_paths(disk_run.folder)}
    assert final_files(disk_run) == files, "the log does not give the files on disk"
    check(disk_run, POINTS, ram_path / "cut", seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_many_power_cuts_lose_no_answered_command(ram_path: Path, seed: int) -> None:
    check(play(ram_path, seed, SOAK_COMMANDS, "--hurried"), SOAK_POINTS, ram_path / "cut", seed)


def test_planted_journal_without_fsync_is_caught(ram_path: Path) -> None:
    disk_run = play(ram_path, 1, COMMANDS, "--careless")
    with pytest.raises(AssertionError, match="after answer"):
        check(disk_run, POINTS, ram_path / "cut", seed=1)
