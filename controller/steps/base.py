"""Base classes of steps: who gives a step, whether it may be repeated, and how undo treats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

StepOwner = Literal["dealer", "floor", "technician", "sensor"]
"""Role that normally gives a step. The service permits or denies a step by the role of its sender and the first word of
the step."""
StepSource = Literal["dealer", "sensor", "floor", "script"]
"""Who or what caused a recorded step."""
UndoPolicy = Literal["undo", "joined", "stays"]
"""Effect of undo on a step. `undo` restores the table before the step. `joined` is for chips that follow a declaration,
and restores the table before the declaration. `stays` is for facts and observations, which undo does not take back."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens at the table. The program creates only objects of subclasses."""

    owner: ClassVar[StepOwner] = "dealer"
    is_idempotent: ClassVar[bool] = False
    """True if the step does no harm when it is applied twice."""
    undo_policy: ClassVar[UndoPolicy] = "undo"


@dataclass(frozen=True, slots=True)
class SeatStep(Step):
    """Step that names a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAmountStep(SeatStep):
    """Step that names a seat and an amount."""

    amount: int
