"""Emulated devices of a layout on pseudo terminals, in real time, for demos, measurements and cable tests."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import msgspec

from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pty_device import PtyDevice
from hardware.lamps import LampMap
from hardware.layout import SEAT_NAMES, GpioSpec, TableLayout
from hardware.simulated.device_emulators import EmulatedAntennas, ReaderNoise, panel_emulator, reader_emulator
from hardware.simulated.presence import SimulatedSensors
from hardware.simulated.world import World


class PtyTable:
    """Emulated devices on pseudo terminals.

    The attribute `layout` is the given layout, but its ports are the pseudo terminals, and it has no GPIO. Each device
    has its own thread, so chips must be moved within `exclusive_world`. Use the table as a context manager: it plugs in
    every cable at the start, and stops and removes all devices at the end.
    """

    def __init__(self, layout: TableLayout, world: World, noise: ReaderNoise | None = None, *, seed: int = 0) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="table-"))
        self._world = world
        self._antennas = EmulatedAntennas(layout, world, noise)
        self._lamps = LampMap(layout)
        self._devices: dict[str, PtyDevice] = {}
        self._readers = {spec.name: reader_emulator(layout, spec, self._antennas, seed) for spec in layout.readers}
        for name, emulator in self._readers.items():
            self._devices[name] = PtyDevice(self._folder / name, emulator)
        self._boards = {panel.name: panel_emulator(panel, seed) for panel in layout.panels}
        for name, board in self._boards.items():
            self._devices[name] = PtyDevice(self._folder / name, board)
        ports = {name: str(device.path) for name, device in self._devices.items()}
        self.layout = msgspec.structs.replace(layout.with_ports(ports), gpio=GpioSpec())
        self._sensors = SimulatedSensors(layout, world, seed=seed)
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
    def exclusive_world(self) -> Iterator[World]:
        """Yield the world, so that its chips can be moved. No antenna reads the world meanwhile."""
        with self._antennas.lock:
            yield self._world
            changes = self._sensors.poll(monotonic_us())
        for name, number in changes:
            with self._devices[name].exclusive_access() as now_us:
                self._boards[name].change_presence(number, now_us)

    def unplug(self, spot: str) -> None:
        """Disconnect the antenna of this spot."""
        self._antennas.unplugged_spots.add(spot)

    def plug(self, spot: str) -> None:
        """Reconnect the antenna of this spot."""
        self._antennas.unplugged_spots.discard(spot)

    def configure_reader(self, name: str, block: int, at: int, value: int) -> None:
        """Set one byte of a FEIG reader's configuration, as the maker's program does."""
        reader = self._readers[name]
        assert isinstance(reader, FeigEmulator), f"{name}: expected a FEIG reader"
        with self._devices[name].exclusive_access():
            reader.configure(block, at, value)

    def unplug_reader(self, name: str) -> None:
        """Unplug the cable of this reader or panel board, so that its port vanishes."""
        self._devices[name].unplug()

    def plug_reader(self, name: str) -> None:
        """Plug in the cable again, so that the port reappears."""
        self._devices[name].plug()

    def press(self, key: str) -> None:
        """Press one of the dealer's keys. The key stays down until `release`."""
        name, button = self._buttons[key]
        with self._devices[name].exclusive_access() as now_us:
            self._boards[name].press(button, now_us)

    def release(self, key: str) -> None:
        """Release a key or button."""
        name, button = self._buttons[key]
        with self._devices[name].exclusive_access() as now_us:
            self._boards[name].release(button, now_us)

    def press_seat(self, seat: int) -> None:
        """Press a seat's button. The button of seat 3 stays down until `release("seat3")`."""
        self.press(SEAT_NAMES[seat - 1])

    @property
    def lit_seats(self) -> frozenset[int]:
        """Return the seats with a lit lamp."""
        return self._lamps.lit_seats({name: board.lamp_mask for name, board in self._boards.items()})
