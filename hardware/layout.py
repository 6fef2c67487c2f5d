"""What stands where: the layout file of a table, typed and checked.

`load(path)` reads a TOML file like `layout.toml` beside this file (the reference table); a wrong file raises
`LayoutError` with one line: file, key, value, what was expected.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, get_args

import msgspec

from hardware.bad_input import BadInputError, named, read_file, shown
from hardware.chips import LAMMERS, UID_DIGITS, ChipSet, ChipSetError, EncodedUids, UidRange
from hardware.events import KEYS
from hardware.spots import SEATS, SPOTS, Place, Places

Technology = Literal["iso15693", "mode3", "pjm"]
Baud = Literal[9600, 19200, 38400, 57600, 115200]
Protocol = Literal["feig"]
_CHOICES: Final = {"technology": get_args(Technology), "baud": get_args(Baud), "protocol": get_args(Protocol)}

SURE_HEIGHTS: Final[dict[Technology, int]] = {"iso15693": 20, "mode3": 120, "pjm": 120}
"""Tags on one antenna that are surely all read, where the house has not measured its own chips (readers.md 1)."""
MAX_ANTENNA: Final = 255
"""The antenna number is one byte on the wire."""
MAX_BUTTONS: Final = 32
"""Buttons and lamps of one panel board: one bit each of a 32-bit mask."""
MAX_DENOMINATION: Final = 10**14
"""As much as any amount at a table."""
MAX_LAYOUT_BYTES: Final = 4_000_000
"""A chip list of 50,000 tags takes half of this."""

SEAT_NAMES: Final = tuple(f"seat{seat}" for seat in range(1, SEATS + 1))
BUTTON_NAMES: Final = (*SEAT_NAMES, *KEYS)


class LayoutError(BadInputError):
    """The layout file cannot be used; the message is one line: file, key, value, what was expected."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Sensing(_Strict, frozen=True, kw_only=True):
    """Times of sensing, and the tag technology."""

    technology: Technology = "iso15693"
    motion_gap_ms: int = 1200
    offline_ms: int = 1500
    focus_rest_ms: int = 50
    rest_ms: int = 250


class ReaderSpec(_Strict, frozen=True, kw_only=True):
    """One reader: `antennas` says which spot is at which antenna; `rf_reset` before every inventory (readers
    that report a tag once until the field was off)."""

    name: str
    port: str
    protocol: Protocol = "feig"
    baud: Baud = 38400
    rf_reset: bool = False
    antennas: dict[int, str]


class AntennasSpec(_Strict, frozen=True, kw_only=True):
    """Which antennas reach each other, and up to how many tags each one's answer is sure to be whole."""

    neighbours: tuple[tuple[str, str], ...] = ()
    max_sure_height: int = 20
    max_sure_heights: dict[str, int] = {}


class PanelSpec(_Strict, frozen=True, kw_only=True):
    """One panel board: button and lamp numbers to `seat1` … `seat10` or the name of a key."""

    name: str
    port: str
    buttons: dict[int, str] = {}
    lamps: dict[int, str] = {}


class GpioSpec(_Strict, frozen=True, kw_only=True):
    """Keys at the Pi's own pins (BCM numbers)."""

    keys: dict[str, int] = {}


class RangeSpec(_Strict, frozen=True, kw_only=True):
    """All UIDs from `first` to `last`, both included."""

    denomination: int
    first: str
    last: str


class EncodedSpec(_Strict, frozen=True, kw_only=True):
    """UIDs of `prefix`, `digits` hex digits of denomination, and a serial number."""

    prefix: str
    digits: int


class ChipsSpec(_Strict, frozen=True, kw_only=True):
    """The chip set: `listed` UID to denomination, `ranges`, `encoded`; `lammers` UID to a name of `LAMMERS`;
    `ignored` prefixes."""

    listed: dict[str, int] = {}
    ranges: tuple[RangeSpec, ...] = ()
    encoded: EncodedSpec | None = None
    lammers: dict[str, str] = {}
    ignored: tuple[str, ...] = ()


