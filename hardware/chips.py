"""The house's chip set: which tag is a chip of which denomination, which is a lammer, which is nothing of
ours.

Pure: no file and no clock; `layout` makes a `ChipSet` from the layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, Literal

from firmware_bridge.errors import PotkeeperError, Whose

UID_DIGITS: Final[Mapping[str, int]] = {"iso15693": 16, "mode3": 24}
"""By tag technology: an ISO 15693 UID is eight bytes, written as upper-case hex digits, most significant byte (E0)
first; an ISO 18000-3 mode 3 tag tells an EPC of 96 bits."""
MOST_UID_DIGITS: Final = 64
"""An EPC may have more words of 16 bits: longer ones than this are not known."""
MAX_REMEMBERED: Final = 65_536
"""Tags whose kind is remembered for speed; far more than a table has, and a bound against a reader that makes
up tags."""

DENOMINATIONS: Final = (
    1, 5, 25, 100, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 1_000_000, 5_000_000, 25_000_000, 100_000_000,
)  # fmt: skip
"""What amounts are made of where nobody names the chips."""

LAMMERS: Final = ("button", "missed-blind", "all-in", "rock", "kill")
"""The names that a lammer can have. A house may have several of one name."""

Kind = Literal["chip", "lammer", "ignored", "revoked", "unknown"]
STRANGERS: Final[frozenset[Kind]] = frozenset({"revoked", "unknown"})
"""What is told by its UID: a tag that is worth nothing, and that the house may want to see."""


class ChipSetError(PotkeeperError):
    """The chip set contradicts itself, or a denomination cannot be made with it; the message says which."""

    whose: ClassVar[Whose] = "person"


@lru_cache(maxsize=4_096)
def chips_for(amount: int) -> tuple[int, ...]:
    """The denominations that make up an amount, largest first, as few as there can be.

    Raises ValueError for an amount below 0.
    """
    if amount < 0:
        raise ValueError(f"amount {amount}: 0 or more expected")
    return made_of(amount, DENOMINATIONS)


def made_of(amount: int, denominations: Sequence[int]) -> tuple[int, ...]:
    """The amount in chips of these denominations (smallest first), largest chips first."""
    chips: list[int] = []
    for denomination in reversed(denominations):
        count, amount = divmod(amount, denomination)
        chips += [denomination] * count
    return tuple(chips)


def is_uid(text: str) -> bool:
    """Whether a tag can have this UID: 16 upper-case hex digits, or 24 and more."""
    return re.fullmatch(r"[0-9A-F]*", text) is not None and len(text) in _LENGTHS


_LENGTHS: Final = (UID_DIGITS["iso15693"], *range(UID_DIGITS["mode3"], MOST_UID_DIGITS + 1, 4))


@dataclass(frozen=True, slots=True)
class UidRange:
    """All UIDs from `first` to `last`, both included, are chips of this denomination. They have the same length."""

    denomination: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class EncodedUids:
    """UIDs of `length` hex digits that carry their denomination: `prefix`, then `digits` hex digits of denomination,
    then a serial number."""

    prefix: str
    digits: int
    length: int = UID_DIGITS["iso15693"]

    def denomination(self, uid: str) -> int | None:
        """What the UID says; None where it is not of this rule (denomination 0 is none)."""
        if len(uid) != self.length or not uid.startswith(self.prefix):
            return None
        start = len(self.prefix)
        return int(uid[start : start + self.digits], 16) or None

    def uid(self, denomination: int, serial: int) -> str | None:
        """The UID of that chip; None where denomination or serial do not fit into their digits."""
        serial_digits = self.length - len(self.prefix) - self.digits
        if denomination <= 0 or denomination >= 16**self.digits or serial >= 16**serial_digits:
            return None
        return f"{self.prefix}{denomination:0{self.digits}X}{serial:0{serial_digits}X}"


class ChipSet:
    """Tag to denomination, by list first, then by range, then by encoded UID.

    Raises ChipSetError where a UID would be two things.
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
        self._known: dict[str, tuple[Kind, int]] = {}
        self._check()

    def _check(self) -> None:
        for before, after in zip(self._ranges, self._ranges[1:], strict=False):
            if len(after.first) == len(before.first) and after.first <= before.last:
                raise ChipSetError(f"range {after.first} to {after.last} overlaps {before.first} to {before.last}")
        for uid in self._lammers:
            if uid in self._listed or self._in_range(uid) is not None:
                raise ChipSetError(f"{uid} is both a lammer and a chip")

    def kind(self, uid: str) -> Kind:
        """What the tag is. `ignored` are known things that are no chips (card protectors, keys by prefix), `revoked` is
        what the house has called in."""
        return self._look(uid)[0]

    def denomination(self, uid: str) -> int | None:
        """The chip's value in the unit of account; None for a tag that is no chip of this house."""
        return self._look(uid)[1] or None

    def lammer(self, uid: str) -> str | None:
        """The name of the lammer, one of `LAMMERS`; None for any other tag."""
        return self._lammers.get(uid) if uid not in self._revoked else None

    def lammers(self, name: str) -> tuple[str, ...]:
        """The UIDs of all lammers of a name, sorted."""
        return tuple(sorted(uid for uid, known in self._lammers.items() if known == name))

    def mint(self, denomination: int, serial: int) -> str:
        """The UID of the chip `serial` (from 0) of a denomination, for the simulated world.

        Raises ChipSetError where the chip set has no such chip.
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
            raise ChipSetError(f"chip {serial} of denomination {denomination}: not in the chip set")
        return uid

    def _look(self, uid: str) -> tuple[Kind, int]:
        known = self._known.get(uid)
        if known is None:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            known = self._known[uid] = self._judge(uid)
        return known

    def _judge(self, uid: str) -> tuple[Kind, int]:
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
