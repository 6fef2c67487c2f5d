"""The table at ptys in real time: settled stacks, cables, keys and lamps through real ports and threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from gpiozero.pins.mock import MockFactory

from firmware_bridge.clock import monotonic_us
from hardware import layout
from hardware.buttons import LOCKOUT_US
from hardware.events import (
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    SeatPressed,
    StackComplete,
    StackSeen,
    TrayOffline,
    TrayOnline,
)
from hardware.simulated.pty_rig import PtyTable
from hardware.simulated.world import World
from hardware.table_io import TableIO

DEADLINE_S = 10.0
"""Everything here happens within a second; the rest is for a busy machine."""
DEVICES = ("odd", "even", "panel-low", "panel-high")


class Listener:
    """Collects events and waits for one of them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._came = asyncio.Event()

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._came.set()

    async def until(self, holds: Callable[[list[Event]], object]) -> list[Event]:
        async with asyncio.timeout(DEADLINE_S):
            while not holds(self.events):
                self._came.clear()
                await self._came.wait()
        events, self.events = self.events, []
        return events


def completes(events: list[Event]) -> dict[str, tuple[int, ...]]:
    return {event.spot: event.chips for event in events if isinstance(event, StackComplete)}


def with_table(play: Callable[[PtyTable, TableIO, Listener], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        quick = layout.reference().with_sensing(motion_gap_ms=150)
        with PtyTable(quick, World(dict.fromkeys(range(1, 11), 500))) as table:
            listener = Listener()
            io = TableIO(table.layout, listener)
            io.start()
            try:
                await listener.until(lambda events: len(completes(events)) == 12)
                await play(table, io, listener)
            finally:
                io.stop()

    asyncio.run(run())


def test_a_bet_comes_through_real_ports() -> None:
    async def play(table: PtyTable, io: TableIO, listener: Listener) -> None:
        io.focus([3])
        with table.hands() as world:
            world.put(3, [25, 5])
        events = await listener.until(lambda events: "bet3" in completes(events))
        assert [(type(event), event.chips) for event in events if isinstance(event, StackSeen | StackComplete)] == [
            (StackSeen, (25, 5)),
            (StackComplete, (25, 5)),
        ]

    with_table(play)


def test_a_cable_that_is_pulled_out_and_comes_back_makes_no_phantom() -> None:
    async def play(table: PtyTable, io: TableIO, listener: Listener) -> None:
        with table.hands() as world:
            world.put(3, [25, 5])
        await listener.until(lambda events: "bet3" in completes(events))
        table.unplug_reader("odd")
        events = await listener.until(lambda events: sum(isinstance(e, TrayOffline) for e in events) == 6)
        assert [event.device for event in events if isinstance(event, DeviceDown)] == ["odd"]
        table.plug_reader("odd")
        events = await listener.until(lambda events: len(completes(events)) == 6)
        assert completes(events)["bet3"] == (25, 5)
        assert not [event for event in events if isinstance(event, StackSeen)]
        assert sum(isinstance(event, TrayOnline) for event in events) == 6

    with_table(play)


def test_keys_seat_buttons_and_lamps() -> None:
    async def play(table: PtyTable, io: TableIO, listener: Listener) -> None:
        table.press("deal")
        events = await listener.until(lambda events: any(isinstance(e, KeyPressed) for e in events))
        assert [event.key for event in events if isinstance(event, KeyPressed)] == ["deal"]
        table.release("deal")
        table.press_seat(4)
        events = await listener.until(lambda events: any(isinstance(e, SeatPressed) for e in events))
        assert [event.seat for event in events if isinstance(event, SeatPressed)] == [4]
        io.set_lamps([2, 9])
        async with asyncio.timeout(DEADLINE_S):
            while table.lamps != {2, 9}:
                await asyncio.sleep(0)

    with_table(play)


def run_with_pins(play: Callable[[MockFactory, Listener], Awaitable[None]]) -> None:
    async def run() -> None:
        factory = MockFactory()
        listener = Listener()
        io = TableIO(layout.parse("[gpio]\nkeys = { fold = 5, deal = 19 }"), listener, pin_factory=factory)
        io.start()
        try:
            await play(factory, listener)
        finally:
            io.stop()
            factory.close()

    asyncio.run(run())


def test_a_key_at_a_pin_is_pressed_once_however_it_bounces() -> None:
    async def play(factory: MockFactory, listener: Listener) -> None:
        pin = factory.pin(5)
        for _ in range(3):
            pin.drive_low()
            pin.drive_high()
        pin.drive_low()
        events = await listener.until(lambda events: any(isinstance(e, KeyPressed) for e in events))
        factory.pin(19).drive_low()
        events += await listener.until(lambda events: any(isinstance(e, KeyPressed) for e in events))
        assert [event.key for event in events if isinstance(event, KeyPressed)] == ["fold", "deal"]

    run_with_pins(play)


def test_a_press_right_after_a_short_tap_is_not_lost() -> None:
    """The release falls into the lock-out: the level is read again after it, and has a lock-out of its own."""

    async def play(factory: MockFactory, listener: Listener) -> None:
        pin = factory.pin(5)
        for _ in range(2):
            pin.drive_low()
            pin.drive_high()
            events = await listener.until(lambda events: any(isinstance(e, KeyPressed) for e in events))
            assert [event.key for event in events if isinstance(event, KeyPressed)] == ["fold"]
            ready_us = monotonic_us() + 3 * LOCKOUT_US
            async with asyncio.timeout(DEADLINE_S):
                while monotonic_us() < ready_us:
                    await asyncio.sleep(0)

    run_with_pins(play)


def test_a_machine_without_pins_goes_on_without_keys() -> None:
    class NoPins:
        def pin(self, number: int) -> None:
            raise OSError(f"no pin {number}")

    async def run() -> list[Event]:
        listener = Listener()
        io = TableIO(layout.parse("[gpio]\nkeys = { fold = 5 }"), listener, pin_factory=NoPins())
        io.start()
        io.stop()
        return listener.events

    (event,) = asyncio.run(run())
    assert isinstance(event, DeviceDown)
    assert (event.device, event.reason) == ("gpio", "OSError: no pin 5")


def test_ports_that_are_not_there_are_told_and_the_table_goes_on() -> None:
    async def run() -> list[Event]:
        listener = Listener()
        missing = layout.reference().with_ports(dict.fromkeys(DEVICES, "/nonexistent/port"))
        io = TableIO(missing, listener, pin_factory=MockFactory())
        io.start()
        events = await listener.until(lambda events: sum(isinstance(e, TrayOffline) for e in events) == 12)
        io.stop()
        return events

    events = asyncio.run(run())
    downs = {(event.device, event.reason) for event in events if isinstance(event, DeviceDown)}
    assert downs == {(device, "not-found") for device in DEVICES}
    assert [event.device for event in events if isinstance(event, DeviceUp)] == ["gpio"]
