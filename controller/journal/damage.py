"""What is left of a damaged journal: all that can be proven, and a new journal of it.

A record is proven by its hash, which covers the hash before it and the body: nothing is guessed. Behind a record that
is gone the chain can be picked up again where the hash of the one before still stands. What goes on in play is the
longest way to the end: from the state that the segment begins with, or from one that was kept behind the damage. The
damaged file is kept as `PATH.damaged-N`, with all that is not in play any more; the oldest go when they take too much
room, and what could be proven of them stays.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from controller.journal import archive
from controller.journal.file import APPLICATION, beside, build, discard, hold, is_there, sync_folder
from controller.journal.journal import Journal
from controller.journal.opening import FORM_BEFORE, Opening
from controller.journal.printed import export
from controller.journal.records import Entry, JournalBusy, JournalError, decode_record, encode, encode_json
from controller.journal.segment import Segment
from controller.journal.traces import Stretch, Traces, copy_of, in_memory, stretches, traces_of
from controller.journal.whole import digest_of
from controller.seals import NO_GUARD, Guard, mark_beside
from controller.table import StepError

ASIDE_BYTES: Final = 100_000_000
"""Of the journals set aside, as files: twenty of the largest, a thousand of a disk that fails again and again."""


class Proven(NamedTuple):
    """What can be proven of a running segment, and where play goes on: `bodies` behind record `after`."""

    opening: Opening | None
    """The segment's own; None where it is lost."""
    name: str = ""
    """The journal's; "" where it is lost."""
    after: int = 0
    before: bytes = b""
    """The hash of record `after`."""
    state: bytes = b""
    """What held after that record; empty for the state of the configuration."""
    bodies: tuple[bytes, ...] = ()
    states: Mapping[int, bytes] = MappingProxyType({})
    """By number, what held after later ones, where it was kept."""
    apart: tuple[Stretch, ...] = ()
    """Other proven records: they stay in the damaged file."""
    reached: int = 0
    """The last number that the segment is known to have come to."""

    @property
    def is_beginning(self) -> bool:
        """Whether it is known what held before `bodies`: a state, or the configuration."""
        return bool(self.state) or (self.opening is not None and not self.opening.state)

    @property
    def last(self) -> int:
        """Number of the last record of `bodies`."""
        return self.after + len(self.bodies)

    def entries(self) -> Iterator[Entry]:
        """The steps of `bodies`; ends before the first that is no step of this program."""
        for body in self.bodies:
            try:
                yield decode_record(body).entry()
            except StepError:
                return

    @property
    def missing(self) -> str:
        """What is not in play, in one line; "" for nothing."""
        apart = [f"{each.first} to {each.last}" for each in self.apart]
        behind = [f"records {self.last + 1} to {self.reached} are lost or apart"] if self.reached > self.last else []
        return ", ".join([*behind, *([f"kept apart: {' and '.join(apart)}"] if apart else [])])


class Salvage(NamedTuple):
    """What became of a journal: `kept` records go on, what was `lost` in one line, where the damaged file lies now.

    `damaged` is None where the journal was whole."""

    kept: int
    lost: str
    damaged: Path | None


def prove(path: Path) -> Proven:
    """What can be proven of the journal at `path`: of its running segment and the WAL, and where nothing is left of
    that, of the last closed one. Changes nothing. Raises JournalError where the file cannot even be read."""
    found = _prove(path) if is_there(path) else Proven(None)
    if found.is_beginning:
        return found
    for closed in reversed(archive.closed_segments(path)):
        earlier = _prove(closed)
        if earlier.opening is not None and earlier.is_beginning:
            begun = msgspec.structs.replace(earlier.opening, segment=archive.next_number(path))
            return _joined(earlier._replace(opening=begun), found, closed)
    return found


def _joined(earlier: Proven, found: Proven, closed: Path) -> Proven:
    """What was found of the running segment behind the one before it, whose records lead to the state that is lost."""
    reached = max(found.reached, earlier.reached)
    opening, apart = found.opening, found.apart
    goes_on = next((each for each in apart if opening is not None and each.first == opening.after + 1), None)
    with closing(Segment.view(closed, closed=True)) as segment:
        last = segment.head()
    if opening is None or goes_on is None or (opening.after, opening.before) != (last.number, last.hash.hex()):
        return earlier._replace(apart=apart, reached=reached)
    behind = (_without_state(row.body) if row.digest else row.body for row in goes_on.rows)
    apart = tuple(each for each in apart if each is not goes_on)
    return earlier._replace(bodies=(*earlier.bodies, *behind), name=found.name, apart=apart, reached=reached)


