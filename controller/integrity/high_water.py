"""High-water marks: small files outside a journal that name the last record of the journal.

If somebody cuts a journal, or replaces it by an older copy, all remaining hashes and signatures are valid. Only a note
in another place shows that the journal was once longer.

A mark file has two slots, which are written in turn. If a write is interrupted, the other slot is still intact. A
record is on disk before a mark names it. After a power cut a mark may therefore be behind its journal, but never ahead.

A mark moves along with its journal. A mark on another device therefore has a log beside it, `PATH.heads`, to which the
signed heads are only appended: after each hand, at each start, and before this process first changes a mark that it has
not written. The device may be plugged in after the start, or exchanged. The log keeps what a mark has named.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from controller.integrity.signatures import ChainHead, IntegrityFileError
from hardware.text_input_validation import read_file

SLOT_BYTES: Final = 512
"""Size in bytes of a slot in a mark file. This is one sector, the smallest unit that a disk writes in one piece."""
SLOTS: Final = 2
MAX_FILE_BYTES: Final = 100_000
"""Maximum number of bytes that are read from a mark file.

The configured path may lead to a huge file that is not a mark file.
"""
WRITE_TIMEOUT_S: Final = 5.0
"""Duration in seconds above which an unfinished write of a mark is reported as a problem.

A worn memory card may need one second.
"""
HEAD_LOG_SUFFIX: Final = ".heads"
"""Suffix of the log of signed heads beside a mark on another device."""
CLOSE_TIMEOUT_S: Final = 1.0
"""Maximum time in seconds for which a service that stops waits until the last mark is on another device."""
MAX_JOURNAL_NAME: Final = 64
"""Maximum number of characters in a journal's name, which is a hash in hex."""

StoredNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""Number in a mark or a head, which anybody may have written. SQLite refuses larger numbers than 2**63."""
_LINK_TEXT: Final = "a link to another file"

MarkState = Literal["open", "closed", "dark"]
"""State of the journal when the mark was written.

