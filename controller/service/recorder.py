"""A table's records as the service writes them: in the journal, or, while nothing can be written, nowhere.

A file that could not be written once, or whose disk did not answer in time, is never written again: nobody knows what
is on the disk. The table plays on in memory, and says so, until a new journal that begins with its whole state is on
the disk. What is done to files is done by a clerk; the table waits for it no longer than it may.
"""

from __future__ import annotations

import shutil
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple, TypeVar

import msgspec

from controller.journal import (
    ASIDE_BYTES,
    USUAL_BYTES,
    Clerk,
    Entry,
    Journal,
    JournalDead,
    JournalError,
    Opening,
    StuckError,
    Trouble,
    encode,
    opening_of,
    proven,
    replace,
    thin,
    trim,
    whole,
)
from controller.live import HIGH_WATER, STORAGE, TABLE_KEY, Live, Made, evolve
from controller.seals import NO_GUARD, Guard
from controller.service.answered import MOST_ANSWERS
from controller.service.replaying import MOST_RECORDS, hand_of, whole_of
from controller.table import RecordsAltered, RecordsMissed, Step
from hardware.badges import BadgeSeen

ANSWER_S: Final = 1.0
"""What a disk may take for an append: a worn memory card takes a tenth of it, and no table stands still for longer."""
BEGIN_S: Final = 3.0
"""The same for a new segment: a dozen flushes, between hands. The supervisor waits for ten."""
RETRY_US: Final = 2_000_000
"""How often storage is tried while there is none: recorded again within five seconds of its return."""
KEY_RETRY_US: Final = 10_000_000
"""How often the key is looked for where it could not be read: its device is not there yet."""
ROTATE_RETRY_US: Final = 60_000_000
"""How often another segment is tried where it could not be begun: somebody reads the journal."""
LOW_BYTES: Final = 200_000_000
"""Room on the journal's disk below which the technician is called: of 24 kB a hand there are ten days and nights of
play in it."""
LOW_SHARE: Final = 10
"""Of a small disk so many a part instead."""
ENOUGH: Final = 1.25
"""It is told until there is so many times as much: no more than once for what comes and goes."""
ROOM_US: Final = 10_000_000
"""How often that is looked at."""
COMMANDS_GO_ON: Final = 16
"""Of the commands that were written down, a new segment begins with the last: each connection has one open at most."""


T = TypeVar("T")


class Place(NamedTuple):
    """Where a table's journal is kept."""

    path: Path
    guard: Guard = NO_GUARD
    """What it is held against."""
    aside: Path | None = None
    """A file on another device than the journal's, which is there while the table is played without records."""
    archive_bytes: int = USUAL_BYTES
    """What the archive may take."""


