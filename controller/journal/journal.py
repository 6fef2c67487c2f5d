"""The journal: every step is on disk before any screen shows its effect.

A journal consists of `PATH`, the running segment, and `PATH.archive/`, the folder of closed segments. The state of the
table can be computed in two ways: from the steps of all segments, or from the running segment's snapshot and steps.
Damaged, missing and exchanged records are detected, and the error names the first bad record.

One loss cannot be detected from hashes. If only the last commit is lost, the journal looks as if the power had failed
before that commit.

Next to `PATH` are SQLite's `PATH-wal` and `PATH-shm`. The one process that writes the journal locks `PATH.lock`.
`PATH.new` and `PATH.salvaged` exist while a segment is being made. Any thread may use a journal, but only one thread at
a time.
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

from controller.integrity import NO_GUARD, ChainHead, JournalGuard
from controller.journal import archive
from controller.journal.evidence import read_export
from controller.journal.records import Entry, JournalBusy, JournalError, JournalWriteFailed, encode_entries
from controller.journal.segment import Segment
from controller.journal.segment_header import (
    FORMAT_VERSION,
    JournalOrigin,
    LayoutInForce,
    SegmentHeader,
    next_header,
    utc_timestamp,
)
from controller.journal.snapshot import digest_of_bytes
from controller.journal.sqlite_file import (
    BUSY_TIMEOUT_S,
    FileChange,
    FileWatch,
    acquire_lock,
    chained_rows,
    close_quietly,
    compress_state,
    connect,
    create_segment_file,
    delete_segment_files,
    deny_changed_schema,
    missing_journal_error,
    sibling,
)
from hardware.file_replacement import fsync_folder

MAX_BATCH_RECORDS: Final = 10_000
"""Maximum number of records in one `append`.

One event causes far fewer records. Even a call with this number of records takes a short time.
"""
MAX_FLUSHES_KEPT: Final = 10_000
"""Maximum number of durations in `flush_durations_us`, which a very busy table reaches in half an hour."""


_UNCLOSABLE: Final[list[sqlite3.Connection]] = []
"""SQLite connections that must stay open, because closing them would write to a failed disk.

