"""The house's list of badges: a TOML file with `[[badges]]`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from hardware.text_input_validation import EXPECTED_NAME, BadInputError, is_valid_name, read_file

Role = Literal["dealer", "floor", "technician"]

MAX_BADGE_FILE_BYTES: Final = 1_000_000
"""Maximum bytes of the file with the list of badges. One badge takes about two hundred bytes."""
MAX_BADGES: Final = 500
"""Maximum number of badges, far more than a house has dealers and floor people."""
UID_DIGITS: Final = (8, 14, 20)
"""Allowed lengths of a UID in hex digits, because ISO 14443-3 has UIDs of 4, 7 and 10 bytes."""
KEY_DIGITS_RANGE: Final = (32, 128)
"""Minimum and maximum length of a badge's key in hex digits. A key of 16 bytes (32 digits) cannot be guessed. HMAC
would replace a key of more than 64 bytes (128 digits) by its hash."""


class BadgeError(BadInputError):
    """The list of badges cannot be used.

    The message is one line with the place, the value and what was expected. It never shows a key.
    """


_FIELDS: Final = ("uid", "name", "role", "key")


class Badge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One badge: UID in upper-case hex, name and role of its carrier, and its key in hex.

    A badge with an empty key is only identified, never proven.
    """

    uid: str
    name: str
    role: Role
    key: str = ""

    @property
    def label(self) -> str:
        """Return the name and role that the journal records for a decision with this badge."""
        return badge_label(self.name, self.role)

    def __repr__(self) -> str:
        return f"Badge(uid={self.uid!r}, name={self.name!r}, role={self.role!r})"


def badge_label(name: str, role: Role | None) -> str:
    """Return the name and role that the journal records for a decision with a badge."""
    return f"{name} ({role})"


def parse_badges(values: object, where: str = "badges") -> tuple[Badge, ...]:
    """Return the badges of a list of TOML tables with `uid`, `name`, `role` and `key`.

    Raises BadgeError. `where` names the list in the error message.
    """
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise BadgeError(f"{where}: {type(values).__name__}, expected a list of badges")
    if len(values) > MAX_BADGES:
        raise BadgeError(f"{where}: {len(values)} badges, expected at most {MAX_BADGES}")
    badges: dict[str, Badge] = {}
    for number, value in enumerate(values):
        badge = _make_badge(value, f"{where}[{number}]")
        if badge.uid in badges:
            raise BadgeError(f"{where}[{number}].uid = {badge.uid}: twice in the list, expected once")
        badges[badge.uid] = badge
    return tuple(badges.values())


def _make_badge(value: object, where: str) -> Badge:
    """Return the badge of one TOML table.

    Error messages never quote values of the file, because any field may contain a key by mistake.
    """
    if not isinstance(value, dict):
        raise BadgeError(f"{where}: {type(value).__name__}, expected a table with {', '.join(_FIELDS)}")
    if not value.keys() <= set(_FIELDS):
        raise BadgeError(f"{where}: unknown key, expected {', '.join(_FIELDS)}")
    for field in _FIELDS:
        if not isinstance(value.get(field, "" if field == "key" else None), str):
            raise BadgeError(f"{where}.{field}: {'not text' if field in value else 'missing'}, expected text")
    try:
        badge = msgspec.convert(value, Badge)
    except msgspec.ValidationError:
        raise BadgeError(f"{where}.role: expected one of {', '.join(get_args(Role))}") from None
    uid, key = badge.uid.upper(), badge.key.upper()
    if len(uid) not in UID_DIGITS or not re.fullmatch(r"[0-9A-F]*", uid):
        raise BadgeError(f"{where}.uid: {len(uid)} characters, expected 8, 14 or 20 hex digits")
    if not is_valid_name(badge.name) or _looks_like_key(badge.name):
        raise BadgeError(f"{where}.name: {EXPECTED_NAME}")
    min_digits, max_digits = KEY_DIGITS_RANGE
    if key and (not min_digits <= len(key) <= max_digits or len(key) % 2 or not re.fullmatch(r"[0-9A-F]*", key)):
        raise BadgeError(f"{where}.key: {len(key)} characters, expected {min_digits} to {max_digits} hex digits (even)")
    return Badge(uid=uid, name=badge.name, role=badge.role, key=key)


def _looks_like_key(text: str) -> bool:
    """Return True if this text has the form of a card's key, and so must not be shown or recorded."""
    return len(text) >= KEY_DIGITS_RANGE[0] and re.fullmatch(r"[0-9A-Fa-f]*", text) is not None


def load_badges(path: Path) -> tuple[Badge, ...]:
    """Return the badges of a TOML file with `[[badges]]`. Raises BadgeError."""
    try:
        values = tomllib.loads(read_file(path, MAX_BADGE_FILE_BYTES).decode())
    except OSError as error:
        raise BadgeError(f"{path}: {error.strerror or error}, expected a file with [[badges]]") from None
    except UnicodeDecodeError as error:
        raise BadgeError(f"{path}: byte {error.start}, expected UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        # The file is not TOML, or it has a very long number or very deep nesting.
        position = re.search(r"at line \d+, column \d+|at end of document", str(error))
        raise BadgeError(f"{path}{f': {position[0]}' if position else ''}: expected TOML") from None
    if values.keys() - {"badges"}:
        raise BadgeError(f"{path}: unknown key, expected only [[badges]]")
    return parse_badges(values.get("badges", []), f"{path}: badges")
