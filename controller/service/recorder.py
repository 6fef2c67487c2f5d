"""A table's journal as the service uses it: opened or salvaged, played again, written to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.config import TableConfig, read_config
from controller.journal import Entry, Journal, JournalError, Opening, salvage
from controller.live import Live, Made, Setup, evolve
from controller.table import RecordsDamaged, Restarted

CONFIG_VERSION: Final = 1
"""Of the text of a table's configuration, as an opening holds it."""


class Recorder:
    """Writes steps to the journal, decisions of the floor with the badge that lies on the reader."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.badge = ""
        """Who is there: name and role of a proven badge, "" for nobody."""

    def write(self, steps: Sequence[Made], at_us: int) -> None:
        """Steps that belong together; on disk in one piece when this returns. Raises JournalError, JournalDead."""
        self.journal.append(
            [Entry(at_us, step, source, self.badge if source == "floor" else "") for step, source in steps]
        )

    def close(self) -> None:
        """Gives the journal back."""
        self.journal.close()


def begin(config: TableConfig, path: Path) -> Recorder:
    """A new journal for a table of this configuration. Raises JournalError."""
    opening = Opening(config.text, CONFIG_VERSION, datetime.now(UTC).isoformat(timespec="seconds"))
    return Recorder(Journal.create(path, opening))


def go_on(config: TableConfig, path: Path, setup: Setup, at_us: int) -> tuple[TableConfig, Live, Recorder]:
    """The table as its journal has it, with its own configuration, which goes before the one given. What happened
    meanwhile is written down: that the records are damaged, that the service restarted in the middle of a hand.

    Raises JournalError, BadInputError with one line."""
    journal, opening, damaged = _opened(path, config)
    kept = read_config(opening.config)
    if kept.text != config.text:
        print(f"potkeeper: {path}: the journal's own configuration goes on, not the one given", file=sys.stderr)
    live = _played_again(journal, Live(setup, kept.table))
    meanwhile = [Made(RecordsDamaged(), "sensor")] if damaged else []
    if live.table.playing:
        meanwhile.append(Made(Restarted(), "sensor"))
    recorder = Recorder(journal)
    recorder.write(meanwhile, at_us)
    for step, source in meanwhile:
        live, _ = evolve(live, step, source, at_us)
    return kept, live, recorder


def _opened(path: Path, config: TableConfig) -> tuple[Journal, Opening, bool]:
    """The journal, and whether something of it was lost: a damaged one is replaced by its good records, for a machine
    never stops the table."""
    try:
        return *Journal.open(path), False
    except JournalError as error:
        if error.number is None:
            raise
        kept = salvage(path, Opening(config.text, CONFIG_VERSION, "salvaged"))
        print(f"potkeeper: {error}; going on from {kept.kept} records, {kept.lost}", file=sys.stderr, flush=True)
        return *Journal.open(path), True


def _played_again(journal: Journal, live: Live) -> Live:
    """The state after all records. Raises JournalError where one cannot be done now: it is of another table."""
    for number, (at_us, step, source, _) in enumerate(journal.entries(), 1):
        live, outcome = evolve(live, step, source, at_us)
        if outcome.refused is not None:
            what = f"record {number}: {type(step).__name__} is refused, {outcome.refused}"
            raise JournalError(f"journal {journal.path}: {what}, expected a step that was done", number)
    return live
