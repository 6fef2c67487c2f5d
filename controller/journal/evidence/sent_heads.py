"""Comparison of a journal with the signed heads that have left the table.

Each head names a record and its hash, so that the journal must still have this record with this hash. A head of a
journal that was replaced after damage is compared as far as the replacement has its records. A recorded finding names
the rest.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from controller.integrity import SentHead, is_signed_by
from controller.journal import archive
from controller.journal.evidence.exports import read_export
from controller.journal.records import JournalError
from controller.journal.segment import Segment
from controller.journal.segment_header import SegmentHeader
from controller.journal.sqlite_file import connect

_Place: TypeAlias = tuple[str, int]
"""Name of a journal and number of a segment."""
_DIGEST_BYTES: Final = 8
"""Length of the hash in the name of a finding. Only the table can sign heads, so that nobody can search for another."""
MAX_NUMBERS_PER_QUERY: Final = 500
"""Maximum number of records in one query. SQLite allows at least 999 values."""


HeadProblemKind: TypeAlias = Literal["remade", "older-copy", "replaced", "mark-damaged"]


class HeadProblem(NamedTuple):
    """Heads of one segment that have left the table, and that the journal does not fit.

    `first` is the number of the first record that these heads name. `name` is the finding's name for `--accept`, with a
    hash of the heads and of the name of their journal. If the table has not signed the heads, nobody can accept the
    problem. The numbers are then 0, and `name` is "".
    """

    kind: HeadProblemKind
    problem: str
    segment: int = 0
    first: int = 0
    name: str = ""


class _Stored(NamedTuple):
    """The hashes of the wanted records that the journal and its archive still have."""

    hashes: Mapping[_Place, Mapping[int, bytes]]
    """Hashes by place and record number. A segment without any wanted record is included."""
    parents: frozenset[str]
    """Names of journals that another journal has replaced."""


def compare_with_heads(path: Path, heads: Sequence[SentHead], keys: Sequence[str]) -> Iterator[HeadProblem]:
    """Yield at most one problem for each segment with a head that the journal at `path` does not fit.

    If `keys` are given, heads with a false signature are reported and not compared. A head without a signature is from
    a time when the table had no key.
    """
    wanted: dict[_Place, dict[int, set[bytes]]] = defaultdict(lambda: defaultdict(set))
    unsigned = 0
    for sent in heads:
        if (
            keys
            and sent.signature
            and not any(is_signed_by(key, sent.head, bytes.fromhex(sent.signature)) for key in keys)
        ):
            unsigned += 1
        else:
            wanted[sent.journal, sent.segment][sent.number].add(sent.head.hash)
    if unsigned:
        yield HeadProblem("mark-damaged", f"{unsigned} heads that have left the table are not signed with its key")
    stored = _read_stored(path, wanted)
    last_segments = {journal: max(s for j, s in stored.hashes if j == journal) for journal, _ in stored.hashes}
    reported: set[str] = set()
    for (journal, segment), numbers in sorted(wanted.items()):
        found = stored.hashes.get((journal, segment))
        if found is None:
            # Segments that are missing before the last one are reported by the audit of the archive.
            if segment > last_segments.get(journal, 0) and journal not in (*stored.parents, *reported):
                reported.add(journal)
                kind: HeadProblemKind = "older-copy" if journal in last_segments else "replaced"
                problem = f"a head of segment {segment} has left the table, but the segment is missing"
                all_missing = {place: wanted[place] for place in wanted if place[0] == journal and place[1] >= segment}
                yield HeadProblem(kind, problem, segment, min(numbers), _name(segment, all_missing))
            continue
        wrong = sorted(number for number, sent_hashes in numbers.items() if sent_hashes != {found.get(number)})
        if not wrong:
            continue
        name = _name(segment, {(journal, segment): {number: numbers[number] for number in wrong}})
        if wrong[0] not in found:
            problem = f"segment {segment} had reached record {wrong[0]}, which is missing"
            yield HeadProblem("older-copy", problem, segment, wrong[0], name)
        else:
            problem = f"the records up to {wrong[0]} differ from the head that has left the table"
            yield HeadProblem("remade", problem, segment, wrong[0], name)


def _name(segment: int, heads: Mapping[_Place, Mapping[int, Set[bytes]]]) -> str:
    """Return the name of a finding about heads, with their hash, so that an acceptance fits these heads and no others.

    The name has the numbers of the first and last head of the segment.
    """
    named = [number for place, numbers in heads.items() if place[1] == segment for number in numbers]
    lines = sorted(
        f"{journal} {segment} {number} {head_hash.hex()}\n"
        for (journal, segment), numbers in heads.items()
        for number, hashes in numbers.items()
        for head_hash in hashes
    )
    digest = hashlib.blake2b("".join(lines).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"head-{segment}:{min(named)}-{max(named)}-{digest}"


def _read_stored(path: Path, wanted: Mapping[_Place, Mapping[int, Set[bytes]]]) -> _Stored:
    hashes: dict[_Place, Mapping[int, bytes]] = {}
    parents: set[str] = set()
    for export_path in archive.exported_segments(path):
        number = archive.export_number(export_path)
        numbers = frozenset(record for place, records in wanted.items() if place[1] == number for record in records)
        try:
            export = read_export(export_path, numbers)
        except JournalError:
            continue
        hashes[export.ends.head.journal, number] = export.hashes
        parents |= _replaced_by(export.ends.header)
    for segment_path, segment in archive.iter_segments_and_errors(path):
        try:
            if isinstance(segment, JournalError):
                continue
            header, name = segment.read_header(), segment.journal_name
            place = (name, header.segment)
            wanted_here = tuple(wanted.get(place, ()))
            hashes[place] = _hashes_at(segment, header.previous_number, wanted_here, closed=segment_path != path)
            parents |= _replaced_by(header)
        except (JournalError, sqlite3.Error):
            continue
    return _Stored(hashes, frozenset(parents))


def _replaced_by(header: SegmentHeader) -> set[str]:
    """Return the name of the journal that this one has replaced, although its last segment was not archived."""
    return {header.parent_journal} if header.origin in ("salvage", "storage") else set()


def _hashes_at(segment: Segment, previous_number: int, numbers: Sequence[int], *, closed: bool) -> dict[int, bytes]:
    """Return the hashes of the records. A segment without records has the hash of its header, which is row 0."""
    hashes: dict[int, bytes] = {}
    with closing(connect(segment.path, "ro&immutable=1" if closed else "ro")) as db:
        hashes[previous_number] = db.execute("SELECT hash FROM record WHERE number = 0").fetchone()[0]
        for start in range(0, len(numbers), MAX_NUMBERS_PER_QUERY):
            batch = numbers[start : start + MAX_NUMBERS_PER_QUERY]
            marks = ", ".join("?" * len(batch))
            query = f"SELECT number, hash FROM record WHERE number > 0 AND number IN ({marks})"
            hashes.update(db.execute(query, batch).fetchall())
    return hashes
