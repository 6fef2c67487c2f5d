"""The guard of a journal: it signs the last record before each commit, and names it in mark files afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from controller.integrity.high_water import (
    ExternalMarkFile,
    HighWaterMark,
    MarkFile,
    MarkState,
    head_log_path,
    read_mark,
)
from controller.integrity.sent_heads import HeadLogFile, HeadSender, encode_head, make_head_sender
from controller.integrity.signatures import ChainHead, IntegrityFileError, TableKey, challenge_context_at, read_key
from hardware.badges import NO_CHALLENGE_CONTEXT, Badge, ChallengeContext

MARK_SUFFIX: Final = ".mark"
"""Suffix of the mark file next to a journal."""


class _Marks(Protocol):
    """A file with the high-water mark of a journal. It may be next to the journal or on another device."""

    @property
    def path(self) -> Path: ...
    @property
    def error(self) -> str: ...
    def write(
        self, head: ChainHead, signature: bytes = b"", state: MarkState = "open", unrecorded: int = 0
    ) -> None: ...
    def close(self) -> None: ...


class JournalGuard:
    """Protects a journal with the table's key, with mark files and with the house's badges.

    The key, the mark files and the badges may each be missing. The methods never raise, because a failing guard must
    not stop the journal. Problems are reported in `key_error` and `mark_error`.
    """

    def __init__(
        self,
        key: TableKey | Path | None = None,
        marks: Sequence[_Marks] = (),
        badges: Sequence[Badge] | None = None,
        head_senders: Sequence[HeadSender] = (),
    ) -> None:
        self.key = key if isinstance(key, TableKey) else None
        self.key_error = ""
        """Reason why the key file cannot be read. The text is "" if the file was read or no file is used."""
        self._key_file = key if isinstance(key, Path) else None
        self.marks = tuple(marks)
        self.badges = badges
        self._head_senders = tuple(head_senders)
        self._head: ChainHead | None = None
        self._signature = b""

    @property
    def public_keys(self) -> tuple[str, ...]:
        """Public keys in hex. A signature of the journal is valid if one of these keys confirms it."""
        return (self.key.public_key,) if self.key is not None else ()

    def try_load_key(self) -> None:
        """Read the key file unless it has been read already. Any thread may call this."""
        if self.key is None and self._key_file is not None:
            try:
                self.key, self.key_error = read_key(self._key_file), ""
            except IntegrityFileError as error:
                self.key_error = str(error)

    def sign(self, head: ChainHead) -> bytes:
        """Return the signature of a journal's head (its last record), or empty bytes if no key has been read."""
        return self.key.sign(head) if self.key is not None else b""

    def adopt_head(self, head: ChainHead) -> None:
        """Take the last record of a journal that was opened, and leave the mark files as they are."""
        self._head, self._signature = head, b""

    def note_commit(self, head: ChainHead, signature: bytes = b"") -> None:
        """Note in all mark files that the records up to `head`, the journal's last record, are on disk."""
        self._head, self._signature = head, signature
        for mark in self.marks:
            mark.write(head, signature)

    def send_head(self, head: ChainHead, signature: bytes) -> None:
        """Send the signed head of the journal to all targets outside the table. The head is already on disk."""
        for sender in self._head_senders:
            sender.send(head, signature)

    def note_unrecorded(self, unrecorded: int, *, include_local_mark: bool = True) -> None:
        """Note in the mark files that recording has stopped, and how many steps are missing since then.

        If this process has not opened a journal, the last record is taken from the mark files. If `include_local_mark`
        is False, the mark file on the journal's disk is neither read nor written.
        """
        self._head = self._head or (self.noted_head() if include_local_mark else None)
        for mark in self.marks:
            if self._head is not None and (include_local_mark or isinstance(mark, ExternalMarkFile)):
                mark.write(self._head, self._signature, "dark", unrecorded)

    def close(self) -> None:
        """Note in the mark files that the journal was closed properly, and close the mark files."""
        for mark in self.marks:
            if self._head is not None:
                mark.write(self._head, self._signature, "closed")
            mark.close()
        for sender in self._head_senders:
            sender.close()

    def noted_head(self) -> ChainHead | None:
        """Return the latest head in the mark files, or None if they have none."""
        heads: list[ChainHead] = []
        for mark in self.marks:
            with suppress(IntegrityFileError):
                if (noted := read_mark(mark.path)) is not None:
                    heads.append(noted.head)
        return max(heads, key=lambda head: (head.segment, head.number), default=None)

    def challenge_context(self) -> ChallengeContext:
        """Return the name and the last record of the journal, which the next challenge to a badge must include.

        Any thread may call this.
        """
        head = self._head
        return challenge_context_at(head) if head is not None else NO_CHALLENGE_CONTEXT

    @property
    def mark_error(self) -> str:
        """Reason why a mark file or a head cannot be brought to another device, or "" if there is no problem.

        Errors of the mark file next to the journal are left out. They are errors of the journal's disk, which are
        reported for the journal itself.
        """
        errors = [mark.error for mark in self.marks if isinstance(mark, ExternalMarkFile)]
        return next(filter(None, [*errors, *(sender.error for sender in self._head_senders)]), "")


NO_GUARD: Final = JournalGuard()
"""Guard of a journal without key, mark files and badges. This guard protects nothing."""


def local_mark_path(path: Path) -> Path:
    """Return the path of the mark file that is next to the journal at `path`."""
    return path.with_name(path.name + MARK_SUFFIX)


def make_guard(
    path: Path,
    key: TableKey | Path | None = None,
    high_water: Path | None = None,
    badges: Sequence[Badge] | None = None,
    head_targets: Sequence[str] = (),
    heads_ca: Path | None = None,
) -> JournalGuard:
    """Return a guard for the journal at `path`, which writes the mark file next to that journal.

    `high_water` is the path of another mark file, on another device, with a log of signed heads beside it. If `key` is
    a path, the key file is read later, because the device with this file may not be plugged in yet. `head_targets`
    receive the signed head after each hand: `syslog`, HTTP addresses, or paths of files. `heads_ca` has the
    certificates for the addresses.

    Raises IntegrityFileError if an address is not valid.
    """
    marks: list[MarkFile | ExternalMarkFile] = [MarkFile(local_mark_path(path))]
    senders = [make_head_sender(target, heads_ca) for target in head_targets]
    if high_water is not None:
        log = HeadLogFile(head_log_path(high_water))
        marks.append(ExternalMarkFile(high_water, keep=partial(_append_mark, log)))
        senders.append(HeadSender(log))
    return JournalGuard(key, marks, badges, senders)


def _append_mark(log: HeadLogFile, mark: HighWaterMark) -> None:
    """Append the head that a mark names to the log beside the mark. Raises OSError."""
    log.deliver(encode_head(mark.head, bytes.fromhex(mark.signature)))