- `open`: the journal was being written.
- `closed`: the journal was closed properly.
- `dark`: the table played on without recording.
"""


_WRITTEN_NAMES: Final = {"write_count": "turn", "unrecorded_steps": "unrecorded", "checksum": "check"}
"""Names of some fields in mark files. The code has renamed these fields, but mark files keep the old names."""


class HighWaterMark(msgspec.Struct, frozen=True, kw_only=True, rename=_WRITTEN_NAMES):
    """The last record of a journal and the state of the journal, as noted in a mark file.

    `write_count` is 1 in the first note of a file and grows by 1 with each note. `unrecorded_steps` is the number of
    steps that were not recorded in the state `dark`. `signature` is the table's signature of the record in hex, or "".
    `checksum` is the hash of the other fields.
    """

    write_count: StoredNumber
    journal: str
    segment: StoredNumber
    number: StoredNumber
    hash: str
    state: MarkState = "open"
    unrecorded_steps: StoredNumber = 0
    signature: str = ""
    checksum: str = ""

    @property
    def head(self) -> ChainHead:
        """The head of the journal, that is its last record with its hash, when the mark was written."""
        return ChainHead(self.journal, self.segment, self.number, bytes.fromhex(self.hash))


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(HighWaterMark).decode


def _checksum_of(mark: HighWaterMark) -> str:
    return hashlib.blake2b(_encode(msgspec.structs.replace(mark, checksum="")), digest_size=8).hexdigest()


def _encode_slot(mark: HighWaterMark) -> bytes:
    """Return the bytes of a mark that has no checksum yet, with its checksum."""
    # This is called for each commit. The checksum is the last field, and is put between its empty quotes.
    text = _encode(mark)
    checksum = hashlib.blake2b(text, digest_size=8).hexdigest()
    return (text[:-2] + checksum.encode() + text[-2:]).ljust(SLOT_BYTES - 1) + b"\n"


def _decode_slot(data: bytes) -> HighWaterMark | None:
    """Return the mark that the bytes of one slot contain, or None if the slot is empty or damaged."""
    try:
        mark = _decode(data)
        bytes.fromhex(mark.signature)
        is_valid = (
            _checksum_of(mark) == mark.checksum and bytes.fromhex(mark.hash) and len(mark.journal) <= MAX_JOURNAL_NAME
        )
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return mark if is_valid else None


def read_mark(path: Path) -> HighWaterMark | None:
    """Return the newest valid mark in a file, or None if the file is missing or empty.

    Raises IntegrityFileError if the file has no valid mark.
    """
    try:
        if path.is_symlink() or os.stat(path).st_nlink > 1:
            raise OSError(errno.EMLINK, _LINK_TEXT)
        data = read_file(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IntegrityFileError(f"{path}: {error.strerror or error}, expected a high-water mark") from None
    marks = [mark for slot in range(SLOTS) if (mark := _decode_slot(data[slot * SLOT_BYTES : (slot + 1) * SLOT_BYTES]))]
    if not any(data):
        return None
    if len(data) > SLOTS * SLOT_BYTES or not marks:
        raise IntegrityFileError(f"{path}: damaged or another kind of file, expected a high-water mark")
    return max(marks, key=lambda mark: mark.write_count)


def open_without_links(path: Path, extra_flags: int = 0) -> int:
    """Open a file for reading and writing, create it if it is missing, and return its descriptor.

    `extra_flags` are more flags for `os.open`, such as `os.O_APPEND`.

    Raises OSError if the path is a symbolic link, or if the file has a second name. A write would otherwise destroy
    the other file, which somebody may have chosen on purpose.
    """
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags | extra_flags, 0o644)
    except OSError as error:
        raise OSError(error.errno, _LINK_TEXT if error.errno == errno.ELOOP else error.strerror) from None
    status = os.fstat(descriptor)
    is_regular = stat.S_ISREG(status.st_mode)
    if status.st_nlink > 1 or not is_regular:
        os.close(descriptor)
        raise OSError(errno.EMLINK, _LINK_TEXT) if is_regular else OSError(errno.EINVAL, "not a regular file")
    return descriptor


class MarkFile:
    """A mark file next to a journal, which names the journal's last record.

    Each note is written at once, but the operating system flushes it to the disk later. The methods never raise.
    `error` is the reason why the last write failed, or "".
    """

    is_fsynced: bool = False

    def __init__(self, path: Path, keep: Callable[[HighWaterMark], None] | None = None) -> None:
        """`keep` stores a mark of another process elsewhere. It may raise OSError, and then the mark stays."""
        self.path = path
        self._name = str(path)
        self.error = ""
        self._descriptor = -1
        self._file_identity = (0, 0)
        self._write_count = 0
        self._keep = keep
        self._known_head: ChainHead | None = None
        """Head that this process has written into the mark or has kept, or None before that."""

    def write(self, head: ChainHead, signature: bytes = b"", state: MarkState = "open", unrecorded: int = 0) -> None:
        """Write the signed head of the journal, that is its last record with its hash, into the mark file."""
        try:
            self._write(head, signature, state, unrecorded)
            self.error = ""
        except OSError as error:
            self._close_file()
            self.error = error.strerror or str(error)

    def close(self) -> None:
        """Close the file."""
        self._close_file()

    def _write(self, head: ChainHead, signature: bytes, state: MarkState, unrecorded: int) -> None:
        if self._descriptor < 0 or not self._is_same_file():
            self._close_file()
            self._open_file()
        self._write_count += 1
        mark = HighWaterMark(
            write_count=self._write_count,
            journal=head.journal,
            segment=head.segment,
            number=head.number,
            hash=head.hash.hex(),
            state=state,
            unrecorded_steps=unrecorded,
            signature=signature.hex(),
        )
        os.pwrite(self._descriptor, _encode_slot(mark), self._write_count % SLOTS * SLOT_BYTES)
        self._known_head = head
        if self.is_fsynced:
            os.fdatasync(self._descriptor)

    def _open_file(self) -> None:
        try:
            previous = read_mark(self.path)
        except IntegrityFileError:
            previous = None
        if self._keep is not None and previous is not None and previous.head != self._known_head:
            self._keep(previous)
            self._known_head = previous.head
        # If the file is damaged, its last write count is unknown. Continue with the clock in ns, which is larger than
        # any earlier count.
        self._write_count = max(
            self._write_count,
            previous.write_count if previous is not None else time.time_ns() if self.path.exists() else 0,
        )
        self._descriptor = open_without_links(self.path)
        status = os.fstat(self._descriptor)
        self._file_identity = status.st_dev, status.st_ino
        if status.st_size != SLOTS * SLOT_BYTES:
            os.ftruncate(self._descriptor, SLOTS * SLOT_BYTES)

    def _is_same_file(self) -> bool:
        """Return True if the path still leads to the file that is open."""
        try:
            status = os.lstat(self._name)
        except FileNotFoundError:
            return False
        return (status.st_dev, status.st_ino) == self._file_identity

    def _close_file(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class ExternalMarkFile:
    """A mark file on another device than the journal. A separate thread writes the file.

    Each note is flushed with fdatasync before the next one is written. The table never waits for the device. If heads
    arrive faster than the device can store them, only the last head is noted.
    """

    def __init__(self, path: Path, keep: Callable[[HighWaterMark], None] | None = None) -> None:
        self._file = MarkFile(path, keep)
        self._file.is_fsynced = True
        self._next_note: tuple[ChainHead, bytes, MarkState, int] | None = None
        self._write_began_s = 0.0
        """Monotonic time in seconds at which the current write began, or 0 between writes."""
        self._is_closing = False
        self._is_idle = True
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="high-water", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """Path of the mark."""
        return self._file.path

    @property
    def error(self) -> str:
        """Reason why the last head is not in the mark file yet, or "" if there is no problem."""
        began_s = self._write_began_s
        if began_s and time.monotonic() - began_s > WRITE_TIMEOUT_S:
            return "the device does not answer"
        return self._file.error

    def write(self, head: ChainHead, signature: bytes = b"", state: MarkState = "open", unrecorded: int = 0) -> None:
        """Ask the thread to write the signed head of the journal, that is its last record, into the mark file."""
        with self._condition:
            self._next_note = head, signature, state, unrecorded
            self._is_idle = False
            self._condition.notify_all()

    def wait_until_stored(self, timeout_s: float) -> bool:
        """Wait until the last note is stored or has failed.

        Return False if this takes longer than `timeout_s` seconds.
        """
        with self._condition:
            return self._condition.wait_for(lambda: self._is_idle, timeout_s)

    def close(self) -> None:
        """Wait until the last note is stored, but at most `CLOSE_TIMEOUT_S` seconds, and end the thread."""
        with self._condition:
            self._is_closing = True
            self._condition.notify_all()
        self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        while True:
            with self._condition:
                self._is_idle = self._next_note is None
                self._condition.notify_all()
                self._condition.wait_for(lambda: self._next_note is not None or self._is_closing)
                if self._next_note is None:
                    break
                note, self._next_note = self._next_note, None
            self._write_began_s = time.monotonic()
            self._file.write(*note)
            self._write_began_s = 0.0
        self._file.close()


def head_log_path(mark: Path) -> Path:
    """Return the path of the log of signed heads beside a mark on another device."""
    return mark.with_name(mark.name + HEAD_LOG_SUFFIX)
