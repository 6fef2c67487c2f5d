"""The hands of a table, from the same log that the pages of the table show."""

from __future__ import annotations

from typing import Final

from controller.derived.changes import Changes
from controller.derived.rows import HandPlace, RecordPlace, derive_hand
from controller.journal import Entry
from controller.live import Live, RecordedStep, Transition
from controller.service import queries
from controller.steps import Step, hand_steps, table_steps
from controller.table import Table

KEPT_HANDS: Final = 5
"""Number of past hands in memory. Undo has 200 steps, which are the steps of two to four hands."""
MAX_WRITTEN: Final = 50
"""Number of hands whose rows can still change. The 200 steps of undo are at most 40 hands of five steps."""


class TableHands:
    """Collects the hands at a table."""

    def __init__(self) -> None:
        self.opening = 1
        """Number of the present opening of the table, from 1."""
        self._log = queries.HandLog(KEPT_HANDS)
        self._written: dict[HandPlace, tuple[int, int, int]] = {}
        """Last hands that have rows, with their first record, their last record, and their number of actions."""

    def clear(self) -> None:
        """Forget the steps, because the table continues from another state."""
        self._log.clear()

    def begin_opening(self) -> None:
        """Begin a new opening, whose hands are numbered from 1."""
        self.opening += 1
        self.clear()

    def shift_openings(self, shift: int) -> None:
        """Add this number to the openings."""
        self.opening += shift
        self._written = {HandPlace(key.opening + shift, key.number): state for key, state in self._written.items()}

    def add(self, before: Live, entry: Entry, after: Live, record_number: int, wall_us: int | None) -> None:
        """Add a step. `wall_us` is its wall-clock time, or None if it is not known."""
        step = RecordedStep(entry.step, entry.source)
        transition = Transition(after, (step,), at_us=wall_us or 0, states=(after,))
        self._log.add_transition(
            before,
            transition,
            badge=entry.badge,
            is_clock_current=wall_us is not None,
            record_number=record_number,
        )
        self.opening += _openings(before.table, entry.step)

    def write(self, table: Table, place: RecordPlace, changes: Changes) -> None:
        """Write the hands that are over and have changed. `place` is that of the last record of the table."""
        self.drop_undone(table, changes)
        later_number = table.hands_started + 1
        for hand in self._log.hands():
            if hand.number >= later_number:
                return  # The hand is of an earlier opening.
            later_number = hand.number
            if not hand.is_over:
                continue
            groups, key = hand.undo_groups, HandPlace(self.opening, hand.number)
            state = groups[0][0].record_number, groups[-1][-1].record_number, len(groups)
            if self._written.get(key) != state:
                self._written[key] = state
                changes.hands[key] = derive_hand(key, hand, place)

    def drop_undone(self, table: Table, changes: Changes) -> None:
        """Delete the hands that the table does not have, because they were undone or are in progress again."""
        last = HandPlace(self.opening, table.hands_started - table.is_hand_in_progress)
        if any(key > last for key in self._written):
            self._written = {key: state for key, state in self._written.items() if key <= last}
            changes.drop_hands_after(last)
        while len(self._written) > MAX_WRITTEN:
            del self._written[min(self._written)]


def _openings(before: Table, step: Step) -> int:
    """Return 1 if a step opens the table, -1 if it takes this back, otherwise 0."""
    if isinstance(step, hand_steps.Undoes):
        return -isinstance(before.last_step, table_steps.OpensTable)
    done = before.next_redo_step if isinstance(step, hand_steps.Redoes) else step
    return int(isinstance(done, table_steps.OpensTable))
