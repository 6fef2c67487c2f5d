"""The chain of the spans of a table: which span may follow, and which records a signature has proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from controller.integrity import ChainHead
from controller.journal import SegmentHeader, Stretch
from controller.room.spans import SpanError, decode_span, span_error, verify_span

MAX_HELD_BYTES: Final = 8_000_000
"""Maximum bytes of spans that wait for a signature.

A segment has at most 2,000 records of 3.5 kB, and its snapshots. Usually it takes less than 500 kB.
"""


class StoredSpan(NamedTuple):
    """A proven span, and its encoded form, which the store keeps."""

    span: Stretch
    data: bytes


class AcceptedSpan(NamedTuple):
    """The result of a span: the spans that are proven now, and problems that a person must see."""

    proven: Sequence[StoredSpan]
    """The span and earlier ones, or an empty list while no signature covers them."""
    problems: Sequence[SpanError] = ()


class SpanChain:
    """Checks the spans of a table in their order.

    A long stretch is sent as several spans, of which only the last has a signature. The chain holds the others until
    this signature proves them, so that nobody without the key of the table can add a record to the store.
    """

    def __init__(self, position: ChainHead | None, keys: tuple[str, ...]) -> None:
        """Begin after `position`, which is the head after the last proven span, or None for a new table."""
        self._keys = keys
        self._end = position
        self._held: list[StoredSpan] = []

    @property
    def held(self) -> Sequence[StoredSpan]:
        """Spans that no signature has proven yet."""
        return self._held

    def add(self, data: bytes) -> AcceptedSpan:
        """Check the next span and return what it proves. Raises SpanError if the span cannot be accepted."""
        span = decode_span(data)
        verify_span(span, self._keys)
        problems = list(self._join_problems(span))
        if self._held and not self._is_covered_by(span):
            problems.append(self._unsigned_error())
            self._held.clear()
        self._held.append(StoredSpan(span, data))
        self._end = span.head
        if span.signature:
            proven, self._held = self._held, []
            return AcceptedSpan(proven, problems)
        if sum(len(held.data) for held in self._held) > MAX_HELD_BYTES:
            raise self._unsigned_error()
        if span.signature is not None:
            problems.append(self._unsigned_error())
        return AcceptedSpan((), problems)

    def _is_covered_by(self, span: Stretch) -> bool:
        """Return True if the signature of this span will also prove the spans before it."""
        header = span.header
        return header is None or (self._end is not None and header.previous_hash == self._end.hash.hex())

    def _unsigned_error(self) -> SpanError:
        first = self._held[0].span
        number = first.previous.number + 1
        return span_error("unsigned", first, "the records from here on have no signature of the table", number)

    def _join_problems(self, span: Stretch) -> Sequence[SpanError]:
        """Return the problems of a span that can be accepted. Raises SpanError if it does not follow the last one."""
        end, header, number = self._end, span.header, span.previous.number + 1
        if header is None:
            if end is None or _place(end) != _place(span.head) or end.number < span.previous.number:
                raise span_error("gap", span, "the room does not have the records before", number)
            if end != span.previous:
                raise span_error("fork", span, f"the room has other records up to {end.number}", number)
            return ()
        if end is None:
            return ()
        if span.head.journal == end.journal:
            return self._next_segment_problems(span, header, end)
        if header.parent_journal != end.journal:
            problem = f"a new journal that does not continue {end.journal:.8}…"
            return (span_error("unknown-journal", span, problem, number),)
        if header.origin == "configuration" and header.previous_hash != end.hash.hex():
            problem = f"the records after {end.number} of the journal before are missing"
            return (span_error("missing-records", span, problem, number),)
        # After a salvage, a restore or a failure of the disk, a new journal may repeat or miss records. The table
        # records that itself.
        return ()

    @staticmethod
    def _next_segment_problems(span: Stretch, header: SegmentHeader, end: ChainHead) -> Sequence[SpanError]:
        number = header.previous_number + 1
        if header.segment <= end.segment or header.previous_number < end.number:
            raise span_error("fork", span, f"the room has segment {end.segment} and record {end.number}", number)
        if header.segment == end.segment + 1 and header.previous_number == end.number:
            if header.previous_hash != end.hash.hex():
                raise span_error("fork", span, f"the room has another record {end.number}", number)
            return ()
        problem = f"records {end.number + 1} to {header.previous_number} are missing"
        return (span_error("missing-records", span, problem, number),)


def _place(head: ChainHead) -> tuple[str, int]:
    return head.journal, head.segment
