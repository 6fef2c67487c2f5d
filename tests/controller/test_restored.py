"""`potkeeper journal restore`: a table goes on from a copy, with all that the copy has of its records."""

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
from controller.journal import Segment, inspect, segments, verify
from controller.journal.archive import closed_segments, place
from controller.journal.file import beside
from controller.service import Service
from controller.table import parse
from tests.controller.tampered import CONFIG, end

STACK = 1000
SEGMENTS = 3


def played(folder: Path) -> Path:
    """A copy of a journal of three segments, a chip more in each record: the last records are in the WAL alone."""
    path = folder / "t.journal"
    copy = folder / "copy"

    async def play() -> None:
        service = Service.open(CONFIG, path, trays=False)
        assert service._recorder is not None
        for number in range(1, SEGMENTS + 1):
            for _ in range(4):
                assert service.do(parse("1 add 1")) is None
            if number < SEGMENTS:
                service._recorder.rotate(service.live, number)
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("copy", "*.lock", "*.mark"))
        end(service)

    asyncio.run(play())
    assert beside(copy / path.name, "-wal").stat().st_size
    return copy / path.name


def as_it_is(copy: Path) -> Path:
    return copy


def without_running(copy: Path) -> Path:
    copy.unlink()
    beside(copy, "-wal").unlink()
    return copy


def first_closed(copy: Path) -> Path:
    return place(copy, 1)


def rotted(copy: Path) -> Path:
    """One closed segment is damaged: it is kept as it is, for `verify` to name."""
    place(copy, 1).chmod(0o644)
    data = place(copy, 1).read_bytes()
    place(copy, 1).write_bytes(data.replace(b"1 add 1", b"1 add 2"))
    return copy


COPIES: dict[str, tuple[Callable[[Path], Path], int, int, str]] = {
    "with its archive": (as_it_is, 12, 3, ""),
    "its archive alone": (without_running, 8, 2, "t.journal: no such file, restored to the end of 000002.journal"),
    "a closed segment": (first_closed, 4, 1, ""),
    "with a damaged archive": (rotted, 12, 3, "000001.journal: changed: record 1: damaged"),
}
"""By what the copy is: records up to its end, its segments, what is said."""


def judged(tmp_path: Path, copy: Path, records: int, count: int, said: str) -> None:
    path = tmp_path / "restored" / "t.journal"
    path.parent.mkdir()
    ran = CliRunner().invoke(main, ["journal", "restore", str(copy), str(path)])
    assert ran.exit_code == 0 and ran.stdout.endswith(f"{count} segments before it\n"), ran.output
    assert said in ran.stderr and ran.stderr.count("\n") == bool(said)
    service = Service.open(CONFIG, path, trays=False)
    assert service.live.table.players[1].stack == STACK + records
    end(service)
    assert [int(each.stem) for each in closed_segments(path)][:count] == list(range(1, count + 1))
    assert sum(segment.last - segment.opening().after for segment in segments(path)) >= records


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_restored_with_all_its_segments(tmp_path: Path, name: str) -> None:
    change, records, count, said = COPIES[name]
    copy = change(played(tmp_path))
    there = sorted(copy.parent.rglob("*.journal"))
    judged(tmp_path, copy, records, count, said)
    path = tmp_path / "restored" / "t.journal"
    if change is rotted:
        assert [how for how, _ in inspect(path).found] == ["changed"]
    else:
        assert verify(path)[0] == records and inspect(path).found == ()
    assert sorted(copy.parent.rglob("*.journal")) == there, "nothing is put beside the copy"


def test_a_restore_of_the_running_segment_alone_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = played(tmp_path)
    monkeypatch.setattr(journal, "segments_of", lambda path: [path])
    with pytest.raises(AssertionError):
        judged(tmp_path, copy, 12, 3, "")


def test_what_the_archive_has_already_stays(tmp_path: Path) -> None:
    """The file of the table was lost, and not its archive."""
    copy, path = played(tmp_path), tmp_path / "t.journal"
    for ending in ("", ".mark"):
        beside(path, ending).unlink()
    kept = {each: each.stat().st_ino for each in closed_segments(path)}
    assert CliRunner().invoke(main, ["journal", "restore", str(copy), str(path)]).exit_code == 0
    assert {each: each.stat().st_ino for each in closed_segments(path) if each in kept} == kept
    with closing(Segment.view(path)) as segment:
        assert segment.opening().segment == SEGMENTS + 1
    assert verify(path) == (12, SEGMENTS + 1)


def test_where_there_is_nothing_to_restore_it_is_bad_input(tmp_path: Path) -> None:
    for copy in (tmp_path / "none", place(tmp_path / "none", 1)):
        ran = CliRunner().invoke(main, ["journal", "restore", str(copy), str(tmp_path / "t.journal")])
        assert (ran.exit_code, ran.stdout) == (2, "") and "no such file, expected a journal" in ran.stderr
    assert not list(tmp_path.iterdir())
