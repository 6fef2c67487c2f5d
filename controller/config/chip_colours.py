"""Colours of the house's chips, which the screen gives to the keys that add a chip.

`chip_colours = { 5 = "red", 25 = "#0f5a2c" }` in `[table]` has a colour for each denomination.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from controller.rules import MAX_AMOUNT
from hardware.text_input_validation import BadInputError, quote_key, quote_value

MAX_CHIP_COLOURS: Final = 20
"""Maximum number of denominations with a colour. No house has more denominations, and every view has their colours."""
NAMED_COLOURS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "black": "#000000",
        "blue": "#0000ff",
        "brown": "#a52a2a",
        "gray": "#808080",
        "green": "#008000",
        "lavender": "#e6e6fa",
        "orange": "#ffa500",
        "pink": "#ffc0cb",
        "purple": "#800080",
        "red": "#ff0000",
        "white": "#ffffff",
        "yellow": "#ffff00",
    }
)
"""Colours that a configuration may name, with the values of CSS."""
_HEX_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")


def parse_chip_colours(colours: Mapping[str, str]) -> dict[int, str]:
    """Return the colour of each denomination, smallest first, as `#rrggbb`. Raise BadInputError for the first mistake.

    Example: `{"25": "green", "5": "#C0392B"}` becomes `{5: "#c0392b", 25: "#008000"}`.
    """
    if len(colours) > MAX_CHIP_COLOURS:
        raise BadInputError(
            f"table.chip_colours = {quote_value(dict(colours))}: expected at most {MAX_CHIP_COLOURS} denominations"
        )
    parsed = {}
    for denomination, colour in colours.items():
        place = f"table.chip_colours.{quote_key(denomination)} = {quote_value(colour)}"
        is_number = re.fullmatch(r"[1-9][0-9]*", denomination) and len(denomination) <= len(str(MAX_AMOUNT))
        if not is_number or int(denomination) > MAX_AMOUNT:
            raise BadInputError(f"{place}: expected the denomination of a chip from 1 to {MAX_AMOUNT}")
        value = NAMED_COLOURS.get(colour.lower(), colour.lower())
        if not _HEX_COLOUR.fullmatch(value):
            raise BadInputError(f"{place}: expected #rrggbb or one of {', '.join(NAMED_COLOURS)}")
        parsed[int(denomination)] = value
    return dict(sorted(parsed.items()))
