"""A serial port on asyncio, which passes bytes and deadlines between the port and a driver.

The port is opened exclusively. A port that is lost is opened again without a restart of the program. Source:
readers.md, 5.
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

from firmware_bridge.clock import monotonic_us
from firmware_bridge.driver_interface import (
    DOWN_BABBLING,
    DOWN_BUSY,
    DOWN_IO_ERROR,
    DOWN_NOT_FOUND,
    DOWN_OVERRUN,
    DOWN_PERMISSION,
    DOWN_STOPPED,
    DOWN_UNPLUGGED,
    Driver,
    HasBaudRate,
)
from firmware_bridge.driver_messages import Message
from firmware_bridge.serial_rate_limit import RateLimiter

MIN_REOPEN_DELAY_S: Final = 0.05
"""Delay, in seconds, before the first attempt to reopen a lost port. It is short because a board that restarts has its
port back at once."""
MAX_REOPEN_DELAY_S: Final = 0.4
"""Maximum delay, in seconds, between attempts to open a port. A cable that was plugged in thus works within half a
second. Attempts to open a missing port cost almost no processor time."""
STABLE_PORT_US: Final = 5_000_000
"""Time, in µs, for which a port must stay open to count as stable. If a stable port is lost, it is reopened at once. A
port that is lost earlier may have a loose contact."""
MAX_FLAPPING_DELAY_S: Final = 5.0
"""Maximum delay, in seconds, before a port that is lost again and again is reopened. The delay doubles with each loss
up to this value, so that the losses do not fill the journal."""
BABBLING_DELAY_S: Final = 5.0
"""Time, in seconds, for which a port stays closed after it delivered more bytes than its line can carry. One second of
such input costs 0.05 s of processor time."""
READ_PAUSE_S: Final = 0.005
"""Pause, in seconds, between two reads of a port that delivers its bytes one by one. The pause is half the air time of
a short inventory."""
READ_BYTES: Final = 4096
"""Maximum number of bytes in one read, so that other ports do not wait long."""
MAX_UNSENT_BYTES: Final = 4096
"""Maximum number of bytes that wait to be written to a port. No driver sends nearly as many bytes at once."""

_IN_SPEED: Final = 4
_OUT_SPEED: Final = 5
"""Indices of the input and output speed in the list of termios attributes."""

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


def down_reason(error: OSError | termios.error) -> str:
    """Return the reason for LinkDown that belongs to an error of a port."""
    code = error.errno if isinstance(error, OSError) else error.args[0]
    return _REASONS.get(code or 0, DOWN_IO_ERROR)


def _open_port(path: str, baud: int, parity: str) -> serial.Serial:
    """Open the port with this speed and parity.

    If a pseudo terminal rejects the parity, the port is opened without parity. A pseudo terminal reports this error
    only when it is opened a second time.
    """
    try:
        return serial.Serial(path, baud, parity=parity, timeout=0, write_timeout=0, exclusive=True)
    except termios.error as error:
        if error.args[0] != errno.EINVAL:
            raise
        return serial.Serial(path, baud, parity="N", timeout=0, write_timeout=0, exclusive=True)


class SerialPort:
    """Connects one driver to one serial port.

    `path` should be a name below `/dev/serial/by-id`. The port is opened with the speed `baud`. If the driver chooses
    its own speed, the port is then set to the driver's speed.

    `on_message` is called for each message of the driver. After a request to the driver, such as an inventory, the
    caller must call `pump`. All calls must be made in the thread of the running asyncio loop, and `on_message` is
    called in this thread too. `start` raises ValueError if the port does not support the baud rate.
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
        self._tunable_driver = driver if isinstance(driver, HasBaudRate) else None
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
        self._reopen_s = MIN_REOPEN_DELAY_S
        self._opened_us = 0
        self._loss_delay_s = MIN_REOPEN_DELAY_S
        """Delay, in seconds, before a lost port is reopened. The delay grows if the port was lost soon after it was
        opened."""
        self._rate_limiter = RateLimiter()
        self._pause: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Return True if this process has the port open, whether or not the device answers."""
        return self._port is not None

    def start(self) -> None:
        """Open the port, and reopen it whenever it is lost, until `stop` is called."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._open()

    def stop(self) -> None:
        """Close the port, and do not reopen it. The driver reports LinkDown with the reason `stopped`."""
        if self._loop is None:
            return
        self._close(DOWN_STOPPED)
        if self._reopen is not None:
            self._reopen.cancel()
            self._reopen = None
        self._loop = None

    def pump(self) -> None:
        """Write what the driver has to send and set the timer for its next deadline."""
        loop, port = self._loop, self._port
        if loop is None or port is None:
            return
        if self._tunable_driver is not None and self._tunable_driver.baud != self._baud:
            self._set_baud(port.fileno(), self._tunable_driver.baud)
        self._unsent += self.driver.data_to_send()
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
            port = _open_port(self.path, self._baud, self._parity)
        except (OSError, termios.error) as error:
            self._emit(self.driver.on_port_closed(self._clock(), down_reason(error)))
            self._open_later()
            return
        self._port = port
        try:
            port.reset_input_buffer()
        except (OSError, termios.error):
            self._lose(DOWN_UNPLUGGED)
            return
        self._reopen_s, self._opened_us, self._rate_limiter = MIN_REOPEN_DELAY_S, self._clock(), RateLimiter()
        loop.add_reader(port.fileno(), self._on_readable)
        self._emit(self.driver.on_port_opened(self._clock()))
        self.pump()

    def _set_baud(self, descriptor: int, baud: int) -> None:
        """Set the speed of the port. It is also used when the port is reopened.

        If the port does not support this speed, it keeps its old one, and no device will answer.
        """
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
            self._reopen_s = min(2 * self._reopen_s, MAX_REOPEN_DELAY_S)

    def _on_readable(self) -> None:
        if self._port is None:
            return
        try:
            data = os.read(self._port.fileno(), READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(down_reason(error))
            return
        if not data:
            self._lose(DOWN_UNPLUGGED)
            return
        now_us = self._clock()
        decision = self._rate_limiter.consume(len(data), self._baud, now_us)
        if decision == "close":
            self._lose(DOWN_BABBLING, BABBLING_DELAY_S)
            return
        self._emit(self.driver.receive_data(data, now_us))
        self.pump()
        if decision == "pause" and self._loop is not None and self._port is not None:
            self._loop.remove_reader(self._port.fileno())
            self._pause = self._loop.call_later(READ_PAUSE_S, self._read_again)

    def _read_again(self) -> None:
        self._pause = None
        if self._loop is not None and self._port is not None:
            self._loop.add_reader(self._port.fileno(), self._on_readable)

    def _on_timer(self) -> None:
        self._timer = None
        self._emit(self.driver.poll(self._clock()))
        self.pump()

    def _write(self, descriptor: int) -> bool:
        """Write as many of the waiting bytes as the port accepts. Return False if the port was lost."""
        try:
            while self._unsent:
                del self._unsent[: os.write(descriptor, self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose(down_reason(error))
            return False
        if len(self._unsent) > MAX_UNSENT_BYTES:
            self._lose(DOWN_OVERRUN)
            return False
        return True

    def _lose(self, reason: str, min_delay_s: float = 0.0) -> None:
        """Close the port and reopen it after at least `min_delay_s`."""
        steady = self._clock() - self._opened_us >= STABLE_PORT_US
        self._loss_delay_s = MIN_REOPEN_DELAY_S if steady else min(2 * self._loss_delay_s, MAX_FLAPPING_DELAY_S)
        self._reopen_s = max(min_delay_s, self._loss_delay_s)
        self._close(reason)
        self._open_later()

    def _close(self, reason: str) -> None:
        port, self._port = self._port, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        if port is not None:
            if self._loop is not None:
                self._loop.remove_reader(port.fileno())
                self._loop.remove_writer(port.fileno())
            port.close()
        self._writing = False
        self._unsent.clear()
        self._emit(self.driver.on_port_closed(self._clock(), reason))

    def _emit(self, messages: list[Message]) -> None:
        for message in messages:
            self._on_message(message)
