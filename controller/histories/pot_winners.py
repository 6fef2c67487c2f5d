"""The winners of a pot in a hand history, found from the cards or from the final stacks.

`card_ranking` compares the cards, because our own rules do not know cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from controller.histories.card_ranking import best_hands, is_high_low
from controller.histories.phh_parser import PhhHand
from controller.rules import (
    Hand,
    Pot,
    awards,
)

MAX_TRIES = 20_000
"""Maximum number of combinations of winners that are tried to reach the final stacks.

No real hand needs as many combinations.
"""


class Winners(NamedTuple):
    """The winners of a pot. `low` is empty unless the pot is split into a high and a low half."""

    high: tuple[int, ...]
    low: tuple[int, ...] = ()


class KnownCards(NamedTuple):
    """The cards of a hand, as written in the file."""

    hole: dict[int, tuple[str, ...]]
    """The cards that the players have at the end of the hand, by player number."""
    board: tuple[str, ...]
    mucked: frozenset[int]
    """The players who mucked."""


def known_cards(hand: PhhHand) -> KnownCards:
    """Return the cards that are known after all cards were dealt, discarded and shown."""
    hole: dict[int, list[str]] = {player: [] for player in range(1, len(hand.stacks) + 1)}
    board: list[str] = []
    mucked = set()
    for action in hand.actions:
        cards = _split_cards(action.cards)
        if action.verb == "db":
            board += cards
        elif action.verb == "dh":
            hole[action.player] += cards
        elif action.verb == "sd":
            _discard(hole[action.player], cards)
        elif action.verb == "sm" and not action.cards:
            mucked.add(action.player)
        elif action.verb == "sm" and cards and "?" not in action.cards:
            hole[action.player] = cards
    return KnownCards({player: tuple(cards) for player, cards in hole.items()}, tuple(board), frozenset(mucked))


def _split_cards(cards: str) -> list[str]:
    """Return the cards in a text as a list. The text "-" means unnamed cards and gives an empty list."""
    cards = cards.replace("10", "T")
    return [] if cards == "-" else [cards[at : at + 2] for at in range(0, len(cards), 2)]


def _discard(hand_cards: list[str], cards: list[str]) -> None:
    """Remove discarded cards from a hand.

    A discarded card that is not in the list was one of the player's unknown cards. An unknown card is then removed
    instead.
    """
    for card in cards:
        removed = card if card in hand_cards else "??"
        if removed in hand_cards:
            hand_cards.remove(removed)
        elif hand_cards:
            hand_cards.pop()


def winners_by_cards(hand: PhhHand, cards: KnownCards, pot: Pot) -> Winners | None:
    """Return the winners of a pot according to the cards, or None if a necessary card is unknown."""
    seats = tuple(seat for seat in pot.seats if seat not in cards.mucked) or pot.seats
    if len(seats) == 1:
        return Winners(seats)
    if any("?" in card for seat in seats for card in cards.hole[seat]) or any("?" in card for card in cards.board):
        return None
    high, low = best_hands(hand.code[1:], cards.hole, cards.board, seats)
    if low == high and len(low) == 1:
        return Winners(high)
    return Winners(high, low) if high else None


def winners_by_stacks(hand: PhhHand, before: Hand, pots: Sequence[Pot]) -> dict[str, Winners] | None:
    """Return winners for all pots that lead to the final stacks in the file, or None if there are none.

    The result maps the name of a pot to its winners. Likely winners are tried first. A single winner is more likely
    than a split pot, and a split pot is more likely than different winners of high and low.
    """
    try_count = 0

    def search(hand_now: Hand, remaining_pots: Sequence[Pot]) -> dict[str, Winners] | None:
        nonlocal try_count
        short_seats = {seat for seat in hand_now.dealt_seats if hand_now.stacks[seat] < hand.finishing[seat - 1]}
        if not remaining_pots:
            return None if short_seats else {}
        for winners in _possible_winners(hand, tuple(seat for seat in remaining_pots[0].seats if seat in short_seats)):
            try_count += 1
            if try_count > MAX_TRIES:
                return None
            after = awards.award_pot(hand_now, remaining_pots[0].name, *winners).hand
            if all(after.stacks[seat] <= hand.finishing[seat - 1] for seat in hand_now.dealt_seats):
                rest = search(after, remaining_pots[1:])
                if rest is not None:
                    return {remaining_pots[0].name: winners, **rest}
        return None

    # Begin with the last side pot, because it has the fewest possible winners.
    winners_by_pot = search(before, tuple(reversed(pots)))
    return {pot.name: winners_by_pot[pot.name] for pot in pots} if winners_by_pot else None


def _possible_winners(hand: PhhHand, seats: tuple[int, ...]) -> Iterator[Winners]:
    """Yield the possible winners of a pot, with the most likely winners first."""
    groups = [group for size in range(1, len(seats) + 1) for group in combinations(seats, size)]
    yield from (Winners(group) for group in groups)
    if is_high_low(hand.code[1:]):
        yield from (Winners(high, low) for high in groups for low in groups)
