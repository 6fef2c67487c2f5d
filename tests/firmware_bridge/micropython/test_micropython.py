"""The firmware of the panel board under the real MicroPython, with the host's real driver at a pseudo terminal.

The pins, the UART and the watchdog come from the stand-in `machine.py` in this folder.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import DOWN_REBOOT, DOWN_SILENCE
from firmware_bridge.driver_messages import ButtonEdge
from firmware_bridge.emulators.pty_device import PtyDevice
from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS
from firmware_bridge.panel import PanelDriver
from firmware_bridge.serial_port import SerialPort
from tests.appliance.debian_archive import NotAvailableError
from tests.firmware_bridge.micropython.board_process import FETCHED, ROOT, MicroPythonBoard, find_micropython
from tests.firmware_bridge.micropython.fetch import fetch
from tests.firmware_bridge.test_serial_port import DEADLINE_S, Host, run

EDGES = 48
"""Number of presses and releases in a test, six for each button."""
BYTE_LOSS = 0.002
"""Share of lost bytes. A frame of 20 to 50 bytes is then lost in 4 to 10 % of the cases."""
WATCHDOG = "watchdog 2000"
FIRMWARE = Path("firmware_bridge", "firmware")


@pytest.fixture(scope="module")
def micropython() -> Path:
    if (path := find_micropython()) is None:
        pytest.skip("MicroPython is not installed (Debian 13: micropython, otherwise make soak PART=appliance)")
    return path


class Bench:
    """A board under MicroPython, its pseudo terminal, and the host's driver and port."""

    def __init__(self, board: MicroPythonBoard, device: PtyDevice) -> None:
        self.board = board
        self.device = device
        self.driver = PanelDriver("p1")
        self.host = Host()
        self.port = SerialPort(str(device.path), 115_200, "N", self.driver, self.host)

    async def edge(self) -> ButtonEdge:
        edge = await self.host.until(lambda message: isinstance(message, ButtonEdge))
        assert isinstance(edge, ButtonEdge)
        return edge

    async def change_buttons(self, count: int) -> None:
        """Press and release all buttons in turn, and compare each edge that the driver reports."""
        for number in range(count):
            button, is_down = number // 2 % len(BUTTON_PINS), number % 2 == 0
            (self.board.press if is_down else self.board.release)(button)
            edge = await self.edge()
            assert (edge.sequence, edge.button, edge.pressed) == (number, button, is_down)

    async def show_lamps(self, mask: int) -> None:
        """Set the lamps, and wait until the driver and the pins of the board agree."""
        self.driver.set_lamps(mask, monotonic_us())
        self.port.pump()
        async with asyncio.timeout(DEADLINE_S):
            while not (self.driver.are_lamps_confirmed and self.board.lamp_mask == mask):
                self.board.read_lines()
                await asyncio.sleep(0.005)

    async def reboot(self) -> None:
        """Start the firmware again, and wait until the driver has noticed the reboot."""
        with self.device.exclusive_access():
            self.board.boot()
        assert await self.host.down() in {DOWN_REBOOT, DOWN_SILENCE}
        await self.host.up()
        assert self.driver.stats.reboots == 1


@asynccontextmanager
async def bench(micropython: Path, folder: Path, firmware: Path = ROOT, byte_loss: float = 0.0) -> AsyncIterator[Bench]:
    with (
        MicroPythonBoard(micropython, firmware, byte_loss) as board,
        PtyDevice(folder / "panel", board) as device,
    ):
        table = Bench(board, device)
        table.port.start()
        await table.host.up()
        yield table
        table.port.stop()


def test_board_under_micropython_greets_the_host(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path) as table:
            driver = table.driver
            assert (driver.button_count, driver.lamp_count) == (len(BUTTON_PINS), len(LAMP_PINS))
            assert driver.serial == "E6605838836D4E2F"
            await table.board.until(WATCHDOG)
            assert table.board.read_lines()[0].startswith("boot micropython ")

    run(test())


