"""The emulated devices of a layout over a simulated world, for simulated time and for ptys alike."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from typing import Protocol

from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.pepper import PepperEmulator
from hardware.layout import Layout, PanelSpec, ReaderSpec
from hardware.simulated.world import FieldNoise, World


class TableNoise(FieldNoise, Protocol):
    """Noise of the chips in the field and faults of the readers."""

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """What goes wrong with this inventory."""


class Antennas:
    """What the emulated readers find at their antennas: the world, the noise, and which trays are
    unplugged."""

    def __init__(self, layout: Layout, world: World, noise: TableNoise | None) -> None:
        self.world = world
        self.noise = noise
        self.unplugged: set[str] = set()
        self.lock = threading.Lock()
        """Held while the antennas look at the world: hands that move chips from another thread hold it
        too."""
        self._places = layout.places
        world.neighbours = {place.spot: tuple(sorted(place.neighbours)) for place in layout.places.all}
        if noise is not None:
            world.noise = noise

    def field(self, reader: str, antenna: int, now_us: int) -> Sequence[str]:
        """The UIDs that answer at an antenna."""
        place = self._places.at(reader, antenna)
        if place is None:
            return []
        with self.lock:
            return self.world.on_field(place.spot, now_us)

    def fault(self, reader: str, antenna: int, now_us: int) -> Fault | None:
        """What goes wrong with an inventory; an antenna that is unplugged or under a hand
        gives RF errors."""
        place = self._places.at(reader, antenna)
        if place is None:
            return None
        if place.spot in self.unplugged or self.world.failing(place.spot):
            return Fault("rf-error")
        if self.noise is None:
            return None
        with self.lock:
            return self.noise.fault(reader, place.spot, now_us)


def reader_emulator(
    layout: Layout, spec: ReaderSpec, antennas: Antennas, seed: int = 0
) -> FeigEmulator | PepperEmulator:
    """The emulated reader of that name; its air times depend on name and seed."""

    def field(antenna: int, now_us: int) -> Sequence[str]:
        return antennas.field(spec.name, antenna, now_us)

    def fault(antenna: int, now_us: int) -> Fault | None:
        return antennas.fault(spec.name, antenna, now_us)

    air = Air(layout.sensing.technology, layout.sensing.ask, f"{seed} {spec.name}")
    if spec.protocol == "pepper":
        return PepperEmulator(field, air=air, fault=fault)
    return FeigEmulator(
        field,
        baud=spec.baud,
        ont=1 if spec.rf_reset else 0,
        air=air,
        fault=fault,
    )


def panel_emulator(spec: PanelSpec, seed: int = 0) -> PanelEmulator:
    """The emulated board of that name; its boot nonces depend on name and seed."""
    return PanelEmulator(
        buttons=max(spec.buttons, default=0) + 1,
        lamps=max(spec.lamps, default=0) + 1,
        seed=zlib.crc32(spec.name.encode()) ^ seed,
    )
