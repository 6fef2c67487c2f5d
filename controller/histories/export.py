"""A hand of our table as PHH text: for analysis tools, and to be replayed.

Our table knows no cards: those of the players are written as unknown ("????"). Board cards and the up cards of stud
stand in for those that lay there, because readers work out whose turn it is, and who wins, from them: the field
`_stand_in_cards` says so. What a reader cannot work out without cards stands in `finishing_stacks`. What PHH has no
place for is in fields that begin with an underscore (`own`): above all `_steps`, the hand's steps as they happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from controller.histories.actions import Actions
from controller.histories.format import GAMES, LIMITS
from controller.histories.own import own_fields
from controller.histories.played import WholeHand, whole_hand
from controller.histories.text import toml
from controller.rules import SEATS, Game
from controller.table import Step, Table

READABLE = frozenset({"FT", "NT", "NS", "PO", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"})
"""Codes that PokerKit reads. A flop game with another one is written as hold'em: without cards they differ in name."""
_CODES = {variant: letters for letters, variant in GAMES.items()} | {"draw": "2L1D"}


class Cards(NamedTuple):
    """The cards with which the winners of a hand win, as `export` writes them."""

    shown: Mapping[int, str]
    """By seat."""
    board: tuple[str, ...]
    """Street by street."""


def cards_written(table: Table, steps: Sequence[Step]) -> Cards:
    """The cards of a hand as `export` writes it, under the same terms."""
    played = whole_hand(table, steps)
    actions = Actions(played, _code(played.showdown.game)[1])
    actions.lines()
    return Cards(actions.shows, tuple(actions.streets_dealt))


def export(table: Table, steps: Sequence[Step], about: Mapping[str, Any] | None = None) -> str:
    """The hand as PHH text. `table` is the table before the step `hand`, or with the hand just started; `steps` are all
    of the hand, to the last award. `about` adds fields of the format (event, hand, year, currency …).

    Raises BadInputError where the steps are not one whole hand that was played to its end.
    """
    played = whole_hand(table, steps)
    game = played.showdown.game
    limit, letters = _code(game)
    antes, trimmed = _antes(played)
    values: dict[str, Any] = {
        "variant": limit + letters,
        "ante_trimming_status": trimmed,
        "antes": _in_file(antes),
    }
    if game.kind.by_board:
        values["bring_in"] = game.bring_in
    else:
        values["blinds_or_straddles"] = _in_file(_blinds(played))
    if game.structure == "fixed-limit":
        values |= {"small_bet": game.bets[0], "big_bet": game.bets[-1]}
    else:
        values["min_bet"] = max(1, game.min_bet if game.structure != "spread-limit" else game.spread[0][0])
    order = played.over.order
    values["starting_stacks"] = [_brought(played, seat) for seat in order]
    actions = Actions(played, letters)
    values["actions"] = actions.lines()
    values["finishing_stacks"] = [max(0, played.over.stacks[seat] - played.behind[seat]) for seat in order]
    values |= {"seats": list(order), "seat_count": SEATS}
    names = [table.players[seat].name for seat in order]
    if any(names):
        values["players"] = names
    values |= dict(about or {})
    values["_stand_in_cards"] = bool(actions.up) or game.kind.by_flop
    values |= own_fields(table, played, steps)
    return "".join(f"{key} = {toml(value)}\n" for key, value in values.items())


def _brought(played: WholeHand, seat: int) -> int:
    """What the seat brought to the hand: what it has left and all that it put in. Chips behind an all-in do not play:
    a reader would wait for them."""
    hand = played.showdown
    return max(1, hand.contributed(seat) + max(0, hand.stacks[seat]) - played.behind[seat])


def _code(game: Game) -> tuple[str, str]:
    """The letters of the limit and of the game."""
    limit = next((letter for letter, structure in LIMITS.items() if structure == game.structure), "N")
    letters = _CODES.get(game.variant, "T")
    if limit + letters in READABLE or not game.kind.by_flop:
        return limit, letters
    return "F" if limit == "F" else "N", "T"


def _antes(played: WholeHand) -> tuple[list[int], bool]:
    """Antes by seat in order, dead posts among them; and whether they are to be matched (each pays the same)."""
    hand = played.started
    if hand.bomb:
        return [hand.bomb] * len(hand.order), True
    each = hand.game.ante if hand.game.ante_by == "each" else 0
    antes = [each + hand.dead[seat] for seat in hand.order]
    return antes, not any(hand.dead)


def _blinds(played: WholeHand) -> list[int]:
    """Blinds and straddles by seat in order; posts and kill blinds are negative: they move nobody's turn."""
    hand, placed = played.started, dict(played.after.carried.placed.blinds)
    blinds: list[int] = []
    if hand.bomb:
        return [0] * len(hand.order)
    for seat in hand.order:
        posted, owed = hand.blinds[seat], 0 if hand.dead_blinds[seat] else placed.get(seat, 0)
        forced = seat in (hand.small_blind, hand.big_blind, *hand.straddles) or owed
        short = seat in hand.all_in and seat == hand.big_blind
        blinds.append(max(posted, hand.game.big_blind if short else owed) * (1 if forced else -1))
    return blinds


def _in_file(amounts: list[int]) -> list[int]:
    """Heads-up, the file names what the button posts first."""
    return amounts[::-1] if len(amounts) == 2 else amounts
