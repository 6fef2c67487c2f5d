"""Reading of layout files, with every mistake reported in one line."""

from __future__ import annotations

import hashlib
import re
import tomllib
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import msgspec

from hardware.chip_set import ChipSetError
from hardware.layout.schema import (
    AntennasSpec,
    Baud,
    ChipsSpec,
    EncodedSpec,
    GpioSpec,
    LayoutError,
    ModulationDepth,
    PanelSpec,
    RangeSpec,
    ReaderProtocol,
    ReaderSpec,
    SensingSpec,
    TableLayout,
    Technology,
)
from hardware.layout.validation import find_problems
from hardware.scheduling_policy import PARAMETER_RANGES, RereadRule
from hardware.text_input_validation import find_invalid_text, quote_key, quote_value, read_file

if TYPE_CHECKING:
    from hardware.chip_register import ChipList

MAX_LAYOUT_BYTES: Final = 4_000_000
"""Maximum bytes of a layout file. A list of 50,000 chips takes half as many bytes."""

_CHOICES: Final = {
    "technology": get_args(Technology),
    "ask": get_args(ModulationDepth),
    "baud": get_args(Baud),
    "reread": get_args(RereadRule),
    "protocol": get_args(ReaderProtocol),
}
"""Allowed values of the layout keys that allow only certain values, by the name of the key."""


def load_layout(path: Path | str, register: Path | None = None, last_used_register: Path | None = None) -> TableLayout:
    """Return the layout in a file, including the chips of the register if the file names one. Raises LayoutError.

    `register` is the file to read instead of the register that the layout names. `last_used_register` is a copy of the
    register that was used last. An older register is refused.
    """
    return load_layout_with_sources(Path(path), register, last_used_register).layout


class LoadedLayout(NamedTuple):
    """A layout with what an auditor needs to compare its files with those of the house."""

    layout: TableLayout
    sha256: str
    """SHA-256 of the bytes of the layout file from which the layout was made."""
    chip_list: ChipList | None
    """List of the register of the chips, or None if the layout names no register."""
    register: Path | None
    """File from which the list was read."""
    register_key: str
    """Public key with which the list was checked, or ""."""


def load_layout_with_sources(
    path: Path, register: Path | None = None, last_used_register: Path | None = None
) -> LoadedLayout:
    """Return the layout as `load_layout` does, with its sources. The file is read once. Raises LayoutError."""
    content = _read_content(path)
    layout, digest = parse_layout(_decode(content, path), str(path)), hashlib.sha256(content).hexdigest()
    named_register = _register_of(path, layout)
    if named_register is None:
        return LoadedLayout(layout, digest, None, None, "")
    file, key = register or named_register[0], named_register[1]
    with_chips, chip_list = _with_register(layout, file, key, last_used_register)
    return LoadedLayout(with_chips, digest, chip_list, file, key)


def chip_register_of(path: Path | str) -> tuple[Path, str] | None:
    """Return file and public key of the chip register that a layout file names.

    Return None if the layout names no register. The register itself is not read. Raises LayoutError if the layout
    cannot be used.
    """
    return _register_of(Path(path), _read_layout(Path(path)))


def _register_of(path: Path, layout: TableLayout) -> tuple[Path, str] | None:
    chips = layout.chips
    return (path.parent / chips.register, chips.register_key) if chips.register else None


def _with_register(layout: TableLayout, file: Path, key: str, last_used: Path | None) -> tuple[TableLayout, ChipList]:
    """Return a copy of the layout with the chips of the register in this file, and the list. Raises LayoutError."""
    from hardware.chip_register import RegisterError, load_installed_list

    try:
        chip_list = load_installed_list(file, key, last_used)
    except RegisterError as error:
        raise LayoutError(str(error)) from None
    ranges = (RangeSpec(denomination=item.denomination, first=item.first, last=item.last) for item in chip_list.ranges)
    chips = ChipsSpec(
        ranges=tuple(ranges),
        listed=chip_list.listed,
        lammers=chip_list.lammers,
        ignored=chip_list.ignored,
        revoked=chip_list.revoked,
    )
    return _check_layout(msgspec.structs.replace(layout, chips=chips), str(file), "chips."), chip_list


def _read_layout(file: Path) -> TableLayout:
    return parse_layout(_decode(_read_content(file), file), str(file))


def _read_content(file: Path) -> bytes:
    try:
        return read_file(file, MAX_LAYOUT_BYTES)
    except OSError as error:
        raise LayoutError(f"{file}: {error.strerror or error}: expected a readable layout file") from None


