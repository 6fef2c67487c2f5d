"""Tables of the antennas, keys and board pins of a layout, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS, PRESENCE_PINS
from hardware.layout import SEAT_NAMES, TableLayout

HEADER_PINS: Final[Mapping[int, int]] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""Pin of the Raspberry Pi's header with 40 pins for each BCM number."""


def wiring_tables(layout: TableLayout) -> str:
    """Return all tables of a layout, each after its heading."""
    parts = [
        ("Antennas", antenna_table(layout)),
        ("Keys at the Pi and at the boards", key_table(layout)),
        ("Pins of the panel boards", board_table(layout)),
        ("Presence sensors", presence_table(layout)),
    ]
    return "\n\n".join(f"### {heading}\n\n{table}" for heading, table in parts if table)


def antenna_table(layout: TableLayout) -> str:
    """Return the spot of every antenna. Return "" for a table without readers."""
    return _table(
        ("reader", "port", "antenna", "spot"),
        (
            (f"reader {reader.name}", f"`{port_name(reader.port)}`", f"antenna {antenna}", f"spot {spot}")
            for reader in layout.readers
            for antenna, spot in reader.antennas.items()
        ),
    )


def key_table(layout: TableLayout) -> str:
    """Return the pin of every key, and the input of a board to which the key may be connected instead.

    Return "" for a table without keys at pins.
    """
    inputs = {
        name: f"or input {number} of {panel.name}" for panel in layout.panels for number, name in panel.buttons.items()
    }
    return _table(
        ("key", "GPIO pin of the Pi", "pin of the Pi's header", "or input of a panel board"),
        (
            (f"key {key}", f"GPIO {pin}", f"header pin {HEADER_PINS[pin]}", inputs.get(key, "only at the Pi"))
            for key, pin in layout.gpio.keys.items()
        ),
    )


def board_table(layout: TableLayout) -> str:
    """Return the pins of every button and lamp of the panel boards. Return "" for a table without boards."""
    return _table(
        ("panel board", "button", "pin of the button", "pin of the lamp"),
        (
            (
                f"board {panel.name}",
                f"input {number}, {button_label(name)}",
                board_pin(BUTTON_PINS, number),
                ", ".join(
                    f"lamp {lamp}, {board_pin(LAMP_PINS, lamp)}" for lamp, seat in panel.lamps.items() if seat == name
                )
                or "no lamp",
            )
            for panel in layout.panels
            for number, name in panel.buttons.items()
        ),
    )


def presence_table(layout: TableLayout) -> str:
    """Return the pin of every presence sensor. Return "" for a table without presence sensors."""
    return _table(
        ("panel board", "presence input", "pin of the sensor", "spot"),
        (
            (f"board {panel.name}", f"presence input {number}", board_pin(PRESENCE_PINS, number), f"spot {spot}")
            for panel in layout.panels
            for number, spot in panel.presence.items()
        ),
    )


def port_name(port: str) -> str:
    """Return the name of a port without its folder."""
    return port.rpartition("/")[2]


def button_label(name: str) -> str:
    """Return the label of a button, such as "seat 3" or "key fold"."""
    return f"seat {SEAT_NAMES.index(name) + 1}" if name in SEAT_NAMES else f"key {name}"


def board_pin(pins: Sequence[int], number: int) -> str:
    """Return the pin of an input or lamp of a board, such as "GP2"."""
    return f"GP{pins[number]}" if number < len(pins) else "not on this board"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines]) if lines else ""