class Layout(_Strict, frozen=True, kw_only=True, dict=True):
    """One table, as its file says; made by `load`, `parse` or `reference`."""

    name: str = "table"
    sensing: Sensing = Sensing()
    readers: tuple[ReaderSpec, ...] = ()
    antennas: AntennasSpec = AntennasSpec()
    panels: tuple[PanelSpec, ...] = ()
    gpio: GpioSpec = GpioSpec()
    chips: ChipsSpec = ChipsSpec()

    @cached_property
    def places(self) -> Places:
        """Every spot with its antenna, reader by reader in the order of the file."""
        near: dict[str, set[str]] = {}
        for one, other in self.antennas.neighbours:
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
        heights = self.antennas.max_sure_heights
        return Places(
            Place(
                spot=spot,
                reader=reader.name,
                antenna=antenna,
                max_sure_height=heights.get(spot, self.antennas.max_sure_height),
                neighbours=frozenset(near.get(spot, ())),
            )
            for reader in self.readers
            for antenna, spot in reader.antennas.items()
        )

    @cached_property
    def chip_set(self) -> ChipSet:
        """The chip set; each call of a fresh layout makes it once."""
        spec = self.chips
        return ChipSet(
            listed=spec.listed,
            ranges=[UidRange(item.denomination, item.first, item.last) for item in spec.ranges],
            encoded=EncodedUids(spec.encoded.prefix, spec.encoded.digits) if spec.encoded else None,
            lammers=spec.lammers,
            ignored=spec.ignored,
        )

    @property
    def ports(self) -> dict[str, str]:
        """The serial port of each reader and panel board, by name."""
        readers = {item.name: item.port for item in self.readers}
        return readers | {item.name: item.port for item in self.panels}

    def with_ports(self, ports: dict[str, str]) -> Layout:
        """The same table with other ports, by name of reader or panel; what is not named stays."""
        replace = msgspec.structs.replace
        return replace(
            self,
            readers=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.readers),
            panels=tuple(replace(item, port=ports.get(item.name, item.port)) for item in self.panels),
        )

    def with_tags(self, technology: Technology) -> Layout:
        """The same table with chips of another tag technology: they are read faster, and sure in higher stacks."""
        height = SURE_HEIGHTS[technology]
        antennas = msgspec.structs.replace(self.antennas, max_sure_height=height, max_sure_heights={})
        return msgspec.structs.replace(self.with_sensing(technology=technology), antennas=antennas)

    def with_sensing(self, **changes: Any) -> Layout:
        """The same table with other sensing times or technology (fields of `Sensing`)."""
        return msgspec.structs.replace(self, sensing=msgspec.structs.replace(self.sensing, **changes))


def load(path: Path | str) -> Layout:
    """Reads and checks a layout file. Raises LayoutError."""
    file = Path(path)
    try:
        text = read_file(file, MAX_LAYOUT_BYTES).decode()
    except OSError as error:
        raise LayoutError(f"{file}: {error.strerror or error}: a readable layout file expected") from None
    except UnicodeDecodeError as error:
        raise LayoutError(f"{file}: byte {error.start}: UTF-8 expected") from None
    return parse(text, str(file))


@cache
def reference() -> Layout:
    """The reference table, `layout.toml` of this package."""
    return parse(files("hardware").joinpath("layout.toml").read_text(encoding="utf-8"), "layout.toml")


def parse(text: str, where: str = "layout") -> Layout:
    """A layout from TOML text; `where` names it in errors. Raises LayoutError."""
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, int's limit of digits, nesting without end
        raise LayoutError(f"{where}: {error}: TOML expected") from None
    try:
        layout = msgspec.convert(raw, Layout, str_keys=True)
    except msgspec.ValidationError as error:
        raise LayoutError(_one_line(where, raw, str(error))) from None
    for key, value, expected in _problems(layout):
        raise LayoutError(f"{where}: {key} = {shown(value)}: {expected} expected")
    try:
        _ = layout.chip_set
    except ChipSetError as error:
        raise LayoutError(f"{where}: chips = {str(error)!r}: every UID to be one thing expected") from None
    return layout


def _one_line(where: str, raw: dict[str, Any], message: str) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.readers[0].baud`" with the value that stands there."""
    said, at = (*re.split(r" - at (?:`key` in )?`\$", message, maxsplit=1), "")[:2]
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", at)
    value: Any = raw
    for name, index in steps:
        if name and isinstance(value, dict):
            value = value.get(name, value)
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
    names = [name for name, _ in steps if name]
    last = names[-1] if names else ""
    if said.startswith("Invalid enum value") and last in _CHOICES:
        said = f"one of {', '.join(str(choice) for choice in _CHOICES[last])} expected"
    elif (match := re.match(r"Object contains unknown field `(.*)`", said, re.DOTALL)) and last in _TABLES:
        fields = ", ".join(_TABLES[last].__struct_fields__)
        said = f"Object contains unknown field {named(match[1])}, one of {fields} expected"
    key = at.rstrip("`").lstrip(".") or "file"
    stands = "" if isinstance(value, dict | list) else f" = {shown(value)}"
    return f"{where}: {key}{stands}: {said[0].lower()}{said[1:].replace('`', '')}"


_TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "": Layout,
    "sensing": Sensing,
    "readers": ReaderSpec,
    "antennas": AntennasSpec,
    "panels": PanelSpec,
    "gpio": GpioSpec,
    "chips": ChipsSpec,
    "ranges": RangeSpec,
    "encoded": EncodedSpec,
}


Problem = tuple[str, object, str]


def _problems(layout: Layout) -> list[Problem]:
    """What is wrong although every type is right; the first is told."""
    return [
        *_sensing_problems(layout.sensing),
        *_reader_problems(layout),
        *_antenna_problems(layout),
        *_panel_problems(layout),
        *_chip_problems(layout),
    ]


def _sensing_problems(sensing: Sensing) -> list[Problem]:
    limits = {
        "motion_gap_ms": (0, 10_000),
        "offline_ms": (200, 10_000),
        "focus_rest_ms": (0, 1_000),
        "rest_ms": (0, 1_000),
    }
    return [
        (f"sensing.{name}", getattr(sensing, name), f"{least} to {most}")
        for name, (least, most) in limits.items()
        if not least <= getattr(sensing, name) <= most
    ]


