"""One list of the house's chips, as TOML text.

It has the name of the house, a number that only grows, and the chips in the form of a layout:

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

from hardware.chip_register.signed_file import RegisterError, verify_text
from hardware.file_replacement import fsync_folder
from hardware.text_input_validation import read_file

MAX_LIST_BYTES: Final = 32_000_000
"""Maximum size of a list of chips in bytes. A list that names half a million chips one by one fits."""
BACKUP_SUFFIX: Final = ".before"
"""Suffix of the file name of the replaced list. That file is kept until the next list is installed."""


class ChipRange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All UIDs from `first` to `last`, both included."""

    denomination: int
    first: str
    last: str


class ChipList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Content of a list of chips. `revoked` chips have no value, even if another entry gives them a denomination."""

    house: str
    number: int
    ranges: tuple[ChipRange, ...] = ()
    listed: dict[str, int] = {}
    lammers: dict[str, str] = {}
    ignored: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


def parse_chip_list(text: bytes, where: str) -> ChipList:
    """Return the content of a list of chips.

    Raises RegisterError. `where` names the list in the error message.
    """
    try:
        chip_list = msgspec.convert(tomllib.loads(text.decode()), ChipList)
    except msgspec.ValidationError as error:
        raise RegisterError(f"{where}: {error}, expected a list of chips") from None
    except UnicodeDecodeError as error:
        raise RegisterError(f"{where}: byte {error.start}: expected UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        # The file is not TOML, or it has a very long number or very deep nesting.
        raise RegisterError(f"{where}: {error}, expected TOML") from None
    if chip_list.number < 1:
        raise RegisterError(f"{where}: number = {chip_list.number}, expected 1 or more")
    return chip_list


def load_chip_list(path: Path, public: str) -> ChipList:
    """Return the list in a file after checking its signature. Raises RegisterError."""
    return parse_chip_list(verify_text(_read_bytes(path), public, str(path)), str(path))


def load_installed_list(path: Path, public: str, last_used: Path | None = None) -> ChipList:
    """Return the list that is installed at `path` after checking that nobody has replaced it with an older list.

    Chips that were revoked since the older list would have a value again. The installed list must be newer than the
    list that it replaced, and not older than `last_used`, a copy of the list of the last start. Raises RegisterError.
    """
    installed = load_chip_list(path, public)
    for earlier_path, min_difference in ((_backup_path(path), 1), (last_used, 0)):
        try:
            earlier = load_chip_list(earlier_path, public) if earlier_path is not None else None
        except RegisterError:
            continue  # There is no earlier list, or another house has signed it.
        if (
            earlier is not None
            and earlier_path is not None
            and earlier.house == installed.house
            and installed.number < earlier.number + min_difference
        ):
            raise RegisterError(
                f"{path}: number = {installed.number}, expected at least {earlier.number + min_difference}, because of "
                f"{earlier_path.name}. An older list was copied into its place. Install the newest list with "
                "`potkeeper chips import`"
            )
    return installed


def install_chip_list(path: Path, target: Path, public: str) -> ChipList:
    """Install the list in `path` as `target`, completely or not at all, and return it.

    The old list is kept as a backup. Raises RegisterError if the new list is not signed with the key, belongs to
    another house, or is not newer than the old one.
    """
    data = _read_bytes(path)
    new = parse_chip_list(verify_text(data, public, str(path)), str(path))
    if target.exists():
        old = load_chip_list(target, public)
        if new.house != old.house:
            raise RegisterError(f"{path}: house = {new.house!r}, expected {old.house!r}")
        if new.number <= old.number:
            raise RegisterError(
                f"{path}: number = {new.number}, expected more than {old.number}, the number of the installed list"
            )
    _replace_file(target, data)
    return new


def _replace_file(target: Path, data: bytes) -> None:
    """Write a new file and rename it, so that after a power cut either the old or the new list is complete."""
    new_file = target.with_name(target.name + ".new")
    try:
        with new_file.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            _backup_path(target).write_bytes(target.read_bytes())
        new_file.replace(target)
        fsync_folder(target.parent)
    except OSError as error:
        raise RegisterError(f"{target}: {error.strerror}, expected a file that can be written") from None


def _backup_path(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _read_bytes(path: Path) -> bytes:
    try:
        return read_file(path, MAX_LIST_BYTES)
    except OSError as error:
        raise RegisterError(f"{path}: {error.strerror}, expected a signed list of chips") from None
