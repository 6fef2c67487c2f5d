"""What a disk may hold after a power cut, and a disk that fails when told so; `disk.c` watches the real calls.

What was flushed is there. Of what was not, each sector may be there or not, in whatever order it was written; a file
may be shorter or longer. Names (made, moved, removed) become durable in their order; those behind the last flush of a
folder may be missing from some point on. This is less than a journalling file system promises.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

SOURCE: Final = Path(__file__).with_name("disk.c")
SECTOR: Final = 512
"""Bytes that a disk writes whole or not at all."""
_ENTRY: Final = struct.Struct("=B3xIQQQ")


def built(folder: Path) -> Path:
    """The library to preload, built into the folder."""
    library = folder / "disk.so"
    if not library.exists():
        command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
    return library


def environment(library: Path, watched: Path, *, log: Path | None = None, switch: Path | None = None) -> dict[str, str]:
    """The environment of a process whose files in the folder `watched` are on this disk."""
    added = {"LD_PRELOAD": str(library), "FAULTY_FOLDER": str(watched)}
    if log is not None:
        added["FAULTY_LOG"] = str(log)
    if switch is not None:
        added["FAULTY_SWITCH"] = str(switch)
    return os.environ | added


@dataclass(frozen=True, slots=True)
class Op:
    """One thing done to the disk: see `disk.c`."""

    what: str
    path: str
    inode: int
    offset: int
    data: bytes


def read_log(log: Path) -> list[Op]:
    """All that was done, in order."""
    return list(_ops(log.read_bytes()))


def _ops(data: bytes) -> Iterator[Op]:
    at = 0
    while at < len(data):
        what, name, inode, offset, size = _ENTRY.unpack_from(data, at)
        at += _ENTRY.size
        path = data[at : at + name].decode()
        at += name
        kind = chr(what)
        payload = data[at : at + size] if kind in "wrl" else b""
        at += len(payload)
        yield Op(kind, path, inode, offset, payload)


@dataclass(slots=True)
class _File:
    """A file: what is durable, and what was done since the last flush."""

    kept: bytearray = field(default_factory=bytearray)
    since: list[Op] = field(default_factory=list)


def _apply(data: bytearray, op: Op) -> None:
    end = op.offset + len(op.data)
    if op.what == "t":
        del data[op.offset :]
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    data[op.offset : end] = op.data


class Disk:
    """The disk as the log goes on: `take` each entry in turn, `after_cut` for what a cut at this moment may leave."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._durable: dict[str, int] = {}
        """Inodes by name, as the last flush of a folder left them."""
        self._names: list[Op] = []
        """What became of names since."""
        self._numbers: dict[int, int] = {}
        """File systems give the number of a removed file to the next: which file a number stands for now."""
        self._made = 0

    def take(self, op: Op) -> None:
        """The next entry of the log."""
        if op.what == "o":
            self._made += 1
            self._numbers[op.inode] = self._made
            self._names.append(Op("o", op.path, self._made, 0, b""))
            self._files[self._made] = _File()
        elif op.what in "url":
            self._names.append(op)
        elif op.what == "d":
            # One list for all folders: a flush of one takes what was done in the others before along.
            for each in self._names:
                _rename(self._durable, each)
            self._names.clear()
        else:
            self._of_file(op)

    def _of_file(self, op: Op) -> None:
        file = self._files.setdefault(self._numbers.setdefault(op.inode, -op.inode), _File())
        if op.what == "s":
            for each in file.since:
                _apply(file.kept, each)
            file.since.clear()
        else:
            file.since.append(op)

    def after_cut(self, dice: Random) -> dict[str, bytes]:
        """The files that a cut now may leave, by name."""
        names = dict(self._durable)
        for op in self._names[: dice.randint(0, len(self._names))]:
            _rename(names, op)
        return {name: self._content(self._files[inode], dice) for name, inode in names.items()}

    def whole(self) -> dict[str, bytes]:
        """The files as the process that wrote them sees them, by name: what a kill leaves."""
        names = dict(self._durable)
        for op in self._names:
            _rename(names, op)
        found = {}
        for name, inode in names.items():
            data = bytearray(self._files[inode].kept)
            for op in self._files[inode].since:
                _apply(data, op)
            found[name] = bytes(data)
        return found

    def _content(self, file: _File, dice: Random) -> bytes:
        data = bytearray(file.kept)
        parts = [part for op in file.since for part in _sectors(op)]
        way = dice.random()
        if way < 0.3:  # in order, up to some point
            parts = parts[: dice.randint(0, len(parts))]
        elif way < 0.9:  # some of them, in any order
            share = dice.random()
            parts = [part for part in parts if dice.random() < share]
            dice.shuffle(parts)
        for part in parts:
            _apply(data, part)
        return bytes(data)


def _sectors(op: Op) -> Iterator[Op]:
    """A write in the pieces that a disk writes whole."""
    if op.what != "w":
        yield op
        return
    at, end = op.offset, op.offset + len(op.data)
    while at < end:
        until = min(end, (at // SECTOR + 1) * SECTOR)
        yield Op("w", op.path, op.inode, at, op.data[at - op.offset : until - op.offset])
        at = until


def _rename(names: dict[str, int], op: Op) -> None:
    if op.what == "o":
        names[op.path] = op.inode
    elif op.what == "u":
        names.pop(op.path, None)
    elif op.what == "l" and op.path in names:
        names[op.data.decode()] = names[op.path]
    elif op.path in names:
        names[op.data.decode()] = names.pop(op.path)


def lay_out(files: dict[str, bytes], old: Path, new: Path) -> None:
    """Writes files of the folder `old` into the folder `new`."""
    for name, data in files.items():
        place = new / Path(name).relative_to(old)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def run(library: Path, watched: Path, log: Path, arguments: Sequence[str], deadline_s: float) -> list[Op]:
    """Runs a Python module on the watched disk; what it did."""
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(
        command,
        env=environment(library, watched, log=log),
        capture_output=True,
        text=True,
        timeout=deadline_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return read_log(log)
