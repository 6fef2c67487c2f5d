"""Interfaces of drivers, reasons why a link is down, and the state and counters of a link.

A driver never reads a clock and never touches a port. The owner of the port is `serial_port.SerialPort`, or a
simulation that carries the bytes. The owner reports to the driver what happened and when, writes the bytes that
`data_to_send` returns, and calls `poll` no later than `next_deadline_us`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from firmware_bridge.driver_messages import LinkDown, LinkUp, Message
from firmware_bridge.errors import FaultSource, PotkeeperError

SILENCE_TIMEOUT_US = 1_000_000
"""Time, in µs, after which a device that does not answer requests is down (readers.md, 4)."""
READER_SILENCE_TIMEOUT_US = 900_000
"""Time, in µs, after which a silent reader is down. It is shorter than `SILENCE_TIMEOUT_US`, so that the loss is
reported within a second although the last request still takes time on the wire."""

SERIAL_LATENCY_US = 40_000
"""Allowance, in µs, for delays besides air time and serial time: 16 ms in an FTDI adapter, the reader's own work, and a
busy host."""
SERIAL_GAP_TIMEOUT_US = 30_000
"""Pause, in µs, after which an incomplete frame counts as cut off: two latency periods of an FTDI adapter."""
KEEPALIVE_INTERVAL_US = 300_000
"""Interval, in µs, of probes on an idle link: three probes fit into the second after which a device is down."""
MAX_PROBE_TIMEOUT_US = 250_000
"""Maximum timeout of a probe in µs. The timeout doubles with each unanswered probe up to this value. A reader that is
down is probed at this interval."""

DOWN_SILENCE = "silence"
"""The port exists but the device does not answer. Check its power, cable, baud rate and parity."""
DOWN_REBOOT = "reboot"
"""The device has restarted, and events that it had not delivered are lost."""
DOWN_PROTOCOL = "protocol"
"""The device uses another version of the protocol, so its firmware does not fit this host."""
DOWN_NOT_FOUND = "not-found"
"""No port has this name, because the adapter is not plugged in or has another name."""
DOWN_BUSY = "busy"
"""Another process has opened the port."""
DOWN_PERMISSION = "permission"
"""This user may not open the port."""
DOWN_UNPLUGGED = "unplugged"
"""The port disappeared while it was open."""
DOWN_IO_ERROR = "io-error"
"""The port failed for another reason."""
DOWN_OVERRUN = "overrun"
"""The device does not accept what is written to it, so the host's send buffer is full."""
DOWN_BABBLING = "babbling"
"""More bytes arrived than the line can carry. The device is not ours or is broken, so the port stays closed for a
while."""
DOWN_STOPPED = "stopped"
"""The host closed the port on purpose."""


class LinkNotReadyError(PotkeeperError):
    """The caller made a request while the link was down or busy. Check `is_idle` first."""

    fault: ClassVar[FaultSource] = "ours"


class Driver(Protocol):
    """Driver of a device at a port.

    All times are µs of one monotonic clock and never go back.
    """

    device: str

    def on_port_opened(self, now_us: int) -> list[Message]:
        """Start the handshake, because the port has opened."""

    def on_port_closed(self, now_us: int, reason: str) -> list[Message]:
        """Forget the request in flight, because the port is closed or cannot be opened.

        Return LinkDown unless the link was already reported as down.
        """

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        """Return the messages that these bytes from the device complete. The bytes may arrive in pieces of any size."""

    def poll(self, now_us: int) -> list[Message]:
        """Handle what is due: timeouts, retries and keep-alive probes. Extra calls do no harm."""

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if it need not be called before another event."""


@runtime_checkable
class HasBaudRate(Protocol):
    """A driver or an emulator with its own line speed.

    The owner of the port sets the port to that speed. A driver that searches for its device changes the speed only
    while nothing is on the line.
    """

    @property
    def baud(self) -> int:
        """Return the current speed in bits per second."""


class ReaderDriver(Driver, Protocol):
    """The driver of a reader with several antennas."""

    antennas: tuple[int, ...]
    stats: LinkStats
    version: bytes
    """The reader's answer to the version request, as received. It is empty before the answer arrives."""

    @property
    def is_up(self) -> bool:
        """Return True if the reader answers."""

    @property
    def is_idle(self) -> bool:
        """Return True if the reader is up and no inventory is running, so that `start_inventory` may be called."""

    def start_inventory(self, antenna: int, now_us: int) -> None:
        """Start one inventory of an antenna.

        The inventory ends in exactly one InventoryResult or ReaderFault for this antenna, even if the link goes down.
        Raises ValueError if `antenna` is not one of `antennas`, and LinkNotReadyError if the driver is not idle.
        """


@dataclass(slots=True)
class LinkStats:
    """Counters of one link since its driver was created, for the technician's page and for tests."""

    frames: int = 0
    bad_frames: int = 0
    unexpected_frames: int = 0
    timeouts: int = 0
    retries: int = 0
    reboots: int = 0


class LinkState:
    """State of a link, which reports each change exactly once."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._reported_up: bool | None = None

    @property
    def is_up(self) -> bool:
        """Return True if the device was last reported up."""
        return self._reported_up is True

    @property
    def is_down(self) -> bool:
        """Return True if the device was last reported down.

        Before the first report the device is neither up nor down.
        """
        return self._reported_up is False

    def mark_up(self, now_us: int) -> list[Message]:
        """Mark the device as up. Return LinkUp, or an empty list if it was already up."""
        if self._reported_up is True:
            return []
        self._reported_up = True
        return [LinkUp(self._device, now_us)]

    def mark_down(self, now_us: int, reason: str) -> list[Message]:
        """Mark the device as down. Return LinkDown, or an empty list if it was already down."""
        if self._reported_up is False:
            return []
        self._reported_up = False
        return [LinkDown(self._device, reason, now_us)]
