"""Simulate a disk that loses power, and a disk that fails on demand.

The library `disk.c` records the system calls of a process and makes them fail. After a power cut the simulated disk has
all data that the process had flushed. For other data it promises less than a journalling file system:

- Each unflushed sector is written or lost independently of the other sectors, so that a file may be shorter or longer.
- Created, renamed and removed names survive in their order: if one change of a name is lost, all later changes are lost
  too. A flush of any folder makes all earlier changes durable.
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
"""Number of bytes in a sector, which a disk writes completely or not at all."""
_ENTRY: Final = struct.Struct("=B3xIQQQ")


def build_library(folder: Path) -> Path:
    """Compile `disk.c` into a library in this folder, unless the library exists, and return its path."""
    library = folder / "disk.so"
    if not library.exists():
        command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
    return library


def environment(library: Path, watched: Path, *, log: Path | None = None, switch: Path | None = None) -> dict[str, str]:
    """Return the environment for a process in which the folder `watched` is on the simulated disk."""
    variables = {"LD_PRELOAD": str(library), "FAULTY_FOLDER": str(watched)}
    if log is not None:
        variables["FAULTY_LOG"] = str(log)
    if switch is not None:
        variables["FAULTY_SWITCH"] = str(switch)
    return os.environ | variables


@dataclass(frozen=True, slots=True)
class DiskOperation:
    """One operation of a process on the disk. `disk.c` lists the kinds of operations with their codes."""

    kind: str
    path: str
    inode: int
    offset: int
    data: bytes


def read_log(log: Path) -> list[DiskOperation]:
    """Return all disk operations in a log that `disk.c` has written, in their order."""
    return list(_operations(log.read_bytes()))


def _operations(data: bytes) -> Iterator[DiskOperation]:
    position = 0
    while position < len(data):
        kind_code, name_size, inode, offset, size = _ENTRY.unpack_from(data, position)
        position += _ENTRY.size
        path = data[position : position + name_size].decode()
        position += name_size
        kind = chr(kind_code)
        payload = data[position : position + size] if kind in "wrl" else b""
        position += len(payload)
        yield DiskOperation(kind, path, inode, offset, payload)


@dataclass(slots=True)
class _File:
    """File with its durable content, and the operations on the file since its last flush."""

    durable: bytearray = field(default_factory=bytearray)
    unflushed: list[DiskOperation] = field(default_factory=list)


def _apply(data: bytearray, op: DiskOperation) -> None:
    end = op.offset + len(op.data)
    if op.kind == "t":
        del data[op.offset :]
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    data[op.offset : end] = op.data


class SimulatedDisk:
    """Disk that repeats the operations of a log, and computes what a power cut or a kill would leave."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._durable: dict[str, int] = {}
        """Number of the file to which each name referred at the last flush of a folder."""
        self._names: list[DiskOperation] = []
        """Created, renamed, linked and removed names since the last flush of a folder."""
        self._numbers: dict[int, int] = {}
        """Number of the file to which an inode now belongs, by inode.

        A file system reuses the inode of a removed file for a new file.
        """
        self._made = 0

    def apply(self, op: DiskOperation) -> None:
        """Apply the next disk operation of the log."""
        if op.kind == "o":
            self._made += 1
            self._numbers[op.inode] = self._made
            self._names.append(DiskOperation("o", op.path, self._made, 0, b""))
            self._files[self._made] = _File()
        elif op.kind in "url":
            self._names.append(op)
        elif op.kind == "d":
            # All folders share one list. A flush of one folder therefore makes the changes in every folder durable.
            for change in self._names:
                _rename(self._durable, change)
            self._names.clear()
        else:
            self._apply_to_file(op)

    def _apply_to_file(self, op: DiskOperation) -> None:
        file = self._files.setdefault(self._numbers.setdefault(op.inode, -op.inode), _File())
        if op.kind == "s":
            for write in file.unflushed:
                _apply(file.durable, write)
            file.unflushed.clear()
        else:
            file.unflushed.append(op)

    def files_after_power_cut(self, dice: Random) -> dict[str, bytes]:
        """Return random contents, by file name, that the files may have after a power cut at this moment."""
        names = dict(self._durable)
        for op in self._names[: dice.randint(0, len(self._names))]:
            _rename(names, op)
        return {name: self._content(self._files[inode], dice) for name, inode in names.items()}

    def files_after_kill(self) -> dict[str, bytes]:
        """Return the contents of files after a kill at this moment, by file name. A kill loses no written data."""
        names = dict(self._durable)
        for op in self._names:
            _rename(names, op)
        contents = {}
        for name, inode in names.items():
            data = bytearray(self._files[inode].durable)
            for op in self._files[inode].unflushed:
                _apply(data, op)
            contents[name] = bytes(data)
        return contents

    def _content(self, file: _File, dice: Random) -> bytes:
        data = bytearray(file.durable)
        parts = [part for op in file.unflushed for part in _sectors(op)]
        choice = dice.random()
        if choice < 0.3:  # Keep the oldest writes, up to a random write.
            parts = parts[: dice.randint(0, len(parts))]
        elif choice < 0.9:  # Keep random writes, in a random order.
            share = dice.random()
            parts = [part for part in parts if dice.random() < share]
            dice.shuffle(parts)
        for part in parts:
            _apply(data, part)
        return bytes(data)


def _sectors(op: DiskOperation) -> Iterator[DiskOperation]:
    """Yield a write as one operation for each sector. Yield any other operation unchanged."""
    if op.kind != "w":
        yield op
        return
    start, end = op.offset, op.offset + len(op.data)
    while start < end:
        sector_end = min(end, (start // SECTOR + 1) * SECTOR)
        yield DiskOperation("w", op.path, op.inode, start, op.data[start - op.offset : sector_end - op.offset])
        start = sector_end


def _rename(names: dict[str, int], op: DiskOperation) -> None:
    if op.kind == "o":
        names[op.path] = op.inode
    elif op.kind == "u":
        names.pop(op.path, None)
    elif op.kind == "l" and op.path in names:
        names[op.data.decode()] = names[op.path]
    elif op.path in names:
        names[op.data.decode()] = names.pop(op.path)


def write_files(files: dict[str, bytes], old: Path, new: Path) -> None:
    """Write these files into the folder `new`, under their paths relative to the folder `old`."""
    for name, data in files.items():
        path = new / Path(name).relative_to(old)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def run(library: Path, watched: Path, log: Path, arguments: Sequence[str], deadline_s: float) -> list[DiskOperation]:
    """Run a Python module in a process on the simulated disk, and return the disk operations of the process."""
    command = [sys.executable, "-m", *arguments]
    result = subprocess.run(
        command,
        env=environment(library, watched, log=log),
        capture_output=True,
        text=True,
        timeout=deadline_s,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return read_log(log)
