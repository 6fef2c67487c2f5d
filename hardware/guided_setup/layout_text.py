"""Write what was found or measured into the text of a layout, so that its comments stay."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import tomlkit

from hardware.file_replacement import replace_file
from hardware.guided_setup.find import Wiring
from hardware.guided_setup.tune import AntennaReport
from hardware.layout import LayoutError, TableLayout, parse_layout
from hardware.text_input_validation import BadInputError

NoteCode = Literal["swapped", "moved", "not-found", "height"]


class LayoutNote(str):
    """One difference from the old layout: a line in English, with its values for a screen in another language.

    `name` is a spot, a button or a device, `other` is what it was swapped with, and `place` is where it is now.
    """

    code: NoteCode
    name: str
    other: str
    place: str
    height: int

    def __new__(
        cls, text: str, code: NoteCode, name: str, *, other: str = "", place: str = "", height: int = 0
    ) -> LayoutNote:
        """Return the line with its values."""
        note = super().__new__(cls, text)
        note.code, note.name, note.other, note.place, note.height = code, name, other, place, height
        return note


class LayoutChange(NamedTuple):
    """The new text of a layout, and one line for each difference from the old one."""

    text: str
    notes: tuple[LayoutNote, ...]


def with_wiring(text: str, wiring: Wiring, where: str) -> LayoutChange:
    """Return the layout with the ports, antennas and buttons that were found.

    If the layout has the serial number of a device, it is replaced by the number of the device at its port.

    Each port gets the name of the device that has most of its spots or buttons in the old layout. A spot or button that
    was not found keeps its place, unless another one was found there. Raises LayoutError.
    """
    layout = parse_layout(text, where)
    old_antennas = {reader.name: dict(reader.antennas) for reader in layout.readers}
    old_buttons = {panel.name: dict(panel.buttons) for panel in layout.panels}
    reader_ports = _match_ports(old_antennas, wiring.antennas, layout.ports)
    panel_ports = _match_ports(old_buttons, wiring.buttons, layout.ports)
    antennas = _renumbered(old_antennas, wiring.antennas, reader_ports)
    buttons = _renumbered(old_buttons, wiring.buttons, panel_ports)
    for before, after, part, expected in (
        (old_antennas, antennas, "spot was found at the antenna", "a chip on each spot: mend the antenna"),
        (old_buttons, buttons, "button was found at the pin", "each button at a pin of its own: mend the cable"),
    ):
        if lost := [name for name in _places(before) if name not in _places(after)]:
            raise LayoutError(
                f"{where}: {', '.join(lost)}: not found, and another {part} that the layout gives it. Expected "
                f"{expected} and try again"
            )
    document = tomlkit.parse(text)
    for table in document.get("readers", []):
        _set(table, "port", reader_ports[table["name"]])
        _set(table, "antennas", antennas[table["name"]])
    for table in document.get("panels", []):
        name = table["name"]
        _set(table, "port", panel_ports[name])
        lamps_follow_buttons = table.get("lamps") == _seat_buttons(old_buttons[name])
        _set(table, "buttons", buttons[name])
        if lamps_follow_buttons:
            _set(table, "lamps", _seat_buttons(buttons[name]))
    ports = {**reader_ports, **panel_ports}
    for table in (*document.get("readers", []), *document.get("panels", [])):
        if "serial" in table and ports[table["name"]] in wiring.serials:
            _set(table, "serial", wiring.serials[ports[table["name"]]])
    new_text = tomlkit.dumps(document)
    parse_layout(new_text, where)
    notes = [
        *_port_notes(layout, ports),
        *_place_notes("antenna", _places(old_antennas), _places(antennas)),
        *_place_notes("button", _places(old_buttons), _places(buttons)),
        *(LayoutNote(f"{name}: not found, left as it was", "not-found", name) for name in wiring.missing),
    ]
    return LayoutChange(new_text, tuple(notes))


def with_heights(text: str, reports: Sequence[AntennaReport], date: datetime.date, where: str) -> LayoutChange:
    """Return the layout with the measured sure heights of all good and weak antennas, and the date.

    The notes name the heights that differ from those before. Raises LayoutError.
    """
    layout = parse_layout(text, where)
    old = {item.spot: item.max_sure_height for item in layout.spot_antennas.all}
    new = {report.spot: report.sure_height for report in reports if report.verdict in ("good", "weak")}
    since = f" on {layout.antennas.measured}" if layout.antennas.measured is not None else " in the layout"
    notes = [
        LayoutNote(f"{spot}: sure height {new[spot]}, {old[spot]}{since}", "height", spot, height=new[spot])
        for spot in new
        if new[spot] != old[spot]
    ]
    document = tomlkit.parse(text)
    antennas: Any = document.setdefault("antennas", tomlkit.table())
    _set(antennas, "max_sure_heights", {**layout.antennas.max_sure_heights, **new})
    if new:
        antennas["measured"] = date
    new_text = tomlkit.dumps(document)
    parse_layout(new_text, where)
    return LayoutChange(new_text, tuple(notes))


def write_layout(path: Path, text: str) -> None:
    """Write a layout completely or not at all, with the mode of the old file. Raises BadInputError."""
    try:
        with replace_file(path, path.stat().st_mode & 0o777) as file:
            file.write(text.encode())
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected a file that can be written") from None


def _match_ports(
    old: Mapping[str, Mapping[int, str]], found: Mapping[Any, str], ports: Mapping[str, str]
) -> dict[str, str]:
    """Return the port of each device of the layout. A device with nothing found at any port keeps its port."""
    found_at: dict[str, set[str]] = {}
    for place, name in found.items():
        found_at.setdefault(place.port, set()).add(name)
    pairs = sorted(
        ((len(set(old[name].values()) & names), port == ports[name], name, port) for name in old
         for port, names in found_at.items()),
        reverse=True,
    )  # fmt: skip
    result: dict[str, str] = {}
    for _, _, name, port in pairs:
        if name not in result and port not in result.values():
            result[name] = port
    return {name: result.get(name, ports[name]) for name in old}


def _renumbered(
    old: Mapping[str, Mapping[int, str]], found: Mapping[Any, str], ports: Mapping[str, str]
) -> dict[str, dict[int, str]]:
    """Return the numbers and names of each device: what was found, and else what the layout had."""
    result: dict[str, dict[int, str]] = {}
    for device, port in ports.items():
        here = {place.number: name for place, name in found.items() if place.port == port}
        kept = {
            number: name for number, name in old[device].items() if number not in here and name not in found.values()
        }
        result[device] = dict(sorted({**kept, **here}.items()))
    return result


def _seat_buttons(buttons: Mapping[int, str]) -> dict[str, str]:
    """Return the lamps of a board on which each seat's lamp has the number of its button, as TOML has them."""
    return {str(number): name for number, name in buttons.items() if name.startswith("seat")}