def _decode(content: bytes, file: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LayoutError(f"{file}: byte {error.start}: expected UTF-8 text") from None


@cache
def reference_layout() -> TableLayout:
    """Return the layout of the reference table with FEIG readers, `hardware/layout.toml`."""
    return _load_packaged("layout.toml")


@cache
def pepper_layout() -> TableLayout:
    """Return the layout of the reference table with Pepper readers and a count pad, `hardware/peppers.toml`."""
    return _load_packaged("peppers.toml")


@cache
def simulated_layout() -> TableLayout:
    """Return the layout of the reference table with chips of every denomination, for simulated hands."""
    return reference_layout().with_simulated_chips()


def _load_packaged(name: str) -> TableLayout:
    return parse_layout(files("hardware").joinpath(name).read_text(encoding="utf-8"), name)


def parse_layout(text: str, where: str = "layout") -> TableLayout:
    """Return the layout in a TOML text. Raises LayoutError.

    `where` names the text in the error message. If the layout names a chip register, the register is not read.
    """
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # The text is not TOML, or it has a very long number or very deep nesting.
        raise LayoutError(f"{where}: {error}: expected TOML") from None
    try:
        layout = msgspec.convert(values, TableLayout, str_keys=True)
    except msgspec.ValidationError as error:
        raise LayoutError(_format_validation_error(where, values, str(error))) from None
    # msgspec ignores unknown keys of a dataclass.
    if unknown := values.get("policy", {}).keys() - _POLICY_KEYS:
        key = min(unknown)
        [similar] = get_close_matches(key, _POLICY_KEYS, n=1, cutoff=0)
        raise LayoutError(f"{where}: policy: unknown key {quote_key(key)}, expected a parameter such as {similar}")
    if problem := find_invalid_text(values):
        raise LayoutError(f"{where}: {problem}")
    return _check_layout(layout, where)


def _check_layout(layout: TableLayout, where: str, table: str = "") -> TableLayout:
    """Return the layout if all its values are valid. Raises LayoutError.

    `table` is the start of keys that a register of chips has without it, such as `chips.`.
    """
    for key, value, expected in find_problems(layout):
        raise LayoutError(f"{where}: {key.removeprefix(table)} = {quote_value(value)}: expected {expected}")
    try:
        _ = layout.chip_set
    except ChipSetError as error:
        raise LayoutError(f"{where}: chips = {str(error)!r}: expected each UID to have only one meaning") from None
    return layout


def _format_validation_error(where: str, values: dict[str, Any], message: str) -> str:
    """Return a one-line error message for an error of msgspec, with the wrong value and the allowed choices.

    Example: "Expected `int`, got `str` - at `$.sensing.rest_ms`" becomes "house: sensing.rest_ms = 'x': expected int,
    got str".
    """
    problem, location = (*re.split(r" - at (?:`key` in )?`\$", message, maxsplit=1), "")[:2]
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+)\]", location)
    value: Any = values
    for name, index in steps:
        if name and isinstance(value, dict):
            value = value.get(name, value)
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
    names = [name for name, _ in steps if name]
    last = names[-1] if names else ""
    if problem.startswith("Invalid enum value") and last in _CHOICES:
        problem = f"expected one of {', '.join(str(choice) for choice in _CHOICES[last])}"
    elif (match := re.match(r"Object contains unknown field `(.*)`", problem, re.DOTALL)) and last in _TABLES:
        fields = ", ".join(_TABLES[last].__struct_fields__)
        problem = f"unknown key {quote_key(match[1])}, expected one of {fields}"
    key = location.rstrip("`").lstrip(".") or "file"
    shown_value = "" if isinstance(value, dict | list) else f" = {quote_value(value)}"
    return f"{where}: {key}{shown_value}: {problem[0].lower()}{problem[1:].replace('`', '')}"


_POLICY_KEYS: Final = ("reread", "is_overdue_first", *PARAMETER_RANGES)
"""Keys of the table `[policy]`, which are all fields of a policy except its name."""
_TABLES: Final[dict[str, type[msgspec.Struct]]] = {
    "": TableLayout,
    "sensing": SensingSpec,
    "readers": ReaderSpec,
    "antennas": AntennasSpec,
    "panels": PanelSpec,
    "gpio": GpioSpec,
    "chips": ChipsSpec,
    "ranges": RangeSpec,
    "encoded": EncodedSpec,
}
"""Python type of each TOML table of a layout, by the last part of the table's name."""
