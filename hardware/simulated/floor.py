"""What no software changes: the least time from chips on a spot to their being seen there. Source: readers.md, 1."""

from __future__ import annotations

from typing import Final

from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.feig import RF_RESET_US, SWITCH_US
from firmware_bridge.feig import frames
from hardware.layout import Layout, ReaderSpec, Technology
from hardware.settling import SEEN_READS

INVENTORY_REQUEST_BYTES: Final = len(frames.inventory())
TAG_BYTES: Final[dict[Technology, int]] = {"iso15693": 10, "mode3": 15}
"""Of a tag in an answer."""
TAGLESS_ANSWER_BYTES: Final = 7
"""Of an inventory's answer, tags apart."""
PEPPER_BITS_PER_BYTE: Final = 10
PEPPER_SELECT_BYTES: Final = 18
"""Request and answer when the antenna is selected; source: readers.md, 3."""
PEPPER_TAG_BYTES: Final = 8 + 19
"""Request and answer of one tag."""


def floor_us(layout: Layout, spec: ReaderSpec, chips: int) -> int:
    """The least time from chips put on an empty spot to the third equal reading of them: the first starts just then.

    A FEIG reader answers all tags at once, and resets its field before; a Pepper is asked for each tag."""
    technology = layout.sensing.technology
    air_us = SWITCH_US + Air(technology, layout.sensing.ask).mean_us(chips)
    if spec.protocol == "pepper":
        bits = (PEPPER_SELECT_BYTES + PEPPER_TAG_BYTES * chips) * PEPPER_BITS_PER_BYTE
    else:
        air_us += RF_RESET_US
        bits = (INVENTORY_REQUEST_BYTES + TAGLESS_ANSWER_BYTES + TAG_BYTES[technology] * chips) * frames.BITS_PER_BYTE
    return SEEN_READS * (air_us + bits * 1_000_000 // spec.baud)
