"""Steps: everything that can happen at a table, as typed values and as lines of text.

Each kind of step is a frozen class in `hand_steps`, `table_steps` or `observations`. The class has a `Verb`: the word
that names this kind of step in a line, the format of the words that follow, who gives the step, whether a repetition
is harmless, how undo treats it, and its code in views.

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
from controller.steps.alterations import ALTERATIONS_BY_KIND, kind_of_alteration
from controller.steps.base import SeatAmountStep, SeatStep, Step, StepOwner, StepSource, UndoPolicy, Verb
from controller.steps.declaration import Declaration, DeclarationKind
from controller.steps.observations import MAX_READING_CHARS, Observation, SeatObservation, split_reading
from controller.steps.personal_names import STEPS_WITH_NAMES, personal_name, without_buyer
from controller.steps.script_language import (
    MAX_LINE_CHARS,
    STEP_CLASS_BY_VERB,
    STEP_CLASSES,
    format_step,
    parse_step,
)
from controller.steps.table_steps import MAX_CLOCK_MINUTES
from controller.steps.word_formats import MAX_CHIPS_PER_MOTION, MAX_QUOTED_CHARS, StepSyntaxError

__all__ = [
    "ALTERATIONS_BY_KIND",
    "MAX_CHIPS_PER_MOTION",
    "MAX_CLOCK_MINUTES",
    "MAX_LINE_CHARS",
    "MAX_QUOTED_CHARS",
    "MAX_READING_CHARS",
    "STEPS_WITH_NAMES",
    "STEP_CLASSES",
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
    "Verb",
    "format_step",
    "hand_steps",
    "kind_of_alteration",
    "observations",
    "parse_step",
    "personal_name",
    "split_reading",
    "table_steps",
    "without_buyer",
]
