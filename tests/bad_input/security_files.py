"""Valid examples of every kind of security file, each with a function that reads such a file.

A security file protects a table or may contain a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.integrity import (
    IntegrityFileError,
    TableKey,
    local_mark_path,
    make_guard,
    read_key,
    read_mark,
    read_public_key,
)
from controller.journal import Entry, Journal, JournalError, Segment, audit_journal, new_header
from controller.journal.archive import closed_segments
from controller.steps import Declaration, hand_steps
from firmware_bridge.panel import PanelDriver
from hardware.badges import BadgeError, load_badges, read_uid, request_proof
from hardware.chip_register import RegisterError, parse_chip_list, sign_text, verify_text

SECRET: Final = "5ec1e7" * 10 + "5ec1"
"""Secret key of 64 hexadecimal digits. No error message may repeat a part of this key."""
MIN_LEAK_DIGITS: Final = 8
"""Minimum number of consecutive digits of the secret key that count as a leak in an error message."""
BADGES: Final = f"""[[badges]]
uid  = "04A1B2C3"
name = "Ann"
role = "floor"
key  = "{SECRET}"

[[badges]]
uid  = "04A1B2C3D4E5F6"
name = "Bob"
role = "dealer"
""".encode()
CHIPS: Final = b"""house  = "Grand Casino"
number = 12
ranges  = [ { denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" } ]
listed  = { E00401500100A0F1 = 100 }
revoked = ["E004015000250017"]
"""
RAM_FOLDER: Final = Path("/dev/shm")
"""Folder in memory instead of on the disk, because the tests write a hundred thousand files of every kind."""
KEY: Final = TableKey(SECRET)
RECORDS: Final = 12
"""Number of records in the valid journal."""


class FileKind(NamedTuple):
    """A kind of file, with the functions that the tests need.

    `good_files` returns valid files, and `load` reads the bytes of a file. If the file is invalid, `load` raises one
    of the errors in `rejection_errors`.
    """

    good_files: Callable[[], tuple[bytes, ...]]
    load: Callable[[bytes], object]
    rejection_errors: tuple[type[Exception], ...]


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return the temporary folder that all written files share."""
    return TemporaryDirectory(dir=RAM_FOLDER if RAM_FOLDER.is_dir() else None)


def _write(name: str, data: bytes) -> Path:
    """Write a file that only its owner may read, and return its path."""
    path = Path(_folder().name) / name
    if not path.exists():
        path.touch(mode=0o600)
    path.write_bytes(data)
    return path


@cache
def _journal() -> Path:
    """Write a journal with an archive and a file that names its last record, and return its path."""
    path = Path(_folder().name) / "good.journal"
    with closing(Journal.create(path, new_header("{}"), guard=make_guard(path, KEY))) as journal:
        for number in range(RECORDS):
            journal.append([Entry(number, hand_steps.Declares(3, Declaration("raise", number + 1)), "dealer")])
        journal.rotate(b"state")
    return path


def _audit(data: bytes) -> None:
    """Audit a journal that consists of these bytes. Raise JournalError with the first finding."""
    path = _write("other.journal", data)
    findings = audit_journal(path, (KEY.public_key,), (local_mark_path(_journal()),)).findings
    if findings:
        raise JournalError(findings[0].line)


def _verify_archived(data: bytes) -> None:
    """Verify a closed journal segment that consists of these bytes. Raise JournalError if it is damaged."""
    with closing(Segment.open_read_only(_write("archived.journal", data), closed=True)) as segment:
        segment.verify()


class _ConstantCard:
    """Badge card that answers every command with the same bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def transmit(self, command: bytes) -> bytes:
        return self._data

    def close(self) -> None:
        pass


def _read_card(data: bytes) -> None:
    """Read the UID of a card that always answers with these bytes.

    Also verify that such a card cannot prove that it is the badge.
    """
    read_uid(_ConstantCard(data))
    assert request_proof(_ConstantCard(data), bytes.fromhex(SECRET)) is None


def _read_panel(data: bytes) -> None:
    """Give the bytes to the driver of a panel board."""
    driver = PanelDriver("keys")
    driver.on_port_opened(0)
    driver.receive_data(data, 1)


FILE_KINDS: Final[Mapping[str, FileKind]] = {
    "badges": FileKind(lambda: (BADGES,), lambda data: load_badges(_write("badges.toml", data)), (BadgeError,)),
    "keys": FileKind(
        lambda: (f"{SECRET}\n".encode(),), lambda data: read_key(_write("table.key", data)), (IntegrityFileError,)
    ),
    "public keys": FileKind(
        lambda: (f"{SECRET}\n".encode(),),
        lambda data: read_public_key(_write("table.key.pub", data)),
        (IntegrityFileError,),
    ),
    "marks": FileKind(
        lambda: (local_mark_path(_journal()).read_bytes(),),
        lambda data: read_mark(_write("far.mark", data)),
        (IntegrityFileError,),
    ),
    "chips": FileKind(lambda: (CHIPS,), lambda data: parse_chip_list(data, "chips.toml"), (RegisterError,)),
    "signed chips": FileKind(
        lambda: (sign_text(CHIPS, SECRET),),
        lambda data: verify_text(data, KEY.public_key, "chips.toml"),
        (RegisterError,),
    ),
    "journals": FileKind(lambda: (_journal().read_bytes(),), _audit, (JournalError,)),
    "archives": FileKind(lambda: (closed_segments(_journal())[0].read_bytes(),), _verify_archived, (JournalError,)),
    "cards": FileKind(lambda: (b"\x04\xa1\xb2\xc3\x90\x00", b"\x61\x20", bytes(32) + b"\x90\x00"), _read_card, ()),
    "boards": FileKind(lambda: (bytes(range(40)), b"\x03\x01\x02\x00\x05\x11\x22\x33\x44\x00"), _read_panel, ()),
}
