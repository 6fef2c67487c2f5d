"""`potkeeper journal export` and `show` print all provable records of a damaged journal.

They also report each gap, that is the records that are missing at one place.
"""

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
from controller.journal import Entry, Journal, JournalError, carving, export_jsonl, new_header, show_text, text_export
from controller.journal.archive import closed_segment_path
from controller.steps import Declaration, hand_steps

RECORDS = 30
SEGMENTS = 3


def entry(number: int) -> Entry:
    return Entry(number, hand_steps.Declares(3, Declaration("raise", number)), "dealer")


def open_journal(folder: Path, last_number: int = RECORDS) -> Journal:
    """Return an open journal of three segments with ten records each.

    The last segment has fewer records if `last_number` is less than 30.
    """
    journal = Journal.create(folder / "t.journal", new_header("{}"))
    for number in range(1, last_number + 1):
        journal.append([entry(number)])
        if number % 10 == 0 and number < RECORDS:
            journal.rotate(b"state")
    return journal


def closed_journal(folder: Path) -> Path:
    """Return the path of a closed journal of three segments with ten records each."""
    with closing(open_journal(folder)) as journal:
        return journal.path


def change_record(path: Path, number: int) -> None:
    """Change the amount in one record of the file without changing its hash."""
    path.chmod(0o644)
    data = path.read_bytes()
    assert data.count(b"raise to %d" % number) == 1
    path.write_bytes(data.replace(b"raise to %d" % number, b"raise to %d" % (99 - number)))


def change_header(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b'{"config":"{}"', b'{"config":"()"'))


def empty_file(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


def lose_first_page(path: Path) -> None:
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])


def damage_several(path: Path) -> None:
    change_record(closed_segment_path(path, 1), 5)
    closed_segment_path(path, 2).unlink()
    change_record(path, 22)
    change_record(path, 25)


class Damage(NamedTuple):
    """A way to damage a journal, the numbers of the records that are lost, and the expected error message."""

    damage_journal: Callable[[Path], None]
    lost: set[int]
    message: str
    gaps: tuple[tuple[int, str], ...] = ()
    """Lines of `show` about missing records.

    Each entry has the number of the first record after the missing records, and the text of the line. The number is END
    if no record follows.
    """
    missing_headers: int = 0


END = RECORDS + 1
DAMAGES: dict[str, Damage] = {
    "record of the running segment": Damage(
        lambda path: change_record(path, 25), {25}, "missing: record 25", ((26, "record 25"),)
    ),
    "record of a closed segment": Damage(
        lambda path: change_record(closed_segment_path(path, 2), 15), {15}, "missing: record 15", ((16, "record 15"),)
    ),
    "last record of a segment": Damage(
        lambda path: change_record(closed_segment_path(path, 1), 10), {10}, "missing: record 10", ((11, "record 10"),)
    ),
    "last record of all": Damage(
        lambda path: change_record(path, 30), {30}, "missing: record 30", ((END, "record 30"),)
    ),
    "a segment header": Damage(
        lambda path: change_header(closed_segment_path(path, 2)),
        set(),
        "missing: the segment header",
        ((11, "the segment header"),),
        1,
    ),
    "a closed segment removed": Damage(
        lambda path: closed_segment_path(path, 2).unlink(),
        set(range(11, 21)),
        "segment 2: missing",
        ((21, "segment 2"),),
        1,
    ),
    "a closed segment emptied": Damage(
        lambda path: empty_file(closed_segment_path(path, 1)),
        set(range(1, 11)),
        "expected",
        ((11, "all of 000001.journal"),),
        1,
    ),
    "the running segment removed": Damage(
        Path.unlink, set(range(21, 31)), "no such file", ((END, "all of t.journal"),), 1
    ),
    "the first page": Damage(lose_first_page, set(), "no listed record"),
    "several kinds of damage": Damage(
        damage_several,
        {5, 22, 25, *range(11, 21)},
        "missing: record 22, record 25",
        ((6, "record 5"), (21, "segment 2"), (23, "record 22"), (26, "record 25")),
        1,
    ),
}


def check_error_line(stderr: str, damage: Damage) -> None:
    assert stderr.startswith("potkeeper: journal ") and stderr.count("\n") == 1
    assert damage.message in stderr and "expected" in stderr, stderr


def check_export(path: Path, damage: Damage) -> None:
    """Verify that `export` prints each remaining record once and in order.

    It must also print one error line about the lost records.
    """
    result = CliRunner().invoke(main, ["journal", "export", str(path)])
    assert result.exit_code == 1, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["number"] for line in lines if "number" in line] == sorted(set(range(1, END)) - damage.lost)
    assert sum("config" in line for line in lines) == SEGMENTS - damage.missing_headers
    check_error_line(result.stderr, damage)


