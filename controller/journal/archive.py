"""The archive of closed segments, and the quarantine of damaged journals.

Closed segments are in `PATH.archive/`, named by their number. Damaged journals are quarantined as `PATH.damaged-N`.
Nobody writes these files any longer. The archive and the quarantine each have a space limit. When one exceeds its
limit, its oldest files are exported as compressed JSON lines and then deleted. The exports stay next to the other files
until somebody deletes them.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import shutil
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from controller.journal.records import JournalError, encode_json
from controller.journal.segment import Segment
from controller.journal.segment_header import SegmentHeader
from controller.journal.sqlite_file import (
    acquire_lock,
    connect,
    delete_segment_files,
    has_journal_signature,
    missing_journal_error,
    sibling,
)
from hardware.file_replacement import fsync_folder

DEFAULT_ARCHIVE_BYTES: Final = 1_000_000_000
"""Default space limit of the closed segments in bytes. 1 GB holds about 40,000 hands, and a memory card has 32 GB."""
SEGMENT_SUFFIX: Final = ".journal"
ARCHIVE_SUFFIX: Final = ".archive"
CLOSED_FILE_MODE: Final = 0o444
"""File mode of a closed segment: read-only."""
_NUMBER_DIGITS: Final = 6
"""Number of digits in the file name of a closed segment.

A million segments are enough for two years, even if a new one begins every minute.
"""
_NUMBER_GLOB: Final = "[0-9]" * _NUMBER_DIGITS
EXPORT_SUFFIX: Final = ".jsonl.gz"
_QUARANTINE_SUFFIX: Final = ".damaged-"
_ROLLBACK_SUFFIX: Final = "-journal"
"""Suffix of SQLite's rollback journal."""
_FILE_SUFFIXES: Final = ("", "-wal", "-shm")
"""Suffixes of the files of a quarantined journal. Some of these files may be missing."""
_match_quarantined = re.compile(rf".*{re.escape(_QUARANTINE_SUFFIX)}([0-9]+)[^/]*", re.DOTALL).fullmatch


class ExportEnd(msgspec.Struct, frozen=True):
    """The last line of an export. It repeats the hash of record `last`, with the table's signature."""

    last: int
    hash: str
    signature: str


def archive_folder(path: Path) -> Path:
    """Return the folder with the closed segments of the journal at `path`."""
    return sibling(path, ARCHIVE_SUFFIX)


def closed_segment_path(path: Path, segment: int) -> Path:
    """Return the path of segment number `segment` after it has been closed."""
    return archive_folder(path) / f"{segment:0{_NUMBER_DIGITS}}{SEGMENT_SUFFIX}"


def segment_number(closed: Path) -> int:
    """Return the segment number in the file name of a closed segment, or 0 if the name has no number."""
    try:
        return int(closed.stem)
    except ValueError:
        return 0


def closed_segments(path: Path) -> list[Path]:
    """Return the paths of the closed segments of the journal at `path`, oldest first."""
    # If a rotation was interrupted, the archive has a hard link to the running segment. Leave that link out.
    running_inode = _inode(path)
    return [
        segment_path
        for segment_path in sorted(archive_folder(path).glob(f"{_NUMBER_GLOB}{SEGMENT_SUFFIX}"))
        if _inode(segment_path) not in (None, running_inode)
    ]


