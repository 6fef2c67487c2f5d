"""Cards that stand in for those that nobody told our table, where a reader of a hand history needs some.

A reader works out who opens a street of stud from the up cards: these are chosen so that it finds who did.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import NamedTuple

from controller.histories.cards import Winners, best_hands, is_split
from controller.rules import VariantName, clockwise

_BOARD = ("2c", "7d", "9h", "Js", "Kd")
"""Five cards without a pair, a straight or a flush."""
_LOW_BOARD = ("2c", "4d", "8h", "Js", "Kd")
"""As `_BOARD`, with three low cards: a low hand is possible."""
_SHORT_BOARD = ("6c", "7d", "9h", "Js", "Kd")
"""As `_BOARD`, of a deck that begins with the sixes."""
_RANKS = "23456789TJQKA"
_SHORT_RANKS = _RANKS[4:]
_SUITS = "cdhs"
_SHORT_DECK = "S"
_MOST_TRIES = 4000
"""Deals that are tried for one street: dozens are enough with eight players."""


class Street(NamedTuple):
    """A street of stud that was bet on."""

    dealt: tuple[int, ...]
    """The players who are dealt a card."""
    able: tuple[int, ...]
    """Those of them who can still bet."""
    opener: int | None
    """None where nobody has to."""


def up_cards(variant: VariantName, streets: Sequence[Street]) -> list[dict[int, str]]:
    """By street, the up card of each player.

    Empty where no deal makes that player open: the floor gave the turn to another, or the best board is all-in.
    """
    random = Random(1)  # the same hand gives the same text
    for _ in range(8):
        found = _dealt(variant, streets, random)
        if found is not None:
            return found
    return []


def _dealt(variant: VariantName, streets: Sequence[Street], random: Random) -> list[dict[int, str]] | None:
    deck = [rank + suit for rank in _RANKS for suit in _SUITS]
    up: dict[int, list[str]] = {}
    found: list[dict[int, str]] = []
    for number, street in enumerate(streets[:4]):
        asked = [street, *streets[4:]] if number == 3 else [street]  # the last card is dealt face down
        for _ in range(_MOST_TRIES):
            cards = dict(zip(street.dealt, random.sample(deck, len(street.dealt)), strict=True))
            boards = {player: [*up.get(player, []), card] for player, card in cards.items()}
            if all(_opened(variant, number, boards, wanted) for wanted in asked):
                break
        else:
            return None
        deck = [card for card in deck if card not in cards.values()]
        up |= boards
        found.append(cards)
    return found


def _opened(variant: VariantName, number: int, boards: dict[int, list[str]], street: Street) -> bool:
    """True where a reader finds that the wanted player opens the street: where the one with the best board cannot bet,
    PokerKit takes the next to its left. True where nobody has to."""
    if street.opener is None:
        return True
    best = _opens(variant, number, {player: boards[player] for player in street.dealt})
    return best is not None and street.opener == (best if best in street.able else clockwise(street.able, best)[0])


def _opens(variant: VariantName, number: int, boards: dict[int, list[str]]) -> int | None:
    """Who opens: the lowest card brings it in (in razz the highest), later the best board. None where two are equal."""
    if not number:
        order = sorted(boards, key=lambda player: _card_key(variant, boards[player][0]))
        return order[0] if variant != "razz" else order[-1]
    ranked = sorted(((_strength(variant, cards), player) for player, cards in boards.items()), reverse=True)
    if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
        return None
    return ranked[0][1]


def _card_key(variant: VariantName, card: str) -> tuple[int, int]:
    return _rank(variant, card), _SUITS.index(card[1])


def _rank(variant: VariantName, card: str) -> int:
    """Aces are low in razz only."""
    return -1 if variant == "razz" and card[0] == "A" else _RANKS.index(card[0])


def _strength(variant: VariantName, cards: list[str]) -> tuple[int, ...]:
    """How good an open hand is: trips, two pairs, a pair, then high cards; in razz the other way round."""
    ranks = [_rank(variant, card) for card in cards]
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    strength = (*(count for count, _ in groups), *(0 for _ in range(4 - len(groups))), *(rank for _, rank in groups))
    return tuple(-part for part in strength) if variant == "razz" else strength


# --- hands shown at the showdown ---


class Contest(NamedTuple):
    """A pot that several could win, and who was given it."""

    seats: tuple[int, ...]
    winners: Winners


def board_for(game: str, low: bool) -> tuple[str, ...]:
    """Five cards for the board of a game, a code without its limit; `low` where somebody won with a low hand."""
    if game == _SHORT_DECK:
        return _SHORT_BOARD
    return _LOW_BOARD if low else _BOARD


def hands_for(
    game: str,
    board: Sequence[str],
    known: Mapping[int, Sequence[str]],
    contests: Sequence[Contest],
    gone: Collection[str],
) -> dict[int, tuple[str, ...]] | None:
    """By seat, cards with which the pots are won as they were, those in `known` kept ("??" is filled in); None where
    none were found. `game` is the code without its limit; `gone` are cards that lie elsewhere."""
    random = Random(2)
    ladder = _ladder(known, contests if not is_split(game) else ())
    if not ladder:
        return None
    used = {*board, *gone, *(card for cards in known.values() for card in cards)}
    ranks = _SHORT_RANKS if game == _SHORT_DECK else _RANKS
    deck = [rank + suit for rank in ranks for suit in _SUITS if rank + suit not in used]
    for _ in range(_MOST_HANDS):
        hands = _sample(known, ladder, deck, random)
        if hands and not is_split(game):
            hands = _in_order(game, board, hands, (known, ladder, deck))
        if hands and all(_won_as_given(game, board, hands, contest) for contest in contests):
            return hands
    return None


_MOST_HANDS = 500
"""Hands that are tried for a showdown; a few dozen do for two or three pots."""


def _ladder(known: Mapping[int, Sequence[str]], contests: Sequence[Contest]) -> list[list[int]]:
    """Groups of seats with equal hands, the best first: who shares a pot is equal, who wins one is better than the
    others in it. Empty where no cards could have won so."""
    groups: list[set[int]] = [{seat} for seat in known]
    free = all(card == "??" for cards in known.values() for card in cards)  # else equal hands would be pure luck
    for contest in contests if free else ():
        for shares in (contest.winners.high, contest.winners.low):
            joined = [group for group in groups if group & set(shares)]
            if joined:
                groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    beaten_by: dict[int, set[int]] = {seat: set() for seat in known}
    for contest in contests if free else ():
        for seat in set(contest.seats) & set(known) - set(contest.winners.high):
            beaten_by[seat] |= set(contest.winners.high)
    ladder: list[list[int]] = []
    while groups:
        left = set().union(*groups)
        best = next((group for group in groups if not any(beaten_by[seat] & left for seat in group)), None)
        if best is None:
            return []
        groups.remove(best)
        ladder.append(sorted(best))
    return ladder


def _sample(
    known: Mapping[int, Sequence[str]], ladder: list[list[int]], deck: list[str], random: Random
) -> dict[int, tuple[str, ...]]:
    """Random hands for the first of each group; empty where a card would be dealt twice."""
    firsts = [group[0] for group in ladder]
    blanks = {seat: sum(card == "??" for card in known[seat]) for seat in firsts}
    if sum(blanks.values()) > len(deck):
        return {}
    drawn = iter(random.sample(deck, sum(blanks.values())))
    patterns = {seat: [next(drawn) for _ in range(blanks[seat])] for seat in firsts}
    return _spread(known, ladder, patterns, deck)


def _spread(
    known: Mapping[int, Sequence[str]],
    ladder: list[list[int]],
    patterns: Mapping[int, Sequence[str]],
    deck: Collection[str],
) -> dict[int, tuple[str, ...]]:
    """Hands of all seats: those of a group are alike but for the suits. Empty where a card would be dealt twice."""
    hands: dict[int, tuple[str, ...]] = {}
    free = set(deck)
    for group in ladder:
        for turned, seat in enumerate(group):
            drawn = [_turned(card, turned) for card in patterns[group[0]]]
            if turned > 3 or len(drawn) != sum(card == "??" for card in known[seat]) or not free.issuperset(drawn):
                return {}
            free -= set(drawn)
            left = iter(drawn)
            hands[seat] = tuple(next(left) if card == "??" else card for card in known[seat])
    return hands


def _in_order(
    game: str,
    board: Sequence[str],
    hands: Mapping[int, tuple[str, ...]],
    to_deal: tuple[Mapping[int, Sequence[str]], list[list[int]], list[str]],
) -> dict[int, tuple[str, ...]]:
    """The same hands dealt to the groups in the order of their strength, where all their cards are free to choose."""
    known, ladder, deck = to_deal
    if any(card != "??" for cards in known.values() for card in cards):
        return dict(hands)
    left = {group[0]: hands[group[0]] for group in ladder}
    patterns = {}
    for group in ladder:
        best = best_hands(game, left, board, tuple(left))[0]
        if len(best) != 1:
            return {}
        patterns[group[0]] = left.pop(best[0])
    return _spread(known, ladder, patterns, deck)


def _turned(card: str, turned: int) -> str:
    return card[0] + _SUITS[(_SUITS.index(card[1]) + turned) % 4]


def _won_as_given(game: str, board: Sequence[str], hands: Mapping[int, tuple[str, ...]], contest: Contest) -> bool:
    seats = tuple(seat for seat in contest.seats if seat in hands)
    high, low = (tuple(sorted(best)) for best in best_hands(game, hands, board, seats))
    want_high, want_low = (tuple(sorted(share)) for share in contest.winners)
    if (high, low) == (want_high, want_low):
        return True
    if want_low:
        return False
    if len(want_high) == 1:
        return high == want_high and low in ((), high)
    return len(high) == len(low) == 1 and (*high, *low) == contest.winners.high  # halves are as good as a split
