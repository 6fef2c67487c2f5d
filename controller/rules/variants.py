"""The poker variants: how many betting rounds, what they are called, who opens them.

Cards are not known here: a variant is only what matters for the betting.
Source: Robert's Rules of Poker, the sections on each game.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

VariantName = Literal[
    "holdem",
    "short-deck",
    "pineapple",
    "crazy-pineapple",
    "irish",
    "omaha",
    "omaha8",
    "omaha5",
    "big-o",
    "courchevel",
    "stud",
    "stud8",
    "razz",
    "five-card-stud",
    "draw",
    "single-draw",
    "triple-draw",
    "badugi",
]


class Variant(NamedTuple):
    """What the betting has to know about a game."""

    title: str
    rounds: tuple[str, ...]
    """Names of the betting rounds, the first one first."""
    by_board: bool = False
    """The dealer names who opens (stud: bring-in, then best board); else it goes by button and blinds."""
    high_low: bool = False
    """A pot is halved between the best high and the best low hand."""

    @property
    def by_flop(self) -> bool:
        """True where cards that all share lie on the table, from the second round on."""
        return "Flop" in self.rounds


_FLOP = ("Preflop", "Flop", "Turn", "River")
_STUD = ("Third street", "Fourth street", "Fifth street", "Sixth street", "Seventh street")
_OPEN_CARD_FIRST = ("First flop card", "Flop", "Turn", "River")
_FIVE_CARD_STUD = ("Second street", "Third street", "Fourth street", "Fifth street")
_ONE_DRAW = ("Before the draw", "After the draw")
_DRAWS = ("Before the draw", "First draw", "Second draw", "Third draw")

VARIANTS: dict[VariantName, Variant] = {
    "holdem": Variant("Hold'em", _FLOP),
    "short-deck": Variant("Short deck", _FLOP),
    "pineapple": Variant("Pineapple", _FLOP),
    "crazy-pineapple": Variant("Crazy pineapple", _FLOP),
    "irish": Variant("Irish", _FLOP),
    "omaha": Variant("Omaha", _FLOP),
    "omaha8": Variant("Omaha eight-or-better", _FLOP, high_low=True),
    "omaha5": Variant("Five-card Omaha", _FLOP),
    "big-o": Variant("Big O", _FLOP, high_low=True),
    "courchevel": Variant("Courchevel", _OPEN_CARD_FIRST),
    "stud": Variant("Seven-card stud", _STUD, by_board=True),
    "stud8": Variant("Stud eight-or-better", _STUD, by_board=True, high_low=True),
    "razz": Variant("Razz", _STUD, by_board=True),
    "five-card-stud": Variant("Five-card stud", _FIVE_CARD_STUD, by_board=True),
    "draw": Variant("Five-card draw", _ONE_DRAW),
    "single-draw": Variant("2-7 single draw", _ONE_DRAW),
    "triple-draw": Variant("Triple draw", _DRAWS),
    "badugi": Variant("Badugi", _DRAWS),
}
