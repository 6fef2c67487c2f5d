"""Recorded findings: losses, alterations and unproven decisions that the records of a journal name themselves.

When the service finds that records are lost, missing or altered, it writes a record about this. Such a record stays in
the journal after the floor has acknowledged the alert, and every later signature covers it. Decisions of the floor
without a badge are findings too, after the house has introduced badges. `verify` lists all these records until an
auditor accepts them. The acceptance is a record too.

Example: record 17 of segment 3 is `records-altered remade`. `verify --accept 3:17` adds `records-accepted 3:17`. In the
same way, `head-3:17-20-5b0c9f31a2b3c4d5` accepts that the journal does not fit certain heads of the records 17 to 20,
which have left the table. The last part is a hash of these heads and of the name of their journal. `2-5:0` accepts that
the segments 2 to 5 are missing, and `export-4:0-5b0c9f31a2b3c4d5` that nothing proves an export.

An acceptance of a record comes after this record. A forger could otherwise put acceptances into the journal for the
findings that the service will record about the forgery.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal import archive
from controller.journal.evidence.explanations import alteration_label
from controller.journal.records import Entry, JournalError, Record, try_decode_record
from controller.journal.segment import Segment
from controller.journal.sqlite_file import connect
from controller.steps import StepSyntaxError, observations, table_steps
from hardware.text_input_validation import escape_invisible

FINDING_MARKS: Final = (b'"do":"records-', b'"do":"badges ', b'"do":"dealer ', b'"source":"floor"')
"""Bytes of which each record that can be a recorded finding contains one."""
_QUERY: Final = (
    "SELECT body FROM record WHERE number > 0 AND (body LIKE ? OR body LIKE ? OR body LIKE ? OR body LIKE ?) "
    "ORDER BY number"
)
_MATCH_NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII).fullmatch


class RecordedFinding(NamedTuple):
    """A record about lost, missing or altered records, about an acknowledged alert, or about an unproven decision."""

    segment: int
    number: int
    """Number of the record, or 0 if segments up to `segment` are missing."""
    problem: str
    """What the record says, in a few words."""
    accepted_by: str = ""
    """Segment and number of the record with which an auditor accepted this finding, or ""."""
    special_name: str = ""
    """Name for `--accept` of a finding that no record names, or "". An acceptance must fit no other finding."""
    is_about_heads: bool = False
    """True if the journal does not fit heads that have left the table."""

    @property
    def name(self) -> str:
        """Name of the finding for `--accept`, such as `3:17`."""
        return self.special_name or f"{self.segment}:{self.number}"

    def is_before(self, segment: int, number: int) -> bool:
        """Return True if this record of the segment may accept the finding."""
        return self.is_about_heads or (self.segment, self.number) < (segment, number)


def find_recorded_findings(
    path: Path,
    exported: Iterable[tuple[int, Record]] = (),
    missing_segments: Sequence[int] = (),
    dealers_with_badge: Set[str] = frozenset(),
    other_findings: Iterable[RecordedFinding] = (),
) -> tuple[RecordedFinding, ...]:
    """Return all recorded findings of the journal at `path` and its archive, oldest first.

    `other_findings` are about heads and exports, so that an auditor can accept them too.

    `exported` has records of exported segments, each with the number of its segment. Segments that are neither in the
    archive nor exported are findings too, although no record names them. Records that cannot be read are left out,
    because the audit reports these. `dealers_with_badge` are the names, in lower case, of dealers who can prove
    themselves.
    """
    findings = [
        RecordedFinding(last, 0, _missing_text(first, last), special_name=f"{first}-{last}:0" if first < last else "")
        for first, last in _ranges(missing_segments)
    ]
    findings += other_findings
    acceptances: dict[str, list[tuple[int, int]]] = {}
    stored = list(_iter_stored(path))
    stored_numbers = {number for number, _ in stored}
    records = [*(item for item in exported if item[0] not in stored_numbers), *stored]
    needs_badges = False
    for number, record in sorted(records, key=lambda item: (item[0], item[1].number)):
        step = _step_of(record)
        if isinstance(step, observations.JournalFindingAccepted):
            acceptances.setdefault(step.finding, []).append((number, record.number))
        elif problem := _problem_of(step, record, dealers_with_badge if needs_badges else None):
            findings.append(RecordedFinding(number, record.number, escape_invisible(problem)))
        if isinstance(step, observations.BadgeListLoaded):
            needs_badges = step.count > 0
    findings.sort()
    return tuple(finding._replace(accepted_by=_accepted_by(finding, acceptances)) for finding in findings)


def _accepted_by(finding: RecordedFinding, acceptances: Mapping[str, Sequence[tuple[int, int]]]) -> str:
    """Return the segment and number of the first record that accepts the finding, or ""."""
    places = (place for place in acceptances.get(finding.name, ()) if finding.is_before(*place))
    return next((f"{segment}:{number}" for segment, number in places), "")


def _ranges(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each range of consecutive numbers."""
    firsts = [number for number in numbers if number - 1 not in numbers]
    lasts = [number for number in numbers if number + 1 not in numbers]
    return zip(firsts, lasts, strict=True)


