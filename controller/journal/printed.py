"""A journal as text, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.journal.archive import lines_of, segments
from controller.journal.segment import Segment


def export(path: Path) -> Iterator[str]:
    """A journal as JSON lines: of each segment the opening, then each record. Raises JournalError at the first bad
    record."""
    for segment in segments(path):
        for line in lines_of(segment):
            yield line.decode()


def show(path: Path) -> Iterator[str]:
    """A journal as text for people, times since the first record of a segment. Raises JournalError at the first bad
    record."""
    for segment in segments(path):
        yield from _shown(segment)


def _shown(segment: Segment) -> Iterator[str]:
    opening = segment.opening()
    told = f"opened {opening.at}, configuration version {opening.version}, {len(opening.config)} characters"
    if opening.program:
        told += f", program {opening.program}"
    if opening.segment > 1:
        told += f", segment {opening.segment} behind record {opening.after}"
    yield f"{told}, journal {segment.name}" + (f", {opening.why} of {opening.parent}" if opening.parent else "")
    first: int | None = None
    for each in segment.records():
        first = each.at_us if first is None else first
        # A restart of the machine sets its clock back: the time then counts from there.
        first = min(first, each.at_us)
        seconds, us = divmod(each.at_us - first, 1_000_000)
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us // 1000:03}"
        badge = f"  [{each.badge}]" if each.badge else ""
        yield f"{each.number:7} {clock:>12}  {each.source:6}  {each.do}{badge}"
        if each.state:
            yield f"{'':7} {'':>12}  {each.at}  state {each.state}"
