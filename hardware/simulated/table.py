"""Simulated table: emulators and real drivers exchange bytes in simulated time, without pseudo terminals or a clock.

The same layout, world and noise seed give the same history, byte for byte.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from typing import ClassVar, Final

from firmware_bridge.driver_interface import DOWN_UNPLUGGED, Driver, ReaderDriver
from firmware_bridge.driver_messages import Message
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.interface import Emulator
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.simulated_line import baud_match_check
from firmware_bridge.errors import FaultSource, PotkeeperError
from firmware_bridge.feig import reader_settings
from firmware_bridge.panel import PanelDriver
from hardware.buttons import PanelButtons
from hardware.driver_factory import create_panel_driver, create_reader_driver
from hardware.events import Event
from hardware.lamps import LampMap
from hardware.layout import SEAT_NAMES, PanelSpec, TableLayout
from hardware.scheduling_policy import SchedulingPolicy
from hardware.simulated.device_emulators import EmulatedAntennas, ReaderNoise, panel_emulator, reader_emulator
from hardware.simulated.presence import NO_FAULTS, PresenceFaults, SimulatedSensors
from hardware.simulated.world import World
from hardware.spot_monitor import SpotMonitor

SETTLE_TIMEOUT_US: Final = 20_000_000
"""Maximum time for which `settle` waits. The time is more than enough, because a person's hand covers an antenna for at
most two seconds."""
SETTLE_TIMEOUT_PER_TAG_US: Final = 200_000
"""Time that is added to the timeout of `settle` for each tag. Until a stack settles, each tag is read about twelve
times, for up to 15 ms each time."""
NOISE_SETTLE_DELAY_US: Final = 1_000_000
"""Time for which `settle` still waits for the true contents of a spot when the motion gap is over. The motion gap is
the quiet time until a stack settles. Later, `settle` accepts contents that are wrong because of noise."""
MAX_STEPS_WITHOUT_PROGRESS: Final = 1_000
"""Maximum number of steps without progress of simulated time. More steps mean that devices exchange bytes endlessly,
which is a bug."""
PRESS_DURATION_US: Final = 80_000
"""Time for which a pressed button stays down."""


class SimulationError(PotkeeperError):
    """Error for a request that the simulated table cannot fulfil. The message says what was expected."""

    fault: ClassVar[FaultSource] = "ours"


class _Device:
    """Driver of a device, and the emulator at the other end of the cable."""

    def __init__(self, name: str, driver: Driver, emulator: Emulator) -> None:
        self.name = name
        self.driver = driver
        self.emulator = emulator
        self.is_understood = baud_match_check(driver, emulator)
        self.is_plugged = False
        self.interruption_count = 0
        """Number of times that the cable or the power was cut. Each byte on the cable carries the value of this counter
        at the time of sending. The byte is lost if the counter has changed before the byte arrives."""
        self.is_powered = True
        self.due_us: int | None = None
        """Time of the next deadline, which is the earlier of the driver's and the emulator's deadline."""
        self.is_stale = True
        """Whether a deadline may have changed since `due_us` was computed."""

    def update(self) -> None:
        """Compute the next deadline of the driver and the emulator."""
        self.is_stale = False
        ends = (self.driver.next_deadline_us() if self.is_plugged else None, self.emulator.next_deadline_us())
        self.due_us = min((at_us for at_us in ends if at_us is not None), default=None)


class SimulatedTable:
    """Emulators, drivers and a `SpotMonitor` that run together in simulated time, which starts at 0.

    Every method that lets time pass returns the events in order.
    """

    def __init__(
        self,
        layout: TableLayout,
        world: World,
        noise: ReaderNoise | None = None,
        *,
        seed: int = 0,
        policy: SchedulingPolicy | None = None,
        presence_faults: PresenceFaults = NO_FAULTS,
    ) -> None:
        self.layout = layout
        self.world = world
        self.now_us = 0
        self.on_bytes: Callable[[int, str, bytes], None] | None = None
        """Callback for all bytes on the cables, with the time, the device and the bytes. The name of the device begins
        with `>` if the bytes go to the device, and with `<` if they come from it."""
        self.on_message: Callable[[Message], None] | None = None
        """Callback for each message of a driver, before the table processes the message."""
        self._antennas = EmulatedAntennas(layout, world, noise)
        self._deliveries: list[tuple[int, int, _Device, int, bytes]] = []
        self._delivery_count = 0
        self._readers: dict[str, _Device] = {}
        self._emulators: dict[str, FeigEmulator | PepperEmulator] = {}
        self._panels: dict[str, _Device] = {}
        drivers: dict[str, ReaderDriver] = {}
        for spec in layout.readers:
            drivers[spec.name] = create_reader_driver(spec, layout.sensing)
            emulator = self._emulators[spec.name] = reader_emulator(layout, spec, self._antennas, seed)
            self._readers[spec.name] = _Device(spec.name, drivers[spec.name], emulator)
        self._boards: dict[str, PanelDriver] = {}
        self._panel_emulators = {}
        for panel in layout.panels:
            self._boards[panel.name] = create_panel_driver(panel)
            self._panel_emulators[panel.name] = panel_emulator(panel, seed)
            self._panels[panel.name] = _Device(panel.name, self._boards[panel.name], self._panel_emulators[panel.name])
        self._sensors = SimulatedSensors(layout, world, presence_faults, seed)
        self._devices = [*self._readers.values(), *self._panels.values()]
        self.spot_monitor = SpotMonitor(layout, drivers, policy=policy)
        self._panel_buttons = PanelButtons(layout, self._boards)
        self._lamps = LampMap(layout)
        self._releases: list[tuple[int, str, int]] = []
        self._events: list[Event] = []
        self._steps_without_progress = 0
        for device in self._devices:
            self._plug(device)

    def set_response_time(self, reader: str, ticks: int, *, is_fixed: bool = False) -> None:
        """Set the time after which a FEIG reader ends an inventory, in ticks of 100 ms.

        Do nothing for other readers. The driver learns the setting when it next connects to the reader. If `is_fixed`
        is True, the reader refuses to let the driver correct the setting.
        """
        emulator = self._emulators[reader]
        if isinstance(emulator, FeigEmulator):
            emulator.configure(reader_settings.INTERFACE_BLOCK, reader_settings.RESPONSE_TIME_OFFSET + 1, ticks)
            emulator.is_write_protected = is_fixed

    # --- time ---

    def run(self, duration_us: int) -> list[Event]:
        """Let this much time pass, and return the events of this time."""
        end_us = self.now_us + duration_us
        while self._step(end_us):
            pass
        return self._drain()

    def run_until(self, predicate: Callable[[list[Event]], bool], timeout_us: int) -> list[Event]:
        """Let time pass until the timeout, or until the predicate is true for the events so far."""
        end_us = self.now_us + timeout_us
        event_count = -1
        while True:
            if len(self._events) != event_count:
                event_count = len(self._events)
                if predicate(self._events):
                    break
            if not self._step(end_us):
                break
        return self._drain()

    def settle(self, timeout_us: int | None = None) -> list[Event]:
        """Let time pass until every spot is reported as it really is, and return the events.

        A spot with an unplugged antenna must be reported as offline. With noise, a spot may settle with wrong contents
        after `NOISE_SETTLE_DELAY_US`. No time passes if every spot is already settled. Raise SimulationError at the
        timeout. The default timeout grows with the number of tags on the spots.
        """
        if timeout_us is None:
            tags = sum(len(self.world.tags_on_spot(spot)) for spot in self.spot_monitor.spots)
            timeout_us = SETTLE_TIMEOUT_US + tags * SETTLE_TIMEOUT_PER_TAG_US
        start_us = self.now_us
        accept_noise_us = start_us + self.layout.sensing.motion_gap_ms * 1_000 + NOISE_SETTLE_DELAY_US
        waiting = [spot for spot in self.spot_monitor.spots if not self._is_true_state(spot)]
        event_count = len(self._events)
        while waiting:
            if not self._step(start_us + timeout_us):
                raise SimulationError(f"{', '.join(waiting)}: expected settled stacks within {timeout_us} µs")
            if self._events[event_count:] or self.now_us >= accept_noise_us:
                event_count = len(self._events)
                waiting = [spot for spot in waiting if not self._is_acceptable(spot, accept_noise_us)]
        return self._drain()

    def _is_true_state(self, spot: str) -> bool:
        if (
            spot in self._antennas.unplugged_spots
            or not self._readers[self.layout.spot_antennas[spot].reader].is_plugged
        ):
            return self.spot_monitor.is_online(spot) is False
        return self.spot_monitor.settled_tags(spot) == frozenset(self.world.tags_on_spot(spot))

    def _is_acceptable(self, spot: str, accept_noise_us: int) -> bool:
        if self._is_true_state(spot):
            return True
        if self._antennas.noise is None or self.now_us < accept_noise_us:
            return False
        return self.spot_monitor.is_online(spot) is False or self.spot_monitor.settled_tags(spot) is not None

    # --- people at the table ---

    def unplug(self, spot: str) -> None:
        """Disconnect the antenna of this spot, so that its reader reports RF errors."""
        self._antennas.unplugged_spots.add(self.layout.spot_antennas[spot].spot)

    def plug(self, spot: str) -> None:
        """Reconnect the antenna of this spot."""
        self._antennas.unplugged_spots.discard(self.layout.spot_antennas[spot].spot)

    def unplug_reader(self, name: str) -> None:
        """Unplug the cable of this reader or panel board, so that its port vanishes."""
        device = self._device(name)
        if device.is_plugged:
            device.is_plugged = False
            device.interruption_count += 1
            self._handle(device.driver.on_port_closed(self.now_us, DOWN_UNPLUGGED))
            device.update()
            self._events += self.spot_monitor.poll(self.now_us)
            self._flush()

    def plug_reader(self, name: str) -> None:
        """Plug in the cable again and open the port."""
        device = self._device(name)
        if not device.is_plugged:
            self._plug(device)

    def cut_power(self, name: str) -> None:
        """Cut the power of this reader or panel board. The port stays, but the device sends nothing."""
        device = self._device(name)
        if device.is_powered:
            device.is_powered = False
            device.interruption_count += 1

    def restore_power(self, name: str) -> None:
        """Restore the power of this device, which then restarts."""
        device = self._device(name)
        if not device.is_powered:
            device.is_powered = True
            if name in self._panel_emulators:
                self._panel_emulators[name].reboot(self.now_us)
            else:
                self._emulators[name].reset(self.now_us)
            device.update()

    def press(self, key: str) -> None:
        """Press one of the dealer's keys at a panel board, and release it after `PRESS_DURATION_US`.

        Raise SimulationError if no panel board has the key.
        """
        for panel in self.layout.panels:
            for button, name in panel.buttons.items():
                if name == key:
                    self._press(panel, button)
                    return
        raise SimulationError(f"key {key}: expected a button of a panel board")

    def press_seat(self, seat: int) -> None:
        """Press the button of a seat."""
        self.press(SEAT_NAMES[seat - 1])

    def set_lamps(self, seats: Collection[int]) -> None:
        """Light the lamps of these seats and no others."""
        for name, mask in self._lamps.masks(seats).items():
            self._boards[name].set_lamps(mask, self.now_us)
            self._panels[name].update()
        self._flush()

    @property
    def lit_seats(self) -> frozenset[int]:
        """Return the seats with a lit lamp, as the emulated panel boards show them."""
        return self._lamps.lit_seats({name: emulator.lamp_mask for name, emulator in self._panel_emulators.items()})

    # --- implementation ---

    def _device(self, name: str) -> _Device:
        device = self._readers.get(name) or self._panels.get(name)
        if device is None:
            raise SimulationError(f"{name}: expected the name of a reader or panel board")
        return device

    def _plug(self, device: _Device) -> None:
        device.is_plugged = True
        self._handle(device.driver.on_port_opened(self.now_us))
        self._flush_device(device)

    def _press(self, panel: PanelSpec, button: int) -> None:
        device = self._panels[panel.name]
        self._panel_emulators[panel.name].press(button, self.now_us)
        self._schedule_delivery(device, device.emulator.poll(self.now_us))
        heapq.heappush(self._releases, (self.now_us + PRESS_DURATION_US, panel.name, button))
        device.update()

    def _drain(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _next_us(self) -> int:
        soonest = self.spot_monitor.next_deadline_us()
        key_deadline_us = self._panel_buttons.next_deadline_us()
        if key_deadline_us is not None and key_deadline_us < soonest:
            soonest = key_deadline_us
        for device in self._devices:
            due_us = device.due_us
            if due_us is not None and due_us < soonest:
                soonest = due_us
        if self._deliveries and self._deliveries[0][0] < soonest:
            soonest = self._deliveries[0][0]
        if self._releases and self._releases[0][0] < soonest:
            soonest = self._releases[0][0]
        sensor_us = self._sensors.next_deadline_us(self.now_us)
        return soonest if sensor_us is None else min(soonest, sensor_us)

    def _step(self, end_us: int) -> bool:
        """Advance the simulated time to the next event of any device.

        If this event is after `end_us`, only advance to `end_us` and return False.
        """
        next_us = self._next_us()
        if next_us > end_us:
            self.now_us = max(self.now_us, end_us)
            return False
        if next_us > self.now_us:
            self.now_us = next_us
            self._steps_without_progress = 0
        else:
            self._steps_without_progress += 1
            if self._steps_without_progress > MAX_STEPS_WITHOUT_PROGRESS:
                raise SimulationError(
                    f"time {self.now_us} µs: expected progress within {MAX_STEPS_WITHOUT_PROGRESS} steps"
                )
        self._process_due()
        return True

    def _process_due(self) -> None:
        now_us = self.now_us
        messages: list[Message] = []
        while self._deliveries and self._deliveries[0][0] <= now_us:
            _, _, device, interruption_count, data = heapq.heappop(self._deliveries)
            if device.interruption_count == interruption_count and device.is_plugged:
                if self.on_bytes is not None:
                    self.on_bytes(now_us, f"<{device.name}", data)
                if device.is_understood():
                    messages += device.driver.receive_data(data, now_us)
                device.is_stale = True
        while self._releases and self._releases[0][0] <= now_us:
            _, name, button = heapq.heappop(self._releases)
            self._panel_emulators[name].release(button, now_us)
            self._panels[name].due_us = now_us
        for name, number in self._sensors.poll(now_us):
            self._panel_emulators[name].change_presence(number, now_us)
            self._panels[name].due_us = now_us
        for device in self._devices:
            if device.due_us is not None and device.due_us <= now_us:
                if device.is_plugged:
                    messages += device.driver.poll(now_us)
                self._schedule_delivery(device, device.emulator.poll(now_us))
                device.is_stale = True
        self._handle(messages)
        self._events += self.spot_monitor.poll(now_us)
        self._events += self._panel_buttons.poll(now_us)
        self._flush()

    def _handle(self, messages: list[Message]) -> None:
        for message in messages:
            if self.on_message is not None:
                self.on_message(message)
            self._events += self.spot_monitor.on_message(message, self.now_us)
            self._events += self._panel_buttons.on_message(message, self.now_us)

    def _flush(self) -> None:
        for device in self._devices:
            self._flush_device(device)

    def _flush_device(self, device: _Device) -> None:
        if device.is_plugged:
            data = device.driver.data_to_send()
            if data:
                if self.on_bytes is not None:
                    self.on_bytes(self.now_us, f">{device.name}", data)
                if device.is_powered and device.is_understood():
                    self._schedule_delivery(device, device.emulator.feed(data, self.now_us))
                device.is_stale = True
        if device.is_stale:
            device.update()

    def _schedule_delivery(self, device: _Device, answers: list[tuple[int, bytes]]) -> None:
        for at_us, data in answers if device.is_powered else ():
            self._delivery_count += 1
            heapq.heappush(
                self._deliveries,
                (max(at_us, self.now_us), self._delivery_count, device, device.interruption_count, data),
            )
