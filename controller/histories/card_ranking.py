"""Comparison of poker hands by PokerKit, which only the extra `lab` installs.

A table needs no comparison of cards, because the dealer says who wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

_HIGH: dict[str, str] = {
    "T": "StandardHighHand",
    "S": "ShortDeckHoldemHand",
    "O": "OmahaHoldemHand",
    "O/8": "OmahaHoldemHand",
    "7S": "StandardHighHand",
    "7S/8": "StandardHighHand",
    "R": "RegularLowHand",
    "5S": "StandardHighHand",
    "2L1D": "StandardLowHand",
    "2L3D": "StandardLowHand",
    "B": "BadugiHand",
}
"""Names of PokerKit's classes that rank hands for a whole pot or its high half, by game code without the limit letter.
"""
_LOW: dict[str, str] = {"O/8": "OmahaEightOrBetterLowHand", "7S/8": "EightOrBetterLowHand"}
"""Names of PokerKit's classes that rank hands for the low half of a pot, by game code without the limit letter."""


def can_rank_cards() -> bool:
    """Return True if PokerKit is installed."""
    return find_spec("pokerkit") is not None


def best_hands(
    game: str, hole: Mapping[int, Sequence[str]], board: Sequence[str], seats: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seats with the best high hand, and the seats with the best low hand.

    `game` is a game code without the letter of the limit. The second result is empty unless the game is high-low. In a
    lowball game the first result has the seats with the best low hand.
    """
    low = _best(_LOW[game], hole, board, seats) if game in _LOW else ()
    return _best(_HIGH[game], hole, board, seats), low


def is_high_low(game: str) -> bool:
    """Return True if the pots of a game are split into a high and a low half.

    `game` is a game code without the letter of the limit.
    """
    return game in _LOW


def _best(
    class_name: str, hole: Mapping[int, Sequence[str]], board: Sequence[str], seats: tuple[int, ...]
) -> tuple[int, ...]:
    """Return the seats with the best hand by this PokerKit class, or () if no seat has a valid hand."""
    import pokerkit  # imported late because it takes half a second to load

    kind, hands = getattr(pokerkit, class_name), {}
    for seat in seats:
        try:
            hands[seat] = kind.from_game(pokerkit.Card.parse("".join(hole[seat])), pokerkit.Card.parse("".join(board)))
        except (KeyError, ValueError):  # The seat has too few cards, or no valid low hand.
            continue
    if not hands:
        return ()
    best = max(hands.values())
    return tuple(seat for seat in seats if seat in hands and hands[seat] == best)
