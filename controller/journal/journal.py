"""The journal: every event is on disk before any screen shows what it did.

A journal is `PATH`, the running segment, and `PATH.archive/`, the closed ones. Feeding the steps of all to the table
gives the same state again; so do those of the running segment, fed to the state that it begins with. Damaged, missing
and exchanged records are found and the first bad one is named.

What no check of hashes can find: the loss of the last commit alone looks like a power cut before that commit.

Beside `PATH` lie SQLite's `PATH-wal` and `PATH-shm`, and `PATH.lock`, held by the one process that writes; `PATH.new`
and `PATH.salvaged` exist while a segment is being made. A journal may be used by any thread, by one at a time.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from controller.journal import archive
from controller.journal.file import (
    BUSY_S,
    Watch,
    as_rows,
    beside,
    build,
    close,
    connect,
    discard,
    hold,
    missing,
    packed,
    sync_folder,
)
from controller.journal.opening import FORM, Opening, Why, following, wall_time
from controller.journal.records import Entry, JournalBusy, JournalDead, JournalError, encode
from controller.journal.segment import Segment
from controller.journal.whole import digest_of
from controller.seals import NO_GUARD, Guard, Head

MAX_BATCH: Final = 10_000
"""Records of one `append`: far more than one event has, and still one short transaction."""
FLUSHES_KEPT: Final = 10_000
"""Durations in `flush_us`: the last half hour of a very busy table."""


_KEPT: Final[list[sqlite3.Connection]] = []
"""Connections that must not be closed: it would write. Some handles for each failure of a disk."""


class Journal(Segment):
    """A journal that is written: its running segment. Made by `create` and `open` only."""

    def __init__(self, path: Path, db: sqlite3.Connection, lock: int, opening: Opening, guard: Guard) -> None:
        super().__init__(path, db)
        self.flush_us: deque[int] = deque(maxlen=FLUSHES_KEPT)
        """Microseconds of each of the last commits: writing the WAL and waiting for the disk."""
        self.begun = opening
        """The opening of the running segment."""
        self.watch = Watch(path)
        """Whether its files are still those that were opened."""
        self._lock: int | None = lock
        self._guard = guard
        self._dead = ""
        self._reached = Head("", 0, 0, b"")

    @classmethod
    def create(cls, path: Path, opening: Opening, state: bytes = b"", *, guard: Guard = NO_GUARD) -> Journal:
        """A new journal that begins with this state (nothing: that of its configuration), on disk when this returns.
        Where an archive lies there, it goes on behind the journal whose it is.

        Raises JournalError where the file, or a part of an earlier one, is there already."""
        lock = hold(path)
        try:
            for ending in ("", "-wal", ".salvaged"):
                if beside(path, ending).exists():
                    raise JournalError(f"journal {path}: {beside(path, ending).name} exists, expected no journal yet")
            opening = msgspec.structs.replace(_behind_archive(path, opening), state=digest_of(state) if state else "")
            new = beside(path, ".new")
            build(new, opening, states={opening.after: state} if state else {}, guard=guard)
            new.rename(path)
            sync_folder(path.parent)
            return cls._for_writing(path, lock, guard)
        except BaseException as error:
            os.close(lock)
            if isinstance(error, (OSError, sqlite3.Error)):
                raise JournalError(f"journal {path}: {error}, expected to write it") from None
            raise

    @classmethod
    def open(cls, path: Path, *, guard: Guard = NO_GUARD) -> tuple[Journal, Opening]:
        """A journal to go on with, every record of its running segment checked, and the opening of that.

        Raises JournalBusy when another process writes it, JournalError when there is none or it is damaged (see
        `damage.salvage`)."""
        if not path.exists():
            raise missing(path)
        lock = hold(path)
        try:
            archive.settle(path)
            journal = cls._for_writing(path, lock, guard)
        except BaseException as error:
            os.close(lock)
            if isinstance(error, OSError):
                raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
            raise
        return journal, journal.begun

    @classmethod
    def check(cls, path: Path) -> None:
        """Whether `open` would find the running segment whole. Only for who holds the lock. Raises JournalError."""
        close(cls._for_writing(path, -1, NO_GUARD)._db)

    @classmethod
    def _for_writing(cls, path: Path, lock: int, guard: Guard) -> Journal:
        kept: sqlite3.Connection | None = None
        db: sqlite3.Connection | None = None
        try:
            # The last connection that can write removes the WAL as it closes: while this one is open, a journal that
            # turns out to be damaged keeps it.
            kept = connect(path, "ro")
            kept.execute("SELECT count(*) FROM head").fetchone()
            db = connect(path, "rw")
            opening = Segment(path, db).opening()
            # What a killed process left in the WAL goes to the file, with a flush of its own: after a failed
            # flush the WAL may be in the cache only, though it reads well.
            _, frames, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if (mode := db.execute("PRAGMA journal_mode").fetchone()[0]) != b"wal":
                raise JournalError(f"journal {path}: journal_mode {mode.decode()}, expected wal")
            journal = cls(path, db, lock, opening, guard)
            journal.verify(frames)
            journal._has_reached(journal.head())
            return journal
        except sqlite3.Error as error:
            close(db)
            raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
        except BaseException:
            close(db)
            raise
        finally:
            close(kept)

    @property
    def last(self) -> int:
        """Number of the last record; 0 where there is only an opening."""
        return self._reached.number

    @property
    def reached(self) -> Head:
        """How far it goes: its name, the segment, the last record."""
        return self._reached

    @property
    def is_writable(self) -> bool:
        """Whether records can be appended: one of the form before has to begin another segment first."""
        return self.begun.form == FORM and not self._dead

    @property
    def records_here(self) -> int:
        """Records in the running segment: those that are read again at the start."""
        return self._reached.number - self.begun.after

    def append(self, entries: Sequence[Entry], state: bytes = b"") -> int:
        """Writes all entries or none, and returns the number of the last one; they are on disk when it returns.
        `state` is what holds after the last one, where it is kept.

        Raises JournalError where an entry is none (nothing was written, the journal goes on), JournalDead when
        writing failed, and ever after."""
        self._require_writable()
        if len(entries) > MAX_BATCH:
            raise JournalError(f"journal {self.path}: {len(entries)} records at once, expected at most {MAX_BATCH}")
        if not entries:
            return self.last
        first = self.last + 1
        closes = {"at": wall_time(), "state": digest_of(state)} if state else {}
        written = as_rows(self._reached.hash, encode(entries, first, **closes), first)
        number, _, last = written[-1]
        head = self._reached._replace(number=number, hash=last)
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO record VALUES (?, ?, ?)", written)
            if state:
                self._db.execute("INSERT INTO state VALUES (?, ?)", (number, packed(state)))
            seal = self._guard.seal(head)
            self._db.execute("UPDATE head SET number = ?, hash = ?, seal = ? WHERE one = 1", (number, last, seal))
            began = time.perf_counter_ns()
            self._db.execute("COMMIT")
        except BaseException as error:
            self._dead = f"journal {self.path}: writing record {first} failed ({error}): never write it again"
            if isinstance(error, sqlite3.Error):
                raise JournalDead(self._dead, first) from error
            raise
        self.flush_us.append((time.perf_counter_ns() - began) // 1000)
        self._has_reached(head)
        return number

    def rotate(self, state: bytes, why: Why = "", commands: tuple[str, ...] = (), *, config: str | None = None) -> None:
        """Goes on in a new segment that begins with this state, the one after the last record; the segment so far goes
        to the archive. With a reason it is a new journal, whose parent is this one; it may have another configuration,
        and begins with what that says where the state is empty. A process that is killed on the way leaves the old
        segment running or the new one. `commands` are the last ones, for the opening.

        Raises JournalBusy where somebody reads at this moment, JournalError where nothing can be written (the journal
        goes on as it was in both cases), JournalDead when it cannot go on."""
        if self._dead:
            raise JournalDead(self._dead)
        _, segment, number, last = self._reached
        opening = following(self.begun, self._reached.journal, number, last, why, config)
        opening = msgspec.structs.replace(opening, state=digest_of(state) if state else "", commands=commands)
        new = beside(self.path, ".new")
        try:
            build(new, opening, states={opening.after: state} if state else {}, guard=self._guard)
            self._empty_wal()
            archive.keep(self.path, segment)
        except (OSError, sqlite3.Error) as error:
            discard(new)
            archive.settle(self.path)
            self.watch = Watch(self.path)  # the WAL may have been emptied
            raise JournalError(f"journal {self.path}: {error}, expected to begin another segment") from None
        try:
            close(self._db)
            # Of the old file: who reads it has them open, and the new file must not meet them.
            for ending in ("-wal", "-shm"):
                beside(self.path, ending).unlink(missing_ok=True)
            new.rename(self.path)
            sync_folder(self.path.parent)
            archive.seal_off(self.path, segment)
            self._db = connect(self.path, "rw")
            self.begun = self.opening()
            self.watch = Watch(self.path)
            self._has_reached(self.head())
        except (OSError, sqlite3.Error, JournalError) as error:
            self._dead = f"journal {self.path}: going on in another segment failed ({error}): never write it again"
            raise JournalDead(self._dead) from error

    def close(self) -> None:
        """Gives the file and the lock back; doing it again does nothing."""
        super().close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            self._guard.closed()

    def abandon(self) -> None:
        """Lets go of files that are not to be written any more, not even by the copying that closing them begins."""
        reader: sqlite3.Connection | None = None
        try:
            # While another connection has them open, closing this one writes nothing; that one cannot write.
            reader = connect(self.path, "ro")
            reader.execute("SELECT count(*) FROM head").fetchone()
        except sqlite3.Error:
            _KEPT.append(self._db)
        else:
            close(self._db)
        close(reader)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._dead = self._dead or f"journal {self.path}: was let go"

    def _require_writable(self) -> None:
        if self._dead:
            raise JournalDead(self._dead)
        if self._lock is None:
            raise JournalError(f"journal {self.path}: closed, expected open for writing")
        if self.begun.form != FORM:
            raise JournalError(f"journal {self.path}: of form {self.begun.form}, expected another segment first")

    def _empty_wal(self) -> None:
        """All that was committed is in the file itself. Raises JournalBusy, sqlite3.Error."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            busy, _, _ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {round(BUSY_S * 1000)}")
        if busy:
            raise JournalBusy(f"journal {self.path}: is being read, expected nobody at this moment")

    def _has_reached(self, head: Head) -> None:
        self._reached = head
        self._guard.reached(head)


def _behind_archive(path: Path, opening: Opening) -> Opening:
    """The opening of a journal that begins where the running segment of another was taken away: counted behind it."""
    segment = archive.next_number(path)
    if opening.segment >= segment:
        return opening
    return msgspec.structs.replace(opening, segment=segment, parent=opening.parent or _last_name(path))


def _last_name(path: Path) -> str:
    """The name of the journal that was archived last; "" where it cannot be read."""
    try:
        with closing(Segment.view(archive.closed_segments(path)[-1], closed=True)) as segment:
            return segment.name
    except JournalError:
        return ""
