"""Choose cards for an exported hand, because the table does not know the real cards.

A program that reads the file needs cards to find who wins. In stud, such a program also needs the upcards to find the
seat that opens a street. The cards are chosen so that the program finds the seats that really won and opened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import NamedTuple

from controller.histories.card_ranking import best_hands, is_high_low
from controller.histories.pot_winners import Winners
from controller.rules import VariantName, clockwise_after

_BOARD = ("2c", "7d", "9h", "Js", "Kd")
"""Board cards without a pair, a straight or a flush."""
_LOW_BOARD = ("2c", "4d", "8h", "Js", "Kd")
"""A board like `_BOARD` but with three low cards, so that a low hand is possible."""
_SHORT_BOARD = ("6c", "7d", "9h", "Js", "Kd")
"""A board like `_BOARD` but for short-deck, in which six is the lowest rank."""
_RANKS = "23456789TJQKA"
_SHORT_RANKS = _RANKS[4:]
_SUITS = "cdhs"
_SHORT_DECK = "S"
_MAX_DEALS = 4000
"""Maximum number of random deals that are tried for a street. A few dozen are usually enough for eight players."""


class StudStreet(NamedTuple):
    """A street of stud that had a betting round."""

    dealt: tuple[int, ...]
    """The players who get a card on this street."""
    can_bet: tuple[int, ...]
    """Players with a card on this street who can still bet, because they are not all-in."""
    opener: int | None
    """The player who opens the betting, or None if nobody can open it."""


def choose_up_cards(variant: VariantName, streets: Sequence[StudStreet]) -> list[dict[int, str]]:
    """Choose upcards with which PokerKit lets the right players open, and return them by street and player.

    Return an empty list if no such upcards were found. They do not exist if the floor has given the turn to another
    player, or if the player with the best upcards is all-in.
    """
    random = Random(1)  # With a fixed seed, the same hand always gives the same text.
    for _ in range(8):
        up_cards = _deal_streets(variant, streets, random)
        if up_cards is not None:
            return up_cards
    return []


def _deal_streets(variant: VariantName, streets: Sequence[StudStreet], random: Random) -> list[dict[int, str]] | None:
    """Return random upcards with which PokerKit lets the right players open, or None if none were found."""
    deck = [rank + suit for rank in _RANKS for suit in _SUITS]
    boards_so_far: dict[int, list[str]] = {}
    up_cards: list[dict[int, str]] = []
    for number, street in enumerate(streets[:4]):
        # The card of the last street is face down, so the opener of that street depends on the upcards of earlier
        # streets.
        streets_to_open = [street, *streets[4:]] if number == 3 else [street]
        for _ in range(_MAX_DEALS):
            cards = dict(zip(street.dealt, random.sample(deck, len(street.dealt)), strict=True))
            boards = {player: [*boards_so_far.get(player, []), card] for player, card in cards.items()}
            if all(_has_right_opener(variant, number, boards, street_to_open) for street_to_open in streets_to_open):
                break
        else:
            return None
        deck = [card for card in deck if card not in cards.values()]
        boards_so_far |= boards
        up_cards.append(cards)
    return up_cards


def _has_right_opener(variant: VariantName, number: int, boards: dict[int, list[str]], street: StudStreet) -> bool:
    """Return True if PokerKit would let the right player open the street, or if nobody had to open it.

    If the player with the best upcards cannot bet, PokerKit selects the next player to the left.
    """
    if street.opener is None:
        return True
    best = _find_opener(variant, number, {player: boards[player] for player in street.dealt})
    return best is not None and street.opener == (
        best if best in street.can_bet else clockwise_after(street.can_bet, best)[0]
    )


def _find_opener(variant: VariantName, number: int, boards: dict[int, list[str]]) -> int | None:
    """Return the player who opens, or None if the best upcards of two players are equally strong.

    On the first street, the player with the lowest card opens. In razz, the player with the highest card opens. On
    later streets, the player with the best upcards opens.
    """
    if not number:
        order = sorted(boards, key=lambda player: _card_key(variant, boards[player][0]))
        return order[0] if variant != "razz" else order[-1]
    ranked = sorted(((_strength(variant, cards), player) for player, cards in boards.items()), reverse=True)
    if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
        return None
    return ranked[0][1]


def _card_key(variant: VariantName, card: str) -> tuple[int, int]:
    """Return the rank and suit of a card as numbers by which cards can be sorted."""
    return _rank(variant, card), _SUITS.index(card[1])


def _rank(variant: VariantName, card: str) -> int:
    """Return the rank of a card as a number. The ace is the lowest rank in razz, and the highest in other games."""
    return -1 if variant == "razz" and card[0] == "A" else _RANKS.index(card[0])


def _strength(variant: VariantName, cards: list[str]) -> tuple[int, ...]:
    """Return the strength of a player's upcards as a tuple that is larger for stronger cards.

    Four of a kind is the strongest, then three of a kind, two pairs, one pair, and high cards. In razz the order is
    reversed, because the lowest hand wins.
    """
    ranks = [_rank(variant, card) for card in cards]
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    strength = (*(count for count, _ in groups), *(0 for _ in range(4 - len(groups))), *(rank for _, rank in groups))
    return tuple(-part for part in strength) if variant == "razz" else strength


# --- hands shown at the showdown ---


class ContestedPot(NamedTuple):
    """A pot that several seats could win, and its winners."""

    seats: tuple[int, ...]
    winners: Winners


def choose_board(game: str, low: bool) -> tuple[str, ...]:
    """Return five cards for the board of a game.

    `game` is a game code without the letter of the limit. `low` is True if somebody won with a low hand.
    """
    if game == _SHORT_DECK:
        return _SHORT_BOARD
    return _LOW_BOARD if low else _BOARD


def choose_hands(
    game: str,
    board: Sequence[str],
    known: Mapping[int, Sequence[str]],
    contests: Sequence[ContestedPot],
    unavailable: Collection[str],
) -> dict[int, tuple[str, ...]] | None:
    """Return hands with which the seats win the pots that were awarded to them.

    The hands are the cards in `known`, with a chosen card in place of every "??". `unavailable` are cards that must not
    be used. `game` is a game code without the letter of the limit. Return None if no such hands were found.
    """
    random = Random(2)
    groups = _ranked_groups(known, contests if not is_high_low(game) else ())
    if not groups:
        return None
    used = {*board, *unavailable, *(card for cards in known.values() for card in cards)}
    ranks = _SHORT_RANKS if game == _SHORT_DECK else _RANKS
    deck = [rank + suit for rank in ranks for suit in _SUITS if rank + suit not in used]
    for _ in range(_MAX_SHOWDOWNS):
        hands = _deal_hands(known, groups, deck, random)
        if hands and not is_high_low(game):
            hands = _sort_by_strength(game, board, hands, (known, groups, deck))
        if hands and all(_is_won_as_awarded(game, board, hands, contest) for contest in contests):
            return hands
    return None


_MAX_SHOWDOWNS = 500
"""Maximum number of random deals that are tried for a showdown. A few dozen are usually enough for three pots."""


def _ranked_groups(known: Mapping[int, Sequence[str]], contests: Sequence[ContestedPot]) -> list[list[int]]:
    """Return groups of seats that need equally strong hands, with the best group first.

    Seats that share a pot need equally strong hands. The winner of a pot needs a better hand than the other seats in
    the pot. Return an empty list if no hands can meet these two conditions.
    """
    groups: list[set[int]] = [{seat} for seat in known]
    # If some cards are known, equal hands cannot be constructed, so every seat is a group of its own.
    is_free = all(card == "??" for cards in known.values() for card in cards)
    for contest in contests if is_free else ():
        for winners in (contest.winners.high, contest.winners.low):
            merged = [group for group in groups if group & set(winners)]
            if merged:
                groups = [group for group in groups if group not in merged] + [set().union(*merged)]
    beaten_by: dict[int, set[int]] = {seat: set() for seat in known}
    for contest in contests if is_free else ():
        for seat in set(contest.seats) & set(known) - set(contest.winners.high):
            beaten_by[seat] |= set(contest.winners.high)
    ranked_groups: list[list[int]] = []
    while groups:
        remaining_seats = set().union(*groups)
        best = next((group for group in groups if not any(beaten_by[seat] & remaining_seats for seat in group)), None)
        if best is None:
            return []
        groups.remove(best)
        ranked_groups.append(sorted(best))
    return ranked_groups


def _deal_hands(
    known: Mapping[int, Sequence[str]], groups: list[list[int]], deck: list[str], random: Random
) -> dict[int, tuple[str, ...]]:
    """Return random hands for all seats, or an empty dict if this attempt would deal a card twice."""
    first_seats = [group[0] for group in groups]
    blanks = {seat: sum(card == "??" for card in known[seat]) for seat in first_seats}
    if sum(blanks.values()) > len(deck):
        return {}
    drawn_cards = iter(random.sample(deck, sum(blanks.values())))
    patterns = {seat: [next(drawn_cards) for _ in range(blanks[seat])] for seat in first_seats}
    return _copy_to_groups(known, groups, patterns, deck)


def _copy_to_groups(
    known: Mapping[int, Sequence[str]],
    groups: list[list[int]],
    patterns: Mapping[int, Sequence[str]],
    deck: Collection[str],
) -> dict[int, tuple[str, ...]]:
    """Return hands for all seats, made from one hand in `patterns` for each group of seats.

    The first seat of a group gets the hand in `patterns`. The other seats get cards with equal ranks in other suits.
    Return an empty dict if a card would be dealt twice.
    """
    hands: dict[int, tuple[str, ...]] = {}
    free_cards = set(deck)
    for group in groups:
        for suit_shift, seat in enumerate(group):
            drawn_cards = [_shift_suit(card, suit_shift) for card in patterns[group[0]]]
            if (
                suit_shift > 3
                or len(drawn_cards) != sum(card == "??" for card in known[seat])
                or not free_cards.issuperset(drawn_cards)
            ):
                return {}
            free_cards -= set(drawn_cards)
            remaining = iter(drawn_cards)
            hands[seat] = tuple(next(remaining) if card == "??" else card for card in known[seat])
    return hands


def _sort_by_strength(
    game: str,
    board: Sequence[str],
    hands: Mapping[int, tuple[str, ...]],
    dealing: tuple[Mapping[int, Sequence[str]], list[list[int]], list[str]],
) -> dict[int, tuple[str, ...]]:
    """Exchange the hands between groups of seats, so that better groups get better hands.

    Return the hands unchanged if some cards are known. Return an empty dict if two groups have hands of equal strength.
    """
    known, groups, deck = dealing
    if any(card != "??" for cards in known.values() for card in cards):
        return dict(hands)
    remaining = {group[0]: hands[group[0]] for group in groups}
    patterns = {}
    for group in groups:
        best = best_hands(game, remaining, board, tuple(remaining))[0]
        if len(best) != 1:
            return {}
        patterns[group[0]] = remaining.pop(best[0])
    return _copy_to_groups(known, groups, patterns, deck)


def _shift_suit(card: str, suit_shift: int) -> str:
    """Return a card of equal rank, with the suit that comes `suit_shift` places later in c, d, h, s."""
    return card[0] + _SUITS[(_SUITS.index(card[1]) + suit_shift) % 4]


def _is_won_as_awarded(
    game: str, board: Sequence[str], hands: Mapping[int, tuple[str, ...]], contest: ContestedPot
) -> bool:
    """Return True if these hands give the pot to the seats to which it was awarded."""
    seats = tuple(seat for seat in contest.seats if seat in hands)
    high, low = (tuple(sorted(best)) for best in best_hands(game, hands, board, seats))
    wanted_high, wanted_low = (tuple(sorted(share)) for share in contest.winners)
    if (high, low) == (wanted_high, wanted_low):
        return True
    if wanted_low:
        return False
    if len(wanted_high) == 1:
        return high == wanted_high and low in ((), high)
    # One seat may win the high half and another the low half. Both then get as much as from a split pot.
    return len(high) == len(low) == 1 and (*high, *low) == contest.winners.high
