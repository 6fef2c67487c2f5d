"""Journals written by earlier commits: today's code starts from them, replays, verifies, exports and shows them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import read_config
from controller.journal import segments, whole
from controller.live import Live, Setup, lasting
from controller.service import Service
from controller.service.replaying import replayed

JOURNALS = Path(__file__).parent / "journals"
COMMITS = sorted(folder.name for folder in JOURNALS.iterdir() if folder.is_dir())


@pytest.fixture(params=COMMITS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of one journal and of what its commit read from it."""
    return Path(shutil.copytree(JOURNALS / request.param, tmp_path / "old"))


def test_old_journal_replays_to_the_same_digest(folder: Path) -> None:
    for segment in segments(folder / "table.journal"):
        result = replayed(segment, Live(Setup(), read_config(segment.opening().config).table))
        assert result.differs == ""
    assert whole.digest(lasting(result.live)) == (folder / "digest.txt").read_text().strip()


def test_old_journal_starts(folder: Path) -> None:
    service = Service.open(read_config(""), folder / "table.journal", trays=True)
    assert service.live.table.playing
    assert service.live.restarted
    assert not service.live.damaged
    assert service.live.altered == frozenset()
    assert service.view.recorded


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
