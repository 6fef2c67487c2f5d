"""The view history: what recent views showed, so that a command with an old meaning can be refused.

Before a person's touch arrives, a sensor, a key or another screen may have changed the table. The same touch may also
arrive twice. Each command therefore names the view that its sender saw. A step that must not be done twice is refused
if it no longer means the same as on that view.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import StrEnum
from typing import Final, NamedTuple

from controller.steps import Observation, SeatObservation, Step, hand_steps, observations, table_steps
from controller.table import Table

MAX_VIEWS: Final = 256
"""Number of recent views that a command may name. A busy table has about ten views per second."""

HAND_INDEPENDENT_STEPS: Final = (
    table_steps.AddsChips,
    table_steps.ChangesDealer,
    table_steps.ChangesSeat,
    table_steps.ComesBack,
    table_steps.CorrectsName,
    table_steps.CountsStack,
    table_steps.FloorAllowsHand,
    table_steps.FloorHoldsHands,
    table_steps.FloorPlacesButton,
    table_steps.GivesMarker,
    table_steps.GoesAway,
    table_steps.LeavesTable,
    table_steps.PaysTimeCollection,
    table_steps.AddsCash,
    table_steps.ChangesGame,
    table_steps.RedeemsMarker,
    table_steps.QueuesStep,
    table_steps.RemovesChips,
    table_steps.SitsDown,
    observations.StartsPadCount,
    table_steps.TimePasses,
    table_steps.TipsDealer,
    table_steps.RecordSeatSensorOnline,
    table_steps.RecordSeatSensorOffline,
)
"""Steps whose meaning does not depend on the hand or the betting round."""


class StaleRefusal(StrEnum):
    """Reasons why a command is refused because the table has changed since the view that its sender saw."""

    NO_VIEW = "no-view"
    """The command names no view, and its step must not be done twice."""
    UNKNOWN_VIEW = "unknown-view"
    """This service never sent the view, or sent it too long ago."""
    TABLE_CHANGED = "table-changed"
    """Another hand or betting round has begun, or undo or redo would affect another step."""
    ALREADY_DONE = "done-already"
    """The same step has been done since that view."""
    TOO_LATE = "too-late"
    """The screen had not heard from the service for some time, or the service has restarted since."""


class _ShownView(NamedTuple):
    """The table of a view, and the seat that the view shows in turn."""

    table: Table
    turn: int | None


class ViewHistory:
    """The last views that were sent, by their sequence number."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, _ShownView] = OrderedDict()
        self._done: OrderedDict[Step, int] = OrderedDict()
        """For each step that was done: the sequence number of the newest view when the step was done."""
        self._newest_sequence = 0

    def add_view(self, sequence: int, table: Table, turn: int | None) -> None:
        """Store a view that is sent to the screens."""
        self._newest_sequence = sequence
        self._views[sequence] = _ShownView(table, turn)
        if len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)

    def seat_in_turn(self, view_sequence: int) -> int | None:
        """Return the seat in turn on the view with this number, or None."""
        shown = self._views.get(view_sequence)
        return shown.turn if shown is not None else None

    def add_command(self, step: Step) -> None:
        """Note that a step has just been done."""
        self._done[step] = self._newest_sequence
        self._done.move_to_end(step)
        if len(self._done) > MAX_VIEWS:  # Older steps belong to views that are no longer stored.
            self._done.popitem(last=False)

    def reject_reason(self, step: Step, view_sequence: int, table: Table) -> StaleRefusal | None:
        """Return why a step must not be done any longer, or None if it still means what its sender saw.

        `view_sequence` is the number of the view that the sender saw, or 0 if the command names no view.
        """
        if not view_sequence:
            return None if step.verb.is_idempotent else StaleRefusal.NO_VIEW
        if view_sequence not in self._views:
            return StaleRefusal.UNKNOWN_VIEW
        seen = self._views[view_sequence].table
        if not step.verb.is_idempotent and self._done.get(step, -1) >= view_sequence:
            return StaleRefusal.ALREADY_DONE
        if isinstance(step, hand_steps.Undoes):
            has_same_meaning = (len(seen.undo_stack), seen.last_step) == (len(table.undo_stack), table.last_step)
        elif isinstance(step, hand_steps.Redoes):
            same_count = len(seen.redo_stack) == len(table.redo_stack)
            has_same_meaning = same_count and seen.next_redo_step == table.next_redo_step
        else:
            has_same_meaning = _is_hand_independent(step) or _round_of(table) == _round_of(seen)
        return None if has_same_meaning else StaleRefusal.TABLE_CHANGED


def _is_hand_independent(step: Step) -> bool:
    """Return True if a step has the same meaning in every hand.

    An answer about a seat has a meaning only in its hand.
    """
    return isinstance(step, HAND_INDEPENDENT_STEPS) or (
        isinstance(step, Observation) and not isinstance(step, SeatObservation)
    )


def _round_of(table: Table) -> tuple[int, int]:
    """Return the number of the hand, and of the betting round in it."""
    return table.hands_started, table.hand.round_number if table.hand is not None else 0