def is_ours(path: Path) -> bool:
    """Whether a file, however damaged, was once a journal, as far as that can be seen. Raises JournalError."""
    found = prove(path)
    return found.opening is not None or bool(found.bodies or found.apart) or _has_our_mark(path)


def _has_our_mark(path: Path) -> bool:
    """A mark lies beside the journals of a service; one of a form that is not read any more is not touched. Source:
    SQLite, "Database File Format", application_id and user_version."""
    if mark_beside(path).exists():
        return True
    try:
        with path.open("rb") as file:
            head = file.read(72)
            return head[68:] == APPLICATION.to_bytes(4, "big") and int.from_bytes(head[60:64], "big") >= FORM_BEFORE
    except OSError:
        return False


def _prove(path: Path) -> Proven:
    try:
        with copy_of(path) as copy:
            return _chosen(traces_of(copy), partial(_state, copy))
    except OSError as error:
        raise JournalError(f"journal {path}: {error}, expected to read it") from None


def salvage(
    path: Path,
    opening: Opening | None = None,
    notes: Sequence[Entry] = (),
    *,
    behind: bool = False,
    guard: Guard = NO_GUARD,
) -> Salvage:
    """Puts a journal of what can be proven in the place of a damaged one, with `notes` as its last records; `opening`
    is used where the journal's own is lost. A journal that is whole is left as it is, unless it is `behind`: then more
    is searched for behind its end.

    Raises JournalBusy when another process writes the journal, JournalError when nothing can be written; the damaged
    journal is then as it was."""
    finish(path)
    found = prove(path)  # first: opening the file lets go of a WAL that cannot be read
    trouble = _trouble(path)
    if trouble is None:
        count = _count(path)
        if not behind or found.last <= count:
            return Salvage(count, "nothing", None)
        trouble = JournalError(f"it ends with record {count}")
    begun = found.opening or opening
    if begun is None:
        raise JournalError(f"journal {path}: the opening is lost, expected one to stand in", 0)
    damaged = replace(path, *as_segment(found, begun, notes), guard=guard)
    return Salvage(len(found.bodies), f"{found.missing or 'no record'} ({trouble})", damaged)


@contextmanager
def proven_in_memory(found: Proven, opening: Opening, notes: Sequence[Entry] = ()) -> Iterator[Segment]:
    """What `salvage` would write, for reading, where the disk takes nothing. Raises JournalError."""
    try:
        with in_memory() as place:
            build(place, *as_segment(found, found.opening or opening, notes))
            with closing(Segment.view(place)) as segment:
                yield segment
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"journal: {error}, expected some memory for what is left of it") from None


def as_segment(
    found: Proven, opening: Opening, notes: Sequence[Entry] = ()
) -> tuple[Opening, list[bytes], dict[int, bytes]]:
    """A segment of a new journal that begins where play goes on, with `notes` behind the last record: its opening,
    bodies and states."""
    begun = msgspec.structs.replace(
        opening,
        name="",
        parent=found.name or opening.parent,
        why="salvage",
        after=found.after,
        before=found.before.hex(),
        state=digest_of(found.state) if found.state else "",
    )
    states = {**({found.after: found.state} if found.state else {}), **found.states}
    return begun, [*found.bodies, *encode(notes, found.last + 1)], states


def replace(
    path: Path,
    opening: Opening,
    bodies: Iterable[bytes] = (),
    states: Mapping[int, bytes] = MappingProxyType({}),
    *,
    guard: Guard = NO_GUARD,
) -> Path | None:
    """Puts a new journal, on disk when this returns, in the place of what lies there, which is kept: gives its new
    name, None where nothing lay there. Cut short, it is as if it had not been begun, or `finish` does the rest.

    Raises JournalBusy when another process writes the journal, JournalError when nothing can be written."""
    lock = hold(path)
    new = beside(path, ".salvaged")
    damaged: Path | None = None
    try:
        if path.exists():
            archive.settle(path)
        else:  # a WAL whose file is gone goes first: `finish` takes one for that of the file that was moved last
            damaged = archive.set_aside(path)
        opening = msgspec.structs.replace(opening, segment=max(opening.segment, archive.next_number(path)))
        last = opening.after
        kept = {number: state for number, state in states.items() if number >= last}
        build(new, opening, bodies, kept, guard)
        sync_folder(path.parent)
        damaged = archive.set_aside(path) or damaged
        new.rename(path)
        sync_folder(path.parent)
        return damaged
    except (OSError, sqlite3.Error) as error:
        if path.exists():
            with suppress(OSError):
                discard(new)
        raise JournalError(f"journal {path}: {error}, expected to write a new journal") from None
    finally:
        os.close(lock)


