"""A panel board whose firmware runs in a process of the real MicroPython."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import socket
import subprocess
from pathlib import Path

from firmware_bridge.clock import monotonic_us
from firmware_bridge.firmware.pins import BUTTON_PINS, LAMP_PINS
from tests.firmware_bridge.test_serial_port import DEADLINE_S

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FETCHED = ROOT / "build" / "micropython" / "micropython"
"""MicroPython that `python -m tests.firmware_bridge.micropython.fetch` has fetched."""
HEAP = "192wk"
"""Heap of the firmware, about that of an RP2040 (264 kB of memory). `w` doubles it, because pointers have 64 bits."""
POLL_US = 1_000
"""Interval, in µs, at which the process is asked for bytes."""
PAUSE_S = 0.005
"""Pause, in seconds, between two looks at the lines that the board has reported."""
START = "from firmware_bridge.firmware.main import main; main()"


def find_micropython() -> Path | None:
    """Return the MicroPython that `POTKEEPER_MICROPYTHON` names, that is installed, or that was fetched."""
    name = os.environ.get("POTKEEPER_MICROPYTHON") or shutil.which("micropython")
    if name:
        return Path(name)
    return FETCHED if FETCHED.exists() else None


class MicroPythonBoard:
    """Panel board (see `emulators.interface.Emulator`). It loses each byte with the probability `byte_loss`.

    `firmware` is the folder that contains the package `firmware_bridge`, and `start` the text of the board's main.py.
    """

    def __init__(self, micropython: Path, firmware: Path = ROOT, byte_loss: float = 0.0, *, start: str = START) -> None:
        self.byte_loss = byte_loss
        self.lost_bytes = 0
        self.lamp_mask = 0
        self._command = [str(micropython), "-X", f"heapsize={HEAP}", "-c", start]
        self._firmware = firmware
        self._random = random.Random(1)
        self._down: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> MicroPythonBoard:
        self.boot()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def boot(self) -> None:
        """Start the firmware, or start it again. Buttons that are down stay down."""
        self.kill()
        self._uart, uart = socket.socketpair()
        self._bench, bench = socket.socketpair()
        with uart, bench:
            for end in (self._uart, uart, self._bench, bench):
                end.setblocking(False)
            self._text = ""
            self._lines: list[str] = []
            self.lamp_mask = 0
            for button in self._down:
                self._send(f"down {BUTTON_PINS[button]}")
            self._process = subprocess.Popen(
                self._command,
                cwd=HERE,
                env={
                    "MICROPYPATH": f"{HERE}:{self._firmware}",
                    "BOARD_SOCKETS": f"{uart.fileno()} {bench.fileno()}",
                },
                pass_fds=(uart.fileno(), bench.fileno()),
                stderr=subprocess.STDOUT,
                stdout=subprocess.PIPE,
            )

    def kill(self) -> None:
        """End the firmware, as a board without power."""
        if self._process is not None:
            with self._process as process:
                process.kill()
            self._uart.close()
            self._bench.close()
            self._process = None

    def press(self, button: int) -> None:
        self._down.add(button)
        self._send(f"down {BUTTON_PINS[button]}")

    def release(self, button: int) -> None:
        self._down.discard(button)
        self._send(f"up {BUTTON_PINS[button]}")

    def fail(self) -> None:
        """Let the next reading of a pin raise an error."""
        self._send("fail")

    def hang(self) -> None:
        """Let the firmware hang at the next reading of a pin."""
        self._send("hang")

    async def until(self, line: str) -> None:
        """Wait until the board has reported this line. Raise AssertionError if the firmware ends before."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                has_ended = self._process is None or self._process.poll() is not None
                if line in self.read_lines():
                    return
                assert not has_ended, f"the firmware has ended before {line!r}: {self.output()}"
                await asyncio.sleep(PAUSE_S)

    async def until_end(self) -> str:
        """Wait until the firmware has ended, and return what it has printed."""
        async with asyncio.timeout(DEADLINE_S):
            while self._process is None or self._process.poll() is None:
                await asyncio.sleep(PAUSE_S)
        return self.output()

    def output(self) -> str:
        """Return what the ended firmware has printed."""
        return self._process.communicate()[0].decode() if self._process else ""

    def feed(self, data: bytes, now_us: int) -> list[tuple[int, bytes]]:
        try:
            self._uart.send(self._damage(data))
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            self.lost_bytes += len(data)
        return self.poll(now_us)

    def poll(self, now_us: int) -> list[tuple[int, bytes]]:
        try:
            data = self._damage(self._uart.recv(4096))
        except (BlockingIOError, ConnectionResetError):
            return []
        return [(now_us, data)] if data else []

    def next_deadline_us(self) -> int:
        return monotonic_us() + POLL_US

    def _damage(self, data: bytes) -> bytes:
        kept = bytes(byte for byte in data if self._random.random() >= self.byte_loss)
        self.lost_bytes += len(data) - len(kept)
        return kept

    def _send(self, command: str) -> None:
        self._bench.send(command.encode() + b"\n")

    def read_lines(self) -> list[str]:
        """Return all lines that the board has reported since its last boot, and keep its lamps up to date."""
        try:
            self._text += self._bench.recv(65536).decode()
        except (BlockingIOError, ConnectionResetError):
            return self._lines
        *lines, self._text = self._text.split("\n")
        self._lines += lines
        for line in lines:
            if line.startswith("lamp "):
                pin, is_on = map(int, line.split()[1:])
                bit = 1 << LAMP_PINS.index(pin)
                self.lamp_mask = self.lamp_mask | bit if is_on else self.lamp_mask & ~bit
        return self._lines
