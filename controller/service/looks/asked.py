"""Commands that look: `look hands`, `look hand 12` and so on, read."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from controller.table import Awards, StepError, parse
from hardware.bad_input import shown

MOST_DIGITS: Final = 9
"""Of the number of a hand: no table deals so many."""
_EXPECTED: Final = (
    "expected look hands, look hand N, look phh N, look alerts, look devices, look report, look games "
    "or look award with the words of the award"
)


class OfTable(NamedTuple):
    """What is there once."""

    what: Literal["hands", "alerts", "devices", "report", "games"]


class OfHand(NamedTuple):
    """What each hand has."""

    what: Literal["hand", "phh"]
    number: int


class OfAward(NamedTuple):
    """What an award would do."""

    award: Awards


Look = OfTable | OfHand | OfAward


def asked(do: str) -> Look | None:
    """What a command looks at; None for one that is a step. Raises StepError where it looks at nothing there is."""
    verb, _, rest = do.partition(" ")
    if verb != "look":
        return None
    match rest.split():
        case ["hands" | "alerts" | "devices" | "report" | "games" as what]:
            return OfTable(what)
        case ["hand" | "phh" as what, number] if number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS:
            return OfHand(what, int(number))
        case ["award", *_]:
            step = parse(rest)
            if isinstance(step, Awards):
                return OfAward(step)
    raise StepError(f"{shown(do)}: {_EXPECTED}")
