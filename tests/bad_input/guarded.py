"""What guards a table and may hold a secret: good files of each kind, and how each is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.journal import Entry, Journal, JournalError, Segment, inspect, opening_of
from controller.journal.archive import closed_segments
from controller.seals import SealError, TableKey, guard_of, mark_beside, read_key, read_mark, read_public
from controller.table import Declaration, Declares
from firmware_bridge.panel import PanelBoard
from hardware.badges import BadgeError, identify, load_badges, proves
from hardware.register import RegisterError, read_list, signed, verified

SECRET: Final = "5ec1e7" * 10 + "5ec1"
"""A key of 64 digits: no message may repeat any part of it."""
SHOWN: Final = 8
"""So many digits of it in a row are a part."""
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
MEMORY: Final = Path("/dev/shm")
"""A hundred thousand files of each kind need not reach a disk."""
KEY: Final = TableKey(SECRET)
RECORDS: Final = 12


class Kind(NamedTuple):
    """A kind of file: good ones, how one is read, and what says that it is bad."""

    good: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes], object]
    rejection: tuple[type[Exception], ...]


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)


def _place(name: str, data: bytes) -> Path:
    place = Path(_folder().name) / name
    if not place.exists():
        place.touch(mode=0o600)
    place.write_bytes(data)
    return place


@cache
def _journal() -> Path:
    """A journal with an archive and a mark."""
    path = Path(_folder().name) / "good.journal"
    with closing(Journal.create(path, opening_of("{}"), guard=guard_of(path, KEY))) as journal:
        for number in range(RECORDS):
            journal.append([Entry(number, Declares(3, Declaration("raise", number + 1)), "dealer")])
        journal.rotate(b"state")
    return path


def _is_as_written(data: bytes) -> None:
    path = _place("other.journal", data)
    found = inspect(path, (KEY.public,), (mark_beside(_journal()),)).found
    if found:
        raise JournalError(found[0].line)


def _in_archive(data: bytes) -> None:
    with closing(Segment.view(_place("archived.journal", data), closed=True)) as segment:
        segment.verify()


class _Mute:
    """A card that says always the same."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def transmit(self, command: bytes) -> bytes:
        return self._data

    def close(self) -> None:
        pass


def _card(data: bytes) -> None:
    identify(_Mute(data))
    assert proves(_Mute(data), bytes.fromhex(SECRET)) is None


def _board(data: bytes) -> None:
    board = PanelBoard("keys")
    board.opened(0)
    board.receive(data, 1)


KINDS: Final[Mapping[str, Kind]] = {
    "badges": Kind(lambda: (BADGES,), lambda data: load_badges(_place("badges.toml", data)), (BadgeError,)),
    "keys": Kind(lambda: (f"{SECRET}\n".encode(),), lambda data: read_key(_place("table.key", data)), (SealError,)),
    "public keys": Kind(
        lambda: (f"{SECRET}\n".encode(),), lambda data: read_public(_place("table.key.pub", data)), (SealError,)
    ),
    "marks": Kind(
        lambda: (mark_beside(_journal()).read_bytes(),), lambda data: read_mark(_place("far.mark", data)), (SealError,)
    ),
    "chips": Kind(lambda: (CHIPS,), lambda data: read_list(data, "chips.toml"), (RegisterError,)),
    "signed chips": Kind(
        lambda: (signed(CHIPS, SECRET),), lambda data: verified(data, KEY.public, "chips.toml"), (RegisterError,)
    ),
    "journals": Kind(lambda: (_journal().read_bytes(),), _is_as_written, (JournalError,)),
    "archives": Kind(lambda: (closed_segments(_journal())[0].read_bytes(),), _in_archive, (JournalError,)),
    "cards": Kind(lambda: (b"\x04\xa1\xb2\xc3\x90\x00", b"\x61\x20", bytes(32) + b"\x90\x00"), _card, ()),
    "boards": Kind(lambda: (bytes(range(40)), b"\x03\x01\x02\x00\x05\x11\x22\x33\x44\x00"), _board, ()),
}
