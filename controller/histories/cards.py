"""Who wins a pot of a hand history: by the cards where they are known, else by the stacks after the hand.

Cards are read by PokerKit; the rules of the betting never see any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from pokerkit import (
    BadugiHand,
    Card,
    EightOrBetterLowHand,
    OmahaEightOrBetterLowHand,
    OmahaHoldemHand,
    RegularLowHand,
    ShortDeckHoldemHand,
    StandardHighHand,
    StandardLowHand,
)
from pokerkit.hands import Hand as PokerHand

from controller.histories.format import PhhHand
from controller.rules import Hand, Pot, award

_HIGH: dict[str, type[PokerHand]] = {
    "T": StandardHighHand,
    "S": ShortDeckHoldemHand,
    "O": OmahaHoldemHand,
    "O/8": OmahaHoldemHand,
    "7S": StandardHighHand,
    "7S/8": StandardHighHand,
    "R": RegularLowHand,
    "5S": StandardHighHand,
    "2L1D": StandardLowHand,
    "2L3D": StandardLowHand,
    "B": BadugiHand,
}
_LOW: dict[str, type[PokerHand]] = {"O/8": OmahaEightOrBetterLowHand, "7S/8": EightOrBetterLowHand}
MOST_TRIES = 20_000
"""Ways of giving the pots that are tried against the stacks after the hand: more than any real hand has."""


class Winners(NamedTuple):
    """Who is given a pot; `low` where it is split into a high and a low half."""

    high: tuple[int, ...]
    low: tuple[int, ...] = ()


class CardsSeen(NamedTuple):
    """What the cards of a hand were: by player those held at the end, as written."""

    hole: dict[int, tuple[str, ...]]
    board: tuple[str, ...]
    mucked: frozenset[int]


def cards_of(hand: PhhHand) -> CardsSeen:
    """The cards as the actions deal, discard and show them."""
    hole: dict[int, list[str]] = {player: [] for player in range(1, len(hand.stacks) + 1)}
    board: list[str] = []
    mucked = set()
    for action in hand.actions:
        cards = _split(action.cards)
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
    return CardsSeen({player: tuple(cards) for player, cards in hole.items()}, tuple(board), frozenset(mucked))


def _split(cards: str) -> list[str]:
    cards = cards.replace("10", "T")
    return [] if cards == "-" else [cards[at : at + 2] for at in range(0, len(cards), 2)]


def _discard(held: list[str], cards: list[str]) -> None:
    """The cards taken out; one that was not known to be held was an unknown one."""
    for card in cards:
        gone = card if card in held else "??"
        if gone in held:
            held.remove(gone)
        elif held:
            held.pop()


def by_cards(hand: PhhHand, cards: CardsSeen, pot: Pot) -> Winners | None:
    """Who wins the pot by the cards, None where cards that matter are unknown."""
    seats = tuple(seat for seat in pot.seats if seat not in cards.mucked) or pot.seats
    if len(seats) == 1:
        return Winners(seats)
    if any("?" in card for seat in seats for card in cards.hole[seat]) or any("?" in card for card in cards.board):
        return None
    high, low = best_hands(hand.code[1:], cards.hole, cards.board, seats)
    if low == high and len(low) == 1:
        return Winners(high)
    return Winners(high, low) if high else None


def best_hands(
    game: str, hole: Mapping[int, Sequence[str]], board: Sequence[str], seats: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The seats with the best high hand and those with the best low hand (nobody in games without one).

    `game` is a code without its limit; the high hand of a lowball game is its low one.
    """
    low = _best(_LOW[game], hole, board, seats) if game in _LOW else ()
    return _best(_HIGH[game], hole, board, seats), low


def is_split(game: str) -> bool:
    """True for a code (without its limit) of a game whose pots are split into a high and a low half."""
    return game in _LOW


def _best(
    kind: type[PokerHand], hole: Mapping[int, Sequence[str]], board: Sequence[str], seats: tuple[int, ...]
) -> tuple[int, ...]:
    """The seats with the best hand of this kind; nobody where nobody has one."""
    hands = {}
    for seat in seats:
        try:
            hands[seat] = kind.from_game(Card.parse("".join(hole[seat])), Card.parse("".join(board)))
        except (KeyError, ValueError):  # too few cards, or no hand of this kind (a low without eight)
            continue
    if not hands:
        return ()
    best = max(hands.values())
    return tuple(seat for seat in seats if seat in hands and hands[seat] == best)


def by_stacks(hand: PhhHand, before: Hand, pots: Sequence[Pot]) -> dict[str, Winners] | None:
    """Who wins each of the pots so that everybody ends with the file's finishing stacks; None where nothing fits.

    The likeliest comes first: one winner a pot, then splits, then halves.
    """
    tries = 0

    def search(at: Hand, left: Sequence[Pot]) -> dict[str, Winners] | None:
        nonlocal tries
        lacking = {seat for seat in at.order if at.stacks[seat] < hand.finishing[seat - 1]}
        if not left:
            return None if lacking else {}
        for winners in _ways(hand, tuple(seat for seat in left[0].seats if seat in lacking)):
            tries += 1
            if tries > MOST_TRIES:
                return None
            after = award(at, left[0].name, *winners).hand
            if all(after.stacks[seat] <= hand.finishing[seat - 1] for seat in at.order):
                rest = search(after, left[1:])
                if rest is not None:
                    return {left[0].name: winners, **rest}
        return None

    found = search(before, tuple(reversed(pots)))  # side pots first: fewer can have won them
    return {pot.name: found[pot.name] for pot in pots} if found else None


def _ways(hand: PhhHand, seats: tuple[int, ...]) -> Iterator[Winners]:
    sides = [group for size in range(1, len(seats) + 1) for group in combinations(seats, size)]
    yield from (Winners(group) for group in sides)
    if is_split(hand.code[1:]):
        yield from (Winners(high, low) for high in sides for low in sides)
