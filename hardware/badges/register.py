"""The badges of a house: one TOML file with `[[badges]]`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from hardware.bad_input import BadInputError

Role = Literal["dealer", "floor", "technician"]

MAX_BADGES: Final = 500
"""Badges of one house: far more than any has dealers and floor people."""
UID_DIGITS: Final = (8, 14, 20)
"""Hex digits of a UID of one, two or three levels (ISO 14443-3)."""
KEY_DIGITS: Final = (32, 128)
"""Least and most hex digits of a key: 16 bytes are out of reach of guessing, beyond 64 HMAC hashes the key."""


class BadgeError(BadInputError):
    """The list of badges cannot be used; one line: where, what, what was expected. Never shows a key."""


class Badge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One badge: UID in upper-case hex, who carries it, and its key in hex (empty: identified, never proven)."""

    uid: str
    name: str
    role: Role
    key: str = ""

    def __repr__(self) -> str:
        return f"Badge(uid={self.uid!r}, name={self.name!r}, role={self.role!r})"


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
    try:
        badge = msgspec.convert(value, Badge)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$")
        raise BadgeError(f"{where}{path.rstrip('`')}: {text[0].lower()}{text[1:]}") from None
    uid, key = badge.uid.upper(), badge.key.upper()
    if len(uid) not in UID_DIGITS or not re.fullmatch(r"[0-9A-F]*", uid):
        raise BadgeError(f"{where}.uid = {badge.uid[:40]!r}: expected 8, 14 or 20 hex digits")
    if not badge.name or len(badge.name) > 40 or not badge.name.isprintable():
        raise BadgeError(f"{where}.name = {badge.name[:40]!r}: expected 1 to 40 printable characters")
    least, most = KEY_DIGITS
    if key and (not least <= len(key) <= most or len(key) % 2 or not re.fullmatch(r"[0-9A-F]*", key)):
        raise BadgeError(f"{where}.key: {len(key)} characters, expected {least} to {most} hex digits, two a byte")
    return Badge(uid=uid, name=badge.name, role=badge.role, key=key)


def load_badges(path: Path) -> tuple[Badge, ...]:
    """The badges of a TOML file with `[[badges]]`. Raises BadgeError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadgeError(f"{path}: {error.strerror}, expected a file with [[badges]]") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadgeError(f"{path}: {error}, expected TOML") from None
    if unknown := set(values) - {"badges"}:
        raise BadgeError(f"{path}: {min(unknown)}: no such key, expected badges")
    return make_badges(values.get("badges", []), f"{path}: badges")
