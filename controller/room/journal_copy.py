"""A journal written from the spans of a room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from controller.integrity import ChainHead
from controller.journal import SegmentRows, Stretch, rebuild_journal
from controller.room.span_chain import SpanChain
from controller.room.spans import SpanError


def copy_journal(data: Iterable[bytes], keys: tuple[str, ...], path: Path) -> list[ChainHead]:
    """Write the journal of a table from its encoded spans to `path`, and return the head of each segment.

    `keys` are the public keys of the table. Raises SpanError if a span was changed in the store, is missing, or is in
    another place. Raises JournalError if nothing can be written.
    """
    return rebuild_journal(path, _segments(data, keys))


def _segments(data: Iterable[bytes], keys: tuple[str, ...]) -> Iterator[SegmentRows]:
    """Yield the segments in the stored spans, whose records a signature has proven."""
    chain = SpanChain(None, keys)
    segment: list[Stretch] = []
    for encoded in data:
        for span, _ in chain.add(encoded).proven:
            if span.begins_segment and segment:
                yield _join(segment)
                segment.clear()
            segment.append(span)
    if chain.held:
        raise SpanError("unsigned", "the last spans of the table have no signature", chain.held[0].span.head)
    if segment:
        yield _join(segment)


def _join(spans: Sequence[Stretch]) -> SegmentRows:
    """Return the rows of a segment from all of its spans."""
    return SegmentRows(
        spans[0].opening,
        [body for span in spans for body in span.bodies],
        {number: state for span in spans for number, state in span.states.items()},
        spans[-1].signature or b"",
    )
