"""Comparison of the plastic markers at a seat, such as an all-in marker, with the state of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.live import Live
from controller.rules import (
    missed_blinds,
)
from controller.table import Table


def is_lammer_consistent(live: Live, seat: int, lammer: str) -> bool:
    """Return True if the plastic marker agrees with the table, or if the table has no information about the marker."""
    check = _CHECKS.get(lammer)
    return check is None or check(live.table, seat)


def _is_all_in(table: Table, seat: int) -> bool:
    """Return True if the seat is all-in, or not in the hand, so that its all-in marker has no meaning."""
    hand = table.hand if table.is_hand_in_progress else None
    return hand is None or seat in hand.all_in or seat not in hand.live_seats


def _missed_blinds(table: Table, seat: int) -> bool:
    player = table.players.get(seat)
    return player is None or any(missed_blinds.entry_post(table.game, player))


def _holds_rock(table: Table, seat: int) -> bool:
    return table.carry_over.rock_seat in (0, seat)


def _owes_kill(table: Table, seat: int) -> bool:
    killer = (
        table.hand.kill_seat if table.is_hand_in_progress and table.hand is not None else table.carry_over.kill_seat
    )
    return table.game.kill is None or killer == seat


_CHECKS: Final[Mapping[str, Callable[[Table, int], bool]]] = {
    "all-in": _is_all_in,
    "missed-blind": _missed_blinds,
    "rock": _holds_rock,
    "kill": _owes_kill,
}
"""The check for each kind of plastic marker that the table has information about."""
