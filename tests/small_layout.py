"""A layout with one reader and one panel board, whose ports ODD and LOW a test replaces."""

from __future__ import annotations

from collections.abc import Mapping

SMALL_LAYOUT = """
name = "small"   # the back room
[[readers]]
name = "odd"
port = "ODD"     # bolted under seat 1
baud = 115200
antennas = { 1 = "bet1", 2 = "bet3" }
[[panels]]
name = "low"
port = "LOW"
buttons = { 0 = "seat1", 1 = "fold" }
lamps = { 0 = "seat1" }
[chips]
"""
"""The layout without its chips, which `RANGES` or a register of the test adds."""
RANGES = 'ranges = [ { denomination = 25, first = "E004015000250000", last = "E00401500025FFFF" } ]\n'
CHIP = "E004015000250001"
"""UID of a chip of these ranges."""


def with_ports(text: str, ports: Mapping[str, str]) -> str:
    """Return a text of this layout with the ports of a table, by device."""
    return text.replace("ODD", ports["odd"]).replace("LOW", ports["low"])
