"""Preview of the next hand: who is dealt in, and why the other players are not.

Source: rulings.md, "Between hands"; Robert's Rules of Poker, section 4 (rules for using blinds).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from controller import rules
from controller.rules import (
    Game,
    Placement,
    RuleError,
    button_and_blinds,
)
from controller.table.between_hands.next_hand_seats import can_be_dealt_in, next_deal, next_game, next_kill_seat
from controller.table.state import Table


class NextHand(NamedTuple):
    """Seats and positions of the next hand if it started now."""

    placement: Placement
    """Seats that have the button and the blinds."""
    seats: tuple[int, ...]
    """Seats that are dealt in."""
    kill_seat: int
    """Seat that posts the kill blind, or 0."""


class NotDealtInReason(StrEnum):
    """Reasons why a player is not dealt in."""

    AWAY = "away"
    NO_CHIPS = "no-chips"
    """The player has no chips that play."""
    BETWEEN_BLINDS = "between-blinds"
    """The player would enter between the button and the big blind, and new players must wait there."""
    CHANGED_SEAT = "moved"
    """The player has changed seats and must wait for some hands, or post."""
    OWES_POST = "posts"
    """The player must post, or wait until the big blind reaches the seat."""
    TOO_SHORT_FOR_BLIND = "short"
    """The player has fewer chips than the house requires in the big blind."""
    JOINS_NEXT_HAND = "next-hand"
    """The player came after this hand had started and will be dealt in next."""


def preview_next_hand(table: Table) -> NextHand | None:
    """Return the next hand as it would start now. Return None during a hand, or if fewer than two players can play."""
    if table.is_hand_in_progress or len(table.players) < 2:
        return None
    game = next_game(table)
    try:
        placement, seats = next_deal(table, game)
    except RuleError:
        return None
    return NextHand(placement, seats, next_kill_seat(table, game))


def not_dealt_in_reason(table: Table, seat: int, next_hand: NextHand | None = None) -> NotDealtInReason | None:
    """Return why the player is not dealt into the hand in progress or, between hands, into `next_hand`.

    Return None if the player is dealt in.
    """
    hand = table.hand if table.is_hand_in_progress else None
    game, player = table.game, table.players[seat]
    dealt_seats = hand.dealt_seats if hand is not None else next_hand.seats if next_hand is not None else ()
    if seat in dealt_seats:
        return None
    if player.is_away:
        return NotDealtInReason.AWAY
    if not rules.missed_blinds.has_playable_chips(game, player):
        return NotDealtInReason.NO_CHIPS
    if hand is not None:
        return _waiting_reason(table, game, seat, hand.button, hand.big_blind_seat)
    if next_hand is None:
        return None
    return _waiting_reason(table, game, seat, next_hand.placement.button, next_hand.placement.big_blind_seat)


def _waiting_reason(table: Table, game: Game, seat: int, button: int, big_blind: int) -> NotDealtInReason:
    """Return why a player who is present and has chips is not dealt in.

    `button` and `big_blind` are the seats of the button and the big blind.
    """
    player = table.players[seat]
    if big_blind and game.between_blinds == "wait" and button_and_blinds.is_between(button, seat, big_blind):
        return NotDealtInReason.BETWEEN_BLINDS
    if can_be_dealt_in(table, game, seat):
        return (
            NotDealtInReason.TOO_SHORT_FOR_BLIND
            if player.stack < game.min_blind_chips and not player.stack_unknown
            else NotDealtInReason.JOINS_NEXT_HAND
        )
    return (
        NotDealtInReason.CHANGED_SEAT
        if player.hands_to_sit_out and not rules.missed_blinds.owes_blinds(player)
        else NotDealtInReason.OWES_POST
    )
