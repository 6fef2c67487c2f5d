"""The archive of a journal: its closed segments, named by number, in `PATH.archive/`; and the journals that were set
aside, `PATH.damaged-N`.

Nobody writes them any more. When they take more room than they may, the oldest goes; before that its records are beside
it as compressed JSON lines, which stay until somebody takes them away.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from controller.journal.file import beside, connect, discard, missing, sync_folder
from controller.journal.opening import Opening
from controller.journal.records import JournalError, encode_json
from controller.journal.segment import Segment

USUAL_BYTES: Final = 1_000_000_000
"""Of all closed segments, where nothing else is said: some forty thousand hands, a small part of a card of 32 GB."""
ENDING: Final = ".journal"
FOLDER: Final = ".archive"
CLOSED: Final = 0o444
"""Of the file of a closed segment."""
_DIGITS: Final = 6
"""A segment of four thousand records a minute would need two years to run out of them."""
_NAME: Final = "[0-9]" * _DIGITS
EXPORT: Final = ".jsonl.gz"
_ASIDE: Final = ".damaged-"
_FILES: Final = ("", "-wal", "-shm")
"""What a journal set aside has of SQLite's files; not each has all."""
_number_in = re.compile(rf".*{re.escape(_ASIDE)}([0-9]+)[^/]*", re.DOTALL).fullmatch


def folder(path: Path) -> Path:
    """Where the closed segments of the journal at `path` lie."""
    return beside(path, FOLDER)


def place(path: Path, segment: int) -> Path:
    """Where this segment lies once it is closed."""
    return folder(path) / f"{segment:0{_DIGITS}}{ENDING}"


def number_of(closed: Path) -> int:
    """The number of a segment by its name in an archive; 0 where that is none."""
    try:
        return int(closed.stem)
    except ValueError:
        return 0


def closed_segments(path: Path) -> list[Path]:
    """The closed segments of the journal at `path`, oldest first."""
    # A change of segment that was cut short leaves a second name of the one that runs.
    running = _inode(path)
    return [each for each in sorted(folder(path).glob(f"{_NAME}{ENDING}")) if _inode(each) not in (None, running)]


