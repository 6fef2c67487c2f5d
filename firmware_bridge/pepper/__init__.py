"""Driver and frames of the Eccel Pepper C1 MUX reader.

`PepperDriver` sends one request at a time. It selects an antenna, starts an inventory, and gets one tag with each
answer. `frames` builds requests and parses answers. Source: readers.md, 3.

Example: the request that selects antenna 1, as published by the maker.

    >>> from firmware_bridge.pepper import frames
    >>> frames.select_antenna(1).hex(" ")
    'f5 04 00 fb ff 0f 01 10 1d'
"""

from firmware_bridge.pepper.frames import ANTENNA_COUNT
from firmware_bridge.pepper.reader import BAUD, PepperDriver

__all__ = ["ANTENNA_COUNT", "BAUD", "PepperDriver"]
