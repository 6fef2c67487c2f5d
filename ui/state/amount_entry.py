"""The entry of an amount on the number pad.

Amounts are integers in the smallest unit of money, for example in cents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from controller.view import Money

MAX_DIGITS = 9
"""Maximum number of digits in an entered amount. The limit of 999,999,999 is above the chips of any table and fits the
entry field."""

CHIP_VALUES: Final = (1, 5, 25, 100, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 1_000_000)
"""Values of chips in whole units of the currency. Chips for parts of it have 5 or 25 hundredths."""
CHIP_KEY_COUNT: Final = 4
"""Number of keys that add a chip: the four smallest chips with which a game is played."""

PadKey = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "00", ".", "back", "clear"]


@dataclass(frozen=True, slots=True)
class TypedAmount:
    """The entered digits before the decimal point, and those after it. `fraction` is None until a point is entered."""

    whole: str = ""
    fraction: str | None = None


def typed_amount(typed: TypedAmount, money: Money) -> int | None:
    """Return the amount that was entered, or None if nothing was entered."""
    if typed == TypedAmount():
        return None
    return int((typed.whole or "0") + (typed.fraction or "").ljust(money.decimals, "0"))


def amount_as_typed(amount: int, money: Money) -> TypedAmount:
    """Return the digits that the dealer would enter for this amount."""
    whole, fraction = divmod(amount, 10**money.decimals)
    return TypedAmount(str(whole), f"{fraction:0{money.decimals}d}" if fraction else None)


def press_pad_key(typed: TypedAmount, key: PadKey, money: Money) -> TypedAmount:
    """Return the entered digits after one more key of the number pad.

    A digit beyond the maximum number and a second decimal point change nothing.
    """
    if key == "clear":
        return TypedAmount()
    if key == "back":
        return _remove_last_digit(typed)
    if key == ".":
        return typed if typed.fraction is not None or not money.decimals else TypedAmount(typed.whole or "0", "")
    if typed.fraction is not None:
        fraction = typed.fraction + key
        return typed if len(fraction) > money.decimals else replace(typed, fraction=fraction)
    whole = (typed.whole + key).lstrip("0")
    return typed if len(whole) + money.decimals > MAX_DIGITS else TypedAmount(whole)


def _remove_last_digit(typed: TypedAmount) -> TypedAmount:
    if typed.fraction is None:
        return TypedAmount(typed.whole[:-1])
    return replace(typed, fraction=typed.fraction[:-1] if typed.fraction else None)


@lru_cache(64)
def chips_of_game(unit: int, money: Money, house_chips: tuple[int, ...]) -> tuple[tuple[int, TypedAmount], ...]:
    """Return the smallest chips of a game, each with its value and digits. `unit` is the smallest amount of a bet.

    `house_chips` are the denominations of which the house has given the colour, smallest first. They have a key before
    the usual ones. Example: 5, 25, 100 and 500 in a game with chips of 5 or more, or 5, 20, 25 and 100 in a house that
    gives a colour for 20.
    """
    whole = 10**money.decimals
    parts = [5 * whole // 100, 25 * whole // 100] if whole >= 100 else []
    usual = [value for value in (*parts, *(value * whole for value in CHIP_VALUES)) if value not in house_chips]
    playable = [value for value in (*house_chips, *usual) if value % unit == 0]
    return tuple([(value, amount_as_typed(value, money)) for value in sorted(playable[:CHIP_KEY_COUNT])])


def add_chip(typed: TypedAmount, value: int, money: Money) -> TypedAmount:
    """Return the entered digits after a chip of this value was added. An amount with too many digits stays as it is."""
    amount = (typed_amount(typed, money) or 0) + value
    return typed if len(str(amount)) > MAX_DIGITS else amount_as_typed(amount, money)
