"""A whole table in simulated time: emulators and drivers, bytes for bytes, without a pty and without a clock.

Same layout, same world, same noise seed: the same history, byte for byte.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from typing import ClassVar, Final

from firmware_bridge.emulators.device import Emulator
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.wire import hearing
from firmware_bridge.errors import PotkeeperError, Whose
from firmware_bridge.link import DOWN_UNPLUGGED, Driver, Reader
from firmware_bridge.messages import Message
from firmware_bridge.panel import PanelBoard
from hardware.buttons import PanelKeys
from hardware.devices import panel_driver, reader_driver
from hardware.events import Event
from hardware.lamps import Lamps
from hardware.layout import SEAT_NAMES, Layout, PanelSpec
from hardware.policy import CALM, Policy
from hardware.simulated.emulators import Antennas, TableNoise, panel_emulator, reader_emulator
from hardware.simulated.world import World
from hardware.trays import Trays

SETTLE_LIMIT_US: Final = 20_000_000
"""A table that has not settled by then does not: a hand over an antenna lasts two seconds at most."""
TAG_LIMIT_US: Final = 200_000
"""So much longer with each tag: a reading of it takes up to 15 ms, and it is read a dozen times."""
NOISE_PATIENCE_US: Final = 1_000_000
"""So long beyond the motion gap `settle` waits for a spot to be read as it is; then noise may have the last
word."""
MAX_STEPS_AT_ONCE: Final = 1_000
"""Steps without time passing: more is an endless exchange, which is a fault of ours."""
PRESS_US: Final = 80_000
"""How long a finger holds a button down."""


class SimulationError(PotkeeperError):
    """The simulated table does not do what was asked; the message says what was expected."""

    whose: ClassVar[Whose] = "ours"


class _Device:
    """One driver and the emulator at the other end of its wire."""

    def __init__(self, name: str, driver: Driver, emulator: Emulator) -> None:
        self.name = name
        self.driver = driver
        self.emulator = emulator
        self.understood = hearing(driver, emulator)
        self.plugged = False
        self.plugs = 0
        """Bytes that were on their way when the cable was pulled out, or the power, belong to an older number and
        are lost."""
        self.powered = True
        self.due_us: int | None = None
        """The earlier deadline of the two."""
        self.stale = True
        """Something happened to one of them since `due_us` was asked for."""

    def update(self) -> None:
        self.stale = False
        ends = (self.driver.next_deadline_us() if self.plugged else None, self.emulator.next_deadline_us())
        self.due_us = min((at_us for at_us in ends if at_us is not None), default=None)


class SimulatedTable:
    """Emulators, drivers and `Trays` joined in simulated time, which starts at 0.

    Everything that makes time pass returns the events of that time, in their order.
    """

    def __init__(
        self,
        layout: Layout,
        world: World,
        noise: TableNoise | None = None,
        *,
        seed: int = 0,
        policy: Policy = CALM,
    ) -> None:
        self.layout = layout
        self.world = world
        self.now_us = 0
        self.on_bytes: Callable[[int, str, bytes], None] | None = None
        """Called with time, device and bytes for whatever goes over a wire: `>` before the name towards the
        device, `<` from it."""
        self.on_message: Callable[[Message], None] | None = None
        """Called with each message of a driver before the table hears it."""
        self._antennas = Antennas(layout, world, noise)
        self._heap: list[tuple[int, int, _Device, int, bytes]] = []
        self._sent = 0
        self._readers: dict[str, _Device] = {}
        self._emulators: dict[str, FeigEmulator | PepperEmulator] = {}
        self._panels: dict[str, _Device] = {}
        drivers: dict[str, Reader] = {}
        for spec in layout.readers:
            drivers[spec.name] = reader_driver(spec, layout.sensing)
            emulator = self._emulators[spec.name] = reader_emulator(layout, spec, self._antennas, seed)
            self._readers[spec.name] = _Device(spec.name, drivers[spec.name], emulator)
        self._boards: dict[str, PanelBoard] = {}
        self._fingers = {}
        for panel in layout.panels:
            self._boards[panel.name] = panel_driver(panel)
            self._fingers[panel.name] = panel_emulator(panel, seed)
            self._panels[panel.name] = _Device(panel.name, self._boards[panel.name], self._fingers[panel.name])
        self._devices = [*self._readers.values(), *self._panels.values()]
        self.trays = Trays(layout, drivers, policy=policy)
        self._keys = PanelKeys(layout)
        self._lamps = Lamps(layout)
        self._releases: list[tuple[int, str, int]] = []
        self._events: list[Event] = []
        self._stuck = 0
        for device in self._devices:
            self._plug(device)

    # Time

    def run(self, for_us: int) -> list[Event]:
        """Lets so much time pass."""
        end_us = self.now_us + for_us
        while self._step(end_us):
            pass
        return self._drain()

    def run_until(self, predicate: Callable[[list[Event]], bool], limit_us: int) -> list[Event]:
        """Lets time pass until the predicate, given all events since the call, holds, or the limit is
        reached."""
        end_us = self.now_us + limit_us
        told = -1
        while True:
            if len(self._events) != told:
                told = len(self._events)
                if predicate(self._events):
                    break
            if not self._step(end_us):
                break
        return self._drain()

    def settle(self, limit_us: int | None = None) -> list[Event]:
        """Lets time pass until every spot that is plugged in has been told as complete as the world now is,
        and every other one as offline. With noise a spot may also be told as it is read, once it had time
        enough.

        Takes no time where that is so already. Raises SimulationError at the limit, which grows with the tags that
        lie there unless it is given.
        """
        if limit_us is None:
            tags = sum(len(self.world.lying(spot)) for spot in self.trays.spots)
            limit_us = SETTLE_LIMIT_US + tags * TAG_LIMIT_US
        start_us = self.now_us
        patient_us = start_us + self.layout.sensing.motion_gap_ms * 1_000 + NOISE_PATIENCE_US
        waiting = [spot for spot in self.trays.spots if not self._as_it_is(spot)]
        told = len(self._events)
        while waiting:
            if not self._step(start_us + limit_us):
                raise SimulationError(f"{', '.join(waiting)}: complete within {limit_us} us expected")
            if self._events[told:] or self.now_us >= patient_us:
                told = len(self._events)
                waiting = [spot for spot in waiting if not self._good_enough(spot, patient_us)]
        return self._drain()

    def _as_it_is(self, spot: str) -> bool:
        if spot in self._antennas.unplugged or not self._readers[self.layout.places[spot].reader].plugged:
            return self.trays.online(spot) is False
        return self.trays.settled(spot) == frozenset(self.world.lying(spot))

    def _good_enough(self, spot: str, patient_us: int) -> bool:
        if self._as_it_is(spot):
            return True
        if self._antennas.noise is None or self.now_us < patient_us:
            return False
        return self.trays.online(spot) is False or self.trays.settled(spot) is not None

    # Hands at the table

    def unplug(self, spot: str) -> None:
        """The antenna of this spot is out: its reader gives RF errors for it."""
        self._antennas.unplugged.add(self.layout.places[spot].spot)

    def plug(self, spot: str) -> None:
        """The antenna of this spot is back."""
        self._antennas.unplugged.discard(self.layout.places[spot].spot)

    def unplug_reader(self, name: str) -> None:
        """The cable of this reader or panel board is pulled out: its port vanishes."""
        device = self._device(name)
        if device.plugged:
            device.plugged = False
            device.plugs += 1
            self._handle(device.driver.closed(self.now_us, DOWN_UNPLUGGED))
            device.update()
            self._events += self.trays.poll(self.now_us)
            self._flush()

    def plug_reader(self, name: str) -> None:
        """The cable is back and the port is open."""
        device = self._device(name)
        if not device.plugged:
            self._plug(device)

    def cut_power(self, name: str) -> None:
        """This reader or panel board is without power: its port stays, it hears and says nothing."""
        device = self._device(name)
        if device.powered:
            device.powered = False
            device.plugs += 1

    def give_power(self, name: str) -> None:
        """It has power again, and starts anew."""
        device = self._device(name)
        if not device.powered:
            device.powered = True
            if name in self._fingers:
                self._fingers[name].reboot(self.now_us)
            else:
                self._emulators[name].reset(self.now_us)
            device.update()

    def press(self, key: str) -> None:
        """A finger presses one of the dealer's keys at a panel board, and lets it go after a moment."""
        for panel in self.layout.panels:
            for button, name in panel.buttons.items():
                if name == key:
                    self._press(panel, button)
                    return
        raise SimulationError(f"key {key}: one of the buttons of a panel board expected")

    def press_seat(self, seat: int) -> None:
        """A finger presses the button of a seat."""
        self.press(SEAT_NAMES[seat - 1])

    def set_lamps(self, seats: Collection[int]) -> None:
        """Asks the panel boards to light exactly the lamps of these seats."""
        for name, mask in self._lamps.masks(seats).items():
            self._boards[name].set_lamps(mask, self.now_us)
            self._panels[name].update()
        self._flush()

    @property
    def lamps(self) -> frozenset[int]:
        """The seats whose lamps shine at the emulated boards."""
        return self._lamps.seats({name: finger.lit for name, finger in self._fingers.items()})

    # How

    def _device(self, name: str) -> _Device:
        device = self._readers.get(name) or self._panels.get(name)
        if device is None:
            raise SimulationError(f"{name}: the name of a reader or panel board expected")
        return device

    def _plug(self, device: _Device) -> None:
        device.plugged = True
        self._handle(device.driver.opened(self.now_us))
        self._flush_device(device)

    def _press(self, panel: PanelSpec, button: int) -> None:
        device = self._panels[panel.name]
        self._fingers[panel.name].press(button, self.now_us)
        self._carry(device, device.emulator.poll(self.now_us))
        heapq.heappush(self._releases, (self.now_us + PRESS_US, panel.name, button))
        device.update()

    def _drain(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _next_us(self) -> int:
        soonest = self.trays.next_deadline_us()
        for device in self._devices:
            due_us = device.due_us
            if due_us is not None and due_us < soonest:
                soonest = due_us
        if self._heap and self._heap[0][0] < soonest:
            soonest = self._heap[0][0]
        if self._releases and self._releases[0][0] < soonest:
            soonest = self._releases[0][0]
        return soonest

    def _step(self, end_us: int) -> bool:
        """Goes on to the next thing that happens; False when that is after the end, which is then reached."""
        next_us = self._next_us()
        if next_us > end_us:
            self.now_us = max(self.now_us, end_us)
            return False
        if next_us > self.now_us:
            self.now_us = next_us
            self._stuck = 0
        else:
            self._stuck += 1
            if self._stuck > MAX_STEPS_AT_ONCE:
                raise SimulationError(f"at {self.now_us} us: time to pass within {MAX_STEPS_AT_ONCE} steps expected")
        self._happen()
        return True

    def _happen(self) -> None:
        now_us = self.now_us
        messages: list[Message] = []
        while self._heap and self._heap[0][0] <= now_us:
            _, _, device, plugs, data = heapq.heappop(self._heap)
            if device.plugs == plugs and device.plugged:
                if self.on_bytes is not None:
                    self.on_bytes(now_us, f"<{device.name}", data)
                if device.understood():
                    messages += device.driver.receive(data, now_us)
                device.stale = True
        while self._releases and self._releases[0][0] <= now_us:
            _, name, button = heapq.heappop(self._releases)
            self._fingers[name].release(button, now_us)
            self._panels[name].due_us = now_us
        for device in self._devices:
            if device.due_us is not None and device.due_us <= now_us:
                if device.plugged:
                    messages += device.driver.poll(now_us)
                self._carry(device, device.emulator.poll(now_us))
                device.stale = True
        self._handle(messages)
        self._events += self.trays.poll(now_us)
        self._flush()

    def _handle(self, messages: list[Message]) -> None:
        for message in messages:
            if self.on_message is not None:
                self.on_message(message)
            self._events += self.trays.on_message(message, self.now_us)
            self._events += self._keys.on_message(message)

    def _flush(self) -> None:
        for device in self._devices:
            self._flush_device(device)

    def _flush_device(self, device: _Device) -> None:
        if device.plugged:
            data = device.driver.outgoing()
            if data:
                if self.on_bytes is not None:
                    self.on_bytes(self.now_us, f">{device.name}", data)
                if device.powered and device.understood():
                    self._carry(device, device.emulator.feed(data, self.now_us))
                device.stale = True
        if device.stale:
            device.update()

    def _carry(self, device: _Device, answers: list[tuple[int, bytes]]) -> None:
        for at_us, data in answers if device.powered else ():
            self._sent += 1
            heapq.heappush(self._heap, (max(at_us, self.now_us), self._sent, device, device.plugs, data))
