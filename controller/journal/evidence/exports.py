"""Exports of closed segments: compressed JSON lines that prove themselves.

The first line of an export is the segment header and the other lines are the records, exactly as the segment stored
them. Their chain of hashes can therefore be computed again, and must lead to the segment that follows. The last line
repeats the hash of the last record, with the table's signature:

    {"last":412,"hash":"5b0c…","signature":"9f31…"}

Exports of earlier programs have no such line.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from controller.integrity import ChainHead, is_signed_by
from controller.journal import archive
from controller.journal.archive import ExportEnd
from controller.journal.evidence.recorded_findings import FINDING_MARKS
from controller.journal.records import JournalError, Record, try_decode_record
from controller.journal.segment_header import FORMAT_VERSION, SegmentHeader
from controller.journal.sqlite_file import GENESIS_HASH, chain_hash

MAX_LINE_BYTES: Final = 1_000_000
"""Maximum length of a line in bytes. The longest line is a header with its configuration, which has 100 kB at most."""

LinkState: TypeAlias = Literal["fits", "broken", "unproven"]
"""Whether a segment continues the one before it. `unproven`: it begins a new journal that names no hash."""


class SegmentEnds(NamedTuple):
    """The header of a segment and its last record, which the following segment names."""

    header: SegmentHeader
    head: ChainHead

    def link_to(self, following: SegmentHeader) -> LinkState:
        """Return whether a segment with the header `following` directly continues this one."""
        _, _, number, last_hash = self.head
        if following.journal_name:
            names = (following.journal_name, following.previous_number, following.previous_hash)
            return "fits" if names == (self.head.journal, number, last_hash.hex()) else "broken"
        if following.origin == "configuration":
            names_parent = (following.parent_journal, following.previous_hash)
            return "fits" if names_parent == (self.head.journal, last_hash.hex()) else "broken"
        return "unproven" if following.parent_journal else "broken"


class Export(NamedTuple):
    """An export whose lines were all read."""

    path: Path
    ends: SegmentEnds
    record_count: int
    signature: bytes | None
    """Signature of the last record, empty bytes if the table had no key, or None if the export has no last line."""
    notes: tuple[Record, ...]
    """Records that can be recorded findings."""
    hashes: Mapping[int, bytes]
    """Hashes of the records for which the reader asked, by number."""

    @property
    def name(self) -> str:
        """Name of the finding that nothing proves this export, for `--accept`. It includes a hash over the lines."""
        return f"export-{self.ends.header.segment}:0-{self.ends.head.hash.hex()}"


class ExportProblem(NamedTuple):
    """One thing that is wrong with an export."""

    kind: Literal["changed", "remade", "unsigned"]
    path: Path
    problem: str


class ExportReport(NamedTuple):
    """The result of reading all exports of an archive."""

    problems: tuple[ExportProblem, ...] = ()
    exports: tuple[Export, ...] = ()
    unproven: tuple[Export, ...] = ()
    """Exports that nothing proves, because they have no last line and no segment names their last hash."""
    missing: tuple[int, ...] = ()
    """Numbers of the segments that are neither in the archive nor exported."""


def read_export(path: Path, wanted_numbers: Set[int] = frozenset()) -> Export:
    """Read an export and compute its chain of hashes.

    `wanted_numbers` are the numbers of records whose hashes are in the result. Raises JournalError if the lines are not
    those of one segment.
    """
    lines = _read_lines(path)
    try:
        header_body = next(lines, b"")
        header = msgspec.json.decode(header_body, type=SegmentHeader)
        last_hash = chain_hash(bytes.fromhex(header.previous_hash) or GENESIS_HASH, header_body)
    except (msgspec.MsgspecError, ValueError):
        raise JournalError(f"journal {path}: line 1: not a segment header, expected an export", 0) from None
    journal_name, number, notes = header.journal_name or last_hash.hex(), header.previous_number, []
    hashes = {number: last_hash} if number in wanted_numbers else {}
    last_line: ExportEnd | None = None
    for body in lines:
        record = try_decode_record(body)
        if record is None and last_line is None:
            last_line = _try_decode_end(body)
            if last_line is not None:
                continue
        if record is None or last_line is not None or record.number != number + 1:
            raise JournalError(f"journal {path}: record {number + 1}: not in its place, expected all records", number)
        number, last_hash = record.number, chain_hash(last_hash, body)
        if number in wanted_numbers:
            hashes[number] = last_hash
        notes += [record] if any(mark in body for mark in FINDING_MARKS) else []
    if last_line is not None and (last_line.last, last_line.hash) != (number, last_hash.hex()):
        raise JournalError(f"journal {path}: record {number}: not as its last line says", number)
    ends = SegmentEnds(header, ChainHead(journal_name, header.segment, number, last_hash))
    try:
        signature = bytes.fromhex(last_line.signature) if last_line is not None else None
    except ValueError:
        signature = b""
    return Export(path, ends, number - header.previous_number, signature, tuple(notes), hashes)


def _try_decode_end(body: bytes) -> ExportEnd | None:
    try:
        return msgspec.json.decode(body, type=ExportEnd)
    except msgspec.MsgspecError:
        return None


def iter_export_lines(path: Path) -> Iterator[bytes]:
    """Yield the header and the records of an export as JSON, without its last line. Raises JournalError."""
    yield from (line for line in _read_lines(path) if _try_decode_end(line) is None)


def _read_lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(MAX_LINE_BYTES):
                if not line.endswith(b"\n"):
                    raise OSError("a line has no end")
                yield line[:-1]
    except (OSError, EOFError, zlib.error) as error:
        raise JournalError(f"journal {path}: {error}, expected an export") from None


def audit_exports(path: Path, keys: Sequence[str]) -> ExportReport:
    """Read all exports of the journal at `path`, and compare them with their neighbours and the table's public keys.

    The segments themselves are not verified here. A segment that cannot be read is left out.
    """
    problems: list[ExportProblem] = []
    exports: dict[int, Export] = {}
    export_paths = archive.exported_segments(path)
    for export_path in export_paths:
        try:
            export = read_export(export_path)
        except JournalError as error:
            problems.append(ExportProblem("changed", export_path, str(error).removeprefix(f"journal {export_path}: ")))
            continue
        number = archive.export_number(export_path)
        if export.ends.header.segment == number:
            exports[number] = export
        else:
            problems.append(ExportProblem("changed", export_path, f"it is segment {export.ends.header.segment}"))
    stored, running_number = _stored_ends(path)
    unproven: list[Export] = []
    for number, export in exports.items():
        problem = _problem_of(number, export, {**{n: e.ends for n, e in exports.items()}, **stored}, keys)
        if isinstance(problem, ExportProblem):
            problems.append(problem)
        elif not problem:
            unproven.append(export)
    known = {*stored, *(archive.export_number(export_path) for export_path in export_paths)}
    known |= {archive.segment_number(closed_path) for closed_path in archive.closed_segments(path)}
    missing = tuple(number for number in range(1, running_number) if number not in known)
    return ExportReport(tuple(problems), tuple(exports.values()), tuple(unproven), missing)


def _stored_ends(path: Path) -> tuple[dict[int, SegmentEnds], int]:
    """Return the ends of all segments that can be read, by number, and the number of the running segment."""
    ends: dict[int, SegmentEnds] = {}
    running_number = archive.next_segment_number(path)
    for segment_path, segment in archive.iter_segments_and_errors(path):
        try:
            if isinstance(segment, JournalError):
                continue
            header = segment.read_header()
            ends[header.segment] = SegmentEnds(header, segment.chain_head())
        except JournalError:
            continue
        if segment_path == path:
            running_number = header.segment
    return ends, running_number


def _problem_of(
    number: int, export: Export, ends: Mapping[int, SegmentEnds], keys: Sequence[str]
) -> ExportProblem | bool:
    """Return what is wrong with an export. If nothing is wrong, return whether anything proves the export."""
    own, previous, following = export.ends, ends.get(number - 1), ends.get(number + 1)
    if own.header.format_version < FORMAT_VERSION:
        return False  # An earlier program wrote the header line in another form.
    if number in ends and ends[number].head != own.head:
        return ExportProblem("changed", export.path, "it differs from the segment, which is still in the archive")
    if previous is not None and previous.link_to(own.header) == "broken":
        return ExportProblem("changed", export.path, f"it does not continue segment {number - 1}")
    link = own.link_to(following.header) if following is not None else "unproven"
    if link == "broken":
        return ExportProblem("changed", export.path, f"segment {number + 1} does not continue it")
    if export.signature and keys:
        if any(is_signed_by(key, own.head, export.signature) for key in keys):
            return True
        return ExportProblem("remade", export.path, "its last record is not signed with the table's key")
    if link == "fits":
        return True
    if keys and export.signature is not None:
        return ExportProblem("unsigned", export.path, "its last record has no signature")
    return export.signature is not None


def find_hashes(path: Path, journal_name: str, number: int) -> Iterator[bytes]:
    """Yield the hashes of a record in the exports of the journal with this name."""
    for export_path in reversed(archive.exported_segments(path)):
        try:
            export = read_export(export_path, {number})
        except JournalError:
            continue
        if export.ends.head.journal == journal_name:
            yield from export.hashes.values()
