"""Simulated motions at one spot without a table.

Chips land and leave, and stack detection gets readings with random misses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from hardware.chip_set import TagKind
from hardware.events import Chip, Event, StackProvisional, StackSettled
from hardware.spots import SpotAntenna
from hardware.stack_detection import DetectionTimes, StackDetector

AIR_TIME_MS: Final = {0: 14.0, 1: 18.0, 2: 23.0, 5: 44.0, 10: 95.0, 20: 211.0}
"""Mean air time of an inventory with ISO 15693, by the number of tags. Source: readers.md, 1."""
SWITCH_MS: Final = 20.0
"""Time for the switch of the antenna and the reset of the field before each inventory."""
TAG_MS: Final = 1.0
"""Time on the wire for each tag of an answer at 115200 baud."""
OTHER_SPOT_MS: Final = 40.0
"""Time that the reader spends on another spot between two readings of this spot. While the readings of this spot
differ, the reader does not change to another spot."""
LAND_MS: Final = 300.0
"""Time from the landing of the first chip to the landing of the last chip of a motion."""
TIMEOUT_MS: Final = 20_000.0
VALUES: Final = (5, 25, 100)
HEIGHT_WEIGHTS: Final = (8, 10, 10, 10, 10, 8, 6, 6, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 4)
"""Relative frequency of motions with 1 chip, 2 chips and so on up to 20 chips. Most motions have few chips, but stacks
of twenty occur."""


@dataclass(frozen=True, slots=True)
class MissRates:
    """Rates at which tags do not answer."""

    usual: float = 0.02
    sticky_share: float = 0.0
    """Share of new chips that are sticky, which means that they have their own miss rate from 0 to 1."""
    ghost_rate: float = 0.02
    """Share of chips that still answer in one or two readings after they were taken away."""
    crosstalk: float = 0.002
    """Share of the readings of a spot in which a chip on the neighbour spot answers."""


USUAL_MISSES: Final = MissRates()
STICKY_1: Final = MissRates(usual=0.005, sticky_share=0.01)
STICKY_3: Final = MissRates(usual=0.005, sticky_share=0.03)


class UidChips:
    """Catalog in which the UID determines the denomination."""

    def denomination(self, uid: str) -> int | None:
        return VALUES[int(uid, 16) % len(VALUES)]

    def lammer(self, uid: str) -> str | None:
        return None

    def kind(self, uid: str) -> TagKind:
        return "chip"


@dataclass(slots=True)
class MotionCounts:
    """Results of many motions."""

    settled: int = 0
    wrong: int = 0
    """Number of stacks that settled with a wrong amount although every chip had answered."""
    never_heard: int = 0
    """Number of stacks that settled with a wrong amount because a chip had not answered."""
    at_least: int = 0
    """Number of stacks that settled as "at least"."""
    needless_at_least: int = 0
    """Number of stacks that settled as "at least" although no chip was missing."""
    wrong_at_least: int = 0
    """Number of stacks that settled as "at least" with chips that were not on the spot."""
    not_emptied: int = 0
    """Number of stacks that were taken away without a report that the spot is empty."""
    never_settled: int = 0
    withdrawn: int = 0
    """Number of provisional stacks with fewer chips than an earlier provisional stack, although no chip was taken
    away."""
    provisional_ms: list[float] = field(default_factory=list)
    settled_ms: list[float] = field(default_factory=list)
    by_height: Counter[str] = field(default_factory=Counter)

    def per_10_000(self, count: int) -> float:
        return 10_000 * count / self.settled


def simulate_motions(
    motions: int, misses: MissRates, seed: int, heights: Sequence[int] = HEIGHT_WEIGHTS
) -> MotionCounts:
    """Simulate this many motions at bet1, with five chips on the neighbour spot, and return the results."""
    bench = MotionBench(misses, seed)
    count = MotionCounts()
    for _ in range(motions):
        bench.motion(count, heights)
    return count


class MotionBench:
    """Bench with the neighbour spots bet1 and bet2. The reader prefers bet1, as if its seat were in turn."""

    def __init__(self, misses: MissRates, seed: int) -> None:
        self.misses = misses
        self.random = Random(seed)
        self.now_ms = 0.0
        self.serial = 0
        spot_antennas = [
            SpotAntenna("bet1", "main", 1, 20, frozenset({"bet2"})),
            SpotAntenna("bet2", "main", 2, 20, frozenset({"bet1"})),
        ]
        self.detector = StackDetector(spot_antennas, UidChips(), DetectionTimes())
        self.rates: dict[str, float] = {}
        """Miss rate of every chip on the spot."""
        self.landing_ms: dict[str, float] = {}
        self.ghosts: dict[str, int] = {}
        self.heard: set[str] = set()
        self.reported: tuple[Chip, ...] = ()
        self.neighbour_chips = tuple(self.chip() for _ in range(5))
        for _ in range(40):
            self.read_spot()
            self.detector.record_reading("bet2", self.neighbour_chips, self.now_us)

    @property
    def now_us(self) -> int:
        return round(self.now_ms * 1000)

    def chip(self) -> str:
        self.serial += 1
        return f"{self.serial:016X}"

    def read_spot(self) -> list[Event]:
        """Read the spot once and return the events."""
        draw, misses = self.random.random, self.misses
        tags = [
            uid for uid, rate in self.rates.items() if draw() >= rate and self.landing_ms.get(uid, 0.0) <= self.now_ms
        ]
        self.heard.update(tags)
        for uid in list(self.ghosts):
            tags.append(uid)
            self.ghosts[uid] -= 1
            if not self.ghosts[uid]:
                del self.ghosts[uid]
        if misses.crosstalk and draw() < misses.crosstalk * len(self.neighbour_chips):
            tags.append(self.neighbour_chips[0])
        self.now_ms += SWITCH_MS + air_time_ms(len(tags)) * (0.8 + 0.4 * draw()) + TAG_MS * len(tags)
        events = self.detector.record_reading("bet1", tuple(sorted(tags)), self.now_us)
        if not self.detector.is_unsure("bet1"):
            self.now_ms += OTHER_SPOT_MS
        if self.random.random() < 0.1:
            self.detector.record_reading("bet2", self.neighbour_chips, self.now_us)
        return events

    def motion(self, count: MotionCounts, heights: Sequence[int]) -> None:
        """Put chips on the spot, wait until they are settled, and take them away."""
        self.now_ms += self.random.random() * 200
        began_ms = self.now_ms
        height = self.random.choices(range(1, len(heights) + 1), heights)[0]
        for _ in range(height):
            uid = self.chip()
            sticky = self.random.random() < self.misses.sticky_share
            self.rates[uid] = self.random.random() if sticky else self.misses.usual
            self.landing_ms[uid] = began_ms + self.random.random() * LAND_MS
        down_ms = max(self.landing_ms[uid] for uid in self.rates)
        self.heard.clear()
        complete = self.wait_until_settled(count, down_ms, frozenset(self.rates))
        if complete is None:
            count.never_settled += 1
        else:
            self.count_result(complete, count, height)
        for uid in self.rates:
            if self.random.random() < self.misses.ghost_rate:
                self.ghosts[uid] = self.random.choice((1, 2))
        self.rates.clear()
        self.landing_ms.clear()
        emptied = self.wait_until_settled(None, self.now_ms, frozenset())
        count.not_emptied += emptied is None or bool(emptied.stack)

    def wait_until_settled(
        self, count: MotionCounts | None, down_ms: float, on_spot: frozenset[str]
    ) -> StackSettled | None:
        end_ms, provisional_ms = self.now_ms + TIMEOUT_MS, None
        previous, max_height = self.reported, 0
        while self.now_ms < end_ms:
            for event in self.read_spot():
                if (
                    isinstance(event, StackProvisional)
                    and provisional_ms is None
                    and {chip.uid for chip in event.stack} >= on_spot
                ):
                    provisional_ms = self.now_ms
                if count is not None and isinstance(event, StackProvisional):
                    count.withdrawn += len(event.stack) < max_height
                    max_height = len(event.stack)
                if isinstance(event, StackSettled) and event.stack != previous:
                    self.reported = event.stack
                    if count is not None:
                        count.settled_ms.append(self.now_ms - down_ms)
                        if provisional_ms is not None:
                            count.provisional_ms.append(provisional_ms - down_ms)
                    return event
        return None

    def count_result(self, reported: StackSettled, count: MotionCounts, height: int) -> None:
        count.settled += 1
        is_correct = {chip.uid for chip in reported.stack} == self.rates.keys()
        if reported.at_least:
            count.at_least += 1
            count.needless_at_least += is_correct
            count.wrong_at_least += not {chip.uid for chip in reported.stack} <= self.rates.keys()
        elif not is_correct:
            if self.heard >= self.rates.keys():
                count.wrong += 1
                count.by_height[f"wrong {height}"] += 1
            else:
                count.never_heard += 1
                count.by_height[f"never {height}"] += 1


def air_time_ms(tags: int) -> float:
    """Return the mean air time of an inventory of this many tags."""
    if tags in AIR_TIME_MS:
        return AIR_TIME_MS[tags]
    tag_counts = sorted(AIR_TIME_MS)
    above = min(bisect_right(tag_counts, tags), len(tag_counts) - 1)
    low, high = tag_counts[above - 1], tag_counts[above]
    return AIR_TIME_MS[low] + (AIR_TIME_MS[high] - AIR_TIME_MS[low]) * (tags - low) / (high - low)
