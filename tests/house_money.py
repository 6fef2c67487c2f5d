"""Amounts that are not written the way the house writes them: for tests of everything that people read."""

from __future__ import annotations

import re

from controller.view import Money

DOLLARS = Money(prefix="$", decimals=2)

_HOUSE = re.compile(r"\$\d{1,3}(,\d{3})*(\.\d\d)?(?!\d)")
"""An amount as a house of `DOLLARS` writes it."""
_RAW = re.compile(r"\d{3,}|\d(,\d{3})+")


def raw(text: str) -> bool:
    """True where a number of three digits or more is left that is not of the house's money."""
    return _RAW.search(_HOUSE.sub("", text)) is not None
