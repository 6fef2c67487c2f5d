"""A disk that gives back something else than was written: the table is there, with all that can be proven, and what is
lost is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from controller.journal import JournalError, Segment, prove, segments
from controller.journal.records import encode_json
from controller.live import Live, evolve
from controller.service.replaying import begins_with
from tests.faults import disk
from tests.faults.playing import SETUP, come_back, config, told

FAULTS = 200
COMMANDS = 30
SOAK_FAULTS = 250
SOAK_COMMANDS = 200
DEADLINE_S = 120.0
LEAST_LOST = 0.02
LEAST_SALVAGED = 0.15
"""Of the faults, those that took records away, and those that made a salvage necessary: fewer would try nothing."""
PAGE = 4096
SECTOR = disk.SECTOR
Rot = Callable[[bytearray, Random], None]


def flip(data: bytearray, dice: Random) -> None:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _block(data: bytearray, dice: Random, size: int) -> slice:
    at = dice.randrange((len(data) + size - 1) // size) * size
    return slice(at, min(at + size, len(data)))


def _spoil(data: bytearray, block: slice, dice: Random) -> None:
    size = block.stop - block.start
    data[block] = bytes(size) if dice.random() < 0.5 else dice.randbytes(size)


def sector(data: bytearray, dice: Random) -> None:
    block = _block(data, dice, SECTOR)
    _spoil(data, block, dice)


def page(data: bytearray, dice: Random) -> None:
    block = _block(data, dice, PAGE)
    _spoil(data, block, dice)


def cut(data: bytearray, dice: Random) -> None:
    del data[dice.randrange(len(data)) :]


def swap(data: bytearray, dice: Random) -> None:
    size = dice.choice([SECTOR, PAGE])
    one, other = _block(data, dice, size), _block(data, dice, size)
    if one.stop - one.start == other.stop - other.start:
        data[one], data[other] = data[other], data[one]


ROT: tuple[Rot, ...] = (flip, sector, page, cut, swap)


@dataclass(frozen=True)
class Left:
    """What a process that was killed has left: its files, and what the table was after each record."""

    folder: Path
    files: dict[str, bytes]
    opening: bytes
    """Of the running segment, with its hash."""
    rows: dict[int, bytes]
    """By number, the bytes of each record of the running segment with its hash."""
    states: dict[int, str]
    """By number, the digests of its states."""
    after: int
    reached: dict[str, int]
    """By state of the table, the last record after which it was so."""
    last: int

    def provable(self, place: Path, files: dict[str, bytes]) -> int:
        """The last record to which whole bytes lead from a state that can be read."""
        every, found = b"\0".join(files.values()), 0
        for number in self.readable(place):
            begun = self.opening if number == self.after else self.rows[number]
            if begun in every:
                ends = (each - 1 for each in range(number + 1, self.last + 1) if self.rows[each] not in every)
                found = max(found, next(ends, self.last))
        return found

    def readable(self, place: Path) -> Iterator[int]:
        """The records of which the state can be read."""
        try:
            with closing(Segment.view(place)) as segment:
                for number, digest in self.states.items():
                    with suppress(JournalError):
                        if not digest or segment.state(number, digest):
                            yield number
        except JournalError:
            return


def left(folder: Path, seed: int, commands: int, *options: str) -> Left:
    watched = folder / "disk"
    watched.mkdir()
    journal = watched / "table.journal"
    arguments = ["tests.faults.playing", str(journal), str(seed), str(commands), *options]
    disk.run(disk.built(folder), watched, folder / "log", arguments, DEADLINE_S)
    files = {str(path): path.read_bytes() for path in watched.rglob("*") if path.is_file() and is_read(path.name)}
    found = prove(journal)
    assert found.opening is not None and not found.missing
    live = Live(SETUP, config().table)
    reached = {told(live.table): 0}
    for segment in segments(journal):
        opening = segment.opening()
        rows, states = {}, {opening.after: opening.state}
        live = begins_with(segment, live)
        for body, record in segment.bodies():
            entry = record.entry()
            live = evolve(live, entry.step, entry.source, entry.at_us)[0]
            reached[told(live.table)] = record.number
            rows[record.number] = body + segment._hash_of(record.number)
            if record.state:
                states[record.number] = record.state
        begun = encode_json(opening) + segment._hash_of(0)
        last = segment.last
    return Left(watched, files, begun, rows, states, opening.after, reached, last)


def is_read(name: str) -> bool:
    return not name.endswith(("-shm", ".told", ".lock"))


def check(left: Left, faults: int, folder: Path, seed: int) -> int:
    """Spoils a copy of what is left so many times; how many of these took records away."""
    dice, lost, salvaged = Random(seed), 0, 0
    names = [name for name in left.files if left.files[name] and "archive" not in name]
    for number in range(faults):
        name, rot = dice.choice(names), dice.choice(ROT)
        data = bytearray(left.files[name])
        rot(data, dice)
        files = left.files | {name: bytes(data)}
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        disk.lay_out(files, left.folder, folder)
        provable = left.provable(folder / "table.journal", files)
        live = come_back(folder / "table.journal")
        what = f"fault {number}: {rot.__name__} in {Path(name).name}"
        state = told(live.table)
        assert state in left.reached, f"{what}: a state that never was"
        reached = left.reached[state]
        assert reached >= provable, f"{what}: up to record {reached} of {provable} that are there"
        # Not even the last commit goes in silence: the mark beside the journal knows of it.
        assert live.damaged or live.altered or reached == left.last, f"{what}: only to record {reached}, and not told"
        lost += reached < left.last
        salvaged += any(folder.glob("*.damaged-*"))
    assert salvaged >= faults * LEAST_SALVAGED, f"{salvaged} salvaged"
    return lost


@pytest.fixture(scope="module")
def rotten(tmp_path_factory: pytest.TempPathFactory) -> Left:
    return left(tmp_path_factory.mktemp("played"), 3, COMMANDS, "--hurried")


def test_whatever_rots_the_table_is_there_and_what_is_lost_is_told(rotten: Left, quick_path: Path) -> None:
    assert check(rotten, FAULTS, quick_path / "rot", seed=1) >= FAULTS * LEAST_LOST


def test_a_salvage_that_gives_up_too_early_is_caught(
    rotten: Left, quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.journal.traces._in_bytes", lambda path: iter(()))
    with pytest.raises(AssertionError, match="that are there"):
        check(rotten, FAULTS, quick_path / "rot", seed=1)


def test_a_damage_that_is_not_told_is_caught(rotten: Left, quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, quiet = come_back, Live(SETUP, config().table)

    def silent(journal: Path) -> Live:
        return honest(journal)._replace(damaged=quiet.damaged, altered=quiet.altered)

    monkeypatch.setattr("tests.faults.test_rot.come_back", silent)
    with pytest.raises(AssertionError, match="not told"):
        check(rotten, FAULTS, quick_path / "rot", seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_whatever_rots_in_a_long_journal_is_told(quick_path: Path, seed: int) -> None:
    check(left(quick_path, seed, SOAK_COMMANDS, "--hurried"), SOAK_FAULTS, quick_path / "rot", seed)