def _inode(path: Path) -> int | None:
    """Return the inode number of a file, or None if the file does not exist."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def next_segment_number(path: Path) -> int:
    """Return the number for the next segment: one more than the highest number in the archive, exports included."""
    numbers = [segment_number(segment_path) for segment_path in closed_segments(path)]
    return max([*numbers, *map(export_number, exported_segments(path))], default=0) + 1


def exported_segments(path: Path) -> list[Path]:
    """Return the paths of the exports in the archive of the journal at `path`, oldest first."""
    return sorted(archive_folder(path).glob(f"{_NUMBER_GLOB}{EXPORT_SUFFIX}"))


def export_number(export: Path) -> int:
    """Return the segment number in the file name of an export."""
    return int(export.name.removesuffix(EXPORT_SUFFIX))


def iter_segments(path: Path) -> Iterator[Segment]:
    """Yield all segments of the journal at `path`, the oldest first and the running one last.

    Each file is closed when the next segment is requested. Another process may write the journal at the same time.
    Raises JournalError if a segment cannot be opened.
    """
    for _, segment in iter_segments_and_errors(path):
        if isinstance(segment, JournalError):
            raise segment
        yield segment


def iter_segments_and_errors(path: Path) -> Iterator[tuple[Path, Segment | JournalError]]:
    """Yield each segment with its path. If a segment cannot be opened, yield the error instead."""
    yielded: set[Path] = set()
    while True:
        for segment_path in closed_segments(path):
            if segment_path not in yielded:
                yielded.add(segment_path)
                with _opened(segment_path, closed=True) as segment:
                    yield segment_path, segment
        with _opened(path, closed=False) as segment:
            if yielded.issuperset(closed_segments(path)):
                yield path, segment
                return
            # A rotation has moved the running segment into the archive since the loop began. Read the archive again.


@contextmanager
def _opened(path: Path, *, closed: bool) -> Iterator[Segment | JournalError]:
    try:
        segment = Segment.open_read_only(path, closed=closed)
    except JournalError as error:
        yield error
        return
    with closing(segment):
        yield segment


def open_previous_segment(path: Path, header: SegmentHeader) -> Segment:
    """Open the closed segment that comes directly before the segment with this header.

    Raises JournalError if the archive does not have the preceding segment.
    """
    previous_path = closed_segment_path(path, header.segment - 1)
    segment = Segment.open_read_only(previous_path, closed=True)
    try:
        *_, number, last_hash = segment.chain_head()
        begins_journal = header.origin == "configuration" and not header.journal_name
        expected_number = number if begins_journal else header.previous_number
        if (number, last_hash.hex()) != (expected_number, header.previous_hash):
            raise JournalError(
                f"journal {previous_path}: ends with record {number}, but segment {header.segment} does not continue it"
            )
    except JournalError:
        segment.close()
        raise
    return segment


def verify(path: Path) -> tuple[int, int]:
    """Verify all records and the links between segments, and return how many records and segments exist.

    Exported segments are left out, and `exports.audit_exports` compares them with their neighbours. Raises JournalError
    for the first bad record or segment, which the message names.
    """
    records = segments = 0
    exported = {export_number(export) for export in exported_segments(path)}
    journal_name, last_number, last_hash, next_number = "", 0, b"", 0
    for segment in iter_segments(path):
        header = segment.read_header()
        follows_export = header.segment > next_number and exported.issuperset(range(next_number, header.segment))
        if segments and header.segment != next_number and not follows_export:
            raise JournalError(
                f"journal {path}: segment {next_number} is missing, expected before {segment.path.name}", 0
            )
        continues = (header.journal_name, header.previous_number, header.previous_hash) == (
            journal_name,
            last_number,
            last_hash.hex(),
        )
        # If the earlier journal was damaged and quarantined, its last segment is not in the archive.
        if segments and not continues and not follows_export and (header.journal_name or not header.parent_journal):
            problem = f"journal {segment.path}: does not continue segment {next_number - 1}"
            raise JournalError(f"{problem}, expected the following segment", 0)
        records += segment.verify()
        segments += 1
        journal_name, _, last_number, last_hash = segment.chain_head()
        next_number = header.segment + 1
    return records, segments


def link_into_archive(path: Path, segment: int) -> None:
    """Create a hard link in the archive that leads to the running segment, and flush both folders.

    The caller must already have copied the complete WAL into the file of the segment. Raises OSError.
    """
    closed_path = closed_segment_path(path, segment)
    closed_path.parent.mkdir(exist_ok=True)
    os.link(path, closed_path)
    fsync_folder(closed_path.parent)
    fsync_folder(path.parent)


def make_read_only(path: Path, segment: int) -> None:
    """Make a closed segment read-only, because nobody may write it any longer. Raises OSError."""
    closed_segment_path(path, segment).chmod(CLOSED_FILE_MODE)


def remove_unfinished_rotation(path: Path) -> None:
    """Remove the hard link to the running segment that an interrupted rotation left in the archive. Raises OSError."""
    for segment_path in archive_folder(path).glob(f"{_NUMBER_GLOB}{SEGMENT_SUFFIX}"):
        if segment_path.samefile(path):
            segment_path.unlink()


def trim_archive(path: Path, max_bytes: int = DEFAULT_ARCHIVE_BYTES, outdated: Collection[Path] = ()) -> list[Path]:
    """Delete the oldest segments until the others fit into `max_bytes`. Return the paths of the exports.

    The `outdated` segments, which are older than all others, are deleted even if they fit.

    Each segment is exported before it is deleted. A segment that cannot be exported is kept, and a newer one is deleted
    in its place. In this case JournalError is raised at the end, for the first segment that was kept.
    """
    exports: list[Path] = []
    errors: list[JournalError] = []
    segment_paths = closed_segments(path)
    used_bytes = sum(segment_path.stat().st_size for segment_path in segment_paths)
    for segment_path in segment_paths:
        if used_bytes <= max_bytes and segment_path not in outdated:
            break
        try:
            exports.append(_export_segment(segment_path))
        except JournalError as error:
            errors.append(error)
            continue
        used_bytes -= segment_path.stat().st_size
        segment_path.unlink()
    if errors:
        raise errors[0]
    return exports


def _export_segment(segment_path: Path) -> Path:
    """Export the records of a closed segment as compressed JSON lines, and return the path of the flushed export."""
    export = segment_path.with_suffix(EXPORT_SUFFIX)
    try:
        with closing(Segment.open_read_only(segment_path, closed=True)) as segment:
            write_gzip_lines(export, _export_lines(segment))
    except OSError as error:
        raise JournalError(f"journal {segment_path}: {error}, expected a segment that can be exported") from None
    return export


def write_gzip_lines(export: Path, lines: Iterable[bytes]) -> None:
    """Write lines into a new compressed file, and flush it to the disk. Raises OSError."""
    unfinished = sibling(export, ".new")
    with unfinished.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for line in lines:
            packed.write(line + b"\n")
        packed.close()
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(export)
    fsync_folder(export.parent)


def _export_lines(segment: Segment) -> Iterator[bytes]:
    """Yield the lines of an export: header, records and `ExportEnd`. Raises JournalError at the first bad record."""
    yield segment.header_body()
    for body, _ in segment.bodies():
        yield body
    head, signature = segment.signed_head()
    yield encode_json(ExportEnd(head.number, head.hash.hex(), signature.hex()))


# --- quarantine ---


def quarantine(path: Path, *, continue_last: bool = False) -> Path | None:
    """Rename the files of the journal at `path` to the next free `PATH.damaged-N`, and return that path.

    The database file is renamed first, because no program uses a WAL without its database. Set `continue_last` if an
    earlier call was interrupted: the remaining files then get the same number as that call used. Return None if no file
    exists. Raises OSError.
    """
    if not any(sibling(path, suffix).exists() for suffix in _FILE_SUFFIXES):
        return None
    # Never use a number twice, because a WAL that is left over must never be next to another journal's database.
    last_number = max(_quarantine_numbers(path), default=0)
    quarantined = _quarantine_path(path, last_number if continue_last and last_number else last_number + 1)
    for suffix in _FILE_SUFFIXES:
        if sibling(path, suffix).exists():
            sibling(path, suffix).rename(sibling(quarantined, suffix))
    return quarantined


def quarantine_rollback_journal(path: Path) -> None:
    """Rename `PATH-journal` to the next free `PATH.damaged-N-journal`. Raises JournalError.

    The journal uses a WAL and never such a file. SQLite would apply it to the journal, or refuse to open the journal.
    If the file at `path` is not a journal, do nothing.
    """
    leftover = sibling(path, _ROLLBACK_SUFFIX)
    if not os.path.lexists(leftover) or (path.exists() and not has_journal_signature(path)):
        return
    lock = acquire_lock(path)
    try:
        number = max(_quarantine_numbers(path), default=0) + 1
        leftover.rename(sibling(_quarantine_path(path, number), _ROLLBACK_SUFFIX))
        fsync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"journal {path}: {leftover.name}: {error.strerror}, expected no such file") from None
    finally:
        os.close(lock)


def list_quarantined(path: Path) -> list[Path]:
    """Return the paths of the quarantined journals at `path`, oldest first. Of some journals only the WAL is left."""
    paths = [_quarantine_path(path, number) for number in sorted(_quarantine_numbers(path))]
    return [
        quarantined for quarantined in paths if any(sibling(quarantined, suffix).exists() for suffix in _FILE_SUFFIXES)
    ]


def quarantined_bytes(quarantined: Path) -> int:
    """Return the total size of a quarantined journal's files in bytes. Raises OSError."""
    return sum(
        sibling(quarantined, suffix).stat().st_size
        for suffix in _FILE_SUFFIXES
        if sibling(quarantined, suffix).exists()
    )


