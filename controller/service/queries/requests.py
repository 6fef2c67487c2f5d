"""Commands that are queries: `look hands`, `look hand 12` and so on."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from controller.steps import StepSyntaxError, hand_steps, parse_step
from hardware.text_input_validation import quote_value

MAX_HAND_DIGITS: Final = 9
"""Maximum number of digits in the number of a hand."""
_EXPECTED: Final = (
    "expected look hands, look hand N, look phh N, look alerts, look devices, look report, look games, "
    "look web-code or look award with the words of the award"
)


class TableQuery(NamedTuple):
    """A query for a page of the whole table."""

    page: Literal["hands", "alerts", "devices", "report", "games", "web-code"]


class HandQuery(NamedTuple):
    """A query for the page or the PHH text of a hand."""

    page: Literal["hand", "phh"]
    number: int


class AwardQuery(NamedTuple):
    """A query for what each seat would get if the pot were awarded this way."""

    award: hand_steps.AwardsPot


Query = TableQuery | HandQuery | AwardQuery


def parse_query(do: str) -> Query | None:
    """Return the query in a command's text, or None if the text is a step.

    Raises StepSyntaxError for an unknown query.
    """
    verb, _, rest = do.partition(" ")
    if verb != "look":
        return None
    match rest.split():
        case ["hands" | "alerts" | "devices" | "report" | "games" | "web-code" as page]:
            return TableQuery(page)
        case ["hand" | "phh" as page, number] if (
            number.isascii() and number.isdigit() and len(number) <= MAX_HAND_DIGITS
        ):
            return HandQuery(page, int(number))
        case ["award", *_]:
            step = parse_step(rest)
            if isinstance(step, hand_steps.AwardsPot):
                return AwardQuery(step)
    raise StepSyntaxError(f"{quote_value(do)}: {_EXPECTED}")
