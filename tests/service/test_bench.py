"""The benchmarks measure what they say: the floor is that of the fact sheet, a short run gives all figures."""

from __future__ import annotations

import pytest

from controller.bench import latency as bench_latency
from controller.bench import screen as bench_screen
from hardware.layout import reference


@pytest.mark.parametrize(("chips", "floor_ms"), [(5, 165), (20, 710)])
def test_the_floor_is_air_and_wire(chips: int, floor_ms: int) -> None:
    layout = reference()
    floor_us = bench_latency.floor_us(layout, layout.readers[0], chips)
    assert floor_us / 1000 == pytest.approx(floor_ms, rel=0.01)
    assert bench_latency.floor_us(layout.with_sensing(technology="mode3"), layout.readers[0], chips) < floor_us


def test_a_spread_is_by_nearest_rank() -> None:
    assert bench_latency.spread([]) == {}
    assert bench_latency.spread([7_000]) == {"p50": 7.0, "p99": 7.0}
    assert bench_latency.spread(range(0, 101_000, 1_000)) == {"p50": 50.0, "p99": 99.0}


def test_a_few_wagers_from_the_tag_to_the_socket() -> None:
    told: list[tuple[int, int]] = []
    found = bench_latency.measure(2, (5,), with_screen=False, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
    assert (found["wagers"], found["frame_ms"]) == (2, {})
    assert 0 < found["host_ms"]["p99"] < found["floor_ms"]["5"], "the software took longer than air and wire"
    assert (
        found["seen_ms"]["5"]["p50"] > 0.8 * found["floor_ms"]["5"]
    )  # the floor counts a whole phase, chips may be lucky
    assert found["flush_ms"]["p50"] > 0
    assert len(bench_latency.report(found)) == 5


@pytest.mark.screen
def test_a_few_views_to_the_glass() -> None:
    found = bench_screen.measure(5)
    assert found["views"] == 5
    assert 0 < found["frame_ms"]["p50"] <= found["frame_ms"]["p99"]
    assert found["first_frame_ms"] > 0 and found["memory_mb"] > 10
    assert len(bench_screen.report(found)) == 4
