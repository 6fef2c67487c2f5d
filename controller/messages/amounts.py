"""Numbers and money in the format of a language, by CLDR.

The house chooses the currency sign and the number of decimals. The language decides on which side the sign is and how
digits are grouped. Example: `$12,345.67` in English is `12.345,67 $` in German.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.numbers import NumberPattern, get_decimal_symbol, parse_pattern

from controller.view import Money

REMEMBERED: Final = 8192
"""Maximum number of formatted amounts kept in memory.

All amounts of several hundred screens fit into this number. An amount that is not in memory takes 25 µs to format.
"""
SIGN: Final = "\N{CURRENCY SIGN}"
"""The placeholder for the currency sign in the patterns of CLDR."""
NARROW_SPACE: Final = "\N{NARROW NO-BREAK SPACE}"
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
"""The space that replaces the narrow space of CLDR, because no font of the screen has the narrow one."""


@lru_cache(REMEMBERED)
def format_amount(language: str, money: Money, amount: int) -> str:
    """Return the amount with the house's currency sign. Decimals that are all zero are left out."""
    has_decimals = amount % 10**money.decimals != 0
    pattern = _pattern(language, signed=bool(money.prefix), decimals=money.decimals if has_decimals else 0)
    text: str = pattern.apply(
        Decimal(amount).scaleb(-money.decimals),
        language,
        currency=SIGN if money.prefix else None,
        currency_digits=False,
    )
    return text.replace(SIGN, money.prefix).replace(NARROW_SPACE, NO_BREAK_SPACE)


def format_typed(language: str, money: Money, whole: str, fraction: str | None) -> str:
    """Return the digits that were typed until now as an amount.

    Examples: `$1,250.` while the decimals are still missing, and `$_` before the first digit.
    """
    if not whole and fraction is None:
        return _signed(language, money, "_")
    digits = format_amount(language, Money(), int(whole or 0))
    return _signed(language, money, digits if fraction is None else f"{digits}{decimal_symbol(language)}{fraction}")


@lru_cache
def decimal_symbol(language: str) -> str:
    """Return the decimal separator of the language: "." or ","."""
    return get_decimal_symbol(language)


def _signed(language: str, money: Money, digits: str) -> str:
    """Return formatted digits with the currency sign on the side that the language uses."""
    if not money.prefix:
        return digits
    pattern = _pattern(language, signed=True, decimals=0)
    return f"{pattern.prefix[0]}{digits}{pattern.suffix[0]}".replace(SIGN, money.prefix)


@lru_cache
def _pattern(language: str, *, signed: bool, decimals: int) -> NumberPattern:
    """Return the CLDR pattern with this number of decimals, for money or, if `signed` is False, for plain numbers."""
    locale = Locale.parse(language)
    found = locale.currency_formats["standard"] if signed else locale.decimal_formats[None]
    pattern = parse_pattern(found.pattern)
    pattern.frac_prec = (decimals, decimals)
    return pattern
