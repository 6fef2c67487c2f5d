"""Base classes of steps: who gives a step, whether a repetition is harmless, and how undo treats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

StepOwner = Literal["dealer", "floor", "technician", "sensor"]
"""Role that normally gives a step. The roles of the service permit or deny steps by their verbs."""
StepSource = Literal["dealer", "sensor", "floor", "script"]
"""Who or what caused a recorded step."""
UndoPolicy = Literal["undo", "joined", "stays"]
"""Effect of undo on a step. `undo` restores the table before the step. `joined` restores the table before the words for
which the step puts in chips. `stays` marks facts and observations, which undo does not take back."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens at the table. Only subclasses are created."""

    owner: ClassVar[StepOwner] = "dealer"
    is_idempotent: ClassVar[bool] = False
    """True if a repetition of the step is harmless."""
    undo_policy: ClassVar[UndoPolicy] = "undo"


@dataclass(frozen=True, slots=True)
class SeatStep(Step):
    """Step that names a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAmountStep(SeatStep):
    """Step that names a seat and an amount."""

    amount: int
