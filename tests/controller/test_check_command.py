"""The command `potkeeper check` reports the devices of a table and each fault of its setup.

The devices are emulated on pseudo terminals.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.config import BadInputError, load_config
from controller.integrity import create_key_file
from controller.service import CheckResult, check_setup, setup_check
from controller.service.setup_check import adapter_latency_ms
from hardware import layout
from hardware.layout import LayoutError, pepper_layout, reference_layout
from hardware.simulated.pty_table import PtyTable
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
    with PtyTable(reference_layout(), World({})) as table:
        yield table.layout.ports


def failures(lines: list[CheckResult]) -> list[str]:
    return [text for ok, text in lines if not ok]


def test_check_of_a_ready_table_has_no_failing_line(ports: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    lines = check_setup(config, None, ports)
    assert failures(lines) == []
    assert [text.replace(str(tmp_path), "") for _, text in lines[:6]] == [
        "configuration /table.toml: Table 4, Pot-Limit Omaha 5/10, 2 players",
        "layout by default: reference, 2 readers, 2 panel boards, 12 spots, 6 keys at GPIO pins",
        "chip set: 1, 5, 25, 100, 500, 1,000; 3 lammers",
        "roles by default: no list of badges: the table is open, the dealer's screen has the rights of the floor; "
        "doors screen (dealer)",
        "key: none, so records that were rewritten with new hashes cannot be detected",
        "high-water mark: none on another device, so an older copy of the whole folder cannot be detected",
    ]
    assert [text.split(" at ")[0] for _, text in lines[6:]] == [
        "reader odd", "reader even", "panel board panel-low", "panel board panel-high"
    ]  # fmt: skip
    assert all("answers" in text for _, text in lines[6:])


def test_check_reports_the_key_and_the_high_water_mark(tmp_path: Path) -> None:
    key, far = tmp_path / "table.key", tmp_path / "far.mark"
    public = create_key_file(key)

    def check_lines(**files: Path) -> list[CheckResult]:
        return check_setup(None, small(tmp_path), {}, **files)[4:6]

    journal = tmp_path / "t.journal"
    assert check_lines(key=key, high_water=far) == [
        (True, f"key {key}: signs the journal, public key {public}"),
        (True, f"high-water mark {far}: can be written"),
    ]
    assert not far.exists(), "the check created a high-water mark"
    assert check_lines(key=tmp_path / "gone")[0] == (
        False,
        f"key {tmp_path / 'gone'}: No such file or directory, expected the private key of a table: "
        "until then records are not signed",
    )
    assert check_lines(high_water=far, journal=journal)[1] == (
        False,
        f"high-water mark {far}: on the device of the journal, expected another device",
    )
    assert check_lines(high_water=tmp_path / "gone" / "mark")[1] == (
        False,
        f"high-water mark {tmp_path / 'gone' / 'mark'}: No such file or directory, expected a folder on another device",
    )
    far.write_text("no mark")
    assert check_lines(high_water=far)[1] == (
        False,
        f"high-water mark {far}: damaged or another kind of file, expected a high-water mark",
    )


def small(tmp_path: Path, text: str = LAYOUT) -> Path:
    path = tmp_path / "layout.toml"
    path.write_text(text)
    return path


def test_check_reports_a_missing_port(ports: dict[str, str], tmp_path: Path) -> None:
    at = {"odd": str(tmp_path / "gone"), "low": ports["panel-low"]}
    assert failures(check_setup(None, small(tmp_path), at)) == [
        f"reader odd at {tmp_path / 'gone'}: the port does not exist, expected an adapter with the name that the "
        "layout gives"
    ]


def test_check_reports_a_port_without_a_device(ports: dict[str, str], tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        at = {"odd": ports["odd"], "low": os.ttyname(slave)}
        (failing_line,) = failures(check_setup(None, small(tmp_path), at))
    finally:
        os.close(slave)
        os.close(master)
    assert "panel board low" in failing_line and "no answer, expected a handshake" in failing_line


def test_check_fails_if_a_board_answers_instead_of_a_reader(ports: dict[str, str], tmp_path: Path) -> None:
    at = {"odd": ports["panel-low"], "low": ports["odd"]}
    failing_lines = failures(check_setup(None, small(tmp_path), at))
    assert len(failing_lines) == 2 and all("no answer" in line for line in failing_lines)


def test_check_reports_two_devices_on_one_port(ports: dict[str, str], tmp_path: Path) -> None:
    failing_lines = failures(check_setup(None, small(tmp_path), dict.fromkeys(("odd", "low"), ports["odd"])))
    assert any("the port is in use" in line for line in failing_lines)


def test_check_reports_a_button_that_the_board_lacks(ports: dict[str, str], tmp_path: Path) -> None:
    text = LAYOUT.replace('1 = "fold"', '31 = "fold"')
    (failing_line,) = failures(
        check_setup(None, small(tmp_path, text), {"odd": ports["odd"], "low": ports["panel-low"]})
    )
    assert failing_line.endswith("expected one more than the highest number in the layout, 31")


@pytest.mark.parametrize(
    ("chips", "failing_line"),
    [
        ("", "chip set: no chips, expected listed, ranges or encoded in [chips] of the layout"),
        (
            CHIPS.replace("denomination = 1,", "denomination = 25,"),
            "chip set: the smallest chip is 25, expected at most 5, the unit of game main",
        ),
    ],
)
def test_check_reports_a_chip_set_that_cannot_play_the_game(
    ports: dict[str, str], tmp_path: Path, chips: str, failing_line: str
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    layout = small(tmp_path, LAYOUT.replace(CHIPS, chips))
    assert failures(check_setup(config, layout, {"odd": ports["odd"], "low": ports["panel-low"]})) == [failing_line]


@pytest.mark.parametrize(
    ("stakes", "names", "warning"),
    [
        ("open", 'names = { 1 = "ann" }', "no name for seats 2, 3"),
        ("open", 'names = { 1 = "ann", 2 = "ben" }', "no name for seat 3"),
        ("open", 'names = { 1 = "ann", 2 = "ben", 3 = "cho" }', ""),
        ("table", "", ""),
    ],
)
def test_check_warns_of_players_without_a_name_at_open_stakes(
    tmp_path: Path, stakes: str, names: str, warning: str
) -> None:
    config = tmp_path / "table.toml"
    stacks = f"button = 3\nstacks = {{ 1 = 100, 2 = 100, 3 = 100 }}\n{names}"
    config.write_text(f'{stacks}\n[game]\nblinds = [5, 10]\nstakes = "{stakes}"\n')
    warnings = [line for is_ok, line in setup_check._check_names(load_config(config)) if is_ok]
    expected = f"open stakes: {warning}, so the report keeps their debts by seat and time only"
    assert warnings == ([expected] if warning else [])


def test_check_warns_of_chips_of_the_same_colour(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[table]\nchip_colours = { 1 = "White", 5 = "red", 25 = "#FF0000", 100 = "#f00001" }\n')
    assert setup_check._check_chip_colours(load_config(config)) == [
        (True, "chip colours: 5 and 25 have the same colour #ff0000, expected one for each")
    ]


@pytest.mark.parametrize(
    ("game", "chip", "failing_lines"),
    [
        ("blinds = [10, 5]\nunit = 5", 5, ["blinds of game main: 10, 5, expected the largest blind last"]),
        ("blinds = [5, 5]\nunit = 5", 5, []),
        ("blinds = [5, 10]\nunit = 5\nkill = { factor = 1.5, wins = 2 }", 5, []),
        (
            "blinds = [4, 8]\nkill = { factor = 1.5, wins = 2 }",
            5,
            [
                "chip set: the smallest chip is 5, expected at most 1, the unit of game main",
                "chip set: the kill blind of game main is 12, expected an amount in these chips",
            ],
        ),
    ],
)
def test_check_reports_blinds_and_kills_that_cannot_be_posted(
    ports: dict[str, str], tmp_path: Path, game: str, chip: int, failing_lines: list[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE.replace("blinds = [5, 10]\nunit = 5", game))
    layout = small(tmp_path, LAYOUT.replace("denomination = 1,", f"denomination = {chip},"))
    assert failures(check_setup(config, layout, {"odd": ports["odd"], "low": ports["panel-low"]})) == failing_lines


def test_check_prints_chips_in_the_house_currency_format(ports: dict[str, str], tmp_path: Path) -> None:
    config, at = tmp_path / "table.toml", {"odd": ports["odd"], "low": ports["panel-low"]}
    config.write_text(TABLE.replace('name = "Table 4"', 'name = "Table 4"\nprefix = "$"\ndecimals = 2'))
    lines = check_setup(config, small(tmp_path, LAYOUT.replace("denomination = 1,", "denomination = 250000,")), at)
    assert [text for _, text in lines[2:4]] == [
        "chip set: $2,500; 0 lammers",
        "chip set: the smallest chip is $2,500, expected at most $0.05, the unit of game main",
    ]


def test_check_of_a_table_without_hardware_passes(tmp_path: Path) -> None:
    assert failures(check_setup(None, small(tmp_path, 'name = "bare"\n'), {})) == []


def test_check_raises_bad_input_errors(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        check_setup(tmp_path / "none.toml", None, {})
    with pytest.raises(LayoutError, match=r"none\.toml"):
        check_setup(None, tmp_path / "none.toml", {})
    with pytest.raises(BadInputError, match="--port third: expected one of"):
        check_setup(None, None, {"third": "/dev/null"})


def test_check_reports_the_latency_timer_of_an_ftdi_adapter(
    ports: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / Path(ports["odd"]).resolve().name
    device.mkdir()
    (device / "latency_timer").write_text("16\n")
    monkeypatch.setattr(setup_check, "USB_SERIAL_DEVICES", tmp_path)
    assert (adapter_latency_ms(ports["odd"]), adapter_latency_ms(ports["even"])) == (16, 0)
    (failing_line,) = failures(check_setup(None, small(tmp_path), {"odd": ports["odd"], "low": ports["panel-low"]}))
    assert failing_line == f"reader odd at {ports['odd']}: answers, but its adapter delays bytes by 16 ms, expected 1"


def test_check_reports_a_reader_with_its_protocol(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE)
    ours = tmp_path / "layout.toml"
    ours.write_text(Path(layout.__file__).parent.with_name("peppers.toml").read_text())
    with PtyTable(pepper_layout(), World({})) as table:
        lines = check_setup(config, ours, table.layout.ports)
    assert failures(lines) == []
    assert [text.partition(": ")[2] for _, text in lines[6:8]] == ["answers, pepper"] * 2
