"""Export a hand of the table as PHH text, for analysis tools and for replay.

The table does not know the players' cards, so they are written as unknown ("????"). Programs that read the file need
board cards and stud upcards to find whose turn it is and who wins. The export therefore chooses such cards, and writes
`_stand_in_cards = true` to say that they are not real. The field `finishing_stacks` has the final stacks, which cannot
be computed without the real cards. Fields with a leading underscore contain everything else that PHH cannot express.
The module `custom_fields` describes them. The most important of these fields is `_steps`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from controller.histories.completed_hand import CompletedHand, complete_hand
from controller.histories.custom_fields import build_custom_fields
from controller.histories.phh_actions import ActionWriter
from controller.histories.phh_parser import GAMES, LIMITS
from controller.histories.toml_text import to_toml
from controller.rules import MAX_SEATS, Game
from controller.steps import Step
from controller.table import Table

POKERKIT_CODES = frozenset({"FT", "NT", "NS", "PO", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB"})
"""Codes of games that PokerKit can read.

A flop game with another code is written as hold'em, because without cards flop games only differ in their names.
"""
_CODES = {variant: letters for letters, variant in GAMES.items()} | {"draw": "2L1D"}
"""Game codes in the file by variant, without the letter of the limit, such as `T` for hold'em."""


class ExportedCards(NamedTuple):
    """Cards that were chosen for an exported hand, so that the right seats win."""

    hands: Mapping[int, str]
    """The cards that each seat shows."""
    board: tuple[str, ...]
    """The cards of the board, one text for each street."""


def exported_cards(table: Table, steps: Sequence[Step]) -> ExportedCards:
    """Return the cards that `export_hand` chooses for a hand with unknown cards."""
    played = complete_hand(table, steps)
    actions = ActionWriter(played, _file_code(played.showdown.game)[1])
    actions.lines()
    return ExportedCards(actions.hands_shown, tuple(actions.board_streets))


def export_hand(table: Table, steps: Sequence[Step], extra_fields: Mapping[str, Any] | None = None) -> str:
    """Return a hand as PHH text.

    `table` is the table just before the hand or just after its start. `steps` are all steps of the hand up to its last
    award. `extra_fields` are other fields of the format, such as event, year or currency. Raise BadInputError if the
    steps are not exactly one hand that was played to its end.
    """
    played = complete_hand(table, steps)
    game = played.showdown.game
    limit, game_code = _file_code(game)
    antes, trimmed = _antes(played)
    values: dict[str, Any] = {
        "variant": limit + game_code,
        "ante_trimming_status": trimmed,
        "antes": _in_file_order(antes),
    }
    if game.variant_rules.opener_by_cards:
        values["bring_in"] = game.bring_in
    else:
        values["blinds_or_straddles"] = _in_file_order(_blinds(played))
    if game.structure == "fixed-limit":
        values |= {"small_bet": game.bets[0], "big_bet": game.bets[-1]}
    else:
        values["min_bet"] = max(1, game.min_bet if game.structure != "spread-limit" else game.spread[0][0])
    seats = played.final_hand.dealt_seats
    values["starting_stacks"] = [_starting_stack(played, seat) for seat in seats]
    actions = ActionWriter(played, game_code)
    values["actions"] = actions.lines()
    values["finishing_stacks"] = [max(0, played.final_hand.stacks[seat] - played.behind[seat]) for seat in seats]
    values |= {"seats": list(seats), "seat_count": MAX_SEATS}
    names = [table.players[seat].name for seat in seats]
    if any(names):
        values["players"] = names
    values |= dict(extra_fields or {})
    values["_stand_in_cards"] = bool(actions.stud_up_cards) or game.variant_rules.has_flop
    values |= build_custom_fields(table, played, steps)
    return "".join(f"{key} = {to_toml(value)}\n" for key, value in values.items())


def _starting_stack(played: CompletedHand, seat: int) -> int:
    """Return the starting stack of a seat, which is the chips that it has left plus the chips put in.

    Chips that an all-in seat could not bet are not included. Otherwise a program that reads the file would expect
    further actions of the seat.
    """
    hand = played.showdown
    return max(1, hand.contributed(seat) + max(0, hand.stacks[seat]) - played.behind[seat])


def _file_code(game: Game) -> tuple[str, str]:
    """Return the letter of the limit and the code of the game, such as `N` and `T` for no-limit hold'em."""
    limit = next((letter for letter, structure in LIMITS.items() if structure == game.structure), "N")
    game_code = _CODES.get(game.variant, "T")
    if limit + game_code in POKERKIT_CODES or not game.variant_rules.has_flop:
        return limit, game_code
    return "F" if limit == "F" else "N", "T"


def _antes(played: CompletedHand) -> tuple[list[int], bool]:
    """Return the antes in the order of the seats, and True if no seat posted dead chips.

    Dead chips do not count as a bet. They are included in the ante of their seat.
    """
    hand = played.started
    if hand.bomb_ante:
        return [hand.bomb_ante] * len(hand.dealt_seats), True
    ante = hand.game.ante if hand.game.ante_by == "each" else 0
    antes = [ante + hand.dead_money[seat] for seat in hand.dealt_seats]
    return antes, not any(hand.dead_money)


def _blinds(played: CompletedHand) -> list[int]:
    """Return blinds and straddles in the order of the seats.

    In PHH, a negative blind does not change the order of the turns. Posts and kill blinds are therefore negative.
    """
    hand, due_blinds = played.started, dict(played.table_after.carry_over.placement.blind_amounts)
    blinds: list[int] = []
    if hand.bomb_ante:
        return [0] * len(hand.dealt_seats)
    for seat in hand.dealt_seats:
        posted_blind, due = hand.posted_blinds[seat], 0 if hand.dead_small_blinds[seat] else due_blinds.get(seat, 0)
        is_forced = seat in (hand.small_blind_seat, hand.big_blind_seat, *hand.straddle_seats) or due
        is_short = seat in hand.all_in and seat == hand.big_blind_seat
        blinds.append(max(posted_blind, hand.game.big_blind if is_short else due) * (1 if is_forced else -1))
    return blinds


def _in_file_order(amounts: list[int]) -> list[int]:
    """Return amounts in the order of the file. For two players, the file has the reverse order of the seats."""
    return amounts[::-1] if len(amounts) == 2 else amounts
