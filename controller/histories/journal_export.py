"""Export a hand of the journal as PHH text.

In a journal, a declaration and the chips that follow it are two steps. In a script or PHH file, a declaration includes
its chips. Example: a player declares a bet of 50 and then puts in chips for 50. The export writes these two steps as
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.histories.phh_export import export_hand
from controller.steps import Step, hand_steps
from controller.table import Table, apply_table_step, declared_chips


def export_recorded(table: Table, steps: Sequence[Step], extra_fields: Mapping[str, Any] | None = None) -> str:
    """Return a recorded hand as PHH text.

    `table` is the table before the first step. `steps` are the recorded steps up to the last award of a pot, without
    undone steps. `extra_fields` are further PHH fields to write. Raise BadInputError if the steps are not one complete
    hand.
    """
    return export_hand(table, script_steps(table, steps), extra_fields)


def script_steps(table: Table, steps: Sequence[Step]) -> list[Step]:
    """Return the recorded steps in the form of a script, in which a declaration includes its chips."""
    table, scripted = table._replace(undo_stack=(), redo_stack=()), []
    remaining = list(steps)
    while remaining:
        step = remaining.pop(0)
        table_before, table = table, apply_table_step(table, step).table
        if not isinstance(step, hand_steps.Declares):
            scripted.append(step)
            continue
        declared = declared_chips(table_before, step)
        if declared is None:
            scripted.append(step)
        elif remaining and _is_declared_motion(remaining[0], declared):
            scripted.append(step)
            table = apply_table_step(table, remaining.pop(0)).table
        else:
            scripted.append(hand_steps.SpeaksOnly(step.seat, step.declaration))
    return scripted


def _is_declared_motion(step: Step, declared: hand_steps.MovesChips) -> bool:
    """Return True if the step puts in exactly the declared chips of the seat, in any denominations."""
    return (
        isinstance(step, hand_steps.MovesChips)
        and step.seat == declared.seat
        and not step.back
        and step.net_amount == declared.net_amount
    )
