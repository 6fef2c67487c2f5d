"""The pages of `bench latency` and `bench sweep`: how long after the chips came down they are seen, beside the floor or
by the way of sweeping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.report.page import Bars, Page

PARTS = ("floor", "up to p50", "up to p99")
PARTS_OF_SWEEP = ("p50", "up to p95")


def of_latency(figures: Sequence[Mapping[str, Any]]) -> Page:
    """The page of the list that `bench latency` prints: times in milliseconds, by reader, technology and scenario."""
    return Page("From the chips to the table", {}, tuple(_plot(figures, *which) for which in _kinds(figures)), figures)


def _kinds(figures: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((each["reader"], each["technology"]) for each in figures))


def _plot(figures: Sequence[Mapping[str, Any]], reader: str, technology: str) -> Bars:
    """Bars that are laid end to end: the floor, what comes on top of it up to the median, and up to the 99th of a
    hundred."""
    rows = {
        each["scenario"]: (
            each["floor_ms"],
            max(0.0, each["p50_ms"] - each["floor_ms"]),
            max(0.0, each["p99_ms"] - max(each["p50_ms"], each["floor_ms"])),
        )
        for each in figures
        if (each["reader"], each["technology"]) == (reader, technology)
    }
    return Bars(f"{reader}, {technology}", "ms", PARTS, rows)


def of_sweep(figures: Sequence[Mapping[str, Any]]) -> Page:
    """The page of the list that `bench sweep` prints: times in milliseconds, by scenario and policy."""
    seen: dict[str, dict[str, tuple[float, ...]]] = {}
    stalest: dict[str, tuple[float, ...]] = {}
    for each in figures:
        policy, scenario, p50 = each["policy"], each["scenario"], each["p50_ms"]
        seen.setdefault(scenario, {})[policy] = (p50, max(0, each["p95_ms"] - p50))
        stalest[f"{policy}, {scenario}"] = (each["stalest_ms"],)
    plots = [Bars(f"Chips down until seen: {scenario}", "ms", PARTS_OF_SWEEP, rows) for scenario, rows in seen.items()]
    unread = Bars("The longest that a bet spot was not read", "ms", ("stalest",), stalest)
    return Page("Ways to sweep the antennas", {}, (*plots, unread), figures)
