"""Views with all their amounts made large, in dollars and cents: what the screen must have room for."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.view import Money, TableView

LARGEST: Final = 123_456_789
"""$1,234,567.89."""

MONEY: Final = frozenset(
    {
        *("pot", "to_call", "min_raise_to", "max_raise_to", "pot_to", "half_pot_to", "unit", "accounts"),
        *("stack", "bet", "owes", "due_back", "blind", "seen", "markers"),
        *("amount", "least", "most", "blinds", "bets", "ante", "bomb", "kill", "boards", "uncalled"),
        *("held_chips", "missed", "post", "may_straddle", "total", "back"),
    }
)
"""The fields that are money wherever they are numbers."""


def large(view: TableView) -> TableView:
    """The same table with amounts of up to $1,234,567.89, all with 89 cents: no decimals are left out."""
    highest = max(view.pot, view.max_raise_to or 0, *(seat.stack or 0 for seat in view.seats))
    plain = msgspec.to_builtins(msgspec.structs.replace(view, money=Money()))
    more = msgspec.convert(_times(plain, LARGEST / highest, money=False), TableView)
    return msgspec.structs.replace(more, money=Money(prefix="$", decimals=2))


def _times(value: Any, factor: float, *, money: bool) -> Any:
    if isinstance(value, dict):
        return {key: _times(one, factor, money=money or key in MONEY) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_times(one, factor, money=money) for one in value]
    return int(value * factor) // 100 * 100 + 89 if money and value and type(value) is int else value
