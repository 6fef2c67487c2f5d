"""One list of the house's chips: TOML with the house's name, a number that only grows, and the chips as a layout has
them.

```
house  = "Grand Casino"
number = 12
ranges  = [ { denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" } ]
listed  = { E00401500100A0F1 = 100 }
lammers = { E00401004C000001 = "button" }
ignored = ["E00401004C"]
revoked = ["E004015000250017"]
```
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Final

import msgspec

from hardware.bad_input import read_file
from hardware.register.signed import RegisterError, verified

MOST_BYTES: Final = 32_000_000
"""Of a list's file: half a million chips, each named by itself."""
KEPT: Final = ".before"
"""What the name of the list that was replaced ends with: it can be looked at until the next one comes."""


class RangeOfChips(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All UIDs from `first` to `last`, both included."""

    denomination: int
    first: str
    last: str


class ChipList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a list says. `revoked` are chips that are worth nothing any more, whatever else names them."""

    house: str
    number: int
    ranges: tuple[RangeOfChips, ...] = ()
    listed: dict[str, int] = {}
    lammers: dict[str, str] = {}
    ignored: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


def read_list(text: bytes, where: str) -> ChipList:
    """What the text of a list says. Raises RegisterError."""
    try:
        found = msgspec.convert(tomllib.loads(text.decode()), ChipList)
    except msgspec.ValidationError as error:
        raise RegisterError(f"{where}: {error}, expected a list of chips") from None
    except (ValueError, RecursionError) as error:  # no text, no TOML, thousands of digits, nesting without end
        raise RegisterError(f"{where}: {error}, expected TOML") from None
    if found.number < 1:
        raise RegisterError(f"{where}: number = {found.number}, expected 1 or more")
    return found


def installed(path: Path, public: str) -> ChipList:
    """The list in a file, checked. Raises RegisterError."""
    return read_list(verified(_bytes(path), public, str(path)), str(path))


def newer(path: Path, into: Path, public: str) -> ChipList:
    """Puts the list in the file `path` in place of the one in `into`, whole or not at all; the old one stays beside it.
    Gives the new one. Raises RegisterError where it is not signed, of another house, or not newer."""
    data = _bytes(path)
    new = read_list(verified(data, public, str(path)), str(path))
    if into.exists():
        old = installed(into, public)
        if new.house != old.house:
            raise RegisterError(f"{path}: house = {new.house!r}, expected {old.house!r}")
        if new.number <= old.number:
            raise RegisterError(f"{path}: number = {new.number}, expected more than {old.number}, which is installed")
    _replace(into, data)
    return new


def _replace(into: Path, data: bytes) -> None:
    """Writes beside it, then renames: after a power cut one of the two is there whole."""
    beside = into.with_name(into.name + ".new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if into.exists():
            into.with_name(into.name + KEPT).write_bytes(into.read_bytes())
        beside.replace(into)
        folder = os.open(into.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise RegisterError(f"{into}: {error.strerror}, expected a file that can be written") from None


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path, MOST_BYTES)
    except OSError as error:
        raise RegisterError(f"{path}: {error.strerror}, expected a signed list of chips") from None
