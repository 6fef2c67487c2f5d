"""The house's list of badges: a TOML file with `[[badges]]`, which the house may sign.

A signed list also has the name of the house and a number that only grows, like the register of chips:

```
house  = "Grand Casino"
number = 7
[[badges]]
uid  = "04A1B2C3"
name = "Ann"
role = "floor"
public_key = "02…"
```

A badge has the public key of a PIV card, which is no secret, or the secret key of a card with the badge applet.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from hardware.badges.signed_proof import is_p256_point
from hardware.chip_register import RegisterError, strip_signature, verify_text
from hardware.text_input_validation import EXPECTED_NAME, BadInputError, is_valid_name, quote_key, read_file

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


MAX_LIST_NUMBER: Final = 999_999_999
"""Maximum number of a list. The journal records the number, and an amount in the journal has at most nine digits."""


class BadgeError(BadInputError):
    """The list of badges cannot be used.

    The message is one line with the place, the value and what was expected. It never shows a key.
    """


_FIELDS: Final = ("uid", "name", "role", "key", "public_key", "revoked")
_TEXT_FIELDS: Final = ("uid", "name", "role", "key", "public_key")
_OPTIONAL_FIELDS: Final = ("key", "public_key")


class Badge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One badge: UID in upper-case hex, name and role of its carrier, and its key in hex.

    `key` is the secret key of a card with the badge applet. `public_key` is the compressed public key of a PIV card. A
    badge with neither of them is only identified, never proven. A revoked badge stays on the list with its key, so that
    its earlier decisions can still be checked.
    """

    uid: str
    name: str
    role: Role
    key: str = ""
    public_key: str = ""
    revoked: bool = False

    @property
    def can_prove_itself(self) -> bool:
        """Return True if the list has a key with which the answers of the card can be checked."""
        return bool(self.key or self.public_key)

    @property
    def label(self) -> str:
        """Return the name and role that the journal records for a decision with this badge."""
        return badge_label(self.name, self.role)

    def __repr__(self) -> str:
        return f"Badge(uid={self.uid!r}, name={self.name!r}, role={self.role!r})"


class BadgeList(NamedTuple):
    """One list of badges. An unsigned list may have no house and the number 0."""

    house: str = ""
    number: int = 0
    badges: tuple[Badge, ...] = ()


def badge_label(name: str, role: Role | None) -> str:
    """Return the name and role that the journal records for a decision with a badge."""
    return f"{name} ({role})"


def dealer_names(badges: Iterable[Badge]) -> frozenset[str]:
    """Return the names of all dealers who can prove themselves with a badge, in lower case."""
    return frozenset(badge.name.lower() for badge in badges if badge.role == "dealer" and badge.can_prove_itself)


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
    if unknown := value.keys() - set(_FIELDS):
        raise BadgeError(f"{where}: unknown key{_shown(unknown)}, expected {', '.join(_FIELDS)}")
    if not isinstance(value.get("revoked", False), bool):
        raise BadgeError(f"{where}.revoked: not a truth value, expected true or false")
    for field in _TEXT_FIELDS:
        if not isinstance(value.get(field, "" if field in _OPTIONAL_FIELDS else None), str):
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
    public_key = badge.public_key.upper()
    if public_key and (not re.fullmatch(r"0[23][0-9A-F]{64}", public_key) or not is_p256_point(public_key)):
        raise BadgeError(
            f"{where}.public_key: {len(public_key)} characters, expected 66 hex digits of a compressed P-256 key"
        )
    if key and public_key:
        raise BadgeError(f"{where}: key and public_key, expected either key or public_key")
    return Badge(uid=uid, name=badge.name, role=badge.role, key=key, public_key=public_key, revoked=badge.revoked)


def _looks_like_key(text: str) -> bool:
    """Return True if this text has the form of a card's key, and so must not be shown or recorded."""
    return len(text) >= KEY_DIGITS_RANGE[0] and re.fullmatch(r"[0-9A-Fa-f]*", text) is not None


def _shown(unknown: Iterable[str]) -> str:
    """Return the first of these keys of a file for an error message, or "" if it may contain a secret key."""
    key = min(unknown)
    return "" if re.search(r"[0-9A-Fa-f]{8}", key) else f" {quote_key(key)}"


def load_badges(path: Path) -> tuple[Badge, ...]:
    """Return the badges in a file without checking its signature. Raises BadgeError."""
    return load_badge_list(path).badges


def load_badge_list(path: Path, public: str | None = None) -> BadgeList:
    """Return the list in a file. Raises BadgeError.

    If `public` is the public key of the house, the list must be signed with it.
    """
    try:
        data = read_file(path, MAX_BADGE_FILE_BYTES)
    except OSError as error:
        raise BadgeError(f"{path}: {error.strerror or error}, expected a file with [[badges]]") from None
    return parse_badge_list(data, str(path), public)


def parse_badge_list(data: bytes, where: str, public: str | None = None) -> BadgeList:
    """Return the list in these bytes. Raises BadgeError. `where` names the list in the error message."""
    if public is None:
        text = strip_signature(data)
    else:
        try:
            text = verify_text(data, public, where, signed_by="potkeeper badge make")
        except RegisterError as error:
            raise BadgeError(str(error)) from None
    try:
        values = tomllib.loads(text.decode())
    except UnicodeDecodeError as error:
        raise BadgeError(f"{where}: byte {error.start}, expected UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        # The file is not TOML, or it has a very long number or very deep nesting.
        position = re.search(r"at line \d+, column \d+|at end of document", str(error))
        raise BadgeError(f"{where}{f': {position[0]}' if position else ''}: expected TOML") from None
    if unknown := values.keys() - {"badges", "house", "number"}:
        raise BadgeError(f"{where}: file: unknown key{_shown(unknown)}, expected only [[badges]], house and number")
    house, number = values.get("house", ""), values.get("number", 0)
    if house and (not isinstance(house, str) or not is_valid_name(house) or _looks_like_key(house)):
        raise BadgeError(f"{where}: house: {EXPECTED_NAME}")
    is_number = isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= MAX_LIST_NUMBER
    if not is_number or (public is not None and number < 1):
        raise BadgeError(f"{where}: number: expected a whole number of 1 or more, which grows with each list")
    return BadgeList(house, number, parse_badges(values.get("badges", []), f"{where}: badges"))


def format_badge_list(badge_list: BadgeList) -> bytes:
    """Return the text of a list, without a signature."""
    lines = [f"house  = {_quoted(badge_list.house)}", f"number = {badge_list.number}"]
    for badge in badge_list.badges:
        lines += ["", "[[badges]]", f"uid  = {_quoted(badge.uid)}", f"name = {_quoted(badge.name)}"]
        lines += [f"role = {_quoted(badge.role)}"]
        lines += [f"public_key = {_quoted(badge.public_key)}"] if badge.public_key else [f"key  = {_quoted(badge.key)}"]
        lines += ["revoked = true"] if badge.revoked else []
    return "\n".join([*lines, ""]).encode()


def _quoted(text: str) -> str:
    """Return a TOML string. JSON has the same escapes for all characters that a name may contain."""
    return json.dumps(text, ensure_ascii=False)
