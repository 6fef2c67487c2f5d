"""Table at pseudo terminals in real time: settled stacks, cables, keys and lamps through real ports and threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from hardware import layout, table_io
from hardware.events import (
    DeviceDown,
    DeviceUp,
    Event,
    KeyPressed,
    SeatPressed,
    SpotOffline,
    SpotOnline,
    StackProvisional,
    StackSettled,
)
from hardware.key_edges import contact_health
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from hardware.table_io import TableIO

DEADLINE_S = 120.0
"""Timeout of every wait. Each wait usually takes a second at most, but a busy machine may need longer."""
DEVICES = ("odd", "even", "panel-low", "panel-high")


class Listener:
    """Collector of events that can wait for one event."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._came = asyncio.Event()

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._came.set()

    async def until(self, predicate: Callable[[list[Event]], object]) -> list[Event]:
        async with asyncio.timeout(DEADLINE_S):
            while not predicate(self.events):
                self._came.clear()
                await self._came.wait()
        events, self.events = self.events, []
        return events


def settled_chips(events: list[Event]) -> dict[str, tuple[int, ...]]:
    return {event.spot: event.chips for event in events if isinstance(event, StackSettled)}


def with_table(play: Callable[[PtyTable, TableIO, Listener], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        quick = layout.reference_layout().with_sensing(motion_gap_ms=150)
        with PtyTable(quick, World(dict.fromkeys(range(1, 11), 500))) as table:
            listener = Listener()
            io = TableIO(table.layout, listener)
            io.start()
            try:
                await listener.until(lambda events: len(settled_chips(events)) == 12)
                await play(table, io, listener)
            finally:
                io.stop()

    asyncio.run(run())


def test_bet_passes_through_real_ports() -> None:
    async def play(table: PtyTable, io: TableIO, listener: Listener) -> None:
        io.focus([3])
        with table.exclusive_world() as world:
            world.put_on_spot(3, [25, 5])
        events = await listener.until(lambda events: "bet3" in settled_chips(events))
        stacks = [(type(event), event.chips) for event in events if isinstance(event, StackProvisional | StackSettled)]
        assert stacks[-1] == (StackSettled, (25, 5))
        # On a busy machine, the stack may settle before it is reported as provisional.
        assert stacks[:-1] in ([], [(StackProvisional, (25, 5))])

    with_table(play)


def test_replugged_cable_reports_no_phantom_chips() -> None:
    async def play(table: PtyTable, io: TableIO, listener: Listener) -> None:
        with table.exclusive_world() as world:
            world.put_on_spot(3, [25, 5])
        await listener.until(lambda events: "bet3" in settled_chips(events))
        table.unplug_reader("odd")
        events = await listener.until(lambda events: sum(isinstance(e, SpotOffline) for e in events) == 6)
        assert [event.device for event in events if isinstance(event, DeviceDown)] == ["odd"]
        table.plug_reader("odd")
        events = await listener.until(lambda events: len(settled_chips(events)) == 6)
        assert settled_chips(events)["bet3"] == (25, 5)
        assert not [event for event in events if isinstance(event, StackProvisional)]
        assert sum(isinstance(event, SpotOnline) for event in events) == 6

    with_table(play)


def test_keys_seat_buttons_and_lamps_work() -> None:
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
            while table.lit_seats != {2, 9}:
                await asyncio.sleep(0)

    with_table(play)


def run_with_pins(play: Callable[[MockFactory, Listener, Callable[[], int | None]], Awaitable[None]]) -> None:
    async def run() -> None:
        factory = MockFactory()
        listener = Listener()
        io = TableIO(layout.parse_layout("[gpio]\nkeys = { fold = 5, deal = 19 }"), listener, pin_factory=factory)
        io.start()
        try:
            await play(
                factory, listener, lambda: None if io._gpio is None else io._gpio._contacts["fold"].next_deadline_us()
            )
        finally:
            io.stop()
            factory.close()

    asyncio.run(run())


def test_bouncing_gpio_key_is_pressed_once() -> None:
    async def play(factory: MockFactory, listener: Listener, _: object) -> None:
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


def test_press_right_after_a_short_tap_is_reported() -> None:
    """Release the key during the lockout, which is the time in which further edges of a key are ignored.

    After the lockout the level of the key is read again, and another lockout starts.
    """

    async def play(factory: MockFactory, listener: Listener, lockout_ends_us: Callable[[], int | None]) -> None:
        pin = factory.pin(5)
        for _ in range(2):
            pin.drive_low()
            pin.drive_high()
            events = await listener.until(lambda events: any(isinstance(e, KeyPressed) for e in events))
            assert [event.key for event in events if isinstance(event, KeyPressed)] == ["fold"]
            async with asyncio.timeout(DEADLINE_S):
                while lockout_ends_us():
                    await asyncio.sleep(0)

    run_with_pins(play)


def test_key_at_a_pin_that_stays_down_is_reported_as_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_health, "STUCK_US", 20_000)

    async def play(factory: MockFactory, listener: Listener, _: object) -> None:
        factory.pin(5).drive_low()
        events = await listener.until(lambda events: any(isinstance(event, DeviceDown) for event in events))
        assert [event.reason for event in events if isinstance(event, DeviceDown)] == ["stuck"]
        factory.pin(5).drive_high()
        events = await listener.until(lambda events: any(isinstance(event, DeviceUp) for event in events))
        assert [event.device for event in events if isinstance(event, DeviceUp)] == ["key-fold"]

    run_with_pins(play)


def test_machine_without_pins_works_without_keys() -> None:
    class NoPins:
        def pin(self, number: int) -> None:
            raise OSError(f"no pin {number}")

    async def run() -> list[Event]:
        listener = Listener()
        io = TableIO(layout.parse_layout("[gpio]\nkeys = { fold = 5 }"), listener, pin_factory=NoPins())
        io.start()
        io.stop()
        return listener.events

    (event,) = asyncio.run(run())
    assert isinstance(event, DeviceDown)
    assert (event.device, event.reason) == ("gpio", "OSError: no pin 5")


def test_pins_are_opened_later_if_they_were_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_io, "PIN_RETRY_S", 0.0)
    factory = MockFactory()

    class BusyPins:
        attempts = 0

        def pin(self, number: int) -> object:
            self.attempts += 1
            if self.attempts < 3:
                raise OSError("busy")
            return factory.pin(number)

    async def run() -> list[Event]:
        listener = Listener()
        io = TableIO(layout.parse_layout("[gpio]\nkeys = { fold = 5 }"), listener, pin_factory=BusyPins())
        io.start()
        events = await listener.until(lambda events: any(isinstance(event, DeviceUp) for event in events))
        io.stop()
        return events

    assert [type(event) for event in asyncio.run(run())] == [DeviceDown, DeviceUp]


def test_missing_ports_are_reported_and_the_table_works() -> None:
    async def run() -> list[Event]:
        listener = Listener()
        missing = layout.reference_layout().with_ports(dict.fromkeys(DEVICES, "/nonexistent/port"))
        io = TableIO(missing, listener, pin_factory=MockFactory())
        io.start()
        events = await listener.until(lambda events: sum(isinstance(e, SpotOffline) for e in events) == 12)
        io.stop()
        return events

    events = asyncio.run(run())
    downs = {(event.device, event.reason) for event in events if isinstance(event, DeviceDown)}
    assert downs == {(device, "not-found") for device in DEVICES}
    assert [event.device for event in events if isinstance(event, DeviceUp)] == ["gpio"]
