"""The audit of a journal: find out whether anybody altered it, and how.

The audit uses three proofs. The hashes show whether each record follows the record before it. The signature of a
segment shows whether the table itself wrote its last record. The high-water marks show whether the journal was ever
longer. The audit cannot detect changes by somebody who has the table's key or is root on its machine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from controller.integrity import ChainHead, HighWaterMark, IntegrityFileError, SentHead, is_signed_by, read_mark
from controller.journal import archive
from controller.journal.audit.bad_records import find_broken_link, find_first_bad_record, find_foreign_end
from controller.journal.audit.badge_proofs import audit_badges
from controller.journal.audit.findings import Finding, make_finding
from controller.journal.audit.stored_hashes import contradicts_mark
from controller.journal.evidence import (
    ExportReport,
    HeadProblem,
    RecordedFinding,
    audit_exports,
    compare_with_heads,
    find_recorded_findings,
)
from controller.journal.records import JournalError
from controller.journal.segment import Segment
from controller.journal.sqlite_file import missing_journal_error, sibling
from hardware.badges import Badge, dealer_names

HEADS_DIFFER: Final = "heads that have left the table do not fit"


class AuditReport(NamedTuple):
    """The alterations that an audit found, and how many records and segments it read.

    `records` and `segments` are 0 if the audit could not read every record.
    """

    findings: tuple[Finding, ...]
    records: int = 0
    segments: int = 0
    exported_records: int = 0
    exported_segments: int = 0
    """Number of segments of which only an export is left, with `exported_records` records."""
    recorded: tuple[RecordedFinding, ...] = ()
    """Records about lost or altered records, and what no record names: missing segments, exports that nothing proves,
    and heads that the journal does not fit. Empty if `all_segments` is False."""
    unrecorded_steps: int = 0
    """Number of steps since recording stopped, if a high-water mark says that it has not continued."""


def audit_journal(
    path: Path,
    keys: Sequence[str] = (),
    marks: Sequence[Path] = (),
    badges: Sequence[Badge] | None = None,
    *,
    all_segments: bool = True,
    sent_heads: Sequence[SentHead] = (),
) -> AuditReport:
    """Check the journal at `path` against the table's public keys, its high-water marks and the badges.

    `keys` are in hex. If `badges` is None, the badges of records are not checked. `sent_heads` are the heads that have
    left the table. The audit only reads, so another process may write the journal at the same time.

    If `all_segments` is False, the audit is fast enough for each start of the service. It then reads only the running
    segment, and there only the records that name a badge. It also skips all records before the floor's last
    acknowledgement.

    Raises JournalError if the file is not a journal.
    """
    findings: list[Finding] = []
    high_water_marks = [mark for mark_path in marks if (mark := _read_mark_or_report(mark_path, findings)) is not None]
    deleted = _find_deletion(path, high_water_marks)
    if deleted is not None:
        return AuditReport((*findings, deleted))
    had_wal = _has_wal(path)
    records = segments = 0
    head_problems: tuple[HeadProblem, ...] = ()
    exports = audit_exports(path, keys) if all_segments else ExportReport()
    findings += [make_finding(kind, export_path, problem) for kind, export_path, problem in exports.problems]
    try:
        if all_segments:
            records, segments = archive.verify(path)
            findings += _audit_archived_heads(path, keys, high_water_marks)
        findings += _audit_running_head(path, keys, high_water_marks, had_wal=had_wal)
        if sent_heads:
            head_problems = tuple(compare_with_heads(path, sent_heads, keys))
        if badges is not None:
            findings += audit_badges(path, badges, all_segments=all_segments)
    except sqlite3.Error as error:
        raise JournalError(f"journal {path}: {error}, expected an undamaged journal") from None
    except JournalError as error:
        if error.number is None and not _is_journal(path):
            raise
        findings += _find_damage(path, keys, high_water_marks)
    recorded: tuple[RecordedFinding, ...] = ()
    if all_segments:
        missing = exports.missing if all(finding.kind != "removed" for finding in findings) else ()
        notes = ((export.ends.header.segment, note) for export in exports.exports for note in export.notes)
        unproven = _unproven_findings(exports, head_problems)
        recorded = find_recorded_findings(path, notes, missing, dealer_names(badges or ()), unproven)
    accepted = {found.name for found in recorded if found.accepted_by}
    findings += [make_finding(head.kind, path, head.problem) for head in head_problems if head.name not in accepted]
    return AuditReport(
        tuple(findings),
        records,
        segments,
        sum(export.record_count for export in exports.exports),
        len(exports.exports),
        recorded,
        max((mark.unrecorded_steps for mark in high_water_marks if mark.state == "dark"), default=0),
    )


def audit_closed_segment(path: Path, keys: Sequence[str]) -> AuditReport:
    """Check one closed segment against the table's public keys. Raises JournalError if it is damaged."""
    with closing(Segment.open_read_only(path, closed=True)) as segment:
        records, (head, signature) = segment.verify(), segment.signed_head()
        signed = not keys or any(is_signed_by(key, head, signature) for key in keys)
        return AuditReport(() if signed else (_unsigned_finding(path, head, signature),), records, 1)


