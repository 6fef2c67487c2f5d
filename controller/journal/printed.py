"""A journal as text, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from controller.journal.archive import each_segment, lines_of, number_of, segments
from controller.journal.records import JournalError, JournalIncomplete, encode_json
from controller.journal.segment import Segment
from controller.journal.traces import copy_of, stretches, traces_of


def export(path: Path) -> Iterator[str]:
    """A journal as JSON lines: of each segment the opening, then each record. Of damaged segments all is given that can
    be proven. Raises JournalIncomplete at the end where something is missing, JournalError where nothing is a
    journal's."""
    missing: list[str] = []
    empty, due = True, 0
    for place, segment in each_segment(path):
        lines, wrong = _given(place, segment)
        for line in lines:
            empty = False
            yield line.decode()
        number = _number(place, segment)
        if due and number > due:
            missing.append(f"journal {path}: {_span('segment', due, number - 1)}: missing, expected all but the oldest")
        due = number + 1 if number else 0
        missing += [wrong] if wrong else []
    if missing:
        raise (JournalError if empty else JournalIncomplete)("; ".join(missing))


def _number(place: Path, segment: Segment | JournalError) -> int:
    """Which segment of its table it is; 0 where that is lost."""
    try:
        return 0 if isinstance(segment, JournalError) else segment.opening().segment
    except JournalError:
        return number_of(place)


def _given(place: Path, segment: Segment | JournalError) -> tuple[Iterable[bytes], str]:
    """The lines of a segment, and what is wrong with it; "" for nothing."""
    try:
        if isinstance(segment, JournalError):
            raise segment
        segment.verify()
    except JournalError as error:
        return _proven(place, error)
    return lines_of(segment), ""


def _proven(place: Path, error: JournalError) -> tuple[Iterable[bytes], str]:
    """What is left of a damaged segment, and what is missing."""
    try:
        with copy_of(place) as copy:
            traces = traces_of(copy)
    except OSError:
        return (), str(error)
    known, opening = stretches(traces), traces.opening
    lost = [] if opening is not None else ["the opening"]
    reached = opening.after if opening is not None else known[0].first - 1 if known else 0
    for first, last in (*((each.first, each.last) for each in known), (traces.head + 1, 0)):
        if first > reached + 1:
            lost.append(_span("record", reached + 1, first - 1))
        reached = last
    lines = [encode_json(opening)] if opening is not None else []
    lines += [row.body for each in known for row in each.rows]
    if not lines:
        return (), str(error)
    return lines, f"{error}; missing: {', '.join(lost) or 'no record that it is known to have had'}"


def _span(what: str, first: int, last: int) -> str:
    return f"{what} {first}" if first == last else f"{what}s {first} to {last}"


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
