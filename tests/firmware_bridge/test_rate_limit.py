"""Rate limit of serial ports.

A port that delivers too many bytes is closed for a while and reported. Other ports keep working.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_bridge import driver_interface
from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message
from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.emulators.pty_device import PtyDevice
from firmware_bridge.feig import FeigDriver
from firmware_bridge.serial_port import SerialPort
from firmware_bridge.serial_rate_limit import MAX_BURST_BYTES, MAX_READS_PER_SECOND, RateLimiter

SECOND_US = 1_000_000
MAX_CORE_SHARE = 0.25
DEADLINE_S = 120.0
"""Timeout, in seconds, for events that usually arrive within a few tenths of a second."""
MAX_RECEIVED_BYTES = 20 * MAX_BURST_BYTES
"""Maximum number of bytes that reach the driver before the rate limit must close the port."""
READINGS_AFTERWARDS = 10
TAGS = ("E004000000000001", "E004000000000002")
SINGLE_BYTES = "import os, time\nwhile True:\n    os.write(1, b'x')\n    time.sleep(0.00005)\n"


@pytest.mark.parametrize("baud", [9_600, 38_400, 115_200])
@pytest.mark.parametrize("count", [1, 16, 255, 4096])
def test_full_line_rate_is_allowed(baud: int, count: int) -> None:
    limiter, now_us, verdicts = RateLimiter(), 0, set()
    for _ in range(2_000):
        now_us += count * 10 * SECOND_US // baud
        verdicts.add(limiter.consume(count, baud, now_us))
    assert "close" not in verdicts
    assert ("pause" in verdicts) == (baud / 10 / count > MAX_READS_PER_SECOND)


@pytest.mark.parametrize("stalled_s", [0.1, 1.0])
def test_kernel_backlog_is_allowed(stalled_s: float) -> None:
    limiter, rate = RateLimiter(), 11_520
    assert limiter.consume(int(stalled_s * rate), 115_200, 0) == "continue"
    assert limiter.consume(MAX_BURST_BYTES, 115_200, 1) == "continue"


def test_three_times_the_line_rate_exceeds_the_limit() -> None:
    limiter = RateLimiter()
    verdicts = [limiter.consume(3_456, 115_200, number * SECOND_US // 10) for number in range(30)]
    assert verdicts.index("close") > 10


def test_clock_going_back_grants_no_extra_bytes() -> None:
    limiter = RateLimiter()
    assert limiter.consume(20_000, 115_200, SECOND_US) == "continue"
    assert limiter.consume(20_000, 115_200, 0) == "close"


@contextmanager
def flooding_port(*command: str) -> Iterator[str]:
    """Yield the path of a port to which a process writes as fast as it can."""
    master, slave = os.openpty()
    process = subprocess.Popen(command, stdout=master, stderr=subprocess.DEVNULL)
    try:
        yield os.ttyname(slave)
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


class RepeatedReads:
    """Client that requests inventories from one reader without a pause.

    It counts the successful readings, and records why links were reported as down.
    """

    def __init__(self, reader: FeigDriver) -> None:
        self._reader = reader
        self.port: SerialPort | None = None
        self.readings = 0
        self.reasons: dict[str, list[str]] = {}

    def __call__(self, message: Message) -> None:
        if isinstance(message, LinkDown):
            self.reasons.setdefault(message.device, []).append(message.reason)
        self.readings += isinstance(message, InventoryResult) and message.tags == TAGS
        if isinstance(message, InventoryResult | LinkUp) and device_of(message) == self._reader.device:
            asyncio.get_running_loop().call_soon(self._start_reading)

    def _start_reading(self) -> None:
        if self._reader.is_idle and self.port is not None:
            self._reader.start_inventory(1, monotonic_us())
            self.port.pump()


def device_of(message: InventoryResult | LinkUp) -> str:
    return message.reader if isinstance(message, InventoryResult) else message.device


async def run_for_seconds(path: str, good_path: Path, seconds: float) -> tuple[float, RepeatedReads]:
    """Read from a working reader for this time, while another port is flooded with bytes.

    Return the fraction of a processor core that is used in this time, and the results of the reader.
    """
    reader, flooded = FeigDriver("sound", antennas=(1,), baud=115_200), FeigDriver("broken", antennas=(1,))
    reads = RepeatedReads(reader)
    ports = (
        SerialPort(str(good_path), 115_200, "E", reader, reads),
        SerialPort(path, 38_400, "E", flooded, reads),
    )
    reads.port = ports[0]
    for port in ports:
        port.start()
    async with asyncio.timeout(DEADLINE_S):
        while not reads.readings:
            await asyncio.sleep(0.01)
    began_s, used_s = time.monotonic(), time.process_time()
    await asyncio.sleep(seconds)
    share = (time.process_time() - used_s) / (time.monotonic() - began_s)
    for port in ports:
        port.stop()
    return share, reads


def check_share(tmp_path: Path, seconds: float, *command: str) -> RepeatedReads:
    emulator = FeigEmulator(lambda antenna, now_us: list(TAGS), baud=115_200)
    with flooding_port(*command) as path, PtyDevice(tmp_path / "sound", emulator) as device:
        share, reads = asyncio.run(run_for_seconds(path, device.path, seconds))
    assert share < MAX_CORE_SHARE
    assert reads.readings > 5 * seconds
    assert reads.reasons["sound"] == [driver_interface.DOWN_STOPPED]
    assert driver_interface.DOWN_STOPPED not in reads.reasons["broken"]
    return reads


class CountingDriver(FeigDriver):
    """A driver that counts the bytes it receives."""

    byte_count = 0

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        self.byte_count += len(data)
        return super().receive_data(data, now_us)


async def run_until_closed(path: str, good_path: Path) -> RepeatedReads:
    """Read from a working reader until a flooded port is closed, and then until some more readings have succeeded."""
    reader, flooded = FeigDriver("sound", antennas=(1,), baud=115_200), CountingDriver("broken", antennas=(1,))
    reads = RepeatedReads(reader)
    reads.port = SerialPort(str(good_path), 115_200, "E", reader, reads)
    ports = (reads.port, SerialPort(path, 38_400, "E", flooded, reads))
    for port in ports:
        port.start()
    try:
        async with asyncio.timeout(DEADLINE_S):
            while driver_interface.DOWN_BABBLING not in reads.reasons.get("broken", ()):
                assert flooded.byte_count <= MAX_RECEIVED_BYTES, "it was not closed"
                await asyncio.sleep(0.001)
            enough = reads.readings + READINGS_AFTERWARDS
            while reads.readings < enough:
                await asyncio.sleep(0.001)
    finally:
        for port in ports:
            port.stop()
    return reads


def test_flooding_port_is_closed_and_the_other_reader_works(tmp_path: Path) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: list(TAGS), baud=115_200)
    with flooding_port("cat", "/dev/urandom") as path, PtyDevice(tmp_path / "sound", emulator) as device:
        reads = asyncio.run(run_until_closed(path, device.path))
    assert reads.reasons["sound"] == [driver_interface.DOWN_STOPPED]
    assert set(reads.reasons["broken"]) <= {driver_interface.DOWN_BABBLING, driver_interface.DOWN_STOPPED}


def test_planted_fault_missing_rate_limit_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.serial_rate_limit.RATE_TOLERANCE", 10**9)
    with pytest.raises(AssertionError, match="not closed"):
        test_flooding_port_is_closed_and_the_other_reader_works(tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(
    "command", [("cat", "/dev/urandom"), ("cat", "/dev/zero"), ("python3", "-c", SINGLE_BYTES)],
    ids=["noise", "zeros", "single bytes"],
)  # fmt: skip
def test_port_that_floods_for_ten_minutes_stays_limited(command: tuple[str, ...], tmp_path: Path) -> None:
    check_share(tmp_path, 600, *command)
