"""High-water marks: how far a journal had come, noted outside of it.

A journal whose end was cut off, or that was replaced by an older copy of itself, is whole in itself; that it once went
on is known only where something else remembers. A mark is a file of two slots that are written in turn, so that a
write that was cut short leaves the one before. A record is on the disk before a mark names it: after a power cut a mark
may be behind its journal and never ahead.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from pathlib import Path
from typing import Final, Literal

import msgspec

from controller.seals.heads import Head, SealError
from hardware.bad_input import read_file

SLOT_BYTES: Final = 512
"""One slot: a sector, the least that a disk writes in one piece."""
SLOTS: Final = 2
MOST_BYTES: Final = 100_000
"""Read of what may be another kind of file."""
STUCK_S: Final = 5.0
"""A device that takes longer than this for one write is told; a worn memory card may take a second."""
CLOSE_S: Final = 1.0
"""What the end of the service waits for a mark on another device."""
MOST_NAME: Final = 64
"""Characters of a journal's name: a hash in hex."""

State = Literal["open", "closed", "dark"]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a journal had come. `open`: it was being written; `closed`: it was ended in order; `dark`: the table
    played on without records, `unrecorded` steps long. `turn` counts the writes; `check` is the hash of the rest."""

    turn: int
    journal: str
    segment: int
    number: int
    hash: str
    state: State = "open"
    unrecorded: int = 0
    check: str = ""

    @property
    def head(self) -> Head:
        """The head that was reached."""
        return Head(self.journal, self.segment, self.number, bytes.fromhex(self.hash))


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Mark).decode


def _check_of(mark: Mark) -> str:
    return hashlib.blake2b(_encode(msgspec.structs.replace(mark, check="")), digest_size=8).hexdigest()


def _slot(mark: Mark) -> bytes:
    text = _encode(msgspec.structs.replace(mark, check=_check_of(mark)))
    return text.ljust(SLOT_BYTES - 1) + b"\n"


def _in_slot(data: bytes) -> Mark | None:
    """The mark of a slot; None where there is no whole one."""
    try:
        mark = _decode(data)
        whole = _check_of(mark) == mark.check and bytes.fromhex(mark.hash) and len(mark.journal) <= MOST_NAME
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return mark if whole else None


def read_mark(path: Path) -> Mark | None:
    """The last whole mark of a file; None where there is no file, or nothing in it. Raises SealError where it holds no
    mark."""
    try:
        data = read_file(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SealError(f"{path}: {error.strerror or error}, expected a high-water mark") from None
    found = [mark for at in range(SLOTS) if (mark := _in_slot(data[at * SLOT_BYTES : (at + 1) * SLOT_BYTES]))]
    if not any(data):
        return None
    if len(data) > SLOTS * SLOT_BYTES or not found:
        raise SealError(f"{path}: damaged or another kind of file, expected a high-water mark")
    return max(found, key=lambda mark: mark.turn)


class MarkFile:
    """A mark beside its journal: written at once, and left to the system to be stored. Never raises: `trouble` says
    why the last write failed, "" where it did not."""

    synced: bool = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        self._descriptor = -1
        self._place = (0, 0)
        self._turn = 0

    def write(self, head: Head, state: State = "open", unrecorded: int = 0) -> None:
        """Notes that a journal has come so far."""
        try:
            self._write(head, state, unrecorded)
            self.trouble = ""
        except OSError as error:
            self._let_go()
            self.trouble = error.strerror or str(error)

    def close(self) -> None:
        """Gives the file back."""
        self._let_go()

    def _write(self, head: Head, state: State, unrecorded: int) -> None:
        if self._descriptor < 0 or not self._in_place():
            self._let_go()
            self._take_hold()
        self._turn += 1
        mark = Mark(
            turn=self._turn,
            journal=head.journal,
            segment=head.segment,
            number=head.number,
            hash=head.hash.hex(),
            state=state,
            unrecorded=unrecorded,
        )
        os.pwrite(self._descriptor, _slot(mark), self._turn % SLOTS * SLOT_BYTES)
        if self.synced:
            os.fdatasync(self._descriptor)

    def _take_hold(self) -> None:
        try:
            before = read_mark(self.path)
        except SealError:
            before = None
        # After a damaged mark the count goes on from the clock: it stays above what the other slot may hold.
        self._turn = max(self._turn, before.turn if before is not None else time.time_ns() if self.path.exists() else 0)
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        found = os.fstat(self._descriptor)
        self._place = found.st_dev, found.st_ino
        if found.st_size != SLOTS * SLOT_BYTES:
            os.ftruncate(self._descriptor, SLOTS * SLOT_BYTES)

    def _in_place(self) -> bool:
        """Whether the open file is still the one of that name."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (found.st_dev, found.st_ino) == self._place

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class FarMark:
    """A mark on another device, stored (fdatasync) before the next is begun, by a thread of its own: a device that
    fails or hangs keeps nobody waiting. Of heads that follow one another faster than it stores, the last is noted."""

    def __init__(self, path: Path) -> None:
        self._file = MarkFile(path)
        self._file.synced = True
        self._next: tuple[Head, State, int] | None = None
        self._since = 0.0
        """When the write that is under way was begun; 0 for none."""
        self._ended = False
        self._idle = True
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="high-water", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._file.path

    @property
    def trouble(self) -> str:
        """Why the mark is behind; "" where it is not."""
        since = self._since
        if since and time.monotonic() - since > STUCK_S:
            return "the device does not answer"
        return self._file.trouble

    def write(self, head: Head, state: State = "open", unrecorded: int = 0) -> None:
        """Notes that a journal has come so far, soon."""
        with self._news:
            self._next = head, state, unrecorded
            self._idle = False
            self._news.notify_all()

    def settled(self, within_s: float) -> bool:
        """Waits until all that was told is stored, or has failed; False where that takes longer."""
        with self._news:
            return self._news.wait_for(lambda: self._idle, within_s)

    def close(self) -> None:
        """Ends the thread, after what was told last where the device takes it soon."""
        with self._news:
            self._ended = True
            self._news.notify_all()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        while True:
            with self._news:
                self._idle = self._next is None
                self._news.notify_all()
                self._news.wait_for(lambda: self._next is not None or self._ended)
                if self._next is None:
                    break
                told, self._next = self._next, None
            self._since = time.monotonic()
            self._file.write(*told)
            self._since = 0.0
        self._file.close()
