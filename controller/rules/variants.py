"""Poker variants: the betting rounds of a game and who opens them.

A variant contains only what the betting depends on, because the rules do not know cards.
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
"""Name of a variant, which is a value of the key `variant` in `[game]`."""


class VariantRules(NamedTuple):
    """Properties of a variant that the betting depends on."""

    title: str
    round_names: tuple[str, ...]
    """Names of the betting rounds in order."""
    opener_by_cards: bool = False
    """True if the cards decide which seat opens a betting round, so that the dealer must name this seat. In the first
    round of stud it is the seat with the bring-in, and later the seat with the best upcards. In other variants, button
    and blinds decide which seat opens."""
    is_high_low: bool = False
    """True if the best high hand and the best low hand each win half of a pot."""

    @property
    def has_flop(self) -> bool:
        """Return True if the variant has a flop, that is, community cards from the second betting round on."""
        return "Flop" in self.round_names


_FLOP = ("Preflop", "Flop", "Turn", "River")
_STUD = ("Third street", "Fourth street", "Fifth street", "Sixth street", "Seventh street")
_OPEN_CARD_FIRST = ("First flop card", "Flop", "Turn", "River")
_FIVE_CARD_STUD = ("Second street", "Third street", "Fourth street", "Fifth street")
_ONE_DRAW = ("Before the draw", "After the draw")
_DRAWS = ("Before the draw", "First draw", "Second draw", "Third draw")

VARIANTS: dict[VariantName, VariantRules] = {
    "holdem": VariantRules("Hold'em", _FLOP),
    "short-deck": VariantRules("Short deck", _FLOP),
    "pineapple": VariantRules("Pineapple", _FLOP),
    "crazy-pineapple": VariantRules("Crazy pineapple", _FLOP),
    "irish": VariantRules("Irish", _FLOP),
    "omaha": VariantRules("Omaha", _FLOP),
    "omaha8": VariantRules("Omaha eight-or-better", _FLOP, is_high_low=True),
    "omaha5": VariantRules("Five-card Omaha", _FLOP),
    "big-o": VariantRules("Big O", _FLOP, is_high_low=True),
    "courchevel": VariantRules("Courchevel", _OPEN_CARD_FIRST),
    "stud": VariantRules("Seven-card stud", _STUD, opener_by_cards=True),
    "stud8": VariantRules("Stud eight-or-better", _STUD, opener_by_cards=True, is_high_low=True),
    "razz": VariantRules("Razz", _STUD, opener_by_cards=True),
    "five-card-stud": VariantRules("Five-card stud", _FIVE_CARD_STUD, opener_by_cards=True),
    "draw": VariantRules("Five-card draw", _ONE_DRAW),
    "single-draw": VariantRules("2-7 single draw", _ONE_DRAW),
    "triple-draw": VariantRules("Triple draw", _DRAWS),
    "badugi": VariantRules("Badugi", _DRAWS),
}
"""Properties of every variant by its name."""
