"""Each segment of a journal names the layout and the list of chips with which it was played."""

from __future__ import annotations

import hashlib
import os
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.config import parse_config
from controller.integrity import TableKey, make_guard
from controller.journal import (
    Entry,
    Journal,
    LayoutInForce,
    Segment,
    SegmentHeader,
    iter_segments,
    new_header,
    salvage_journal,
    verify,
)
from controller.journal.records import encode_json
from controller.service import ServeOptions, TableService
from controller.service.recorder import JournalLocation
from controller.service.start_files import read_start_files
from controller.steps import parse_step
from hardware.chip_register import derive_public_key, sign_text
from hardware.layout import reference_layout
from hardware.text_input_validation import read_file
from tests.controller.journal_tampering import close_service
from tests.service.service_process import CONFIG, service_process

HOUSE_KEY = "33" * 32
KEY = TableKey("11" * 32)
FIRST = LayoutInForce("layout.toml", "ab" * 32)
SECOND = LayoutInForce("layout.toml", "cd" * 32, "--encoded")


def chip_list(number: int) -> bytes:
    return sign_text(f'house = "Grand"\nnumber = {number}\n'.encode(), HOUSE_KEY)


def layout_of_house(folder: Path, number: int) -> Path:
    """Return a layout that names the installed list of chips with this number."""
    (folder / "house.chips").write_bytes(chip_list(number))
    os.utime(folder / "house.chips", (1_764_028_800, 1_764_028_800))
    layout = folder / "grand.toml"
    layout.write_text(
        f'name = "bare"\n[chips]\nregister = "house.chips"\nregister_key = "{derive_public_key(HOUSE_KEY)}"\n'
    )
    return layout


def play(path: Path, layout: LayoutInForce | None, *steps: str) -> None:
    service = TableService.open(
        parse_config(CONFIG), JournalLocation(path, make_guard(path, KEY), layout=layout), trays=False
    )
    for step in steps:
        assert service.apply_step(parse_step(step)) is None
    close_service(service)


def layouts_of(path: Path) -> list[LayoutInForce | None]:
    return [segment.read_header().layout for segment in iter_segments(path)]


def test_start_describes_the_layout_and_the_list_of_chips(tmp_path: Path) -> None:
    layout = layout_of_house(tmp_path, 7)
    options = ServeOptions(None, layout, {}, gpio=False)
    files = read_start_files(options, tmp_path / "t.journal")
    assert files.layout_in_force == LayoutInForce(
        "grand.toml",
        hashlib.sha256(layout.read_bytes()).hexdigest(),
        "--no-gpio",
        "Grand",
        7,
        hashlib.sha256(chip_list(7)).hexdigest(),
        "2025-11-25T00:00:00+00:00",
        derive_public_key(HOUSE_KEY),
    )


def test_layout_that_changes_during_a_start_is_described_as_it_was_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = layout_of_house(tmp_path, 7)
    used = layout.read_bytes()

    def read_and_change(path: Path, max_bytes: int) -> bytes:
        content = read_file(path, max_bytes)
        layout.write_text('name = "changed"\n')
        return content

    monkeypatch.setattr("hardware.layout.loader.read_file", read_and_change)
    files = read_start_files(ServeOptions(None, layout, {}, gpio=False), tmp_path / "t.journal")
    assert files.layout is not None and files.layout.name == "bare"
    assert files.layout_in_force.hash == hashlib.sha256(used).hexdigest()
    assert files.layout_in_force.list_number == 7


def test_start_with_the_last_good_copy_describes_the_copy(tmp_path: Path) -> None:
    layout = layout_of_house(tmp_path, 7)
    good = read_start_files(ServeOptions(None, layout, {}), tmp_path / "t.journal")
    good.keep_copies()
    layout.write_text("broken")
    (tmp_path / "house.chips").write_text("broken")
    files = read_start_files(ServeOptions(None, layout, {}), tmp_path / "t.journal")
    assert [fault.kind for fault in files.faults] == ["layout"]
    assert (files.layout_in_force.hash, files.layout_in_force.list_number) == (good.layout_in_force.hash, 7)
    assert files.layout_in_force.list_hash == good.layout_in_force.list_hash


def test_start_without_a_layout_file_describes_the_reference_table() -> None:
    layout, in_force = ServeOptions(None, None, {}, gpio=False).read_layout_in_force()
    assert layout.readers == reference_layout().readers
    assert (in_force.file, len(in_force.hash), in_force.house) == ("layout.toml of the program", 64, "")


def test_start_without_sensors_describes_no_layout(tmp_path: Path) -> None:
    assert (
        read_start_files(ServeOptions(None, None, {}, trays=False), tmp_path / "j").layout_in_force == LayoutInForce()
    )


