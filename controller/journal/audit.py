"""The audit of a journal: find out whether anybody altered it, and how.

The audit uses three proofs. The hashes show whether each record follows the record before it. The signature of a
segment shows whether the table itself wrote its last record. The high-water marks show whether the journal was ever
longer. The audit cannot detect changes by somebody who has the table's key or is root on its machine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from controller.integrity import (
    ChainHead,
    HighWaterMark,
    IntegrityFileError,
    SentHead,
    challenge_context_at,
    is_signed_by,
    read_mark,
)
from controller.journal import archive
from controller.journal.carving import CarvedRow
from controller.journal.evidence import (
    EXPLANATIONS,
    Explanation,
    ExportReport,
    HeadProblem,
    RecordedFinding,
    alteration_label,
    audit_exports,
    compare_with_heads,
    find_hashes,
    find_recorded_findings,
)
from controller.journal.records import JournalError, Record, proof_payload, try_decode_record
from controller.journal.segment import Segment
from controller.journal.segment_header import FORMAT_VERSION, SegmentHeader
from controller.journal.sqlite_file import chain_hash, connect, missing_journal_error, sibling
from controller.steps import kind_of_alteration
from hardware.badges import (
    PROOF_LIFETIME_US,
    Badge,
    SignedProof,
    dealer_names,
    is_bound_to,
    parse_bound_proof,
    parse_signed_proof,
    recover_proof,
)

AlterationKind: TypeAlias = Literal[
    "changed",
    "exchanged",
    "removed",
    "inserted",
    "remade",
    "unsigned",
    "cut",
    "older-copy",
    "wal-removed",
    "deleted",
    "replaced",
    "badge-forged",
    "mark-damaged",
]
"""Ways in which a journal can differ from the journal that the table wrote. `changed` includes damage by a bad disk."""

PROOF_INVALID: Final = "which has no valid proof"
PROOF_OF_OTHER_RECORD: Final = "whose proof is for another record"
HEADS_DIFFER: Final = "heads that have left the table do not fit"
_EXPECTED: Final = "expected the records as the table wrote them"
_LAST_CHECKED_QUERY: Final = "SELECT coalesce(max(number), 0) FROM record WHERE body LIKE ?"
_BADGE_QUERY: Final = "SELECT body FROM record WHERE number > ? AND body LIKE ?"


class Finding(NamedTuple):
    """One alteration of a journal: its name, and one line that says where and how the journal was altered."""

    kind: AlterationKind
    line: str

    @property
    def explanation(self) -> Explanation:
        """What the alteration means, and what people must do."""
        return EXPLANATIONS[kind_of_alteration(self.kind)]


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
    wal = sibling(path, "-wal")
    had_wal = wal.exists() and wal.stat().st_size > 0
    is_gone = not path.exists()
    if is_gone and not high_water_marks:
        raise missing_journal_error(path)
    if high_water_marks and (is_gone or path.stat().st_size == 0):
        last_number = max(mark.number for mark in high_water_marks)
        problem = f"it is {'missing' if is_gone else 'empty'}, but had reached record {last_number}"
        return AuditReport((*findings, _finding("deleted", path, problem)))
    records = segments = 0
    head_problems: tuple[HeadProblem, ...] = ()
    exports = audit_exports(path, keys) if all_segments else ExportReport()
    findings += [_finding(kind, export_path, problem) for kind, export_path, problem in exports.problems]
    unrecorded_steps = max((mark.unrecorded_steps for mark in high_water_marks if mark.state == "dark"), default=0)
    try:
        if all_segments:
            records, segments = archive.verify(path)
            findings += _audit_archived_heads(path, keys, high_water_marks)
        findings += _audit_running_head(path, keys, high_water_marks, had_wal=had_wal)
        if sent_heads:
            head_problems = tuple(compare_with_heads(path, sent_heads, keys))
        if badges is not None:
            findings += _audit_badges(path, badges, all_segments=all_segments)
    except sqlite3.Error as error:
        raise JournalError(f"journal {path}: {error}, expected an undamaged journal") from None
    except JournalError as error:
        if error.number is None and not _is_journal(path):
            raise
        bad_segment, bad_record = _find_first_bad_record(path)
        # If each segment is good, then a whole segment was rewritten, is missing, or was exchanged with another.
        findings += (
            [bad_record, *_find_foreign_end(bad_segment, keys, high_water_marks, closed=bad_segment != path)]
            if bad_record is not None
            else [*_audit_archived_heads(path, keys, high_water_marks)] or [_find_broken_link(path)]
        )
    notes = ((export.ends.header.segment, note) for export in exports.exports for note in export.notes)
    dealers = dealer_names(badges or ())
    missing = exports.missing if all(finding.kind != "removed" for finding in findings) else ()
    head_findings = [
        RecordedFinding(head.segment, head.first, HEADS_DIFFER, special_name=head.name, is_about_heads=True)
        for head in head_problems
        if head.name
    ]
    unproven = [
        RecordedFinding(
            export.ends.header.segment, 0, f"not checked: nothing proves {export.path.name}", special_name=export.name
        )
        for export in exports.unproven
    ]
    recorded = (
        find_recorded_findings(path, notes, missing, dealers, [*head_findings, *unproven]) if all_segments else ()
    )
    accepted = {found.name for found in recorded if found.accepted_by}
    findings += [_finding(head.kind, path, head.problem) for head in head_problems if head.name not in accepted]
    return AuditReport(
        tuple(findings),
        records,
        segments,
        sum(export.record_count for export in exports.exports),
        len(exports.exports),
        recorded,
        unrecorded_steps,
    )


def audit_closed_segment(path: Path, keys: Sequence[str]) -> AuditReport:
    """Check one closed segment against the table's public keys. Raises JournalError if it is damaged."""
    with closing(Segment.open_read_only(path, closed=True)) as segment:
        records, (head, signature) = segment.verify(), segment.signed_head()
        signed = not keys or any(is_signed_by(key, head, signature) for key in keys)
        return AuditReport(() if signed else (_unsigned_finding(path, head, signature),), records, 1)


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


