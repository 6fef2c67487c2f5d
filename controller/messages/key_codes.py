"""Parts of message keys for the streets, pots and spots of a view. Also rules and lists of seats."""

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
"""Maximum number of lists kept in memory. Ten seats have 1,024 combinations."""

POTS: Final[Mapping[str, tuple[str, str]]] = {
    "main": ("main", ""),
    **{f"side{number}": ("side", str(number)) for number in range(1, 10)},
}
"""Code in message keys, and number as text, by the name of a pot. Ten seats make nine side pots at most."""
SEATS: Final[Mapping[str, str]] = {f"bet{seat}": str(seat) for seat in range(1, 11)}
"""The seat number, as text, of each bet spot."""


class Rule(NamedTuple):
    """The rule behind a ruling: the book, the number of the rule, and the rule in one plain sentence."""

    book: str
    number: str
    text: str


@lru_cache(REMEMBERED)
def joined(language: str, numbers: tuple[int, ...]) -> str:
    """Return numbers as a list within a sentence, by CLDR: "5, 6, and 7"."""
    return format_list([str(number) for number in numbers], locale=language)
