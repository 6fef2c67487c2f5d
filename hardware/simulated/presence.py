"""Simulated presence sensors, which notice changes of the spots, and which fail at given rates."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from random import Random
from typing import Final

from hardware.layout import TableLayout
from hardware.simulated.world import SpotCover, World

LATE_US: Final = (200_000, 2_000_000)
"""Shortest and longest delay of a late change of a sensor. An estimate."""


@dataclass(frozen=True, slots=True)
class PresenceFaults:
    """Faults of presence sensors. Nobody publishes such rates, so all are estimates.

    - `missing`: share of the changes of a spot that its sensor does not notice.
    - `late`: share of the changes that the sensor notices late.
    - `false_per_minute`: number of changes of every sensor in a minute although nothing moves.
    - `silent_spots`: spots whose sensors never change.
    """

    missing: float = 0.0
    late: float = 0.0
    false_per_minute: float = 0.0
    silent_spots: frozenset[str] = frozenset()


NO_FAULTS: Final = PresenceFaults()


class SimulatedSensors:
    """Presence sensors of a simulated table. The same seed and the same movements give the same changes.

    A sensor changes when tags are put on its spot or taken away, and when a hand or another object covers the spot.
    """

    def __init__(self, layout: TableLayout, world: World, faults: PresenceFaults = NO_FAULTS, seed: int = 0) -> None:
        self._world = world
        self._faults = faults
        self._random = Random(f"{seed} presence")
        self._inputs = {
            spot: (panel.name, number) for panel in layout.panels for number, spot in panel.presence.items()
        }
        self._seen_count = world.change_count
        self._contents = {spot: self._contents_of(spot) for spot in self._inputs}
        self._due: list[tuple[int, bool, str]] = []
        """Time, whether it is a false change, and spot of every coming change of a sensor."""
        if faults.false_per_minute:
            for spot in self._inputs:
                self._schedule_false_change(spot, 0)

    def poll(self, now_us: int) -> list[tuple[str, int]]:
        """Return the board and the input of every sensor that changes now."""
        if self._world.change_count != self._seen_count:
            self._seen_count = self._world.change_count
            self._compare_contents(now_us)
        changed = []
        while self._due and self._due[0][0] <= now_us:
            _, is_false, spot = heapq.heappop(self._due)
            changed.append(self._inputs[spot])
            if is_false:
                self._schedule_false_change(spot, now_us)
        return changed

    def next_deadline_us(self, now_us: int) -> int | None:
        """Return the time at which `poll` must be called, or None if no sensor is about to change."""
        if self._inputs and self._world.change_count != self._seen_count:
            return now_us
        return self._due[0][0] if self._due else None

    def _compare_contents(self, now_us: int) -> None:
        for spot, before in self._contents.items():
            contents = self._contents_of(spot)
            if contents == before:
                continue
            self._contents[spot] = contents
            if spot in self._faults.silent_spots or self._random.random() < self._faults.missing:
                continue
            delay_us = self._random.randint(*LATE_US) if self._random.random() < self._faults.late else 0
            heapq.heappush(self._due, (now_us + delay_us, False, spot))

    def _schedule_false_change(self, spot: str, now_us: int) -> None:
        if spot not in self._faults.silent_spots:
            wait_us = int(self._random.expovariate(self._faults.false_per_minute / 60e6))
            heapq.heappush(self._due, (now_us + wait_us, True, spot))

    def _contents_of(self, spot: str) -> tuple[tuple[str, ...], SpotCover | None]:
        return self._world.tags_on_spot(spot), self._world.cover_of(spot)
