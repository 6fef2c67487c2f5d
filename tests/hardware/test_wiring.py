"""The wiring of a table: the diagram and the tables are those of its layout."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner

from controller import cli
from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS, PRESENCE_PINS, UART_RX, UART_TX
from hardware.layout import TableLayout, parse_layout, pepper_layout, reference_layout
from hardware.wiring import draw_wiring, wiring_tables
from hardware.wiring.__main__ import FOLDER, updated_readme
from hardware.wiring.pin_tables import HEADER_PINS

SVG = "{http://www.w3.org/2000/svg}"
CHARACTER_WIDTH = 7
"""Width of a character of the diagram's font in its units, as an upper limit of the average."""


def test_diagram_and_readme_are_those_of_the_reference_layout() -> None:
    readme = (FOLDER / "README.md").read_text()
    assert updated_readme(readme) == readme, "run `python -m hardware.wiring`"
    assert (FOLDER / "wiring.svg").read_text() == draw_wiring(reference_layout()), "run `python -m hardware.wiring`"


def _swapped_antennas(layout: TableLayout) -> TableLayout:
    first, *others = layout.readers
    antennas = {**first.antennas, 1: first.antennas[2], 2: first.antennas[1]}
    return msgspec.structs.replace(layout, readers=(msgspec.structs.replace(first, antennas=antennas), *others))


def test_planted_fault_swapped_antennas_are_caught() -> None:
    other = _swapped_antennas(reference_layout())
    assert draw_wiring(other) != (FOLDER / "wiring.svg").read_text()
    assert wiring_tables(other) not in (FOLDER / "README.md").read_text()


@pytest.mark.parametrize(
    "layout",
    [reference_layout(), pepper_layout(), reference_layout().with_presence()],
    ids=["feig", "pepper", "presence"],
)
def test_diagram_names_everything_that_is_connected(layout: TableLayout) -> None:
    texts = "\n".join(text.text or "" for text in ElementTree.fromstring(draw_wiring(layout)).iter(f"{SVG}text"))
    for reader in layout.readers:
        assert f"reader {reader.name}\n" in texts
        for antenna, spot in reader.antennas.items():
            assert f"antenna {antenna}: {spot}\n" in texts
    for panel in layout.panels:
        assert f"panel board {panel.name}\n" in texts
        for number in panel.buttons:
            assert f"input {number} at GP{BUTTON_PINS[number]}: " in texts
        for number in panel.lamps:
            assert f"lamp {number} at GP{LAMP_PINS[number]}" in texts
        for number, spot in panel.presence.items():
            assert f"presence input {number} at GP{PRESENCE_PINS[number]}: {spot}" in texts
    for key, pin in layout.gpio.keys.items():
        assert f"key {key}: GPIO {pin}, header pin {HEADER_PINS[pin]}, to ground" in texts


@pytest.mark.parametrize(
    "layout",
    [reference_layout(), pepper_layout(), reference_layout().with_presence()],
    ids=["feig", "pepper", "presence"],
)
def test_lines_of_text_fit_into_their_boxes(layout: TableLayout) -> None:
    root = ElementTree.fromstring(draw_wiring(layout))
    boxes = [
        tuple(int(box.attrib[key]) for key in ("x", "y", "width", "height"))
        for box in root.iter(f"{SVG}rect")
        if "x" in box.attrib
    ]
    for text in root.iter(f"{SVG}text"):
        x, y = int(text.attrib["x"]), int(text.attrib["y"])
        (width,) = [
            left + wide - x for left, top, wide, high in boxes if left < x < left + wide and top < y < top + high
        ]
        assert len(text.text or "") * CHARACTER_WIDTH <= width, text.text
    for left, top, wide, high in boxes:
        overlapping = [
            other
            for other in boxes
            if other != (left, top, wide, high)
            and other[0] < left + wide
            and left < other[0] + other[2]
            and other[1] < top + high
            and top < other[1] + other[3]
        ]
        assert not overlapping


def test_pins_are_used_once() -> None:
    assert len(set(HEADER_PINS.values())) == len(HEADER_PINS) == 28
    pins = [*BUTTON_PINS, *LAMP_PINS, *PRESENCE_PINS, UART_TX, UART_RX]
    assert len(set(pins)) == len(pins)


def test_tables_list_the_pin_of_each_presence_sensor() -> None:
    tables = wiring_tables(reference_layout().with_presence())
    assert "| board panel-high | presence input 4 | GP22 | spot bet10 |" in tables
    assert "presence" not in wiring_tables(reference_layout())


def test_table_without_devices_has_a_diagram_of_the_computer() -> None:
    bare = parse_layout("name = 'bare & new'")
    assert wiring_tables(bare) == ""
    assert "<title>Wiring of the table bare &amp; new</title>" in draw_wiring(bare)


def test_command_writes_the_wiring_of_a_layout(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text('[[panels]]\nname = "low"\nport = "/dev/x"\nbuttons = { 0 = "seat3" }\nlamps = { 2 = "seat3" }\n')
    result = CliRunner().invoke(cli.main, ["wiring", "--layout", str(path), "--svg", str(tmp_path / "w.svg")])
    assert result.exit_code == 0
    assert re.search(r"^\| board low \| input 0, seat 3 \| GP2 \| lamp 2, GP12 \|$", result.output, re.MULTILINE)
    assert "input 0 at GP2: seat 3, lamp 2 at GP12" in (tmp_path / "w.svg").read_text()
