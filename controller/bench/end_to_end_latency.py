"""Measure the time from the moment when chips are put on a spot until a screen can show them.

The first part of this time is for radio, serial line, polling and stack detection. The module `detection_latency`
measures the first part in simulated time with the real drivers. The second part is the time that the program adds. The
module `reading_to_view_latency` measures the second part in real time, with FEIG readers on pseudo terminals.

No detection can be faster than three equal readings of the spot, as section 1 of firmware_bridge/readers.md explains.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.bench.detection_latency import LATENCY_SCENARIOS, LatencyScenario, measure_landings, percentile
from controller.bench.reading_to_view_latency import measure_flush_us, measure_service_latency
from hardware.layout import TableLayout, Technology, pepper_layout, reference_layout
from hardware.simulated.latency_floor import min_latency_us

LANDINGS: Final = 300
"""Number of times that chips are put on a spot in each scenario."""
FEW_CHIPS_LANDINGS: Final = 1_200
"""Number of measurements in the scenario in which the seat in turn puts in a few chips.

This scenario needs more measurements than the others, because it is judged by the 99th percentile. With only 300
measurements, a single late answer would change the 99th percentile too much.
"""
FEW_CHIPS: Final = 5
"""Maximum number of chips in a stack that this benchmark calls "a few chips"."""
WAGERS: Final = 24
"""Number of wagers that are measured with each tag technology. A wager takes two seconds."""
QUICK_LANDINGS: Final = 20
QUICK_WAGERS: Final = 2
TECHNOLOGIES: Final[tuple[Technology, ...]] = ("iso15693", "mode3")

Progress = Callable[[int, int], None]


class MeasuredReader(NamedTuple):
    """A table with one kind of reader and one tag technology.

    `reader` is the protocol of the reader, and what the table has beyond the reference table.
    """

    reader: str
    technology: Technology
    layout: TableLayout


def measured_readers() -> tuple[MeasuredReader, ...]:
    """Return each kind of reader with each tag technology that it can read, then the tables that are built for speed.

    These have presence sensors, ISO 15693 tags that answer at 53 kbit/s, readers with `quick_looks`, or several of
    these.
    """
    feig, fast = reference_layout(), reference_layout().with_fast_inventory()
    mode3, pepper = feig.with_tag_technology("mode3"), pepper_layout()
    return (
        MeasuredReader("feig", "iso15693", feig),
        MeasuredReader("feig", "mode3", mode3),
        MeasuredReader("pepper", "iso15693", pepper),
        MeasuredReader("feig, sensors", "iso15693", feig.with_presence()),
        MeasuredReader("feig, 53 kbit/s", "iso15693", fast),
        MeasuredReader("feig, 53 kbit/s, sensors", "iso15693", fast.with_presence()),
        MeasuredReader("feig, sensors", "mode3", mode3.with_presence()),
        MeasuredReader("pepper, sensors", "iso15693", pepper.with_presence()),
        MeasuredReader("feig, quick looks", "iso15693", feig.with_quick_looks()),
        MeasuredReader("feig, quick looks, 53 kbit/s", "iso15693", fast.with_quick_looks()),
        MeasuredReader("feig, quick looks", "mode3", mode3.with_quick_looks()),
        MeasuredReader("feig, quick looks, sensors", "iso15693", feig.with_quick_looks().with_presence()),
    )


def landing_count(scenario: LatencyScenario, quick: bool = False) -> int:
    """Return the number of times that chips are put on a spot in this scenario."""
    if quick:
        return QUICK_LANDINGS
    is_judged = scenario.in_turn and scenario.spot_count == 1 and scenario.chips_per_spot <= FEW_CHIPS
    return FEW_CHIPS_LANDINGS if is_judged else LANDINGS


def measure_latency(quick: bool = False, seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return one row for each reader, technology and scenario, with times in milliseconds.

    - `floor_ms`: the shortest possible time, in which a reader reads the spot three times without a pause.
    - `p50_ms`, `p99_ms`: simulated time from the moment when chips are on the spot until the event `StackProvisional`
      reports the chips. The usual noise disturbs the readings.
    - `taken_p50_ms`, `taken_p99_ms`: simulated time until the event `StackSettled`, with which the table takes the bet.
    - `host_p50_ms`, `host_p99_ms`: real time from the last byte of the third equal reading to the view on the socket.
      This time is always measured with FEIG readers.
    - `flush_p99_ms`: time of a commit of the journal.

    `progress` receives the number of finished measurements and their total number. Raise TimeoutError if the table does
    not answer.
    """
    tables, wagers = measured_readers(), QUICK_WAGERS if quick else WAGERS
    steps = len(tables) * len(LATENCY_SCENARIOS) + len(TECHNOLOGIES)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    view_us: dict[tuple[str, int], list[int]] = {}
    for technology in TECHNOLOGIES:
        for chips, values in measure_service_latency(technology, wagers).view_us_by_chips.items():
            view_us[technology, chips] = values
        step()
    with tempfile.TemporaryDirectory(prefix="potkeeper-bench-") as name:
        flushes = measure_flush_us(Path(name) / "flush.db")
    rows = []
    for table in tables:
        for scenario in LATENCY_SCENARIOS:
            times = measure_landings(
                table.layout,
                scenario,
                landing_count(scenario, quick),
                policy=table.layout.policy,
                seed=seed,
                until_settled=True,
            )
            values = times.provisional_us
            floor = min_latency_us(table.layout, table.layout.readers[0], scenario.chips_per_spot)
            rows.append(
                {
                    "reader": table.reader,
                    "technology": table.technology,
                    "scenario": scenario.name,
                    "floor_ms": _ms(floor),
                    "p50_ms": _ms(percentile(values, 0.5)),
                    "p99_ms": _ms(percentile(values, 0.99)),
                    "taken_p50_ms": _ms(percentile(times.settled_us, 0.5)),
                    "taken_p99_ms": _ms(percentile(times.settled_us, 0.99)),
                    **_service_times(view_us, table.technology, scenario.chips_per_spot),
                    "flush_p99_ms": _ms(percentile(flushes, 0.99)),
                }
            )
            step()
    return rows


def _service_times(view_us: Mapping[tuple[str, int], list[int]], technology: str, chips: int) -> dict[str, float]:
    """Return percentiles in ms of the times measured with this tag technology and number of chips.

    If there are no such measurements, return percentiles of all measured times.
    """
    values = view_us.get((technology, chips)) or [value for values in view_us.values() for value in values]
    return {"host_p50_ms": _ms(percentile(values, 0.5)), "host_p99_ms": _ms(percentile(values, 0.99))}


def _ms(value_us: int) -> float:
    """Return µs as milliseconds."""
    return round(value_us / 1000, 2)
