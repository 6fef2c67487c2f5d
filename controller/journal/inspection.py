"""What was done to a journal: whether it is as its table wrote it, and if not, in which way.

The hashes say whether the records follow from one another, the signature of each segment's head whether the table has
written that head, the high-water marks whether it has ever come further. Who holds the table's key, or is root on its
machine, can do whatever the table can: nothing here is against them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from controller.journal import archive
from controller.journal.file import beside, chained, connect, missing
from controller.journal.opening import FORM, Opening
from controller.journal.records import JournalError, Record, record_in, words_of
from controller.journal.segment import Segment
from controller.journal.traces import Row
from controller.seals import Head, Mark, SealError, occasion_at, read_mark, signed_by
from hardware.badges import PROOF_LASTS_US, Badge, held, read_proof, speaks_for

How: TypeAlias = Literal[
    "changed",
    "exchanged",
    "removed",
    "inserted",
    "remade",
    "unsigned",
    "cut",
    "older-copy",
    "wal-removed",
    "deleted",
    "replaced",
    "badge-forged",
    "mark-damaged",
]
"""In which way a journal is not as it was written. What a bad disk does to a record is `changed`, too."""

NOT_PROVEN: Final = "which did not prove itself"
OTHER_WORDS: Final = "whose proof is for other words"
_EXPECTED: Final = "expected the records as the table wrote them"
_SEEN_TO: Final = "SELECT coalesce(max(number), 0) FROM record WHERE body LIKE ?"
_WITH_BADGE: Final = "SELECT body FROM record WHERE number > ? AND body LIKE ?"


class Finding(NamedTuple):
    """One thing that was found: `how`, and one line that says where and what."""

    how: How
    line: str


class Inspection(NamedTuple):
    """What was found, nothing where all is well, and how many records and segments were read, 0 where not all were."""

    found: tuple[Finding, ...]
    records: int = 0
    segments: int = 0
    gone: int = 0
    """Segments that were before the first that was read."""


def inspect(
    path: Path,
    keys: Sequence[str] = (),
    marks: Sequence[Path] = (),
    badges: Sequence[Badge] | None = None,
    *,
    whole: bool = True,
) -> Inspection:
    """Holds the journal at `path` against the table's public keys (hex), the files of its high-water marks and the
    house's badges (None: they are not looked at); not `whole`: the running segment alone, and of its records those that
    name a badge and that the floor has not seen to, which takes no time. Reads only, also while the journal is written.

    Raises JournalError where the file is no journal."""
    found: list[Finding] = []
    known = [mark for place in marks if (mark := _mark(place, found)) is not None]
    wal = beside(path, "-wal")
    had_wal = wal.exists() and wal.stat().st_size > 0
    is_gone = not path.exists()
    if is_gone and not known:
        raise missing(path)
    if known and (is_gone or path.stat().st_size == 0):
        what = f"it is {'gone' if is_gone else 'empty'}, and had come to record {max(mark.number for mark in known)}"
        return Inspection((*found, _finding("deleted", path, what)))
    records = segments = gone = 0
    try:
        if whole:
            records, segments = archive.verify(path)
            gone = _number_of(path) - segments
            found += _of_archive(path, keys, known)
        found += _of_running(path, keys, known, had_wal=had_wal)
        if badges is not None:
            found += _forged(path, badges, whole=whole)
    except sqlite3.Error as error:
        raise JournalError(f"journal {path}: {error}, expected a whole journal") from None
    except JournalError as error:
        if error.number is None and not _is_journal(path):
            raise
        bad = _first_bad(path)
        # Each segment is whole in itself: one was written anew, is missing, or stands in the place of another.
        found += [bad] if bad is not None else [*_of_archive(path, keys, known)] or [_unlinked(path)]
    return Inspection(tuple(found), records, segments, gone)


def _number_of(path: Path) -> int:
    with closing(Segment.view(path)) as segment:
        return segment.opening().segment


def inspect_closed(place: Path, keys: Sequence[str]) -> Inspection:
    """Holds one closed segment against the table's public keys. Raises JournalError where it is not whole."""
    with closing(Segment.view(place, closed=True)) as segment:
        records, head = segment.verify(), segment.head()
        signed = not keys or any(signed_by(key, head, segment.seal()) for key in keys)
        return Inspection(() if signed else (_unsigned(place, segment, head),), records, 1)


def _is_journal(path: Path) -> bool:
    """Whether the file can be read so far that it is one of ours."""
    try:
        with closing(Segment.view(path)) as segment:
            segment.opening()
    except JournalError as error:
        return error.number is not None
    return True


def _mark(place: Path, found: list[Finding]) -> Mark | None:
    try:
        return read_mark(place)
    except SealError as error:
        found.append(Finding("mark-damaged", str(error)))
        return None


