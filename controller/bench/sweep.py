"""The ways to sweep a table, compared: how soon chips are seen, and how long a spot goes unread. Simulated time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from controller.bench.landings import SWEEP_SCENES, at_share, land
from hardware.layout import reference
from hardware.policy import POLICIES

LANDINGS: Final = 150
QUICK_LANDINGS: Final = 10

Progress = Callable[[int, int], None]


def measure_sweep(quick: bool = False, seed: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """A row for each policy and scenario: from chips landing to `StackSeen` at p50 and p95, and the longest that a bet
    spot was not read, in milliseconds. ISO 15693 with FEIG readers, usual noise."""
    rows: list[dict[str, Any]] = []
    for policy in POLICIES:
        for scene in SWEEP_SCENES:
            found = land(reference(), scene, QUICK_LANDINGS if quick else LANDINGS, policy=policy, seed=seed)
            rows.append(
                {
                    "policy": policy.name,
                    "scenario": scene.name,
                    "p50_ms": at_share(found.seen_us, 0.5) // 1000,
                    "p95_ms": at_share(found.seen_us, 0.95) // 1000,
                    "stalest_ms": found.stalest_us // 1000,
                }
            )
            if progress is not None:
                progress(len(rows), len(POLICIES) * len(SWEEP_SCENES))
    return rows
