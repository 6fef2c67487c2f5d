"""Salvage: replace a damaged journal with a new journal of the records that can be proven.

A record is proven if its hash covers its body and the hash of the record before it. Nothing is guessed. Records after a
lost one can still be proven if the hash of the lost record is known.

The new journal needs a known state from which its records can be replayed. This is the snapshot at the beginning of the
segment or, if records are lost after it, a later snapshot. The table continues from the latest run of consecutive
records that includes such a state.

The damaged file is renamed to `PATH.damaged-N` and keeps all its records, including those that are not used. When the
damaged files exceed their space limit, the oldest files are exported and deleted.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from controller.integrity import NO_GUARD, JournalGuard
from controller.journal import archive
from controller.journal.carving import (
    CarvedRows,
    RecordRun,
    carve_rows,
    proven_runs,
    temporary_journal_path,
    working_copy,
)
from controller.journal.journal import Journal
from controller.journal.records import Entry, JournalBusy, JournalError, decode_record, encode_entries, encode_json
from controller.journal.segment import Segment
from controller.journal.segment_header import SegmentHeader
from controller.journal.snapshot import digest_of_bytes
from controller.journal.sqlite_file import (
    acquire_lock,
    create_segment_file,
    delete_segment_files,
    has_journal_signature,
    journal_exists,
    sibling,
)
from controller.journal.text_export import export_jsonl
from controller.steps import StepSyntaxError
from hardware.file_replacement import fsync_folder

MAX_QUARANTINE_BYTES: Final = 100_000_000
"""Space limit of the quarantined journals in bytes.

