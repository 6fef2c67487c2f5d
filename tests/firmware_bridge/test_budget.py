"""A port that babbles takes neither the core nor the other ports: it is closed for a while, and told."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_bridge import link
from firmware_bridge.budget import BURST_BYTES, READS_A_S, Budget
from firmware_bridge.clock import monotonic_us
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pty import PtyDevice
from firmware_bridge.feig import FeigReader
from firmware_bridge.messages import LinkDown, LinkUp, Message, TagsSeen
from firmware_bridge.serial_port import SerialPort

SECOND_US = 1_000_000
MOST_OF_A_CORE = 0.25
DEADLINE_S = 20.0
"""For what takes tenths of a second."""
TAGS = ("E004000000000001", "E004000000000002")
SINGLE_BYTES = "import os, time\nwhile True:\n    os.write(1, b'x')\n    time.sleep(0.00005)\n"


@pytest.mark.parametrize("baud", [9_600, 38_400, 115_200])
@pytest.mark.parametrize("count", [1, 16, 255, 4096])
def test_what_a_line_can_carry_is_let_pass(baud: int, count: int) -> None:
    budget, now_us, verdicts = Budget(), 0, set()
    for _ in range(2_000):
        now_us += count * 10 * SECOND_US // baud
        verdicts.add(budget.spend(count, baud, now_us))
    assert "babbles" not in verdicts
    assert ("rests" in verdicts) == (baud / 10 / count > READS_A_S)


@pytest.mark.parametrize("stalled_s", [0.1, 1.0])
def test_what_the_kernel_has_kept_meanwhile_is_let_pass(stalled_s: float) -> None:
    budget, rate = Budget(), 11_520
    assert budget.spend(int(stalled_s * rate), 115_200, 0) == "goes on"
    assert budget.spend(BURST_BYTES, 115_200, 1) == "goes on"


def test_three_times_as_much_is_no_device_of_ours() -> None:
    budget = Budget()
    verdicts = [budget.spend(3_456, 115_200, number * SECOND_US // 10) for number in range(30)]
    assert verdicts.index("babbles") > 10


def test_a_clock_that_goes_back_gives_nothing_away() -> None:
    budget = Budget()
    assert budget.spend(20_000, 115_200, SECOND_US) == "goes on"
    assert budget.spend(20_000, 115_200, 0) == "babbles"


@contextmanager
def babbling(*command: str) -> Iterator[str]:
    """A port at whose other end a process writes as fast as it can."""
    master, slave = os.openpty()
    process = subprocess.Popen(command, stdout=master, stderr=subprocess.DEVNULL)
    try:
        yield os.ttyname(slave)
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


class Sweeper:
    """Asks a reader again and again; remembers what comes of it and of the other ports."""

    def __init__(self, reader: FeigReader) -> None:
        self._reader = reader
        self.port: SerialPort | None = None
        self.readings = 0
        self.reasons: dict[str, list[str]] = {}

    def __call__(self, message: Message) -> None:
        if isinstance(message, LinkDown):
            self.reasons.setdefault(message.device, []).append(message.reason)
        self.readings += isinstance(message, TagsSeen) and message.tags == TAGS
        if isinstance(message, TagsSeen | LinkUp) and message_of(message) == self._reader.device:
            asyncio.get_running_loop().call_soon(self._ask)

    def _ask(self) -> None:
        if self._reader.idle and self.port is not None:
            self._reader.inventory(1, monotonic_us())
            self.port.pump()


def message_of(message: TagsSeen | LinkUp) -> str:
    return message.reader if isinstance(message, TagsSeen) else message.device


async def beside(path: str, sound: Path, seconds: float) -> tuple[float, Sweeper]:
    """A sound reader beside a port that babbles, for so long: the share of a core that both take, and what came."""
    reader, broken = FeigReader("sound", antennas=(1,), baud=115_200), FeigReader("broken", antennas=(1,))
    sweeper = Sweeper(reader)
    ports = (
        SerialPort(str(sound), 115_200, "E", reader, sweeper),
        SerialPort(path, 38_400, "E", broken, sweeper),
    )
    sweeper.port = ports[0]
    for port in ports:
        port.start()
    async with asyncio.timeout(DEADLINE_S):
        while not sweeper.readings:
            await asyncio.sleep(0.01)
    began_s, used_s = time.monotonic(), time.process_time()
    await asyncio.sleep(seconds)
    share = (time.process_time() - used_s) / (time.monotonic() - began_s)
    for port in ports:
        port.stop()
    return share, sweeper


def tried(tmp_path: Path, seconds: float, *command: str) -> Sweeper:
    emulator = FeigEmulator(lambda antenna, now_us: list(TAGS), baud=115_200)
    with babbling(*command) as path, PtyDevice(tmp_path / "sound", emulator) as device:
        share, sweeper = asyncio.run(beside(path, device.path, seconds))
    assert share < MOST_OF_A_CORE
    assert sweeper.readings > 5 * seconds
    assert sweeper.reasons["sound"] == [link.DOWN_STOPPED]
    assert link.DOWN_STOPPED not in sweeper.reasons["broken"]
    return sweeper


def test_a_port_that_babbles_is_closed_and_the_other_reader_goes_on(tmp_path: Path) -> None:
    sweeper = tried(tmp_path, 1.5, "cat", "/dev/urandom")
    assert sweeper.reasons["broken"] == [link.DOWN_BABBLES]


def test_a_port_without_a_budget_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.budget.SLACK", 10**9)
    with pytest.raises(AssertionError):
        tried(tmp_path, 0.5, "cat", "/dev/urandom")


@pytest.mark.soak
@pytest.mark.parametrize(
    "command", [("cat", "/dev/urandom"), ("cat", "/dev/zero"), ("python3", "-c", SINGLE_BYTES)],
    ids=["noise", "zeros", "single bytes"],
)  # fmt: skip
def test_a_port_that_babbles_for_ten_minutes(command: tuple[str, ...], tmp_path: Path) -> None:
    tried(tmp_path, 600, *command)