def delete_quarantined(quarantined: Path) -> None:
    """Delete the files of a quarantined journal. Raises OSError."""
    for suffix in _FILE_SUFFIXES:
        sibling(quarantined, suffix).unlink(missing_ok=True)


def _quarantine_path(path: Path, number: int) -> Path:
    return sibling(path, f"{_QUARANTINE_SUFFIX}{number}")


def _quarantine_numbers(path: Path) -> set[int]:
    """Return the numbers of all quarantined journals, including deleted journals of which only an export is left."""
    files = path.parent.glob(f"{glob.escape(path.name + _QUARANTINE_SUFFIX)}*")
    return {int(match[1]) for file in files if (match := _match_quarantined(file.name))}


# --- copies to restore ---


def copy_running_segment(path: Path, copy: Path) -> int:
    """Copy the running segment in one consistent state, and return its number. Its writer may continue meanwhile.

    Raises JournalError if the file is not a journal.
    """
    if not path.exists():
        raise missing_journal_error(path)
    try:
        with closing(connect(path, "ro")) as source, closing(connect(copy, "rwc")) as target:
            source.backup(target)
        with closing(Segment.open_read_only(copy)) as segment:
            return segment.read_header().segment
    except sqlite3.Error as error:
        raise JournalError(f"journal {path}: {error}, expected a journal that can be copied") from None


