"""Undo and redo: the last steps that changed the table, taken back and done again, bit for bit.

What people did goes back and forth; facts stay as they are: the time, and the trays that are out. Any other step that
changes the table forgets what could have been done again. Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.table.codes import Reason, refused
from controller.table.state import MOST_UNDO, Ahead, Done, LastWords, Table
from controller.table.steps import Declares, Moves, Says, Step

JOIN_US: Final = 10_000_000
"""Chips of a seat within this time after its words are the same act: they are taken back together."""


# --- what is kept ---


def remembered(table: Table, after: Table, what: Step, at_us: int) -> Table:
    """The table after a step with what undo needs: a step that changed nothing is no step to take back."""
    if after == table:
        return after
    after = after._replace(future=())
    joins = table.joins
    if what.undone == "joined" and _is_of_words(what, joins, at_us):
        return after._replace(past=(*table.past[:-1], table.past[-1]._replace(at_us=at_us)))
    words = LastWords(what.seat, at_us) if isinstance(what, Declares | Says) else LastWords()
    done = Done(_alone(table), what, at_us)
    return after._replace(past=(*table.past[-(MOST_UNDO - 1) :], done), joins=words)


def _is_of_words(what: Step, words: LastWords, at_us: int) -> bool:
    """True for chips that belong to the words just before them."""
    return isinstance(what, Moves) and words.seat == what.seat and 0 <= at_us - words.at_us <= JOIN_US


def _alone(table: Table) -> Table:
    """The table without what undo and redo keep beside it."""
    return table._replace(past=(), future=())


def _with_facts_of(table: Table, now: Table) -> Table:
    """The table as it was or will be, with the facts of now."""
    return table._replace(offline=now.offline, minutes=now.minutes)


# --- back and forth ---


def undone(table: Table) -> Table:
    """The table before the last step that changed it. Refuses where nothing is left to take back."""
    if not table.past:
        raise refused(Reason.NOTHING_TO_UNDO)
    done = table.past[-1]
    before = _with_facts_of(done.before, table)
    return before._replace(past=table.past[:-1], future=(*table.future, Ahead(_alone(table), done)), joins=LastWords())


def redone(table: Table) -> Table:
    """The table after the step that was taken back last. Refuses where nothing is left to do again."""
    if not table.future:
        raise refused(Reason.NOTHING_TO_REDO)
    after, done = table.future[-1]
    return _with_facts_of(after, table)._replace(past=(*table.past, done), future=table.future[:-1])


# --- for who asks before ---


def undo_crosses(table: Table) -> bool:
    """True where undo leads out of this hand, back before it or into the one that is over; or between two hands into
    the last one. False where there is nothing to take back."""
    return bool(table.past) and _is_another_hand(table, table.past[-1].before)


def redo_crosses(table: Table) -> bool:
    """The same of redo."""
    return bool(table.future) and _is_another_hand(table, table.future[-1].after)


def _is_another_hand(one: Table, other: Table) -> bool:
    return (one.hands, one.playing) != (other.hands, other.playing)
