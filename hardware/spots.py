"""The spots of a table (marked areas with an antenna), and their antennas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

MAX_SEATS: Final = 10
"""Maximum number of seats at a table."""
POT: Final = "pot"
TRAY: Final = "tray"
COUNT_PAD: Final = "pad"
"""Name of the count pad, a spot on which the dealer counts large all-ins, buy-ins and stacks in piles of twenty
chips."""
BET_SPOTS: Final = tuple(f"bet{seat}" for seat in range(1, MAX_SEATS + 1))
SPOTS: Final = (*BET_SPOTS, POT, TRAY, COUNT_PAD)
"""All possible names of spots."""

_SEAT_OF: Final = {spot: seat for seat, spot in enumerate(BET_SPOTS, start=1)}


def bet_spot(seat: int) -> str:
    """Return the name of the bet spot of a seat (1 to 10). Raise ValueError for another number."""
    if not 1 <= seat <= MAX_SEATS:
        raise ValueError(f"seat {seat}: expected a seat from 1 to {MAX_SEATS}")
    return BET_SPOTS[seat - 1]


def seat_of_spot(spot: str) -> int | None:
    """Return the seat of a bet spot, or None if the spot is not a bet spot."""
    return _SEAT_OF.get(spot)


@dataclass(frozen=True, slots=True)
class SpotAntenna:
    """One spot of the table and the antenna under it.

    `max_sure_height` is the maximum number of tags that this antenna reads reliably, measured with the chips of the
    house. A stack with more tags is reported with `at_least`. `neighbours` are the other spots that the antenna
    reaches. The antennas of two neighbours never read at the same time.
    """

    spot: str
    reader: str
    antenna: int
    max_sure_height: int
    neighbours: frozenset[str]

    @property
    def is_heap(self) -> bool:
        """Return True if the spot is the pot or the tray, in which chips lie in a heap.

        Readings of a heap are not complete enough to count its chips. They show which chips may be there, and that
        their tags work.
        """
        return self.spot in (POT, TRAY)


class SpotAntennas:
    """All spots of a table with their antennas, in the order of the layout.

    They can be looked up by spot or by antenna.
    """

    def __init__(self, spot_antennas: Iterable[SpotAntenna]) -> None:
        self.all: tuple[SpotAntenna, ...] = tuple(spot_antennas)
        self._by_spot = {antenna.spot: antenna for antenna in self.all}
        self._by_antenna = {(antenna.reader, antenna.antenna): antenna for antenna in self.all}
        by_reader: dict[str, list[str]] = {}
        for antenna in self.all:
            by_reader.setdefault(antenna.reader, []).append(antenna.spot)
        self.spots_by_reader: Mapping[str, tuple[str, ...]] = {name: tuple(spots) for name, spots in by_reader.items()}

    def __getitem__(self, spot: str) -> SpotAntenna:
        return self._by_spot[spot]

    def __contains__(self, spot: object) -> bool:
        return spot in self._by_spot

    @property
    def spots(self) -> tuple[str, ...]:
        """Return the names of the spots in the order of the layout."""
        return tuple(self._by_spot)

    def at_antenna(self, reader: str, antenna: int) -> SpotAntenna | None:
        """Return the spot with this antenna, or None if no spot of the layout uses the antenna."""
        return self._by_antenna.get((reader, antenna))
