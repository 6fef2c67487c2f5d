"""What `potkeeper journal export` and `show` give of a damaged journal: all that can be proven, and what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.journal import Entry, Journal, JournalError, export, opening_of, printed, show, traces
from controller.journal.archive import place
from controller.table import Declaration, Declares

RECORDS = 30
SEGMENTS = 3


def entry(number: int) -> Entry:
    return Entry(number, Declares(3, Declaration("raise", number)), "dealer")


def written_in(folder: Path, ends: int = RECORDS) -> Journal:
    """A journal of three segments with ten records each, or less in the last."""
    journal = Journal.create(folder / "t.journal", opening_of("{}"))
    for number in range(1, ends + 1):
        journal.append([entry(number)])
        if number % 10 == 0 and number < RECORDS:
            journal.rotate(b"state")
    return journal


def journal_in(folder: Path) -> Path:
    """The same, closed."""
    with closing(written_in(folder)) as journal:
        return journal.path


def changed(path: Path, number: int) -> None:
    """One record is another, in the same place."""
    path.chmod(0o644)
    data = path.read_bytes()
    assert data.count(b"raise to %d" % number) == 1
    path.write_bytes(data.replace(b"raise to %d" % number, b"raise to %d" % (99 - number)))


def opening_changed(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'{"config":"{}"', b'{"config":"()"'))


def emptied(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


def first_page_lost(path: Path) -> None:
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])


def several(path: Path) -> None:
    changed(place(path, 1), 5)
    place(path, 2).unlink()
    changed(path, 22)
    changed(path, 25)


class Damage(NamedTuple):
    """What is done to a journal, and what is then to be told of it."""

    do: Callable[[Path], None]
    lost: set[int]
    said: str
    gaps: tuple[tuple[int, str], ...] = ()
    """As it is shown for people: before which record, or at the end, what is missing."""
    openings: int = 0


END = RECORDS + 1
DAMAGES: dict[str, Damage] = {
    "record of the running segment": Damage(
        lambda path: changed(path, 25), {25}, "missing: record 25", ((26, "record 25"),)
    ),
    "record of a closed segment": Damage(
        lambda path: changed(place(path, 2), 15), {15}, "missing: record 15", ((16, "record 15"),)
    ),
    "last record of a segment": Damage(
        lambda path: changed(place(path, 1), 10), {10}, "missing: record 10", ((11, "record 10"),)
    ),
    "last record of all": Damage(lambda path: changed(path, 30), {30}, "missing: record 30", ((END, "record 30"),)),
    "an opening": Damage(
        lambda path: opening_changed(place(path, 2)), set(), "missing: the opening", ((11, "the opening"),), 1
    ),
    "a closed segment removed": Damage(
        lambda path: place(path, 2).unlink(), set(range(11, 21)), "segment 2: missing", ((21, "segment 2"),), 1
    ),
    "a closed segment emptied": Damage(
        lambda path: emptied(place(path, 1)), set(range(1, 11)), "expected", ((11, "all of 000001.journal"),), 1
    ),
    "the running segment removed": Damage(
        Path.unlink, set(range(21, 31)), "no such file", ((END, "all of t.journal"),), 1
    ),
    "the first page": Damage(first_page_lost, set(), "no record that it is known to have had"),
    "several": Damage(
        several,
        {5, 22, 25, *range(11, 21)},
        "missing: record 22, record 25",
        ((6, "record 5"), (21, "segment 2"), (23, "record 22"), (26, "record 25")),
        1,
    ),
}


def told_of(stderr: str, damage: Damage) -> None:
    assert stderr.startswith("potkeeper: journal ") and stderr.count("\n") == 1
    assert damage.said in stderr and "expected" in stderr, stderr


def judged(path: Path, damage: Damage) -> None:
    """All that is left is there, once and in order, and the rest is named in one line."""
    ran = CliRunner().invoke(main, ["journal", "export", str(path)])
    assert ran.exit_code == 1, ran.output
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["number"] for each in found if "number" in each] == sorted(set(range(1, END)) - damage.lost)
    assert sum("config" in each for each in found) == SEGMENTS - damage.openings
    told_of(ran.stderr, damage)


def judged_as_shown(path: Path, damage: Damage) -> None:
    """The same for people, each gap in its place in a line of its own."""
    ran = CliRunner().invoke(main, ["journal", "show", str(path)])
    assert ran.exit_code == 1, ran.output
    numbers, gaps, openings = [], [], 0
    for line in ran.stdout.splitlines():
        if " missing: " in line:
            gaps.append(line.partition("missing: ")[2])
        elif line.startswith("opened "):
            openings += 1
        elif "state" not in line:
            number = int(line.split()[0])
            assert line.endswith(f"raise to {number}")
            numbers.append((number, gaps))
            gaps = []
    numbers.append((END, gaps))
    assert [number for number, _ in numbers] == sorted(set(range(1, END + 1)) - damage.lost)
    assert tuple((number, gap) for number, before in numbers for gap in before) == damage.gaps
    assert openings == SEGMENTS - damage.openings
    told_of(ran.stderr, damage)


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("judge", [judged, judged_as_shown])
def test_all_that_can_be_proven_is_given_and_the_rest_named(
    tmp_path: Path, judge: Callable[[Path, Damage], None], name: str
) -> None:
    path = journal_in(tmp_path)
    DAMAGES[name].do(path)
    judge(path, DAMAGES[name])


@pytest.mark.parametrize("judge", [judged, judged_as_shown])
def test_what_stands_behind_damage_in_the_wal_is_given(tmp_path: Path, judge: Callable[[Path, Damage], None]) -> None:
    """The process was killed, and one bit of the WAL is another: SQLite passes over all behind it without a word."""
    path = tmp_path / "t.journal"
    files = (path, path.with_name("t.journal-wal"))
    with closing(written_in(tmp_path, ends=RECORDS - 5)) as journal:
        for number in range(RECORDS - 4, RECORDS + 1):
            journal.append([entry(number)])
        data, wal = (each.read_bytes() for each in files)
    files[0].write_bytes(data)
    files[1].write_bytes(wal[:100] + bytes([wal[100] ^ 1]) + wal[101:])
    judge(path, Damage(lambda _: None, set(), "commits at the end are damaged"))


@pytest.mark.parametrize("judge", [judged, judged_as_shown])
def test_one_that_ends_at_the_first_bad_record_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Callable[[Path, Damage], None]
) -> None:
    path = journal_in(tmp_path)
    changed(path, 25)
    monkeypatch.setattr(printed, "stretches", lambda found: traces.stretches(found)[:1])
    with pytest.raises(AssertionError):
        judge(path, DAMAGES["record of the running segment"])


@pytest.mark.parametrize("gives", [export, show])
def test_a_whole_journal_is_given_as_it_is(tmp_path: Path, gives: Callable[[Path], Iterator[str]]) -> None:
    path = journal_in(tmp_path)
    assert len(list(gives(path))) == RECORDS + SEGMENTS
    place(path, 1).unlink()  # the oldest may go
    assert len(list(gives(path))) == RECORDS + SEGMENTS - 11
    ran = CliRunner().invoke(main, ["journal", gives.__name__, str(path)])
    assert (ran.exit_code, ran.stderr) == (0, "")


@pytest.mark.parametrize("gives", [export, show])
def test_what_is_no_journal_is_bad_input(tmp_path: Path, gives: Callable[[Path], Iterator[str]]) -> None:
    strange = tmp_path / "strange"
    strange.write_text("nothing of ours")
    for file in (strange, tmp_path / "none", tmp_path):
        ran = CliRunner().invoke(main, ["journal", gives.__name__, str(file)])
        assert (ran.exit_code, ran.stdout) == (2, "") and ran.stderr.count("\n") == 1
        with pytest.raises(JournalError):
            list(gives(file))


def test_the_copy_of_a_killed_process_goes_with_the_next_one() -> None:
    program = "from controller.journal import traces; import os; copy = traces.in_memory()"
    killed = f"{program}; print(copy.__enter__(), flush=True); os._exit(9)"
    done = subprocess.run([sys.executable, "-c", killed], capture_output=True, text=True, check=False)
    left = Path(done.stdout.rstrip()).parent
    assert left.is_dir()
    with traces.in_memory() as first, traces.in_memory():
        assert not left.exists()
        assert first.parent.is_dir(), "that of a process that lives stays"
    assert not first.parent.exists()
