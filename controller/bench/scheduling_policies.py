"""Compare the orders in which a reader can read its antennas, in simulated time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.bench.detection_latency import SWEEP_SCENARIOS, measure_landings, percentile
from hardware.layout import reference_layout
from hardware.scheduling_policy import POLICIES

LANDINGS: Final = 150
"""Number of times that chips are put on a spot in each scenario."""
QUICK_LANDINGS: Final = 10

Progress = Callable[[int, int], None]


def measure_sweep(quick: bool = False, seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return one row for each polling order and scenario, with times in milliseconds.

    - `p50_ms`, `p95_ms`: time from the moment when chips are on the spot until the event `StackProvisional` reports
      them.
    - `stalest_ms`: the longest time between two consecutive readings of a bet spot.

    The readers are FEIG readers with ISO 15693 tags, and the usual noise disturbs the readings. `progress` receives the
    number of finished rows and the total number. Raise TimeoutError if chips are not detected.
    """
    rows: list[dict[str, Any]] = []
    for policy in POLICIES:
        for scenario in SWEEP_SCENARIOS:
            times = measure_landings(
                reference_layout(), scenario, QUICK_LANDINGS if quick else LANDINGS, policy=policy, seed=seed
            )
            rows.append(
                {
                    "policy": policy.name,
                    "scenario": scenario.name,
                    "p50_ms": percentile(times.provisional_us, 0.5) // 1000,
                    "p95_ms": percentile(times.provisional_us, 0.95) // 1000,
                    "stalest_ms": times.max_read_gap_us // 1000,
                }
            )
            if progress is not None:
                progress(len(rows), len(POLICIES) * len(SWEEP_SCENARIOS))
    return rows
