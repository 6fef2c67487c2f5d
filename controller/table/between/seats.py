"""What the modules beside this one share: who sits at a seat, and whether a hand is in progress."""

from __future__ import annotations

from controller.rules import Player
from controller.table.codes import Reason, refused
from controller.table.state import Table


def require_between_hands(table: Table) -> None:
    """Refuses during a hand."""
    if table.playing:
        raise refused(Reason.HAND_IN_PROGRESS)


def player_at(table: Table, seat: int) -> Player:
    """Who sits there. Refuses an empty seat."""
    if seat not in table.players:
        raise refused(Reason.EMPTY_SEAT, seat)
    return table.players[seat]


def with_player(table: Table, seat: int, player: Player) -> Table:
    """The table where this player sits there."""
    return table._replace(players={**table.players, seat: player})


def others_than(table: Table, seat: int) -> tuple[Player, ...]:
    """All players but the one at this seat."""
    return tuple(player for other, player in table.players.items() if other != seat)
