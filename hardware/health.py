"""Health of the hardware of a table, for the technician's page.

The counters only observe the messages and events, and never influence them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from firmware_bridge.driver_messages import InventoryResult, Message, ReaderFault
from hardware.events import Event, KeyPressed, SeatPressed
from hardware.spots import SpotAntennas

COUNT_WINDOW_US: Final = 30_000_000
"""Length of a counting window. A health report adds the numbers of the current window and of the previous one."""


class PressStats(NamedTuple):
    """Number of presses of a key or button, and the time of the last press."""

    press_count: int = 0
    last_us: int | None = None


@dataclass(frozen=True, slots=True)
class AntennaHealth:
    """Health of an antenna.

    `read_count` and `failed_count` cover the last 30 to 60 seconds.
    """

    spot: str
    reader: str
    antenna: int
    is_online: bool | None
    """Whether the spot is online, or None before its first report."""
    tag_count: int = 0
    """Number of tags in the last good reading."""
    read_count: int = 0
    failed_count: int = 0
    last_read_us: int | None = None
    """Time of the last good reading."""
    last_fault: str = ""
    """Code of the last failed reading."""
    last_fault_us: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceHealth:
    """Health of a device at its port. The counters start with the program."""

    name: str
    kind: Literal["reader", "board", "keys"]
    is_up: bool
    port: str = ""
    model: str = ""
    """Protocol of a reader, or "" for other devices."""
    version: str = ""
    """Version that the device reports, in hexadecimal digits."""
    frames: int = 0
    bad_frames: int = 0
    timeouts: int = 0
    reboots: int = 0


@dataclass(frozen=True, slots=True)
class HardwareHealth:
    """Health of the hardware of a layout at one moment."""

    antennas: tuple[AntennaHealth, ...] = ()
    devices: tuple[DeviceHealth, ...] = ()
    press_stats: dict[str | int, PressStats] = field(default_factory=dict)
    """Presses of every key and seat button of the layout, by name of the key or number of the seat."""
    lit_seats: frozenset[int] = frozenset()
    """Seats with lamps that should be lit."""


@dataclass(slots=True)
class _AntennaCounters:
    """Counters of an antenna."""

    tag_count: int = 0
    window_start_us: int = 0
    """Start of the current counting window."""
    read_count: int = 0
    failed_count: int = 0
    previous_read_count: int = 0
    previous_failed_count: int = 0
    last_read_us: int | None = None
    last_fault: str = ""
    last_fault_us: int | None = None

    def start_window_if_due(self, at_us: int) -> None:
        """Start a new counting window if the current one is over."""
        if (passed_us := at_us - self.window_start_us) < COUNT_WINDOW_US:
            return
        is_adjacent = passed_us < 2 * COUNT_WINDOW_US
        self.previous_read_count, self.previous_failed_count = (
            (self.read_count, self.failed_count) if is_adjacent else (0, 0)
        )
        self.read_count, self.failed_count, self.window_start_us = 0, 0, at_us


class HealthCounters:
    """Counters of the drivers' messages and of the reported presses."""

    def __init__(self) -> None:
        self._antennas: dict[tuple[str, int], _AntennaCounters] = {}
        self._pressed: dict[str | int, PressStats] = {}

    def count_message(self, message: Message) -> None:
        """Count a message of a driver."""
        match message:
            case InventoryResult():
                antenna = self._counters(message.reader, message.antenna, message.at_us)
                antenna.read_count += 1
                antenna.tag_count, antenna.last_read_us = len(message.tags), message.at_us
            case ReaderFault(antenna=int(number)):
                antenna = self._counters(message.reader, number, message.at_us)
                antenna.read_count += 1
                antenna.failed_count += 1
                antenna.last_fault, antenna.last_fault_us = message.code, message.at_us

    def count_event(self, event: Event) -> None:
        """Count an event if it is a press."""
        if isinstance(event, KeyPressed | SeatPressed):
            button = event.key if isinstance(event, KeyPressed) else event.seat
            self._pressed[button] = PressStats(self.press_stats(button).press_count + 1, event.at_us)

    def press_stats(self, button: str | int) -> PressStats:
        """Return the presses of a key or of a seat's button."""
        return self._pressed.get(button, PressStats())

    def antenna_health(
        self, spot_antennas: SpotAntennas, online: dict[str, bool | None], now_us: int
    ) -> tuple[AntennaHealth, ...]:
        """Return the health of every antenna. `online` maps each spot to whether it is online."""
        results = []
        for spot_antenna in spot_antennas.all:
            counters = self._counters(spot_antenna.reader, spot_antenna.antenna, now_us)
            results.append(
                AntennaHealth(
                    spot=spot_antenna.spot,
                    reader=spot_antenna.reader,
                    antenna=spot_antenna.antenna,
                    is_online=online.get(spot_antenna.spot),
                    tag_count=counters.tag_count,
                    read_count=counters.read_count + counters.previous_read_count,
                    failed_count=counters.failed_count + counters.previous_failed_count,
                    last_read_us=counters.last_read_us,
                    last_fault=counters.last_fault,
                    last_fault_us=counters.last_fault_us,
                )
            )
        return tuple(results)

    def _counters(self, reader: str, antenna: int, at_us: int) -> _AntennaCounters:
        counters = self._antennas.setdefault((reader, antenna), _AntennaCounters(window_start_us=at_us))
        counters.start_window_if_due(at_us)
        return counters
