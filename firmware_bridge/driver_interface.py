"""Interfaces of drivers, reasons why a link is down, and the state and counters of a link.

A driver never reads a clock and never touches a port. Its owner, which is `serial_port.SerialPort` or a simulation,
does both. The owner passes received bytes and the time to the driver and writes the bytes that `data_to_send` returns.
It calls `poll` no later than `next_deadline_us`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from firmware_bridge.driver_messages import LinkDown, LinkUp, Message
from firmware_bridge.errors import FaultSource, PotkeeperError

SILENCE_TIMEOUT_US = 1_000_000
"""Time, in µs, after which a device that does not answer requests is reported as down (readers.md, 4)."""
READER_SILENCE_TIMEOUT_US = 900_000
"""Time, in µs, after which a tag reader that does not answer is reported as down. The time is less than a second,
because the last request also takes some time on the wire."""

SERIAL_LATENCY_US = 40_000
"""Allowance, in µs, for delays other than air time and time on the serial line. Such delays are 16 ms in an FTDI
adapter, the reader's own work, and a busy host."""
SERIAL_GAP_TIMEOUT_US = 30_000
"""Pause, in µs, after which the rest of an incomplete frame is no longer expected. It is about two latency periods of
an FTDI adapter, which are 16 ms each."""
KEEPALIVE_INTERVAL_US = 300_000
"""Interval, in µs, of probes on an idle link. Three probes fit into the time after which a silent device is reported as
down."""
MAX_PROBE_TIMEOUT_US = 250_000
"""Maximum timeout of a probe in µs. The timeout doubles with each unanswered probe until it reaches this value. It is
then also the interval of the probes to a reader that is down."""

DOWN_SILENCE = "silence"
"""The port exists but the device does not answer. Check its power, cable, baud rate and parity."""
DOWN_REBOOT = "reboot"
"""The device has restarted. Events that it had not yet delivered are lost."""
DOWN_PROTOCOL = "protocol"
"""The firmware of the device uses another version of the protocol than this host."""
DOWN_NOT_FOUND = "not-found"
"""No port has this name, because the adapter is not plugged in or has another name."""
DOWN_BUSY = "busy"
"""Another process has opened the port."""
DOWN_PERMISSION = "permission"
"""The user of this process has no permission to open the port."""
DOWN_UNPLUGGED = "unplugged"
"""The port disappeared while it was open."""
DOWN_IO_ERROR = "io-error"
"""The port failed for a reason that none of the other constants describes."""
DOWN_OVERRUN = "overrun"
"""The device does not accept the bytes that the host writes, so the host's send buffer is full."""
DOWN_BABBLING = "babbling"
"""More bytes arrived than the line can carry. The device is broken or of a foreign type, so the port stays closed for a
while."""
DOWN_STOPPED = "stopped"
"""The host closed the port on purpose."""


class LinkNotReadyError(PotkeeperError):
    """A request to a driver while its link was down or another request was running. Check `is_idle` first."""

    fault: ClassVar[FaultSource] = "ours"


class WrongSetting(NamedTuple):
    """A setting of a reader with a wrong value (see `driver_messages.WrongReaderSetting`)."""

    setting: str
    actual: str
    expected: str


class Driver(Protocol):
    """Interface of a driver, which talks to one device at a serial port.

    All times are µs of one monotonic clock and never go back.
    """

    device: str

    def on_port_opened(self, now_us: int) -> list[Message]:
        """Start the handshake with the device. The owner of the port calls this method when the port has opened."""

    def on_port_closed(self, now_us: int, reason: str) -> list[Message]:
        """Forget the request in flight. The owner calls this method when the port was closed or cannot be opened.

        Return LinkDown unless the link was already reported as down.
        """

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        """Record bytes from the device, and return the messages that are now complete.

        The bytes may arrive in pieces of any size.
        """

    def poll(self, now_us: int) -> list[Message]:
        """Do the work that is due now: timeouts, retries and probes. Extra calls do no harm."""

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if there is no such time."""


@runtime_checkable
class HasBaudRate(Protocol):
    """Interface of a driver or an emulator that chooses its own line speed.

    The owner of the port sets the port to this speed. The driver changes the speed only while no bytes are on the line.
    """

    @property
    def baud(self) -> int:
        """Return the current speed in bits per second."""


class ReaderDriver(Driver, Protocol):
    """Interface of the driver of a tag reader with several antennas."""

    antennas: tuple[int, ...]
    stats: LinkStats
    version: bytes
    """The reader's answer to the version request, as received, or empty bytes before the answer arrives."""
    serial: str
    """Number that identifies this reader, in hexadecimal digits, or "" if it is not known."""
    wrong_settings: tuple[WrongSetting, ...]
    """Settings with a wrong value, also those that hide no chips, as the last handshake has read them."""

    @property
    def is_up(self) -> bool:
        """Return True if the reader is known to answer."""

    @property
    def is_idle(self) -> bool:
        """Return True if the reader is up and no inventory is running, so that `start_inventory` may be called."""

    def start_inventory(self, antenna: int, now_us: int) -> None:
        """Start one inventory of an antenna.

        The driver later returns exactly one InventoryResult or ReaderFault for this antenna, even if the link goes
        down. Raises ValueError if `antenna` is not one of `antennas`, and LinkNotReadyError if the driver is not idle.
        """


@dataclass(slots=True)
class LinkStats:
    """Counters of a link since its driver was created, for the technician's page and for tests."""

    frames: int = 0
    bad_frames: int = 0
    unexpected_frames: int = 0
    timeouts: int = 0
    retries: int = 0
    reboots: int = 0


class LinkState:
    """State of a link to a device (up, down or not yet known). It reports each change exactly once."""

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