Each disk failure adds a few connections.
"""


class Journal(Segment):
    """The running segment of a journal, open for writing. Use `create` or `open` to get one."""

    def __init__(
        self, path: Path, db: sqlite3.Connection, lock: int, header: SegmentHeader, guard: JournalGuard
    ) -> None:
        super().__init__(path, db)
        self.flush_durations_us: deque[int] = deque(maxlen=MAX_FLUSHES_KEPT)
        """Durations of the latest commits in µs, including the wait for the disk."""
        self.header = header
        """Header of the running segment."""
        self.file_watch = FileWatch(path)
        """Detects whether another program has deleted, replaced or truncated the open files."""
        deny_changed_schema(db)
        self._lock: int | None = lock
        self._guard = guard
        self._write_error = ""
        self._head_written = ChainHead("", 0, 0, b"")

    @classmethod
    def create(
        cls,
        path: Path,
        header: SegmentHeader,
        state: bytes = b"",
        *,
        guard: JournalGuard = NO_GUARD,
        first_entries: Sequence[Entry] = (),
    ) -> Journal:
        """Create a journal that begins with the snapshot `state`, or with the configured table if `state` is empty.

        `first_entries` are its first records.

        The journal is on disk when this returns. If an archive exists at `path`, the new segment gets the number after
        the last archived one. The new journal then names the archived journal as its parent.

        Raises JournalError if a journal, or a part of one, already exists at `path`.
        """
        archive.quarantine_rollback_journal(path)
        lock = acquire_lock(path)
        try:
            for suffix in ("", "-wal", ".salvaged"):
                if sibling(path, suffix).exists():
                    raise JournalError(f"journal {path}: {sibling(path, suffix).name} exists, expected no journal yet")
            header = msgspec.structs.replace(
                _numbered_after_archive(path, header), state_digest=digest_of_bytes(state) if state else ""
            )
            new = sibling(path, ".new")
            bodies = encode_entries(first_entries, header.previous_number + 1)
            create_segment_file(new, header, bodies, {header.previous_number: state} if state else {}, guard)
            new.rename(path)
            fsync_folder(path.parent)
            journal = cls._open_for_writing(path, lock, guard)
            guard.note_commit(journal.committed_head, journal.signature())
            return journal
        except BaseException as error:
            os.close(lock)
            if isinstance(error, (OSError, sqlite3.Error)):
                raise JournalError(f"journal {path}: {error}, expected a path that can be written") from None
            raise

    @classmethod
    def open(
        cls, path: Path, *, guard: JournalGuard = NO_GUARD, defers_marks: bool = False
    ) -> tuple[Journal, SegmentHeader]:
        """Open a journal for writing, verify its running segment, and return the journal with its segment header.

        If `defers_marks` is True, the mark files change only at the first commit or by `publish_head`. A start may then
        be killed before it has recorded what the mark files show.

        Raises JournalBusy if another process writes the journal. Raises JournalError if the journal does not exist or
        is damaged. `salvage_journal` repairs a damaged journal.
        """
        if not path.exists():
            raise missing_journal_error(path)
        archive.quarantine_rollback_journal(path)
        lock = acquire_lock(path)
        try:
            archive.remove_unfinished_rotation(path)
            # Two tables could otherwise write the same file at once, each with a lock of its own.
            if path.is_symlink() or path.stat().st_nlink > 1:
                raise JournalError(f"journal {path}: a link to another file, expected a file with one name")
            journal = cls._open_for_writing(path, lock, guard)
            if not defers_marks:
                guard.note_commit(journal.committed_head, journal.signature())
        except BaseException as error:
            os.close(lock)
            if isinstance(error, OSError):
                raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
            raise
        return journal, journal.header

    @classmethod
    def _open_for_writing(cls, path: Path, lock: int, guard: JournalGuard) -> Journal:
        keep_wal: sqlite3.Connection | None = None
        db: sqlite3.Connection | None = None
        try:
            # SQLite deletes the WAL when the last connection closes, if that connection can write. Therefore close this
            # read-only connection last, so that a damaged journal keeps its WAL.
            keep_wal = connect(path, "ro")
            keep_wal.execute("SELECT count(*) FROM head").fetchone()
            db = connect(path, "rw")
            header = Segment(path, db).read_header()
            # A killed process may leave a WAL that was never flushed and is only in the cache of the operating system.
            # Copy it into the file, because SQLite then flushes it.
            _, frames, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            if (journal_mode := db.execute("PRAGMA journal_mode").fetchone()[0]) != b"wal":
                raise JournalError(f"journal {path}: journal_mode {journal_mode.decode()}, expected wal")
            journal = cls(path, db, lock, header, guard)
            journal.verify(frames)
            journal._head_written = journal.chain_head()
            guard.adopt_head(journal._head_written)
            return journal
        except sqlite3.Error as error:
            close_quietly(db)
            raise JournalError(f"journal {path}: {error}, expected a journal that can be written") from None
        except BaseException:
            close_quietly(db)
            raise
        finally:
            close_quietly(keep_wal)

    @property
    def last_number(self) -> int:
        """Number of the last record, or 0 if the journal has no record yet."""
        return self._head_written.number

    @property
    def committed_head(self) -> ChainHead:
        """The head of the journal: its name, its segment, and the number and hash of the last record on disk."""
        return self._head_written

    @property
    def is_writable(self) -> bool:
        """True if records can be appended. A journal in the previous format must first begin a new segment."""
        return self.header.format_version == FORMAT_VERSION and not self._write_error

    @property
    def segment_record_count(self) -> int:
        """Number of records in the running segment, which the next start must replay."""
        return self._head_written.number - self.header.previous_number

    def append(self, entries: Sequence[Entry], state: bytes = b"", amounts: Sequence[int] = ()) -> int:
        """Write the entries in one transaction, and return the number of the last record.

        The records are on disk when this returns. `state` is a snapshot of the table's state after the last entry, or
        empty bytes. `amounts` are the amounts at the table after the last entry, of which a digest is recorded.

        Raises JournalError if an entry is invalid. Then nothing was written, and the journal can still be used. Raises
        JournalWriteFailed if writing fails. Every later call then also raises JournalWriteFailed.
        """
        self._require_writable()
        if len(entries) > MAX_BATCH_RECORDS:
            raise JournalError(
                f"journal {self.path}: {len(entries)} records at once, expected at most {MAX_BATCH_RECORDS}"
            )
        if not entries:
            return self.last_number
        first_number = self.last_number + 1
        hand_end = {"created_at": utc_timestamp(), "state_digest": digest_of_bytes(state)} if state else {}
        bodies = encode_entries(entries, first_number, **hand_end, amounts=amounts)
        rows = chained_rows(self._head_written.hash, bodies, first_number)
        number, _, last_hash = rows[-1]
        head = ChainHead(self._head_written.journal, self._head_written.segment, number, last_hash)
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO record VALUES (?, ?, ?)", rows)
            if state:
                self._db.execute("INSERT INTO state VALUES (?, ?)", (number, compress_state(state)))
            signature = self._guard.sign(head)
            self._db.execute(
                "UPDATE head SET number = ?, hash = ?, seal = ? WHERE one = 1", (number, last_hash, signature)
            )
            began_ns = time.perf_counter_ns()
            self._db.execute("COMMIT")
        except BaseException as error:
            is_denied = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH
            problem = "another program has changed the SQL schema" if is_denied else error
            self._write_error = (
                f"journal {self.path}: writing record {first_number} failed ({problem}): never write it again"
            )
            if isinstance(error, sqlite3.Error):
                raise JournalWriteFailed(self._write_error, first_number) from error
            raise
        self.flush_durations_us.append((time.perf_counter_ns() - began_ns) // 1000)
        self._head_written = head
        self._guard.note_commit(head, signature)
        if state:  # the end of a hand
            self._guard.send_head(head, signature)
        return number

    def append_and_check(
        self, entries: Sequence[Entry], state: bytes, amounts: Sequence[int]
    ) -> tuple[str, FileChange] | None:
        """Append the entries. Return the change if another program has changed the files, otherwise None."""
        self.append(entries, state, amounts)
        return self.file_watch.find_change()

    def publish_head(self) -> None:
        """Note the head in the mark files, and send it to all targets outside the table.

        A head without a signature is not sent if the table has a key. Raises JournalError if the signature cannot be
        read.
        """
        signature, has_key = self.signature(), bool(self._guard.public_keys or self._guard.key_error)
        self._guard.note_commit(self._head_written, signature)
        if self.last_number and bool(signature) == has_key:
            self._guard.send_head(self._head_written, signature)

    def rotate(
        self,
        state: bytes,
        origin: JournalOrigin = "",
        recent_commands: tuple[str, ...] = (),
        *,
        config: str | None = None,
        layout: LayoutInForce | None = None,
        first_entries: Sequence[Entry] = (),
    ) -> None:
        """Move the running segment to the archive and begin a new segment with the snapshot `state`.

        `first_entries` are the first records of the new segment, so that a kill cannot come between.

        - If `origin` is empty, the new segment continues the journal.
        - If `origin` names a reason, the new segment begins a new journal, and the current journal is its parent. Only
          a new journal may have another `config`. If `state` is empty, the new journal begins with the configured
          table.

        `recent_commands` and `layout` are stored in the new header. If `layout` is None, the new header has the layout
        of the old one. If the process is killed during the rotation, the running segment is either the old or the new
        segment.

        Raises JournalBusy if another process is reading the file, JournalError if nothing can be written. The journal
        can still be used after both errors. Raises JournalWriteFailed if the journal cannot be used any longer.
        """
        if self._write_error:
            raise JournalWriteFailed(self._write_error)
        _, segment, number, last_hash = self._head_written
        header = next_header(self.header, self._head_written.journal, number, last_hash, origin, config)
        header = msgspec.structs.replace(
            header,
            state_digest=digest_of_bytes(state) if state else "",
            recent_commands=recent_commands,
            layout=layout or header.layout,
        )
        new = sibling(self.path, ".new")
        try:
            bodies = encode_entries(first_entries, header.previous_number + 1)
            states = {header.previous_number: state} if state else {}
            create_segment_file(new, header, bodies, states, self._guard)
            self._empty_wal()
            archive.link_into_archive(self.path, segment)
        except (OSError, sqlite3.Error) as error:
            delete_segment_files(new)
            archive.remove_unfinished_rotation(self.path)
            # The WAL may have been emptied. Start a new watch, which does not report the shorter WAL as a change.
            self.file_watch = FileWatch(self.path)
            raise JournalError(f"journal {self.path}: {error}, expected a new segment file") from None
        try:
            close_quietly(self._db)
            # SQLite must not use the WAL of the old file with the new file. Other processes may still read the old
            # file.
            for suffix in ("-wal", "-shm"):
                sibling(self.path, suffix).unlink(missing_ok=True)
            new.rename(self.path)
            fsync_folder(self.path.parent)
            archive.make_read_only(self.path, segment)
            self._db = connect(self.path, "rw")
            deny_changed_schema(self._db)
            self.header = self.read_header()
            self.file_watch = FileWatch(self.path)
            self._head_written, signature = self.signed_head()
            self._guard.note_commit(self._head_written, signature)
        except (OSError, sqlite3.Error, JournalError) as error:
            self._write_error = f"journal {self.path}: beginning another segment failed ({error}): never write it again"
            raise JournalWriteFailed(self._write_error) from error

    def close(self) -> None:
        """Close the file and release the lock. Closing it again has no effect."""
        super().close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            self._guard.close()

    def abandon(self) -> None:
        """Close the files without writing to them. A normal close would copy the WAL into the file."""
        reader: sqlite3.Connection | None = None
        try:
            # SQLite copies the WAL when the last connection closes, but only if that connection can write. So make sure
            # that a read-only connection closes last.
            reader = connect(self.path, "ro")
            reader.execute("SELECT count(*) FROM head").fetchone()
        except sqlite3.Error:
            _UNCLOSABLE.append(self._db)
        else:
            close_quietly(self._db)
        close_quietly(reader)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._write_error = self._write_error or f"journal {self.path}: was abandoned"

    def _require_writable(self) -> None:
        if self._write_error:
            raise JournalWriteFailed(self._write_error)
        if self._lock is None:
            raise JournalError(f"journal {self.path}: closed, expected open for writing")
        if self.header.format_version != FORMAT_VERSION:
            raise JournalError(
                f"journal {self.path}: format {self.header.format_version}, expected a new segment first"
            )

    def _empty_wal(self) -> None:
        """Copy the WAL into the file. Raises JournalBusy or sqlite3.Error."""
        self._db.execute("PRAGMA busy_timeout = 0")
        try:
            busy, _, _ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {round(BUSY_TIMEOUT_S * 1000)}")
        if busy:
            raise JournalBusy(f"journal {self.path}: another process reads it, expected no reader at this moment")


def _numbered_after_archive(path: Path, header: SegmentHeader) -> SegmentHeader:
    """Return the header with a segment number that follows the numbers in the archive at `path`.

    If somebody deleted the running segment but its archive still exists, a new journal names the archived journal as
    its parent.
    """
    segment = archive.next_segment_number(path)
    if header.segment >= segment:
        return header
    return msgspec.structs.replace(
        header, segment=segment, parent_journal=header.parent_journal or _last_archived_name(path)
    )


def _last_archived_name(path: Path) -> str:
    """Return the name of the journal that was archived last, or "" if it cannot be read."""
    last_number = archive.next_segment_number(path) - 1
    closed_path = archive.closed_segment_path(path, last_number)
    try:
        if not closed_path.exists():
            return read_export(closed_path.with_suffix(archive.EXPORT_SUFFIX)).ends.head.journal
        with closing(Segment.open_read_only(closed_path, closed=True)) as segment:
            return segment.journal_name
    except JournalError:
        return ""
