"""A journal as text, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from controller.journal.archive import each_segment, number_of
from controller.journal.opening import Opening
from controller.journal.records import JournalError, JournalIncomplete, Record, decode_record, encode_json
from controller.journal.segment import Segment
from controller.journal.traces import copy_of, stretches, traces_of


class Begun(NamedTuple):
    """A segment begins."""

    opening: Opening
    name: str
    """The journal's."""


class Missing(NamedTuple):
    """A gap."""

    what: str


Piece = Begun | bytes | Missing
"""What a journal consists of; a record as the bytes that are written for it."""


class Given(NamedTuple):
    """A segment: what it consists of, and what is wrong with it, "" for nothing."""

    pieces: Iterable[Piece]
    wrong: str = ""


def export(path: Path) -> Iterator[str]:
    """A journal as JSON lines: of each segment the opening, then each record. Of damaged segments all is given that can
    be proven. Raises JournalIncomplete at the end where something is missing, JournalError where nothing is a
    journal's."""
    for piece in _pieces(path):
        if isinstance(piece, Begun):
            yield encode_json(piece.opening).decode()
        elif isinstance(piece, bytes):
            yield piece.decode()


def _pieces(path: Path) -> Iterator[Piece]:
    """All of a journal that can be proven, with the gaps in their places. Raises as `export` does."""
    gaps: list[Missing] = []
    wrong: list[str] = []
    empty, due = True, 0
    for place, segment in each_segment(path):
        number = _number(place, segment)
        if due and number > due:
            gone = _span("segment", due, number - 1)
            gaps.append(Missing(gone))
            wrong.append(f"journal {path}: {gone}: missing, expected all but the oldest")
        due = number + 1 if number else 0
        given = _given(place, segment)
        for piece in given.pieces:
            if isinstance(piece, Missing):
                gaps.append(piece)
                continue
            # Before it is sure that this is a journal at all nothing is given.
            yield from gaps
            gaps.clear()
            empty = False
            yield piece
        wrong += [given.wrong] if given.wrong else []
    if empty and wrong:
        raise JournalError("; ".join(wrong))
    yield from gaps
    if wrong:
        raise JournalIncomplete("; ".join(wrong))


def _number(place: Path, segment: Segment | JournalError) -> int:
    """Which segment of its table it is; 0 where that is lost."""
    try:
        return 0 if isinstance(segment, JournalError) else segment.opening().segment
    except JournalError:
        return number_of(place)


def _given(place: Path, segment: Segment | JournalError) -> Given:
    try:
        if isinstance(segment, JournalError):
            raise segment
        segment.verify()
    except JournalError as error:
        return _proven(place, error)
    return Given(_whole(segment))


def _whole(segment: Segment) -> Iterator[Piece]:
    yield Begun(segment.opening(), segment.name)
    for body, _ in segment.bodies():
        yield body


def _proven(place: Path, error: JournalError) -> Given:
    """What is left of a damaged segment, and what is missing."""
    nothing = Given([Missing(f"all of {place.name}")], str(error))
    try:
        with copy_of(place) as copy:
            traces = traces_of(copy)
    except OSError:
        return nothing
    known, opening = stretches(traces), traces.opening
    if not known and opening is None:
        return nothing
    pieces: list[Piece] = [
        Missing("the opening") if opening is None else Begun(opening, opening.name or traces.begun.hex())
    ]
    reached = opening.after if opening is not None else known[0].first - 1
    for stretch in known:
        pieces += [Missing(_span("record", reached + 1, stretch.first - 1))] if stretch.first > reached + 1 else []
        pieces += [row.body for row in stretch.rows]
        reached = stretch.last
    pieces += [Missing(_span("record", reached + 1, traces.head))] if traces.head > reached else []
    lost = ", ".join([piece.what for piece in pieces if isinstance(piece, Missing)])
    return Given(pieces, f"{error}; missing: {lost or 'no record that it is known to have had'}")


def _span(what: str, first: int, last: int) -> str:
    return f"{what} {first}" if first == last else f"{what}s {first} to {last}"


def show(path: Path) -> Iterator[str]:
    """A journal as text for people, times since the first record behind an opening; what is missing is named in its
    place. Raises as `export` does."""
    first: int | None = None
    for piece in _pieces(path):
        if isinstance(piece, Missing):
            yield f"{'':7} {'':>12}  missing: {piece.what}"
        elif isinstance(piece, Begun):
            first = None
            yield _opened(piece)
        else:
            record = decode_record(piece)
            # A restart of the machine sets its clock back: the time then counts from there.
            first = record.at_us if first is None else min(first, record.at_us)
            yield from _shown(record, record.at_us - first)


def _opened(begun: Begun) -> str:
    opening = begun.opening
    told = f"opened {opening.at}, configuration version {opening.version}, {len(opening.config)} characters"
    if opening.program:
        told += f", program {opening.program}"
    if opening.segment > 1:
        told += f", segment {opening.segment} behind record {opening.after}"
    return f"{told}, journal {begun.name}" + (f", {opening.why} of {opening.parent}" if opening.parent else "")


def _shown(record: Record, since_us: int) -> Iterator[str]:
    seconds, us = divmod(since_us, 1_000_000)
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us // 1000:03}"
    badge = f"  [{record.badge}]" if record.badge else ""
    yield f"{record.number:7} {clock:>12}  {record.source:6}  {record.do}{badge}"
    if record.state:
        yield f"{'':7} {'':>12}  {record.at}  state {record.state}"
