"""Simulated devices for the guided set-up: emulators and real drivers exchange bytes in simulated time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from firmware_bridge.driver_interface import ReaderDriver
from firmware_bridge.driver_messages import ButtonEdge, InventoryResult, LinkUp, Message, ReaderFault
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.panel import PanelDriver
from hardware.driver_factory import create_panel_driver, create_reader_driver
from hardware.guided_setup import Antenna, Button, DeviceKind, Reading
from hardware.guided_setup.device_bench import SURVEYED_ANTENNAS, reading_of
from hardware.layout import TableLayout
from hardware.simulated.device_emulators import EmulatedAntennas, ReaderNoise, panel_emulator, reader_emulator
from hardware.simulated.world import World

TIMEOUT_US: Final = 5_000_000
"""Maximum simulated time for a handshake or an inventory."""
PRESS_US: Final = 80_000
"""Time for which a pressed button stays down, and for which `presses` waits."""


class SimulatedBench:
    """The devices of a layout, which is the true wiring of the table. It implements `DeviceBench`.

    The ports of the layout name the devices. A test moves chips in the world, and presses buttons with `press`.
    """

    def __init__(self, layout: TableLayout, world: World, noise: ReaderNoise | None = None, *, seed: int = 0) -> None:
        self.antennas = EmulatedAntennas(layout, world, noise)
        self._kinds: dict[str, DeviceKind] = {}
        self._drivers: dict[str, ReaderDriver | PanelDriver] = {}
        self._readers: dict[str, ReaderDriver] = {}
        self._lines: dict[str, SimulatedLine] = {}
        self._presses: list[Button] = []
        self._panels = {panel.port: panel_emulator(panel, seed) for panel in layout.panels}
        for spec in layout.readers:
            surveyed = msgspec.structs.replace(spec, antennas=dict.fromkeys(SURVEYED_ANTENNAS, ""))
            driver = create_reader_driver(surveyed, layout.sensing, reads_serial=True)
            self._drivers[spec.port] = driver
            self._readers[spec.port] = driver
            self._kinds[spec.port] = spec.protocol
            self._start(spec.port, SimulatedLine(driver, reader_emulator(layout, spec, self.antennas, seed)))
        for panel in layout.panels:
            self._kinds[panel.port] = "panel"
            board = self._drivers[panel.port] = create_panel_driver(panel)
            self._start(panel.port, SimulatedLine(board, self._panels[panel.port]))

    @property
    def kinds(self) -> Mapping[str, DeviceKind]:
        """Return what answers at each port (see `DeviceBench`)."""
        return self._kinds

    @property
    def serials(self) -> Mapping[str, str]:
        """Return the serial numbers of the devices (see `DeviceBench`)."""
        return {port: driver.serial for port, driver in self._drivers.items() if driver.serial}

    def read(self, antenna: Antenna) -> Reading:
        """Return the result of one inventory (see `DeviceBench`)."""
        driver, line = self._readers[antenna.port], self._lines[antenna.port]
        end_us = line.now_us + TIMEOUT_US
        while not driver.is_idle and line.now_us < end_us:
            self._note(antenna.port, line.step(end_us))
        if not driver.is_idle:
            return Reading(frozenset(), "timeout")
        driver.start_inventory(antenna.number, line.now_us)
        for message in line.run_until_message((InventoryResult, ReaderFault), end_us):
            if isinstance(message, InventoryResult | ReaderFault):
                return reading_of(message)
        return Reading(frozenset(), "timeout")

    def presses(self) -> Sequence[Button]:
        """Return the buttons that were pressed (see `DeviceBench`)."""
        for port in self._panels:
            line = self._lines[port]
            self._note(port, line.run_until(line.now_us + PRESS_US))
        presses, self._presses = self._presses, []
        return presses

    def press(self, button: Button) -> None:
        """Press and release a button."""
        emulator, line = self._panels[button.port], self._lines[button.port]
        emulator.press(button.number, line.now_us)
        self._note(button.port, line.run_until(line.now_us + PRESS_US))
        emulator.release(button.number, line.now_us)

    def _start(self, port: str, line: SimulatedLine) -> None:
        self._lines[port] = line
        line.plug()
        self._note(port, line.run_until_message((LinkUp,), TIMEOUT_US))

    def _note(self, port: str, messages: Sequence[Message]) -> None:
        self._presses += [
            Button(port, message.button)
            for message in messages
            if isinstance(message, ButtonEdge) and message.pressed and not message.is_held_at_boot
        ]
