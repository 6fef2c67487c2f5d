"""Minimum latency from the landing of chips to their report, which no software can reduce.

Source: readers.md, 1.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.feig import ANTENNA_SWITCH_US, RF_RESET_US
from firmware_bridge.feig import frames
from hardware.layout import ReaderSpec, TableLayout, Technology
from hardware.stack_detection import MIN_PROVISIONAL_READS

INVENTORY_REQUEST_BYTES: Final = len(frames.inventory())
"""Number of bytes of an inventory request."""
TAG_BYTES: Final[dict[Technology, int]] = {"iso15693": 10, "mode3": 15}
"""Number of bytes for each tag in the answer to an inventory."""
TAGLESS_ANSWER_BYTES: Final = 7
"""Number of bytes of the answer to an inventory that finds no tags."""
PEPPER_BITS_PER_BYTE: Final = 10
"""Number of bits on the line for each byte of a Pepper reader, which uses 8N1."""
PEPPER_SELECT_BYTES: Final = 18
"""Number of bytes of the request that selects an antenna, together with its answer. Source: readers.md, 3."""
PEPPER_TAG_BYTES: Final = 8 + 19
"""Number of bytes of the request for one tag, together with its answer."""


def min_latency_us(layout: TableLayout, spec: ReaderSpec, chips: int) -> int:
    """Return the minimum time from the landing of chips on an empty spot to the end of the third reading.

    The first reading starts when the chips land. A FEIG reader resets its field before each reading, except before the
    first with `quick_looks`, and answers with all tags at once. A Pepper reader needs a separate request for each tag.
    """
    technology = layout.sensing.technology
    air_us = ANTENNA_SWITCH_US + AirTimeModel(technology, layout.sensing.ask).mean_us(
        chips, is_fast=spec.fast_inventory
    )
    if spec.protocol == "pepper":
        bits = (PEPPER_SELECT_BYTES + PEPPER_TAG_BYTES * chips) * PEPPER_BITS_PER_BYTE
    else:
        air_us += RF_RESET_US * (MIN_PROVISIONAL_READS - spec.quick_looks) // MIN_PROVISIONAL_READS
        bits = (INVENTORY_REQUEST_BYTES + TAGLESS_ANSWER_BYTES + TAG_BYTES[technology] * chips) * frames.BITS_PER_BYTE
    return MIN_PROVISIONAL_READS * (air_us + bits * 1_000_000 // spec.baud)
