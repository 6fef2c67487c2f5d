"""The tasks of the practice table: what the alert band says about the next step of a lesson."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from controller.presenter import build_alert
from controller.steps import SeatAmountStep, SeatStep, Step, hand_steps, table_steps
from controller.table import Table, balances
from controller.view import Alert, Choice, KeyLabel, MessageValues

SHOW_TASK: Final = "look practice"
"""Command with which the dealer lets the table enter the step, or goes to the next lesson."""


def task_alert(step: Step, table: Table, *, lesson: int, attempt: str, is_retry: bool) -> Alert:
    """Return the alert that asks the dealer to enter this step.

    `attempt` distinguishes this alert from earlier tasks, so that a dismissed task does not hide the next one.
    """
    code, values = _task(step, table)
    return build_alert(
        code,
        msgspec.structs.replace(values, hand=lesson),
        (_choice("practice-show"),),
        about=attempt,
        level="warning" if is_retry else None,
    )


def lesson_over_alert(lesson: int) -> Alert:
    """Return the alert between two lessons."""
    return build_alert("practice-next", MessageValues(hand=lesson), (_choice("practice-continue"),))


def practice_over_alert(faultless: int) -> Alert:
    """Return the alert after the last lesson, with the number of lessons without a mistake."""
    return build_alert("practice-over", MessageValues(hand=faultless), (_choice("practice-again"),))


def _choice(label: KeyLabel) -> Choice:
    return Choice(label=label, do=SHOW_TASK)


SEAT_TASKS: Final[Mapping[type[Step], str]] = {
    hand_steps.Straddles: "practice-straddle",
    hand_steps.NamesBringIn: "practice-bring-in",
    hand_steps.NamesFirstToAct: "practice-first",
    table_steps.AddsChips: "practice-add",
}
"""Tasks about a seat, and about an amount if the step has one."""
PLAIN_TASKS: Final[Mapping[type[Step], str]] = {
    hand_steps.DealsStreet: "practice-deal",
    hand_steps.StartsHand: "practice-hand",
    hand_steps.Undoes: "practice-undo",
}
"""Tasks of the dealer that concern no seat."""


def _task(step: Step, table: Table) -> tuple[str, MessageValues]:
    """Return the code of the alert for a step, and the values of its text. Raise KeyError for a step without a task."""
    match step:
        case hand_steps.Declares(seat=seat, declaration=declaration):
            return f"practice-{declaration.kind}", MessageValues(seat=seat, amount=declaration.amount or None)
        case hand_steps.MovesChips(seat=seat, forward=chips):
            return "practice-chips", MessageValues(seat=seat, amount=sum(chips))
        case hand_steps.ReturnsChips(seat=seat):
            return "practice-return", MessageValues(seat=seat, amount=balances.due_back(table, seat))
        case hand_steps.AwardsPot(pot=pot, high=(high, *_), low=(low, *_)):
            return "practice-high-low", MessageValues(seat=high, turn=low, pot=pot)
        case hand_steps.AwardsPot(pot=pot, high=(seat,)):
            return "practice-award", MessageValues(seat=seat, pot=pot)
        case hand_steps.AwardsPot(high=seats):
            return "practice-split", MessageValues(seats=seats)
        case table_steps.SitsDown(seat=seat, amount=amount):
            return "practice-sit", MessageValues(seat=seat, amount=amount)
        case SeatAmountStep(seat=seat, amount=amount):
            return SEAT_TASKS[type(step)], MessageValues(seat=seat, amount=amount)
        case SeatStep(seat=seat):
            return SEAT_TASKS[type(step)], MessageValues(seat=seat)
    return PLAIN_TASKS[type(step)], MessageValues()
