"""Parts of message keys for the streets, pots and spots of a view. Also formats lists of seats."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from babel.lists import format_list

_FLOP = ("preflop", "flop", "turn", "river")
_STUD = ("third", "fourth", "fifth", "sixth", "seventh")
_ONE_DRAW = ("before-draw", "after-draw")
_DRAWS = ("before-draw", "first-draw", "second-draw", "third-draw")

STREETS: Final[Mapping[str, tuple[str, ...]]] = {
    "holdem": _FLOP,
    **dict.fromkeys(("short-deck", "pineapple", "crazy-pineapple", "irish"), _FLOP),
    **dict.fromkeys(("omaha", "omaha8", "omaha5", "big-o"), _FLOP),
    "courchevel": ("first-card", "flop", "turn", "river"),
    **dict.fromkeys(("stud", "stud8", "razz"), _STUD),
    "five-card-stud": ("second", *_STUD[:3]),
    **dict.fromkeys(("draw", "single-draw"), _ONE_DRAW),
    **dict.fromkeys(("triple-draw", "badugi"), _DRAWS),
}
"""Codes of the streets, that is the betting rounds, of each poker variant, first round first."""

REMEMBERED: Final = 1024
"""Maximum number of formatted lists of seats kept in memory. Ten seats can form 1,024 different lists."""

POTS: Final[Mapping[str, tuple[str, str]]] = {
    "main": ("main", ""),
    **{f"side{number}": ("side", str(number)) for number in range(1, 10)},
}
"""The code of each pot in message keys, and its number as text, by the name of the pot.

Ten seats make at most nine side pots.
"""
SEATS: Final[Mapping[str, str]] = {f"bet{seat}": str(seat) for seat in range(1, 11)}
"""Seat number, as text, for each bet spot, by the name of the spot."""


RANGE_SIGN: Final = "\N{EN DASH}"
MIN_RANGE: Final = 3
"""Minimum number of consecutive numbers that are a range."""


class Rule(NamedTuple):
    """The rule behind a ruling: the book, the number of the rule, and the rule in one plain sentence."""

    book: str
    number: str
    text: str


@lru_cache(REMEMBERED)
def joined(language: str, numbers: tuple[int, ...]) -> str:
    """Return numbers as a list within a sentence, by CLDR: "5, 6, and 9".

    Three or more consecutive numbers are a range, which is read as one word: "4–9".
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [
        text
        for run in runs
        for text in ([f"{run[0]}{RANGE_SIGN}{run[-1]}"] if len(run) >= MIN_RANGE else map(str, run))
    ]
    return format_list(texts, locale=language)
