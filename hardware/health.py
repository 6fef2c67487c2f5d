"""Health of a table's readers, antennas and keys, which the technician's page shows.

The counters only observe messages and events. They never change the behaviour of the hardware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypedDict

from firmware_bridge.driver_interface import LinkStats, ReaderDriver
from firmware_bridge.driver_messages import InventoryResult, Message, ReaderFault
from firmware_bridge.panel import PanelDriver
from hardware.events import Event, KeyPressed, SeatPressed
from hardware.layout import PanelSpec, ReaderSpec
from hardware.spots import SpotAntennas

COUNT_WINDOW_US: Final = 30_000_000
"""Length, in µs, of the time window in which readings are counted. A health report adds the numbers of the current and
the previous window."""


class _LinkCounters(TypedDict):
    """The counters of `DeviceHealth` that come from a link."""

    frames: int
    bad_frames: int
    timeouts: int
    reboots: int


class PressStats(NamedTuple):
    """Number of presses of a key or button, and the time of its last press in µs."""

    press_count: int = 0
    last_us: int | None = None


@dataclass(frozen=True, slots=True)
class AntennaHealth:
    """Health of an antenna.

    `read_count` and `failed_count` are the numbers of readings and of failed readings in the last 30 to 60 seconds.
    """

    spot: str
    reader: str
    antenna: int
    is_online: bool | None
    """True if the spot is online, False if it is offline, and None before its first report."""
    tag_count: int = 0
    """Number of tags in the last good reading of the antenna."""
    read_count: int = 0
    failed_count: int = 0
    last_read_us: int | None = None
    """Time of the antenna's last good reading in µs."""
    last_fault: str = ""
    """Code of the fault in the antenna's last failed reading."""
    last_fault_us: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceHealth:
    """Health of a device. Its counters start at 0 when the program starts."""

    name: str
    kind: Literal["reader", "board", "keys"]
    is_up: bool
    port: str = ""
    model: str = ""
    """Protocol of a reader ("feig" or "pepper"), or "" for other devices."""
    version: str = ""
    """Version of the device as reported by it, in hexadecimal digits."""
    frames: int = 0
    bad_frames: int = 0
    timeouts: int = 0
    reboots: int = 0
    serial: str = ""
    """Number that the device reports of itself, or "" if it is not known."""
    expected_serial: str = ""
    """Number of the device in the layout, or "" if any device may be connected."""
    problems: tuple[str, ...] = ()
    """What is wrong although the device answers, such as "mode is 01, expected 00, ISO host mode"."""


def reader_health(spec: ReaderSpec, driver: ReaderDriver) -> DeviceHealth:
    """Return the health of a reader."""
    return DeviceHealth(
        name=spec.name,
        kind="reader",
        is_up=driver.is_up,
        port=spec.port,
        model=spec.protocol,
        version=driver.version.hex(),
        **_counters(driver.stats),
        serial=driver.serial,
        expected_serial=spec.serial,
        problems=tuple(
            f"{name} is {actual}, expected {expected}"
            for name, actual, expected in driver.wrong_settings
            if driver.is_up and name != "baud"  # The driver has found the speed, and uses it.
        ),
    )


SENSOR_PROBLEMS: Final = {
    "silent": "did not notice new chips again and again, expected a change whenever chips move",
    "noisy": "changes all the time, expected a change only when chips move",
}
"""What is wrong with a presence sensor, by its fault."""


def board_health(spec: PanelSpec, driver: PanelDriver, sensor_faults: Mapping[str, str] | None = None) -> DeviceHealth:
    """Return the health of a panel board.

    A button, lamp or presence input that the board lacks is a problem. `sensor_faults` has the faults of the table's
    presence sensors by spot.
    """
    counts = (
        ("buttons", spec.buttons, driver.button_count),
        ("lamps", spec.lamps, driver.lamp_count),
        ("presence inputs", spec.presence, driver.presence_count),
    )
    missing = tuple(
        f"it has {count} {name}, expected one more than the highest number in the layout, {max(numbers)}"
        for name, numbers, count in counts
        if driver.is_up and numbers and max(numbers) >= count
    )
    faulty = tuple(
        f"presence sensor of {spot} at input {number} {SENSOR_PROBLEMS[sensor_faults[spot]]}"
        for number, spot in spec.presence.items()
        if sensor_faults and spot in sensor_faults
    )
    return DeviceHealth(
        name=spec.name,
        kind="board",
        is_up=driver.is_up,
        port=spec.port,
        **_counters(driver.stats),
        serial=driver.serial,
        expected_serial=spec.serial,
        problems=missing + faulty,
    )


def _counters(stats: LinkStats) -> _LinkCounters:
    return {
        "frames": stats.frames,
        "bad_frames": stats.bad_frames,
        "timeouts": stats.timeouts,
        "reboots": stats.reboots,
    }


@dataclass(frozen=True, slots=True)
class HardwareHealth:
    """Health of the antennas, devices and buttons of a table at one moment."""

    antennas: tuple[AntennaHealth, ...] = ()
    devices: tuple[DeviceHealth, ...] = ()
    press_stats: dict[str | int, PressStats] = field(default_factory=dict)
    """Numbers of presses of the keys and seat buttons. The key of the mapping is the name of a key or the number of a
    seat."""
    lit_seats: frozenset[int] = frozenset()
    """Seats whose lamps should be on."""


@dataclass(slots=True)
class _AntennaCounters:
    """Counters of an antenna."""

    tag_count: int = 0
    window_start_us: int = 0
    """Start of the current counting window in µs."""
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
    """Counters of the drivers' messages and of presses of keys and buttons."""

    def __init__(self) -> None:
        self._antennas: dict[tuple[str, int], _AntennaCounters] = {}
        self._pressed: dict[str | int, PressStats] = {}

    def count_message(self, message: Message) -> None:
        """Count a driver's message if it is the result of a reading."""
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
        """Count an event if it is the press of a key or button."""
        if isinstance(event, KeyPressed | SeatPressed):
            button = event.key if isinstance(event, KeyPressed) else event.seat
            self._pressed[button] = PressStats(self.press_stats(button).press_count + 1, event.at_us)

    def press_stats(self, button: str | int) -> PressStats:
        """Return the number of presses of a key or seat button, with the time of the last press."""
        return self._pressed.get(button, PressStats())

    def antenna_health(
        self, spot_antennas: SpotAntennas, online: dict[str, bool | None], now_us: int
    ) -> tuple[AntennaHealth, ...]:
        """Return the health of every antenna. `online` says for each spot whether it is online."""
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
