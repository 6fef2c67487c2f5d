"""Symbolic and hard links neither move a journal to another place nor let it destroy another file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.integrity import IntegrityFileError, MarkFile, local_mark_path, read_mark
from controller.journal import Journal, JournalError
from controller.journal.archive import closed_segments
from controller.journal.sqlite_file import sibling
from controller.steps import parse_step
from tests.controller.journal_tampering import (
    RECORDS,
    close_service,
    copy_journal,
    copy_table_journal,
    open_service,
)
from tests.service.service_process import command_view, service_process

FOREIGN_TEXT = "a file of somebody else"


@pytest.mark.parametrize("is_relative", [True, False], ids=["relative", "absolute"])
@pytest.mark.parametrize("is_broken", [True, False], ids=["broken", "existing"])
def test_journal_behind_a_symbolic_link_stays_behind_it(tmp_path: Path, is_relative: bool, is_broken: bool) -> None:
    disk, link = tmp_path / "disk", tmp_path / "table.journal"
    disk.mkdir()
    real = disk / "real.journal"
    link.symlink_to(Path("disk", "real.journal") if is_relative else real)
    with service_process(tmp_path, "--no-trays", journal=real if not is_broken else link) as service:
        connection = service.start()
        command_view(connection, "1 add 5")
    with service_process(tmp_path, "--no-trays", journal=link) as service:
        connection = service.start()
        assert command_view(connection, "1 add 5").is_recorded
        assert link.is_symlink() and not sibling(link, ".lock").exists()
    result = CliRunner().invoke(main, ["journal", "verify", str(link)])
    assert (result.exit_code, result.output.split(",")[0]) == (0, "3 records")
    assert CliRunner().invoke(main, ["journal", "show", str(link)]).output.count("1 add 5") == 2


def test_journal_behind_a_link_stays_behind_it_over_a_new_segment_and_a_salvage(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "table.journal"
    real = copy_table_journal(tmp_path / "disk").path.rename(tmp_path / "disk" / "real.journal")
    link.symlink_to(Path("disk", "real.journal"))
    config = tmp_path / "new.toml"
    config.write_text("[game]\nblinds = [5, 10]\n")
    result = CliRunner().invoke(main, ["journal", "begin", str(link), "--config", str(config)])
    assert result.exit_code == 0 and len(closed_segments(real)) == 1, result.output
    data = bytearray(real.read_bytes())
    data[100:4096] = bytes(3996)  # the page with the schema, so that SQLite cannot open the file
    real.write_bytes(data)
    with service_process(tmp_path, "--no-trays", journal=link) as service:
        assert command_view(service.start(), "1 sit 50").is_recorded
    assert link.is_symlink() and real.is_file() and sibling(real, ".damaged-1").exists()
    assert not [path.name for path in tmp_path.glob("table.journal?*")]
    assert CliRunner().invoke(main, ["journal", "show", str(link)]).output.count("1 sit 50") == 1


@pytest.mark.parametrize("suffix", [".lock", ".mark"])
@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_planted_link_does_not_destroy_the_file_behind_it(
    tmp_path: Path, suffix: str, link: Callable[[Path, Path], None]
) -> None:
    book = copy_journal(tmp_path)
    foreign, planted = tmp_path / "foreign", sibling(book.path, suffix)
    foreign.write_text(FOREIGN_TEXT)
    planted.unlink(missing_ok=True)
    link(foreign, planted)
    if suffix == ".lock":
        with pytest.raises(JournalError, match="a link to another file"):
            Journal.open(book.path, guard=book.guard())
    else:
        with closing(Journal.open(book.path, guard=book.guard())[0]) as journal:
            journal.append([])
        with pytest.raises(IntegrityFileError, match="a link to another file"):
            read_mark(planted)
        assert book.inspect_journal() == ["mark-damaged"]
    assert foreign.read_text() == FOREIGN_TEXT


def test_link_that_is_planted_under_an_open_mark_is_not_followed(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    mark = MarkFile(local_mark_path(book.path))
    with closing(Journal.open(book.path)[0]) as journal:
        head = journal.committed_head
    mark.write(head)
    moved = tmp_path / "moved"
    mark.path.rename(moved)
    mark.path.symlink_to(moved)
    written = moved.read_bytes()
    mark.write(head)
    assert mark.error == "a link to another file" and moved.read_bytes() == written


def test_hard_linked_journal_is_recorded_by_one_service_only(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    other = book._replace(path=tmp_path / "other.journal", far_mark=tmp_path / "other.mark")

    os.link(book.path, other.path)

    async def play() -> None:
        service, other_service = open_service(book), open_service(other)
        assert service.live.record_faults.are_damaged and other_service.live.record_faults.are_damaged
        for _ in range(3):
            assert other_service.apply_step(parse_step("1 add 7")) is None
            assert service.apply_step(parse_step("1 add 5")) is None
        assert service.view.is_recorded and other_service.view.is_recorded
        close_service(other_service)
        close_service(service)

    asyncio.run(play())
    for path, own in ((book.path, "1 add 5"), (other.path, "1 add 7")):
        lines = CliRunner().invoke(main, ["journal", "show", str(path)]).output
        assert (lines.count("1 add"), path.stat().st_nlink) == (RECORDS + 3, 1)
        assert own in lines.splitlines()[-1]


def test_interrupted_rotation_is_no_hard_link_of_somebody_else(tmp_path: Path) -> None:
    book = copy_journal(tmp_path)
    archive = sibling(book.path, ".archive")
    archive.mkdir()
    os.link(book.path, archive / "000001.journal")
    with closing(Journal.open(book.path, guard=book.guard())[0]) as journal:
        assert journal.last_number == RECORDS
    assert closed_segments(book.path) == []