def _finding(kind: AlterationKind, path: Path, problem: str) -> Finding:
    return Finding(kind, f"journal {path}: {alteration_label(kind)}: {problem}, {_EXPECTED}")


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
                yield _finding("cut", path, f"{loss}; the table has not signed this end")
            elif not had_wal and all(mark.state != "closed" for mark in marks_ahead):
                yield _finding("wal-removed", path, f"{loss}; {path.name}-wal is missing, which had the last ones")
            else:
                yield _finding("older-copy", path, loss)
            return
        if any(_contradicts_mark(segment, mark, closed=False) for mark in marks):
            yield _finding("remade", path, f"the records up to {head.number} differ from those that the mark names")
        elif not is_signed:
            yield _unsigned_finding(path, head, signature)
        if other_journals := [
            mark.journal for mark in marks if mark.journal not in (head.journal, header.parent_journal)
        ]:
            problem = f"it is journal {_abbreviate(head.journal)}, but the mark names {_abbreviate(other_journals[0])}"
            yield _finding("replaced", path, problem)


def _unsigned_finding(path: Path, head: ChainHead, signature: bytes) -> Finding:
    if signature:
        return _finding("remade", path, f"the end at record {head.number} is not signed with the table's key")
    return _finding("unsigned", path, f"the end at record {head.number} has no signature")


def _abbreviate(name: str) -> str:
    return f"{name:.8}…"


def _position(head: ChainHead) -> tuple[int, int]:
    return head.segment, head.number


def _contradicts_mark(segment: Segment, mark: HighWaterMark, *, closed: bool) -> bool:
    """Return True if the high-water mark and the segment have different hashes for the record that the mark names."""
    head, header = segment.chain_head(), segment.read_header()
    if (mark.journal, mark.segment) != (head.journal, head.segment) or mark.number < header.previous_number:
        return False
    row = mark.number if mark.number > header.previous_number else 0
    return mark.hash != _hash_at(segment, row, closed=closed).hex()


def _audit_archived_heads(path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark]) -> Iterator[Finding]:
    for segment in archive.iter_segments(path):
        if segment.path == path:
            continue
        head, signature = segment.signed_head()
        place = (head.journal, head.segment)
        later = [mark.number for mark in marks if (mark.journal, mark.segment) == place and mark.number > head.number]
        if later:
            problem = f"it ends with record {head.number}, but had reached {max(later)}"
            yield _finding("older-copy", segment.path, problem)
        elif any(_contradicts_mark(segment, mark, closed=True) for mark in marks):
            yield _finding(
                "remade", segment.path, f"the records up to {head.number} differ from those that the mark names"
            )
        elif keys and not any(is_signed_by(key, head, signature) for key in keys):
            yield _unsigned_finding(segment.path, head, signature)


# --- badges ---


