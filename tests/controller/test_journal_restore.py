"""`potkeeper journal restore` starts a table from a copied journal, with all records of the copy."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller import journal
from controller.cli import main
from controller.journal import Segment, audit_journal, iter_segments, verify
from controller.journal.archive import closed_segment_path, closed_segments
from controller.journal.sqlite_file import sibling
from controller.service import TableService
from controller.steps import parse_step
from tests.controller.journal_tampering import CONFIG, close_service

STACK = 1000
SEGMENTS = 3


def copy_of_played_journal(folder: Path) -> Path:
    """Play at a table, and return the path of a copy of its journal.

    The journal has three segments. Each record adds one chip to a stack. The last records are only in the WAL, the
    write-ahead log of SQLite.
    """
    path = folder / "t.journal"
    copy = folder / "copy"

    async def play() -> None:
        service = TableService.open(CONFIG, path, trays=False)
        assert service._recorder is not None
        for number in range(1, SEGMENTS + 1):
            for _ in range(4):
                assert service.apply_step(parse_step("1 add 1")) is None
            if number < SEGMENTS:
                service._recorder.rotate(service.live, number)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("copy", "*.lock", "*.mark"))
        close_service(service)

    asyncio.run(play())
    assert sibling(copy / path.name, "-wal").stat().st_size
    return copy / path.name


def unchanged(copy: Path) -> Path:
    return copy


def without_running(copy: Path) -> Path:
    copy.unlink()
    sibling(copy, "-wal").unlink()
    return copy


def first_closed(copy: Path) -> Path:
    return closed_segment_path(copy, 1)


def damage_archive(copy: Path) -> Path:
    """Change one record of a closed segment.

    The restored journal must contain the damaged segment, so that `verify` can report the damage.
    """
    closed_segment_path(copy, 1).chmod(0o644)
    data = closed_segment_path(copy, 1).read_bytes()
    closed_segment_path(copy, 1).write_bytes(data.replace(b"1 add 1", b"1 add 2"))
    return copy


COPIES: dict[str, tuple[Callable[[Path], Path], int, int, str]] = {
    "with its archive": (unchanged, 12, 3, ""),
    "its archive alone": (without_running, 8, 2, "t.journal: no such file, restored to the end of 000002.journal"),
    "a closed segment": (first_closed, 4, 1, ""),
    "with a damaged archive": (damage_archive, 12, 3, "000001.journal: changed: record 1: damaged"),
}
"""Kinds of copies of a journal.

Each entry has a function that prepares the copy, the numbers of records and of segments in the copy, and the expected
error message.
"""


def check_restore(tmp_path: Path, copy: Path, records: int, count: int, message: str) -> None:
    path = tmp_path / "restored" / "t.journal"
    path.parent.mkdir()
    result = CliRunner().invoke(main, ["journal", "restore", str(copy), str(path)])
    assert result.exit_code == 0 and result.stdout.endswith(f"earlier segments: {count}\n"), result.output
    assert message in result.stderr and result.stderr.count("\n") == bool(message)
    service = TableService.open(CONFIG, path, trays=False)
    assert service.live.table.players[1].stack == STACK + records
    close_service(service)
    assert [int(segment_path.stem) for segment_path in closed_segments(path)][:count] == list(range(1, count + 1))
    assert (
        sum(segment.last_number - segment.read_header().previous_number for segment in iter_segments(path)) >= records
    )


@pytest.mark.parametrize("name", COPIES)
def test_copy_is_restored_with_all_its_segments(tmp_path: Path, name: str) -> None:
    change, records, count, message = COPIES[name]
    copy = change(copy_of_played_journal(tmp_path))
    files_before = sorted(copy.parent.rglob("*.journal"))
    check_restore(tmp_path, copy, records, count, message)
    path = tmp_path / "restored" / "t.journal"
    if change is damage_archive:
        assert [kind for kind, _ in audit_journal(path).findings] == ["changed"]
    else:
        assert verify(path)[0] == records and audit_journal(path).findings == ()
    assert sorted(copy.parent.rglob("*.journal")) == files_before, "the restore created files next to the copy"


def test_planted_restore_of_the_running_segment_alone_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copy_of_played_journal(tmp_path)
    monkeypatch.setattr(journal, "segment_paths_of_copy", lambda path: [path])
    with pytest.raises(AssertionError):
        check_restore(tmp_path, copy, 12, 3, "")


def test_restore_keeps_segments_already_in_the_archive(tmp_path: Path) -> None:
    """The running segment and the high-water mark were lost, but the archive next to them was not."""
    copy, path = copy_of_played_journal(tmp_path), tmp_path / "t.journal"
    for ending in ("", ".mark"):
        sibling(path, ending).unlink()
    inodes = {segment_path: segment_path.stat().st_ino for segment_path in closed_segments(path)}
    assert CliRunner().invoke(main, ["journal", "restore", str(copy), str(path)]).exit_code == 0
    assert {
        segment_path: segment_path.stat().st_ino for segment_path in closed_segments(path) if segment_path in inodes
    } == inodes
    with closing(Segment.open_read_only(path)) as segment:
        assert segment.read_header().segment == SEGMENTS + 1
    assert verify(path) == (12, SEGMENTS + 1)


def test_restore_of_a_missing_copy_is_bad_input(tmp_path: Path) -> None:
    for copy in (tmp_path / "none", closed_segment_path(tmp_path / "none", 1)):
        result = CliRunner().invoke(main, ["journal", "restore", str(copy), str(tmp_path / "t.journal")])
        assert (result.exit_code, result.stdout) == (2, "") and "no such file, expected a journal" in result.stderr
    assert not list(tmp_path.iterdir())
