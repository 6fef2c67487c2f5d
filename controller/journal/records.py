"""Entries, which the service wants to record, and records, which a journal stores.

Also defines the journal's errors.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from controller.steps import Step, StepSource, format_step, parse_step
from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.badges import BadgeProof
from hardware.text_input_validation import to_one_line

MAX_BODY_BYTES: Final = 3500
"""Maximum length of a record as JSON, in bytes.

A record of this length fits into one page of the file, so that a search of the raw bytes finds it in one piece.
"""
MAX_QUOTED_CHARS: Final = 60
"""Maximum number of characters of a rejected text that an error message quotes."""
TIMESYNC_FOLDER: Final = "/run/systemd/timesync"
"""Folder in which systemd-timesyncd creates the file `synchronized` when it has set the clock."""
_VALID_SOURCES: Final = get_args(StepSource)
ClockState: TypeAlias = Literal["", "free", "unknown"]
"""State of the wall clock. "" means that it is synchronised with a time server, `free` that it is not. `unknown` means
that the machine does not tell, because it has no systemd-timesyncd."""


class JournalError(PotkeeperError):
    """The journal cannot be used as requested.

    The message has one line with the journal, the problem and the expectation. `number` is the number of the first bad
    record, 0 if the segment header is bad, or None if the place is unknown.
    """

    fault: ClassVar[FaultSource] = "storage"

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(to_one_line(message))
        self.number = number


class JournalWriteFailed(JournalError):
    """A write failed, so nobody knows what is on the disk.

    The file is never written again. The service begins a new journal instead.
    """


class JournalIncomplete(JournalError):
    """All records with a valid hash have been read, but other records are missing."""


class JournalBusy(JournalError):
    """Another process uses the journal. Nothing was changed."""


class Entry(NamedTuple):
    """A step to record, with its time, its source and the command that caused it."""

    at_us: int
    step: Step
    source: StepSource
    badge: str = ""
    """Label of the badge that was on the badge reader, or "" if no badge was there."""
    command: str = ""
    """Identifier of the screen's command that caused the step, or ""."""
    proof: str = ""
    """Proof that the badge was on the badge reader, valid for this record only, or "" without a badge."""


_WRITTEN_NAMES: Final = {
    "created_at": "at",
    "state_digest": "state",
    "amounts_digest": "amounts",
}
"""Names of some fields in journals. The code has renamed these fields, but journals keep the old names."""


class Record(msgspec.Struct, frozen=True, omit_defaults=True, rename=_WRITTEN_NAMES):
    """One step as the journal stores it. Records are numbered from 1 without gaps. `do` is the step as text."""

    number: int
    at_us: int
    do: str
    source: StepSource
    badge: str = ""
    command: str = ""
    proof: str = ""
    created_at: str = ""
    """Wall-clock time (UTC, ISO 8601) if the record is the last of a hand, otherwise ""."""
    wall_ms: int = 0
    """Wall-clock time at which the record was written, in ms since 1970 (UTC), or 0 in journals of earlier programs."""
    clock: ClockState = ""
    state_digest: str = ""
    """Digest of the snapshot after this record if the record is the last of a hand, otherwise ""."""
    amounts_digest: str = ""
    """Digest of the amounts at the table after this record, in the last record of each commit, otherwise "".

    Journals of earlier programs do not have this field.
    """

    def has_other_amounts(self, amounts: Sequence[int]) -> bool:
        """Return True if the record has a digest of other amounts. Return False if it has no digest."""
        return self.amounts_digest not in ("", _digest_of_amounts(amounts))

    def entry(self) -> Entry:
        """Return the entry of this record. Raises StepSyntaxError if this program cannot parse the text of the step."""
        return Entry(self.at_us, parse_step(self.do), self.source, self.badge, self.command, self.proof)


encode_json = msgspec.json.Encoder().encode
decode_record = msgspec.json.Decoder(Record).decode


