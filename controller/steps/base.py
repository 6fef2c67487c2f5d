"""The base class of all steps, and the record of a verb.

Each class of steps has a `Verb`. The parser, the printer, the permissions, undo and the texts of views use this record,
so that a new verb needs only its class and the function that applies it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

StepOwner = Literal["dealer", "floor", "technician", "sensor"]
"""Role that normally gives a step. The roles of the service permit or deny steps by their verbs."""
StepSource = Literal["dealer", "sensor", "floor", "script"]
"""Who or what caused a recorded step."""
UndoPolicy = Literal["undo", "joined", "stays"]
"""Effect of undo on a step. `undo` restores the table before the step. `joined` restores the table before the words for
which the step puts in chips. `stays` marks facts and observations, which undo does not take back."""

SeatBefore = tuple[int, ...]
"""The seat that precedes the verb in a line, as in `3 leave`. An empty tuple if the line begins with the verb."""
Words = list[str]
"""Words of a line that are not parsed yet."""
NewStep = Callable[..., "Step"]
"""Class of steps, which a parser calls with the fields that it has parsed."""


def format_fields(step: Step) -> str:
    """Return all fields of the step in their order, without a seat that precedes the verb."""
    values = [str(getattr(step, field.name)) for field in fields(step)]
    return " ".join(values[1:] if step.verb.follows_seat else values)


class WordFormat(NamedTuple):
    """Parser and printer of the words that follow a verb.

    `parse` gets the class of the step, the seat before the verb, and the words after the verb. It returns the step, or
    raises StepSyntaxError.
    """

    parse: Callable[[NewStep, SeatBefore, Words], Step]
    format: Callable[[Any], str] = format_fields


class Verb(NamedTuple):
    """All that the program knows about a kind of step, except its fields and its effect."""

    word: str
    """The verb in a line, such as `kitty` or `floor bind`."""
    words: WordFormat
    summary: str = ""
    """Code of the step in views, such as `takes-kitty`. The catalogues have its text under `step.takes-kitty`. "" for
    an observation, because views do not report observations as the last step."""
    follows_seat: bool = False
    """True if the seat precedes the verb, as in `3 leave`."""
    owner: StepOwner = "dealer"
    is_idempotent: bool = False
    """True if a repetition of the step is harmless."""
    undo_policy: UndoPolicy = "undo"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens at the table. Only subclasses with a verb are created."""

    verb: ClassVar[Verb]


@dataclass(frozen=True, slots=True)
class SeatStep(Step):
    """Step that names a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatAmountStep(SeatStep):
    """Step that names a seat and an amount."""

    amount: int
