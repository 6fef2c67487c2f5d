"""The benchmarks measure what they say: the floor is that of the fact sheet, a short run gives all figures."""

from __future__ import annotations

import pytest

from controller.bench import measure_latency, measure_screen
from controller.bench.latency import floor_us, spread
from hardware.layout import reference


@pytest.mark.parametrize(("chips", "floor_ms"), [(5, 165), (20, 710)])
def test_the_floor_is_air_and_wire(chips: int, floor_ms: int) -> None:
    layout = reference()
    slow_us = floor_us(layout, layout.readers[0], chips)
    assert slow_us / 1000 == pytest.approx(floor_ms, rel=0.01)
    assert floor_us(layout.with_sensing(technology="mode3"), layout.readers[0], chips) < slow_us


def test_a_spread_is_by_nearest_rank() -> None:
    assert spread([]) == {}
    assert spread([7_000]) == {"p50": 7.0, "p99": 7.0}
    assert spread(range(0, 101_000, 1_000)) == {"p50": 50.0, "p99": 99.0}


def test_a_few_wagers_from_the_tag_to_the_socket() -> None:
    told: list[tuple[int, int]] = []
    found = measure_latency(2, (5,), with_screen=False, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
    assert (found["wagers"], found["frame_ms"]) == (2, {})
    assert 0 < found["host_ms"]["p99"] < found["floor_ms"]["5"], "the software took longer than air and wire"
    assert (
        found["seen_ms"]["5"]["p50"] > 0.8 * found["floor_ms"]["5"]
    )  # the floor counts a whole phase, chips may be lucky
    assert found["flush_ms"]["p50"] > 0


@pytest.mark.screen
def test_a_few_views_to_the_glass() -> None:
    found = measure_screen(5)
    assert found["views"] == 5
    assert 0 < found["frame_ms"]["p50"] <= found["frame_ms"]["p99"]
    assert found["first_frame_ms"] > 0 and found["memory_mb"] > 10
