"""Steps that people write, in scripts, in hand histories and on the screen."""

from __future__ import annotations

from typing import Final

from controller.steps import STEPS_WITH_NAMES, Step, StepSyntaxError, parse_step, table_steps
from hardware.text_input_validation import EXPECTED_NAME, is_valid_name, quote_value

WORDS_BEFORE_NAMES: Final = ("as", "dealer", "floor-answers", "game", "name")
"""Words of the step language after which a name follows, in which capitals matter."""


def parse_typed_step(line: str) -> Step:
    """Return the step in a line. Raise StepSyntaxError if the line is not a step or has an invalid name.

    The words of the language may have capitals, as in `3 Raise TO 60`. A name keeps its capitals.

    Names appear on the screen and in `potkeeper journal show`. Journals are read with `parse_step` instead, so that old
    journals with other names still replay.
    """
    try:
        step = parse_step(line)
    except StepSyntaxError:
        if line == line.lower():
            raise
        step = parse_step(_in_lower_case(line))
    named = step.queued if isinstance(step, table_steps.QueuesStep) else step
    if isinstance(named, STEPS_WITH_NAMES) and named.name and not is_valid_name(named.name):
        raise StepSyntaxError(f"name {quote_value(named.name)}: {EXPECTED_NAME}")
    return step


def _in_lower_case(line: str) -> str:
    """Return the line with its words in lower case, except for a name."""
    words = line.split()
    lower_words = [word.lower() for word in words]
    first_names = [lower_words.index(word) + 1 for word in WORDS_BEFORE_NAMES if word in lower_words]
    end = min(first_names, default=len(words))
    return " ".join([*lower_words[:end], *words[end:]])
