"""How a table comes back from its journal: whatever became of that, the table is there.

What is damaged is salvaged; where the disk takes nothing, the table is as its records have it, in memory. Only another
process that writes the journal ends the start, and a file that is none of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from controller.config import BadInputError, TableConfig, read_config
from controller.journal import (
    Clerk,
    Entry,
    Journal,
    JournalBusy,
    JournalError,
    Opening,
    StuckError,
    finish,
    inspect,
    is_of_this_run,
    is_ours,
    is_there,
    opening_of,
    prove,
    proven_in_memory,
    salvage,
)
from controller.live import Live, Made, Setup, evolve
from controller.seals import SealError, read_mark
from controller.service.looks import Played, earlier, told_to
from controller.service.recorder import Place, Recorder
from controller.service.replaying import replayed
from controller.table import RecordsAltered, RecordsDamaged, Restarted, Step

STILL_S: Final = 5.0
"""Of a start that waits for its disk and for nothing else: the supervisor gives it minutes, a table does not."""
_DAMAGE: Final = RecordsDamaged()
_BEHIND: Final = frozenset({"cut", "older-copy", "wal-removed"})
"""Found where a journal had come further than it can be read: the rest may still be found in its bytes."""


class NotOurs(JournalError):
    """The file at the journal's place was never a journal: nobody moves it away."""


def take_up_in_time(
    config: TableConfig, place: Place, setup: Setup, at_us: int
) -> tuple[TableConfig, Live, Recorder, Played]:
    """The table as `take_up` gives it, and what was played. Where the disk does not answer, it is that of the
    configuration given, which says that records are damaged, and that nothing is recorded."""
    clerk, played = Clerk("start"), Played()
    recorder = Recorder(place, opening_of(config.text), None, clerk=clerk)
    begin = partial(take_up, config, place, setup, at_us, played)
    try:
        found = clerk.do_at_length(begin, STILL_S, recorder.comes_late)
    except StuckError as error:
        _say(f"journal {place.path}: {error}; NOT RECORDED")
        return config, _after(Live(setup, config.table), [_DAMAGE], at_us), recorder, Played()
    clerk.close()
    return *found, played


def take_up(
    config: TableConfig, place: Place, setup: Setup, at_us: int, played: Played
) -> tuple[TableConfig, Live, Recorder]:
    """The table as its journal has it, with its own configuration, which goes before the one given; a new journal
    where there is none. What happened meanwhile is written down: that records are damaged, altered or missing, that
    the service restarted in the middle of a hand. What the running segment holds is told to `played`.

    Raises JournalBusy where another process writes the journal, JournalError where the file is none of ours,
    BadInputError where the configuration cannot be used."""
    path, guard = place.path, place.guard
    guard.look_for_key()
    if path.is_dir():
        raise NotOurs(f"journal {path}: a folder, expected a journal, or a free place for one")
    notes = _notes(place)
    try:
        finish(path)
        if not is_there(path) and not notes:
            journal = Journal.create(path, opening_of(config.text), guard=guard)
            return config, Live(setup, config.table), Recorder(place, journal.begun, journal)
        if _is_behind(notes) and salvage(path, None, _entries(notes, at_us), behind=True, guard=guard).damaged:
            notes = []
        journal, _ = Journal.open(path, guard=guard)
    except JournalBusy:
        raise
    except JournalError as error:
        return _salvaged(config, place, setup, _notes(place, whole=True) or notes, at_us, error, played)
    return _gone_on(config, place, setup, journal, notes, at_us, played)


def _notes(place: Place, *, whole: bool = False) -> list[Step]:
    """What is to be told of a journal before it is opened: in which way it is not as the table left it. With `whole`
    all records are looked at, as is due for one that cannot be opened."""
    path, guard, aside, _ = place
    marks = [mark.path for mark in guard.marks]
    notes: list[Step] = []
    try:
        for finding in inspect(path, guard.keys, marks, guard.badges, whole=whole).found:
            _say(finding.line)
            notes.append(RecordsAltered(finding.how))
    except JournalError:
        pass
    if (aside is not None and aside.exists()) or any(_went_dark(mark) for mark in marks):
        _say(f"journal {path}: the table was played on without records, expected the floor to count")
        notes.append(_DAMAGE)
    return list(dict.fromkeys(notes))


def _is_behind(notes: Sequence[Step]) -> bool:
    return any(isinstance(note, RecordsAltered) and note.how in _BEHIND for note in notes)


def _entries(notes: Sequence[Step], at_us: int) -> list[Entry]:
    return [Entry(at_us, note, "sensor") for note in notes]


