"""Motions at a spot without a table: chips land and are taken away, the readings of them are drawn, settling tells."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from hardware.chips import Kind
from hardware.events import Chip, Event, StackComplete, StackSeen
from hardware.settling import Settling, Times
from hardware.spots import Place

AIR_MS: Final = {0: 14.0, 1: 18.0, 2: 23.0, 5: 44.0, 10: 95.0, 20: 211.0}
"""Mean air time of an inventory by the number of tags, ISO 15693. Source: readers.md, 1."""
SWITCH_MS: Final = 20.0
"""Multiplexer, and the field's reset before each inventory."""
TAG_MS: Final = 1.0
"""An answer's bytes for each tag at 115200 baud."""
OTHER_MS: Final = 40.0
"""Another spot is read between two readings of a spot that is not unsure."""
LAND_MS: Final = 300.0
"""The chips of a motion touch down within this time."""
GIVE_UP_MS: Final = 20_000.0
VALUES: Final = (5, 25, 100)
HEIGHTS: Final = (8, 10, 10, 10, 10, 8, 6, 6, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 4)
"""How often a motion has 1, 2, ... 20 chips: most have few, whole twenties are pushed in."""


@dataclass(frozen=True, slots=True)
class Misses:
    """How often tags do not answer."""

    usual: float = 0.02
    sticky_share: float = 0.0
    """Of the chips that are put down, so many have a miss rate of their own, from 0 to 1."""
    ghost: float = 0.02
    """A chip that is taken away answers once or twice more."""
    crosstalk: float = 0.002
    """A chip on the neighbour spot answers here."""


USUAL: Final = Misses()
STICKY_1: Final = Misses(usual=0.005, sticky_share=0.01)
STICKY_3: Final = Misses(usual=0.005, sticky_share=0.03)


class Chips:
    """UIDs that say their value."""

    def denomination(self, uid: str) -> int | None:
        return VALUES[int(uid, 16) % len(VALUES)]

    def lammer(self, uid: str) -> str | None:
        return None

    def kind(self, uid: str) -> Kind:
        return "chip"


@dataclass(slots=True)
class Count:
    """What came of many motions."""

    told: int = 0
    wrong: int = 0
    """Another amount than lay there, and every chip had answered at least once."""
    never_heard: int = 0
    """Another amount, because a chip had not answered."""
    at_least: int = 0
    needless: int = 0
    """Told as "at least" though it was all."""
    unlike: int = 0
    """Told as "at least", but less lay there."""
    left_over: int = 0
    """After the chips were taken away something else than nothing was told."""
    untold: int = 0
    withdrawn: int = 0
    """Chips that lay there were told, and then told to be gone."""
    seen_ms: list[float] = field(default_factory=list)
    complete_ms: list[float] = field(default_factory=list)
    by_height: Counter[str] = field(default_factory=Counter)

    def per_10_000(self, count: int) -> float:
        return 10_000 * count / self.told


def played(motions: int, misses: Misses, seed: int, heights: Sequence[int] = HEIGHTS) -> Count:
    """So many motions at bet1, with some chips at its neighbour."""
    bench = Bench(misses, seed)
    count = Count()
    for _ in range(motions):
        bench.motion(count, heights)
    return count


