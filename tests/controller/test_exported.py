"""What `potkeeper journal export` gives of a damaged journal: all that can be proven, and one line about the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.journal import Entry, Journal, JournalError, export, opening_of, printed, traces
from controller.journal.archive import place
from controller.table import Declaration, Declares

RECORDS = 30
SEGMENTS = 3


def journal_in(folder: Path) -> Path:
    """A journal of three segments with ten records each."""
    path = folder / "t.journal"
    with closing(Journal.create(path, opening_of("{}"))) as journal:
        for number in range(1, RECORDS + 1):
            journal.append([Entry(number, Declares(3, Declaration("raise", number)), "dealer")])
            if number % 10 == 0 and number < RECORDS:
                journal.rotate(b"state")
    return path


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


DAMAGES: dict[str, tuple[Callable[[Path], None], set[int], int, str]] = {
    "record of the running segment": (lambda path: changed(path, 25), {25}, 0, "missing: record 25"),
    "record of a closed segment": (lambda path: changed(place(path, 2), 15), {15}, 0, "missing: record 15"),
    "last record of a segment": (lambda path: changed(place(path, 1), 10), {10}, 0, "missing: record 10"),
    "an opening": (lambda path: opening_changed(place(path, 2)), set(), 1, "missing: the opening"),
    "a closed segment removed": (lambda path: place(path, 2).unlink(), set(range(11, 21)), 1, "segment 2: missing"),
    "a closed segment emptied": (lambda path: emptied(place(path, 1)), set(range(1, 11)), 1, "expected"),
    "the running segment removed": (Path.unlink, set(range(21, 31)), 1, "no such file"),
    "the first page": (first_page_lost, set(), 0, "no record that it is known to have had"),
}
"""By what is damaged: how, which records and how many openings are then missing, what is said of it."""


def judged(path: Path, lost: set[int], openings: int, said: str) -> None:
    """All that is left is there, once and in order, and the rest is named in one line."""
    ran = CliRunner().invoke(main, ["journal", "export", str(path)])
    assert ran.exit_code == 1, ran.output
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["number"] for each in found if "number" in each] == sorted(set(range(1, RECORDS + 1)) - lost)
    assert sum("config" in each for each in found) == SEGMENTS - openings
    assert ran.stderr.startswith("potkeeper: journal ") and ran.stderr.count("\n") == 1
    assert said in ran.stderr and "expected" in ran.stderr, ran.stderr


@pytest.mark.parametrize("name", DAMAGES)
def test_all_that_can_be_proven_is_written_and_the_rest_named(tmp_path: Path, name: str) -> None:
    damage, lost, openings, said = DAMAGES[name]
    path = journal_in(tmp_path)
    damage(path)
    judged(path, lost, openings, said)


def test_an_export_that_ends_at_the_first_bad_record_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = journal_in(tmp_path)
    changed(path, 25)
    monkeypatch.setattr(printed, "stretches", lambda found: traces.stretches(found)[:1])
    with pytest.raises(AssertionError):
        judged(path, {25}, 0, "missing: record 25")


def test_a_whole_journal_is_written_as_it_is(tmp_path: Path) -> None:
    path = journal_in(tmp_path)
    assert len(list(export(path))) == RECORDS + SEGMENTS
    place(path, 1).unlink()  # the oldest may go
    assert len(list(export(path))) == RECORDS + SEGMENTS - 11
    ran = CliRunner().invoke(main, ["journal", "export", str(path)])
    assert (ran.exit_code, ran.stderr) == (0, "")


def test_what_is_no_journal_is_bad_input(tmp_path: Path) -> None:
    strange = tmp_path / "strange"
    strange.write_text("nothing of ours")
    for file in (strange, tmp_path / "none", tmp_path):
        ran = CliRunner().invoke(main, ["journal", "export", str(file)])
        assert (ran.exit_code, ran.stdout) == (2, "") and ran.stderr.count("\n") == 1
        with pytest.raises(JournalError):
            list(export(file))
