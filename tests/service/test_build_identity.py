"""A build has an identity that each segment names, so that another build begins another segment."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import parse_config
from controller.journal import build_id, iter_segments
from controller.journal.build_identity import PACKAGES, compute_build_id
from controller.journal.segment_header import is_from_current_run, new_header
from controller.service import TableService
from controller.steps import parse_step
from tests.controller.journal_tampering import close_service
from tests.import_graph import ROOT
from tests.service.service_process import CONFIG


def program_copy(folder: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("file", "is_program"),
    [
        ("controller/rules/game.py", True),
        ("hardware/deploy/table.toml", True),
        ("controller/service/roles/roles.toml", True),
        ("ui/app.py", True),
        ("firmware_bridge/clock.py", True),
        ("controller/README.md", False),
        ("controller/__pycache__/cli.cpython-311.pyc", False),
    ],
)
def test_build_changes_with_each_program_file(tmp_path: Path, file: str, is_program: bool) -> None:
    root = program_copy(tmp_path)
    assert compute_build_id(root) == compute_build_id(ROOT) == build_id()
    changed = root / file
    changed.parent.mkdir(exist_ok=True)
    with changed.open("a") as stream:
        stream.write("\n")
    assert (compute_build_id(root) != build_id()) is is_program


def test_build_changes_if_a_file_is_moved_or_added_or_unreadable(tmp_path: Path) -> None:
    root = program_copy(tmp_path)
    added = root / "controller" / "rules" / "added.py"
    added.touch()
    with_file = compute_build_id(root)
    added.rename(added.with_name("other.py"))
    assert len({with_file, compute_build_id(root), build_id()}) == 3
    added.symlink_to("nowhere")
    assert compute_build_id(root) == ""


def test_another_build_begins_a_new_segment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, builds = tmp_path / "t.journal", [build_id(), "0" * 32, "0" * 32, ""]
    for build in builds:
        monkeypatch.setattr("controller.journal.segment_header.build_id", lambda build=build: build)
        service = TableService.open(parse_config(CONFIG), path, trays=False)
        assert service.apply_step(parse_step("1 tip 1")) is None
        close_service(service)
    headers = [segment.read_header() for segment in iter_segments(path)]
    assert [header.build_id for header in headers] == [builds[0], builds[1], ""]
    shown = CliRunner().invoke(main, ["journal", "show", str(path)]).output
    assert shown.count(", build ") == 2 and f", build {build_id()}" in shown


def test_header_of_an_earlier_program_is_from_another_build() -> None:
    header = new_header("{}")
    assert header.build_id == build_id() and is_from_current_run(header)
    assert not is_from_current_run(msgspec.structs.replace(header, build_id=""))


def test_check_names_the_build(tmp_path: Path) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text('name = "bare"\n')
    result = CliRunner().invoke(main, ["check", "--layout", str(layout)])
    assert result.exit_code == 0 and result.output.splitlines()[0].endswith(f", build {build_id()}")