def _went_dark(mark: Path) -> bool:
    try:
        found = read_mark(mark)
    except SealError:
        return False
    return found is not None and found.state == "dark" and found.unrecorded > 0


def _gone_on(
    config: TableConfig,
    place: Place,
    setup: Setup,
    journal: Journal,
    notes: Sequence[Step],
    at_us: int,
    played: Played,
    written: Sequence[Step] = (),
) -> tuple[TableConfig, Live, Recorder]:
    """From a journal that is whole, and ends with the notes that are `written` already."""
    path, opening = place.path, journal.begun
    config = _kept(config, opening, path)
    told = list(notes)
    played.reads_earlier = partial(earlier, path, opening, setup)
    try:
        live, differs, _ = replayed(journal, Live(setup, config.table), told_to(played, opening))
    except JournalError as error:
        live, differs = Live(setup, config.table), str(error)
        told.append(_DAMAGE)
    if differs:
        played.forgets()
        _say(f"journal {path}: {differs}; going on from what was recorded")
        # Replay may have ended before the notes that a salvage has written.
        told = [*written, *told, RecordsAltered("differs")]
    if live.table.playing:
        told.append(Restarted())
    recorder = Recorder(place, opening, journal, playing=live.table.playing)
    recorder.commands.extend((*opening.commands, *(each.command for each in journal.records() if each.command)))
    if differs or not is_of_this_run(opening):
        recorder.rotate(live, at_us)
    live = _after(live, told, at_us)
    recorder.write([Made(step, "sensor") for step in told], at_us, live)
    if recorder.dark:  # it may have been so before: who knows what is missing
        live = _after(live, [_DAMAGE], at_us)
    recorder.note_aside()
    recorder.trim()
    return config, live, recorder


def _salvaged(
    config: TableConfig,
    place: Place,
    setup: Setup,
    notes: Sequence[Step],
    at_us: int,
    error: JournalError,
    played: Played,
) -> tuple[TableConfig, Live, Recorder]:
    """From a journal that is damaged, or on a disk that takes nothing."""
    path, guard = place.path, place.guard
    begun = opening_of(config.text)
    if not is_there(path) and not notes:
        _say(f"{error}; NOT RECORDED")
        return config, Live(setup, config.table), Recorder(place, begun, None)
    told = list(dict.fromkeys((*notes, _DAMAGE)))
    entries = _entries(told, at_us)
    try:
        if path.exists() and not is_ours(path):
            raise NotOurs(str(error))
        kept = salvage(path, begun, entries, guard=guard)
        _say(f"{error}; going on from {kept.kept} records, {kept.lost}")
        journal, _ = Journal.open(path, guard=guard)
        if kept.damaged is None:
            return _gone_on(config, place, setup, journal, notes, at_us, played)
        return _gone_on(config, place, setup, journal, (), at_us, played, told)
    except (JournalBusy, NotOurs):
        raise
    except JournalError as again:
        _say(f"{error}; {again}; NOT RECORDED")
        return _in_memory(config, place, setup, entries, at_us)


def _in_memory(
    config: TableConfig, place: Place, setup: Setup, entries: Sequence[Entry], at_us: int
) -> tuple[TableConfig, Live, Recorder]:
    """From what can be read where nothing can be written."""
    path, begun = place.path, opening_of(config.text)
    try:
        found = prove(path)
        begun = msgspec.structs.replace(found.opening or begun, name=found.name)
        config = _kept(config, begun, path)
        with proven_in_memory(found, begun, entries) as segment:
            live = replayed(segment, Live(setup, config.table)).live
    except JournalError as error:
        _say(str(error))
        live = _after(Live(setup, config.table), [entry.step for entry in entries], at_us)
    if live.table.playing:
        live = _after(live, [Restarted()], at_us)
    return config, live, Recorder(place, begun, None, playing=live.table.playing)


def _kept(config: TableConfig, opening: Opening, path: Path) -> TableConfig:
    """The configuration that the journal began with; the one given where this program cannot read that."""
    try:
        kept = read_config(opening.config)
    except BadInputError as error:
        _say(f"journal {path}: its configuration: {error}; the one given is used")
        return config
    if kept.text != config.text:
        _say(f"{path}: the journal's own configuration goes on, not the one given")
    return kept


def _after(live: Live, steps: Sequence[Step], at_us: int) -> Live:
    for step in steps:
        live, _ = evolve(live, step, "sensor", at_us)
    return live


def _say(line: str) -> None:
    print(f"potkeeper: {line}", file=sys.stderr, flush=True)
