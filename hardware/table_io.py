"""The hardware of a table on an asyncio loop: serial ports, drivers, spots, keys and lamps.

All methods must be called in the thread of the running loop, and events are reported in this thread too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import ReaderDriver
from firmware_bridge.driver_messages import ButtonEdge, Message
from firmware_bridge.panel import PanelDriver
from firmware_bridge.serial_port import SerialPort
from hardware.buttons import GPIO_DEVICE, GpioKeys, PanelButtons
from hardware.driver_factory import (
    create_panel_driver,
    create_reader_driver,
    panel_port_settings,
    reader_port_settings,
)
from hardware.events import DeviceDown, DeviceUp, Event
from hardware.health import DeviceHealth, HardwareHealth, HealthCounters, board_health, reader_health
from hardware.lamps import LampMap
from hardware.layout import SEAT_NAMES, TableLayout
from hardware.spot_monitor import SpotMonitor

if TYPE_CHECKING:
    from gpiozero.pins import Factory

PIN_RETRY_S: Final = 10.0
"""Time in seconds after which pins that could not be opened are tried again. Another program may have used them."""


class TableIO:
    """All hardware of a table with this layout.

    `start` opens the ports. A port that is lost is opened again and again until this succeeds. `stop` closes all ports.
    A missing device is reported as DeviceDown, while the other devices keep working.
    """

    def __init__(
        self,
        layout: TableLayout,
        on_event: Callable[[Event], None],
        *,
        pin_factory: Factory | None = None,
        clock: Callable[[], int] = monotonic_us,
    ) -> None:
        """Create the drivers. `on_event` is called for each event, in the order of the events.

        Without `pin_factory`, gpiozero's default factory is used for the pins.
        """
        self.layout = layout
        self._on_event = on_event
        self._clock = clock
        self._pin_factory = pin_factory
        self._readers: dict[str, ReaderDriver] = {
            spec.name: create_reader_driver(spec, layout.sensing) for spec in layout.readers
        }
        self._boards: dict[str, PanelDriver] = {spec.name: create_panel_driver(spec) for spec in layout.panels}
        self._ports: dict[str, SerialPort] = {}
        for spec in layout.readers:
            driver = self._readers[spec.name]
            self._ports[spec.name] = SerialPort(
                spec.port, *reader_port_settings(spec), driver, self._on_message, clock=clock
            )
        for panel in layout.panels:
            board = self._boards[panel.name]
            self._ports[panel.name] = SerialPort(
                panel.port, *panel_port_settings(), board, self._on_message, clock=clock
            )
        self.spot_monitor = SpotMonitor(layout, self._readers, clock())
        self._buttons = PanelButtons(layout, self._boards)
        self._lamps = LampMap(layout)
        self._lit_seats: frozenset[int] = frozenset()
        self._counters = HealthCounters()
        self._gpio: GpioKeys | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_poll_scheduled = False
        self._pin_timer: asyncio.TimerHandle | None = None
        """Timer of the next attempt to open the pins, or None before the first failure."""

    def start(self) -> None:
        """Open all ports and pins. An asyncio loop must be running."""
        if self._loop is not None:
            return
        self._loop = asyncio.get_running_loop()
        for port in self._ports.values():
            port.start()
        self._open_pins(self._loop)
        self._schedule_poll()

    def stop(self) -> None:
        """Close all ports and pins. No events are reported afterwards."""
        if self._loop is None:
            return
        self._loop = None
        if self._timer is not None:
            self._timer.cancel()
        if self._pin_timer is not None:
            self._pin_timer.cancel()
        if self._gpio is not None:
            self._gpio.close()
        for port in self._ports.values():
            port.stop()

    def pause(self) -> None:
        """Close all serial ports, so that another part of the program can use them. Pins stay open.

        Their devices are reported as down, as if somebody had pulled out all cables.
        """
        if self._loop is not None:
            for port in self._ports.values():
                port.stop()

    def resume(self) -> None:
        """Open the serial ports again after `pause`."""
        if self._loop is not None:
            for port in self._ports.values():
                port.start()

    def focus(self, seats: Sequence[int], extra_spots: Sequence[str] = ()) -> None:
        """Read these seats more often than others, and the first one, the seat in turn, most often.

        `extra_spots` are other spots in use, such as the count pad.
        """
        self.spot_monitor.focus(seats, extra_spots)
        self._schedule_poll()

    def use_chips(self, layout: TableLayout) -> None:
        """Continue with the chips of a layout that differs from the present one only in its chips."""
        self.layout = layout
        self.spot_monitor.use_chip_set(layout.chip_set, self._clock())
        self._schedule_poll()

    def request_read(self, spot: str) -> None:
        """Read this spot next."""
        self.spot_monitor.request_read(spot, self._clock())
        self._schedule_poll()

    def set_lamps(self, seats: Collection[int]) -> None:
        """Turn on the lamps of these seats and turn off all others.

        A board that is down gets its lamps when it is back.
        """
        now_us = self._clock()
        self._lit_seats = frozenset(seats)
        for name, mask in self._lamps.masks(seats).items():
            self._boards[name].set_lamps(mask, now_us)
            self._ports[name].pump()

    def health(self) -> HardwareHealth:
        """Return the current health of every device and antenna."""
        layout, online = self.layout, {spot: self.spot_monitor.is_online(spot) for spot in self.spot_monitor.spots}
        panel_names = [name for panel in layout.panels for name in panel.buttons.values()]
        names = dict.fromkeys([*layout.gpio.keys, *panel_names])
        buttons = [SEAT_NAMES.index(name) + 1 if name in SEAT_NAMES else name for name in names]
        return HardwareHealth(
            antennas=self._counters.antenna_health(layout.spot_antennas, online, self._clock()),
            devices=tuple(self._devices()),
            press_stats={button: self._counters.press_stats(button) for button in buttons},
            lit_seats=self._lit_seats,
        )

    def _devices(self) -> Iterator[DeviceHealth]:
        for reader in self.layout.readers:
            yield reader_health(reader, self._readers[reader.name])
        for panel in self.layout.panels:
            yield board_health(panel, self._boards[panel.name], self.spot_monitor.presence_faults)
        if self.layout.gpio.keys:
            yield DeviceHealth(GPIO_DEVICE, "keys", is_up=self._gpio is not None)

    def _open_pins(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self.layout.gpio.keys:
            return
        try:
            self._gpio = GpioKeys(
                self.layout.gpio.keys, loop, self._on_pin, factory=self._pin_factory, now_us=self._clock
            )
        except Exception as error:
            # The pin libraries and the kernel raise errors of many types. The table also works without the dealer's
            # keys, so no error may stop it.
            if self._pin_timer is None:
                self._report(DeviceDown(GPIO_DEVICE, f"{type(error).__name__}: {error}", self._clock()))
            self._pin_timer = loop.call_later(PIN_RETRY_S, self._open_pins, loop)
        else:
            self._report(DeviceUp(GPIO_DEVICE, self._clock()))

    def _on_pin(self, key: str, is_pressed: bool, at_us: int, is_held_at_boot: bool) -> None:
        """Report the press of a key at a pin, and poll, because the press may wait for the boards, or get stuck."""
        if self._loop is None:
            return
        for event in self._buttons.on_pin(key, is_pressed, at_us, is_held_at_boot):
            self._report(event)
        self._pump_boards()
        self._schedule_poll()

    def _pump_boards(self) -> None:
        """Send what the boards were asked."""
        for name in self._boards:
            self._ports[name].pump()

    def _report(self, event: Event) -> None:
        if self._loop is not None:
            self._counters.count_event(event)
            self._on_event(event)

    def _on_message(self, message: Message) -> None:
        if self._loop is None:
            return
        self._counters.count_message(message)
        now_us = self._clock()
        for event in (*self.spot_monitor.on_message(message, now_us), *self._buttons.on_message(message, now_us)):
            self._report(event)
        if isinstance(message, ButtonEdge):
            self._pump_boards()
        self._schedule_poll()

    def _schedule_poll(self) -> None:
        """Schedule a poll of the spots. It runs after all messages that have arrived together are processed."""
        if self._loop is not None and not self._is_poll_scheduled:
            self._is_poll_scheduled = True
            self._loop.call_soon(self._poll)

    def _poll(self) -> None:
        self._is_poll_scheduled = False
        if self._loop is None:
            return
        idle = [name for name, reader in self._readers.items() if reader.is_idle]
        now_us = self._clock()
        for event in (*self.spot_monitor.poll(now_us), *self._buttons.poll(now_us)):
            self._report(event)
        for name in idle:
            if not self._readers[name].is_idle:
                self._ports[name].pump()
        if self._timer is not None:
            self._timer.cancel()
        deadline_us, key_deadline_us = self.spot_monitor.next_deadline_us(), self._buttons.next_deadline_us()
        if key_deadline_us is not None:
            deadline_us = min(deadline_us, key_deadline_us)
        wait_s = max(0, deadline_us - self._clock()) / 1e6
        self._timer = self._loop.call_later(wait_s, self._poll)
