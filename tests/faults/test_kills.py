"""Killed at any moment and asked again, a table does each command once; killed while it salvages, it still says so."""

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

from controller.journal import Entry, Journal, Opening, Salvage, salvage, segments
from controller.service import Service, starting
from controller.table import line
from controller.view import Command, decode_command, encode
from tests.faults.playing import come_back, config, told
from tests.killing import dying, is_killed
from tests.service.test_kill import next_command

KILLS = 60
SOAK_KILLS = 200
SOAK_SALVAGES = 50
MOVING = {
    "damage.py": ("salvage", "replace", "finish"),
    "file.py": ("build", "discard", "hold", "sync_folder"),
    "archive.py": ("settle", "set_aside"),
    "starting.py": ("take_up", "_salvaged", "_gone_on"),
    "recorder.py": ("write", "rotate"),
}
"""The functions that write and move files, and those that call them."""
LINES = 100
"""That a salvage takes in them, at least."""
EACH = 11
MOST_ANSWERS = 6
"""Of a child before it is killed: by what it said and not by the clock, so that a busy machine tries as much."""
LONGEST_S = 0.002
"""How long after an answer it is killed: a command takes about so long."""
LEAST_PLAYED = 40
"""Commands of the journal that is salvaged."""
DEADLINE_S = 20.0
PIPE_BYTES = 65536
REPEATING = ("1 add 100", "2 tip 5", "3 add 100", "4 tip 5", "undo")
"""What would be seen nowhere if it were done twice."""


def killed_child(work: Callable[[], object], after_s: float, said: int | None = None, answers: int = 0) -> bytes:
    """A child does the work and is killed on the way, or has ended before. Gives what it said on the pipe `said`; the
    time counts from when it has said anything, and has done so many commands."""
    child = os.fork()
    if child == 0:
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 2)
            work()
        finally:
            os._exit(0)
    heard = b""
    while said is not None and (not heard or heard.count(b"\ndone ") < answers):
        assert select.select([said], [], [], DEADLINE_S)[0], "the child says nothing"
        heard += os.read(said, PIPE_BYTES)
    time.sleep(after_s)  # the moment of the kill, not a wait for something
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return heard


@dataclass
class Table:
    """A table whose service is killed again and again, and what it answered."""

    journal: Path
    dice: Random
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    open: Command | None = None
    """Sent and not answered."""
    state: str = ""
    """What the table was at the last answer."""
    done: int = 0

    def kill_once(self) -> None:
        """Lets a service play for a moment, and takes down what it said."""
        read, write = os.pipe()
        first = next(self.numbers) * 1000
        again = self.open
        after_s, answers = self.dice.uniform(0, LONGEST_S), self.dice.randrange(MOST_ANSWERS)
        heard = killed_child(lambda: asyncio.run(self._play(write, first, again)), after_s, read, answers)
        os.close(write)
        with os.fdopen(read, "rb") as said:
            for text in (heard + said.read()).split(b"\n")[:-1]:
                kind, _, rest = text.partition(b" ")
                if kind == b"sent":
                    self.open = decode_command(rest)
                else:
                    assert kind == b"done", text
                    self.open, self.state = None, rest.decode()
                    self.done += 1

    async def _play(self, out: int, first: int, again: Command | None) -> None:
        service = Service.open(config(), self.journal, trays=False)
        dice = Random(first)
        for number in itertools.count(first):
            do = dice.choice(REPEATING) if dice.random() < 0.3 else line(next_command(service.view, dice))
            command = again or Command(client="one", id=number, do=do, shown=service.view.sequence)
            again = None
            os.write(out, b"sent " + encode(command))
            service.once(command)
            os.write(out, f"done {told(service.live.table)}\n".encode())
            service._keep()
            await asyncio.sleep(0)

    def check(self) -> None:
        """What was answered is there, and what was not is there once or not at all."""
        state = told(come_back(self.journal).table)
        if state != self.state and self.state:
            last, commands = f'"one",{self.open.id},' if self.open is not None else "none", self.commands()
            assert commands and last in commands[-1], f"after {self.done} answers: neither the last one nor the next"

    def commands(self) -> list[str]:
        """The commands that records name, one for each commit that has it."""
        named = (record.command for segment in segments(self.journal) for record in segment.records())
        return [command for command, _ in itertools.groupby(named) if command]


def kill_often(folder: Path, kills: int, seed: int) -> None:
    table = Table(folder / "table.journal", Random(seed))
    for _ in range(kills):
        table.kill_once()
        table.check()
    commands = table.commands()
    assert len(set(commands)) == len(commands), "a command was done twice"
    assert table.done > kills / 2


def test_killed_again_and_again_each_command_is_done_once(quick_path: Path) -> None:
    kill_often(quick_path, KILLS, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100))
