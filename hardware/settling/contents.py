"""What tags are to the house: chips, strangers, lammers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from hardware.chips import STRANGERS, Kind
from hardware.events import Chip


class Tags(Protocol):
    """What settling asks of the house's chip set."""

    def denomination(self, uid: str) -> int | None: ...

    def lammer(self, uid: str) -> str | None: ...

    def kind(self, uid: str) -> Kind: ...


class Contents(NamedTuple):
    """What the tags of a spot are, each in the order of the events."""

    stack: tuple[Chip, ...] = ()
    strangers: tuple[str, ...] = ()
    lammers: tuple[str, ...] = ()

    @property
    def pieces(self) -> tuple[int, ...]:
        """The stack as it looks: denominations, largest first, and 0 for each stranger."""
        return *(chip.denomination for chip in self.stack), *(0 for _ in self.strangers)

    def looks_like(self, other: Contents) -> bool:
        """Whether nothing that is shown differs."""
        return self.pieces == other.pieces and self.lammers == other.lammers

    def adds_to(self, before: Contents) -> bool:
        """Whether pieces were added to pieces that were there: each of before, or its like, is still among them.
        Lammers are no part of a stack."""
        return bool(before.pieces) and Counter(before.pieces) < Counter(self.pieces)


NOTHING: Final = Contents()


def contents(tags: Iterable[str], known: Tags) -> Contents:
    """What these tags are; those that the house ignores are nothing."""
    chips: list[Chip] = []
    strangers: list[str] = []
    lammers: list[str] = []
    for uid in tags:
        value, name = known.denomination(uid), known.lammer(uid)
        if value is not None:
            chips.append(Chip(uid, value))
        elif name is not None:
            lammers.append(name)
        elif known.kind(uid) in STRANGERS:
            strangers.append(uid)
    chips.sort(key=lambda chip: (-chip.denomination, chip.uid))
    return Contents(tuple(chips), tuple(sorted(strangers)), tuple(sorted(lammers)))
