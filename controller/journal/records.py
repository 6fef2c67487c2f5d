"""What a journal consists of: its opening, its entries as they are given, its records as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple, get_args

import msgspec

from controller.table import Source, Step, line, parse
from firmware_bridge.errors import PotkeeperError, Whose
from hardware.bad_input import one_line
from hardware.badges import Proof

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
        super().__init__(one_line(message))
        self.number = number


class JournalDead(JournalError):
    """A write failed: nobody knows what is on the disk. The file is never written again; a new journal is begun."""


class JournalIncomplete(JournalError):
    """All was read that can be proven, and this is missing."""


class JournalBusy(JournalError):
    """Another process has the journal. Nothing was changed."""


class Entry(NamedTuple):
    """A step that was taken: when, which, who gave it, and what is known of how it came."""

    at_us: int
    step: Step
    source: Source
    badge: str = ""
    """The badge that lay on the reader; "" for none."""
    command: str = ""
    """The command of a screen that it came of; "" for none."""
    proof: str = ""
    """What the badge proved itself with; "" for nothing."""


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry as it is written; numbers have no gaps and begin at 1. `do` is the step's line."""

    number: int
    at_us: int
    do: str
    source: Source
    badge: str = ""
    command: str = ""
    proof: str = ""
    at: str = ""
    """The wall-clock time, where `state` is said."""
    state: str = ""
    """The digest of the state after this record; where a hand ended."""

    def entry(self) -> Entry:
        """The entry that was given. Raises StepError where the line is none of this program's."""
        return Entry(self.at_us, parse(self.do), self.source, self.badge, self.command, self.proof)


encode_json = msgspec.json.Encoder().encode
decode_record = msgspec.json.Decoder(Record).decode


def record_in(body: bytes) -> Record | None:
    """What stands in a body that anybody may have written; None where it is no record."""
    try:
        return decode_record(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def words_of(record: Record) -> bytes:
    """What a badge speaks for: all of a record but its proof, and but what is noted with it where a hand ends."""
    return encode_json(msgspec.structs.replace(record, proof="", at="", state=""))


def proven(entry: Entry, number: int, proof: Proof) -> Entry:
    """The entry of record `number` with the proof of its badge, which is good for this record alone."""
    record = Record(number, entry.at_us, line(entry.step), entry.source, entry.badge, entry.command)
    return entry._replace(proof=proof.bound(words_of(record)).text)


def encode(entries: Sequence[Entry], first: int, *, at: str = "", state: str = "") -> list[bytes]:
    """Entries as the bodies of the records `first` and on; `at` and `state` stand in the last one. Raises JournalError
    where one is no entry."""
    lines = [line(entry.step) for entry in entries]
    bodies: list[bytes] = []
    for number, (entry, do) in enumerate(zip(entries, lines, strict=True), first):
        where = f"record {number}"
        if entry.source not in _SOURCES:
            raise JournalError(f"{where}: source {entry.source!r}, expected one of {', '.join(_SOURCES)}")
        if not 0 <= entry.at_us < 2**63:
            raise JournalError(f"{where}: at_us = {entry.at_us}, expected 0 to 2**63 - 1")
        texts = {"do": do, "badge": entry.badge, "command": entry.command, "proof": entry.proof}
        for name, text in texts.items():
            if not text.isprintable():
                raise JournalError(f"{where}: {name} {text[:MOST_REPEATED]!r}, expected one line of printable text")
        closes = {"at": at, "state": state} if number == first + len(lines) - 1 else {}
        body = encode_json(Record(number, entry.at_us, source=entry.source, **texts, **closes))
        if len(body) > MAX_BODY_BYTES:
            raise JournalError(f"{where}: {len(body)} bytes, expected at most {MAX_BODY_BYTES}")
        bodies.append(body)
    return bodies