def _places(devices: Mapping[str, Mapping[int, str]]) -> dict[str, tuple[str, int]]:
    return {name: (device, number) for device, numbers in devices.items() for number, name in numbers.items()}


def _port_notes(layout: TableLayout, ports: Mapping[str, str]) -> list[LayoutNote]:
    """Return a line for each device whose port differs from the layout, and one line for two swapped ports."""
    old = layout.ports
    changed = [name for name in ports if ports[name] != old[name]]
    notes: list[LayoutNote] = []
    for name in changed:
        other = next((other for other in changed if ports[name] == old[other] and ports[other] == old[name]), None)
        if other is None:
            text = f"{name}: at port {ports[name]}, the layout had {old[name]}"
            notes.append(LayoutNote(text, "moved", name, place=ports[name]))
        elif name < other:
            notes.append(LayoutNote(f"{name} and {other}: their ports were swapped", "swapped", name, other=other))
    return notes


def _place_notes(kind: str, old: Mapping[str, tuple[str, int]], new: Mapping[str, tuple[str, int]]) -> list[LayoutNote]:
    """Return a line for each spot or button that moved, and one line for two that were swapped."""
    moved = [name for name, place in new.items() if old.get(name) != place]
    notes: list[LayoutNote] = []
    for name in moved:
        other = next((other for other in moved if new[name] == old.get(other) and new[other] == old.get(name)), None)
        if other is None:
            device, number = new[name]
            text = f"{name}: {kind} {number} of {device}, the layout had {_place_text(kind, old.get(name))}"
            notes.append(LayoutNote(text, "moved", name, place=f"{device} {number}"))
        elif name < other:
            notes.append(LayoutNote(f"{name} and {other}: their {kind}s were swapped", "swapped", name, other=other))
    return notes


def _place_text(kind: str, place: tuple[str, int] | None) -> str:
    return f"{kind} {place[1]} of {place[0]}" if place is not None else f"no {kind}"


def _set(table: Any, key: str, value: object) -> None:
    """Set a key if its value differs. The comment behind the old value stays."""
    new: Any = value
    if isinstance(value, dict):
        new = tomlkit.inline_table()
        new.update({str(name): item for name, item in value.items()})
    if key not in table or table[key] != new:
        table[key] = new
