"""Check a service that is killed repeatedly.

The kills must lose no answered command and repeat no command. A kill during a salvage must not hide a loss of records.
A salvage builds a new journal from the intact records of a damaged journal.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import select
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.journal import (
    Entry,
    Journal,
    SalvageResult,
    SegmentHeader,
    archive,
    iter_segments,
    salvage,
    salvage_journal,
    sqlite_file,
)
from controller.service import TableService, recovery
from controller.service.recorder import Recorder
from controller.steps import Step, format_step
from controller.view import (
    Command,
    protocol,
)
from hardware.file_replacement import fsync_folder
from tests.faults.random_play import config, recover_table, table_digest
from tests.kill_at_line import is_killed, kill_before_line
from tests.service.test_kill_recovery import next_command

KILLS = 60
SOAK_KILLS = 200
SOAK_SALVAGES = 50
SALVAGE_CODE = {
    function.__code__
    for function in (
        *(salvage.salvage_journal, salvage.replace_journal, salvage.finish_replacement),
        *(sqlite_file.create_segment_file, sqlite_file.write_segment_file, sqlite_file.delete_segment_files),
        *(sqlite_file.acquire_lock, fsync_folder),
        *(archive.remove_unfinished_rotation, archive.quarantine),
        *(recovery.recover, recovery._recover_damaged, recovery._recover_intact),
        *(Recorder.record, Recorder.rotate),
    )
}
"""Functions in which the tests kill a service during a salvage. Each function writes or moves files, or calls a
function that does so."""
MIN_LINES = 100
"""Minimum number of executed lines in `SALVAGE_CODE` during one salvage."""
STEP_LINES = 11
"""Number of executed lines from one tested kill to the next in the short test."""
MAX_ANSWERS = 6
"""Maximum number of commands that the service in the child process answers before it is killed.

