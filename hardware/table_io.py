"""The table at real ports, on an asyncio loop: serial ports, drivers, trays, keys and lamps joined.

All methods belong to the thread of the running loop; events come there too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from firmware_bridge.clock import monotonic_us
from firmware_bridge.link import Reader
from firmware_bridge.messages import Message
from firmware_bridge.panel import PanelBoard
from firmware_bridge.serial_port import SerialPort
from hardware.buttons import GpioKeys, PanelKeys
from hardware.devices import panel_driver, panel_port, reader_driver, reader_port
from hardware.events import DeviceDown, DeviceUp, Event
from hardware.health import DeviceHealth, Health, Tally
from hardware.lamps import Lamps
from hardware.layout import SEAT_NAMES, Layout
from hardware.trays import Trays

if TYPE_CHECKING:
    from gpiozero.pins import Factory

GPIO: Final = "gpio"
"""The name of the Pi's own pins as a device in events."""


class TableIO:
    """Everything of one layout. `start` opens the ports, which are opened again for as long as they are lost;
    `stop` closes them. A device that is missing is told as DeviceDown, and the others go on."""

    def __init__(
        self,
        layout: Layout,
        on_event: Callable[[Event], None],
        *,
        pin_factory: Factory | None = None,
        clock: Callable[[], int] = monotonic_us,
    ) -> None:
        """`on_event` is called for each event, in order. `pin_factory` is gpiozero's default unless given."""
        self.layout = layout
        self._on_event = on_event
        self._clock = clock
        self._pin_factory = pin_factory
        self._readers: dict[str, Reader] = {spec.name: reader_driver(spec, layout.sensing) for spec in layout.readers}
        self._boards: dict[str, PanelBoard] = {spec.name: panel_driver(spec) for spec in layout.panels}
        self._ports: dict[str, SerialPort] = {}
        for spec in layout.readers:
            driver = self._readers[spec.name]
            self._ports[spec.name] = SerialPort(spec.port, *reader_port(spec), driver, self._on_message, clock=clock)
        for panel in layout.panels:
            board = self._boards[panel.name]
            self._ports[panel.name] = SerialPort(panel.port, *panel_port(), board, self._on_message, clock=clock)
        self.trays = Trays(layout, self._readers, clock())
        self._panel_keys = PanelKeys(layout)
        self._lamps = Lamps(layout)
        self._shining: frozenset[int] = frozenset()
        self._tally = Tally()
        self._gpio: GpioKeys | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._poll_asked = False

    def start(self) -> None:
        """Opens everything; needs a running loop."""
        if self._loop is not None:
            return
        self._loop = asyncio.get_running_loop()
        for port in self._ports.values():
            port.start()
        self._open_pins(self._loop)
        self._ask_poll()

    def stop(self) -> None:
        """Closes everything for good; no events come afterwards."""
        if self._loop is None:
            return
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()
        if self._gpio is not None:
            self._gpio.close()
        for port in self._ports.values():
            port.stop()

    def focus(self, seats: Sequence[int], besides: Sequence[str] = ()) -> None:
        """The seats to favour when reading, the one in turn first; `besides` are other spots in use."""
        self.trays.focus(seats, besides)
        self._ask_poll()

    def hurry(self, spot: str) -> None:
        """This spot is read next."""
        self.trays.hurry(spot, self._clock())
        self._ask_poll()

    def set_lamps(self, seats: Collection[int]) -> None:
        """Lights exactly the lamps of these seats, now or as soon as their board is back."""
        now_us = self._clock()
        self._shining = frozenset(seats)
        for name, mask in self._lamps.masks(seats).items():
            self._boards[name].set_lamps(mask, now_us)
            self._ports[name].pump()

    def health(self) -> Health:
        """How everything is doing now."""
        layout, online = self.layout, {spot: self.trays.online(spot) for spot in self.trays.spots}
        buttons = [name for panel in layout.panels for name in panel.buttons.values()]
        names = dict.fromkeys([*layout.gpio.keys, *buttons])
        pressed = [SEAT_NAMES.index(name) + 1 if name in SEAT_NAMES else name for name in names]
        return Health(
            antennas=self._tally.antennas(layout.places, online, self._clock()),
            devices=tuple(self._devices()),
            pressed={which: self._tally.presses(which) for which in pressed},
            lamps=self._shining,
        )

    def _devices(self) -> Iterator[DeviceHealth]:
        for reader in self.layout.readers:
            driver = self._readers[reader.name]
            device = _of_device(reader.name, "reader", driver, reader.port)
            yield replace(device, model=reader.protocol, version=driver.version.hex())
        for panel in self.layout.panels:
            yield _of_device(panel.name, "board", self._boards[panel.name], panel.port)
        if self.layout.gpio.keys:
            yield DeviceHealth(GPIO, "keys", up=self._gpio is not None)

    def _open_pins(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self.layout.gpio.keys:
            return
        try:
            self._gpio = GpioKeys(
                self.layout.gpio.keys, loop, self._tell, factory=self._pin_factory, now_us=self._clock
            )
        except Exception as error:
            # The pin libraries and the kernel each have their own errors; the table goes on without keys.
            self._tell(DeviceDown(GPIO, f"{type(error).__name__}: {error}", self._clock()))
        else:
            self._tell(DeviceUp(GPIO, self._clock()))

    def _tell(self, event: Event) -> None:
        if self._loop is not None:
            self._tally.tells(event)
            self._on_event(event)

    def _on_message(self, message: Message) -> None:
        if self._loop is None:
            return
        self._tally.takes(message)
        for event in (*self.trays.on_message(message, self._clock()), *self._panel_keys.on_message(message)):
            self._tell(event)
        self._ask_poll()

    def _ask_poll(self) -> None:
        """The trays are polled once all messages that came together are told."""
        if self._loop is not None and not self._poll_asked:
            self._poll_asked = True
            self._loop.call_soon(self._poll)

    def _poll(self) -> None:
        self._poll_asked = False
        if self._loop is None:
            return
        idle = [name for name, reader in self._readers.items() if reader.idle]
        for event in self.trays.poll(self._clock()):
            self._tell(event)
        for name in idle:
            if not self._readers[name].idle:
                self._ports[name].pump()
        if self._timer is not None:
            self._timer.cancel()
        wait_s = max(0, self.trays.next_deadline_us() - self._clock()) / 1e6
        self._timer = self._loop.call_later(wait_s, self._poll)


def _of_device(name: str, kind: Literal["reader", "board"], driver: Reader | PanelBoard, port: str) -> DeviceHealth:
    counted = driver.stats
    return DeviceHealth(
        name=name,
        kind=kind,
        up=driver.up,
        port=port,
        frames=counted.frames,
        bad_frames=counted.bad_frames,
        timeouts=counted.timeouts,
        reboots=counted.reboots,
    )
