"""The pages of `bench latency` and `bench sweep`, which plot the time until chips are detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.report.html_page import BarPlot, HtmlPage

LATENCY_PARTS = ("floor", "up to p50", "up to p99")
"""Names of the parts of a bar in the plot of `bench latency`, from left to right."""
SWEEP_PARTS = ("p50", "up to p95")
"""Names of the parts of a bar in the plot of `bench sweep`, from left to right."""


def latency_page(figures: Sequence[Mapping[str, Any]]) -> HtmlPage:
    """Return the page for the output of `bench latency`: times in ms by reader, technology and scenario."""
    return HtmlPage(
        "Time from chips on the table to the screen",
        {},
        tuple(_latency_plot(figures, *series) for series in _reader_series(figures)),
        figures,
    )


def _reader_series(figures: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((figure["reader"], figure["technology"]) for figure in figures))


def _latency_plot(figures: Sequence[Mapping[str, Any]], reader: str, technology: str) -> BarPlot:
    """Return a plot with one bar per scenario.

    A bar has three parts. The first ends at the theoretical minimum, the second at the median, and the third at the
    99th percentile.
    """
    rows = {
        figure["scenario"]: (
            figure["floor_ms"],
            max(0.0, figure["p50_ms"] - figure["floor_ms"]),
            max(0.0, figure["p99_ms"] - max(figure["p50_ms"], figure["floor_ms"])),
        )
        for figure in figures
        if (figure["reader"], figure["technology"]) == (reader, technology)
    }
    return BarPlot(f"{reader}, {technology}", "ms", LATENCY_PARTS, rows)


def sweep_page(figures: Sequence[Mapping[str, Any]]) -> HtmlPage:
    """Return the page for the output of `bench sweep`: times in ms by scenario and polling order."""
    times_by_scenario: dict[str, dict[str, tuple[float, ...]]] = {}
    longest_gaps: dict[str, tuple[float, ...]] = {}
    for figure in figures:
        policy, scenario, p50 = figure["policy"], figure["scenario"], figure["p50_ms"]
        times_by_scenario.setdefault(scenario, {})[policy] = (p50, max(0, figure["p95_ms"] - p50))
        longest_gaps[f"{policy}, {scenario}"] = (figure["stalest_ms"],)
    plots = [
        BarPlot(f"Time until chips are detected: {scenario}", "ms", SWEEP_PARTS, rows)
        for scenario, rows in times_by_scenario.items()
    ]
    gap_plot = BarPlot("Longest time without a reading of a bet spot", "ms", ("stalest",), longest_gaps)
    return HtmlPage("Polling orders of the antennas", {}, (*plots, gap_plot), figures)
