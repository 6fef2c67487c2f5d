"""The emulated devices of a layout on ptys, in real time: for the demo, for measuring, for tests of
cables."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from firmware_bridge.emulators.pty import PtyDevice
from hardware.lamps import Lamps
from hardware.layout import SEAT_NAMES, GpioSpec, Layout
from hardware.simulated.emulators import Antennas, TableNoise, panel_emulator, reader_emulator
from hardware.simulated.world import World


class PtyTable:
    """Emulators on ptys: `layout` is the given one with their paths as ports, and without GPIO.

    Each device has a thread of its own. Whoever moves chips does it within `hands`. Used as a context manager
    every cable is plugged in at the start, and everything is stopped and removed at the end."""

    def __init__(self, layout: Layout, world: World, noise: TableNoise | None = None, *, seed: int = 0) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="table-"))
        self._world = world
        self._antennas = Antennas(layout, world, noise)
        self._lamps = Lamps(layout)
        self._devices: dict[str, PtyDevice] = {}
        for spec in layout.readers:
            emulator = reader_emulator(layout, spec, self._antennas, seed)
            self._devices[spec.name] = PtyDevice(self._folder / spec.name, emulator)
        self._fingers = {panel.name: panel_emulator(panel, seed) for panel in layout.panels}
        for name, finger in self._fingers.items():
            self._devices[name] = PtyDevice(self._folder / name, finger)
        ports = {name: str(device.path) for name, device in self._devices.items()}
        self.layout = msgspec.structs.replace(layout.with_ports(ports), gpio=GpioSpec())
        self._buttons = {
            name: (panel.name, button) for panel in layout.panels for button, name in panel.buttons.items()
        }

    def __enter__(self) -> PtyTable:
        for device in self._devices.values():
            device.plug()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for device in self._devices.values():
            device.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def hands(self) -> Iterator[World]:
        """The world, while no antenna looks at it."""
        with self._antennas.lock:
            yield self._world

    def unplug(self, spot: str) -> None:
        """The antenna of this spot is out."""
        self._antennas.unplugged.add(spot)

    def plug(self, spot: str) -> None:
        """The antenna of this spot is back."""
        self._antennas.unplugged.discard(spot)

    def unplug_reader(self, name: str) -> None:
        """The cable of this reader or panel board is pulled out: its port vanishes."""
        self._devices[name].unplug()

    def plug_reader(self, name: str) -> None:
        """The cable is back: the port appears again."""
        self._devices[name].plug()

    def press(self, key: str) -> None:
        """A finger goes down on one of the dealer's keys; `release` lifts it."""
        name, button = self._buttons[key]
        with self._devices[name].running() as now_us:
            self._fingers[name].press(button, now_us)

    def release(self, key: str) -> None:
        """The finger goes up."""
        name, button = self._buttons[key]
        with self._devices[name].running() as now_us:
            self._fingers[name].release(button, now_us)

    def press_seat(self, seat: int) -> None:
        """A finger goes down on a seat's button; `release` of `seatN` lifts it."""
        self.press(SEAT_NAMES[seat - 1])

    @property
    def lamps(self) -> frozenset[int]:
        """The seats whose lamps shine."""
        return self._lamps.seats({name: finger.lit for name, finger in self._fingers.items()})
