"""Steps: everything that can happen at a table, as typed values and as lines of text.

Each kind of step is a frozen class in `hand_steps`, `table_steps` or `observations`. A word of the line, such as
"raise", names the kind of step, and its `VerbFormat` parses and prints the words that follow.

`parse_step` parses a line from a script, the journal or a socket. After that the program uses only the values.
`format_step` prints a step as a line, and parsing this line gives the same step again.

Example:
    >>> from controller.steps import format_step, parse_step
    >>> step = parse_step("3 raise to 60")
    >>> step.seat, step.declaration.amount
    (3, 60)
    >>> format_step(step)
    '3 raise to 60'
"""

from controller.steps import hand_steps, observations, table_steps
from controller.steps.base import SeatAmountStep, SeatStep, Step, StepOwner, StepSource, UndoPolicy
from controller.steps.hand_steps import (
    Declaration,
    DeclarationKind,
)
from controller.steps.observation_formats import MAX_READING_CHARS, split_reading
from controller.steps.observations import (
    Observation,
    SeatObservation,
)
from controller.steps.script_language import (
    MAX_CLOCK_MINUTES,
    MAX_LINE_CHARS,
    STEP_CLASS_BY_VERB,
    format_step,
    parse_step,
)
from controller.steps.verb_arguments import MAX_CHIPS_PER_MOTION, MAX_QUOTED_CHARS, StepSyntaxError

__all__ = [
    "MAX_CHIPS_PER_MOTION",
    "MAX_CLOCK_MINUTES",
    "MAX_LINE_CHARS",
    "MAX_QUOTED_CHARS",
    "MAX_READING_CHARS",
    "STEP_CLASS_BY_VERB",
    "Declaration",
    "DeclarationKind",
    "Observation",
    "SeatAmountStep",
    "SeatObservation",
    "SeatStep",
    "Step",
    "StepOwner",
    "StepSource",
    "StepSyntaxError",
    "UndoPolicy",
    "format_step",
    "hand_steps",
    "observations",
    "parse_step",
    "split_reading",
    "table_steps",
]
