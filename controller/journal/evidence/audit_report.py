"""The report of a period for an auditor: who dealt, what the floor decided, what was corrected, and what is missing.

The report is text. Each line of a list has the wall-clock time (UTC), the segment and record, the step as the journal
has it, and the badge. Records of earlier programs have no wall-clock time of their own. Their time is computed from the
time at which their segment began, and marked with `~`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.journal.archive import closed_segments, export_number, exported_segments, segment_number
from controller.journal.audit import AuditReport
from controller.journal.evidence.exports import iter_export_lines
from controller.journal.records import JournalError, JournalIncomplete, Record, try_decode_record
from controller.journal.segment_header import LayoutInForce, SegmentHeader
from controller.journal.text_export import Gap, SegmentStart, iter_items
from controller.steps import Step, StepSyntaxError, hand_steps, observations, parse_step, table_steps
from hardware.text_input_validation import escape_invisible, to_one_line

_CORRECTIONS: Final = (
    hand_steps.Undoes,
    hand_steps.Redoes,
    hand_steps.CorrectsWager,
    hand_steps.SpokeBeforeChips,
    hand_steps.VoidsHand,
    hand_steps.SkipsHand,
    table_steps.CountsStack,
)
"""Steps that replace what was recorded before."""
_EXCEPTIONS: Final = (
    observations.JournalDamaged,
    observations.StepsNotRecorded,
    observations.JournalAltered,
    observations.JournalChecked,
    observations.JournalFindingAccepted,
    observations.ClockJumped,
    observations.ServiceRestarted,
    observations.RecordProgramError,
    observations.CommandDenied,
    observations.BadgeListLoaded,
    observations.BadgeRefused,
    observations.SetUpUsed,
)
"""Observations that an auditor must know, because records or rights were not as usual."""


class Period(NamedTuple):
    """A period in wall-clock time, in ms since 1970 (UTC). The end is not included."""

    first_ms: int
    end_ms: int


class _Sections:
    """The lists of a report, filled record by record."""

    def __init__(self) -> None:
        self.records = 0
        self.hands = 0
        self.programs: list[str] = []
        self.layouts: list[str] = []
        self.dealers: list[str] = []
        self.decisions: list[str] = []
        self.corrections: list[str] = []
        self.exceptions: list[str] = []

    def add(self, segment: int, record: Record, shown_time: str) -> None:
        """Add a record to all lists in which it belongs."""
        self.records += 1
        step = _step_of(record)
        line = f"{shown_time}  {segment}:{record.number}  {record.source}: {record.do}"
        proof = f"  [{record.badge}]" if record.badge else "  [without a badge]" if record.source == "floor" else ""
        if isinstance(step, hand_steps.StartsHand | hand_steps.StartsBombPot):
            self.hands += 1
        if isinstance(step, table_steps.ChangesDealer):
            self.dealers.append(line + (proof or "  [without a badge]"))
        if record.source == "floor":
            self.decisions.append(line + proof)
        if isinstance(step, _CORRECTIONS):
            self.corrections.append(line + proof)
        if isinstance(step, _EXCEPTIONS):
            self.exceptions.append(line + proof)


def build_audit_report(path: Path, period: Period, audit: AuditReport, proofs: list[str]) -> Iterator[str]:
    """Yield the lines of the report about a journal, its archive and its exports.

    `audit` is the result of the verification of the whole journal, and `proofs` are lines about it. Raises JournalError
    if the file is not a journal.
    """
    sections = _collect(path, period)
    yield f"Audit of the journal {path.name}"
    yield f"period: {_format_ms(period.first_ms)} to {_format_ms(period.end_ms)} (UTC, end not included)"
    yield f"records: {sections.records} of {audit.records + audit.exported_records}, hands: {sections.hands}"
    yield from _section("verification of the whole journal", [*(finding.line for finding in audit.findings), *proofs])
    yield from _section(
        "recorded findings of the whole journal",
        [
            f"{finding.name}: {finding.problem}"
            + (f" (accepted in {finding.accepted_by})" if finding.accepted_by else " (open)")
            for finding in audit.recorded
        ],
    )
    yield from _section("segments and programs", sections.programs)
    yield from _section("layouts and lists of chips", sections.layouts)
    yield from _section("dealers", sections.dealers)
    yield from _section("decisions of the floor", sections.decisions)
    yield from _section("corrections", sections.corrections)
    yield from _section("gaps and exceptions", sections.exceptions)


def _section(title: str, lines: list[str]) -> Iterator[str]:
    yield ""
    yield f"{title}: {len(lines)}"
    yield from (f"  {escape_invisible(line)}" for line in lines)


def _collect(path: Path, period: Period) -> _Sections:
    sections, layouts, clock, header = _Sections(), _Layouts(period), _Clock(), None
    try:
        for item in _iter_all(path):
            if isinstance(item, SegmentHeader):
                header, clock = item, _Clock(_parse_ms(item.created_at))
                layouts.add(item)
                continue
            if isinstance(item, str):
                sections.exceptions.append(f"missing: {item}")
                continue
            at_ms, is_estimated = clock.time_of(item)
            if header is not None and period.first_ms <= at_ms < period.end_ms:
                layouts.mark_last()
                program = _program_line(header)
                if program not in sections.programs:
                    sections.programs.append(program)
                sections.add(header.segment, item, _format_ms(at_ms) + ("~" if is_estimated else ""))
    except JournalIncomplete as error:
        sections.exceptions.append(str(error))
    sections.layouts = layouts.lines()
    return sections


class _Layouts:
    """The layouts and lists of chips of all segments, in order."""

    def __init__(self, period: Period) -> None:
        self._period = period
        self._segments: list[tuple[str, str]] = []
        self._in_period: list[int] = []
        self._last_before = -1
        """Index of the last segment that was begun before the period, or -1."""
        self._is_first_older = False
        """True if the first segment of the period was begun before the period."""

    def add(self, header: SegmentHeader) -> None:
        """Add a segment, of which the records follow."""
        self._segments.append((f"segment {header.segment}, begun {header.created_at}", _layout_text(header.layout)))
        begun_ms = _parse_ms(header.created_at)
        if begun_ms < self._period.first_ms:
            self._last_before = len(self._segments) - 1
        elif begun_ms < self._period.end_ms:
            self._in_period.append(len(self._segments) - 1)

    def mark_last(self) -> None:
        """Note that the last segment has a record of the period, whenever it was begun."""
        if len(self._segments) - 1 not in self._in_period[-1:]:
            self._is_first_older |= not self._in_period
            self._in_period.append(len(self._segments) - 1)

    def lines(self) -> list[str]:
        """Return the layout in force at the start of the period, and each change within the period."""
        if not self._in_period:
            return [to_one_line(": ".join(self._segments[self._last_before]))] if self._last_before >= 0 else []
        first, last = self._in_period[0], self._in_period[-1]
        if first and not self._is_first_older:
            first -= 1
        lines, previous = [], ""
        for segment, layout in self._segments[first : last + 1]:
            if layout != previous:
                lines.append(to_one_line(f"{segment}: {layout}"))
            previous = layout
        return lines


class _Clock:
    """Computes the wall-clock time of the records of one segment."""

    def __init__(self, begun_ms: int = 0) -> None:
        self._begun_ms = begun_ms
        self._first_us: int | None = None

    def time_of(self, record: Record) -> tuple[int, bool]:
        """Return the time of a record in ms since 1970, and whether it is computed from the start of the segment."""
        self._first_us = record.at_us if self._first_us is None else self._first_us
        if record.wall_ms:
            return record.wall_ms, False
        return self._begun_ms + (record.at_us - self._first_us) // 1000, True


def _iter_all(path: Path) -> Iterator[SegmentHeader | Record | str]:
    """Yield all headers and records of exported and stored segments, and a text for each gap."""
    stored = {segment_number(segment_path) for segment_path in closed_segments(path)}
    for export_path in exported_segments(path):
        if export_number(export_path) in stored:
            continue
        try:
            header, *bodies = iter_export_lines(export_path)
            yield msgspec.json.decode(header, type=SegmentHeader)
        except (JournalError, ValueError):
            yield f"the export {export_path.name} cannot be read"
            continue
        yield from (record for body in bodies if (record := try_decode_record(body)) is not None)
    for item in iter_items(path):
        if isinstance(item, SegmentStart):
            yield item.header
        elif isinstance(item, Gap):
            yield item.description
        elif (record := try_decode_record(item)) is not None:
            yield record


def _program_line(header: SegmentHeader) -> str:
    reason = f", begun after: {header.origin}" if header.origin and header.previous_number == 0 else ""
    return (
        f"segment {header.segment}, begun {header.created_at}{reason}, program {header.program_version or 'unknown'}, "
        f"build {header.build_id or 'unknown'}"
    )


def _layout_text(layout: LayoutInForce | None) -> str:
    if layout is None:
        return "layout and list of chips not recorded"
    if not layout.file:
        return "no layout, because the table has no sensors"
    options = f", with {layout.options}" if layout.options else ""
    chips = (
        f"list of chips {layout.list_number} of {layout.house}, file of {layout.list_date}, hash {layout.list_hash}, "
        f"signed with {layout.list_key}"
        if layout.house
        else "no list of chips"
    )
    return f"layout {layout.file}, hash {layout.hash}{options}; {chips}"


def _step_of(record: Record) -> Step | None:
    try:
        return parse_step(record.do)
    except StepSyntaxError:
        return None


def _format_ms(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _parse_ms(text: str) -> int:
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        return 0
