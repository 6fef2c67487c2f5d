"""What is done for a journal at each commit: its head is signed before, and noted in the marks afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from controller.seals.heads import Head, SealError, TableKey, occasion_at, read_key
from controller.seals.mark import FarMark, MarkFile, State, read_mark
from hardware.badges import NO_OCCASION, Badge, Occasion

MARK_ENDING: Final = ".mark"


class _Marks(Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def trouble(self) -> str: ...
    def write(self, head: Head, state: State = "open", unrecorded: int = 0) -> None: ...
    def close(self) -> None: ...


class Guard:
    """The key and the marks of a table's journal and the badges of the house, each of which may be missing. Its methods
    never raise: no journal ends because of its guard; `trouble` and `key_trouble` say what is wrong."""

    def __init__(
        self,
        key: TableKey | Path | None = None,
        marks: Sequence[_Marks] = (),
        badges: Sequence[Badge] | None = None,
    ) -> None:
        self.key = key if isinstance(key, TableKey) else None
        self.key_trouble = ""
        """Why the key's file cannot be read; "" where it was, or there is none."""
        self._key_file = key if isinstance(key, Path) else None
        self.marks = tuple(marks)
        self.badges = badges
        self._head: Head | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The public keys that a head may be signed with."""
        return (self.key.public,) if self.key is not None else ()

    def look_for_key(self) -> None:
        """Reads the key's file, unless that was read before. For any thread."""
        if self.key is None and self._key_file is not None:
            try:
                self.key, self.key_trouble = read_key(self._key_file), ""
            except SealError as error:
                self.key_trouble = str(error)

    def seal(self, head: Head) -> bytes:
        """The signature that is stored with a head; empty where the table has no key, or it cannot be read."""
        return self.key.seal(head) if self.key is not None else b""

    def reached(self, head: Head) -> None:
        """The records up to this head are on the disk."""
        self._head = head
        for mark in self.marks:
            mark.write(head)

    def dark(self, unrecorded: int, *, here: bool = True) -> None:
        """The table plays on without records: so many steps since the last head, which is the one noted where no
        journal was opened by this process. Not `here`: the journal's own disk is left alone."""
        self._head = self._head or (self._noted() if here else None)
        for mark in self.marks:
            if self._head is not None and (here or isinstance(mark, FarMark)):
                mark.write(self._head, "dark", unrecorded)

    def closed(self) -> None:
        """The journal is closed in order, and the guard goes with it."""
        for mark in self.marks:
            if self._head is not None:
                mark.write(self._head, "closed")
            mark.close()

    def _noted(self) -> Head | None:
        found: list[Head] = []
        for mark in self.marks:
            with suppress(SealError):
                if (noted := read_mark(mark.path)) is not None:
                    found.append(noted.head)
        return max(found, key=lambda head: (head.segment, head.number), default=None)

    def occasion(self) -> Occasion:
        """What a badge is asked to prove itself for now. For any thread."""
        head = self._head
        return occasion_at(head) if head is not None else NO_OCCASION

    @property
    def trouble(self) -> str:
        """Why the mark on another device cannot be written; "" where it can, or there is none. The one beside the
        journal fails with the journal's own disk, which is told anyway."""
        return next((mark.trouble for mark in self.marks if isinstance(mark, FarMark) and mark.trouble), "")


NO_GUARD: Final = Guard()
"""For a journal that nothing is held against."""


def mark_beside(path: Path) -> Path:
    """The mark that lies beside every journal."""
    return path.with_name(path.name + MARK_ENDING)


def guard_of(
    path: Path,
    key: TableKey | Path | None = None,
    high_water: Path | None = None,
    badges: Sequence[Badge] | None = None,
) -> Guard:
    """What guards the journal at `path`: the mark beside it, and the one at `high_water` where there is another
    device; a `key` that is the place of one may come later."""
    far = (FarMark(high_water),) if high_water is not None else ()
    return Guard(key, (MarkFile(mark_beside(path)), *far), badges)
