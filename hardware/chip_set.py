"""The chip set of a house: whether a tag is a chip, a marker (lammer) or unknown.

The module does not read files or a clock. `hardware.layout` creates a `ChipSet` from a layout.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal

from firmware_bridge.errors import FaultSource, PotkeeperError

UID_DIGITS: Final[Mapping[str, int]] = {"iso15693": 16, "mode3": 24}
"""Number of hex digits in the UID of a tag, for each tag technology.

- `iso15693`: eight bytes as upper-case hex digits, with the most significant byte (E0) first.
- `mode3`: an ISO 18000-3 mode 3 tag, which reports an EPC of 96 bits.
"""
ISO14443A_DIGITS: Final = 14
"""Number of hex digits in the usual UID of an ISO 14443A device, such as a phone or a hotel key."""
MAX_UID_DIGITS: Final = 64
"""Maximum number of hex digits in an EPC, the UID of a mode 3 tag. The standard allows more digits, but no tag with a
longer EPC is known."""
MAX_CACHED_TAGS: Final = 65_536
"""Maximum number of tags in the cache, which is far more than a table has. Without this limit, a faulty reader that
reports random tags would fill the memory."""

DENOMINATIONS: Final = (
    1, 5, 25, 100, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 1_000_000, 5_000_000, 25_000_000, 100_000_000,
)  # fmt: skip
"""Denominations that are used to make up an amount if the actual chips are not given."""

LAMMER_NAMES: Final = ("button", "missed-blind", "all-in", "rock", "kill")
"""Names of the lammers (markers with a tag). Several lammers may have the same name."""

TagKind = Literal["chip", "lammer", "ignored", "revoked", "unknown"]
UNKNOWN_TAG_KINDS: Final[frozenset[TagKind]] = frozenset({"revoked", "unknown"})
"""Kinds of tags without value that are reported with their UID, so that the house can look for them."""


_RANDOM_UID: Final = re.compile("08[0-9A-F]{6}(000000)?|00000008[0-9A-F]{6}")


def is_random_uid(uid: str) -> bool:
    """Return True if the UID is a random UID of an ISO 14443A device, such as a phone.

    Such a UID has four bytes, begins with 08, and is new whenever the field returns (NXP AN10927). A FEIG reader fills
    it up with zeros to seven bytes. No document says on which side.
    """
    return len(uid) <= ISO14443A_DIGITS and _RANDOM_UID.fullmatch(uid) is not None


class ChipSetError(PotkeeperError):
    """An error: a chip set contradicts itself, or has no chip of a requested denomination.

    The message contains the UIDs or the denomination.
    """

    fault: ClassVar[FaultSource] = "person"


@lru_cache(maxsize=4_096)
def chips_for(amount: int) -> tuple[int, ...]:
    """Return the denominations of the fewest chips that make up an amount, largest first.

    Raise ValueError for a negative amount.
    """
    if amount < 0:
        raise ValueError(f"amount {amount}: expected 0 or more")
    return break_amount(amount, DENOMINATIONS)


def break_amount(amount: int, denominations: Sequence[int]) -> tuple[int, ...]:
    """Return an amount in chips of these denominations, largest chips first.

    `denominations` must be sorted, smallest first.
    """
    chips: list[int] = []
    for denomination in reversed(denominations):
        count, amount = divmod(amount, denomination)
        chips += [denomination] * count
    return tuple(chips)


def can_make(denominations: Iterable[int], amount: int) -> bool:
    """Return True if some of these chips are worth exactly this amount. Example: 25, 5 and 1 make 26, but not 10."""
    counts = Counter(denominations)
    smaller_value = sum(counts.elements())
    # Larger chips come first, so that few amounts are left: those that the smaller chips can still make.
    left_amounts = {amount}
    for denomination, count in sorted(counts.items(), reverse=True):
        smaller_value -= denomination * count
        tried = {left - number * denomination for left in left_amounts for number in range(count + 1)}
        left_amounts = {left for left in tried if 0 <= left <= smaller_value}
    return 0 in left_amounts


def is_valid_uid(text: str) -> bool:
    """Return True if the text is a possible UID of a tag.

    A UID has only upper-case hex digits. Their number is 16 for ISO 15693, and 24 to 64 in steps of 4 for an EPC.
    """
    return re.fullmatch(r"[0-9A-F]*", text) is not None and len(text) in _LENGTHS


_LENGTHS: Final = (UID_DIGITS["iso15693"], *range(UID_DIGITS["mode3"], MAX_UID_DIGITS + 1, 4))


@dataclass(frozen=True, slots=True)
class UidRange:
    """Range of UIDs, from `first` to `last` inclusive, in which every tag is a chip of this denomination.

    `first` and `last` must have the same number of digits.
    """

    denomination: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class EncodedUids:
    """Pattern for UIDs that contain the denomination of their chip.

    A UID consists of `prefix`, the denomination in `denomination_digits` hex digits, and a serial number. It has
    `uid_digits` hex digits in total. Example: with prefix E0 and 6 denomination digits, E00000190000002A is chip 42 of
    denomination 25.
    """

    prefix: str
    denomination_digits: int
    uid_digits: int = UID_DIGITS["iso15693"]

    def denomination(self, uid: str) -> int | None:
        """Return the denomination in this UID. Return None if it is 0 or if the UID does not fit the pattern."""
        if len(uid) != self.uid_digits or not uid.startswith(self.prefix):
            return None
        start = len(self.prefix)
        return int(uid[start : start + self.denomination_digits], 16) or None

    def uid(self, denomination: int, serial: int) -> str | None:
        """Return the UID of a chip.

        Return None if its denomination or serial number has too many digits for the pattern.
        """
        serial_digits = self.uid_digits - len(self.prefix) - self.denomination_digits
        if denomination <= 0 or denomination >= 16**self.denomination_digits or serial >= 16**serial_digits:
            return None
        return f"{self.prefix}{denomination:0{self.denomination_digits}X}{serial:0{serial_digits}X}"


class ChipSet:
    """The chips and lammers (markers) of a house.

    A tag is looked up in the list of UIDs, then in the UID ranges, and then by the denomination in its UID. The
    constructor raises ChipSetError if a UID is in two ranges, or is both a lammer and a chip.
    """

    def __init__(
        self,
        *,
        listed: Mapping[str, int] | None = None,
        ranges: Iterable[UidRange] = (),
        encoded: EncodedUids | None = None,
        lammers: Mapping[str, str] | None = None,
        ignored: Iterable[str] = (),
        revoked: Iterable[str] = (),
    ) -> None:
        self._listed = dict(listed or {})
        self._ranges = tuple(sorted(ranges, key=lambda item: (len(item.first), item.first)))
        self._encoded = encoded
        self._lammers = dict(lammers or {})
        self._ignored = tuple(ignored)
        self._revoked = frozenset(revoked)
        self._cache: dict[str, tuple[TagKind, int]] = {}
        self._check()

    def _check(self) -> None:
        for before, after in zip(self._ranges, self._ranges[1:], strict=False):
            if len(after.first) == len(before.first) and after.first <= before.last:
                raise ChipSetError(f"range {after.first} to {after.last} overlaps {before.first} to {before.last}")
        for uid in self._lammers:
            if uid in self._listed or self._in_range(uid) is not None:
                raise ChipSetError(f"{uid} is both a lammer and a chip")

    def kind(self, uid: str) -> TagKind:
        """Return the kind of this tag.

        The kind is `ignored` for tags with a prefix of known objects that are not chips, such as card protectors and
        keys. It is `revoked` for chips that the house has declared worthless.
        """
        return self._look_up(uid)[0]

    def denomination(self, uid: str) -> int | None:
        """Return the chip's denomination, or None if the tag is not a chip of this house."""
        return self._look_up(uid)[1] or None

    def lammer(self, uid: str) -> str | None:
        """Return the name of this lammer (marker), which is one of `LAMMER_NAMES`. Return None for any other tag."""
        return self._lammers.get(uid) if uid not in self._revoked else None

    def lammers(self, name: str) -> tuple[str, ...]:
        """Return the sorted UIDs of the lammers (markers) with this name."""
        return tuple(sorted(uid for uid, known in self._lammers.items() if known == name))

    def mint(self, denomination: int, serial: int) -> str:
        """Return the UID of chip number `serial` (from 0) of a denomination, for a simulated chip.

        Raise ChipSetError if the chip set has no such chip.
        """
        for item in self._ranges:
            if item.denomination == denomination:
                number = int(item.first, 16) + serial
                if number <= int(item.last, 16):
                    return f"{number:0{len(item.first)}X}"
        listed = [uid for uid, value in self._listed.items() if value == denomination]
        if serial < len(listed):
            return listed[serial]
        uid = self._encoded.uid(denomination, serial) if self._encoded is not None else None
        if uid is None:
            raise ChipSetError(f"chip {serial} of denomination {denomination}: not in the chip set, add it there first")
        return uid

    def _look_up(self, uid: str) -> tuple[TagKind, int]:
        known = self._cache.get(uid)
        if known is None:
            if len(self._cache) >= MAX_CACHED_TAGS:
                self._cache.clear()
            known = self._cache[uid] = self._classify(uid)
        return known

    def _classify(self, uid: str) -> tuple[TagKind, int]:
        if uid in self._revoked:
            return "revoked", 0
        if uid in self._lammers:
            return "lammer", 0
        value = self._listed.get(uid) or self._in_range(uid)
        if value is None and self._encoded is not None:
            value = self._encoded.denomination(uid)
        if value is not None:
            return "chip", value
        if uid.startswith(self._ignored) and self._ignored:
            return "ignored", 0
        return "unknown", 0

    def _in_range(self, uid: str) -> int | None:
        for item in self._ranges:
            if len(uid) == len(item.first) and item.first <= uid <= item.last:
                return item.denomination
        return None
