"""Measure the antennas of a table with the chips of the house: how high a stack each antenna certainly reads.

The technician puts stacks of known heights on each spot. Each stack is read many times by the antenna of the spot, and
some times by all other antennas. Example: if 20 chips are missed in a tenth of the readings, but 15 chips never, the
sure height is 15.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, Literal, NamedTuple

from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.guided_setup.device_bench import Antenna, DeviceBench, Reading
from hardware.layout import TableLayout

OWN_READINGS: Final = 60
"""Number of readings of each stack by the antenna of its spot. With fewer, a miss of 5 % would often not be seen."""
OTHER_READINGS: Final = 20
"""Number of readings of the highest stack by each other antenna."""
MAX_INCOMPLETE: Final = 0.05
"""Maximum share of readings that miss a chip at the sure height. A running table reads a stack several times before it
is settled, so that a single miss does no harm."""
WEAK_MISS_RATE: Final = 0.1
"""Share of missed chips in the lowest stack from which an antenna is weak. A good one misses none."""
CROSSTALK_SHARE: Final = 0.05
"""Share of the readings in which another antenna hears a chip, from which it should be a neighbour in the layout."""
Verdict = Literal["good", "weak", "dead", "crossed"]
"""Condition of an antenna.

- `weak`: it misses chips of a low stack. Check the chips, the cable and the distance to the felt.
- `dead`: it hears no chip, and no other antenna hears the chips clearly.
- `crossed`: another antenna hears the chips better, so that two cables were exchanged.
"""


class SpotSkippedError(PotkeeperError):
    """Raised by the callback that asks for a stack, if the technician leaves out the spot."""

    fault: ClassVar[FaultSource] = "person"


class HeightResult(NamedTuple):
    """Readings of one stack: the share of missed chips, and the share of readings that missed a chip."""

    height: int
    missed: float
    incomplete: float


class AntennaReport(NamedTuple):
    """Result for the antenna of one spot."""

    spot: str
    verdict: Verdict
    sure_height: int
    """Highest stack that the antenna reads without a miss, or 0."""
    heights: tuple[HeightResult, ...]
    heard_at: dict[str, float]
    """Share of the readings of other antennas that heard a chip of this spot, by the spot of the other antenna."""
    better_spot: str = ""
    """Spot whose antenna hears the chips better, if the antenna is crossed."""


def measure_antennas(
    bench: DeviceBench,
    layout: TableLayout,
    spots: Sequence[str],
    heights: Sequence[int],
    tell: Callable[[str, int], None],
) -> list[AntennaReport]:
    """Return a report for each spot. `tell` asks for a stack of this height on this spot, and returns when it is there.

    If `tell` raises SpotSkippedError, the spot has no report. The spots must be empty at the beginning. Tags that are
    heard then are ignored.
    """
    ports = layout.ports
    antennas = {item.spot: Antenna(ports[item.reader], item.antenna) for item in layout.spot_antennas.all}
    present = frozenset(tag for antenna in antennas.values() for tag in bench.read(antenna).tags)
    reports: list[AntennaReport] = []
    for spot in spots:
        with contextlib.suppress(SpotSkippedError):
            reports.append(_measure(bench, antennas, spot, sorted(heights), present, tell))
    return reports


def _measure(
    bench: DeviceBench,
    antennas: dict[str, Antenna],
    spot: str,
    heights: Sequence[int],
    present: frozenset[str],
    tell: Callable[[str, int], None],
) -> AntennaReport:
    results: list[HeightResult] = []
    for height in heights:
        tell(spot, height)
        counts = [_count(bench.read(antennas[spot]), present) for _ in range(OWN_READINGS)]
        missed = 1 - sum(min(count, height) for count in counts) / (height * OWN_READINGS)
        results.append(HeightResult(height, missed, sum(count < height for count in counts) / OWN_READINGS))
    others = {
        other: [_count(bench.read(antenna), present) for _ in range(OTHER_READINGS)]
        for other, antenna in antennas.items()
        if other != spot
    }
    heard_at = {
        other: share
        for other, counts in others.items()
        if (share := sum(count > 0 for count in counts) / OTHER_READINGS) >= CROSSTALK_SHARE
    }
    highest = heights[-1]
    missed_by = {other: 1 - sum(counts) / (highest * OTHER_READINGS) for other, counts in others.items()}
    best = min(missed_by, key=lambda other: missed_by[other], default="")
    if best and missed_by[best] < min(results[-1].missed, 0.5):
        return AntennaReport(spot, "crossed", 0, tuple(results), heard_at, best)
    if results[0].missed == 1:
        return AntennaReport(spot, "dead", 0, tuple(results), heard_at)
    verdict: Verdict = "weak" if results[0].missed > WEAK_MISS_RATE else "good"
    return AntennaReport(spot, verdict, _sure_height(results), tuple(results), heard_at)


def _count(reading: Reading, present: frozenset[str]) -> int:
    """Return the number of chips in a reading. A failed reading has none."""
    return len(reading.tags - present)


def _sure_height(results: Sequence[HeightResult]) -> int:
    """Return the highest stack up to which no stack is missed too often, or 0."""
    sure_height = 0
    for result in results:
        if result.incomplete > MAX_INCOMPLETE:
            break
        sure_height = result.height
    return sure_height
