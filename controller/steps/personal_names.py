"""The names of players, dealers and floor managers in steps, which must not leave the house."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controller.steps.base import Step
from controller.steps.observations import AnswersFloorCall
from controller.steps.table_steps import ChangesDealer, CorrectsName, QueuesStep, SitsDown

STEPS_WITH_NAMES: Final = (AnswersFloorCall, ChangesDealer, CorrectsName, SitsDown)
"""Steps that contain the name of a person."""


def personal_name(step: Step) -> str:
    """Return the name of the person that the step contains, or "" if it contains none."""
    named = step.queued if isinstance(step, QueuesStep) else step
    return named.name if isinstance(named, STEPS_WITH_NAMES) else ""


def without_buyer(step: Step) -> Step:
    """Return a step that sits a player down without the name. Return any other step unchanged."""
    if isinstance(step, QueuesStep) and isinstance(step.queued, SitsDown):
        return replace(step, queued=replace(step.queued, name=""))
    return replace(step, name="") if isinstance(step, SitsDown) else step