def _audit_badges(path: Path, badges: Sequence[Badge], *, all_segments: bool) -> Iterator[Finding]:
    """Yield a finding for each record with a badge that did not prove itself in the minute before the record."""
    badges_by_label: dict[str, list[Badge]] = {}
    for badge in badges:
        badges_by_label.setdefault(badge.label, []).append(badge)
    paths = [(segment_path, True) for segment_path in archive.closed_segments(path)] if all_segments else []
    for segment_path, closed in (*paths, (path, False)):
        with (
            closing(Segment.open_read_only(segment_path, closed=closed)) as segment,
            closing(_connect(segment_path, closed=closed)) as db,
        ):
            header = segment.read_header()
            if header.format_version < FORMAT_VERSION:
                continue
            journal_name = segment.journal_name
            # A start does not report findings again that the floor has acknowledged, so skip all records before the
            # last acknowledgement.
            (last_checked,) = (
                (0,) if all_segments else db.execute(_LAST_CHECKED_QUERY, ('%"do":"records-checked"%',)).fetchone()
            )
            for (body,) in db.execute(_BADGE_QUERY, (last_checked, '%"badge":"%')):
                record = try_decode_record(body)
                problem = (
                    _badge_problem(path, header, journal_name, record, badges_by_label) if record is not None else ""
                )
                if record is not None and problem:
                    yield _finding(
                        "badge-forged", segment_path, f"record {record.number} names {record.badge}, {problem}"
                    )


def _badge_problem(
    path: Path, header: SegmentHeader, name: str, record: Record, badges: Mapping[str, Sequence[Badge]]
) -> str:
    """Return what is wrong with the badge proof of a record, or "" if it is valid."""
    bound_proof = parse_bound_proof(record.proof) or parse_signed_proof(record.proof)
    in_time = bound_proof is not None and 0 <= record.at_us - bound_proof.at_us <= PROOF_LIFETIME_US
    if bound_proof is None or not in_time or not 0 <= bound_proof.record_number < record.number:
        return PROOF_INVALID
    # A salvage gives the journal another name. A badge that proved itself before the salvage used the earlier name.
    journal_names = (name, header.parent_journal) if header.origin == "salvage" else (name,)
    heads = [
        ChainHead(journal_name, 0, bound_proof.record_number, hash_then)
        for journal_name in journal_names
        for hash_then in _chain_hashes_at(path, journal_name, bound_proof.record_number)
    ]
    digests = [challenge_context_at(head).records_digest for head in heads]
    named_badges = badges.get(record.badge, ())
    if isinstance(bound_proof, SignedProof):
        # The signature covers the decision and its place at once, so nobody can say what it was made for.
        is_valid = any(
            bound_proof.is_valid(badge.public_key, digest, proof_payload(record))
            for digest in digests
            for badge in named_badges
            if badge.public_key
        )
        return "" if is_valid else PROOF_INVALID
    candidates = [
        recover_proof(bound_proof, bytes.fromhex(badge.key), digest)
        for digest in digests
        for badge in named_badges
        if badge.key
    ]
    recovered = [proof for proof in candidates if proof is not None]
    if not recovered:
        return PROOF_INVALID
    return (
        ""
        if any(is_bound_to(bound_proof, proof, proof_payload(record)) for proof in recovered)
        else PROOF_OF_OTHER_RECORD
    )


def _chain_hashes_at(path: Path, name: str, number: int) -> Iterator[bytes]:
    """Yield the hashes that the journal's head may have had when record `number` was the last record.

    The first possibility is the hash of this record. The second possibility is the hash of the next segment's header,
    if that segment had just begun.
    """
    for segment_path in (path, *reversed(archive.closed_segments(path))):
        closed = segment_path != path
        with closing(Segment.open_read_only(segment_path, closed=closed)) as segment:
            header = segment.read_header()
            if header.origin == "salvage" and header.parent_journal == name and not header.journal_name:
                yield from _hashes_before_salvage(segment, number)
            elif segment.journal_name == name and number <= segment.last_number:
                if number == header.previous_number:
                    yield _hash_at(segment, 0, closed=closed)
                if number > header.previous_number:
                    yield _hash_at(segment, number, closed=closed)
                    return
    yield from find_hashes(path, name, number)


def _hashes_before_salvage(segment: Segment, number: int) -> Iterator[bytes]:
    """Yield the hash that a salvaged record had before the salvage."""
    header = segment.read_header()
    last_hash = bytes.fromhex(header.previous_hash)
    if number == header.previous_number:
        yield last_hash
    for body, record in segment.bodies():
        last_hash = chain_hash(last_hash, body)
        if record.number == number:
            yield last_hash
            return


# --- records ---


def _find_first_bad_record(path: Path) -> tuple[Path, Finding | None]:
    """Return a finding about the journal's first bad record, with its segment, or None if every record is good."""
    for segment_path in (*archive.closed_segments(path), path):
        closed = segment_path != path
        try:
            with closing(Segment.open_read_only(segment_path, closed=closed)) as segment:
                segment.verify()
        except JournalError as error:
            kind = "changed" if error.number is None else _classify(segment_path, error.number, closed=closed)
            problem = str(error).removeprefix(f"journal {segment_path}: ")
            return segment_path, Finding(kind, f"journal {segment_path}: {alteration_label(kind)}: {problem}")
    return path, None


