"""The poker variants: how many betting rounds, what they are called, who opens them.

Cards are not known here: a variant is only what matters for the betting.
Source: Robert's Rules of Poker, the sections on each game.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

VariantName = Literal["holdem", "omaha", "omaha8", "stud", "stud8", "razz", "draw", "triple-draw", "badugi"]


class Variant(NamedTuple):
    """What the betting has to know about a game."""

    title: str
    rounds: tuple[str, ...]
    """Names of the betting rounds, the first one first."""
    by_board: bool = False
    """The dealer names who opens (stud: bring-in, then best board); else it goes by button and blinds."""


_FLOP = ("Preflop", "Flop", "Turn", "River")
_STUD = ("Third street", "Fourth street", "Fifth street", "Sixth street", "Seventh street")
_DRAWS = ("Before the draw", "First draw", "Second draw", "Third draw")

VARIANTS: dict[VariantName, Variant] = {
    "holdem": Variant("Hold'em", _FLOP),
    "omaha": Variant("Omaha", _FLOP),
    "omaha8": Variant("Omaha eight-or-better", _FLOP),
    "stud": Variant("Seven-card stud", _STUD, by_board=True),
    "stud8": Variant("Stud eight-or-better", _STUD, by_board=True),
    "razz": Variant("Razz", _STUD, by_board=True),
    "draw": Variant("Five-card draw", ("Before the draw", "After the draw")),
    "triple-draw": Variant("Triple draw", _DRAWS),
    "badugi": Variant("Badugi", _DRAWS),
}
