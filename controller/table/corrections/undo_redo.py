"""Undo and redo of the last steps that changed the table, by restoring saved states exactly.

Undo takes back actions of people. Undo does not change facts: the table time, and which seat sensors are offline. Every
step that changes the table, except undo and redo, clears the redo stack.

Source: rulings.md, "A dealer is a person".
"""

from __future__ import annotations

from typing import Final

from controller.steps import (
    Step,
    hand_steps,
)
from controller.table.refusals_and_warnings import TableRefusal, refusal_error
from controller.table.state import MAX_UNDO_STEPS, LastDeclaration, RedoEntry, Table, UndoEntry

UNDO_JOIN_WINDOW_US: Final = 10_000_000
"""Maximum time in µs between a declaration and its chips for which undo takes back words and chips together. In 10 s a
player can count out chips and put them in."""


# --- remember ---


def remember_for_undo(table: Table, after: Table, step: Step, at_us: int) -> Table:
    """Return a copy of the table after a step, with a new undo entry if the step changed the table."""
    if after == table:
        return after
    after = after._replace(redo_stack=())
    declaration = table.last_declaration
    if step.verb.undo_policy == "joined" and _follows_declaration(step, declaration, at_us):
        return after._replace(undo_stack=(*table.undo_stack[:-1], table.undo_stack[-1]._replace(at_us=at_us)))
    last_declaration = (
        LastDeclaration(step.seat, at_us)
        if isinstance(step, hand_steps.Declares | hand_steps.SpeaksOnly)
        else LastDeclaration()
    )
    entry = UndoEntry(_without_history(table), step, at_us)
    return after._replace(
        undo_stack=(*table.undo_stack[-(MAX_UNDO_STEPS - 1) :], entry), last_declaration=last_declaration
    )


def _follows_declaration(step: Step, declaration: LastDeclaration, at_us: int) -> bool:
    """Return True if the step puts in the chips for the declaration just before it."""
    return (
        isinstance(step, hand_steps.MovesChips)
        and declaration.seat == step.seat
        and 0 <= at_us - declaration.at_us <= UNDO_JOIN_WINDOW_US
    )


def _without_history(table: Table) -> Table:
    """Return a copy of the table in which the undo stack and the redo stack are empty."""
    return table._replace(undo_stack=(), redo_stack=())


def _with_facts_of_now(table: Table, current: Table) -> Table:
    """Return a copy of a saved table with the present table time and the present offline seat sensors.

    Undo and redo must not change these two facts.
    """
    return table._replace(offline_seat_sensors=current.offline_seat_sensors, elapsed_minutes=current.elapsed_minutes)


# --- undo and redo ---


def undo_last_step(table: Table) -> Table:
    """Return the table as it was before the last step that changed it. Refuse if there is no such step."""
    if not table.undo_stack:
        raise refusal_error(TableRefusal.NOTHING_TO_UNDO)
    entry = table.undo_stack[-1]
    table_before = _with_facts_of_now(entry.table_before, table)
    return table_before._replace(
        undo_stack=table.undo_stack[:-1],
        redo_stack=(*table.redo_stack, RedoEntry(_without_history(table), entry)),
        last_declaration=LastDeclaration(),
    )


def redo_last_undo(table: Table) -> Table:
    """Apply again the step that the last undo took back. Refuse if there is no such step."""
    if not table.redo_stack:
        raise refusal_error(TableRefusal.NOTHING_TO_REDO)
    table_after, entry = table.redo_stack[-1]
    return _with_facts_of_now(table_after, table)._replace(
        undo_stack=(*table.undo_stack, entry), redo_stack=table.redo_stack[:-1]
    )


# --- look ahead ---


def undo_leaves_hand(table: Table) -> bool:
    """Return True if undo would start in one hand and end in another hand or between hands.

    Also return True if undo would lead from between hands into a hand. Return False if there is nothing to undo.
    """
    return bool(table.undo_stack) and _is_different_hand(table, table.undo_stack[-1].table_before)


def redo_leaves_hand(table: Table) -> bool:
    """Return True if redo would start in one hand and end in another hand or between hands.

    Also return True if redo would lead from between hands into a hand. Return False if there is nothing to redo.
    """
    return bool(table.redo_stack) and _is_different_hand(table, table.redo_stack[-1].table_after)


def _is_different_hand(before: Table, after: Table) -> bool:
    """Return True if the two tables are in different hands, or if only one of them is in a hand."""
    return (before.hands_started, before.is_hand_in_progress) != (after.hands_started, after.is_hand_in_progress)
