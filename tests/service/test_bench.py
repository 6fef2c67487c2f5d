"""The benchmarks measure what they say: the floor is that of the fact sheet, a short run gives all figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.bench import measure_screen
from controller.bench.host import measure_host
from controller.bench.landings import LATENCY_SCENES, SWEEP_SCENES, Scene, at_share, land, spread
from controller.bench.latency import landings_of, rigged
from hardware.layout import Layout, peppers, reference
from hardware.policy import CALM, EAGER, ROUND_ROBIN, Policy
from hardware.simulated.floor import floor_us


@pytest.mark.parametrize(("chips", "floor_ms"), [(5, 210), (20, 755)])
def test_the_floor_is_air_wire_and_the_reset_of_the_field(chips: int, floor_ms: int) -> None:
    """165 and 710 ms by the fact sheet, and 15 ms three times for the reset that it names elsewhere."""
    layout = reference()
    slow_us = floor_us(layout, layout.readers[0], chips)
    assert slow_us / 1000 == pytest.approx(floor_ms, rel=0.01)
    assert floor_us(layout.with_tags("mode3"), layout.readers[0], chips) < slow_us
    assert floor_us(peppers(), peppers().readers[0], chips) > 0


def test_a_spread_is_by_nearest_rank() -> None:
    assert spread([]) == {}
    assert spread([7_000]) == {"p50": 7.0, "p99": 7.0}
    assert spread(range(0, 101_000, 1_000)) == {"p50": 50.0, "p99": 99.0}


def test_every_reader_is_measured_with_what_it_reads() -> None:
    assert [(table.reader, table.technology) for table in rigged()] == [
        ("feig", "iso15693"),
        ("feig", "mode3"),
        ("pepper", "iso15693"),
    ]


def test_the_scene_that_is_judged_by_its_p99_has_a_dozen_landings_beyond_it() -> None:
    counts = {scene.name: landings_of(scene) for scene in LATENCY_SCENES}
    assert counts.pop("1x5 in turn") // 100 == 12
    assert set(counts.values()) == {300}
    assert {landings_of(scene, quick=True) for scene in LATENCY_SCENES} == {20}


@pytest.mark.parametrize("table", rigged(), ids=lambda table: f"{table.reader} {table.technology}")
def test_chips_that_land_are_seen_after_the_floor(table) -> None:  # type: ignore[no-untyped-def]
    found = land(table.layout, Scene(1, 5, True), 4)
    floor = floor_us(table.layout, table.layout.readers[0], 5)
    assert 0.7 * floor < at_share(found.seen_us, 0.5) < 2 * floor
    assert 0 < found.stalest_us < 2_500_000


def test_the_calm_sweep_sees_the_seat_in_turn_before_the_others_do() -> None:
    scene = Scene(9, 10, True)
    assert scene in SWEEP_SCENES
    calm, eager, blind = (
        at_share(land(reference(), scene, 12, policy=policy).seen_us, 0.5) for policy in (CALM, EAGER, ROUND_ROBIN)
    )
    assert calm < 1.2 * eager
    assert calm < blind / 2


@pytest.mark.parametrize("layout", [reference(), peppers()], ids=["feig", "pepper"])
@pytest.mark.parametrize(
    ("policy", "holds"), [(CALM, True), (replace(CALM, stalest_us=0), False)], ids=["calm", "planted"]
)
def test_no_spot_of_a_full_table_goes_unread_for_long(layout: Layout, policy: Policy, holds: bool) -> None:
    """Twenty chips on each of nine spots, and on the seat in turn."""
    assert (land(layout, Scene(9, 20, True), 60, seed=1, policy=policy).stalest_us <= 2_500_000) is holds


def test_one_seed_one_figure() -> None:
    scene = Scene(3, 5, False)
    assert land(reference(), scene, 3, seed=4).seen_us == land(reference(), scene, 3, seed=4).seen_us


def test_a_few_wagers_from_the_tag_to_the_socket() -> None:
    told: list[tuple[int, int]] = []
    found = measure_host("mode3", 2, (5,), progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]
    assert len(found.views[5]) == 2
    assert 0 < max(found.views[5]) < 165_000, "the software took longer than air and wire"


@pytest.mark.screen
def test_a_few_views_to_the_glass() -> None:
    told: list[tuple[int, int]] = []
    found = measure_screen(5, touches=4, growth=100, progress=lambda done, of: told.append((done, of)))
    assert (found["views"], found["touches"]) == (5, 4)
    for what in ("frame", "bare", "touch"):
        assert 0 < found[f"{what}_p50_ms"] <= found[f"{what}_p99_ms"], what
    assert found["touch_p50_ms"] > found["frame_p50_ms"] / 2, "an answer has a frame of its own"
    assert found["first_frame_s"] > 0 and found["back_after_kill_s"] > 0 and found["rss_mb"] > 10
    assert "rss_growth_mb_100_views" in found
    assert told[-1] == (119, 119)
