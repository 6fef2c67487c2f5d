"""Functions that create the drivers and the port settings for the devices of a layout."""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware_bridge.driver_interface import ReaderDriver
from firmware_bridge.feig import FeigDriver, FieldOptions
from firmware_bridge.inventory_timeout import AIR_TIME_PER_TAG_US
from firmware_bridge.panel import PanelDriver
from firmware_bridge.pepper import PepperDriver
from firmware_bridge.serial_port import Parity
from hardware.layout import ModulationDepth, PanelSpec, ReaderSpec, SensingSpec, Technology

TECHNOLOGY_AIR_TIME_US: Final[dict[Technology, int]] = {"iso15693": AIR_TIME_PER_TAG_US, "mode3": 1_500}
"""Air time per tag, in µs, at 100 % ASK. It includes a reserve for slow inventories. For example, a mode 3 tag takes
1250 µs on average (800 tags per second, see section 1 of readers.md), but 1500 µs are assumed."""
MODULATION_FACTOR_TENTHS: Final[dict[ModulationDepth, int]] = {100: 10, 10: 25}
"""Factor for the air time, in tenths, for each modulation depth in percent. At 10 % ASK an inventory takes 2.5 times as
long as at 100 % ASK."""
PANEL_BAUD: Final = 115_200
"""Baud rate of a panel board (readers.md, 4)."""


class PortSettings(NamedTuple):
    """Speed and parity of a serial port. All ports use 8 data bits and one stop bit."""

    baud: int
    parity: Parity


def create_reader_driver(
    spec: ReaderSpec, sensing: SensingSpec | None = None, *, reads_serial: bool = False
) -> ReaderDriver:
    """Return the driver of a reader. `sensing` has the settings that determine the air time per tag.

    The driver reads the serial number of the reader if the layout has one, or if `reads_serial` is True.
    """
    sensing = sensing or SensingSpec()
    antennas = tuple(sorted(spec.antennas))
    us_per_tag = TECHNOLOGY_AIR_TIME_US[sensing.technology] * MODULATION_FACTOR_TENTHS[sensing.ask] // 10
    if spec.protocol == "pepper":
        return PepperDriver(spec.name, antennas=antennas, us_per_tag=us_per_tag)
    return FeigDriver(
        spec.name,
        antennas=antennas,
        baud=spec.baud,
        field_options=FieldOptions(spec.rf_reset, spec.quick_looks, spec.second_pass),
        us_per_tag=us_per_tag,
        reads_serial=reads_serial or bool(spec.serial),
        fast_inventory=spec.fast_inventory,
    )


def reader_port_settings(spec: ReaderSpec) -> PortSettings:
    """Return the port settings of a reader: 8E1 for FEIG and 8N1 for Pepper (readers.md, 2 and 3)."""
    return PortSettings(spec.baud, "N" if spec.protocol == "pepper" else "E")


def create_panel_driver(spec: PanelSpec) -> PanelDriver:
    """Return the driver of a panel board."""
    return PanelDriver(spec.name)


def panel_port_settings() -> PortSettings:
    """Return the port settings of a panel board: 8N1 (readers.md, 4)."""
    return PortSettings(PANEL_BAUD, "N")
