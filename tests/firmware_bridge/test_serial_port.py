"""Serial ports with real drivers, asyncio and pyserial.

Pseudo terminals replace the devices and are unplugged and plugged in.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge import driver_interface
from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_messages import (
    ButtonEdge,
    InventoryResult,
    LinkDown,
    LinkUp,
    Message,
    ReaderFault,
    WrongReaderSetting,
)
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.pty_device import PtyDevice
from firmware_bridge.feig import FeigDriver
from firmware_bridge.panel import PanelDriver
from firmware_bridge.serial_port import MAX_UNSENT_BYTES, MIN_REOPEN_DELAY_S, SerialPort, down_reason

DEADLINE_S = 120.0
"""Timeout, in seconds, for events that usually take some milliseconds. Only a failing test waits so long."""
HOUR_US = 3_600_000_000


class Host:
    """Collects the messages of drivers, and can wait for a certain message."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._news = asyncio.Event()

    def __call__(self, message: Message) -> None:
        self.messages.append(message)
        self._news.set()

    async def until(self, predicate: Callable[[Message], bool]) -> Message:
        """Return the next message that satisfies the predicate, and drop the messages before it."""

        async def wait() -> Message:
            while True:
                while self.messages:
                    message = self.messages.pop(0)
                    if predicate(message):
                        return message
                self._news.clear()
                await self._news.wait()

        return await asyncio.wait_for(wait(), DEADLINE_S)

    async def up(self) -> Message:
        return await self.until(lambda m: isinstance(m, LinkUp))

    async def down(self) -> str:
        message = await self.until(lambda m: isinstance(m, LinkDown))
        assert isinstance(message, LinkDown)
        return message.reason


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 3 * DEADLINE_S))


async def read_antenna(reader: FeigDriver, port: SerialPort, host: Host, antenna: int) -> InventoryResult:
    """Return the result of an inventory. Repeat the inventory if the emulator answers too late on a busy machine."""
    while True:
        reader.start_inventory(antenna, monotonic_us())
        port.pump()
        result = await host.until(lambda m: isinstance(m, InventoryResult | ReaderFault))
        if isinstance(result, InventoryResult):
            return result


def test_inventories_work_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: [f"E00400000000000{antenna}"], baud=115_200)
        reader, host = FeigDriver("r1", antennas=(1, 2), baud=115_200), Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "E", reader, host)
            port.start()
            await host.up()
            for antenna in (1, 2, 1):
                result = await read_antenna(reader, port, host, antenna)
                assert (result.antenna, result.tags) == (antenna, (f"E00400000000000{antenna}",))
            retries = reader.stats.retries
            with device.exclusive_access():
                emulator.inject(Fault("corrupt", 30))
            await read_antenna(reader, port, host, 2)
            assert reader.stats.bad_frames == 1
            assert reader.stats.retries > retries
            port.stop()
            assert await host.down() == driver_interface.DOWN_STOPPED
            assert not port.is_open

    run(test())


def test_reader_at_another_baud_rate_is_found_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: (), baud=19_200)
        reader, host = FeigDriver("r1", antennas=(1,), baud=115_200), Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "E", reader, host)
            port.start()
            await host.up()
            setting = await host.until(lambda m: isinstance(m, WrongReaderSetting))
            assert isinstance(setting, WrongReaderSetting)
            assert (setting.setting, setting.actual, setting.expected) == ("baud", "19200", "115200")
            device.unplug()
            await host.down()
            device.plug()
            await host.up()
            port.stop()

    run(test())


class AdvancedClock:
    """A real clock that a test can move forward by an hour.

    All delays of the driver are then over.
    """

    def __init__(self) -> None:
        self._advanced_us = 0

    def __call__(self) -> int:
        return monotonic_us() + self._advanced_us

    def advance(self) -> None:
        self._advanced_us += HOUR_US


def test_replugged_port_works_without_restart(tmp_path: Path) -> None:
    async def test() -> None:
        clock = AdvancedClock()
        emulator = PanelEmulator(boot_us=clock())
        board, host = PanelDriver("p1"), Host()
        with PtyDevice(tmp_path / "panel", emulator, clock) as device:
            port = SerialPort(str(device.path), 115_200, "N", board, host, clock=clock)
            port.start()
            await host.up()
            for number in range(3):
                device.unplug()
                assert await host.down() == driver_interface.DOWN_UNPLUGGED
                clock.advance()
                with device.exclusive_access() as pressed_us:
                    (emulator.release if number % 2 else emulator.press)(4, pressed_us)
                clock.advance()
                device.plug()
                await host.up()
                edge = await host.until(lambda m: isinstance(m, ButtonEdge))
                assert isinstance(edge, ButtonEdge)
                assert (edge.sequence, edge.button, edge.pressed) == (number, 4, number % 2 == 0)
                assert abs(edge.at_us - pressed_us) < HOUR_US // 2, "pressed while unplugged"
            port.stop()

    run(test())


