"""Steps that people write, in scripts, in hand histories and on the screen."""

from __future__ import annotations

from controller.steps import STEPS_WITH_NAMES, Step, StepSyntaxError, parse_step, table_steps
from hardware.text_input_validation import EXPECTED_NAME, is_valid_name, quote_value


def parse_typed_step(line: str) -> Step:
    """Return the step in a line. Raise StepSyntaxError if the line is not a step or has an invalid name.

    Names appear on the screen and in `potkeeper journal show`. Journals are read with `parse_step` instead, so that old
    journals with other names still replay.
    """
    step = parse_step(line)
    named = step.queued if isinstance(step, table_steps.QueuesStep) else step
    if isinstance(named, STEPS_WITH_NAMES) and named.name and not is_valid_name(named.name):
        raise StepSyntaxError(f"name {quote_value(named.name)}: {EXPECTED_NAME}")
    return step