The test waits for answers and not for a fixed time, so that kills reach every part of a command on a busy machine too.
"""
MAX_KILL_DELAY_S = 0.002
"""Maximum time from the last answer to the kill. The service needs about this time for one command."""
MIN_COMMANDS = 40
"""Minimum number of answered commands in a journal before the test damages it."""
DEADLINE_S = 120.0
PIPE_BYTES = 65536
REPEATING = ("1 add 100", "2 tip 5", "3 add 100", "4 tip 5", "undo")
"""Commands that the rules would accept twice, so that only the service can prevent a repetition."""


def run_and_kill(work: Callable[[], object], after_s: float, pipe: int | None = None, answers: int = 0) -> bytes:
    """Run the work in a child process, and kill the process after `after_s` seconds if it has not ended before.

    If `pipe` is given, the time starts when the child has written to the pipe and has answered `answers` commands.
    Return the data read from the pipe.
    """
    child = os.fork()
    if child == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            work()
        finally:
            os._exit(0)
    output = b""
    while pipe is not None and (not output or output.count(b"\ndone ") < answers):
        assert select.select([pipe], [], [], DEADLINE_S)[0], "the child writes nothing"
        output += os.read(pipe, PIPE_BYTES)
    time.sleep(after_s)  # This time determines how much work the child completes.
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return output


@dataclass
class Table:
    """Table with a service that is killed repeatedly, and what the test knows about the answers of the service."""

    journal: Path
    dice: Random
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    unanswered: Command | None = None
    """Last sent command, or None if the service has answered this command."""
    state: str = ""
    """Digest of the table at the last answer, or "" before the first answer."""
    answer_count: int = 0

    def kill_once(self) -> None:
        """Run a service that plays random commands until it is killed, and remember its answers."""
        read, write = os.pipe()
        first = next(self.numbers) * 1000
        repeated = self.unanswered
        after_s, answers = self.dice.uniform(0, MAX_KILL_DELAY_S), self.dice.randrange(MAX_ANSWERS)
        output = run_and_kill(lambda: asyncio.run(self._play(write, first, repeated)), after_s, read, answers)
        os.close(write)
        with os.fdopen(read, "rb") as rest_of_pipe:
            for line in (output + rest_of_pipe.read()).split(b"\n")[:-1]:
                kind, _, rest = line.partition(b" ")
                if kind == b"sent":
                    self.unanswered = protocol.decode_command(rest)
                else:
                    assert kind == b"done", line
                    self.unanswered, self.state = None, rest.decode()
                    self.answer_count += 1

    async def _play(self, pipe: int, first: int, repeated: Command | None) -> None:
        service = TableService.open(config(), self.journal, trays=False)
        dice = Random(first)
        for number in itertools.count(first):
            do = dice.choice(REPEATING) if dice.random() < 0.3 else format_step(next_command(service.view, dice))
            command = repeated or Command(client="one", id=number, do=do, view_sequence=service.view.sequence)
            repeated = None
            os.write(pipe, b"sent " + protocol.encode(command))
            service.handle_step_command(command)
            os.write(pipe, f"done {table_digest(service.live.table)}\n".encode())
            service._maintain_journal()
            await asyncio.sleep(0)

    def check(self) -> None:
        """Check that the journal ends with the last answered command, or with the unanswered command after it."""
        state = table_digest(recover_table(self.journal).table)
        if state != self.state and self.state:
            unanswered_id = f'"one",{self.unanswered.id},' if self.unanswered is not None else "none"
            commands = self.commands()
            is_next = commands and unanswered_id in commands[-1]
            assert is_next, f"after {self.answer_count} answers: neither the last state nor the next"

    def commands(self) -> list[str]:
        """Return the recorded commands in their order. A command with several consecutive records is listed once."""
        recorded = (record.command for segment in iter_segments(self.journal) for record in segment.records())
        return [command for command, _ in itertools.groupby(recorded) if command]


def kill_often(folder: Path, kills: int, seed: int) -> None:
    """Kill a service repeatedly and check after each kill that no command is lost or done twice."""
    table = Table(folder / "table.journal", Random(seed))
    for _ in range(kills):
        table.kill_once()
        table.check()
    commands = table.commands()
    assert len(set(commands)) == len(commands), "a command was done twice"
    assert table.answer_count > kills / 2


def test_repeated_kills_execute_each_command_once(ram_path: Path) -> None:
    kill_often(ram_path, KILLS, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100))
def test_many_kills_execute_each_command_once(ram_path: Path, seed: int) -> None:
    kill_often(ram_path, SOAK_KILLS, seed)


def test_planted_late_write_is_caught(ram_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, delayed = Journal.append, list[Entry]()

    def append_late(journal: Journal, entries: Sequence[Entry], *_: object) -> int:
        """Write the entries of the previous call to the journal, and keep the new entries for the next call."""
        last = original(journal, delayed)
        delayed[:] = entries
        return last

    monkeypatch.setattr(Journal, "append", append_late)
    with pytest.raises(AssertionError, match="neither the last state nor the next"):
        kill_often(ram_path, KILLS, seed=1)


# --- kills during a salvage ---


@dataclass(frozen=True)
class DamagedJournal:
    """Folder with a damaged journal that a service must salvage, and a folder for working copies of this journal."""

    source: Path
    work: Path

    def reset(self) -> Path:
        """Replace the working copy by a new copy of the damaged journal, and return the path of the new copy."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.source, self.work)
        return self.work / "table.journal"


