"""Language of steps: `parse_step` parses a line, and `format_step` prints a step as a line.

Table scripts, the journal and the sockets use the same lines. Observations of sensors, people and the service appear
only in the journal and on the sockets, not in table scripts. `tests/table-scripts.md` describes the lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from controller.steps import hand_steps, observations, table_steps
from controller.steps.base import SeatStep, Step, Words
from controller.steps.observations import Observation
from controller.steps.word_formats import StepSyntaxError, is_number, parse_seat, quote_text

MAX_LINE_CHARS: Final = 4000
"""Maximum length of a step in characters, which is enough for `MAX_CHIPS_PER_MOTION` chips with the largest amounts."""

STEP_CLASSES: Final[tuple[type[Step], ...]] = tuple(
    value
    for module in (hand_steps, table_steps, observations)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Step) and "verb" in vars(value)
)
"""All classes of steps that have a verb."""
STEP_CLASS_BY_VERB: Final[Mapping[str, type[Step]]] = {
    **{kind.verb.word: kind for kind in STEP_CLASSES},
    "takes": hand_steps.MovesChips,
}
"""Class of steps for each verb, such as "kitty" or "floor bind". "act" stands for all declarations of a seat."""

_SEAT_VERBS: Final = {verb: kind for verb, kind in STEP_CLASS_BY_VERB.items() if kind.verb.follows_seat}
_FLOOR_PREFIX: Final = "floor "


# --- parsing ---


@lru_cache(maxsize=4096)
def parse_step(line: str) -> Step:
    """Return the step that a line describes.

    Raises StepSyntaxError with one line that quotes the input and says what was expected.
    """
    if len(line) > MAX_LINE_CHARS:
        raise StepSyntaxError(f"{quote_text(line)}: expected at most {MAX_LINE_CHARS} characters, got {len(line)}")
    words = line.split()
    if not words:
        raise StepSyntaxError("'': expected something like '3 raise to 60'")
    try:
        return (
            _parse_seat_step(parse_seat(words[0]), words[1:])
            if is_number(words[0])
            else _parse_table_step(words[0], words[1:])
        )
    except StepSyntaxError as error:
        raise StepSyntaxError(f"{quote_text(line)}: {error}") from None


def _parse_seat_step(seat: int, words: Words) -> Step:
    """Return the step for the words after a seat number. Words without another verb are a declaration."""
    if not words:
        raise StepSyntaxError("expected what the seat does, got nothing")
    kind = _SEAT_VERBS.get(words[0])
    if kind is None or kind is hand_steps.Declares or words == ["time"]:
        return hand_steps.Declares.verb.words.parse(hand_steps.Declares, (seat,), words)
    words_format = hand_steps.TAKES if words[0] == "takes" else kind.verb.words
    return words_format.parse(kind, (seat,), words[1:])


def _parse_table_step(verb: str, words: Words) -> Step:
    """Return the step for a line that does not begin with a seat number."""
    if verb == _FLOOR_PREFIX.strip():
        return _parse_floor_step(words)
    kind = STEP_CLASS_BY_VERB.get(verb)
    if kind is None or kind.verb.follows_seat:
        raise StepSyntaxError(f"expected a seat number or one of {', '.join(_FIRST_WORDS)}")
    return kind.verb.words.parse(kind, (), words)


_FIRST_WORDS: Final = sorted(
    {
        kind.verb.word.split()[0]
        for kind in STEP_CLASSES
        if not kind.verb.follows_seat and not issubclass(kind, Observation)
    }
)
"""First words of lines in a table script that do not begin with a seat number, for the error message."""
_FLOOR_USAGE: Final = "bind N, release N, dead N, turn N, button N, pot AMOUNT, bet N AMOUNT, hold or go"
"""Forms of the steps of the floor, for the error message."""


def _parse_floor_step(words: Words) -> Step:
    """Return the step for the words after `floor`."""
    kind = STEP_CLASS_BY_VERB.get(_FLOOR_PREFIX + words[0]) if words else None
    if kind is None or words == ["bet"]:
        raise StepSyntaxError(f"expected floor {_FLOOR_USAGE}")
    return kind.verb.words.parse(kind, (), words[1:])


# --- printing ---


@lru_cache(maxsize=4096)
def format_step(step: Step) -> str:
    """Return the step as a line, so that `parse_step(format_step(step)) == step`."""
    verb, word = step.verb, step.verb.word
    if isinstance(step, hand_steps.Declares):
        word = ""
    elif isinstance(step, hand_steps.MovesChips) and not step.forward:
        word = "takes"
    seat = step.seat if isinstance(step, SeatStep) and verb.follows_seat else ""
    return " ".join(f"{seat} {word} {verb.words.format(step)}".split())
