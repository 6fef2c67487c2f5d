"""Layouts from TOML, and what is wrong with such a file in one line."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from hardware.bad_input import named, read_file, shown, strange_text
from hardware.chips import ChipSetError
from hardware.layout.checks import problems
from hardware.layout.spec import (
    AntennasSpec,
    Ask,
    Baud,
    ChipsSpec,
    EncodedSpec,
    GpioSpec,
    Layout,
    LayoutError,
    PanelSpec,
    Protocol,
    RangeSpec,
    ReaderSpec,
    Sensing,
    Technology,
)

MAX_LAYOUT_BYTES: Final = 4_000_000
"""A chip list of 50,000 tags takes half of this."""

_CHOICES: Final = {
    "technology": get_args(Technology),
    "ask": get_args(Ask),
    "baud": get_args(Baud),
    "protocol": get_args(Protocol),
}


def load(path: Path | str) -> Layout:
    """Reads and checks a layout file, and the register of chips that it names. Raises LayoutError."""
    layout = _read(Path(path))
    found = _register(Path(path), layout)
    return layout if found is None else _with_register(layout, *found)


def register_of(path: Path | str) -> tuple[Path, str] | None:
    """The file and the public key of the register that a layout file names; None where it names none. Raises
    LayoutError where the layout itself cannot be used; the register is not looked at."""
    return _register(Path(path), _read(Path(path)))


def _register(path: Path, layout: Layout) -> tuple[Path, str] | None:
    chips = layout.chips
    return (path.parent / chips.register, chips.register_key) if chips.register else None


def _with_register(layout: Layout, file: Path, key: str) -> Layout:
    """The layout with the chips of the register."""
    from hardware.register import RegisterError, installed

    try:
        found = installed(file, key)
    except RegisterError as error:
        raise LayoutError(str(error)) from None
    ranges = tuple(RangeSpec(denomination=item.denomination, first=item.first, last=item.last) for item in found.ranges)
    chips = ChipsSpec(
        ranges=ranges, listed=found.listed, lammers=found.lammers, ignored=found.ignored, revoked=found.revoked
    )
    return _checked(msgspec.structs.replace(layout, chips=chips), str(file))


def _read(file: Path) -> Layout:
    try:
        text = read_file(file, MAX_LAYOUT_BYTES).decode()
    except OSError as error:
        raise LayoutError(f"{file}: {error.strerror or error}: a readable layout file expected") from None
    except UnicodeDecodeError as error:
        raise LayoutError(f"{file}: byte {error.start}: UTF-8 expected") from None
    return parse(text, str(file))


@cache
def reference() -> Layout:
    """The reference table: FEIG readers, `hardware/layout.toml`."""
    return _packaged("layout.toml")


@cache
def peppers() -> Layout:
    """The same table with Pepper readers and a count pad, `hardware/peppers.toml`."""
    return _packaged("peppers.toml")


@cache
def simulated() -> Layout:
    """The reference table with chips of every denomination, as simulated hands use them."""
    return reference().with_encoded()


def _packaged(name: str) -> Layout:
    return parse(files("hardware").joinpath(name).read_text(encoding="utf-8"), name)


def parse(text: str, where: str = "layout") -> Layout:
    """A layout from TOML text; `where` names it in errors. A register that it names is not read. Raises LayoutError."""
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, int's limit of digits, nesting without end
        raise LayoutError(f"{where}: {error}: TOML expected") from None
    try:
        layout = msgspec.convert(raw, Layout, str_keys=True)
    except msgspec.ValidationError as error:
        raise LayoutError(_one_line(where, raw, str(error))) from None
    if odd := strange_text(raw):
        raise LayoutError(f"{where}: {odd}")
    return _checked(layout, where)


def _checked(layout: Layout, where: str) -> Layout:
    """The layout, if there is nothing wrong with it."""
    for key, value, expected in problems(layout):
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