def _find_deletion(path: Path, marks: Sequence[HighWaterMark]) -> Finding | None:
    """Return a finding if a high-water mark names a journal whose file is missing or empty.

    Raises JournalError if the file is missing and no mark names a journal.
    """
    is_gone = not path.exists()
    if is_gone and not marks:
        raise missing_journal_error(path)
    if not marks or not (is_gone or path.stat().st_size == 0):
        return None
    last_number = max(mark.number for mark in marks)
    return make_finding(
        "deleted", path, f"it is {'missing' if is_gone else 'empty'}, but had reached record {last_number}"
    )


def _has_wal(path: Path) -> bool:
    """Return True if the running segment has a write-ahead log. Ask before SQLite opens the file and creates a log."""
    wal = sibling(path, "-wal")
    return wal.exists() and wal.stat().st_size > 0


def _find_damage(path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark]) -> list[Finding]:
    """Return findings about a journal that cannot be read completely.

    If each segment is good, then a whole segment was rewritten, is missing, or was exchanged with another.
    """
    bad_segment, bad_record = find_first_bad_record(path)
    if bad_record is not None:
        return [bad_record, *find_foreign_end(bad_segment, keys, marks, closed=bad_segment != path)]
    return [*_audit_archived_heads(path, keys, marks)] or [find_broken_link(path)]


def _unproven_findings(exports: ExportReport, head_problems: Sequence[HeadProblem]) -> list[RecordedFinding]:
    """Return findings about heads that the journal does not fit, and about exports that nothing proves."""
    heads = [
        RecordedFinding(head.segment, head.first, HEADS_DIFFER, special_name=head.name, is_about_heads=True)
        for head in head_problems
        if head.name
    ]
    return heads + [
        RecordedFinding(
            export.ends.header.segment, 0, f"not checked: nothing proves {export.path.name}", special_name=export.name
        )
        for export in exports.unproven
    ]


def _is_journal(path: Path) -> bool:
    """Return True if the file has a segment header, even a damaged one."""
    try:
        with closing(Segment.open_read_only(path)) as segment:
            segment.read_header()
    except JournalError as error:
        return error.number is not None
    return True


def _read_mark_or_report(path: Path, findings: list[Finding]) -> HighWaterMark | None:
    try:
        return read_mark(path)
    except IntegrityFileError as error:
        findings.append(Finding("mark-damaged", str(error)))
        return None


# --- heads ---


def _audit_running_head(
    path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark], *, had_wal: bool
) -> Iterator[Finding]:
    """Yield the findings about the last record of the running segment, from its signature and the high-water marks."""
    with closing(Segment.open_read_only(path)) as segment:
        (head, signature), header = segment.signed_head(), segment.read_header()
        marks_ahead = [
            mark for mark in marks if mark.journal == head.journal and _position(mark.head) > _position(head)
        ]
        is_signed = not keys or any(is_signed_by(key, head, signature) for key in keys)
        if marks_ahead:
            segment.verify_wal()
            last_number = max(mark.number for mark in marks_ahead)
            loss = f"it ends with record {head.number}, but had reached {last_number}"
            if not is_signed:
                yield make_finding("cut", path, f"{loss}; the table has not signed this end")
            elif not had_wal and all(mark.state != "closed" for mark in marks_ahead):
                yield make_finding("wal-removed", path, f"{loss}; {path.name}-wal is missing, which had the last ones")
            else:
                yield make_finding("older-copy", path, loss)
            return
        if any(contradicts_mark(segment, mark, closed=False) for mark in marks):
            yield make_finding("remade", path, f"the records up to {head.number} differ from those that the mark names")
        elif not is_signed:
            yield _unsigned_finding(path, head, signature)
        if other_journals := [
            mark.journal for mark in marks if mark.journal not in (head.journal, header.parent_journal)
        ]:
            problem = f"it is journal {_abbreviate(head.journal)}, but the mark names {_abbreviate(other_journals[0])}"
            yield make_finding("replaced", path, problem)


def _unsigned_finding(path: Path, head: ChainHead, signature: bytes) -> Finding:
    if signature:
        return make_finding("remade", path, f"the end at record {head.number} is not signed with the table's key")
    return make_finding("unsigned", path, f"the end at record {head.number} has no signature")


def _abbreviate(name: str) -> str:
    return f"{name:.8}…"


def _position(head: ChainHead) -> tuple[int, int]:
    return head.segment, head.number


def _audit_archived_heads(path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark]) -> Iterator[Finding]:
    for segment in archive.iter_segments(path):
        if segment.path == path:
            continue
        head, signature = segment.signed_head()
        place = (head.journal, head.segment)
        later = [mark.number for mark in marks if (mark.journal, mark.segment) == place and mark.number > head.number]
        if later:
            problem = f"it ends with record {head.number}, but had reached {max(later)}"
            yield make_finding("older-copy", segment.path, problem)
        elif any(contradicts_mark(segment, mark, closed=True) for mark in marks):
            yield make_finding(
                "remade", segment.path, f"the records up to {head.number} differ from those that the mark names"
            )
        elif keys and not any(is_signed_by(key, head, signature) for key in keys):
            yield _unsigned_finding(segment.path, head, signature)