def damage_journal(folder: Path, seed: int) -> DamagedJournal:
    """Play with repeated kills, then overwrite parts of the journal and of its write-ahead log with zeros."""
    source = folder / "source"
    source.mkdir()
    table = Table(source / "table.journal", Random(seed))
    while table.answer_count < MIN_COMMANDS:
        table.kill_once()
    live = recover_table(table.journal)
    assert not live.record_faults.are_damaged and not live.record_faults.alterations
    for path in (table.journal, table.journal.with_name(table.journal.name + "-wal")):
        data = bytearray(path.read_bytes() if path.exists() else b"")
        for start in range(len(data) // 3, len(data), len(data) // 3 + 1):
            data[start : start + 600] = bytes(len(data[start : start + 600]))
        if data:
            path.write_bytes(data)
    return DamagedJournal(source, folder / "work")


def is_loss_reported_twice(journal: Path) -> bool:
    """Start a service on the journal twice, one start after the other.

    Return True if both starts report a loss of records.
    """
    return all(
        live.record_faults.are_damaged or live.record_faults.alterations
        for live in (recover_table(journal), recover_table(journal))
    )


def alterations_in(journal: Path) -> frozenset[str]:
    """Return the alterations that a start of the service reports."""
    return recover_table(journal).record_faults.alterations


def kill_salvage_at_line(journal: Path, moment: int) -> bool:
    """Salvage a journal in a child process that is killed before it executes line number `moment` of the salvage.

    Lines are counted from 1 as they are executed. Return False if the salvage ended before it reached that line.
    """

    def start() -> None:
        with kill_before_line(moment, lambda code: code in SALVAGE_CODE):
            recover_table(journal)

    return is_killed(start)


def check_kills_during_salvage(damaged: DamagedJournal, step: int, kill_twice: bool = False) -> None:
    """Kill a salvage at every `step`-th executed line, and check that later starts of the service report the loss.

    With `kill_twice` kill the next salvage too, at another line, before the service may start undisturbed.
    """
    moment = 1
    assert is_loss_reported_twice(damaged.reset()), "the loss is not reported"
    while kill_salvage_at_line(damaged.reset(), moment):
        if kill_twice:
            kill_salvage_at_line(damaged.work / "table.journal", moment * 7 % MIN_LINES + 1)
        assert is_loss_reported_twice(damaged.work / "table.journal"), (
            f"killed at line {moment}, the loss is not reported"
        )
        moment += step
    assert moment > MIN_LINES, "the kills did not reach the code that moves files"


@pytest.fixture(scope="module")
def damaged_journal(tmp_path_factory: pytest.TempPathFactory) -> DamagedJournal:
    """Return a damaged journal for all tests of this module."""
    return damage_journal(tmp_path_factory.mktemp("damaged"), seed=1)


def test_kill_at_sampled_lines_of_a_salvage_still_reports_the_loss(damaged_journal: DamagedJournal) -> None:
    check_kills_during_salvage(damaged_journal, STEP_LINES)


def test_planted_salvage_that_records_the_loss_too_late_is_caught(
    ram_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original_salvage, original_recover = salvage_journal, recovery._recover_intact
    delayed: list[Step] = []

    def salvage_without_entries(
        path: Path, header: SegmentHeader | None, extra_entries: Sequence[Entry], **options: Any
    ) -> SalvageResult:
        delayed[:] = [entry.step for entry in extra_entries]
        return original_salvage(path, header, (), **options)

    def recover_and_record(*arguments: Any) -> Any:
        config, location, setup, journal, observed, at_us, hand_log = arguments
        observed = (*observed, *delayed)
        delayed.clear()
        return original_recover(config, location, setup, journal, observed, at_us, hand_log)

    monkeypatch.setattr(recovery, "salvage_journal", salvage_without_entries)
    monkeypatch.setattr(recovery, "_recover_intact", recover_and_record)
    # The planted fault must show itself only after a kill. With some seeds it also shows itself without a kill, because
    # the damaged journal lacks its last records. With others no kill shows it, because the records that are left no
    # longer fit together, which every start reports. The test skips these seeds.
    for seed in itertools.count(1):
        (folder := ram_path / str(seed)).mkdir()
        damaged = damage_journal(folder, seed)
        if is_loss_reported_twice(damaged.reset()) and "differs" not in alterations_in(damaged.reset()):
            break
    with pytest.raises(AssertionError, match="killed at line"):
        check_kills_during_salvage(damaged, STEP_LINES)


@pytest.mark.soak
@pytest.mark.parametrize("kill_twice", [False, True])
def test_kill_at_every_line_of_a_salvage_still_reports_the_loss(ram_path: Path, kill_twice: bool) -> None:
    check_kills_during_salvage(damage_journal(ram_path, seed=1), 1, kill_twice)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_kill_at_random_moments_of_a_salvage_still_reports_the_loss(ram_path: Path, seed: int) -> None:
    # The kill comes at a random time while the service starts, so that it can also interrupt SQLite.
    dice, damaged, took_s = Random(seed), damage_journal(ram_path, seed), 0.0
    for _ in range(SOAK_SALVAGES + 1):
        journal = damaged.reset()
        if took_s:
            run_and_kill(partial(recover_table, journal), dice.uniform(0, took_s))
        start_s = time.perf_counter()
        assert is_loss_reported_twice(journal), "the loss is not reported"
        took_s = took_s or (time.perf_counter() - start_s) / 2