def _inode(path: Path) -> int | None:
    """Which file it is; None where there is none (any more)."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def next_number(path: Path) -> int:
    """The number that a segment behind all closed ones has."""
    return max((number_of(each) for each in closed_segments(path)), default=0) + 1


def segments(path: Path) -> Iterator[Segment]:
    """All segments of the journal at `path`, oldest first, the running one last, also while it is written; each is
    closed when the next is asked for. Raises JournalError."""
    for _, segment in each_segment(path):
        if isinstance(segment, JournalError):
            raise segment
        yield segment


def each_segment(path: Path) -> Iterator[tuple[Path, Segment | JournalError]]:
    """The same, each with its place; instead of one that cannot be opened, why."""
    told: set[Path] = set()
    while True:
        for each in closed_segments(path):
            if each not in told:
                told.add(each)
                with _viewed(each, closed=True) as segment:
                    yield each, segment
        with _viewed(path, closed=False) as segment:
            if told.issuperset(closed_segments(path)):
                yield path, segment
                return
            # It was closed in between: the archive has it by now.


@contextmanager
def _viewed(path: Path, *, closed: bool) -> Iterator[Segment | JournalError]:
    try:
        segment = Segment.view(path, closed=closed)
    except JournalError as error:
        yield error
        return
    with closing(segment):
        yield segment


def goes_on_from(path: Path, opening: Opening) -> Segment:
    """The closed segment of the journal at `path` behind whose last record one with this opening was begun. Raises
    JournalError where the archive does not have it."""
    before = place(path, opening.segment - 1)
    segment = Segment.view(before, closed=True)
    try:
        *_, number, last = segment.head()
        if (number, last.hex()) != (opening.after, opening.before):
            raise JournalError(
                f"journal {before}: ends with record {number}, expected that of segment {opening.segment}"
            )
    except JournalError:
        segment.close()
        raise
    return segment


def verify(path: Path) -> tuple[int, int]:
    """Checks all records, and that each segment goes on from the one before; gives how many records and segments there
    are. The first may be missing. Raises JournalError that names the first bad one."""
    records = count = 0
    name, number, last, due = "", 0, b"", 0
    for segment in segments(path):
        opening = segment.opening()
        if count and opening.segment != due:
            raise JournalError(f"journal {path}: segment {due} is missing, expected it before {segment.path.name}", 0)
        goes_on = (opening.name, opening.after, opening.before) == (name, number, last.hex())
        # What was salvaged may come of a journal that is not in the archive.
        if count and not goes_on and (opening.name or not opening.parent):
            told = f"journal {segment.path}: goes on from another segment than {due - 1}"
            raise JournalError(f"{told}, expected the one that was written behind it", 0)
        records += segment.verify()
        count += 1
        name, _, number, last = segment.head()
        due = opening.segment + 1
    return records, count


def keep(path: Path, segment: int) -> None:
    """Puts the running segment, closed and whole, into the archive under a second name, durably. Raises OSError."""
    kept = place(path, segment)
    kept.parent.mkdir(exist_ok=True)
    os.link(path, kept)
    sync_folder(kept.parent)
    sync_folder(path.parent)


def seal_off(path: Path, segment: int) -> None:
    """Nobody writes this segment any more. Raises OSError."""
    place(path, segment).chmod(CLOSED)


def settle(path: Path) -> None:
    """Takes away what a change of segment that was cut short has left. Raises OSError."""
    for each in folder(path).glob(f"{_NAME}{ENDING}"):
        if each.samefile(path):
            each.unlink()


def trim(path: Path, most_bytes: int = USUAL_BYTES) -> list[Path]:
    """Takes the oldest segments away until the others fit, each only when it has been exported beside; gives the
    exports. One that cannot be exported stays, and others go for it; then JournalError is raised, for the first."""
    exports: list[Path] = []
    stays: list[JournalError] = []
    kept = closed_segments(path)
    room = sum(each.stat().st_size for each in kept)
    for each in kept:
        if room <= most_bytes:
            break
        try:
            exports.append(_exported(each))
        except JournalError as error:
            stays.append(error)
            continue
        room -= each.stat().st_size
        each.unlink()
    if stays:
        raise stays[0]
    return exports


def _exported(closed: Path) -> Path:
    """The records of a closed segment as compressed JSON lines, durably."""
    export = closed.with_suffix(EXPORT)
    try:
        with closing(Segment.view(closed, closed=True)) as segment:
            write_lines(export, lines_of(segment))
    except OSError as error:
        raise JournalError(f"journal {closed}: {error}, expected to export it") from None
    return export


def write_lines(export: Path, lines: Iterable[bytes]) -> None:
    """Lines in a new compressed file, durably. Raises OSError."""
    unfinished = beside(export, ".new")
    with unfinished.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for line in lines:
            packed.write(line + b"\n")
        packed.close()
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(export)
    sync_folder(export.parent)


def lines_of(segment: Segment) -> Iterator[bytes]:
    """A segment as lines of JSON: the opening, then each record. Raises JournalError at the first bad record."""
    yield encode_json(segment.opening())
    for body, _ in segment.bodies():
        yield body


# --- journals that were set aside ---


def set_aside(path: Path, *, begun: bool = False) -> Path | None:
    """Moves what lies there away, the file first: without it nothing uses what is left. With `begun` the rest of what
    was moved last goes with it. Gives the name of the file now, None where nothing lay there. Raises OSError."""
    if not any(beside(path, ending).exists() for ending in _FILES):
        return None
    # A number is never used again, also where somebody took files away: no WAL meets the file of another.
    last = max(_numbers_aside(path), default=0)
    aside = _aside(path, last if begun and last else last + 1)
    for ending in _FILES:
        if beside(path, ending).exists():
            beside(path, ending).rename(beside(aside, ending))
    return aside


def all_aside(path: Path) -> list[Path]:
    """The journals that were set aside at `path`, oldest first; of some only the WAL is there."""
    found = [_aside(path, number) for number in sorted(_numbers_aside(path))]
    return [each for each in found if any(beside(each, ending).exists() for ending in _FILES)]


def room_of(aside: Path) -> int:
    """Bytes that a journal set aside takes. Raises OSError."""
    return sum(beside(aside, ending).stat().st_size for ending in _FILES if beside(aside, ending).exists())


def take_away(aside: Path) -> None:
    """A journal set aside is no more. Raises OSError."""
    for ending in _FILES:
        beside(aside, ending).unlink(missing_ok=True)


def _aside(path: Path, number: int) -> Path:
    return beside(path, f"{_ASIDE}{number}")


def _numbers_aside(path: Path) -> set[int]:
    """Those that were given to journals set aside, also where only their records are left."""
    named = path.parent.glob(f"{glob.escape(path.name + _ASIDE)}*")
    return {int(match[1]) for each in named if (match := _number_in(each.name))}


# --- a copy that another journal goes on from ---


def segments_of(copy: Path) -> list[Path]:
    """The segments of a copy, oldest first; its state is that at the end of the last. A copy is the file of a running
    segment with its archive beside it, that archive alone where the file is lost, or one closed segment with those
    before it. Raises JournalError."""
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
    exports = sorted(closed[0].parent.glob(f"*{EXPORT}")) if closed else []
    archive = folder(path)
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