class Recorder:
    """Writes steps to the journal of one table, decisions of the floor with the badge that lies on the reader.

    `journal` None: nothing can be written at the moment, and `lost` is what is known of the journal before. A `clerk`
    that is still at something is waited for before anything is written."""

    def __init__(
        self,
        place: Place,
        lost: Opening,
        journal: Journal | None,
        *,
        playing: bool = False,
        clerk: Clerk | None = None,
    ) -> None:
        self.badge: BadgeSeen | None = None
        """The badge that has proved itself; None for nobody."""
        self.commands: deque[str] = deque(maxlen=MOST_ANSWERS)
        """The last commands that were written down, oldest first."""
        self.unrecorded = 0
        """Steps that were done since nothing can be written."""
        self._path, self._guard, self._aside, self._archive_bytes = place
        self._lost = lost
        self._playing = playing
        self._again_us = self._key_us = self._room_us = 0
        self._found = self._low = ""
        self._journal = journal
        self._clerk = clerk or Clerk()
        self._has_told = False
        self._trimming = Thread(target=bool, daemon=True)

    def name(self) -> str:
        """The name of the journal that is written, or was last."""
        return self._guard.occasion().journal

    @property
    def troubles(self) -> dict[str, str]:
        """Why the mark on another device is not written, and why the key is not read; "" where it is, or there is
        none. How little room there is on the journal's disk; "" for enough."""
        return {HIGH_WATER: self._guard.trouble, TABLE_KEY: self._guard.key_trouble, STORAGE: self._low}

    @property
    def dark(self) -> bool:
        """True while nothing is written."""
        return self._journal is None

    def write(self, steps: Sequence[Made], at_us: int, live: Live, command: str = "") -> None:
        """Steps that belong together and lead to the state `live`; on disk in one piece when this returns, unless the
        table is `dark` by then. Raises JournalError where a step is none that can be written down."""
        first = self._journal.last + 1 if self._journal is not None else 0
        entries = [self._entry(made, at_us, command, number) for number, made in enumerate(steps, first)]
        if self._journal is not None:
            ended = self._playing and not live.table.playing
            state = hand_of(live) if ended else b""
            self._look(self._within(ANSWER_S, partial(_append, self._journal, entries, state)))
        self._playing = live.table.playing
        if command:
            self.commands.append(command)
        if self._journal is None:
            self.unrecorded += len(entries)
            self._guard.dark(self.unrecorded, here=False)
            if self._clerk.is_idle:
                self._soon(partial(self._guard.dark, self.unrecorded))
            self.note_aside()

    @property
    def _open_commands(self) -> tuple[str, ...]:
        return tuple(self.commands)[-COMMANDS_GO_ON:]

    def keep(self, live: Live, at_us: int) -> Live:
        """From time to time: looks after the files, begins another segment between hands, and tries for storage where
        there is none. Gives the state with what came of it."""
        if self._guard.key_trouble and at_us >= self._key_us:
            self._key_us = at_us + KEY_RETRY_US
            Thread(target=self._guard.look_for_key, daemon=True).start()  # its device may hang
        if self._journal is not None:
            self._look(self._within(ANSWER_S, self._journal.watch.trouble))
        if self._journal is not None and at_us >= self._room_us:
            self._room_us = at_us + ROOM_US
            self._low = self._within(ANSWER_S, partial(_low, self._path.parent, self._low)) or ""
        if self._journal is not None and not live.table.playing and self._journal.records_here > MOST_RECORDS:
            self.rotate(live, at_us)
        if self._journal is None and at_us >= self._again_us and self._clerk.is_idle:
            self._again_us = at_us + RETRY_US
            return self._begin_anew(live, at_us)
        return live

    def close(self) -> None:
        """Gives the journal back, if its disk answers."""
        with suppress(StuckError):
            self._clerk.do(self._journal.close if self._journal is not None else bool, ANSWER_S)
        self._clerk.close()

    def comes_late(self, found: tuple[object, object, Recorder]) -> None:
        """Takes over what is known of a journal that was read when nobody waited for it any more; the configuration is
        that in play."""
        *_, late = found
        known = late._lost
        if (journal := late._journal) is not None:
            known = msgspec.structs.replace(journal.begun, name=journal.reached.journal)
            journal.abandon()
        self._lost = msgspec.structs.replace(known, config=self._lost.config)
        late._clerk.close()

    def _entry(self, made: Made, at_us: int, command: str, number: int) -> Entry:
        """A step with what is known of how it came; a decision of the floor with the badge, and its proof for this
        very record."""
        step, source = made
        badge = self.badge if source == "floor" else None
        if badge is None:
            return Entry(at_us, step, source, command=command)
        entry = Entry(at_us, step, source, badge.label, command)
        return proven(entry, number, badge.proof) if badge.proof is not None else entry

    def _within(self, within_s: float, work: Callable[[], T]) -> T | None:
        """Does something to the files, which are let go of where it fails or takes too long: None."""
        try:
            return self._clerk.do(work, within_s)
        except JournalDead as error:
            self._let_go(str(error))
        except StuckError as error:
            self._let_go(f"journal {self._path}: {error}")
        return None

    def _soon(self, work: Callable[[], None]) -> None:
        """Has something done; what hangs is not waited for."""
        if self._clerk.is_idle:
            with suppress(StuckError):
                self._clerk.do(work, ANSWER_S)
        else:
            self._clerk.later(work)

    def _look(self, trouble: tuple[str, Trouble] | None) -> None:
        """Lets go of files that are not those that were opened."""
        if trouble is not None:
            name, how = trouble
            self._found = how
            self._let_go(f"journal {name}: {how}, expected the files that were opened")

    def _let_go(self, why: str) -> None:
        """What is there now is never written again."""
        print(f"potkeeper: {why}; NOT RECORDED from here", file=sys.stderr, flush=True)
        if self._journal is not None:
            self._lost = msgspec.structs.replace(self._journal.begun, name=self._journal.reached.journal)
            self._soon(self._journal.abandon)
        self._journal, self.unrecorded, self._again_us = None, 0, 0

    def rotate(self, live: Live, at_us: int) -> None:
        """Goes on in a new segment that begins with this state; where that cannot be, later."""
        journal = self._journal
        if journal is None or at_us < self._again_us:
            return
        try:
            self._within(BEGIN_S, partial(journal.rotate, whole_of(live), commands=self._open_commands))
        except JournalError as error:
            if not journal.is_writable:
                self._let_go(str(error))
                return
            print(f"potkeeper: {error}; tried again in a minute", file=sys.stderr, flush=True)
            self._again_us = at_us + ROTATE_RETRY_US
        else:
            if self._journal is not None:
                self.trim()

    def _begin_anew(self, live: Live, at_us: int) -> Live:
        """A new journal from this state, if one can be written."""
        steps: list[Step] = [RecordsMissed(self.unrecorded)] if self.unrecorded else []
        steps += [RecordsAltered(self._found)] if self._found else []
        state = whole_of(live)
        opening = opening_of(self._lost.config, parent=self._lost.name or self._lost.parent, why="storage")
        opening = msgspec.structs.replace(
            opening, segment=self._lost.segment, state=whole.digest_of(state), commands=self._open_commands
        )
        notes = encode([Entry(at_us, step, "sensor") for step in steps], 1)
        begin = partial(_begun, Place(self._path, self._guard), opening, notes, state)
        try:
            self._journal = self._clerk.do(begin, BEGIN_S, Journal.abandon)
        except (JournalError, StuckError) as error:
            if not self._has_told:
                told = f"journal {self._path}: {error}" if isinstance(error, StuckError) else error
                print(f"potkeeper: {told}", file=sys.stderr, flush=True)
            self._has_told = True
            return live
        for step in steps:
            live, _ = evolve(live, step, "sensor", at_us)
        print(f"potkeeper: journal {self._path}: recorded again, {self.unrecorded} steps are missing", file=sys.stderr)
        self._found, self.unrecorded, self._has_told = "", 0, False
        self.note_aside()
        self.trim()
        return live

    def trim(self) -> None:
        """The closed segments and what was set aside keep to their room; what goes is exported before, which takes a
        moment."""
        if not self._trimming.is_alive():
            self._trimming = Thread(target=_trim, args=(self._path, self._archive_bytes), daemon=True)
            self._trimming.start()

    def note_aside(self) -> None:
        """The word on another device that something is missing, for a service that is started meanwhile."""
        with suppress(OSError):
            if self._aside is not None and self.dark:
                self._aside.write_text(f"{self.unrecorded} steps\n")
            elif self._aside is not None:
                self._aside.unlink(missing_ok=True)


def _append(journal: Journal, entries: Sequence[Entry], state: bytes) -> tuple[str, Trouble] | None:
    """Entries on disk; what has happened to the files meanwhile."""
    journal.append(entries, state)
    return journal.watch.trouble()


def _low(folder: Path, before: str) -> str:
    """How little room there is; "" for enough. `before` is what was said of it last."""
    try:
        total, _, free = shutil.disk_usage(folder)
    except OSError:
        return before
    least = min(LOW_BYTES, total // LOW_SHARE)
    return f"< {max(1, least // 1_000_000)} MB" if free < least * (ENOUGH if before else 1) else ""


def _begun(place: Place, opening: Opening, notes: Sequence[bytes], state: bytes) -> Journal:
    """A new journal in the place of what lies there."""
    replace(place.path, opening, notes, {0: state}, guard=place.guard)
    return Journal.open(place.path, guard=place.guard)[0]


def _trim(path: Path, most_bytes: int) -> None:
    for kept, room in ((trim, most_bytes), (thin, min(most_bytes, ASIDE_BYTES))):
        try:
            kept(path, room)
        except (JournalError, OSError) as error:
            print(f"potkeeper: {error}", file=sys.stderr, flush=True)