def _missing_text(first: int, last: int) -> str:
    name = f"segment {first}, which is" if first == last else f"segments {first} to {last}, which are"
    return f"not checked: {name} not in the archive, and not exported"


def _iter_stored(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield the records about the journal from all segments, each with the number of its segment."""
    for segment_path, segment in archive.iter_segments_and_errors(path):
        try:
            if isinstance(segment, JournalError):
                continue
            number = segment.read_header().segment
            with closing(connect(segment_path, "ro" if segment_path == path else "ro&immutable=1")) as db:
                bodies = [body for (body,) in db.execute(_QUERY, [f"%{mark.decode()}%" for mark in FINDING_MARKS])]
        except (JournalError, sqlite3.Error):
            continue
        yield from ((number, record) for body in bodies if (record := try_decode_record(body)) is not None)


def _step_of(record: Record) -> object:
    try:
        return record.entry().step
    except StepSyntaxError:
        return None


def _problem_of(step: object, record: Record, dealers_with_badge: Set[str] | None) -> str:
    """Return why a record is a finding, or "" if it is none.

    `dealers_with_badge` is None if the house does not use badges.
    """
    match step:
        case observations.JournalDamaged():
            return "records were lost or damaged"
        case observations.StepsNotRecorded(count):
            return f"{count} steps before it are in no record"
        case observations.JournalAltered(alteration):
            return f"the journal was altered: {alteration_label(alteration)}"
        case observations.JournalChecked():
            return f"an alert about the journal was acknowledged, {record.badge or 'without a badge'}"
        case observations.BadgeListLoaded(0) if dealers_with_badge is not None:
            return "the table worked without badges from here, so that anybody could decide as the floor"
        case _ if dealers_with_badge is None or record.badge:
            return ""
        case table_steps.ChangesDealer(name) if name.lower() in dealers_with_badge:
            return f"{name} became the dealer without a badge"
        case _ if record.source == "floor":
            return "a decision of the floor without a badge"
        case _:
            return ""


def find_by_name(findings: Iterable[RecordedFinding], name: str) -> RecordedFinding:
    """Return the finding with this name, such as `3:17`, or `17` if only one finding has this record number.

    Raises JournalError.
    """
    number = int(name) if _MATCH_NUMBER(name) else None
    candidates = [
        finding
        for finding in findings
        if finding.name == name or (finding.number == number and not finding.special_name)
    ]
    if len(candidates) != 1:
        names = ", ".join(finding.name for finding in candidates) or "the name of a finding that verify lists"
        raise JournalError(f"--accept {name}: {len(candidates)} findings, expected {names}")
    return candidates[0]


def accept_finding(segment: Segment, finding: RecordedFinding) -> Entry:
    """Return the entry with which an auditor accepts a finding. It has the time of the last record of the segment.

    The segment may be from before a reboot, so that the current time does not fit to its records.
    """
    last_us = 0
    for record in segment.records(max(segment.last_number - 1, segment.read_header().previous_number)):
        last_us = record.at_us
    return Entry(last_us, observations.JournalFindingAccepted(finding.name), "sensor")
