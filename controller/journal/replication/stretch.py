"""A stretch of records, which can leave the table and be verified elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from controller.integrity import ChainHead
from controller.journal.records import JournalError, Record, decode_record, try_decode_record
from controller.journal.segment_header import FORMAT_VERSION, SegmentHeader, decode_header
from controller.journal.snapshot import digest_of_bytes
from controller.journal.sqlite_file import GENESIS_HASH, chain_hash, decompress_state

StretchProblem: TypeAlias = Literal["bad-opening", "bad-number", "changed", "bad-snapshot"]
"""Ways in which a stretch can differ from what the table wrote.

- `bad-opening`: the segment header is damaged, or belongs to another place.
- `bad-number`: records were removed, added or reordered.
- `changed`: a record is not the one that the hash of the last record covers.
- `bad-snapshot`: a snapshot is damaged, missing or was added.
"""


class StretchError(JournalError):
    """A stretch is not as the table wrote it. `problem` names the difference."""

    fault = "storage"

    def __init__(self, problem: StretchProblem, head: ChainHead, number: int, text: str) -> None:
        super().__init__(f"journal {head.journal:.8}…, segment {head.segment}, record {number}: {text}", number)
        self.problem: StretchProblem = problem


class Stretch(NamedTuple):
    """Consecutive records in a segment, with their snapshots and the signature of the last record."""

    opening: bytes
    """JSON of the segment header, as stored, if the records are the first ones of their segment, or empty bytes."""
    previous: ChainHead
    """Head of the journal before these records, in the same segment."""
    bodies: tuple[bytes, ...]
    """JSON of the records, as stored. The tuple is empty if a segment has just begun."""
    states: Mapping[int, bytes]
    """Snapshots by record number, in compressed form, with the one at the beginning of the segment."""
    head: ChainHead
    """Head of the journal after these records."""
    signature: bytes | None
    """Signature of `head`, empty bytes if it is unsigned, or None if `head` is not the last record of its segment."""

    @property
    def begins_segment(self) -> bool:
        """True if the records are the first ones of their segment."""
        return bool(self.opening)

    @property
    def header(self) -> SegmentHeader | None:
        """Header of the segment, or None if the records are not the first ones. Raises StretchError if it is bad."""
        if not self.begins_segment:
            return None
        try:
            header = decode_header(self.opening)
            header_hash = chain_hash(bytes.fromhex(header.previous_hash) or GENESIS_HASH, self.opening)
        except (msgspec.MsgspecError, ValueError) as error:
            raise self._error("bad-opening", 0, f"the segment header is damaged: {error}") from None
        name = header.journal_name or header_hash.hex()
        if ChainHead(name, header.segment, header.previous_number, header_hash) != self.previous:
            raise self._error("bad-opening", 0, "the segment header belongs to another place")
        return header

    def verify(self) -> None:
        """Raise StretchError unless hashes, numbers and snapshots of the records fit together.

        This does not check the signature, and anybody can compute new hashes.
        """
        header = self.header
        if header is not None and header.format_version != FORMAT_VERSION:
            problem = f"the segment has format {header.format_version}, expected {FORMAT_VERSION}"
            raise self._error("bad-opening", 0, problem)
        digests = {self.previous.number: header.state_digest} if header is not None and header.state_digest else {}
        last_hash = self.previous.hash
        for number, body in enumerate(self.bodies, self.previous.number + 1):
            record = try_decode_record(body)
            if record is None:
                raise self._error("changed", number, "not a record, expected the one that was written")
            if record.number != number:
                raise self._error("bad-number", number, f"is record {record.number}, expected record {number}")
            if record.state_digest:
                digests[number] = record.state_digest
            last_hash = chain_hash(last_hash, body)
        if self.head != self.previous._replace(number=self.previous.number + len(self.bodies), hash=last_hash):
            first = self.previous.number + 1
            problem = f"not the last of the records from {first}, expected the records that were written"
            raise self._error("changed", self.head.number, problem)
        for number in sorted(digests.keys() | self.states.keys()):
            if not _is_snapshot(self.states.get(number), digests.get(number)):
                raise self._error("bad-snapshot", number, "its snapshot is damaged, missing, or was added")

    def records(self) -> Iterator[Record]:
        """Yield the records. The stretch must be verified."""
        return map(decode_record, self.bodies)

    def read_state(self, number: int) -> bytes:
        """Return the snapshot after a record, which must have one. The stretch must be verified."""
        return decompress_state(self.states[number])

    def part(self, start: int, end: int, *, has_opening: bool) -> Stretch:
        """Return the records from index `start` to before index `end`, with their snapshots.

        If `has_opening` is True, `start` is 0, and the part has the opening and the first snapshot of the segment. Only
        a part up to the last record has the signature.
        """
        heads = [self.previous]
        for number, body in enumerate(self.bodies[:end], self.previous.number + 1):
            heads.append(self.previous._replace(number=number, hash=chain_hash(heads[-1].hash, body)))
        first, last = heads[start].number + (not has_opening), heads[end].number
        return Stretch(
            self.opening if has_opening else b"",
            heads[start],
            self.bodies[start:end],
            {number: state for number, state in self.states.items() if first <= number <= last},
            heads[end],
            self.signature if end == len(self.bodies) else None,
        )

    def _error(self, problem: StretchProblem, number: int, text: str) -> StretchError:
        return StretchError(problem, self.head, number, text)


def _is_snapshot(stored: bytes | None, digest: str | None) -> bool:
    """Return True if these bytes are the compressed snapshot with this digest."""
    if stored is None:
        return False
    try:
        return digest_of_bytes(decompress_state(stored)) == digest
    except ValueError:
        return False
