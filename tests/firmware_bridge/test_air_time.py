"""The air times of the emulators agree with the table in section 1 of readers.md."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from statistics import fmean

import pytest

from firmware_bridge.emulators.air_time import AirTimeModel, Technology

TABLE = [
    (0, 14, 14), (1, 18, 18), (2, 23, 40), (5, 44, 70), (10, 95, 126), (20, 211, 256), (40, 433, 497), (100, 981, 1093),
]  # fmt: skip
FAST_TABLE = [
    (0, 14, 14), (1, 16, 16), (2, 19, 34), (5, 34, 57), (10, 71, 100), (20, 162, 203), (40, 335, 391), (100, 750, 828),
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


@pytest.mark.parametrize(("tags", "mean_ms", "p95_ms"), FAST_TABLE)
def test_mean_and_spread_of_answers_at_53_kbit_s_match_their_table(tags: int, mean_ms: int, p95_ms: int) -> None:
    air = AirTimeModel()
    drawn = sorted(air.inventory_us(tags, is_fast=True) for _ in range(DRAWN))
    assert air.mean_us(tags, is_fast=True) == mean_ms * 1_000
    assert fmean(drawn) == pytest.approx(mean_ms * 1_000, rel=0.05)
    assert drawn[DRAWN * 95 // 100] == pytest.approx(p95_ms * 1_000, rel=0.15)


def _simulate_inventory(tags: int, answer_ms: float, random: Random) -> float:
    """Return the time in ms of one inventory with 16 slots in each round. Tags that collide answer in a further round.

    A request takes 4 ms and an empty slot 0.625 ms.
    """
    slots = [0] * 16
    for _ in range(tags):
        slots[random.randrange(16)] += 1
    time_ms = 4.0 + sum(answer_ms if count else 0.625 for count in slots)
    return time_ms + sum(_simulate_inventory(count, answer_ms, random) for count in slots if count > 1)


@pytest.mark.parametrize(("is_fast", "answer_ms"), [(False, 4.6), (True, 4.6 - 96 / 26.48 + 96 / 52.97)])
def test_both_tables_are_those_of_one_simulation_with_96_bits_for_each_answer(is_fast: bool, answer_ms: float) -> None:
    random = Random(1)
    for tags in (0, 1, 5, 20, 100):
        mean_ms = fmean(_simulate_inventory(tags, answer_ms, random) for _ in range(30_000 // (tags + 10)))
        assert AirTimeModel().mean_us(tags, is_fast=is_fast) == pytest.approx(mean_ms * 1_000, rel=0.025)


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
