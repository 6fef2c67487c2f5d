"""Emulated devices of a layout, connected to a simulated world. `SimulatedTable` and `PtyTable` use them."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Collection, Sequence
from typing import Protocol

from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.feig import reader_settings
from hardware.layout import PanelSpec, ReaderSpec, TableLayout
from hardware.simulated.noise import RadioNoise
from hardware.simulated.world import FieldNoiseSource, World


class ReaderNoise(FieldNoiseSource, Protocol):
    """Source of two kinds of noise: which tags answer an antenna, and which inventories of a reader fail."""

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """Return the fault of this inventory, or None if it succeeds."""


class EmulatedAntennas:
    """Antennas of the emulated readers.

    The world, the noise and unplugged antennas decide which tags answer and which readings fail.
    """

    def __init__(self, layout: TableLayout, world: World, noise: ReaderNoise | None) -> None:
        self.world = world
        self.noise = noise
        self.unplugged_spots: set[str] = set()
        self.lock = threading.Lock()
        """Lock that the antennas hold while they read the world. A thread that moves chips must also hold this lock."""
        self._spot_antennas = layout.spot_antennas
        world.neighbours = {
            spot_antenna.spot: tuple(sorted(spot_antenna.neighbours)) for spot_antenna in layout.spot_antennas.all
        }
        if noise is not None:
            world.noise = noise

    def tags_in_field(self, reader: str, antenna: int, now_us: int) -> Sequence[str]:
        """Return the UIDs that answer at an antenna."""
        spot_antenna = self._spot_antennas.at_antenna(reader, antenna)
        if spot_antenna is None:
            return []
        with self.lock:
            return self.world.answering_tags(spot_antenna.spot, now_us)

    def fault(self, reader: str, antenna: int, now_us: int) -> Fault | None:
        """Return the fault of an inventory, or None if it succeeds.

        An antenna that is unplugged or under a hand gives RF errors.
        """
        spot_antenna = self._spot_antennas.at_antenna(reader, antenna)
        if spot_antenna is None:
            return None
        if spot_antenna.spot in self.unplugged_spots or self.world.is_unreadable(spot_antenna.spot):
            return Fault("rf-error")
        if self.noise is None:
            return None
        with self.lock:
            return self.noise.fault(reader, spot_antenna.spot, now_us)

    def captured_tags(self, reader: str, antenna: int, quiet: Collection[str]) -> Collection[str]:
        """Return the UIDs at an antenna that a stronger tag drowns out. Tags in `quiet` drown out no other tag."""
        spot_antenna = self._spot_antennas.at_antenna(reader, antenna)
        if spot_antenna is None or not isinstance(self.noise, RadioNoise):
            return ()
        with self.lock:
            return self.noise.captured_tags(spot_antenna.spot, quiet)


def reader_emulator(
    layout: TableLayout, spec: ReaderSpec, antennas: EmulatedAntennas, seed: int = 0
) -> FeigEmulator | PepperEmulator:
    """Return the emulator of this reader. Its air times depend on the name and the seed."""

    def field(antenna: int, now_us: int) -> Sequence[str]:
        return antennas.tags_in_field(spec.name, antenna, now_us)

    def fault(antenna: int, now_us: int) -> Fault | None:
        return antennas.fault(spec.name, antenna, now_us)

    air = AirTimeModel(layout.sensing.technology, layout.sensing.ask, f"{seed} {spec.name}")

    def capture(antenna: int, quiet: Collection[str]) -> Collection[str]:
        return antennas.captured_tags(spec.name, antenna, quiet)

    if spec.protocol == "pepper":
        pepper = PepperEmulator(field, air=air, fault=fault)
        pepper.capture = capture
        return pepper
    emulator = FeigEmulator(
        field,
        baud=spec.baud,
        ont=1 if spec.rf_reset else 0,
        air=air,
        fault=fault,
    )
    emulator.capture = capture
    emulator.serial = zlib.crc32(spec.name.encode())
    if spec.fast_inventory:
        block = reader_settings.fast_inventory_block(reader_settings.TYPE_MR101)
        emulator.configure(block, reader_settings.FAST_INVENTORY_OFFSET, reader_settings.FAST_INVENTORY_BIT)
    return emulator


def panel_emulator(spec: PanelSpec, seed: int = 0) -> PanelEmulator:
    """Return the emulator of this panel board. Its boot nonces depend on the name and the seed."""
    return PanelEmulator(
        buttons=max(spec.buttons, default=0) + 1,
        lamps=max(spec.lamps, default=0) + 1,
        presence=max(spec.presence, default=-1) + 1,
        seed=zlib.crc32(spec.name.encode()) ^ seed,
        serial=zlib.crc32(spec.name.encode()),
    )