This is enough for about twenty large journals, or for a thousand small ones from a disk that fails repeatedly.
"""


class ProvenRecords(NamedTuple):
    """The proven records of a running segment.

    `bodies` are the records with which the table continues. They directly follow record `previous_number`.
    """

    header: SegmentHeader | None
    """Header of the segment, or None if the header is lost."""
    journal_name: str = ""
    """Name of the journal, or "" if the name is lost."""
    previous_number: int = 0
    previous_hash: bytes = b""
    """Hash of record `previous_number`."""
    start_state: bytes = b""
    """Snapshot of the state after record `previous_number`, or empty bytes.

    If it is empty, `bodies` are replayed from the table as configured.
    """
    bodies: tuple[bytes, ...] = ()
    later_states: Mapping[int, bytes] = MappingProxyType({})
    """Snapshots of the state after some records of `bodies`, by record number."""
    detached_runs: tuple[RecordRun, ...] = ()
    """Proven records that cannot be replayed, because no state before them is known. They stay in the damaged file."""
    highest_number: int = 0
    """The highest record number that the segment is known to have reached."""

    @property
    def has_start_state(self) -> bool:
        """True if the state before `bodies` is known, either from a snapshot or from the configuration."""
        return bool(self.start_state) or (self.header is not None and not self.header.state_digest)

    @property
    def last_number(self) -> int:
        """Number of the last record of `bodies`."""
        return self.previous_number + len(self.bodies)

    def entries(self) -> Iterator[Entry]:
        """Yield the records in `bodies` as entries, and stop at the first record that this program cannot parse."""
        for body in self.bodies:
            try:
                yield decode_record(body).entry()
            except StepSyntaxError:
                return

    @property
    def missing_summary(self) -> str:
        """One line about lost records and proven records that cannot be replayed, or "" if no record is missing."""
        detached = [f"{run.first_number} to {run.last_number}" for run in self.detached_runs]
        lost = (
            [f"records {self.last_number + 1} to {self.highest_number} are lost or detached"]
            if self.highest_number > self.last_number
            else []
        )
        return ", ".join([*lost, *([f"detached: {' and '.join(detached)}"] if detached else [])])


class SalvageResult(NamedTuple):
    """The result of a salvage: the number of kept records, the lost records, and the quarantined file.

    `damaged_path` is None if the journal was not damaged.
    """

    kept_records: int
    lost_summary: str
    damaged_path: Path | None


def find_proven_records(path: Path) -> ProvenRecords:
    """Return the proven records of the running segment of the journal at `path`, including its WAL.

    If the state before these records is lost, the result begins with the records of the last usable closed segment. No
    file is changed. Raises JournalError if the file cannot be read at all.
    """
    proven = _prove_segment(path) if journal_exists(path) else ProvenRecords(None)
    if proven.has_start_state:
        return proven
    for closed_path in reversed(archive.closed_segments(path)):
        earlier = _prove_segment(closed_path)
        if earlier.header is not None and earlier.has_start_state:
            header = msgspec.structs.replace(earlier.header, segment=archive.next_segment_number(path))
            return _append_to_closed_segment(earlier._replace(header=header), proven, closed_path)
    return proven


def _append_to_closed_segment(earlier: ProvenRecords, proven: ProvenRecords, closed_path: Path) -> ProvenRecords:
    """Return the records of a closed segment, and then the records of the running segment if they directly follow.

    The state at the end of the closed segment replaces the snapshot that the running segment has lost.
    """
    highest_number = max(proven.highest_number, earlier.highest_number)
    header, detached = proven.header, proven.detached_runs
    next_run = next(
        (run for run in detached if header is not None and run.first_number == header.previous_number + 1), None
    )
    with closing(Segment.open_read_only(closed_path, closed=True)) as segment:
        last_head = segment.chain_head()
    if (
        header is None
        or next_run is None
        or (header.previous_number, header.previous_hash) != (last_head.number, last_head.hash.hex())
    ):
        return earlier._replace(detached_runs=detached, highest_number=highest_number)
    next_bodies = (_without_state(row.body) if row.state_digest else row.body for row in next_run.rows)
    detached = tuple(run for run in detached if run is not next_run)
    return earlier._replace(
        bodies=(*earlier.bodies, *next_bodies),
        journal_name=proven.journal_name,
        detached_runs=detached,
        highest_number=highest_number,
    )


def is_journal_file(path: Path) -> bool:
    """Return True if the file is a journal, even a badly damaged one. Raises JournalError."""
    proven = find_proven_records(path)
    return proven.header is not None or bool(proven.bodies or proven.detached_runs) or has_journal_signature(path)


def _prove_segment(path: Path) -> ProvenRecords:
    try:
        with working_copy(path) as copy:
            return _choose_run(carve_rows(copy), partial(_read_state_or_empty, copy))
    except OSError as error:
        raise JournalError(f"journal {path}: {error}, expected a file that can be read") from None


def salvage_journal(
    path: Path,
    header: SegmentHeader | None = None,
    extra_entries: Sequence[Entry] = (),
    *,
    search_past_end: bool = False,
    guard: JournalGuard = NO_GUARD,
) -> SalvageResult:
    """Replace a damaged journal with a new journal of its proven records, followed by `extra_entries`.

    If the header of the damaged journal is lost, the new journal gets `header`. An undamaged journal normally stays as
    it is. With `search_past_end`, it is also replaced if the raw bytes contain proven records after its last record.

    Raises JournalBusy if another process writes the journal, JournalError if nothing can be written. In both cases the
    damaged journal is unchanged.
    """
    finish_replacement(path)
    # Find the records before the journal is opened, because SQLite may discard a damaged WAL.
    proven = find_proven_records(path)
    error = _open_error(path)
    if error is None:
        record_count = _record_count(path)
        if not search_past_end or proven.last_number <= record_count:
            return SalvageResult(record_count, "nothing", None)
        error = JournalError(f"it ends with record {record_count}")
    new_header = proven.header or header
    if new_header is None:
        raise JournalError(f"journal {path}: the segment header is lost, expected a header to replace it", 0)
    damaged_path = replace_journal(path, *salvaged_segment(proven, new_header, extra_entries), guard=guard)
    return SalvageResult(len(proven.bodies), f"{proven.missing_summary or 'no record'} ({error})", damaged_path)


@contextmanager
def open_salvaged_in_memory(
    proven: ProvenRecords, header: SegmentHeader, extra_entries: Sequence[Entry] = ()
) -> Iterator[Segment]:
    """Yield the segment that `salvage_journal` would write, but in memory and only for reading.

    Raises JournalError if there is no memory for the segment.
    """
    try:
        with temporary_journal_path() as temporary_path:
            create_segment_file(temporary_path, *salvaged_segment(proven, proven.header or header, extra_entries))
            with closing(Segment.open_read_only(temporary_path)) as segment:
                yield segment
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal: {error}, expected memory for a temporary copy") from None


def salvaged_segment(
    proven: ProvenRecords, header: SegmentHeader, extra_entries: Sequence[Entry] = ()
) -> tuple[SegmentHeader, list[bytes], dict[int, bytes]]:
    """Return header, bodies and snapshots of a new journal with the proven records.

    The `extra_entries` come after the last proven record.
    """
    new_header = msgspec.structs.replace(
        header,
        journal_name="",
        parent_journal=proven.journal_name or header.parent_journal,
        origin="salvage",
        previous_number=proven.previous_number,
        previous_hash=proven.previous_hash.hex(),
        state_digest=digest_of_bytes(proven.start_state) if proven.start_state else "",
    )
    states = {**({proven.previous_number: proven.start_state} if proven.start_state else {}), **proven.later_states}
    return new_header, [*proven.bodies, *encode_entries(extra_entries, proven.last_number + 1)], states


def replace_journal(
    path: Path,
    header: SegmentHeader,
    bodies: Iterable[bytes] = (),
    states: Mapping[int, bytes] = MappingProxyType({}),
    *,
    guard: JournalGuard = NO_GUARD,
) -> Path | None:
    """Replace the journal at `path` with a new one, and return the path to which the old one was renamed.

    Return None if no journal existed. The new journal is on disk when this returns. If the process is killed before
    that, either nothing has changed, or `finish_replacement` completes the replacement.

    Raises JournalBusy if another process writes the journal, JournalError if nothing can be written.
    """
    archive.quarantine_rollback_journal(path)
    lock = acquire_lock(path)
    unfinished = sibling(path, ".salvaged")
    damaged_path: Path | None = None
    try:
        if path.exists():
            archive.remove_unfinished_rotation(path)
        else:
            # If only a WAL is left, quarantine it now. Otherwise `finish_replacement` would add it to another journal.
            damaged_path = archive.quarantine(path)
        header = msgspec.structs.replace(header, segment=max(header.segment, archive.next_segment_number(path)))
        first_previous = header.previous_number
        kept_states = {number: state for number, state in states.items() if number >= first_previous}
        create_segment_file(unfinished, header, bodies, kept_states, guard)
        fsync_folder(path.parent)
        damaged_path = archive.quarantine(path) or damaged_path
        unfinished.rename(path)
        fsync_folder(path.parent)
        return damaged_path
    except (OSError, sqlite3.Error) as error:
        if path.exists():
            with suppress(OSError):
                delete_segment_files(unfinished)
        raise JournalError(f"journal {path}: {error}, expected to write a new journal") from None
    finally:
        os.close(lock)


def finish_replacement(path: Path) -> bool:
    """Complete an interrupted replacement of the journal, and return True if there was one.

    Raises JournalBusy or JournalError.
    """
    unfinished = sibling(path, ".salvaged")
    archive.quarantine_rollback_journal(path)
    if path.exists() or not unfinished.exists():
        return False
    lock = acquire_lock(path)
    try:
        # The old file was renamed, but its WAL perhaps not. SQLite must not use that WAL with the new file.
        archive.quarantine(path, continue_last=True)
        unfinished.rename(path)
        fsync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"journal {path}: {error}, expected to finish its salvage") from None
    finally:
        os.close(lock)
    return True


def trim_quarantine(path: Path, max_bytes: int = MAX_QUARANTINE_BYTES) -> None:
    """Delete the oldest quarantined journals until the rest fits into `max_bytes`.

    The newest quarantined journal is never deleted. The proven records of a journal are exported before it is deleted.
    A journal that cannot be read is kept. In this case, and if nothing can be written, JournalError is raised at the
    end.
    """
    quarantined = archive.list_quarantined(path)
    errors: list[OSError] = []
    try:
        used_bytes = sum(map(archive.quarantined_bytes, quarantined))
        for damaged_path in quarantined[:-1]:
            if used_bytes <= max_bytes:
                break
            export_of = sibling(damaged_path, archive.EXPORT_SUFFIX)
            try:
                # If an export exists, an earlier deletion was interrupted. Keep that export, because the remaining
                # files may have fewer records.
                lines = _export_lines(damaged_path) if not export_of.exists() else []
            except OSError as error:
                errors.append(error)
                continue
            if len(lines) > 1:  # The first line is the header. Without records no export is needed.
                archive.write_gzip_lines(export_of, lines)
            used_bytes -= archive.quarantined_bytes(damaged_path)
            archive.delete_quarantined(damaged_path)
    except OSError as error:
        errors.append(error)
    if errors:
        raise JournalError(f"journal {path}: {errors[0]}, expected to export the quarantined journals")


def _export_lines(damaged_path: Path) -> list[bytes]:
    """Return the proven records of a quarantined journal as JSON lines. Raises OSError if it cannot be read."""
    lines: list[bytes] = []
    with (
        working_copy(damaged_path) as copy,
        # If records are missing, `export_jsonl` raises JournalError after its last line. Keep the lines, because a
        # quarantined journal may have gaps.
        suppress(JournalError),
    ):
        lines.extend(line.encode() for line in export_jsonl(copy))
    return lines


# --- choice of the records to continue with ---


def _choose_run(carved: CarvedRows, read_state: Callable[[int, str], bytes]) -> ProvenRecords:
    """Return the latest run of consecutive records that can be replayed from a known state."""
    runs, header = proven_runs(carved), carved.header
    highest_number = max(carved.last_number, runs[-1].last_number if runs else 0)
    journal_name = (header.journal_name or carved.header_hash.hex()) if header is not None else ""
    for run in reversed(runs):
        start = _first_known_state(run, header, read_state)
        if start is not None:
            number, start_state = start
            played = run.after(number)
            bodies, states = _bodies_and_states(played, read_state)
            detached = tuple(other for other in runs if other is not run)
            if number >= run.first_number:
                detached = (
                    *detached,
                    RecordRun(run.first_number, run.previous_hash, run.rows[: number - run.first_number + 1]),
                )
            return ProvenRecords(
                header,
                journal_name,
                number,
                played.previous_hash,
                start_state,
                bodies,
                states,
                detached,
                highest_number,
            )
    if header is None:
        return ProvenRecords(None, detached_runs=tuple(runs), highest_number=highest_number)
    start_state, previous_hash = (
        read_state(header.previous_number, header.state_digest),
        bytes.fromhex(header.previous_hash),
    )
    return ProvenRecords(
        header,
        journal_name,
        header.previous_number,
        previous_hash,
        start_state,
        detached_runs=tuple(runs),
        highest_number=highest_number,
    )


def _first_known_state(
    run: RecordRun, header: SegmentHeader | None, read_state: Callable[[int, str], bytes]
) -> tuple[int, bytes] | None:
    """Find the first record after which the state is known, and return its number and the state.

    The record is in the run or directly before it. The state is empty bytes if the known state is the configured table.
    Return None if no state is known.
    """
    if header is not None and run.first_number == header.previous_number + 1:
        if not header.state_digest:
            return header.previous_number, b""
        if found_state := read_state(header.previous_number, header.state_digest):
            return header.previous_number, found_state
    for number, row in enumerate(run.rows, run.first_number):
        if row.state_digest and (found_state := read_state(number, row.state_digest)):
            return number, found_state
    return None


def _bodies_and_states(
    run: RecordRun, read_state: Callable[[int, str], bytes]
) -> tuple[tuple[bytes, ...], dict[int, bytes]]:
    """Return the records of a run as JSON bodies, and the snapshots after them by record number.

    If a snapshot is lost, its digest is removed from the record.
    """
    bodies, states = [], {}
    for number, row in enumerate(run.rows, run.first_number):
        stored_state = read_state(number, row.state_digest) if row.state_digest else b""
        if stored_state:
            states[number] = stored_state
        bodies.append(row.body if stored_state or not row.state_digest else _without_state(row.body))
    return tuple(bodies), states


def _without_state(body: bytes) -> bytes:
    return encode_json(msgspec.structs.replace(decode_record(body), created_at="", state_digest=""))


def _read_state_or_empty(copy: Path, number: int, digest: str) -> bytes:
    """Return the snapshot after a record, or empty bytes if it is lost."""
    if not digest:
        return b""
    try:
        with closing(Segment.open_read_only(copy)) as segment:
            return segment.read_state(number, digest)
    except JournalError:
        return b""


# --- files ---


def _open_error(path: Path) -> JournalError | None:
    """Return why the journal cannot be opened for writing, or None if it can."""
    try:
        Journal.open(path)[0].close()
    except JournalBusy:
        raise
    except JournalError as error:
        return error
    return None


def _record_count(path: Path) -> int:
    with closing(Segment.open_read_only(path)) as segment:
        return segment.last_number
