"""Diagram of the wiring of a layout, as SVG.

The computer is on the left, then the USB hub, the readers and panel boards, and on the right what is connected to each
of them. Lines go from left to right.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS, PRESENCE_PINS
from hardware.driver_factory import PortSettings, panel_port_settings, reader_port_settings
from hardware.layout import TableLayout
from hardware.wiring.pin_tables import HEADER_PINS, board_pin, button_label, port_name

ROW: Final = 18
"""Height of a line of text."""
GAP: Final = 20
"""Distance between two boxes, and between a box and the edge."""
PI_X: Final = GAP
PI_WIDTH: Final = 350
HUB_X: Final = PI_X + PI_WIDTH + 2 * GAP
HUB_WIDTH: Final = 80
DEVICE_X: Final = HUB_X + HUB_WIDTH + 2 * GAP
DEVICE_WIDTH: Final = 330
ITEM_X: Final = DEVICE_X + DEVICE_WIDTH + 2 * GAP
ITEM_WIDTH: Final = 300
WIDTH: Final = ITEM_X + ITEM_WIDTH + GAP


class _Device(NamedTuple):
    """A reader or panel board: the lines in its box, and the lines of what is connected to it."""

    lines: list[str]
    items: list[str]

    @property
    def height(self) -> int:
        return ROW * max(len(self.lines), len(self.items)) + GAP // 2


def draw_wiring(layout: TableLayout) -> str:
    """Return the diagram of a layout."""
    devices = _devices(layout)
    keys = [f"key {key}: GPIO {pin}, header pin {HEADER_PINS[pin]}, to ground" for key, pin in layout.gpio.keys.items()]
    pi_lines = ["Raspberry Pi", "display and touch panel", "badge reader (USB, PC/SC)", *keys]
    devices_height = sum(device.height + GAP for device in devices) - GAP if devices else 0
    pi_height = ROW * len(pi_lines) + GAP // 2
    height = max(devices_height, pi_height) + 2 * GAP
    parts = [_box(PI_X, GAP, PI_WIDTH, pi_height, pi_lines)]
    if devices:
        hub_y = GAP + pi_height // 2
        parts.append(_line(PI_X + PI_WIDTH, hub_y, HUB_X, hub_y))
        parts.append(_box(HUB_X, GAP, HUB_WIDTH, max(devices_height, pi_height), ["powered", "USB hub"]))
    y = GAP
    for device in devices:
        middle = y + device.height // 2
        parts.append(_line(HUB_X + HUB_WIDTH, middle, DEVICE_X, middle))
        parts.append(_box(DEVICE_X, y, DEVICE_WIDTH, device.height, device.lines))
        if device.items:
            parts.append(_line(DEVICE_X + DEVICE_WIDTH, middle, ITEM_X, middle))
            parts.append(_box(ITEM_X, y, ITEM_WIDTH, ROW * len(device.items) + GAP // 2, device.items))
        y += device.height + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12">\n<title>{escape(f"Wiring of the table {layout.name}")}</title>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _devices(layout: TableLayout) -> list[_Device]:
    readers = [
        _Device(
            [f"reader {reader.name}", _serial(reader.protocol, reader_port_settings(reader)), port_name(reader.port)],
            [f"antenna {antenna}: {spot}" for antenna, spot in reader.antennas.items()],
        )
        for reader in layout.readers
    ]
    boards = []
    for panel in layout.panels:
        lamps = {seat: f", lamp {lamp} at {board_pin(LAMP_PINS, lamp)}" for lamp, seat in panel.lamps.items()}
        boards.append(
            _Device(
                [f"panel board {panel.name}", _serial("RP2040", panel_port_settings()), port_name(panel.port)],
                [
                    f"input {number} at {board_pin(BUTTON_PINS, number)}: {button_label(name)}{lamps.get(name, '')}"
                    for number, name in panel.buttons.items()
                ]
                + [
                    f"presence input {number} at {board_pin(PRESENCE_PINS, number)}: {spot}"
                    for number, spot in panel.presence.items()
                ],
            )
        )
    return [*readers, *boards]


def _serial(kind: str, settings: PortSettings) -> str:
    return f"{kind}, serial {settings.baud} 8{settings.parity}1"


def _box(x: int, y: int, width: int, height: int, lines: list[str]) -> str:
    """Return a box with lines of text. The first line is bold."""
    text = "\n".join(
        f'<text x="{x + 6}" y="{y + ROW * number - 3}" font-weight="{"normal" if number > 1 else "bold"}">'
        f"{escape(line)}</text>"
        for number, line in enumerate(lines, 1)
    )
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="#f4f4f4" stroke="black"/>\n{text}'


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="black"/>'
