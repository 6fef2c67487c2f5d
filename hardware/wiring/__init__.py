"""Wiring of a table, written from its layout: a diagram as SVG, and tables of antennas, keys and pins.

`python -m hardware.wiring` updates the diagram and the README of this folder for the reference layout. `potkeeper
wiring` writes them for any layout. Import the names from this package, not from its modules.

    >>> from hardware.layout import parse_layout
    >>> from hardware.wiring import key_table
    >>> print(key_table(parse_layout("[gpio]\\nkeys = { fold = 5 }")))
    | key | GPIO pin of the Pi | pin of the Pi's header | or input of a panel board |
    | --- | --- | --- | --- |
    | key fold | GPIO 5 | header pin 29 | only at the Pi |
"""

from hardware.wiring.diagram import draw_wiring
from hardware.wiring.pin_tables import antenna_table, board_table, key_table, wiring_tables

__all__ = ["antenna_table", "board_table", "draw_wiring", "key_table", "wiring_tables"]
