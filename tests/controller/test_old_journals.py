"""Today's code can start from journals that earlier commits wrote, and can replay, verify, export and show them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import parse_config
from controller.journal import iter_segments, snapshot
from controller.live import Live, TableSetup, without_transient
from controller.service import TableService
from controller.service.journal_replay import replay_segment

JOURNALS = Path(__file__).parent / "journals"
COMMITS = sorted(folder.name for folder in JOURNALS.iterdir() if folder.is_dir())


@pytest.fixture(params=COMMITS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of a folder with an old journal, and with the export and digest that its commit computed."""
    return Path(shutil.copytree(JOURNALS / request.param, tmp_path / "old"))


def test_old_journal_replays_to_the_same_digest(folder: Path) -> None:
    for segment in iter_segments(folder / "table.journal"):
        result = replay_segment(segment, Live(TableSetup(), parse_config(segment.read_header().config).table))
        assert result.difference == ""
    assert snapshot.digest_of_value(without_transient(result.live)) == (folder / "digest.txt").read_text().strip()


def test_old_journal_starts(folder: Path) -> None:
    service = TableService.open(parse_config(""), folder / "table.journal", trays=True)
    assert service.live.table.is_hand_in_progress
    assert service.live.restarted
    assert not service.live.record_faults.are_damaged
    assert service.live.record_faults.alterations == frozenset()
    assert service.view.is_recorded


def test_old_journal_verifies(folder: Path) -> None:
    result = CliRunner().invoke(main, ["journal", "verify", str(folder / "table.journal")])
    assert result.exit_code == 0, result.output
    assert "325 records" in result.output


def test_old_journal_exports_the_same_lines(folder: Path) -> None:
    result = CliRunner().invoke(main, ["journal", "export", str(folder / "table.journal")])
    assert result.exit_code == 0, result.output
    assert result.stdout == (folder / "export.jsonl").read_text()


def test_old_journal_is_shown_with_every_record(folder: Path) -> None:
    result = CliRunner().invoke(main, ["journal", "show", str(folder / "table.journal")])
    assert result.exit_code == 0, result.output
    assert "325  0:00:42.336  dealer  call-floor" in result.output
