"""What the digits typed on the number pad mean. Amounts are integers in the unit of account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from controller.view import Money

MAX_DIGITS = 9
"""Longest amount that can be typed: 999,999,999 is more than any table holds and still fits its field."""

PadKey = Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "00", ".", "back", "clear"]


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed on the number pad so far: the digits before the point and, once it was typed, those behind it."""

    whole: str = ""
    fraction: str | None = None


def typed_field(typed: Typed, money: Money) -> str:
    """What stands in the field: the digits with the thousands parted; a bare cursor while nothing is typed."""
    if typed == Typed():
        return f"{money.prefix}_"
    fraction = "" if typed.fraction is None else f".{typed.fraction}"
    return f"{money.prefix}{int(typed.whole or 0):,}{fraction}"


def amount_of(typed: Typed, money: Money) -> int | None:
    """The amount that the typed digits mean; None when nothing was typed yet."""
    if typed == Typed():
        return None
    return int((typed.whole or "0") + (typed.fraction or "").ljust(money.decimals, "0"))


def as_typed(amount: int, money: Money) -> Typed:
    """What would have to be typed for this amount."""
    whole, rest = divmod(amount, 10**money.decimals)
    return Typed(str(whole), f"{rest:0{money.decimals}d}" if rest else None)


def type_key(typed: Typed, key: PadKey, money: Money) -> Typed:
    """What is typed after one more key. A digit beyond what the field holds, or a second point, changes nothing."""
    if key == "clear":
        return Typed()
    if key == "back":
        return _shorter(typed)
    if key == ".":
        return typed if typed.fraction is not None or not money.decimals else Typed(typed.whole or "0", "")
    if typed.fraction is not None:
        fraction = typed.fraction + key
        return typed if len(fraction) > money.decimals else replace(typed, fraction=fraction)
    whole = (typed.whole + key).lstrip("0")
    return typed if len(whole) + money.decimals > MAX_DIGITS else Typed(whole)


def _shorter(typed: Typed) -> Typed:
    if typed.fraction is None:
        return Typed(typed.whole[:-1])
    return replace(typed, fraction=typed.fraction[:-1] if typed.fraction else None)