def try_decode_record(body: bytes) -> Record | None:
    """Return the record that untrusted bytes contain, or None if the bytes are not a record."""
    try:
        return decode_record(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def read_clock_state() -> ClockState:
    """Return whether a time server has set the clock of this machine since the boot."""
    # This is called for each commit. It is faster than `exists`, which raises an error inside for a missing file.
    if os.access(f"{TIMESYNC_FOLDER}/synchronized", os.F_OK):
        return ""
    return "free" if os.access(TIMESYNC_FOLDER, os.F_OK) else "unknown"


def _digest_of_amounts(amounts: Sequence[int]) -> str:
    """Return a short digest of the amounts at a table.

    It is a CRC, because it must be fast. The hashes of the journal protect it against alterations. The bytes are those
    of `repr`, which is three times slower.
    """
    return f"{zlib.crc32(encode_json(amounts).replace(b',', b', ')):08x}"


def proof_payload(record: Record) -> bytes:
    """Return the bytes that the proof of a badge covers.

    The bytes are the whole record without its proof, and without the fields that are added when it is written:
    both wall-clock times, the state of the clock, and both digests.
    """
    return encode_json(
        msgspec.structs.replace(
            record, proof="", created_at="", wall_ms=0, clock="", state_digest="", amounts_digest=""
        )
    )


def with_proof(entry: Entry, number: int, proof: BadgeProof) -> Entry:
    """Return the entry with a proof that its badge was present.

    The proof is valid only for this entry as record `number`. Raises BadgeDidNotSignError if a card had to sign the
    entry and did not.
    """
    record = Record(number, entry.at_us, format_step(entry.step), entry.source, entry.badge, entry.command)
    return entry._replace(proof=proof.bind(proof_payload(record)).to_hex)


def encode_entries(
    entries: Sequence[Entry],
    first_number: int,
    *,
    created_at: str = "",
    state_digest: str = "",
    amounts: Sequence[int] = (),
) -> list[bytes]:
    """Return the entries as JSON bodies of records, which are numbered from `first_number`.

    Each record gets the wall-clock time. `created_at`, `state_digest` and the digest of `amounts` are stored in the
    last record. Raises JournalError if an entry is invalid.
    """
    wall_ms, clock = time.time_ns() // 1_000_000, read_clock_state()
    lines = [format_step(entry.step) for entry in entries]
    last_number, amounts_digest = first_number + len(lines) - 1, _digest_of_amounts(amounts) if amounts else ""
    bodies: list[bytes] = []
    for number, (entry, step_line) in enumerate(zip(entries, lines, strict=True), first_number):
        if entry.source not in _VALID_SOURCES:
            raise JournalError(f"record {number}: source {entry.source!r}, expected one of {', '.join(_VALID_SOURCES)}")
        if not 0 <= entry.at_us < 2**63:
            raise JournalError(f"record {number}: at_us = {entry.at_us}, expected 0 to 2**63 - 1")
        if not (step_line + entry.badge + entry.command + entry.proof).isprintable():
            texts = {"do": step_line, "badge": entry.badge, "command": entry.command, "proof": entry.proof}
            name, text = next((name, text) for name, text in texts.items() if not text.isprintable())
            quoted = repr(text[:MAX_QUOTED_CHARS])
            raise JournalError(f"record {number}: {name} {quoted}, expected one line of printable text")
        is_last = number == last_number
        body = encode_json(
            Record(
                number, entry.at_us, step_line, entry.source, entry.badge, entry.command, entry.proof,
                created_at if is_last else "", wall_ms, clock,
                state_digest if is_last else "", amounts_digest if is_last else "",
            )
        )  # fmt: skip
        if len(body) > MAX_BODY_BYTES:
            raise JournalError(f"record {number}: {len(body)} bytes, expected at most {MAX_BODY_BYTES}")
        bodies.append(body)
    return bodies