def _reader_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    names: set[str] = set()
    spots: set[str] = set()
    for number, reader in enumerate(layout.readers):
        key = f"readers[{number}]"
        if not reader.name or reader.name in names:
            found.append((f"{key}.name", reader.name, "a name that no other device has"))
        names.add(reader.name)
        if not reader.port:
            found.append((f"{key}.port", reader.port, "the path of a serial port"))
        if not reader.antennas:
            found.append((f"{key}.antennas", {}, "at least one antenna with its spot"))
        for antenna, spot in reader.antennas.items():
            if not 1 <= antenna <= MAX_ANTENNA:
                found.append((f"{key}.antennas", antenna, f"an antenna from 1 to {MAX_ANTENNA}"))
            if spot not in SPOTS:
                found.append((f"{key}.antennas.{antenna}", spot, "bet1 to bet10, pot or tray"))
            elif spot in spots:
                found.append((f"{key}.antennas.{antenna}", spot, "a spot that no other antenna has"))
            spots.add(spot)
    for number, panel in enumerate(layout.panels):
        if not panel.name or panel.name in names:
            found.append((f"panels[{number}].name", panel.name, "a name that no other device has"))
        names.add(panel.name)
    return found


def _antenna_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    known = layout.places
    for number, pair in enumerate(layout.antennas.neighbours):
        if pair[0] == pair[1] or not all(spot in known for spot in pair):
            found.append((f"antennas.neighbours[{number}]", list(pair), "two different spots that have antennas"))
    heights = {"max_sure_height": layout.antennas.max_sure_height}
    heights |= {f"max_sure_heights.{spot}": height for spot, height in layout.antennas.max_sure_heights.items()}
    found += [(f"antennas.{named(key)}", height, "0 or more") for key, height in heights.items() if height < 0]
    for spot in layout.antennas.max_sure_heights:
        if spot not in known:
            found.append(("antennas.max_sure_heights", spot, "a spot that has an antenna"))
    return found


def _panel_problems(layout: Layout) -> list[Problem]:
    found: list[Problem] = []
    for index, panel in enumerate(layout.panels):
        key = f"panels[{index}]"
        for field, allowed, numbers in (
            ("buttons", BUTTON_NAMES, panel.buttons),
            ("lamps", SEAT_NAMES, panel.lamps),
        ):
            for number, name in numbers.items():
                if not 0 <= number < MAX_BUTTONS:
                    found.append((f"{key}.{field}", number, f"0 to {MAX_BUTTONS - 1}"))
                if name not in allowed:
                    found.append((f"{key}.{field}.{number}", name, f"one of {', '.join(allowed)}"))
    pins: set[int] = set()
    for name, pin in layout.gpio.keys.items():
        if name not in KEYS:
            found.append(("gpio.keys", name, f"one of {', '.join(KEYS)}"))
        if not 0 <= pin <= 27 or pin in pins:
            found.append((f"gpio.keys.{named(name)}", pin, "a BCM number from 0 to 27 that no other key has"))
        pins.add(pin)
    return found


def _is_uid(text: str, digits: int | None = UID_DIGITS) -> bool:
    right_length = len(text) == digits if digits else 0 < len(text) <= UID_DIGITS
    return right_length and re.fullmatch(r"[0-9A-F]+", text) is not None


def _chip_problems(layout: Layout) -> list[Problem]:
    chips = layout.chips
    uid = f"a UID of {UID_DIGITS} upper-case hex digits"
    denomination = f"a denomination from 1 to {MAX_DENOMINATION}"
    found: list[Problem] = [("chips.listed", text, uid) for text in chips.listed if not _is_uid(text)]
    found += [("chips.lammers", text, uid) for text in chips.lammers if not _is_uid(text)]
    found += [("chips.ignored", text, "upper-case hex digits") for text in chips.ignored if not _is_uid(text, None)]
    for text, name in chips.lammers.items():
        if name not in LAMMERS:
            found.append((f"chips.lammers.{named(text)}", name, f"one of {', '.join(LAMMERS)}"))
    for text, value in chips.listed.items():
        if not 0 < value <= MAX_DENOMINATION:
            found.append((f"chips.listed.{named(text)}", value, denomination))
    for number, item in enumerate(chips.ranges):
        key = f"chips.ranges[{number}]"
        if not 0 < item.denomination <= MAX_DENOMINATION:
            found.append((f"{key}.denomination", item.denomination, denomination))
        if not _is_uid(item.first):
            found.append((f"{key}.first", item.first, uid))
        if not _is_uid(item.last) or item.last < item.first:
            found.append((f"{key}.last", item.last, f"{uid}, not before the first"))
    rule = chips.encoded
    if rule is not None and not (_is_uid(rule.prefix, None) and 0 < rule.digits < UID_DIGITS - len(rule.prefix)):
        found.append(("chips.encoded", f"{rule.prefix}, {rule.digits}", "prefix and digits that leave a serial number"))
    return found