def _finding(how: How, path: Path, what: str) -> Finding:
    return Finding(how, f"journal {path}: {how}: {what}, {_EXPECTED}")


# --- the heads ---


def _of_running(path: Path, keys: Sequence[str], marks: Sequence[Mark], *, had_wal: bool) -> Iterator[Finding]:
    """What the head of the running segment says, beside its signature and the marks."""
    with closing(Segment.view(path)) as segment:
        head, opening = segment.head(), segment.opening()
        ahead = [mark for mark in marks if mark.journal == head.journal and _place(mark.head) > _place(head)]
        signed = not keys or any(signed_by(key, head, segment.seal()) for key in keys)
        if ahead:
            segment.verify_wal()
            last = max(mark.number for mark in ahead)
            gone = f"it ends with record {head.number}, and had come to {last}"
            if not signed:
                yield _finding("cut", path, f"{gone}; the table has not signed this end")
            elif not had_wal and all(mark.state != "closed" for mark in ahead):
                yield _finding("wal-removed", path, f"{gone}; {path.name}-wal is gone, which held the last ones")
            else:
                yield _finding("older-copy", path, gone)
            return
        if any(_is_another(segment, mark, closed=False) for mark in marks):
            yield _finding("remade", path, f"the records up to {head.number} are others than were noted")
        elif not signed:
            yield _unsigned(path, segment, head)
        if strange := [mark.journal for mark in marks if mark.journal not in (head.journal, opening.parent)]:
            told = f"it is journal {_short(head.journal)}, noted was {_short(strange[0])}"
            yield _finding("replaced", path, told)


def _unsigned(path: Path, segment: Segment, head: Head) -> Finding:
    if segment.seal():
        return _finding("remade", path, f"the end at record {head.number} is not signed with the table's key")
    return _finding("unsigned", path, f"the end at record {head.number} has no signature")


def _short(name: str) -> str:
    return f"{name:.8}…"


def _place(head: Head) -> tuple[int, int]:
    return head.segment, head.number


def _is_another(segment: Segment, mark: Mark, *, closed: bool) -> bool:
    """Whether the record that a mark names is another one in this segment."""
    head, opening = segment.head(), segment.opening()
    if (mark.journal, mark.segment) != (head.journal, head.segment) or mark.number < opening.after:
        return False
    row = mark.number if mark.number > opening.after else 0
    return mark.hash != _hash_at(segment, row, closed=closed).hex()


def _of_archive(path: Path, keys: Sequence[str], marks: Sequence[Mark]) -> Iterator[Finding]:
    for segment in archive.segments(path):
        if segment.path == path:
            continue
        head = segment.head()
        if any(_is_another(segment, mark, closed=True) for mark in marks):
            yield _finding("remade", segment.path, f"the records up to {head.number} are others than were noted")
        elif keys and not any(signed_by(key, head, segment.seal()) for key in keys):
            yield _unsigned(segment.path, segment, head)


# --- the badges ---


def _forged(path: Path, badges: Sequence[Badge], *, whole: bool) -> Iterator[Finding]:
    """Records that name a badge which did not prove itself for this journal, within a minute before them."""
    keys: dict[str, list[bytes]] = {}
    for badge in badges:
        keys.setdefault(badge.label, []).append(bytes.fromhex(badge.key))
    places = [(place, True) for place in archive.closed_segments(path)] if whole else []
    for place, closed in (*places, (path, False)):
        with closing(Segment.view(place, closed=closed)) as segment, closing(_connected(place, closed=closed)) as db:
            opening = segment.opening()
            if opening.form < FORM:
                continue
            name = segment.name
            # What the floor has seen to is not told again at each start.
            (seen_to,) = (0,) if whole else db.execute(_SEEN_TO, ('%"do":"records-checked"%',)).fetchone()
            for (body,) in db.execute(_WITH_BADGE, (seen_to, '%"badge":"%')):
                record = record_in(body)
                wrong = _unproven(path, opening, name, record, keys) if record is not None else ""
                if record is not None and wrong:
                    yield _finding("badge-forged", place, f"record {record.number} names {record.badge}, {wrong}")


def _unproven(path: Path, opening: Opening, name: str, record: Record, keys: Mapping[str, Sequence[bytes]]) -> str:
    """What is wrong with the proof of a record's badge; "" for nothing."""
    bound = read_proof(record.proof)
    in_time = bound is not None and 0 <= record.at_us - bound.at_us <= PROOF_LASTS_US
    if bound is None or not in_time or not 0 <= bound.number < record.number:
        return NOT_PROVEN
    # What was salvaged was decided when the journal had its former name.
    names = (name, opening.parent) if opening.why == "salvage" else (name,)
    ends = [Head(each, 0, bound.number, end) for each in names for end in _hashes_of(path, each, bound.number)]
    proofs = [held(bound, key, occasion_at(end).records) for end in ends for key in keys.get(record.badge, ()) if key]
    known = [proof for proof in proofs if proof is not None]
    if not known:
        return NOT_PROVEN
    return "" if any(speaks_for(bound, proof, words_of(record)) for proof in known) else OTHER_WORDS