class Bench:
    """Two spots that reach each other, the first in turn."""

    def __init__(self, misses: Misses, seed: int) -> None:
        self.misses = misses
        self.random = Random(seed)
        self.now_ms = 0.0
        self.serial = 0
        places = [
            Place("bet1", "main", 1, 20, frozenset({"bet2"})),
            Place("bet2", "main", 2, 20, frozenset({"bet1"})),
        ]
        self.settling = Settling(places, Chips(), Times())
        self.rates: dict[str, float] = {}
        """Chips on the spot, and how often each does not answer."""
        self.lands_ms: dict[str, float] = {}
        self.ghosts: dict[str, int] = {}
        self.heard: set[str] = set()
        self.told: tuple[Chip, ...] = ()
        self.beside = tuple(self.chip() for _ in range(5))
        for _ in range(40):
            self.look()
            self.settling.reading("bet2", self.beside, self.us)

    @property
    def us(self) -> int:
        return round(self.now_ms * 1000)

    def chip(self) -> str:
        self.serial += 1
        return f"{self.serial:016X}"

    def look(self) -> list[Event]:
        """One reading of the spot."""
        pick, misses = self.random.random, self.misses
        tags = [
            uid for uid, rate in self.rates.items() if pick() >= rate and self.lands_ms.get(uid, 0.0) <= self.now_ms
        ]
        self.heard.update(tags)
        for uid in list(self.ghosts):
            tags.append(uid)
            self.ghosts[uid] -= 1
            if not self.ghosts[uid]:
                del self.ghosts[uid]
        if misses.crosstalk and pick() < misses.crosstalk * len(self.beside):
            tags.append(self.beside[0])
        self.now_ms += SWITCH_MS + air_ms(len(tags)) * (0.8 + 0.4 * pick()) + TAG_MS * len(tags)
        events = self.settling.reading("bet1", tuple(sorted(tags)), self.us)
        if not self.settling.unsure("bet1"):
            self.now_ms += OTHER_MS
        if self.random.random() < 0.1:
            self.settling.reading("bet2", self.beside, self.us)
        return events

    def motion(self, count: Count, heights: Sequence[int]) -> None:
        """Chips are put down, lie there until they are complete, and are taken away."""
        self.now_ms += self.random.random() * 200
        began_ms = self.now_ms
        height = self.random.choices(range(1, len(heights) + 1), heights)[0]
        for _ in range(height):
            uid = self.chip()
            sticky = self.random.random() < self.misses.sticky_share
            self.rates[uid] = self.random.random() if sticky else self.misses.usual
            self.lands_ms[uid] = began_ms + self.random.random() * LAND_MS
        down_ms = max(self.lands_ms[uid] for uid in self.rates)
        self.heard.clear()
        complete = self.until_complete(count, down_ms, frozenset(self.rates))
        if complete is None:
            count.untold += 1
        else:
            self.judge(complete, count, height)
        for uid in self.rates:
            if self.random.random() < self.misses.ghost:
                self.ghosts[uid] = self.random.choice((1, 2))
        self.rates.clear()
        self.lands_ms.clear()
        gone = self.until_complete(None, self.now_ms, frozenset())
        count.left_over += gone is None or bool(gone.stack)

    def until_complete(self, count: Count | None, down_ms: float, lying: frozenset[str]) -> StackComplete | None:
        end_ms, seen_ms = self.now_ms + GIVE_UP_MS, None
        before, most = self.told, 0
        while self.now_ms < end_ms:
            for event in self.look():
                if isinstance(event, StackSeen) and seen_ms is None and {chip.uid for chip in event.stack} >= lying:
                    seen_ms = self.now_ms
                if count is not None and isinstance(event, StackSeen):
                    count.withdrawn += len(event.stack) < most
                    most = len(event.stack)
                if isinstance(event, StackComplete) and event.stack != before:
                    self.told = event.stack
                    if count is not None:
                        count.complete_ms.append(self.now_ms - down_ms)
                        if seen_ms is not None:
                            count.seen_ms.append(seen_ms - down_ms)
                    return event
        return None

    def judge(self, told: StackComplete, count: Count, height: int) -> None:
        count.told += 1
        right = {chip.uid for chip in told.stack} == self.rates.keys()
        if told.at_least:
            count.at_least += 1
            count.needless += right
            count.unlike += not {chip.uid for chip in told.stack} <= self.rates.keys()
        elif not right:
            if self.heard >= self.rates.keys():
                count.wrong += 1
                count.by_height[f"wrong {height}"] += 1
            else:
                count.never_heard += 1
                count.by_height[f"never {height}"] += 1


def air_ms(tags: int) -> float:
    """Mean air time of an inventory of so many tags."""
    if tags in AIR_MS:
        return AIR_MS[tags]
    known = sorted(AIR_MS)
    above = min(bisect_right(known, tags), len(known) - 1)
    low, high = known[above - 1], known[above]
    return AIR_MS[low] + (AIR_MS[high] - AIR_MS[low]) * (tags - low) / (high - low)
