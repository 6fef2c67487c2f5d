"""Find amounts in a text that are not in the house's money format, such as 1500 instead of $1,500."""

from __future__ import annotations

import re

from controller.view import Money

DOLLARS = Money(prefix="$", decimals=2)

_HOUSE = {
    "en": re.compile(r"\$\d{1,3}(,\d{3})*(\.\d\d)?(?!\d)"),
    "de": re.compile(r"\d{1,3}(\.\d{3})*(,\d\d)?\xa0\$"),
}
"""Pattern of a correctly formatted amount of `DOLLARS`, by language. Other languages use the English pattern."""
_RAW = re.compile(r"\d{3,}|\d([.,]\d{3})+")


def has_unformatted_number(text: str, language: str = "en") -> bool:
    """Return True if a number of three or more digits in the text is not formatted as money."""
    return _RAW.search(_HOUSE.get(language, _HOUSE["en"]).sub("", text)) is not None
