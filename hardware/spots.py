"""The places of a table where chips are sensed, and which antenna is whose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

SEATS: Final = 10
"""Most seats of a table."""
POT: Final = "pot"
TRAY: Final = "tray"
PAD: Final = "pad"
"""The count pad: big all-ins, buy-ins and stacks are counted on it, twenty chips at a time."""
BET_SPOTS: Final = tuple(f"bet{seat}" for seat in range(1, SEATS + 1))
SPOTS: Final = (*BET_SPOTS, POT, TRAY, PAD)
"""All names that a spot can have."""

_SEAT_OF: Final = {spot: seat for seat, spot in enumerate(BET_SPOTS, start=1)}


def bet_spot(seat: int) -> str:
    """The bet spot of a seat, 1 to 10. Raises ValueError for another number."""
    if not 1 <= seat <= SEATS:
        raise ValueError(f"seat {seat}: 1 to {SEATS} expected")
    return BET_SPOTS[seat - 1]


def seat_of(spot: str) -> int | None:
    """The seat whose bet spot this is; None for the pot, the tray, the count pad and names that are no spot."""
    return _SEAT_OF.get(spot)


@dataclass(frozen=True, slots=True)
class Place:
    """One spot and the antenna under it.

    Up to `max_sure_height` tags (measured with the house's chips) an answer is taken as whole; above it the
    tray says "at least". `neighbours` are the spots whose antennas reach this one: they are never on the air
    at the same time."""

    spot: str
    reader: str
    antenna: int
    max_sure_height: int
    neighbours: frozenset[str]

    @property
    def hint(self) -> bool:
        """A heap or a rack: its antenna is a hint and a proof of life for tags, not a ledger."""
        return self.spot in (POT, TRAY)


class Places:
    """The places of one table, by spot and by antenna, in the order of the layout."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.all: tuple[Place, ...] = tuple(places)
        self._by_spot = {place.spot: place for place in self.all}
        self._by_antenna = {(place.reader, place.antenna): place for place in self.all}
        by_reader: dict[str, list[str]] = {}
        for place in self.all:
            by_reader.setdefault(place.reader, []).append(place.spot)
        self.spots_of: Mapping[str, tuple[str, ...]] = {name: tuple(spots) for name, spots in by_reader.items()}

    def __getitem__(self, spot: str) -> Place:
        return self._by_spot[spot]

    def __contains__(self, spot: object) -> bool:
        return spot in self._by_spot

    @property
    def spots(self) -> tuple[str, ...]:
        return tuple(self._by_spot)

    def at(self, reader: str, antenna: int) -> Place | None:
        """The place of an antenna; None where nothing is connected to it."""
        return self._by_antenna.get((reader, antenna))
