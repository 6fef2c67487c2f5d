"""Commands that are no steps: queries such as `look hands`, and keys of the guided set-up such as `set-up find`."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, get_args

from controller.steps import StepSyntaxError, hand_steps, parse_step
from hardware.text_input_validation import quote_value

MAX_HAND_DIGITS: Final = 9
"""Maximum number of digits in the number of a hand."""
_EXPECTED: Final = (
    "expected look hands, look hand N, look phh N, look alerts, look devices, look report, look games, "
    "look set-up, look web-code, or look award with the words of the award"
)


class TableQuery(NamedTuple):
    """A query for a page of the whole table."""

    page: Literal["hands", "alerts", "devices", "report", "games", "set-up", "web-code"]


class HandQuery(NamedTuple):
    """A query for the page or the PHH text of a hand."""

    page: Literal["hand", "phh"]
    number: int


class AwardQuery(NamedTuple):
    """A query for what each seat would get if the pot were awarded this way."""

    award: hand_steps.AwardsPot


SetUpWord = Literal["find", "enroll", "tune", "skip", "back", "ready", "take", "finish", "write", "discard", "cancel"]
"""A key of the guided set-up."""
_SET_UP_WORDS: Final[tuple[SetUpWord, ...]] = get_args(SetUpWord)


class SetUpCommand(NamedTuple):
    """A touch on a key of the guided set-up, such as `set-up skip 3`. The answer is the page of the set-up.

    `number` is the number of the step that the screen showed, or the denomination of the chips for `enroll`.
    """

    word: SetUpWord
    number: int = 0


Query = TableQuery | HandQuery | AwardQuery | SetUpCommand


def parse_query(do: str) -> Query | None:
    """Return the query in a command's text, or None if the text is a step.

    Raises StepSyntaxError for an unknown query.
    """
    verb, _, rest = do.partition(" ")
    if verb == "set-up":
        return _parse_set_up(do, rest.split())
    if verb != "look":
        return None
    match rest.split():
        case ["hands" | "alerts" | "devices" | "report" | "games" | "set-up" | "web-code" as page]:
            return TableQuery(page)
        case ["hand" | "phh" as page, number] if _is_number(number):
            return HandQuery(page, int(number))
        case ["award", *_]:
            step = parse_step(rest)
            if isinstance(step, hand_steps.AwardsPot):
                return AwardQuery(step)
    raise StepSyntaxError(f"{quote_value(do)}: {_EXPECTED}")


def _parse_set_up(do: str, words: list[str]) -> SetUpCommand:
    """Return the touch in `set-up skip 3`. Raises StepSyntaxError."""
    key = next((word for word in _SET_UP_WORDS if words and words[0] == word), None)
    numbers = words[1:]
    if key is None or len(numbers) > 1 or not all(map(_is_number, numbers)):
        raise StepSyntaxError(f"{quote_value(do)}: expected set-up, one of {', '.join(_SET_UP_WORDS)}, and a number")
    return SetUpCommand(key, int(numbers[0]) if numbers else 0)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_HAND_DIGITS
