"""What every driver has in common: a sans-IO protocol, the reasons of a dead link, its counters.

A driver never reads a clock and never touches a port. Whoever owns the port (`serial_port.SerialPort`, or a
simulation that carries the bytes itself) tells it what happened and when, writes what `outgoing` gives, and
calls `poll` no later than `next_deadline_us`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from firmware_bridge.errors import PotkeeperError, Whose
from firmware_bridge.messages import LinkDown, LinkUp, Message

SILENCE_US = 1_000_000
"""A device that has said nothing for so long although it was asked is down (readers.md, 4)."""
READER_SILENCE_US = 900_000
"""The same of a reader: with the requests that are on the wire then it is told down within a second."""

SERIAL_LATENCY_US = 40_000
"""What may pass beyond air and serial time: 16 ms in an FTDI adapter, the reader's own work, a busy host."""
SERIAL_GAP_US = 30_000
"""A frame that has begun and does not go on for so long has been cut: two FTDI latency periods."""
KEEPALIVE_US = 300_000
"""An idle link is probed so often: three probes fit into the second after which it counts as dead."""
PROBE_MAX_US = 250_000
"""Probes wait twice as long each round, up to this: a reader that is down is greeted at this pace."""

DOWN_SILENCE = "silence"
"""The port is there, the device does not answer: power, cable, baud rate, parity."""
DOWN_REBOOT = "reboot"
"""The device started anew; what it had not delivered is gone."""
DOWN_PROTOCOL = "protocol"
"""The device speaks another version of the protocol: its firmware does not fit this host."""
DOWN_NOT_FOUND = "not-found"
"""There is no port of that name: adapter not plugged in, or another name."""
DOWN_BUSY = "busy"
"""Another process holds the port."""
DOWN_PERMISSION = "permission"
"""This user may not open the port."""
DOWN_UNPLUGGED = "unplugged"
"""The port vanished while it was open."""
DOWN_IO_ERROR = "io-error"
"""The port failed in another way."""
DOWN_OVERRUN = "overrun"
"""The device does not take what is written to it: the host's send buffer is full."""
DOWN_BABBLES = "babbling"
"""More came than its line can carry: no device of ours, or a broken one. The port is left alone for a while."""
DOWN_STOPPED = "stopped"
"""The host closed the port on purpose."""


class LinkNotReadyError(PotkeeperError):
    """The caller asked for something while the link was down or a job was under way (look at `idle`)."""

    whose: ClassVar[Whose] = "ours"


class Driver(Protocol):
    """One device behind one port. All times are microseconds of one monotonic clock and never go back."""

    device: str

    def opened(self, now_us: int) -> list[Message]:
        """The port is open: start the greeting."""

    def closed(self, now_us: int, reason: str) -> list[Message]:
        """The port is gone (or cannot be opened): forget what was in flight; LinkDown once."""

    def receive(self, data: bytes, now_us: int) -> list[Message]:
        """Bytes from the device, in any chunking."""

    def poll(self, now_us: int) -> list[Message]:
        """Timeouts, retries, keep-alive. Calling it more often than needed does no harm."""

    def outgoing(self) -> bytes:
        """The bytes to write now; they are handed out once."""

    def next_deadline_us(self) -> int | None:
        """When `poll` has to be called at the latest; None: not before something else happens."""


@runtime_checkable
class Tuned(Protocol):
    """A driver, or an emulated device, that speaks at a line speed of its own: whoever carries its bytes sets the port
    to that speed. A driver that looks for its device changes it while nothing is on the line."""

    @property
    def baud(self) -> int:
        """Bits a second, now."""


class Reader(Driver, Protocol):
    """The driver of a reader of tags with several antennas."""

    antennas: tuple[int, ...]
    stats: LinkStats
    version: bytes
    """What the reader says of itself, as it came; empty until it has."""

    @property
    def up(self) -> bool:
        """The reader answers."""

    @property
    def idle(self) -> bool:
        """Up and no inventory under way: `inventory` may be called."""

    def inventory(self, antenna: int, now_us: int) -> None:
        """Asks for all tags at an antenna. Ends in exactly one TagsSeen or ReaderFault with that antenna, also when
        the link goes down.

        Raises ValueError for an antenna that this reader was not given, LinkNotReadyError where not `idle`.
        """


@dataclass(slots=True)
class LinkStats:
    """Counters of one link since the driver was made, for the operator and for tests."""

    frames: int = 0
    bad_frames: int = 0
    unexpected: int = 0
    timeouts: int = 0
    retries: int = 0
    reboots: int = 0


class LinkState:
    """Whether a device is up, and that each change is told exactly once."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._told: bool | None = None

    @property
    def up(self) -> bool:
        return self._told is True

    @property
    def down(self) -> bool:
        """Told down; before the first word about the device it is neither up nor down."""
        return self._told is False

    def rise(self, now_us: int) -> list[Message]:
        """The device answers: LinkUp where it was not up."""
        if self._told is True:
            return []
        self._told = True
        return [LinkUp(self._device, now_us)]

    def fall(self, now_us: int, reason: str) -> list[Message]:
        """The device is gone: LinkDown where that was not told yet."""
        if self._told is False:
            return []
        self._told = False
        return [LinkDown(self._device, reason, now_us)]
