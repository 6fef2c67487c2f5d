"""How amounts are written, and what typed digits mean. Amounts are integers in the unit of account."""

from __future__ import annotations

from controller.view import Money

NO_AMOUNT = "–"
"""Stands where there is no number: nobody is to act, or nothing bounds it."""

MAX_DIGITS = 9
"""Longest amount that can be typed: 999,999,999 is more than any table holds and still fits its field."""


def written(amount: int | None, money: Money) -> str:
    """The amount for people: "1,250", "$12.50". Decimals that are all zero are left out."""
    if amount is None:
        return NO_AMOUNT
    sign = "-" if amount < 0 else ""
    whole, rest = divmod(abs(amount), 10**money.decimals)
    fraction = f".{rest:0{money.decimals}d}" if rest else ""
    return f"{sign}{money.prefix}{whole:,}{fraction}"


def typed(keys: str, money: Money) -> int | None:
    """The amount that the typed digits (and one point) mean; None when nothing was typed yet."""
    whole, point, fraction = keys.partition(".")
    if not whole and not fraction:
        return None
    fraction = fraction[: money.decimals].ljust(money.decimals, "0")
    return int((whole or "0") + fraction) if point or money.decimals else int(whole)


def as_keys(amount: int, money: Money) -> str:
    """The digits that would have to be typed for this amount."""
    whole, rest = divmod(amount, 10**money.decimals)
    return f"{whole}.{rest:0{money.decimals}d}" if rest else str(whole)


def press(keys: str, key: str, money: Money) -> str:
    """What stands in the field after one more key: a digit, "00", "." or "back"."""
    if key == "back":
        return keys[:-1]
    if key == ".":
        return keys if "." in keys or not money.decimals else (keys or "0") + "."
    longer = (keys + key).lstrip("0") if "." not in keys else keys + key
    whole, _, fraction = longer.partition(".")
    if len(whole) + money.decimals > MAX_DIGITS or len(fraction) > money.decimals:
        return keys
    return longer