def files_before(path: Path, segment: int) -> list[Path]:
    """Return the archived files of the segments before this one: the closed segments and the exports, oldest first."""
    segments = [closed for closed in closed_segments(path) if segment_number(closed) < segment]
    return [*(export for export in exported_segments(path) if export_number(export) < segment), *segments]


def segment_paths_of_copy(copy: Path) -> list[Path]:
    """Return the paths of the segments of a backup copy, oldest first.

    A restored table gets the state at the end of the last segment. `copy` is one of the following:

    - the file of a running segment, with its archive next to it
    - the path of a running segment that is lost, if its archive still exists
    - one closed segment in an archive, which is then the last segment

    Raises JournalError if the copy does not exist.
    """
    if copy.parent.suffix == ARCHIVE_SUFFIX and copy.suffix == SEGMENT_SUFFIX and copy.exists():
        return [segment_path for segment_path in closed_segments(copy.parent.with_suffix("")) if segment_path <= copy]
    closed = closed_segments(copy)
    if not closed and not copy.exists():
        raise missing_journal_error(copy)
    return [*closed, copy] if copy.exists() else closed


def is_closed(segment: Path) -> bool:
    """Return True if the WAL of this segment is missing or empty.

    SQLite can then read the segment without creating files next to it, for example on a read-only medium.
    """
    wal = sibling(segment, "-wal")
    return not wal.exists() or wal.stat().st_size == 0


def import_segments(segments: list[Path], path: Path) -> int:
    """Import the segments of a backup copy and its exports into the archive of the journal at `path`.

    Files that the archive already has stay as they are. The imported files are on disk when this returns. Return the
    number of imported segments. Raises JournalError.
    """
    *closed_paths, last_segment = segments
    closed_paths += (
        [last_segment] if last_segment.suffix == SEGMENT_SUFFIX and last_segment.parent.suffix == ARCHIVE_SUFFIX else []
    )
    exports = sorted(closed_paths[0].parent.glob(f"*{EXPORT_SUFFIX}")) if closed_paths else []
    archive = archive_folder(path)
    try:
        archive.mkdir(exist_ok=True)
        for file in (*exports, *closed_paths):
            if not (archive / file.name).exists():
                _finish_file(shutil.copyfile(file, sibling(archive / file.name, ".new")), archive / file.name)
        imported = (
            len(closed_paths)
            if last_segment in closed_paths
            else len(closed_paths) + _import_running_segment(last_segment, path)
        )
        fsync_folder(archive)
        fsync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal {path}: {error}, expected to copy the segments into the archive") from None
    return imported


def _import_running_segment(segment: Path, path: Path) -> int:
    """Import the running segment of a backup copy into the archive, as a closed segment.

    Return 1, or 0 if the archive already has a segment with this number. SQLite copies the data, because the last
    records may be in the WAL only.
    """
    closed = is_closed(segment)
    with closing(Segment.open_read_only(segment, closed=closed)) as source:
        target = closed_segment_path(path, source.read_header().segment)
    if target.exists():
        return 0
    unfinished = sibling(target, ".new")
    delete_segment_files(unfinished)
    with (
        closing(connect(segment, "ro&immutable=1" if closed else "ro")) as db,
        closing(sqlite3.connect(unfinished)) as target_db,
    ):
        db.backup(target_db)
    _finish_file(unfinished, target)
    return 1


def _finish_file(unfinished: Path, target: Path) -> None:
    """Flush a complete file to the disk, make it read-only and give it its final name."""
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    unfinished.chmod(CLOSED_FILE_MODE)
    unfinished.rename(target)
