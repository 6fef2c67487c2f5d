"""A copy of a journal that another one is to go on from: which segments it has, and how they come into the new one's
archive.

A copy is the file of a running segment with its archive beside it, that archive alone where the file is lost, or one
closed segment with those before it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from controller.journal.archive import CLOSED, ENDING, FOLDER, closed_segments, place
from controller.journal.file import beside, connect, discard, missing, sync_folder
from controller.journal.records import JournalError
from controller.journal.segment import Segment


def segments_of(copy: Path) -> list[Path]:
    """The segments of a copy, oldest first; the journal's state is that at the end of the last. Raises JournalError."""
    if copy.parent.suffix == FOLDER and copy.suffix == ENDING and copy.exists():
        return [each for each in closed_segments(copy.parent.with_suffix("")) if each <= copy]
    closed = closed_segments(copy)
    if not closed and not copy.exists():
        raise missing(copy)
    return [*closed, copy] if copy.exists() else closed


def is_closed(segment: Path) -> bool:
    """Whether nobody writes a segment of a copy: it is read as it is, also where nothing can be written beside it."""
    wal = beside(segment, "-wal")
    return not wal.exists() or wal.stat().st_size == 0


def take_over(segments: list[Path], path: Path) -> int:
    """Puts the segments of a copy into the archive of the journal at `path`, durably, as they are, with the exports
    that lie there, and says how many those are; what the archive has stays. Raises JournalError."""
    *closed, last = segments
    closed += [last] if last.suffix == ENDING and last.parent.suffix == FOLDER else []
    exports = sorted(closed[0].parent.glob("*.jsonl.gz")) if closed else []
    archive = place(path, 1).parent
    try:
        archive.mkdir(exist_ok=True)
        for each in (*exports, *closed):
            if not (archive / each.name).exists():
                _settled(shutil.copyfile(each, beside(archive / each.name, ".new")), archive / each.name)
        taken = len(closed) if last in closed else len(closed) + _running(last, path)
        sync_folder(archive)
        sync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal {path}: {error}, expected to take over the segments of a copy") from None
    return taken


def _running(segment: Path, path: Path) -> int:
    """The running segment of a copy as a closed one: by SQLite, as the last records may lie in the WAL alone."""
    closed = is_closed(segment)
    with closing(Segment.view(segment, closed=closed)) as source:
        kept = place(path, source.opening().segment)
    if kept.exists():
        return 0
    new = beside(kept, ".new")
    discard(new)
    with (
        closing(connect(segment, "ro&immutable=1" if closed else "ro")) as db,
        closing(sqlite3.connect(new)) as copy,
    ):
        db.backup(copy)
    _settled(new, kept)
    return 1


def _settled(new: Path, kept: Path) -> None:
    """Gives a file that was written its name, once it is on the disk."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.chmod(CLOSED)
    new.rename(kept)