def finish(path: Path) -> bool:
    """Does what is left of a `replace` that was cut short; whether there was something. Raises JournalBusy,
    JournalError."""
    new = beside(path, ".salvaged")
    if path.exists() or not new.exists():
        return False
    lock = hold(path)
    try:
        # The old file was moved away and its WAL perhaps not: it must not meet the new file.
        archive.set_aside(path, begun=True)
        new.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise JournalError(f"journal {path}: {error}, expected to finish its salvage") from None
    finally:
        os.close(lock)
    return True


def thin(path: Path, most_bytes: int = ASIDE_BYTES) -> None:
    """Takes the oldest of the journals set aside away until they fit, but for the last. Of each, the records that can
    be proven are beside it as compressed lines before it goes; one that cannot be read stays. Raises JournalError, for
    the first of these, and where nothing can be written."""
    kept = archive.all_aside(path)
    stays: list[OSError] = []
    try:
        room = sum(map(archive.room_of, kept))
        for each in kept[:-1]:
            if room <= most_bytes:
                break
            export_of = beside(each, archive.EXPORT)
            try:
                # Where it is exported already, taking it away was cut short: what is left of it says less.
                lines = _proven_lines(each) if not export_of.exists() else []
            except OSError as error:
                stays.append(error)
                continue
            if len(lines) > 1:  # an opening alone says nothing that the next journal does not
                archive.write_lines(export_of, lines)
            room -= archive.room_of(each)
            archive.take_away(each)
    except OSError as error:
        stays.append(error)
    if stays:
        raise JournalError(f"journal {path}: {stays[0]}, expected to export what was set aside")


def _proven_lines(aside: Path) -> list[bytes]:
    """What can be proven of a journal set aside. Raises OSError where it cannot be read."""
    lines: list[bytes] = []
    with copy_of(aside) as copy, suppress(JournalError):  # what is missing is said at the end
        lines.extend(line.encode() for line in export(copy))
    return lines


# --- which of the proven records go on ---


def _chosen(traces: Traces, state: Callable[[int, str], bytes]) -> Proven:
    """The latest records that a state leads to."""
    known, opening = stretches(traces), traces.opening
    reached = max(traces.head, known[-1].last if known else 0)
    name = (opening.name or traces.begun.hex()) if opening is not None else ""
    for stretch in reversed(known):
        begun = _beginning(stretch, opening, state)
        if begun is not None:
            number, held = begun
            rest = stretch.behind(number)
            bodies, states = _with_states(rest, state)
            apart = tuple(each for each in known if each is not stretch)
            if number >= stretch.first:
                apart = (*apart, Stretch(stretch.first, stretch.before, stretch.rows[: number - stretch.first + 1]))
            return Proven(opening, name, number, rest.before, held, bodies, states, apart, reached)
    if opening is None:
        return Proven(None, apart=tuple(known), reached=reached)
    held, before = state(opening.after, opening.state), bytes.fromhex(opening.before)
    return Proven(opening, name, opening.after, before, held, apart=tuple(known), reached=reached)


def _beginning(
    stretch: Stretch, opening: Opening | None, state: Callable[[int, str], bytes]
) -> tuple[int, bytes] | None:
    """The first record of a stretch, or the one before it, after which the state is known, and that state (empty for
    the configuration's)."""
    if opening is not None and stretch.first == opening.after + 1:
        if not opening.state:
            return opening.after, b""
        if held := state(opening.after, opening.state):
            return opening.after, held
    for number, row in enumerate(stretch.rows, stretch.first):
        if row.digest and (held := state(number, row.digest)):
            return number, held
    return None


def _with_states(stretch: Stretch, state: Callable[[int, str], bytes]) -> tuple[tuple[bytes, ...], dict[int, bytes]]:
    """The bodies of a stretch, and the states that they name; a record whose state is lost names none."""
    bodies, states = [], {}
    for number, row in enumerate(stretch.rows, stretch.first):
        held = state(number, row.digest) if row.digest else b""
        if held:
            states[number] = held
        bodies.append(row.body if held or not row.digest else _without_state(row.body))
    return tuple(bodies), states


def _without_state(body: bytes) -> bytes:
    return encode_json(msgspec.structs.replace(decode_record(body), at="", state=""))


def _state(copy: Path, number: int, digest: str) -> bytes:
    """The state after a record; empty where it is lost."""
    if not digest:
        return b""
    try:
        with closing(Segment.view(copy)) as segment:
            return segment.state(number, digest)
    except JournalError:
        return b""


# --- files ---


def _trouble(path: Path) -> JournalError | None:
    """Why the journal cannot be gone on with."""
    try:
        Journal.open(path)[0].close()
    except JournalBusy:
        raise
    except JournalError as error:
        return error
    return None


def _count(path: Path) -> int:
    with closing(Segment.view(path)) as segment:
        return segment.last
