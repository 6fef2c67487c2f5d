"""The drivers of a layout's devices and how their ports are set, as the layout says."""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware_bridge.feig import FeigReader
from firmware_bridge.link import Reader
from firmware_bridge.panel import PanelBoard
from firmware_bridge.patience import US_PER_TAG
from firmware_bridge.pepper import PepperReader
from firmware_bridge.serial_port import Parity
from hardware.layout import Ask, PanelSpec, ReaderSpec, Sensing, Technology

AIR_US_PER_TAG: Final[dict[Technology, int]] = {"iso15693": US_PER_TAG, "mode3": 1_500}
"""At 100 % ASK; mode 3: the rate of readers.md, 1, with the same spread."""
ASK_TENTHS: Final[dict[Ask, int]] = {100: 10, 10: 25}
"""10 % ASK takes 2.5 times as long."""
PANEL_BAUD: Final = 115_200


class PortSettings(NamedTuple):
    """How a device's port is opened; always 8 data bits and one stop bit."""

    baud: int
    parity: Parity


def reader_driver(spec: ReaderSpec, sensing: Sensing | None = None) -> Reader:
    """The driver of one reader; `sensing` says how long tags take on the air."""
    sensing = sensing or Sensing()
    antennas = tuple(sorted(spec.antennas))
    us_per_tag = AIR_US_PER_TAG[sensing.technology] * ASK_TENTHS[sensing.ask] // 10
    if spec.protocol == "pepper":
        return PepperReader(spec.name, antennas=antennas, us_per_tag=us_per_tag)
    return FeigReader(spec.name, antennas=antennas, baud=spec.baud, rf_reset=spec.rf_reset, us_per_tag=us_per_tag)


def reader_port(spec: ReaderSpec) -> PortSettings:
    """8E1 with FEIG, 8N1 with Pepper (readers.md, 2 and 3)."""
    return PortSettings(spec.baud, "N" if spec.protocol == "pepper" else "E")


def panel_driver(spec: PanelSpec) -> PanelBoard:
    """The driver of one panel board."""
    return PanelBoard(spec.name)


def panel_port() -> PortSettings:
    """8N1 (readers.md, 4)."""
    return PortSettings(PANEL_BAUD, "N")
