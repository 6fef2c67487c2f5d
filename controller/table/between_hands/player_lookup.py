"""Helpers for steps between hands: look up a player, and check that no hand is in progress."""

from __future__ import annotations

from controller.rules import Player
from controller.table.refusals_and_warnings import TableRefusal, refusal_error
from controller.table.state import Table


def require_between_hands(table: Table) -> None:
    """Refuse the step if a hand is in progress."""
    if table.is_hand_in_progress:
        raise refusal_error(TableRefusal.HAND_IN_PROGRESS)


def player_at(table: Table, seat: int) -> Player:
    """Return the player at the seat. Refuse the step if the seat is empty."""
    if seat not in table.players:
        raise refusal_error(TableRefusal.EMPTY_SEAT, seat)
    return table.players[seat]


def with_player(table: Table, seat: int, player: Player) -> Table:
    """Return a copy of the table with this player at the seat."""
    return table._replace(players={**table.players, seat: player})


def other_players(table: Table, seat: int) -> tuple[Player, ...]:
    """Return all players except the player at this seat."""
    return tuple(player for other, player in table.players.items() if other != seat)
