"""Compare the orders in which a reader can read its antennas, and tables for several speeds, in simulated time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.bench.detection_latency import SWEEP_SCENARIOS, measure_landings, percentile
from controller.bench.end_to_end_latency import measured_readers
from hardware.layout import TableLayout, reference_layout
from hardware.scheduling_policy import POLICIES, SchedulingPolicy

LANDINGS: Final = 150
"""Number of times that chips are put on a spot in each scenario."""
QUICK_LANDINGS: Final = 10

Progress = Callable[[int, int], None]


def swept_tables() -> list[tuple[str, TableLayout, SchedulingPolicy]]:
    """Return the name, layout and policy of each table: every policy at the reference table, then every other table."""
    tables = [(policy.name, reference_layout(), policy) for policy in POLICIES]
    others = measured_readers()[1:]
    return tables + [
        (f"{table.layout.policy.name}, {table.reader}, {table.technology}", table.layout, table.layout.policy)
        for table in others
    ]


def measure_sweep(quick: bool = False, seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return one row for each polling order or table, and scenario, with times in milliseconds.

    - `p50_ms`, `p95_ms`: time from the moment when chips are on the spot until the event `StackProvisional` reports
      them.
    - `stalest_ms`: the longest time between two consecutive readings of a bet spot.

    The polling orders are compared at the reference table, with FEIG readers and ISO 15693 tags. The usual noise
    disturbs the readings. `progress` receives the number of finished rows and the total number. Raise TimeoutError if
    chips are not detected.
    """
    rows: list[dict[str, Any]] = []
    tables = swept_tables()
    for name, layout, policy in tables:
        for scenario in SWEEP_SCENARIOS:
            times = measure_landings(layout, scenario, QUICK_LANDINGS if quick else LANDINGS, policy=policy, seed=seed)
            rows.append(
                {
                    "policy": name,
                    "scenario": scenario.name,
                    "p50_ms": percentile(times.provisional_us, 0.5) // 1000,
                    "p95_ms": percentile(times.provisional_us, 0.95) // 1000,
                    "stalest_ms": times.max_read_gap_us // 1000,
                }
            )
            if progress is not None:
                progress(len(rows), len(tables) * len(SWEEP_SCENARIOS))
    return rows
