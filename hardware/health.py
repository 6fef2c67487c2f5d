"""How the hardware of a table is doing: for the technician's page, counted beside the work, never a part of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from firmware_bridge.messages import Message, ReaderFault, TagsSeen
from hardware.events import Event, KeyPressed, SeatPressed
from hardware.spots import Places

HALF_US: Final = 30_000_000
"""Readings are counted in halves of a minute: the one that runs, and the one before it."""


class Pressed(NamedTuple):
    """How often a key or button was pressed, and when last."""

    presses: int = 0
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class AntennaHealth:
    """One antenna. `reads` and `failed` are of the last half to whole minute."""

    spot: str
    reader: str
    antenna: int
    online: bool | None
    """None while it is not known yet."""
    tags: int = 0
    """In its last good reading."""
    reads: int = 0
    failed: int = 0
    read_us: int | None = None
    """When it was last read well."""
    fault: str = ""
    """The code of its last failed reading."""
    fault_us: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceHealth:
    """One device at its port; counters since the program began."""

    name: str
    kind: Literal["reader", "board", "keys"]
    up: bool
    port: str = ""
    model: str = ""
    """Of a reader, its protocol."""
    version: str = ""
    """What it says of itself, in hexadecimal digits."""
    frames: int = 0
    bad_frames: int = 0
    timeouts: int = 0
    reboots: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """Everything of one layout at one moment."""

    antennas: tuple[AntennaHealth, ...] = ()
    devices: tuple[DeviceHealth, ...] = ()
    pressed: dict[str | int, Pressed] = field(default_factory=dict)
    """By the name of a key, or the seat of a button; all that the layout has."""
    lamps: frozenset[int] = frozenset()
    """The seats whose lamps should shine."""


@dataclass(slots=True)
class _Antenna:
    tags: int = 0
    half_us: int = 0
    """When the half minute that runs began."""
    reads: int = 0
    failed: int = 0
    reads_before: int = 0
    failed_before: int = 0
    read_us: int | None = None
    fault: str = ""
    fault_us: int | None = None

    def turns(self, at_us: int) -> None:
        """Begins another half minute where one is over."""
        if (passed := at_us - self.half_us) < HALF_US:
            return
        just_now = passed < 2 * HALF_US
        self.reads_before, self.failed_before = (self.reads, self.failed) if just_now else (0, 0)
        self.reads, self.failed, self.half_us = 0, 0, at_us


class Tally:
    """Counts what comes from the drivers, and the presses that are told."""

    def __init__(self) -> None:
        self._antennas: dict[tuple[str, int], _Antenna] = {}
        self._pressed: dict[str | int, Pressed] = {}

    def takes(self, message: Message) -> None:
        """A message of a driver."""
        match message:
            case TagsSeen():
                antenna = self._at(message.reader, message.antenna, message.at_us)
                antenna.reads += 1
                antenna.tags, antenna.read_us = len(message.tags), message.at_us
            case ReaderFault(antenna=int(number)):
                antenna = self._at(message.reader, number, message.at_us)
                antenna.reads += 1
                antenna.failed += 1
                antenna.fault, antenna.fault_us = message.code, message.at_us

    def tells(self, event: Event) -> None:
        """An event that goes up."""
        if isinstance(event, KeyPressed | SeatPressed):
            which = event.key if isinstance(event, KeyPressed) else event.seat
            self._pressed[which] = Pressed(self.presses(which).presses + 1, event.at_us)

    def presses(self, which: str | int) -> Pressed:
        """Of a key, or of a seat's button."""
        return self._pressed.get(which, Pressed())

    def antennas(self, places: Places, online: dict[str, bool | None], now_us: int) -> tuple[AntennaHealth, ...]:
        """Every antenna of these places; `online` by spot."""
        found = []
        for place in places.all:
            seen = self._at(place.reader, place.antenna, now_us)
            found.append(
                AntennaHealth(
                    spot=place.spot,
                    reader=place.reader,
                    antenna=place.antenna,
                    online=online.get(place.spot),
                    tags=seen.tags,
                    reads=seen.reads + seen.reads_before,
                    failed=seen.failed + seen.failed_before,
                    read_us=seen.read_us,
                    fault=seen.fault,
                    fault_us=seen.fault_us,
                )
            )
        return tuple(found)

    def _at(self, reader: str, antenna: int, at_us: int) -> _Antenna:
        found = self._antennas.setdefault((reader, antenna), _Antenna(half_us=at_us))
        found.turns(at_us)
        return found
