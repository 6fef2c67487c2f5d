"""The drivers of a layout's devices, with the settings that the layout gives them."""

from __future__ import annotations

from typing import Final

from firmware_bridge.feig import FeigReader
from firmware_bridge.panel import PanelBoard
from hardware.layout import PanelSpec, ReaderSpec

MOST_TAGS: Final = 60
"""Tags that an inventory is given time for: a heap of a hundred still answers within it, and a reader that is
dead is known to be within 1.3 s."""
PANEL_BAUD: Final = 115_200


def reader_driver(spec: ReaderSpec) -> FeigReader:
    """The driver of one reader."""
    return FeigReader(
        spec.name,
        antennas=tuple(sorted(spec.antennas)),
        baud=spec.baud,
        rf_reset=spec.rf_reset,
        max_tags=MOST_TAGS,
    )


def panel_driver(spec: PanelSpec) -> PanelBoard:
    """The driver of one panel board."""
    return PanelBoard(spec.name)
