"""What is left of a damaged journal: a new one of all records before the damage.

Records are read as ever as far as that goes; behind it the bytes of the file and of its WAL are searched for the next
record. A record counts only with the hash that chains it to the one before: nothing is guessed.
"""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.file import BEFORE_ALL, HASH_BYTES, beside, build, chained, hold, missing, sync_folder
from controller.journal.journal import Journal
from controller.journal.records import MAX_BODY_BYTES, JournalError, Opening, encode_json

MAX_DAMAGED: Final = 1000
"""Damaged journals kept beside one: who has more has another problem."""

_BODY: Final = re.compile(rb'\{"number":(\d{1,18}),"at_us":')


class Salvage(NamedTuple):
    """What became of a journal: `kept` records, what was `lost` in one line, where the damaged file lies now.

    `damaged` is None where the journal was whole."""

    kept: int
    lost: str
    damaged: Path | None


def salvage(path: Path, opening: Opening | None = None) -> Salvage:
    """Puts a journal of all good records in the place of a damaged one, which is kept as `PATH.damaged-N`.

    A salvage that was cut short is finished by the next. `opening` is used where the journal's own cannot be
    read. Raises JournalError when another process writes the journal, when no opening is known, or when
    nothing can be written; the damaged journal is then as it was."""
    lock = hold(path)
    try:
        new = beside(path, ".salvaged")
        if not path.exists():
            if not new.exists():
                raise missing(path)
            # The damaged file was moved away and its WAL perhaps not: it must not meet the new file.
            damaged = _free_name(path, taken=True)
            _move(path, damaged)
            new.rename(path)
            sync_folder(path.parent)
            return Salvage(_count(path), "see the salvage that was cut short", damaged)
        trouble = _trouble(path)
        if trouble is None:
            return Salvage(_count(path), "nothing", None)
        found, bodies = _readable(path)
        opening = found or opening
        if opening is None:
            raise JournalError(f"journal {path}: the opening is lost, expected one to stand in", 0)
        _carry_on(path, opening, bodies)
        build(new, opening, bodies)
        sync_folder(path.parent)
        damaged = _free_name(path)
        _move(path, damaged)
        new.rename(path)
        sync_folder(path.parent)
        return Salvage(len(bodies), f"what came after record {len(bodies)} ({trouble})", damaged)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal {path}: {error}, expected to write the salvaged journal") from None
    finally:
        os.close(lock)


def _trouble(path: Path) -> JournalError | None:
    """Why the journal cannot be gone on with. The caller holds the lock."""
    try:
        Journal.check(path)
    except JournalError as error:
        return error
    return None


def _count(path: Path) -> int:
    journal = Journal.view(path)
    try:
        return journal.last
    finally:
        journal.close()


def _readable(path: Path) -> tuple[Opening | None, list[bytes]]:
    """The opening and the bodies before the first bad record, as far as the file can be read in the usual way."""
    opening: Opening | None = None
    bodies: list[bytes] = []
    try:
        journal = Journal.view(path)
    except JournalError:
        return None, bodies
    try:
        opening = journal.opening()
        for body, _ in journal.bodies():
            bodies.append(body)
    except JournalError:
        pass
    finally:
        journal.close()
    return opening, bodies


def _carry_on(path: Path, opening: Opening, bodies: list[bytes]) -> None:
    """Adds the records that follow in the raw bytes, as long as each is chained to the one before.

    No connection to the file may be open: closing a second descriptor would give SQLite's locks away."""
    data = path.read_bytes()
    wal = beside(path, "-wal")
    if wal.exists():
        data += wal.read_bytes()
    places: dict[int, list[int]] = {}
    for match in _BODY.finditer(data):
        places.setdefault(int(match[1]), []).append(match.start())
    last = chained(BEFORE_ALL, encode_json(opening))
    for body in bodies:
        last = chained(last, body)
    while (found := _next(data, places.get(len(bodies) + 1, []), last)) is not None:
        bodies.append(found)
        last = chained(last, found)


def _next(data: bytes, places: list[int], last: bytes) -> bytes | None:
    """The body at one of these places that is followed by the hash which chains it to `last`."""
    for place in places:
        end = data.find(b"}", place, place + MAX_BODY_BYTES) + 1
        while end > 0:
            body = data[place:end]
            if data[end : end + HASH_BYTES] == chained(last, body):
                return body
            end = data.find(b"}", end, place + MAX_BODY_BYTES) + 1
    return None


def _free_name(path: Path, *, taken: bool = False) -> Path:
    """The first name `PATH.damaged-N` that is free; with `taken` the last one that is not."""
    for number in range(1, MAX_DAMAGED + 1):
        name = beside(path, f".damaged-{number}")
        if not name.exists():
            return beside(path, f".damaged-{number - 1}") if taken and number > 1 else name
    raise JournalError(f"journal {path}: {MAX_DAMAGED} damaged ones lie beside it, expected fewer")


def _move(path: Path, damaged: Path) -> None:
    """Moves a journal away, the file first: without it nothing uses what is left."""
    for ending in ("", "-wal", "-shm"):
        if beside(path, ending).exists():
            beside(path, ending).rename(beside(damaged, ending))
