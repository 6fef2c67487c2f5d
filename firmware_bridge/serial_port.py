"""Serial ports at the edge: asyncio carries bytes and deadlines between a port and one driver.

The port is opened exclusively, lost and opened again without a restart. Source: readers.md, 5.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import termios
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import serial

from firmware_bridge.budget import Budget
from firmware_bridge.clock import monotonic_us
from firmware_bridge.link import (
    DOWN_BABBLES,
    DOWN_BUSY,
    DOWN_IO_ERROR,
    DOWN_NOT_FOUND,
    DOWN_OVERRUN,
    DOWN_PERMISSION,
    DOWN_STOPPED,
    DOWN_UNPLUGGED,
    Driver,
    Tuned,
)
from firmware_bridge.messages import Message

REOPEN_FIRST_S: Final = 0.05
"""A port that was lost is often back at once (a board that restarts)."""
REOPEN_MAX_S: Final = 0.4
"""The wait doubles up to this: a plugged cable works within half a second, a missing one costs nothing."""
STEADY_US: Final = 5_000_000
"""A port that was open for so long was no loose contact: it is opened again at once."""
FLAPS_MAX_S: Final = 5.0
"""The wait before a port that is lost again and again doubles up to this: it writes no records meanwhile."""
BABBLE_S: Final = 5.0
"""So long a port is left alone that says more than its line can carry: a second of it costs a twentieth of one."""
REST_S: Final = 0.005
"""How long a port is not read that says byte after byte: half of what a reading on the air takes."""
READ_BYTES: Final = 4096
"""Bytes taken at once; other ports get their turn then."""
MAX_UNSENT: Final = 4096
"""Bytes that the port did not take yet: far more than any driver asks for at once."""

_IN_SPEED: Final = 4
_OUT_SPEED: Final = 5
"""In the list of termios."""

Parity: TypeAlias = Literal["N", "E", "O"]

_REASONS: Final = {
    errno.ENOENT: DOWN_NOT_FOUND,
    errno.ENXIO: DOWN_NOT_FOUND,
    errno.ENODEV: DOWN_NOT_FOUND,
    errno.EACCES: DOWN_PERMISSION,
    errno.EPERM: DOWN_PERMISSION,
    errno.EBUSY: DOWN_BUSY,
    errno.EAGAIN: DOWN_BUSY,
    errno.EIO: DOWN_UNPLUGGED,
}


def error_reason(error: OSError | termios.error) -> str:
    """Why a port failed or could not be opened, as a reason of LinkDown."""
    code = error.errno if isinstance(error, OSError) else error.args[0]
    return _REASONS.get(code or 0, DOWN_IO_ERROR)


def _opened(path: str, baud: int, parity: str) -> serial.Serial:
    """The port with these settings. A pty has no parity and says so only when it is opened again: then without."""
    try:
        return serial.Serial(path, baud, parity=parity, timeout=0, write_timeout=0, exclusive=True)
    except termios.error as error:
        if error.args[0] != errno.EINVAL:
            raise
        return serial.Serial(path, baud, parity="N", timeout=0, write_timeout=0, exclusive=True)


class SerialPort:
    """Carries one driver's bytes over one serial port.

    `path` is best a name below /dev/serial/by-id. The port is opened with `baud`; where the driver looks for its device
    at several speeds, it follows the driver's. `on_message` is called in the loop's thread for each
    message. Whoever asks the driver for something (an inventory, lamps) calls `pump` afterwards. All
    methods belong to the thread of the running loop. A baud rate that the port cannot do raises ValueError
    from `start`.
    """

    def __init__(
        self,
        path: str,
        baud: int,
        parity: Parity,
        driver: Driver,
        on_message: Callable[[Message], None],
        *,
        clock: Callable[[], int] = monotonic_us,
    ) -> None:
        self.path = path
        self.driver = driver
        self._tuned = driver if isinstance(driver, Tuned) else None
        self._baud = baud
        self._parity = parity
        self._on_message = on_message
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._port: serial.Serial | None = None
        self._unsent = bytearray()
        self._writing = False
        self._timer: asyncio.TimerHandle | None = None
        self._reopen: asyncio.TimerHandle | None = None
        self._reopen_s = REOPEN_FIRST_S
        self._opened_us = 0
        self._flap_s = REOPEN_FIRST_S
        """The wait after it is lost; longer where that was soon after it was opened, and so the time before."""
        self._budget = Budget()
        self._rest: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """The port is there and ours; whether the device answers is another matter."""
        return self._port is not None

    def start(self) -> None:
        """Opens the port, and again whenever it is lost, until `stop`."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._open()

    def stop(self) -> None:
        """Closes the port for good; the driver tells LinkDown `stopped`."""
        if self._loop is None:
            return
        self._close(DOWN_STOPPED)
        if self._reopen is not None:
            self._reopen.cancel()
            self._reopen = None
        self._loop = None

    def pump(self) -> None:
        """Writes what the driver has to say and sets the timer for its next deadline."""
        loop, port = self._loop, self._port
        if loop is None or port is None:
            return
        if self._tuned is not None and self._tuned.baud != self._baud:
            self._retune(port.fileno(), self._tuned.baud)
        self._unsent += self.driver.outgoing()
        if not self._write(port.fileno()):
            return
        if bool(self._unsent) != self._writing:
            self._writing = bool(self._unsent)
            if self._writing:
                loop.add_writer(port.fileno(), self.pump)
            else:
                loop.remove_writer(port.fileno())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline_us = self.driver.next_deadline_us()
        if deadline_us is not None:
            wait_s = max(0, deadline_us - self._clock()) / 1e6
            self._timer = loop.call_later(wait_s, self._on_timer)

    def _open(self) -> None:
        self._reopen = None
        loop = self._loop
        if loop is None:
            return
        try:
            port = _opened(self.path, self._baud, self._parity)
        except (OSError, termios.error) as error:
            self._tell(self.driver.closed(self._clock(), error_reason(error)))
            self._open_later()
            return
        self._port = port
        try:
            port.reset_input_buffer()
        except (OSError, termios.error):
            self._lose(DOWN_UNPLUGGED)
            return
        self._reopen_s, self._opened_us, self._budget = REOPEN_FIRST_S, self._clock(), Budget()
        loop.add_reader(port.fileno(), self._on_readable)
        self._tell(self.driver.opened(self._clock()))
        self.pump()

    def _retune(self, descriptor: int, baud: int) -> None:
        """The port has this speed from now on, also when it is opened again; where it cannot, nobody will answer."""
        self._baud = baud
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            return
        with contextlib.suppress(termios.error):
            settings = termios.tcgetattr(descriptor)
            settings[_IN_SPEED] = settings[_OUT_SPEED] = speed
            termios.tcsetattr(descriptor, termios.TCSANOW, settings)

    def _open_later(self) -> None:
        if self._loop is not None:
            self._reopen = self._loop.call_later(self._reopen_s, self._open)
            self._reopen_s = min(2 * self._reopen_s, REOPEN_MAX_S)

    def _on_readable(self) -> None:
        if self._port is None:
            return
        try:
            data = os.read(self._port.fileno(), READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(error_reason(error))
            return
        if not data:
            self._lose(DOWN_UNPLUGGED)
            return
        now_us = self._clock()
        verdict = self._budget.spend(len(data), self._baud, now_us)
        if verdict == "babbles":
            self._lose(DOWN_BABBLES, BABBLE_S)
            return
        self._tell(self.driver.receive(data, now_us))
        self.pump()
        if verdict == "rests" and self._loop is not None and self._port is not None:
            self._loop.remove_reader(self._port.fileno())
            self._rest = self._loop.call_later(REST_S, self._read_again)

    def _read_again(self) -> None:
        self._rest = None
        if self._loop is not None and self._port is not None:
            self._loop.add_reader(self._port.fileno(), self._on_readable)

    def _on_timer(self) -> None:
        self._timer = None
        self._tell(self.driver.poll(self._clock()))
        self.pump()

    def _write(self, descriptor: int) -> bool:
        """Writes what the port takes; false where the port was lost by it."""
        try:
            while self._unsent:
                del self._unsent[: os.write(descriptor, self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose(error_reason(error))
            return False
        if len(self._unsent) > MAX_UNSENT:
            self._lose(DOWN_OVERRUN)
            return False
        return True

    def _lose(self, reason: str, least_s: float = 0.0) -> None:
        """The port is gone, and opened again, at the soonest after so long."""
        steady = self._clock() - self._opened_us >= STEADY_US
        self._flap_s = REOPEN_FIRST_S if steady else min(2 * self._flap_s, FLAPS_MAX_S)
        self._reopen_s = max(least_s, self._flap_s)
        self._close(reason)
        self._open_later()

    def _close(self, reason: str) -> None:
        port, self._port = self._port, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
        if port is not None:
            if self._loop is not None:
                self._loop.remove_reader(port.fileno())
                self._loop.remove_writer(port.fileno())
            port.close()
        self._writing = False
        self._unsent.clear()
        self._tell(self.driver.closed(self._clock(), reason))

    def _tell(self, messages: list[Message]) -> None:
        for message in messages:
            self._on_message(message)
