"""Views with large amounts in dollars and cents, to test that the screen has enough space for large amounts."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.view import Money, TableView

MAX_AMOUNT: Final = 123_456_789
"""Largest amount in an enlarged view, in cents: $1,234,567.89."""

MONEY_FIELDS: Final = frozenset(
    {
        *("pot", "to_call", "min_raise_to", "max_raise_to", "pot_to", "quick_bets", "unit", "accounts"),
        *("stack", "bet", "owes", "due_back", "blind", "seen", "markers"),
        *("amount", "least", "most", "blinds", "bets", "ante", "bomb", "kill", "boards", "uncalled"),
        *("held_chips", "missed", "post", "may_straddle", "total", "back"),
    }
)
"""Names of the fields that contain money if their value is a number."""


def enlarge_amounts(view: TableView) -> TableView:
    """Return a copy of the view with amounts of up to $1,234,567.89.

    All amounts end with 89 cents, because the screen omits the decimals of a whole dollar amount.
    """
    highest = max(view.pot, view.max_raise_to or 0, *(seat.stack or 0 for seat in view.seats))
    plain = msgspec.to_builtins(msgspec.structs.replace(view, money=Money()))
    scaled = msgspec.convert(_scale_money(plain, MAX_AMOUNT / highest, is_money=False), TableView)
    return msgspec.structs.replace(scaled, money=Money(prefix="$", decimals=2))


def _scale_money(value: Any, factor: float, *, is_money: bool) -> Any:
    if isinstance(value, dict):
        return {
            key: _scale_money(item, factor, is_money=is_money or key in MONEY_FIELDS) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_scale_money(item, factor, is_money=is_money) for item in value]
    return int(value * factor) // 100 * 100 + 89 if is_money and value and type(value) is int else value
