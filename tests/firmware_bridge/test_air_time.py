"""The air times of the emulators agree with the table in section 1 of readers.md."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

import pytest

from firmware_bridge.emulators.air_time import AirTimeModel, Technology

TABLE = [
    (0, 14, 14), (1, 18, 18), (2, 23, 40), (5, 44, 70), (10, 95, 126), (20, 211, 256), (40, 433, 497), (100, 981, 1093),
]  # fmt: skip
DRAWN = 2_000


@pytest.mark.parametrize(("tags", "mean_ms", "p95_ms"), TABLE)
def test_mean_and_spread_match_the_table(tags: int, mean_ms: int, p95_ms: int) -> None:
    air = AirTimeModel()
    drawn = sorted(air.inventory_us(tags) for _ in range(DRAWN))
    assert air.mean_us(tags) == mean_ms * 1_000
    assert fmean(drawn) == pytest.approx(mean_ms * 1_000, rel=0.05)
    assert drawn[DRAWN * 95 // 100] == pytest.approx(p95_ms * 1_000, rel=0.15)
    assert drawn[0] >= 14_000


@pytest.mark.parametrize("technology", ["iso15693", "mode3"])
def test_more_tags_take_longer(technology: Technology) -> None:
    air = AirTimeModel(technology)
    assert all(a < b for a, b in pairwise(air.mean_us(tags) for tags in range(256)))


def test_low_modulation_takes_two_and_a_half_times_as_long() -> None:
    fast, slow = AirTimeModel(seed=3), AirTimeModel(modulation_depth=10, seed=3)
    for tags in (0, 1, 7, 20, 255):
        assert slow.mean_us(tags) == fast.mean_us(tags) * 10 // 4
        assert slow.inventory_us(tags) == pytest.approx(fast.inventory_us(tags) * 2.5, rel=0.001)


def test_mode_3_reads_800_tags_a_second() -> None:
    air = AirTimeModel("mode3")
    assert air.mean_us(800) - air.mean_us(0) == 1_000_000
    assert fmean(air.inventory_us(20) for _ in range(DRAWN)) == pytest.approx(air.mean_us(20), rel=0.05)


def test_same_seed_gives_the_same_history() -> None:
    def history(seed: int) -> list[int]:
        air = AirTimeModel(seed=seed)
        return [air.inventory_us(tags) for tags in range(2, 30)]

    assert history(1) == history(1) != history(2)
