"""Lammers that say something else than the book."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.live import Live
from controller.rules import post_due
from controller.table import Table


def is_booked(live: Live, seat: int, lammer: str) -> bool:
    """True where a lammer at the seat's spot says what the book says of the seat, or nothing that the book knows."""
    known = _BOOKED.get(lammer)
    return known is None or known(live.table, seat)


def _is_all_in(table: Table, seat: int) -> bool:
    """Also of who is not in the hand any more: there the lammer says nothing."""
    hand = table.hand if table.playing else None
    return hand is None or seat in hand.all_in or seat not in hand.live


def _missed_blinds(table: Table, seat: int) -> bool:
    player = table.players.get(seat)
    return player is None or any(post_due(table.game, player))


def _holds_rock(table: Table, seat: int) -> bool:
    return table.carried.rock in (0, seat)


def _owes_kill(table: Table, seat: int) -> bool:
    killer = table.hand.killer if table.playing and table.hand is not None else table.carried.killer
    return table.game.kill is None or killer == seat


_BOOKED: Final[Mapping[str, Callable[[Table, int], bool]]] = {
    "all-in": _is_all_in,
    "missed-blind": _missed_blinds,
    "rock": _holds_rock,
    "kill": _owes_kill,
}
"""By lammer; those that the book knows nothing of are not in it."""
