"""Check the latency benchmarks: their figures, and the latency floor.

The latency floor is the minimum time that readers and tags allow. It must agree with the fact sheet of the reader.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.bench import measure_screen
from controller.bench.detection_latency import (
    LATENCY_SCENARIOS,
    SWEEP_SCENARIOS,
    LatencyScenario,
    measure_landings,
    percentile,
    percentiles_ms,
)
from controller.bench.end_to_end_latency import landing_count, measured_readers
from controller.bench.reading_to_view_latency import measure_service_latency
from controller.bench.scheduling_policies import swept_tables
from hardware.layout import TableLayout, pepper_layout, reference_layout
from hardware.scheduling_policy import CALM, EAGER, POLICIES, ROUND_ROBIN, SchedulingPolicy
from hardware.simulated.latency_floor import min_latency_us


@pytest.mark.parametrize(("chips", "floor_ms"), [(5, 210), (20, 755)])
def test_latency_floor_is_air_time_wire_time_and_field_reset(chips: int, floor_ms: int) -> None:
    """Compare the latency floor with the reader's fact sheet: 165 ms for 5 tags, and 710 ms for 20 tags.

    The benchmark also includes three resets of the reader's field, of 15 ms each. The test adds them to the times of
    the fact sheet.
    """
    layout = reference_layout()
    slow_us = min_latency_us(layout, layout.readers[0], chips)
    assert slow_us / 1000 == pytest.approx(floor_ms, rel=0.01)
    assert min_latency_us(layout.with_tag_technology("mode3"), layout.readers[0], chips) < slow_us
    assert min_latency_us(pepper_layout(), pepper_layout().readers[0], chips) > 0


def test_percentile_uses_the_nearest_rank() -> None:
    assert percentiles_ms([]) == {}
    assert percentiles_ms([7_000]) == {"p50": 7.0, "p99": 7.0}
    assert percentiles_ms(range(0, 101_000, 1_000)) == {"p50": 50.0, "p99": 99.0}


def test_every_reader_is_measured_with_its_tag_technologies_and_then_the_fast_tables() -> None:
    assert [(table.reader, table.technology) for table in measured_readers()] == [
        ("feig", "iso15693"),
        ("feig", "mode3"),
        ("pepper", "iso15693"),
        ("feig, sensors", "iso15693"),
        ("feig, 53 kbit/s", "iso15693"),
        ("feig, 53 kbit/s, sensors", "iso15693"),
        ("feig, sensors", "mode3"),
        ("pepper, sensors", "iso15693"),
        ("feig, quick looks", "iso15693"),
        ("feig, quick looks, 53 kbit/s", "iso15693"),
        ("feig, quick looks", "mode3"),
        ("feig, quick looks, sensors", "iso15693"),
    ]
    assert len(swept_tables()) == len(POLICIES) + 11


def test_answers_at_53_kbit_s_shorten_the_floor_and_the_latency() -> None:
    slow, fast = reference_layout(), reference_layout().with_fast_inventory()
    assert min_latency_us(slow, slow.readers[0], 5) - min_latency_us(fast, fast.readers[0], 5) == 3 * 10_000
    medians = [
        percentile(measure_landings(layout, LatencyScenario(1, 5, True), 30).provisional_us, 0.5)
        for layout in (slow, fast)
    ]
    assert medians[1] < medians[0] - 15_000


@pytest.mark.parametrize(
    ("table", "is_seen_soon"),
    [(reference_layout().with_quick_looks(), True), (reference_layout(), False)],
    ids=["quick", "planted"],
)
def test_quick_looks_see_chips_out_of_turn_soon(table: TableLayout, is_seen_soon: bool) -> None:
    """Check the medians of a few landings. Section "How fast" of hardware/README.md has the 95th percentiles."""
    few, many = (
        percentile(
            measure_landings(table, LatencyScenario(*scene, False), count, policy=table.policy).provisional_us, 0.5
        )
        for scene, count in (((1, 5), 18), ((9, 20), 9))
    )
    assert (few < 300_000, many < 1_100_000) == (is_seen_soon, is_seen_soon)


def test_p99_scenario_has_a_dozen_samples_beyond_the_percentile() -> None:
    counts = {scenario.name: landing_count(scenario) for scenario in LATENCY_SCENARIOS}
    assert counts.pop("1x5 in turn") // 100 == 12
    assert set(counts.values()) == {300}
    assert {landing_count(scenario, quick=True) for scenario in LATENCY_SCENARIOS} == {20}


@pytest.mark.parametrize("table", measured_readers(), ids=lambda table: f"{table.reader} {table.technology}")
def test_landed_chips_are_seen_near_the_latency_floor(table) -> None:  # type: ignore[no-untyped-def]
    latencies = measure_landings(table.layout, LatencyScenario(1, 5, True), 9)
    floor = min_latency_us(table.layout, table.layout.readers[0], 5)
    assert 0.7 * floor < percentile(latencies.provisional_us, 0.5) < 2 * floor
    assert 0 < latencies.max_read_gap_us < 2_500_000


def test_calm_policy_sees_the_seat_in_turn_almost_as_fast_as_eager() -> None:
    scenario = LatencyScenario(9, 10, True)
    assert scenario in SWEEP_SCENARIOS
    calm, eager, round_robin = (
        percentile(measure_landings(reference_layout(), scenario, 12, policy=policy).provisional_us, 0.5)
        for policy in (CALM, EAGER, ROUND_ROBIN)
    )
    assert calm < 1.2 * eager
    assert calm < round_robin / 2


@pytest.mark.parametrize("layout", [reference_layout(), pepper_layout()], ids=["feig", "pepper"])
@pytest.mark.parametrize(
    ("policy", "is_kept"), [(CALM, True), (replace(CALM, max_unread_us=0), False)], ids=["calm", "planted"]
)
def test_full_table_keeps_the_staleness_limit(layout: TableLayout, policy: SchedulingPolicy, is_kept: bool) -> None:
    """Check the longest time between two readings of a spot. Each of nine spots has 20 chips."""
    latencies = measure_landings(layout, LatencyScenario(9, 20, True), 30, seed=1, policy=policy)
    assert (latencies.max_read_gap_us <= 2_550_000) is is_kept


def test_same_seed_gives_the_same_latency() -> None:
    scenario = LatencyScenario(3, 5, False)
    assert (
        measure_landings(reference_layout(), scenario, 3, seed=4).provisional_us
        == measure_landings(reference_layout(), scenario, 3, seed=4).provisional_us
    )


def test_quick_bench_measures_latency_from_tag_to_socket() -> None:
    progress: list[tuple[int, int]] = []
    latencies = measure_service_latency("mode3", 2, (5,), progress=lambda done, total: progress.append((done, total)))
    assert progress == [(1, 2), (2, 2)]
    assert len(latencies.view_us_by_chips[5]) == 2
    assert 0 < max(latencies.view_us_by_chips[5]) < 165_000, "the software took longer than air and wire"


@pytest.mark.screen
def test_quick_bench_measures_latency_to_the_display() -> None:
    progress: list[tuple[int, int]] = []
    figures = measure_screen(5, touches=4, growth=100, progress=lambda done, total: progress.append((done, total)))
    assert (figures["views"], figures["touches"]) == (5, 4)
    for name in ("frame", "bare", "touch", "bare_touch"):
        assert 0 < figures[f"{name}_p50_ms"] <= figures[f"{name}_p99_ms"], name
    assert figures["first_frame_s"] > 0 and figures["back_after_kill_s"] > 0 and figures["rss_mb"] > 10
    assert "rss_growth_mb_100_views" in figures
    assert progress[-1] == (123, 123)
    assert all(0 <= figures[f"{name}idle_cpu_percent"] < 100 for name in ("", "bare_"))
