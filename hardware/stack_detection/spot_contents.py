"""Contents of a spot: which tags are chips, unknown tags or lammers of the house."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from hardware.chip_set import UNKNOWN_TAG_KINDS, TagKind
from hardware.events import Chip


class TagCatalog(Protocol):
    """Part of the house's chip set that stack detection needs."""

    def denomination(self, uid: str) -> int | None:
        """Return the denomination of a chip, or None for any other tag."""

    def lammer(self, uid: str) -> str | None:
        """Return the name of a lammer, or None for any other tag."""

    def kind(self, uid: str) -> TagKind:
        """Return the kind of the tag: a chip or lammer of this house, or another kind of tag."""


class SpotContents(NamedTuple):
    """Chips, unknown tags and lammers on a spot, each sorted as the events list them."""

    stack: tuple[Chip, ...] = ()
    unknown_tags: tuple[str, ...] = ()
    lammers: tuple[str, ...] = ()

    @property
    def visible_denominations(self) -> tuple[int, ...]:
        """Return the denominations of the chips, largest first, and then 0 for each unknown tag."""
        return *(chip.denomination for chip in self.stack), *(0 for _ in self.unknown_tags)

    def is_visibly_equal(self, other: SpotContents) -> bool:
        """Return True if a person sees no difference between the two contents."""
        return self.visible_denominations == other.visible_denominations and self.lammers == other.lammers

    def is_addition_to(self, before: SpotContents) -> bool:
        """Return True if these contents are the contents `before` with more chips or unknown tags.

        A chip may have been exchanged for one of the same denomination. Lammers are ignored, because they are not part
        of a stack.
        """
        return bool(before.visible_denominations) and Counter(before.visible_denominations) < Counter(
            self.visible_denominations
        )


EMPTY_CONTENTS: Final = SpotContents()


def classify_tags(tags: Iterable[str], catalog: TagCatalog) -> SpotContents:
    """Return these tags as chips, unknown tags and lammers. Ignored tags are left out."""
    chips: list[Chip] = []
    unknown_tags: list[str] = []
    lammers: list[str] = []
    for uid in tags:
        denomination, lammer = catalog.denomination(uid), catalog.lammer(uid)
        if denomination is not None:
            chips.append(Chip(uid, denomination))
        elif lammer is not None:
            lammers.append(lammer)
        elif catalog.kind(uid) in UNKNOWN_TAG_KINDS:
            unknown_tags.append(uid)
    chips.sort(key=lambda chip: (-chip.denomination, chip.uid))
    return SpotContents(tuple(chips), tuple(sorted(unknown_tags)), tuple(sorted(lammers)))
