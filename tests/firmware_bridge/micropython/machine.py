"""Stand-in for MicroPython's module `machine` on a panel board, for the unix port of MicroPython.

The test passes two sockets. One is the UART. On the other one, the test sends the commands `down PIN`, `up PIN`, `fail`
and `hang`, and this module answers with one line for each event, such as `lamp 10 1` or `watchdog 2000`.
"""

import os
import sys
from time import sleep_ms, ticks_diff, ticks_ms  # type: ignore[attr-defined]

FEEDS_PER_LINE = 100
"""Number of times that the watchdog is fed until a line reports this. The loop feeds the watchdog all the time."""
MAX_READS_PER_FEED = 1000
"""Number of readings of pins after which a watchdog that nobody feeds restarts the board. A step has some ten."""


class _Board:
    """The board's state, and its sockets."""

    def __init__(self) -> None:
        uart, bench = os.getenv("BOARD_SOCKETS", "").split()
        self.uart = open(int(uart), "r+b")  # noqa: SIM115
        self.low_pins: set[int] = set()
        self.watchdog_ms = 0
        self.fed_ms = 0
        self.feeds = 0
        self.reads_since_feed = 0
        self._bench = open(int(bench), "r+b")  # noqa: SIM115
        self._commands = b""

    def report(self, *words: object) -> None:
        """Send a line to the test."""
        self._bench.write((" ".join(str(word) for word in words) + "\n").encode())

    def obey(self) -> None:
        """Obey the commands that have arrived. A command that is not complete is kept until its rest arrives."""
        lines = (self._commands + (self._bench.read(256) or b"")).split(b"\n")
        self._commands = lines.pop()
        for line in lines:
            words = line.decode().split()
            if words[0] == "down":
                self.low_pins.add(int(words[1]))
            elif words[0] == "up":
                self.low_pins.discard(int(words[1]))
            elif words[0] == "fail":
                raise OSError("planted error of a pin")
            elif words[0] == "hang":
                self._hang()

    def _hang(self) -> None:
        """Hang until the watchdog restarts the board. Without a watchdog, hang for ever."""
        while not self.watchdog_ms or ticks_diff(ticks_ms(), self.fed_ms) < self.watchdog_ms:
            sleep_ms(10)
        reset()


class Pin:
    """Pin of the board. The commands of the test set the inputs. Each change of an output is reported."""

    IN = 0
    OUT = 1
    PULL_UP = 2

    def __init__(self, number: int, mode: int = -1, pull: int = -1, value: int = 0) -> None:
        self._number = number
        self._value = value

    def value(self, value: "int | None" = None) -> int:
        """Return the level of an input, or set an output."""
        if value is None:
            _board.obey()
            _board.reads_since_feed += 1
            if _board.watchdog_ms and _board.reads_since_feed > MAX_READS_PER_FEED:
                reset()
            return int(self._number not in _board.low_pins)
        if value != self._value:
            self._value = value
            _board.report("lamp", self._number, value)
        return value


class UART:
    """Serial port of the board."""

    def __init__(self, number: int, baud: int, *, tx: Pin, rx: Pin, timeout: int, txbuf: int, rxbuf: int) -> None:
        _board.report("uart", number, baud, timeout)

    def read(self, count: int) -> "bytes | None":
        """Return received bytes, or None if none have arrived."""
        return _board.uart.read(count)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        _board.uart.write(data)


class WDT:
    """Watchdog, which ends a hang that takes longer than its timeout."""

    def __init__(self, timeout: int) -> None:
        _board.watchdog_ms = timeout
        _board.report("watchdog", timeout)
        self.feed()

    def feed(self) -> None:
        """Start the time again."""
        _board.fed_ms = ticks_ms()
        _board.reads_since_feed = 0
        _board.feeds += 1
        if _board.feeds % FEEDS_PER_LINE == 0:
            _board.report("fed", _board.feeds)


def reset() -> None:
    """End the process. The test starts it again."""
    _board.report("reset")
    sys.exit(0)


def unique_id() -> bytes:
    """Return the number of the chip."""
    return bytes.fromhex("e6605838836d4e2f")


_board = _Board()
_board.report("boot", sys.implementation.name, ".".join(str(part) for part in sys.implementation.version[:3]))