def test_another_layout_begins_a_new_segment_and_the_same_one_does_not(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"
    for layout in (None, FIRST, FIRST, SECOND, FIRST):
        play(path, layout, "1 add 5")
    assert layouts_of(path) == [None, FIRST, SECOND, FIRST]
    assert verify(path)[1] == 4
    service = TableService.open(parse_config(CONFIG), path, trays=False)
    assert service.live.table.players[1].stack == 5 * 5 + parse_config(CONFIG).table.players[1].stack
    close_service(service)


@pytest.mark.parametrize("layout", [None, FIRST])
def test_rotation_salvage_and_new_configuration_keep_the_layout(tmp_path: Path, layout: LayoutInForce | None) -> None:
    path = tmp_path / "t.journal"
    with closing(Journal.create(path, new_header("{}", layout=layout))) as journal:
        for origin in ("", "configuration"):
            journal.append([Entry(1, parse_step("hand"), "dealer")])
            journal.rotate(b"", "configuration" if origin else "")
        journal.append([Entry(1, parse_step("hand"), "dealer")])
    data = bytearray(path.read_bytes())
    data[100:4096] = bytes(3996)
    path.write_bytes(data)
    salvage_journal(path)
    assert layouts_of(path) == [layout] * 3


def test_header_without_a_layout_has_the_bytes_of_earlier_programs() -> None:
    header = new_header("{}")
    assert b'"layout"' not in encode_json(header)
    assert msgspec.json.decode(encode_json(header), type=SegmentHeader) == header


def test_served_table_names_its_layout_in_the_journal(tmp_path: Path) -> None:
    layout = layout_of_house(tmp_path, 7)
    options = ("--layout", str(layout), "--no-gpio", "--archive-days", "30")
    with service_process(tmp_path, *options) as service:
        service.start()
        service.stop()
        [in_force] = layouts_of(service.journal)
    assert in_force is not None
    assert (in_force.file, in_force.options, in_force.list_number) == ("grand.toml", "--no-gpio", 7)


def report_of(path: Path, first: str, end: str) -> list[str]:
    """Return the lines about layouts in the report of an audit."""
    key = path.with_name("table.key")
    key.write_text("11" * 32)
    key.chmod(0o600)
    out = path.with_name("report.txt")
    words = ["journal", "audit", str(path), "--from", first, "--to", end, "--key", str(key), "--out", str(out)]
    assert CliRunner().invoke(main, words).exit_code in (0, 1)
    _, lines = out.read_text().split("layouts and lists of chips: ")
    return [line.strip() for line in lines.split("\n\n")[0].splitlines()[1:]]


@pytest.fixture
def five_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a journal with one segment a day from 2025-11-25 on. The third day begins with another layout."""
    path, days = tmp_path / "t.journal", iter(range(25, 30))
    monkeypatch.setattr(
        "controller.journal.segment_header.utc_timestamp", lambda: f"2025-11-{next(days)}T00:00:00.000+00:00"
    )
    monkeypatch.setattr("controller.journal.records.time.time_ns", lambda: 0)
    header = new_header("{}")
    with closing(Journal.create(path, header, guard=make_guard(path, KEY))) as journal:
        for layout in (FIRST, SECOND, SECOND, FIRST):
            journal.append([Entry(1, parse_step("hand"), "dealer")])
            journal.rotate(b"", layout=layout)
    return path


@pytest.mark.parametrize(
    ("first", "end", "segments"),
    [
        ("2025-11-25", "2025-11-30", [(1, None), (2, FIRST), (3, SECOND), (5, FIRST)]),
        ("2025-11-25", "2025-11-26", [(1, None)]),
        ("2025-11-27", "2025-11-29", [(2, FIRST), (3, SECOND)]),
        ("2025-11-28", "2025-11-29", [(3, SECOND)]),
        ("2025-11-28", "2025-11-30", [(3, SECOND), (5, FIRST)]),
        ("2025-11-28T06:00", "2025-11-28T18:00", [(4, SECOND)]),
        ("2024-11-28", "2024-11-29", []),
    ],
)
def test_audit_names_the_layout_at_the_start_and_each_change(
    five_days: Path, first: str, end: str, segments: list[tuple[int, LayoutInForce | None]]
) -> None:
    texts = {
        None: "layout and list of chips not recorded",
        FIRST: f"layout layout.toml, hash {FIRST.hash}; no list of chips",
        SECOND: f"layout layout.toml, hash {SECOND.hash}, with --encoded; no list of chips",
    }
    assert report_of(five_days, first, end) == [
        f"segment {segment}, begun 2025-11-{24 + segment}T00:00:00.000+00:00: {texts[layout]}"
        for segment, layout in segments
    ]


def test_audit_names_number_date_and_signer_of_the_list_of_chips(tmp_path: Path) -> None:
    files = read_start_files(ServeOptions(None, layout_of_house(tmp_path, 7), {}), tmp_path / "t.journal")
    play(tmp_path / "t.journal", files.layout_in_force, "1 add 5")
    with closing(Segment.open_read_only(tmp_path / "t.journal")) as segment:
        begun = segment.read_header().created_at
    assert report_of(tmp_path / "t.journal", "2020-01-01", "2100-01-01") == [
        f"segment 1, begun {begun}: layout grand.toml, hash {files.layout_in_force.hash}; list of chips 7 of Grand, "
        f"file of 2025-11-25T00:00:00+00:00, hash {files.layout_in_force.list_hash}, "
        f"signed with {derive_public_key(HOUSE_KEY)}"
    ]
