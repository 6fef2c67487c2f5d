"""What happens at a table besides its hands: calls for the floor, changes of the dealer, fills and credits."""

from __future__ import annotations

from collections import deque
from typing import Final

from controller.derived.changes import Changes, RecordKey
from controller.derived.rows import CallRow, FillRow, PushRow, to_datetime
from controller.journal import Entry
from controller.live import Live
from controller.steps import Step, hand_steps, table_steps
from controller.table import MAX_UNDO_STEPS, DealerSession, Table

FILL_KINDS: Final[dict[type[Step], str]] = {table_steps.FillsTray: "fill", table_steps.CreditsTray: "credit"}
"""Steps that move chips between the cage and the tray of the table, with their kind in the rows."""


class TableEvents:
    """Collects the events at a table."""

    def __init__(self) -> None:
        self._call: CallRow | None = None
        """The open call for the floor, or None if no call is open."""
        self._fills: deque[tuple[Step, int, FillRow]] = deque(maxlen=MAX_UNDO_STEPS)
        """Last fills and credits with their step and monotonic time, by which undo and redo name them."""
        self._dealers: tuple[DealerSession, ...] = ()
        self._opening = 1

    def shift_openings(self, shift: int) -> None:
        """Add this number to the number of the opening."""
        self._opening += shift

    def add(
        self, before: Live, entry: Entry, after: Live, key: RecordKey, changes: Changes, wall_us: int | None
    ) -> None:
        """Add a step with the key of its record."""
        if after.floor_called or self._call is not None:
            self._note_call(after, key, changes, None if before.floor_called else wall_us, wall_us, entry.badge)
        step = entry.step
        if isinstance(step, table_steps.FillsTray | table_steps.CreditsTray):
            row = FillRow(*key, to_datetime(wall_us), FILL_KINDS[type(step)], step.amount, entry.badge)
            self._fills.append((step, entry.at_us, row))
            changes.fills[key] = row
        elif isinstance(step, hand_steps.Undoes) and before.table.undo_stack:
            undone = before.table.undo_stack[-1]
            self._set_fill(undone.step, undone.at_us, changes, exists=False)
        elif isinstance(step, hand_steps.Redoes) and before.table.redo_stack:
            redone = before.table.redo_stack[-1].undo_entry
            self._set_fill(redone.step, redone.at_us, changes, exists=True)

    def _set_fill(self, step: Step, at_us: int, changes: Changes, *, exists: bool) -> None:
        for other, other_us, row in self._fills:
            if (other, other_us) == (step, at_us):
                changes.fills[row.journal, row.segment, row.record] = row if exists else None

    @property
    def call(self) -> CallRow | None:
        """The open call for the floor, or None."""
        return self._call

    def set_call(self, call: CallRow | None) -> None:
        """Continue with a call that is in the database."""
        self._call = call

    def _note_call(
        self,
        live: Live,
        key: RecordKey,
        changes: Changes,
        called_us: int | None,
        wall_us: int | None,
        badge: str,
    ) -> None:
        """Begin, change or end the call for the floor."""
        if not live.floor_called:
            self.end_call(changes, wall_us, badge)
            return
        call = self._call or CallRow(*key, called_at=to_datetime(called_us))
        if live.floor_call.answered_by != call.answered_by:
            call = call._replace(answered_at=to_datetime(wall_us), answered_by=live.floor_call.answered_by)
        call = call._replace(why=live.floor_call.reason)
        if call != self._call:
            self._call = changes.calls[call.journal, call.segment, call.record] = call

    def end_call(self, changes: Changes, wall_us: int | None, badge: str = "") -> None:
        """End the open call if there is one. `badge` is the badge of the floor that has come, or ""."""
        if self._call is not None:
            call = self._call._replace(ended_at=to_datetime(wall_us), ended_by=badge)
            changes.calls[call.journal, call.segment, call.record] = call
            self._call = None

    def write_dealers(self, opening: int, table: Table, changes: Changes, wall_us: int | None) -> None:
        """Write the dealers that are new, and delete those that were undone.

        `wall_us` is the time of the step that has just been done, or None if the time of the push is not known.
        """
        dealers = table.dealer_sessions
        if opening == self._opening and dealers is self._dealers:
            return
        known = self._dealers if opening == self._opening else ()
        same = 0
        while same < min(len(known), len(dealers)) and known[same] == dealers[same]:
            same += 1
        if same < len(known) or opening < self._opening:
            changes.drop_pushes_after((opening, same - 1))
        for number in range(same, len(dealers)):
            dealer = dealers[number]
            changes.pushes[opening, number] = PushRow(opening, number, dealer.name, to_datetime(wall_us), dealer.hands)
        self._opening, self._dealers = opening, dealers
