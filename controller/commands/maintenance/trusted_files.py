"""The files of a backup that a machine takes without a change of whom it trusts.

A backup that somebody has made could have another key of the house, and this key would accept any program. A restore
from a browser therefore takes only the files of the table. Everything else stays as it is on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from hardware.text_input_validation import BadInputError

TABLE_FILES: Final = ("table.toml", "levels.toml", "layout.toml", "journal.key", "journal.key.pub")
"""Files of the table that say nothing about trust. Two of them are the key with which the table continues its journal.

These files of a backup are not in the list, and neither is a file with an unknown name:

- `house.key.pub`: whoever has its private key can sign releases, badges and chips
- `options`: names the key and the list of badges, the roles, and the groups and addresses that get data
- `roles.toml`: says what each role and each user may do
- `web.conf`, `screen.conf`, `uplink.conf`: set the environment of programs, which may name other code
- `uplink/`: the room, its certificate and the token for it

The people of the browser and the token for measurements are not in a backup. Signed lists are taken if the key of this
machine accepts them.
"""
_HOUSE_KEY: Final = "house.key.pub"
_LAYOUT: Final = "layout.toml"
_BADGES: Final = "badges.toml"
_CHIPS_SUFFIX: Final = ".chips"
"""Suffix of a list of chips that is taken. With another name, it could replace a file such as `options`."""


class Choice(NamedTuple):
    """Files of a backup that a machine takes, with their content, and for each other file its name and the reason."""

    files: dict[str, bytes]
    left: list[str]


def choose_files(names: Collection[str], read: Callable[[str], bytes], folder: Path) -> Choice:
    """Return which of these files of a backup may be written to a folder of the configuration.

    `read` returns the content of a file of the backup.
    """
    files = {name: read(name) for name in TABLE_FILES if name in names}
    reasons: dict[str, str] = {}
    house = _house_key(folder)
    keys = {house, _register_here(folder)[1]} - {""}
    register, register_key = _register_here(folder)
    if _LAYOUT in files:
        named = _register_in(files[_LAYOUT])
        if named is None:
            reasons[_LAYOUT] = "it cannot be read"
        elif named[0] and named[1] not in keys:
            reasons[_LAYOUT] = "this machine does not have the key of its list of chips"
        else:
            register, register_key = named
        if _LAYOUT in reasons:
            del files[_LAYOUT]
    for name, key, number_of in ((_BADGES, house, _badge_list_number), (register, register_key, _chip_list_number)):
        if name not in names or (name != _BADGES and not _is_list_of_chips(name)):
            continue
        data = read(name)
        if reason := _refusal(data, key, folder / name, number_of):
            reasons[name] = reason
        else:
            files[name] = data
    left = [f"{name} ({reasons[name]})" if name in reasons else name for name in sorted(names) if name not in files]
    return Choice(files, left)


def _is_list_of_chips(name: str) -> bool:
    return "/" not in name and name.endswith(_CHIPS_SUFFIX)


def _house_key(folder: Path) -> str:
    """Return the public key of the house on this machine, or ""."""
    from controller.integrity import read_public_key

    with suppress(BadInputError):
        return read_public_key(folder / _HOUSE_KEY)
    return ""


def _register_here(folder: Path) -> tuple[str, str]:
    """Return the name and the key of the list of chips that the layout on this machine names, or two empty texts."""
    with suppress(OSError):
        return _register_in((folder / _LAYOUT).read_bytes()) or ("", "")
    return "", ""


def _register_in(layout: bytes) -> tuple[str, str] | None:
    """Return the name and the key of the list of chips in a layout, or None if the layout cannot be read."""
    from hardware.layout import LayoutError, parse_layout

    try:
        chips = parse_layout(layout.decode()).chips
    except (LayoutError, UnicodeDecodeError):
        return None
    return chips.register, chips.register_key.lower()


def _refusal(data: bytes, key: str, here: Path, number_of: Callable[[bytes, str], int]) -> str:
    """Return why a signed list of a backup is not taken, or "". A list must not be older than the list on the machine.

    An older list could make a revoked badge or chip valid again.
    """
    if not key:
        return "this machine has no key for it"
    try:
        number = number_of(data, key)
    except BadInputError:
        return "the key of this machine does not accept it"
    with suppress(OSError, BadInputError):
        if number < (newest := number_of(here.read_bytes(), key)):
            return f"list {number} is older than list {newest} of this machine"
    return ""


def _badge_list_number(data: bytes, key: str) -> int:
    from hardware.badges import parse_badge_list

    return parse_badge_list(data, _BADGES, key).number


def _chip_list_number(data: bytes, key: str) -> int:
    from hardware.chip_register import parse_chip_list, verify_text

    return parse_chip_list(verify_text(data, key, "chips"), "chips").number
