"""`check`: what it finds at a table on ptys, and each thing that is wrong there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.config import BadInputError
from controller.seals import make_key
from controller.service import Line, check, checks
from controller.service.checks import adapter_delay_ms
from hardware import layout
from hardware.layout import LayoutError, peppers, reference
from hardware.simulated.pty_rig import PtyTable
from hardware.simulated.world import World

TABLE = """
button = 1
stacks = { 1 = 500, 2 = 500 }
[table]
name = "Table 4"
[game]
variant = "omaha"
structure = "pot-limit"
blinds = [5, 10]
unit = 5
"""
LAYOUT = """
name = "small"
[[readers]]
name = "odd"
port = "nowhere"
antennas = { 1 = "bet1" }
[[panels]]
name = "low"
port = "nowhere"
buttons = { 0 = "seat1", 1 = "fold" }
lamps = { 0 = "seat1" }
[chips]
ranges = [ { denomination = 1, first = "E004015000250000", last = "E00401500025FFFF" } ]
"""


CHIPS = LAYOUT[LAYOUT.index("[chips]") :]


@pytest.fixture
def ports() -> Iterator[dict[str, str]]:
    with PtyTable(reference(), World({})) as table:
        yield table.layout.ports


def failures(lines: list[Line]) -> list[str]:
    return [text for ok, text in lines if not ok]


def test_a_table_that_is_ready_has_no_line_that_fails(ports: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    lines = check(config, None, ports)
    assert failures(lines) == []
    assert [text.replace(str(tmp_path), "") for _, text in lines[:6]] == [
        "configuration /table.toml: Table 4, Omaha pot-limit 5/10, 2 players",
        "layout by default: reference, 2 readers, 2 panel boards, 12 spots, 6 keys at GPIO pins",
        "chip set: 1, 5, 25, 100, 500, 1,000; 3 lammers",
        "roles by default: no list of badges: the table is open, whoever is at the dealer's screen decides as the "
        "floor; doors screen (dealer)",
        "key: none, so records that were written anew with new hashes cannot be found",
        "high-water mark: none on another device, so an older copy of the whole folder cannot be found",
    ]
    assert [text.split(" at ")[0] for _, text in lines[6:]] == [
        "reader odd", "reader even", "panel board panel-low", "panel board panel-high"
    ]  # fmt: skip
    assert all("answers" in text for _, text in lines[6:])


def test_key_and_mark_are_told(tmp_path: Path) -> None:
    key, far = tmp_path / "table.key", tmp_path / "far.mark"
    public = make_key(key)

    def told(**files: Path) -> list[Line]:
        return check(None, small(tmp_path), {}, **files)[4:6]

    journal = tmp_path / "t.journal"
    assert told(key=key, high_water=far) == [
        (True, f"key {key}: signs the journal, public key {public}"),
        (True, f"high-water mark {far}: can be written"),
    ]
    assert not far.exists(), "a check makes no mark"
    assert told(key=tmp_path / "gone")[0] == (
        False,
        f"key {tmp_path / 'gone'}: No such file or directory, expected the private key of a table: "
        "meanwhile the table plays on and its records are not signed",
    )
    assert told(high_water=far, journal=journal)[1] == (
        False,
        f"high-water mark {far}: on the device of the journal, expected another: it would go with that",
    )
    assert told(high_water=tmp_path / "gone" / "mark")[1] == (
        False,
        f"high-water mark {tmp_path / 'gone' / 'mark'}: No such file or directory, expected a folder on another device",
    )
    far.write_text("no mark")
    assert told(high_water=far)[1] == (
        False,
        f"high-water mark {far}: damaged or another kind of file, expected a high-water mark",
    )


def small(tmp_path: Path, text: str = LAYOUT) -> Path:
    path = tmp_path / "layout.toml"
    path.write_text(text)
    return path


def test_a_port_that_is_not_there(ports: dict[str, str], tmp_path: Path) -> None:
    at = {"odd": str(tmp_path / "gone"), "low": ports["panel-low"]}
    assert failures(check(None, small(tmp_path), at)) == [
        f"reader odd at {tmp_path / 'gone'}: there is no such port, expected an adapter plugged in and named as in "
        "the layout"
    ]


def test_a_port_without_a_device_behind_it(ports: dict[str, str], tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        at = {"odd": ports["odd"], "low": os.ttyname(slave)}
        (said,) = failures(check(None, small(tmp_path), at))
    finally:
        os.close(slave)
        os.close(master)
    assert "panel board low" in said and "no answer, expected a greeting" in said


def test_a_board_where_a_reader_is_expected_does_not_pass(ports: dict[str, str], tmp_path: Path) -> None:
    at = {"odd": ports["panel-low"], "low": ports["odd"]}
    said = failures(check(None, small(tmp_path), at))
    assert len(said) == 2 and all("no answer" in line for line in said)


def test_two_devices_at_one_port(ports: dict[str, str], tmp_path: Path) -> None:
    said = failures(check(None, small(tmp_path), dict.fromkeys(("odd", "low"), ports["odd"])))
    assert any("somebody has it open" in line for line in said)


def test_a_button_that_the_board_does_not_have(ports: dict[str, str], tmp_path: Path) -> None:
    text = LAYOUT.replace('1 = "fold"', '31 = "fold"')
    (said,) = failures(check(None, small(tmp_path, text), {"odd": ports["odd"], "low": ports["panel-low"]}))
    assert said.endswith("expected one more than the highest number in the layout, 31")


@pytest.mark.parametrize(
    ("chips", "said"),
    [
        ("", "chip set: no chips, expected listed, ranges or encoded in [chips] of the layout"),
        (
            CHIPS.replace("denomination = 1,", "denomination = 25,"),
            "chip set: the smallest chip is 25, expected at most 5, the unit of game main",
        ),
    ],
)
def test_a_chip_set_that_the_game_cannot_be_played_with(
    ports: dict[str, str], tmp_path: Path, chips: str, said: str
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    layout = small(tmp_path, LAYOUT.replace(CHIPS, chips))
    assert failures(check(config, layout, {"odd": ports["odd"], "low": ports["panel-low"]})) == [said]


def test_chips_are_told_in_the_money_of_the_house(ports: dict[str, str], tmp_path: Path) -> None:
    config, at = tmp_path / "table.toml", {"odd": ports["odd"], "low": ports["panel-low"]}
    config.write_text(TABLE.replace('name = "Table 4"', 'name = "Table 4"\nprefix = "$"\ndecimals = 2'))
    lines = check(config, small(tmp_path, LAYOUT.replace("denomination = 1,", "denomination = 250000,")), at)
    assert [text for _, text in lines[2:4]] == [
        "chip set: $2,500; 0 lammers",
        "chip set: the smallest chip is $2,500, expected at most $0.05, the unit of game main",
    ]


def test_a_table_without_any_hardware_is_ready(tmp_path: Path) -> None:
    assert failures(check(None, small(tmp_path, 'name = "bare"\n'), {})) == []


def test_bad_input_is_raised(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        check(tmp_path / "none.toml", None, {})
    with pytest.raises(LayoutError, match=r"none\.toml"):
        check(None, tmp_path / "none.toml", {})
    with pytest.raises(BadInputError, match="--port third: expected one of"):
        check(None, None, {"third": "/dev/null"})


def test_the_delay_of_an_ftdi_adapter_is_found_and_named(
    ports: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / Path(ports["odd"]).resolve().name
    device.mkdir()
    (device / "latency_timer").write_text("16\n")
    monkeypatch.setattr(checks, "USB_SERIAL", tmp_path)
    assert (adapter_delay_ms(ports["odd"]), adapter_delay_ms(ports["even"])) == (16, 0)
    (said,) = failures(check(None, small(tmp_path), {"odd": ports["odd"], "low": ports["panel-low"]}))
    assert said == f"reader odd at {ports['odd']}: answers, but its adapter holds bytes back for 16 ms, expected 1"


def test_a_reader_is_told_with_its_protocol(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    ours = tmp_path / "layout.toml"
    ours.write_text(Path(layout.__file__).parent.with_name("peppers.toml").read_text())
    with PtyTable(peppers(), World({})) as table:
        lines = check(config, ours, table.layout.ports)
    assert failures(lines) == []
    assert [text.partition(": ")[2] for _, text in lines[6:8]] == ["answers, pepper"] * 2