def test_presses_and_lamps_work_under_micropython(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path) as table:
            await table.change_buttons(EDGES)
            for mask in (0b1, 0b1010_0101, 0b1111_1111, 0):
                await table.show_lamps(mask)
            assert (table.driver.stats.bad_frames, table.driver.stats.reboots) == (0, 0)

    run(test())


def test_lost_bytes_lose_no_press_under_micropython(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path, byte_loss=BYTE_LOSS) as table:
            await table.change_buttons(4 * EDGES)
            await table.show_lamps(0b0110_0110)
            assert table.board.lost_bytes > 0
            assert table.driver.stats.bad_frames > 0

    run(test())


def test_killed_board_is_back_with_its_lamps_and_without_a_press(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path) as table:
            table.board.press(3)
            assert (await table.edge()).sequence == 0
            await table.show_lamps(0b1001)
            await table.reboot()
            edge = await table.edge()
            assert (edge.sequence, edge.button, edge.pressed, edge.is_held_at_boot) == (0, 3, True, True)
            await table.show_lamps(0b1001)
            table.board.release(3)
            assert (await table.edge()).pressed is False

    run(test())


def test_watchdog_is_fed_and_restarts_a_board_that_hangs(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path) as table:
            for line in (WATCHDOG, "fed 100", "fed 200", "fed 300"):
                await table.board.until(line)
            table.board.hang()
            await table.board.until("reset")
            await table.reboot()
            await table.board.until("fed 100")

    run(test())


def test_error_in_the_firmware_restarts_the_board_under_micropython(micropython: Path, tmp_path: Path) -> None:
    async def test() -> None:
        async with bench(micropython, tmp_path) as table:
            table.board.fail()
            await table.board.until("reset")
            await table.reboot()
            table.board.press(0)
            assert (await table.edge()).button == 0

    run(test())


def test_service_buttons_keep_the_firmware_from_starting_under_micropython(micropython: Path) -> None:
    async def test() -> None:
        with MicroPythonBoard(micropython) as board:
            board.press(0)
            board.press(1)
            board.boot()
            assert await board.until_end() == ""
            assert WATCHDOG not in board.read_lines()

    run(test())


@pytest.mark.parametrize(
    ("file", "text", "fault", "message"),
    [
        ("main.py", "hal.restart()", "raise", "ended before 'reset'"),
        ("main.py", "hal.feed_watchdog()", "pass", "ended before 'fed 100'"),
        ("protocol.py", "HELLO = 0x01", "match 1:\n    case HELLO: pass", "SyntaxError"),
    ],
)
def test_planted_fault_in_the_firmware_is_caught_under_micropython(
    micropython: Path, tmp_path: Path, file: str, text: str, fault: str, message: str
) -> None:
    shutil.copytree(ROOT / FIRMWARE, tmp_path / FIRMWARE)
    (tmp_path / FIRMWARE.parent / "__init__.py").touch()
    source = (tmp_path / FIRMWARE / file).read_text()
    assert source.count(text) == 1
    (tmp_path / FIRMWARE / file).write_text(source.replace(text, fault))

    async def test() -> None:
        with MicroPythonBoard(micropython, tmp_path) as board:
            for line in (WATCHDOG, "fed 100"):
                await board.until(line)
            board.fail()
            await board.until("reset")

    with pytest.raises(AssertionError, match=message):
        run(test())


@pytest.mark.soak
def test_firmware_passes_under_a_fetched_micropython() -> None:
    """Fetch MicroPython if this machine has none, and run the other tests of this file with it."""
    micropython = find_micropython()
    if micropython is None:
        try:
            fetch()
        except NotAvailableError as error:
            pytest.skip(f"MicroPython cannot be fetched: {error}")
        micropython = FETCHED
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__],
        cwd=ROOT,
        env={**os.environ, "POTKEEPER_MICROPYTHON": str(micropython)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    assert "skipped" not in result.stdout
