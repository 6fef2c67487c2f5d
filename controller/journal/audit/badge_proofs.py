"""Audit of the badges that records name. Each badge must have proved itself for its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.integrity import ChainHead, challenge_context_at
from controller.journal import archive
from controller.journal.audit.findings import Finding, make_finding
from controller.journal.audit.stored_hashes import connect_to_segment, hash_at
from controller.journal.evidence import find_hashes
from controller.journal.records import Record, proof_payload, try_decode_record
from controller.journal.segment import Segment
from controller.journal.segment_header import FORMAT_VERSION, SegmentHeader
from controller.journal.sqlite_file import chain_hash
from hardware.badges import (
    PROOF_LIFETIME_US,
    Badge,
    SignedProof,
    is_bound_to,
    parse_bound_proof,
    parse_signed_proof,
    recover_proof,
)

PROOF_INVALID: Final = "which has no valid proof"
PROOF_OF_OTHER_RECORD: Final = "whose proof is for another record"
_LAST_CHECKED_QUERY: Final = "SELECT coalesce(max(number), 0) FROM record WHERE body LIKE ?"
_BADGE_QUERY: Final = "SELECT body FROM record WHERE number > ? AND body LIKE ?"


def audit_badges(path: Path, badges: Sequence[Badge], *, all_segments: bool) -> Iterator[Finding]:
    """Yield a finding for each record with a badge that did not prove itself in the minute before the record."""
    badges_by_label: dict[str, list[Badge]] = {}
    for badge in badges:
        badges_by_label.setdefault(badge.label, []).append(badge)
    paths = [(segment_path, True) for segment_path in archive.closed_segments(path)] if all_segments else []
    for segment_path, closed in (*paths, (path, False)):
        with (
            closing(Segment.open_read_only(segment_path, closed=closed)) as segment,
            closing(connect_to_segment(segment_path, closed=closed)) as db,
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
                    yield make_finding(
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
                    yield hash_at(segment, 0, closed=closed)
                if number > header.previous_number:
                    yield hash_at(segment, number, closed=closed)
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