def check_show(path: Path, damage: Damage) -> None:
    """Verify that `show` prints each remaining record once and in order.

    It must also print a line at each place where records are missing.
    """
    result = CliRunner().invoke(main, ["journal", "show", str(path)])
    assert result.exit_code == 1, result.output
    numbers, gaps, headers = [], [], 0
    for line in result.stdout.splitlines():
        if " missing: " in line:
            gaps.append(line.partition("missing: ")[2])
        elif line.startswith("opened "):
            headers += 1
        elif "state" not in line:
            number = int(line.split()[0])
            assert line.endswith(f"raise to {number}")
            numbers.append((number, gaps))
            gaps = []
    numbers.append((END, gaps))
    assert [number for number, _ in numbers] == sorted(set(range(1, END + 1)) - damage.lost)
    assert tuple((number, gap) for number, before in numbers for gap in before) == damage.gaps
    assert headers == SEGMENTS - damage.missing_headers
    check_error_line(result.stderr, damage)


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("check_output", [check_export, check_show])
def test_export_gives_all_proven_records_and_reports_the_gaps(
    tmp_path: Path, check_output: Callable[[Path, Damage], None], name: str
) -> None:
    path = closed_journal(tmp_path)
    DAMAGES[name].damage_journal(path)
    check_output(path, DAMAGES[name])


@pytest.mark.parametrize("check_output", [check_export, check_show])
def test_export_gives_the_records_after_a_damaged_wal_frame(
    tmp_path: Path, check_output: Callable[[Path, Damage], None]
) -> None:
    """One bit of the WAL, the write-ahead log of SQLite, has changed after the process was killed.

    SQLite silently skips the frame with this bit and all frames after it.
    """
    path = tmp_path / "t.journal"
    files = (path, path.with_name("t.journal-wal"))
    with closing(open_journal(tmp_path, last_number=RECORDS - 5)) as journal:
        for number in range(RECORDS - 4, RECORDS + 1):
            journal.append([entry(number)])
        data, wal = (file.read_bytes() for file in files)
    files[0].write_bytes(data)
    files[1].write_bytes(wal[:100] + bytes([wal[100] ^ 1]) + wal[101:])
    check_output(path, Damage(lambda _: None, set(), "commits at the end are damaged"))


@pytest.mark.parametrize("check_output", [check_export, check_show])
def test_planted_export_that_stops_at_the_first_bad_record_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check_output: Callable[[Path, Damage], None]
) -> None:
    path = closed_journal(tmp_path)
    change_record(path, 25)
    monkeypatch.setattr(text_export, "proven_runs", lambda records: carving.proven_runs(records)[:1])
    with pytest.raises(AssertionError):
        check_output(path, DAMAGES["record of the running segment"])


COMMANDS: dict[Callable[[Path], Iterator[str]], str] = {export_jsonl: "export", show_text: "show"}


@pytest.mark.parametrize("export_lines", [export_jsonl, show_text])
def test_export_of_an_undamaged_journal_is_complete(
    tmp_path: Path, export_lines: Callable[[Path], Iterator[str]]
) -> None:
    path = closed_journal(tmp_path)
    assert len(list(export_lines(path))) == RECORDS + SEGMENTS
    closed_segment_path(path, 1).unlink()  # The archive may remove its oldest segment, so that this loss is no damage.
    assert len(list(export_lines(path))) == RECORDS + SEGMENTS - 11
    result = CliRunner().invoke(main, ["journal", COMMANDS[export_lines], str(path)])
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize("export_lines", [export_jsonl, show_text])
def test_export_of_a_file_that_is_not_a_journal_is_bad_input(
    tmp_path: Path, export_lines: Callable[[Path], Iterator[str]]
) -> None:
    strange = tmp_path / "strange"
    strange.write_text("nothing of ours")
    for file in (strange, tmp_path / "none", tmp_path):
        ran = CliRunner().invoke(main, ["journal", COMMANDS[export_lines], str(file)])
        assert (ran.exit_code, ran.stdout) == (2, "") and ran.stderr.count("\n") == 1
        with pytest.raises(JournalError):
            list(export_lines(file))


def test_temporary_copy_of_a_killed_process_is_removed_by_the_next() -> None:
    program = "from controller.journal import carving; import os; copy = carving.temporary_journal_path()"
    killed = f"{program}; print(copy.__enter__(), flush=True); os._exit(9)"
    result = subprocess.run([sys.executable, "-c", killed], capture_output=True, text=True, check=False)
    leftover = Path(result.stdout.rstrip()).parent
    assert leftover.is_dir()
    with carving.temporary_journal_path() as first, carving.temporary_journal_path():
        assert not leftover.exists()
        assert first.parent.is_dir(), "the copy of a running process was removed"
    assert not first.parent.exists()
