"""A table's state from its journal: what a segment begins with, and every record of it done again.

The state after each hand is compared with the one that was recorded then. Where another program makes something else of
the same records, the recorded state counts: people have played on with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.journal import Entry, JournalError, Record, Segment, difference, whole
from controller.live import Live, Setup, evolve, lasting
from controller.table import StepError

MOST_RECORDS: Final = 4_000
"""Of a segment, before another is begun between hands: some hundred hands, done again in a third of a second."""


Witness = Callable[[Live, Entry, Live], None]
"""Is told of a step: the state before it, the record, the state after it."""


class Replayed(NamedTuple):
    """What comes of a segment's records."""

    live: Live
    differs: str = ""
    """What the recorded states or steps and this program do not have in common, in one line; "" for nothing."""
    number: int = 0
    """The record at which it was found."""


def whole_of(live: Live) -> bytes:
    """The state that a segment begins with: all that lasts, what undo and redo can do included."""
    return whole.write(_recorded(live))


def hand_of(live: Live) -> bytes:
    """The state at the end of a hand, a tenth of it: without what undo and redo can do, and the places of the chips."""
    return whole.write(_at_hands_end(live))


def live_of(state: bytes, setup: Setup) -> Live:
    """The state of `whole_of` or `hand_of`. Raises WholeError where this program cannot read it."""
    return whole.read(Live, state)._replace(setup=setup)


def _unseen(before: Live, entry: Entry, after: Live) -> None:
    """Nobody looks on."""


def replayed(segment: Segment, live: Live, sees: Witness = _unseen) -> Replayed:
    """The state after all records of a segment. `live` is the table that its configuration opens, which counts where
    the segment does not begin with a state. Where a hand's end differs from what was recorded, or a record cannot be
    done, the last recorded state counts that this program can read, and the records behind it up to the first that
    cannot be done.

    `sees` is told of each record of the segment that was done again; where the last recorded state counts, of those
    before the difference.

    Raises JournalError where a record is damaged, and where the state that the segment begins with cannot be read and
    no other is recorded."""
    setup = live.setup
    try:
        live = begins_with(segment, live)
    except JournalError as error:
        begins = segment.opening().after
        if _last_state(segment, begins, setup) is None:
            raise
        return _from_recorded(segment, Replayed(live, str(error), begins), begins, setup)
    for record in segment.records():
        after, differs = _done(live, record)
        reached = record.number - 1 if differs else record.number
        if not differs:
            sees(live, record.entry(), after)
        live, differs = after, differs or _compared(segment, after, record)
        if differs:
            return _from_recorded(segment, Replayed(live, differs, record.number), reached, setup)
    return Replayed(live)


def begins_with(segment: Segment, live: Live) -> Live:
    """The state that a segment begins with; `live` where it is that of the configuration. Raises JournalError."""
    opening = segment.opening()
    if not opening.state:
        return live
    try:
        return live_of(segment.state(opening.after, opening.state), live.setup)
    except whole.WholeError as error:
        raise JournalError(f"journal {segment.path}: the state that it begins with: {error}", 0) from None


def _done(live: Live, record: Record) -> tuple[Live, str]:
    """The state after a record; the state as it was, and why, where it cannot be done."""
    try:
        at_us, step, source, *_ = record.entry()
        after, outcome = evolve(live, step, source, at_us)
    except StepError as error:
        return live, f"record {record.number}: {error}"
    except Exception as error:  # a fault of this program must not keep the table from what was recorded
        return live, f"record {record.number}: {record.do!r}, {type(error).__name__}: {error}"
    if outcome.refused is not None:
        return live, f"record {record.number}: {record.do!r} is refused, {outcome.refused}, expected it to be done"
    return after, ""


def _compared(segment: Segment, live: Live, record: Record) -> str:
    """Where the state after a record differs from the one that was recorded with it; "" where only the form of it
    does, and where none was."""
    if not record.state or whole.digest(_at_hands_end(live)) == record.state:
        return ""
    where = f"hand {live.table.hands}, record {record.number}"
    try:
        recorded = live_of(segment.state(record.number, record.state), Setup())
    except (JournalError, whole.WholeError) as error:
        return f"{where}: {error}"
    found = difference(recorded, _at_hands_end(live))
    return f"{where}: {found}" if found else ""


def _from_recorded(segment: Segment, found: Replayed, reached: int, setup: Setup) -> Replayed:
    """The last recorded state, and what can be done behind it; where none can be read, what this program made of the
    records up to number `reached`, and what can be done behind that."""
    live, last = found.live, reached
    known = _last_state(segment, found.number, setup)
    if known is not None:
        last, live = known[0], known[1]._replace(places=live.places)
    for record in segment.records(last):
        live, wrong = _done(live, record)
        if wrong:
            more = f"; {wrong}" if record.number != found.number else ""
            return found._replace(live=live, differs=f"{found.differs}{more}")
    return found._replace(live=live)


def _last_state(segment: Segment, number: int, setup: Setup) -> tuple[int, Live] | None:
    """The last recorded state that this program can read, after this record or a later one, with the number of its
    record."""
    for record in reversed([each for each in segment.records(max(number - 1, segment.opening().after)) if each.state]):
        try:
            return record.number, live_of(segment.state(record.number, record.state), setup)
        except (JournalError, whole.WholeError):
            continue
    return None


def _recorded(live: Live) -> Live:
    return lasting(live)._replace(setup=Setup())


def _at_hands_end(live: Live) -> Live:
    return _recorded(live)._replace(table=live.table._replace(past=(), future=()), places={})