def _find_foreign_end(
    path: Path, keys: Sequence[str], marks: Sequence[HighWaterMark], *, closed: bool
) -> Iterator[Finding]:
    """Yield a finding if a segment with a bad record also has an end that the table has not written.

    Somebody who has rewritten records may damage one more byte, so that the journal looks as if a disk had failed. But
    after a failure of a disk, the signature still fits the head or the last record. A segment whose head or header
    cannot be read proves nothing.
    """
    try:
        with closing(Segment.open_read_only(path, closed=closed)) as segment:
            head, signature = segment.signed_head()
            ends = [head]
            with suppress(JournalError):
                ends.append(head._replace(hash=_hash_at(segment, head.number, closed=closed)))
            is_signed = not keys or any(is_signed_by(key, end, signature) for key in keys for end in ends)
            is_as_marked = not any(
                mark.number == head.number and _contradicts_mark(segment, mark, closed=closed) for mark in marks
            )
    except JournalError:
        return
    if not is_signed or (not is_as_marked and len({end.hash for end in ends}) == 1):
        yield _finding("remade", path, f"the end at record {head.number} is not the one that this table has written")


def _find_broken_link(path: Path) -> Finding:
    """Return a finding about a segment that does not continue the segment before it."""
    numbers = [segment.read_header().segment for segment in archive.iter_segments(path)]
    for number, following in pairwise(sorted(numbers)):
        if following > number + 1:
            return _finding("removed", path, f"segment {number + 1} is missing")
        if following == number:
            return _finding("inserted", path, f"segment {number} is there twice")
    for number, expected in zip(numbers, sorted(numbers), strict=True):
        if number != expected:
            return _finding("exchanged", path, f"segment {number} is in the place of segment {expected}")
    return _finding("exchanged", path, "a segment does not continue the one before it")


def _classify(path: Path, number: int, *, closed: bool) -> AlterationKind:
    """Return how the first bad record was altered. Return `changed` if this cannot be determined."""
    try:
        with closing(_connect(path, closed=closed)) as db:
            return _classify_row(db, number)
    except sqlite3.Error:
        return "changed"


def _classify_row(db: sqlite3.Connection, number: int) -> AlterationKind:
    head_number, highest_number = db.execute(
        "SELECT (SELECT number FROM head), (SELECT max(number) FROM record)"
    ).fetchone()
    before, row, following = (_row(db, row_number) for row_number in (number - 1, number, number + 1))
    if not isinstance(head_number, int) or not isinstance(highest_number, int) or number == 0:
        return "changed"
    if not 0 < number <= head_number:
        return "inserted"
    if row is None:
        return "cut" if highest_number < number else "removed"
    record = try_decode_record(row.body)
    body_number = record.number if record is not None else None
    is_next = before is not None and following is not None and chain_hash(before.hash, following.body) == following.hash
    if is_next and body_number != number + 1:
        return "inserted"
    if body_number not in (None, number):
        return "exchanged" if _is_in_another_row(db, number) else "removed"
    return "changed"


def _row(db: sqlite3.Connection, number: int) -> CarvedRow | None:
    row = db.execute("SELECT body, hash FROM record WHERE number = ?", (number,)).fetchone()
    is_valid = row is not None and isinstance(row[0], bytes) and isinstance(row[1], bytes)
    return CarvedRow(*row) if is_valid else None


def _is_in_another_row(db: sqlite3.Connection, number: int) -> bool:
    """Return True if the record with this number is in a row that has another number."""
    prefix = f'{{"number":{number},%'
    count = db.execute("SELECT count(*) FROM record WHERE number != ? AND body LIKE ?", (number, prefix)).fetchone()
    return bool(count[0])


def _hash_at(segment: Segment, number: int, *, closed: bool) -> bytes:
    """Return the hash that is stored in a row. Raises JournalError if the row does not exist."""
    try:
        with closing(_connect(segment.path, closed=closed)) as db:
            stored = _row(db, number)
    except sqlite3.Error as error:
        raise JournalError(f"journal {segment.path}: {error}, expected an undamaged journal") from None
    if stored is None:
        raise JournalError(f"journal {segment.path}: record {number}: missing, {_EXPECTED}", number)
    return stored.hash


def _connect(path: Path, *, closed: bool) -> sqlite3.Connection:
    return connect(path, "ro&immutable=1" if closed else "ro")
