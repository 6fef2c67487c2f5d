"""Program that plays a script with the rules alone, without simulated chips and RFID readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from controller.config import BadInputError, quote_value
from controller.rules import NO_SEATS, Refusal
from controller.scripts.mid_hand_start import table_in_mid_hand
from controller.scripts.offline_trays import (
    NO_OFFLINE_MOTIONS,
    OfflineMotions,
    add_offline_motion,
    chips_at_offline_tray,
    deduct_cleared_chips,
    deduct_keyed_chips,
    motion_when_back,
    update_altered_seats,
    without_seat,
)
from controller.scripts.script_file import Script
from controller.scripts.visible_state import refusal_text, visible_fields
from controller.steps import Step, hand_steps, table_steps
from controller.table import StepOutcome, Table, TableRefusal, apply_table_step, declared_chips

STEP_INTERVAL_US = 60_000_000
"""Time between two scripted steps in microseconds. It is one minute, so that chips of two steps never count as one
motion of chips."""


class ScriptState(NamedTuple):
    """Table at which the steps of a script happen, and the chips that its sensors do not see."""

    table: Table
    offline_motions: OfflineMotions = NO_OFFLINE_MOTIONS
    """Chips that have moved at seats with an offline sensor, so that the table has not seen the change."""
    altered_seats: frozenset[int] = NO_SEATS
    """Seats with an offline sensor whose recorded bet has changed since the sensor went offline."""


def starting_table(script: Script) -> Table:
    """Return the table before the first step. Raise BadInputError if no hand can start."""
    if script.start_mode == "idle":
        return script.table
    if script.mid_hand is not None:
        return table_in_mid_hand(script.table, script.mid_hand)
    outcome = apply_table_step(script.table, hand_steps.StartsHand())
    if outcome.refusal:
        reason = refusal_text(outcome.refusal)
        raise BadInputError(f"stacks = {_stacks(script.table)}: {reason}, expected two or more seats with chips")
    return outcome.table._replace(undo_stack=())


def _stacks(table: Table) -> str:
    return quote_value({seat: player.stack for seat, player in table.players.items()})


def play_rules(script: Script) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that a script prints, one for its start and one for each step.

    Raise BadInputError if the script cannot begin.
    """
    state = ScriptState(starting_table(script))
    yield {"step": 0, **visible_fields(state.table)}
    for number, step in enumerate(script.steps, 1):
        state, outcome = apply_scripted_step(state, step, number * STEP_INTERVAL_US)
        yield {"step": number, **visible_fields(state.table, outcome.refusal, outcome.warning_codes)}


def apply_scripted_step(state: ScriptState, step: Step, at_us: int) -> tuple[ScriptState, StepOutcome]:
    """Return the state after a scripted step and the outcome of the step.

    A declaration also moves the chips that it names. If the step brings a sensor online again, the change of chips that
    the sensor has missed is applied too.
    """
    table, unseen, altered = state
    if isinstance(step, hand_steps.MovesChips) and step.seat in table.offline_seat_sensors:
        refusal = offline_reject_reason(state, step)
        return state if refusal else state._replace(offline_motions=add_offline_motion(unseen, step)), StepOutcome(
            table, refusal
        )
    outcome = apply_table_step(table, step, at_us)
    if outcome.refusal is not None:
        return state, outcome
    motion: hand_steps.MovesChips | None = None
    if isinstance(step, hand_steps.Declares):
        motion = declared_chips(table, step)
    elif isinstance(step, table_steps.RecordSeatSensorOnline):
        motion = motion_when_back(unseen, step.seat, step.seat in altered)
        unseen = without_seat(unseen, step.seat)
    if motion is not None:
        moved = apply_table_step(outcome.table, motion, at_us)
        if moved.refusal is None:
            outcome = StepOutcome(moved.table, None, (*outcome.seat_warnings, *moved.seat_warnings))
            unseen = deduct_keyed_chips(unseen, motion)
    after = outcome.table
    return ScriptState(
        after, deduct_cleared_chips(unseen, table, after), update_altered_seats(altered, table, after)
    ), outcome


def offline_reject_reason(state: ScriptState, motion: hand_steps.MovesChips) -> Refusal | None:
    """Return a refusal if the seat takes back more chips than are on its spot, otherwise None.

    The sensor of the seat is offline, so that `state.table` does not know all chips on the spot.
    """
    amount = chips_at_offline_tray(state.table, state.offline_motions, motion.seat)
    if sum(motion.back) > amount + sum(motion.forward):
        return Refusal(TableRefusal.TAKES_BACK_TOO_MUCH, motion.seat, amount)
    return None
