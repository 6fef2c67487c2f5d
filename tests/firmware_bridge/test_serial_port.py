"""Real ports: drivers, asyncio and pyserial on pseudo terminals that are pulled out and plugged in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge import link
from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.panel import PanelEmulator
from firmware_bridge.emulators.pty import PtyDevice
from firmware_bridge.feig import FeigReader
from firmware_bridge.messages import ButtonEdge, LinkDown, LinkUp, Message, ReaderFault, ReaderSetting, TagsSeen
from firmware_bridge.panel import PanelBoard
from firmware_bridge.serial_port import MAX_UNSENT, SerialPort, error_reason

DEADLINE_S = 10.0
"""For what takes milliseconds: only a broken test waits so long."""


class Host:
    """Collects messages and waits for them."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._news = asyncio.Event()

    def __call__(self, message: Message) -> None:
        self.messages.append(message)
        self._news.set()

    async def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The first message of this kind that has not been taken yet; those before it are dropped."""

        async def wait() -> Message:
            while True:
                while self.messages:
                    message = self.messages.pop(0)
                    if wanted(message):
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


def test_inventories_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: [f"E00400000000000{antenna}"], baud=115_200)
        reader, host = FeigReader("r1", antennas=(1, 2), baud=115_200), Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "E", reader, host)
            port.start()
            await host.up()
            for antenna in (1, 2, 1):
                reader.inventory(antenna, monotonic_us())
                port.pump()
                seen = await host.until(lambda m: isinstance(m, TagsSeen | ReaderFault))
                assert isinstance(seen, TagsSeen)
                assert (seen.antenna, seen.tags) == (antenna, (f"E00400000000000{antenna}",))
            with device.running():
                emulator.inject(Fault("corrupt", 30))
            reader.inventory(2, monotonic_us())
            port.pump()
            assert isinstance(await host.until(lambda m: isinstance(m, TagsSeen | ReaderFault)), TagsSeen)
            assert reader.stats.retries == 1
            port.stop()
            assert await host.down() == link.DOWN_STOPPED
            assert not port.is_open

    run(test())


def test_a_reader_at_another_speed_is_found_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: (), baud=19_200)
        reader, host = FeigReader("r1", antennas=(1,), baud=115_200), Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "E", reader, host)
            port.start()
            await host.up()
            found = await host.until(lambda m: isinstance(m, ReaderSetting))
            assert isinstance(found, ReaderSetting)
            assert (found.what, found.found, found.expected) == ("baud", "19200", "115200")
            device.unplug()
            await host.down()
            device.plug()
            await host.up()
            port.stop()

    run(test())


def test_unplug_and_plug_without_restart(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = PanelEmulator(boot_us=monotonic_us())
        board, host = PanelBoard("p1"), Host()
        with PtyDevice(tmp_path / "panel", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "N", board, host)
            port.start()
            await host.up()
            for number in range(3):
                pulled_us = monotonic_us()
                device.unplug()
                assert await host.down() == link.DOWN_UNPLUGGED
                assert monotonic_us() - pulled_us < 500_000
                with device.running() as now_us:
                    (emulator.release if number % 2 else emulator.press)(4, now_us)
                plugged_us = monotonic_us()
                device.plug()
                await host.up()
                assert monotonic_us() - plugged_us < 1_000_000
                edge = await host.until(lambda m: isinstance(m, ButtonEdge))
                assert isinstance(edge, ButtonEdge)
                assert (edge.number, edge.button, edge.pressed) == (number, 4, number % 2 == 0)
                assert pulled_us - 5_000 < edge.at_us < plugged_us + 5_000, "pressed while unplugged"
            port.stop()

    run(test())


def test_a_loose_contact_is_tried_less_and_less_often(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())) as device:
            port = SerialPort(str(device.path), 115_200, "N", PanelBoard("p1"), host)
            port.start()
            took_us = []
            for _ in range(4):
                await host.up()
                device.unplug()
                device.plug()
                lost_us = monotonic_us()
                await host.down()
                async with asyncio.timeout(DEADLINE_S):
                    while not port.is_open:
                        await asyncio.sleep(0.005)
                took_us.append(monotonic_us() - lost_us)
            port.stop()
        assert took_us[-1] > 600_000 > took_us[0]

    run(test())


def test_lamps_through_a_pty(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = PanelEmulator(boot_us=monotonic_us())
        board, host = PanelBoard("p1"), Host()
        with PtyDevice(tmp_path / "panel", emulator) as device:
            port = SerialPort(str(device.path), 115_200, "N", board, host)
            port.start()
            await host.up()
            board.set_lamps(0b101, monotonic_us())
            port.pump()
            with device.running() as now_us:
                emulator.press(0, now_us)
            await host.until(lambda m: isinstance(m, ButtonEdge))
            async with asyncio.timeout(DEADLINE_S):
                while not board.lamps_confirmed:
                    await asyncio.sleep(0)
            assert emulator.lit == 0b101
            port.stop()

    run(test())


def test_a_silent_device_is_down_while_its_port_is_there(tmp_path: Path) -> None:
    async def test() -> None:
        emulator = FeigEmulator(lambda antenna, now_us: ())
        host = Host()
        with PtyDevice(tmp_path / "reader", emulator) as device:
            port = SerialPort(str(device.path), 38_400, "E", FeigReader("r1", antennas=(1,)), host)
            port.start()
            await host.up()
            with device.running() as now_us:
                emulator.silence(now_us + 1_500_000)
            assert await host.down() == link.DOWN_SILENCE
            assert port.is_open
            await host.up()
            port.stop()

    run(test())


def test_a_port_that_appears_later(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        port = SerialPort(str(tmp_path / "panel"), 115_200, "N", PanelBoard("p1"), host)
        port.start()
        assert await host.down() == link.DOWN_NOT_FOUND
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())):
            await host.up()
            port.stop()

    run(test())


def test_a_port_that_somebody_else_holds(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        with PtyDevice(tmp_path / "panel", PanelEmulator(boot_us=monotonic_us())) as device:
            other = serial.Serial(str(device.path), exclusive=True)
            port = SerialPort(str(device.path), 115_200, "N", PanelBoard("p1"), host)
            port.start()
            assert await host.down() == link.DOWN_BUSY
            other.close()
            await host.up()
            port.stop()

    run(test())


class FloodingDriver(PanelBoard):
    """The planted fault: wants to write without end."""

    def outgoing(self) -> bytes:
        return bytes(64 * MAX_UNSENT)


def test_a_device_that_takes_nothing_does_not_fill_the_memory(tmp_path: Path) -> None:
    async def test() -> None:
        host = Host()
        master, slave = os.openpty()
        port = SerialPort(os.ttyname(slave), 115_200, "N", FloodingDriver("p1"), host)
        port.start()
        assert await host.down() == link.DOWN_OVERRUN
        port.stop()
        os.close(master)
        os.close(slave)

    run(test())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError(2, "x"), link.DOWN_NOT_FOUND),
        (PermissionError(13, "x"), link.DOWN_PERMISSION),
        (BlockingIOError(11, "x"), link.DOWN_BUSY),
        (OSError(5, "x"), link.DOWN_UNPLUGGED),
        (serial.SerialException("x"), link.DOWN_IO_ERROR),
    ],
)
def test_errors_have_reasons(error: OSError, reason: str) -> None:
    assert error_reason(error) == reason
