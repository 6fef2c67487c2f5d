"""The badges of a house: one TOML file with `[[badges]]`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from hardware.bad_input import A_NAME, BadInputError, is_name, read_file

Role = Literal["dealer", "floor", "technician"]

MAX_BYTES: Final = 1_000_000
"""Of the file: each badge takes some two hundred."""
MAX_BADGES: Final = 500
"""Badges of one house: far more than any has dealers and floor people."""
UID_DIGITS: Final = (8, 14, 20)
"""Hex digits of a UID of one, two or three levels (ISO 14443-3)."""
KEY_DIGITS: Final = (32, 128)
"""Least and most hex digits of a key: 16 bytes are out of reach of guessing, beyond 64 HMAC hashes the key."""


class BadgeError(BadInputError):
    """The list of badges cannot be used; one line: where, what, what was expected. Never shows a key."""


_FIELDS: Final = ("uid", "name", "role", "key")


class Badge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One badge: UID in upper-case hex, who carries it, and its key in hex (empty: identified, never proven)."""

    uid: str
    name: str
    role: Role
    key: str = ""

    @property
    def label(self) -> str:
        """Who decides with it, as it is recorded."""
        return label_of(self.name, self.role)

    def __repr__(self) -> str:
        return f"Badge(uid={self.uid!r}, name={self.name!r}, role={self.role!r})"


def label_of(name: str, role: Role | None) -> str:
    """Who decides with a badge, as it is recorded."""
    return f"{name} ({role})"


def make_badges(values: object, where: str = "badges") -> tuple[Badge, ...]:
    """The badges of a list of tables with `uid`, `name`, `role`, `key`. Raises BadgeError."""
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise BadgeError(f"{where}: {type(values).__name__}, expected a list of badges")
    if len(values) > MAX_BADGES:
        raise BadgeError(f"{where}: {len(values)} badges, expected at most {MAX_BADGES}")
    badges: dict[str, Badge] = {}
    for number, each in enumerate(values):
        badge = _make_badge(each, f"{where}[{number}]")
        if badge.uid in badges:
            raise BadgeError(f"{where}[{number}].uid = {badge.uid}: twice in the list, expected once")
        badges[badge.uid] = badge
    return tuple(badges.values())


def _make_badge(value: object, where: str) -> Badge:
    """The badge. What stands in the file is not repeated: a key may stand in any field."""
    if not isinstance(value, dict):
        raise BadgeError(f"{where}: {type(value).__name__}, expected a table with {', '.join(_FIELDS)}")
    if not value.keys() <= set(_FIELDS):
        raise BadgeError(f"{where}: a key that nobody reads, expected {', '.join(_FIELDS)}")
    for field in _FIELDS:
        if not isinstance(value.get(field, "" if field == "key" else None), str):
            raise BadgeError(f"{where}.{field}: {'no text' if field in value else 'missing'}, expected text")
    try:
        badge = msgspec.convert(value, Badge)
    except msgspec.ValidationError:
        raise BadgeError(f"{where}.role: expected {', '.join(get_args(Role))}") from None
    uid, key = badge.uid.upper(), badge.key.upper()
    if len(uid) not in UID_DIGITS or not re.fullmatch(r"[0-9A-F]*", uid):
        raise BadgeError(f"{where}.uid: {len(uid)} characters, expected 8, 14 or 20 hex digits")
    if not is_name(badge.name) or _may_be_key(badge.name):
        raise BadgeError(f"{where}.name: {A_NAME}")
    least, most = KEY_DIGITS
    if key and (not least <= len(key) <= most or len(key) % 2 or not re.fullmatch(r"[0-9A-F]*", key)):
        raise BadgeError(f"{where}.key: {len(key)} characters, expected {least} to {most} hex digits, two a byte")
    return Badge(uid=uid, name=badge.name, role=badge.role, key=key)


def _may_be_key(text: str) -> bool:
    """Whether a name is rather a key, which would be shown and recorded as who was there."""
    return len(text) >= KEY_DIGITS[0] and re.fullmatch(r"[0-9A-Fa-f]*", text) is not None


def load_badges(path: Path) -> tuple[Badge, ...]:
    """The badges of a TOML file with `[[badges]]`. Raises BadgeError."""
    try:
        values = tomllib.loads(read_file(path, MAX_BYTES).decode())
    except OSError as error:
        raise BadgeError(f"{path}: {error.strerror or error}, expected a file with [[badges]]") from None
    except UnicodeDecodeError as error:
        raise BadgeError(f"{path}: byte {error.start}, expected UTF-8 text") from None
    except (ValueError, RecursionError) as error:  # no TOML, a number of thousands of digits, nesting without end
        found = re.search(r"at line \d+, column \d+", str(error))
        raise BadgeError(f"{path}{f': {found[0]}' if found else ''}: expected TOML") from None
    if values.keys() - {"badges"}:
        raise BadgeError(f"{path}: a key that nobody reads, expected nothing but [[badges]]")
    return make_badges(values.get("badges", []), f"{path}: badges")