def test_killed_many_times_each_command_is_done_once(quick_path: Path, seed: int) -> None:
    kill_often(quick_path, SOAK_KILLS, seed)


def test_a_journal_that_writes_late_is_caught(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, waiting = Journal.append, list[Entry]()

    def late(journal: Journal, entries: Sequence[Entry], state: bytes = b"") -> int:
        """Writes what came before; `entries` with the next ones."""
        last = honest(journal, waiting)
        waiting[:] = entries
        return last

    monkeypatch.setattr(Journal, "append", late)
    with pytest.raises(AssertionError, match="neither the last one nor the next"):
        kill_often(quick_path, KILLS, seed=1)


# --- while it salvages ---


@dataclass(frozen=True)
class Spoilt:
    """A journal that has to be salvaged, in a folder of its own; `work` copies it."""

    made: Path
    work: Path

    def again(self) -> Path:
        """The journal as it was spoilt."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.made, self.work)
        return self.work / "table.journal"


def spoilt(folder: Path, seed: int) -> Spoilt:
    made = folder / "made"
    made.mkdir()
    table = Table(made / "table.journal", Random(seed))
    while table.done < LEAST_PLAYED:
        table.kill_once()
    live = come_back(table.journal)
    assert not live.damaged and not live.altered
    for place in (table.journal, table.journal.with_name(table.journal.name + "-wal")):
        data = bytearray(place.read_bytes() if place.exists() else b"")
        for at in range(len(data) // 3, len(data), len(data) // 3 + 1):
            data[at : at + 600] = bytes(len(data[at : at + 600]))
        if data:
            place.write_bytes(data)
    return Spoilt(made, folder / "work")


def is_told_twice(journal: Path) -> bool:
    """Whether what is lost is told, and not once only."""
    return all(live.damaged or live.altered for live in (come_back(journal), come_back(journal)))


def killed_at_line(journal: Path, moment: int) -> bool:
    """Starts a service in another process, which is killed before the so-many-th line of the code that salvages; False
    where it had come to its end before that."""

    def start() -> None:
        with dying(moment, lambda code: code.co_name in MOVING.get(Path(code.co_filename).name, ())):
            come_back(journal)

    return is_killed(start)


def killed_at_salvage(found: Spoilt, each: int, twice: bool = False) -> None:
    """Kills a service at every so-many-th line of a salvage; with `twice` also that which comes back then, at a line
    of its own."""
    moment = 1
    assert is_told_twice(found.again()), "what is lost is not told"
    while killed_at_line(found.again(), moment):
        if twice:
            killed_at_line(found.work / "table.journal", moment * 7 % LINES + 1)
        assert is_told_twice(found.work / "table.journal"), f"killed at line {moment}, what is lost is not told"
        moment += each
    assert moment > LINES, "it was not killed where files are moved"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Spoilt:
    return spoilt(tmp_path_factory.mktemp("spoilt"), seed=1)


def test_killed_before_any_line_that_salvages_it_says_so_afterwards(found: Spoilt) -> None:
    killed_at_salvage(found, EACH)


def test_a_salvage_that_notes_it_afterwards_is_caught(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, gone_on = salvage, starting._gone_on

    def silent(path: Path, opening: Opening | None, notes: object, **options: Any) -> Salvage:
        return honest(path, opening, (), **options)

    def noting(*arguments: Any) -> Any:
        config, place, setup, journal, notes, at_us, played, *written = arguments
        return gone_on(config, place, setup, journal, (*notes, *(written[0] if written else ())), at_us, played)

    monkeypatch.setattr(starting, "salvage", silent)
    monkeypatch.setattr(starting, "_gone_on", noting)
    # What is behind its mark for want of records is noted by the salvage alone, and the fault shows without a kill:
    # when the writer died decides that.
    for seed in itertools.count(1):
        (folder := quick_path / str(seed)).mkdir()
        if is_told_twice((found := spoilt(folder, seed)).again()):
            break
    with pytest.raises(AssertionError, match="killed at line"):
        killed_at_salvage(found, EACH)


@pytest.mark.soak
@pytest.mark.parametrize("twice", [False, True])
def test_killed_before_each_line_that_salvages_it_says_so_afterwards(quick_path: Path, twice: bool) -> None:
    killed_at_salvage(spoilt(quick_path, seed=1), 1, twice)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_killed_often_while_it_salvages_it_says_so_afterwards(quick_path: Path, seed: int) -> None:
    """At any moment from its start to its end, also within SQLite."""
    dice, found, took_s = Random(seed), spoilt(quick_path, seed), 0.0
    for _ in range(SOAK_SALVAGES + 1):
        journal = found.again()
        if took_s:
            killed_child(partial(come_back, journal), dice.uniform(0, took_s))
        began_s = time.perf_counter()
        assert is_told_twice(journal), "what is lost is not told"
        took_s = took_s or (time.perf_counter() - began_s) / 2
