"""Check that the service survives bit rot, when a disk returns other bytes than were written.

The service must start with every record that can still be proven, and must report a loss of records.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from controller.journal import JournalError, Segment, find_proven_records, iter_segments
from controller.journal.records import encode_json
from controller.live import Live, apply_step
from controller.service.journal_replay import starting_state
from tests.faults import simulated_disk
from tests.faults.random_play import SETUP, config, recover_table, table_digest

FAULTS = 200
COMMANDS = 30
SOAK_FAULTS = 250
SOAK_COMMANDS = 200
DEADLINE_S = 120.0
MIN_LOST_SHARE = 0.02
"""Minimum share of corruptions that lose records. A smaller share means that the test tries too little."""
MIN_SALVAGED_SHARE = 0.15
"""Minimum share of corruptions after which the journal is salvaged, that is rebuilt from intact records."""
PAGE = 4096
SECTOR = simulated_disk.SECTOR
Rot = Callable[[bytearray, Random], None]


def flip(data: bytearray, dice: Random) -> None:
    """Flip one bit."""
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _block(data: bytearray, dice: Random, size: int) -> slice:
    """Return the slice of a random block of `size` bytes, which starts at a multiple of `size`."""
    start = dice.randrange((len(data) + size - 1) // size) * size
    return slice(start, min(start + size, len(data)))


def _overwrite(data: bytearray, block: slice, dice: Random) -> None:
    """Overwrite a block with zeros or random bytes."""
    size = block.stop - block.start
    data[block] = bytes(size) if dice.random() < 0.5 else dice.randbytes(size)


def sector(data: bytearray, dice: Random) -> None:
    """Overwrite one sector."""
    block = _block(data, dice, SECTOR)
    _overwrite(data, block, dice)


def page(data: bytearray, dice: Random) -> None:
    """Overwrite one page of an SQLite file, which is 4,096 bytes."""
    block = _block(data, dice, PAGE)
    _overwrite(data, block, dice)


def cut(data: bytearray, dice: Random) -> None:
    """Cut the file off at a random byte."""
    del data[dice.randrange(len(data)) :]


def swap(data: bytearray, dice: Random) -> None:
    """Swap two sectors or two pages."""
    size = dice.choice([SECTOR, PAGE])
    first, second = _block(data, dice, size), _block(data, dice, size)
    if first.stop - first.start == second.stop - second.start:
        data[first], data[second] = data[second], data[first]


ROT: tuple[Rot, ...] = (flip, sector, page, cut, swap)


@dataclass(frozen=True)
class KilledFiles:
    """Files that a killed process left, with the records and the table states of the journal in these files."""

    folder: Path
    files: dict[str, bytes]
    header_bytes: bytes
    """Bytes of the header of the newest segment file, followed by the hash of the header."""
    rows: dict[int, bytes]
    """Bytes of each record in the running segment, followed by the hash of the record, by record number."""
    state_digests: dict[int, str]
    """Digest of each snapshot in the running segment, by the number of the last record before the snapshot."""
    previous_number: int
    """Number of the last record in the segment before the running segment."""
    numbers_by_digest: dict[str, int]
    """For each digest of a table state: number of the last record after which the table had this state."""
    last_number: int

    def last_provable(self, path: Path, files: dict[str, bytes]) -> int:
        """Return the number of the last record up to which the table can be rebuilt from corrupted files.

        The service rebuilds a table from a readable snapshot and from the intact records that follow it without a gap.
        For example, with a snapshot after record 20 and a corrupted record 24 the last provable record is 23. Return 0
        if no snapshot is readable.
        """
        all_bytes, last_provable = b"\0".join(files.values()), 0
        for number in self.readable_states(path):
            start = self.header_bytes if number == self.previous_number else self.rows[number]
            if start in all_bytes:
                following = range(number + 1, self.last_number + 1)
                ends = (row - 1 for row in following if self.rows[row] not in all_bytes)
                last_provable = max(last_provable, next(ends, self.last_number))
        return last_provable

    def readable_states(self, path: Path) -> Iterator[int]:
        """Yield the record number of each snapshot that can still be read from the journal at this path."""
        try:
            with closing(Segment.open_read_only(path)) as segment:
                for number, digest in self.state_digests.items():
                    with suppress(JournalError):
                        if not digest or segment.read_state(number, digest):
                            yield number
        except JournalError:
            return


def play_and_kill(folder: Path, seed: int, commands: int, *options: str) -> KilledFiles:
    """Run a process that plays random commands and ends without closing its files. Return these files."""
    watched = folder / "disk"
    watched.mkdir()
    journal = watched / "table.journal"
    arguments = ["tests.faults.random_play", str(journal), str(seed), str(commands), *options]
    simulated_disk.run(simulated_disk.build_library(folder), watched, folder / "log", arguments, DEADLINE_S)
    files = {str(path): path.read_bytes() for path in watched.rglob("*") if path.is_file() and is_read(path.name)}
    proven = find_proven_records(journal)
    assert proven.header is not None and not proven.missing_summary
    live = Live(SETUP, config().table)
    numbers_by_digest = {table_digest(live.table): 0}
    for segment in iter_segments(journal):
        header = segment.read_header()
        rows, state_digests = {}, {header.previous_number: header.state_digest}
        live = starting_state(segment, live)
        for body, record in segment.bodies():
            entry = record.entry()
            live = apply_step(live, entry.step, entry.source, entry.at_us)[0]
            numbers_by_digest[table_digest(live.table)] = record.number
            rows[record.number] = body + segment._hash_of(record.number)
            if record.state_digest:
                state_digests[record.number] = record.state_digest
        header_bytes = encode_json(header) + segment._hash_of(0)
        last_number = segment.last_number
    return KilledFiles(
        watched, files, header_bytes, rows, state_digests, header.previous_number, numbers_by_digest, last_number
    )


def is_read(name: str) -> bool:
    """Return True if a service reads the file with this name when it recovers the table."""
    return not name.endswith(("-shm", ".told", ".lock"))


def check(original: KilledFiles, faults: int, folder: Path, seed: int) -> int:
    """Corrupt copies of the files and check each recovery. Return the number of corruptions that lost records."""
    dice, lost, salvaged = Random(seed), 0, 0
    names = [name for name in original.files if original.files[name] and "archive" not in name]
    for number in range(faults):
        name, rot = dice.choice(names), dice.choice(ROT)
        data = bytearray(original.files[name])
        rot(data, dice)
        files = original.files | {name: bytes(data)}
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        simulated_disk.write_files(files, original.folder, folder)
        last_provable = original.last_provable(folder / "table.journal", files)
        live = recover_table(folder / "table.journal")
        fault = f"fault {number}: {rot.__name__} in {Path(name).name}"
        state = table_digest(live.table)
        assert state in original.numbers_by_digest, f"{fault}: a state that the table never had"
        reached = original.numbers_by_digest[state]
        assert reached >= last_provable, f"{fault}: recovered to record {reached}, expected {last_provable}"
        # Even a loss of the last commit must be reported, because another file has the number of the last record.
        assert live.record_faults.are_damaged or live.record_faults.alterations or reached == original.last_number, (
            f"{fault}: recovered to record {reached}, and the loss is not reported"
        )
        lost += reached < original.last_number
        salvaged += any(folder.glob("*.damaged-*"))
    assert salvaged >= faults * MIN_SALVAGED_SHARE, f"only {salvaged} of {faults} faults needed a salvage"
    return lost


@pytest.fixture(scope="module")
def killed_files(tmp_path_factory: pytest.TempPathFactory) -> KilledFiles:
    """Return the files of a short game, with a journal of many segments."""
    return play_and_kill(tmp_path_factory.mktemp("played"), 3, COMMANDS, "--hurried")


def test_bit_rot_keeps_the_table_running_and_reports_the_loss(killed_files: KilledFiles, ram_path: Path) -> None:
    assert check(killed_files, FAULTS, ram_path / "rot", seed=1) >= FAULTS * MIN_LOST_SHARE


def test_planted_incomplete_salvage_is_caught(
    killed_files: KilledFiles, ram_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.journal.carving._scan_bytes", lambda path: iter(()))
    with pytest.raises(AssertionError, match="recovered to record"):
        check(killed_files, FAULTS, ram_path / "rot", seed=1)


def test_planted_unreported_damage_is_caught(
    killed_files: KilledFiles, ram_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, undamaged = recover_table, Live(SETUP, config().table)

    def recover_silently(journal: Path) -> Live:
        return original(journal)._replace(record_faults=undamaged.record_faults)

    monkeypatch.setattr("tests.faults.test_bit_rot.recover_table", recover_silently)
    with pytest.raises(AssertionError, match="not reported"):
        check(killed_files, FAULTS, ram_path / "rot", seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_bit_rot_in_a_long_journal_is_reported(ram_path: Path, seed: int) -> None:
    check(play_and_kill(ram_path, seed, SOAK_COMMANDS, "--hurried"), SOAK_FAULTS, ram_path / "rot", seed)