def test_loose_contact_is_retried_at_growing_intervals(tmp_path: Path) -> None:
    delays_s: list[float] = []

    async def test() -> None:
        loop, host = asyncio.get_running_loop(), Host()
        call_later = loop.call_later

        def record_delay(delay_s: float, callback: Callable[..., object], *arguments: Any, **options: Any) -> Any:
            if callback != port._open:
                return call_later(delay_s, callback, *arguments, **options)
            delays_s.append(delay_s)
            return call_later(0, callback, *arguments, **options)

        loop.call_later = record_delay  # type: ignore[method-assign, assignment]
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())) as device:
            port = SerialPort(str(device.path), 115_200, "N", PanelDriver("p1"), host)
            port.start()
            for _ in range(4):
                await host.up()
                device.unplug()
                device.plug()
                await host.down()
            port.stop()

    run(test())
    assert delays_s == pytest.approx([2**at * MIN_REOPEN_DELAY_S for at in (1, 2, 3, 4)])


def test_lamps_work_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = PanelEmulator(boot_us=monotonic_us())
        board, host = PanelDriver("p1"), Host()
        with PtyDevice(tmp_path / "panel", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "N", board, host)
            port.start()
            await host.up()
            board.set_lamps(0b101, monotonic_us())
            port.pump()
            with device.exclusive_access() as now_us:
                emulator.press(0, now_us)
            await host.until(lambda m: isinstance(m, ButtonEdge))
            async with asyncio.timeout(DEADLINE_S):
                while not board.are_lamps_confirmed:
                    await asyncio.sleep(0)
            assert emulator.lamp_mask == 0b101
            port.stop()

    run(test())


def test_silent_device_is_down_although_its_port_exists(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: ())
        host = Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 38_400, "E", FeigDriver("r1", antennas=(1,)), host)
            port.start()
            await host.up()
            with device.exclusive_access() as now_us:
                emulator.silence(now_us + 1_500_000)
            assert await host.down() == driver_interface.DOWN_SILENCE
            assert port.is_open
            await host.up()
            port.stop()

    run(test())


def test_port_that_appears_later_is_opened(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        port = SerialPort(str(tmp_path / "panel"), 115_200, "N", PanelDriver("p1"), host)
        port.start()
        assert await host.down() == driver_interface.DOWN_NOT_FOUND
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())):
            await host.up()
            port.stop()

    run(test())


def test_port_in_use_by_another_program_is_reported(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())) as device:
            other = serial.Serial(str(device.path), exclusive=True)
            port = SerialPort(str(device.path), 115_200, "N", PanelDriver("p1"), host)
            port.start()
            assert await host.down() == driver_interface.DOWN_BUSY
            other.close()
            await host.up()
            port.stop()

    run(test())


class FloodingDriver(PanelDriver):
    """Planted fault: a driver that always has more bytes to send."""

    def data_to_send(self) -> bytes:
        return bytes(64 * MAX_UNSENT_BYTES)


def test_device_that_reads_nothing_does_not_fill_the_memory(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        master, slave = os.openpty()
        port = SerialPort(os.ttyname(slave), 115_200, "N", FloodingDriver("p1"), host)
        port.start()
        assert await host.down() == driver_interface.DOWN_OVERRUN
        port.stop()
        os.close(master)
        os.close(slave)

    run(test())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError(2, "x"), driver_interface.DOWN_NOT_FOUND),
        (PermissionError(13, "x"), driver_interface.DOWN_PERMISSION),
        (BlockingIOError(11, "x"), driver_interface.DOWN_BUSY),
        (OSError(5, "x"), driver_interface.DOWN_UNPLUGGED),
        (serial.SerialException("x"), driver_interface.DOWN_IO_ERROR),
    ],
)
def test_errors_have_reasons(error: OSError, reason: str) -> None:
    assert down_reason(error) == reason
