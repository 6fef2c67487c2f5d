"""The follower of a journal: it reads new records while another process writes the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from controller.integrity import ChainHead
from controller.journal import archive
from controller.journal.records import JournalBusy, JournalError
from controller.journal.replication.stretch import Stretch
from controller.journal.segment import Segment
from controller.journal.sqlite_file import chain_hash
from controller.journal.text_export import ExportItem, Gap, SegmentStart, show_items

MAX_STRETCH_RECORDS: Final = 1000
"""Maximum number of records in one stretch, which take at most 3.5 MB. Most segments have about as many."""
_PASSING_ERRORS: Final = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY}
)
"""Primary error codes of SQLite after which a later try succeeds.

A reader without the right to write `PATH-shm` gets SQLITE_READONLY while the writer restarts the WAL. A file that is
renamed at this moment gives SQLITE_CANTOPEN. Source: SQLite, "Result and Error Codes".
"""


class JournalFollower:
    """Reads a journal from a position to its end, and later what was added since. It never changes the journal.

    The position is the head of the journal after the last record that was read. After the last record of a segment, the
    follower continues with the next segment, with the journal that replaced this one, or with its salvage.
    """

    def __init__(self, path: Path, position: ChainHead | None = None, *, skips_archive: bool = False) -> None:
        """Begin after `position`.

        If `position` is None, begin with the oldest segment of the archive, or with the running segment if
        `skips_archive` is True.
        """
        self.path = path
        self.position = position
        self._skips_archive = skips_archive

    def read(self) -> Stretch | None:
        """Return the records after the position and move the position, or return None if there are no records yet.

        If the journal does not have the record at the position, the `previous` of the result differs from the position.
        The result then begins at the last record that has the same number or a lower one.

        Raises JournalBusy if the journal cannot be read at this moment, JournalError if it is damaged or missing. The
        position then stays as it was.
        """
        try:
            stretch = self._find_next()
        except JournalError as error:
            if (getattr(error.__context__, "sqlite_errorcode", 0) & 0xFF) in _PASSING_ERRORS:
                raise JournalBusy(f"{error}. Try again later") from None
            raise
        if stretch is not None:
            self.position = stretch.head
        return stretch

    def _find_next(self) -> Stretch | None:
        with closing(Segment.open_read_only(self.path)) as running:
            if self.position is None:
                oldest = [] if self._skips_archive else archive.closed_segments(self.path)[:1]
                return _read_closed(oldest[0]) if oldest else _read(running)
            if _is_at(running, self.position):
                return _read(running, self.position)
            number = self.position.segment
            for closed_path in (archive.closed_segment_path(self.path, number + step) for step in (0, 1)):
                if closed_path.exists() and (stretch := _read_next(closed_path, self.position)) is not None:
                    return stretch
            if not _continues(running, self.position):
                # Journals or segments between are missing, an older copy was restored, or this is another journal.
                unknown = _first_unknown_segment(self.path, running.journal_name, self.position)
                if unknown is not None:
                    return _read_closed(unknown)
            return _read(running)


def _is_at(segment: Segment, position: ChainHead) -> bool:
    """Return True if the position is in this segment."""
    return (segment.journal_name, segment.read_header().segment) == (position.journal, position.segment)


def _continues(segment: Segment, position: ChainHead) -> bool:
    """Return True if this segment can directly follow the one with the position.

    It is the next segment of the same journal, or the first segment of a journal that replaced it.
    """
    header = segment.read_header()
    if header.journal_name:
        return (header.journal_name, header.segment) == (position.journal, position.segment + 1)
    return header.parent_journal == position.journal


def _first_unknown_segment(path: Path, journal: str, position: ChainHead) -> Path | None:
    """Return the path of the first closed segment that a reader at the position does not know, or None.

    `journal` is the running journal. All segments of another journal are unknown, and also those of journals between
    the two, such as when a salvaged journal was damaged before it was read.
    """
    first = None
    for closed_path in reversed(archive.closed_segments(path)):
        number = archive.segment_number(closed_path)
        with closing(Segment.open_read_only(closed_path, closed=True)) as segment:
            name = segment.journal_name
        if name == position.journal:
            is_unknown = number > position.segment
        else:
            is_unknown = name == journal or number >= position.segment
        if not is_unknown:
            break
        first = closed_path
    return first


def _read_next(path: Path, position: ChainHead) -> Stretch | None:
    """Return the next records of a closed segment, or None if no record in it directly follows the position."""
    with closing(Segment.open_read_only(path, closed=True)) as segment:
        if _is_at(segment, position):
            return _read(segment, position)
        return _read(segment) if _continues(segment, position) else None


def _read_closed(path: Path) -> Stretch | None:
    """Return the first records of a closed segment."""
    with closing(Segment.open_read_only(path, closed=True)) as segment:
        return _read(segment)


def _read(segment: Segment, position: ChainHead | None = None) -> Stretch | None:
    """Return the records of a segment after the position, which is in this segment, or None if there is no new record.

    If `position` is None, begin with the first record, and return a result even if the segment has no record.
    """
    header, (head, signature) = segment.read_header(), segment.signed_head()
    start = header.previous_number if position is None else min(position.number, head.number)
    previous = segment.head_at(start)
    if position == previous and start == head.number:
        return None
    states: dict[int, bytes] = {}
    if position is None and header.state_digest:
        states[start] = segment.stored_state(start, header.state_digest)
    bodies: list[bytes] = []
    last_hash = previous.hash
    for body, record in islice(segment.bodies(start), min(head.number - start, MAX_STRETCH_RECORDS)):
        bodies.append(body)
        last_hash = chain_hash(last_hash, body)
        if record.state_digest:
            states[record.number] = segment.stored_state(record.number, record.state_digest)
    end = head._replace(number=start + len(bodies), hash=last_hash)
    if end.number == head.number and end != head:
        raise JournalError(f"journal {segment.path}: record {head.number}: not the record that the head names")
    opening = segment.header_body() if position is None else b""
    return Stretch(opening, previous, tuple(bodies), states, end, signature if end == head else None)


def follow_text(path: Path, wait: Callable[[JournalError | None], None]) -> Iterator[str]:
    """Yield the running segment as readable lines, and then each record that is added, without an end.

    `wait` is called before each further look, with the error if the journal cannot be read at this moment. Raises
    JournalError if the journal cannot be read at the beginning.
    """
    yield from show_items(_follow_items(JournalFollower(path, skips_archive=True), wait))


def _follow_items(follower: JournalFollower, wait: Callable[[JournalError | None], None]) -> Iterator[ExportItem]:
    error: JournalError | None = None
    position, stretch = None, follower.read()
    while True:
        if stretch is None:
            wait(error)
        else:
            if (header := stretch.header) is not None:
                yield SegmentStart(header, stretch.head.journal)
            elif stretch.previous != position:
                yield Gap("the rest of the file that was here before")
            yield from stretch.bodies
            position = stretch.head
        try:
            stretch, error = follower.read(), None
        except JournalError as read_error:
            stretch, error = None, read_error