def _hashes_of(path: Path, name: str, number: int) -> Iterator[bytes]:
    """The hashes that the journal of this name ended with when this was its last record: the record's, and those of
    the openings of segments behind it."""
    for place in (path, *reversed(archive.closed_segments(path))):
        closed = place != path
        with closing(Segment.view(place, closed=closed)) as segment:
            opening = segment.opening()
            if opening.why == "salvage" and opening.parent == name and not opening.name:
                yield from _before_salvage(segment, number)
            elif segment.name == name and number <= segment.last:
                if number == opening.after:
                    yield _hash_at(segment, 0, closed=closed)
                if number > opening.after:
                    yield _hash_at(segment, number, closed=closed)
                    return


def _before_salvage(segment: Segment, number: int) -> Iterator[bytes]:
    """The hash that a salvaged record had before."""
    opening = segment.opening()
    last = bytes.fromhex(opening.before)
    if number == opening.after:
        yield last
    for body, record in segment.bodies():
        last = chained(last, body)
        if record.number == number:
            yield last
            return


# --- the records ---


def _first_bad(path: Path) -> Finding | None:
    """The first bad record of all segments, and in which way it is bad; None where all are good."""
    for place in (*archive.closed_segments(path), path):
        closed = place != path
        try:
            with closing(Segment.view(place, closed=closed)) as segment:
                segment.verify()
        except JournalError as bad:
            how = "changed" if bad.number is None else _how(place, bad.number, closed=closed)
            return Finding(how, f"journal {place}: {how}: {str(bad).removeprefix(f'journal {place}: ')}")
    return None


def _unlinked(path: Path) -> Finding:
    """Why a segment does not go on from the one before it."""
    numbers = [segment.opening().segment for segment in archive.segments(path)]
    for number, following in pairwise(sorted(numbers)):
        if following > number + 1:
            return _finding("removed", path, f"segment {number + 1} is missing")
        if following == number:
            return _finding("inserted", path, f"segment {number} is there twice")
    for number, due in zip(numbers, sorted(numbers), strict=True):
        if number != due:
            return _finding("exchanged", path, f"segment {number} stands in the place of segment {due}")
    return _finding("exchanged", path, "a segment goes on from another than the one before it")


def _how(path: Path, number: int, *, closed: bool) -> How:
    """What was done at the first bad record. What cannot be told apart is `changed`."""
    try:
        with closing(_connected(path, closed=closed)) as db:
            return _told_apart(db, number)
    except sqlite3.Error:
        return "changed"


def _told_apart(db: sqlite3.Connection, number: int) -> How:
    last, end = db.execute("SELECT (SELECT number FROM head), (SELECT max(number) FROM record)").fetchone()
    before, here, behind = (_row(db, at) for at in (number - 1, number, number + 1))
    if not isinstance(last, int) or not isinstance(end, int) or number == 0:
        return "changed"
    if not 0 < number <= last:
        return "inserted"
    if here is None:
        return "cut" if end < number else "removed"
    record = record_in(here.body)
    says = record.number if record is not None else None
    is_next = before is not None and behind is not None and chained(before.hash, behind.body) == behind.hash
    if is_next and says != number + 1:
        return "inserted"
    if says not in (None, number):
        return "exchanged" if _stands_elsewhere(db, number) else "removed"
    return "changed"


def _row(db: sqlite3.Connection, number: int) -> Row | None:
    found = db.execute("SELECT body, hash FROM record WHERE number = ?", (number,)).fetchone()
    whole = found is not None and isinstance(found[0], bytes) and isinstance(found[1], bytes)
    return Row(*found) if whole else None


def _stands_elsewhere(db: sqlite3.Connection, number: int) -> bool:
    """Whether the record of this number stands in the row of another."""
    begins = f'{{"number":{number},%'
    found = db.execute("SELECT count(*) FROM record WHERE number != ? AND body LIKE ?", (number, begins)).fetchone()
    return bool(found[0])


def _hash_at(segment: Segment, row: int, *, closed: bool) -> bytes:
    """The hash that stands in a row. Raises JournalError where there is no such row."""
    try:
        with closing(_connected(segment.path, closed=closed)) as db:
            found = _row(db, row)
    except sqlite3.Error as error:
        raise JournalError(f"journal {segment.path}: {error}, expected a whole journal") from None
    if found is None:
        raise JournalError(f"journal {segment.path}: record {row}: missing, {_EXPECTED}", row)
    return found.hash


def _connected(path: Path, *, closed: bool) -> sqlite3.Connection:
    return connect(path, "ro&immutable=1" if closed else "ro")
