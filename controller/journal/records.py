"""What a journal consists of: its opening, its entries as they are given, its records as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple, get_args

import msgspec

from controller.table import Source, Step, line, parse
from firmware_bridge.errors import PotkeeperError, Whose

MAX_BODY_BYTES: Final = 3500
"""Longest record as JSON: fits one page of the file, so that salvage finds it in one piece."""
MOST_REPEATED: Final = 60
"""Characters of a text that a message about it repeats."""
_SOURCES: Final = get_args(Source)


class JournalError(PotkeeperError):
    """The journal cannot be used as asked; one line: what, where, what was expected.

    `number` is the first bad record where one is known (0 is the opening)."""

    whose: ClassVar[Whose] = "storage"

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.number = number


class JournalDead(JournalError):
    """A write failed: nobody knows what is on the disk. Never try again: end the process, open the journal anew."""


class Entry(NamedTuple):
    """A step that was taken: when, which, who gave it, and the badge that lay on the reader, where known."""

    at_us: int
    step: Step
    source: Source
    badge: str = ""


class Record(msgspec.Struct, frozen=True):
    """One entry as it is written; numbers have no gaps and begin at 1. `do` is the step's line."""

    number: int
    at_us: int
    do: str
    source: Source
    badge: str = ""

    def entry(self) -> Entry:
        """The entry that was given. Raises StepError where the line is none of this program's."""
        return Entry(self.at_us, parse(self.do), self.source, self.badge)


class Opening(msgspec.Struct, frozen=True):
    """How a journal begins: the table's configuration as JSON text, the version of its form, the wall-clock time."""

    config: str
    version: int
    at: str


encode_json = msgspec.json.Encoder().encode


def encode(entries: Sequence[Entry], first: int) -> list[bytes]:
    """Entries as the bodies of the records `first` and on. Raises JournalError where one is no entry."""
    lines = [line(entry.step) for entry in entries]
    bodies: list[bytes] = []
    for number, (entry, do) in enumerate(zip(entries, lines, strict=True), first):
        where = f"record {number}"
        if entry.source not in _SOURCES:
            raise JournalError(f"{where}: source {entry.source!r}, expected one of {', '.join(_SOURCES)}")
        if not 0 <= entry.at_us < 2**63:
            raise JournalError(f"{where}: at_us = {entry.at_us}, expected 0 to 2**63 - 1")
        for name, text in (("do", do), ("badge", entry.badge)):
            if not text.isprintable():
                raise JournalError(f"{where}: {name} {text[:MOST_REPEATED]!r}, expected one line of printable text")
        body = encode_json(Record(number, entry.at_us, do, entry.source, entry.badge))
        if len(body) > MAX_BODY_BYTES:
            raise JournalError(f"{where}: {len(body)} bytes, expected at most {MAX_BODY_BYTES}")
        bodies.append(body)
    return bodies
