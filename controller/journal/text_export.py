"""Export of a journal as text: JSON lines for programs, and readable lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from controller.journal.archive import iter_segments_and_errors, segment_number
from controller.journal.carving import carve_rows, proven_runs, working_copy
from controller.journal.records import JournalError, JournalIncomplete, Record, decode_record, encode_json
from controller.journal.segment import Segment
from controller.journal.segment_header import SegmentHeader
from hardware.text_input_validation import escape_invisible


class SegmentStart(NamedTuple):
    """The first item of a segment in an export: its header and the journal's name."""

    header: SegmentHeader
    journal_name: str
    """Name of the journal. It is stored here because the header of a journal's first segment contains no name."""


class Gap(NamedTuple):
    """A gap in an export, that is a place where records or segments are missing, with its description."""

    description: str


ExportItem = SegmentStart | bytes | Gap
"""An item of an exported journal: the start of a segment, the JSON body of a record as bytes, or a gap."""


class ExportedSegment(NamedTuple):
    """The items of a segment, and a line about the segment's damage, or "" if the segment is undamaged."""

    items: Iterable[ExportItem]
    error: str = ""


def export_jsonl(path: Path) -> Iterator[str]:
    """Yield a journal as JSON lines: each segment's header, followed by its records.

    If a segment is damaged, only the records with a valid hash are exported. Raises JournalIncomplete at the end if
    records are missing. Raises JournalError if the file is not a journal.
    """
    for item in iter_items(path):
        if isinstance(item, SegmentStart):
            yield encode_json(item.header).decode()
        elif isinstance(item, bytes):
            yield item.decode()


def iter_items(path: Path) -> Iterator[ExportItem]:
    """Yield all headers and records with a valid hash, and each gap in its place.

    Raises the same errors as `export_jsonl`.
    """
    gaps: list[Gap] = []
    errors: list[str] = []
    is_empty, next_number = True, 0
    for segment_path, segment in iter_segments_and_errors(path):
        number = _segment_number_of(segment_path, segment)
        if next_number and number > next_number:
            missing = _format_range("segment", next_number, number - 1)
            gaps.append(Gap(missing))
            errors.append(f"journal {path}: {missing}: missing, expected all but the oldest")
        next_number = number + 1 if number else 0
        exported = _export_segment(segment_path, segment)
        for item in exported.items:
            if isinstance(item, Gap):
                gaps.append(item)
                continue
            # Yield no gap until the first header or record shows that the file is a journal.
            yield from gaps
            gaps.clear()
            is_empty = False
            yield item
        errors += [exported.error] if exported.error else []
    if is_empty and errors:
        raise JournalError("; ".join(errors))
    yield from gaps
    if errors:
        raise JournalIncomplete("; ".join(errors))


def _segment_number_of(segment_path: Path, segment: Segment | JournalError) -> int:
    """Return the number of a segment, or 0 if the number is unknown."""
    try:
        return 0 if isinstance(segment, JournalError) else segment.read_header().segment
    except JournalError:
        return segment_number(segment_path)


def _export_segment(segment_path: Path, segment: Segment | JournalError) -> ExportedSegment:
    try:
        if isinstance(segment, JournalError):
            raise segment
        segment.verify()
    except JournalError as error:
        return _export_damaged(segment_path, error)
    return ExportedSegment(_iter_undamaged(segment))


def _iter_undamaged(segment: Segment) -> Iterator[ExportItem]:
    yield SegmentStart(segment.read_header(), segment.journal_name)
    for body, _ in segment.bodies():
        yield body


def _export_damaged(segment_path: Path, error: JournalError) -> ExportedSegment:
    """Return the proven records of a damaged segment, and a gap for each place where records are missing."""
    nothing = ExportedSegment([Gap(f"all of {segment_path.name}")], str(error))
    try:
        with working_copy(segment_path) as copy:
            carved = carve_rows(copy)
    except OSError:
        return nothing
    runs, header = proven_runs(carved), carved.header
    if not runs and header is None:
        return nothing
    items: list[ExportItem] = [
        Gap("the segment header")
        if header is None
        else SegmentStart(header, header.journal_name or carved.header_hash.hex())
    ]
    last_number = header.previous_number if header is not None else runs[0].first_number - 1
    for run in runs:
        items += (
            [Gap(_format_range("record", last_number + 1, run.first_number - 1))]
            if run.first_number > last_number + 1
            else []
        )
        items += [row.body for row in run.rows]
        last_number = run.last_number
    items += (
        [Gap(_format_range("record", last_number + 1, carved.last_number))] if carved.last_number > last_number else []
    )
    missing = ", ".join([item.description for item in items if isinstance(item, Gap)])
    return ExportedSegment(items, f"{error}; missing: {missing or 'no listed record'}")


def _format_range(unit: str, first: int, last: int) -> str:
    return f"{unit} {first}" if first == last else f"{unit}s {first} to {last}"


def show_text(path: Path) -> Iterator[str]:
    """Yield a journal as readable lines, with a line in each place where records are missing.

    A decision of the floor names its badge, or is marked as not authorised if no badge was on the badge reader.
    The first record after each segment header has the time 0:00:00.000. Invisible characters are escaped, because a
    forged record may contain characters that control a terminal. Raises the same errors as `export_jsonl`.
    """
    yield from show_items(iter_items(path))


def show_items(items: Iterable[ExportItem]) -> Iterator[str]:
    """Yield the items of a journal as the readable lines of `show_text`."""
    yield from map(escape_invisible, _show_raw(items))


def _show_raw(items: Iterable[ExportItem]) -> Iterator[str]:
    start_us: int | None = None
    for item in items:
        if isinstance(item, Gap):
            yield f"{'':7} {'':>12}  missing: {item.description}"
        elif isinstance(item, SegmentStart):
            start_us = None
            yield _format_header(item)
        else:
            record = decode_record(item)
            # A reboot resets the monotonic clock, so that times become smaller. The shown times then start at 0 again.
            start_us = record.at_us if start_us is None else min(start_us, record.at_us)
            yield from _format_record(record, record.at_us - start_us)


def _format_header(start: SegmentStart) -> str:
    header = start.header
    text = f"opened {header.created_at}, configuration version {header.config_version}, {len(header.config)} characters"
    if header.program_version:
        text += f", program {header.program_version}"
    if header.build_id:
        text += f", build {header.build_id}"
    if header.segment > 1:
        text += f", segment {header.segment} behind record {header.previous_number}"
    return f"{text}, journal {start.journal_name}" + (
        f", {header.origin} of {header.parent_journal}" if header.parent_journal else ""
    )


def _format_record(record: Record, since_us: int) -> Iterator[str]:
    seconds, us = divmod(since_us, 1_000_000)
    clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}.{us // 1000:03}"
    badge = f"  [{record.badge}]" if record.badge else "  [not authorised]" if record.source == "floor" else ""
    yield f"{record.number:7} {clock:>12}  {record.source:6}  {record.do}{badge}"
    if record.state_digest:
        yield f"{'':7} {'':>12}  {record.created_at}  state {record.state_digest}"
