"""Spots of a reader that fail together, under a person's arm or because no antenna of the reader works."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hardware.events import SpotOffline
from tests.hardware.settling_bench import SettlingBench


def offline_after_ms(failing: Mapping[str, int]) -> dict[str, int]:
    """Return, for each failing spot, the time in ms from the first failure until the spot goes offline.

    Each of the four spots is read once in 80 ms. `failing` maps each failing spot to the time of its first failure.
    """
    bench, offline_ms = SettlingBench(read_ms=20), dict[str, int]()
    spots = ("bet1", "bet2", "bet5", "pot")
    for _ in range(20):
        for spot in spots:
            bench.read("25a" if spot == "bet1" else "", spot=spot)
    began_ms = bench.now_ms + min(failing.values())
    while bench.now_ms < began_ms + 4_000:
        for spot in spots:
            is_failing = bench.now_ms >= began_ms - min(failing.values()) + failing.get(spot, 1_000_000)
            for event in bench.fail(spot=spot) if is_failing else bench.read("", spot=spot):
                if isinstance(event, SpotOffline):
                    offline_ms.setdefault(event.spot, bench.now_ms - began_ms)
    return offline_ms


@pytest.mark.parametrize(
    ("failing", "min_ms", "max_ms"),
    [
        ({"bet1": 0}, 1_400, 1_600),
        ({"bet1": 0, "bet2": 0}, 1_400, 1_600),
        ({"bet1": 0, "bet2": 0, "bet5": 0}, 300, 500),
        ({"bet1": 0, "bet2": 0, "bet5": 0, "pot": 0}, 300, 500),
        ({"bet1": 0, "bet2": 300, "bet5": 600}, 900, 1_100),
    ],
)
def test_spots_of_a_reader_failing_together_go_offline_early(
    failing: Mapping[str, int], min_ms: int, max_ms: int
) -> None:
    """Let one to four spots fail.

    One or two failing spots may be under an arm for up to two seconds, so these spots go offline later.
    """
    offline_ms = offline_after_ms(failing)
    assert set(offline_ms) == set(failing)
    assert all(min_ms <= after_ms <= max_ms for after_ms in offline_ms.values()), offline_ms


def test_spot_failing_long_after_two_others_counts_alone() -> None:
    offline_ms = offline_after_ms({"bet1": 0, "bet2": 0, "pot": 2_000})
    assert 1_400 <= offline_ms["pot"] - 2_000 <= 1_600


def test_spot_of_a_dark_reader_goes_offline_at_its_first_failure() -> None:
    """Let the last spot of a reader fail when its other spots are already offline."""
    offline_ms = offline_after_ms({"bet1": 0, "bet2": 0, "bet5": 0, "pot": 800})
    assert offline_ms["pot"] - 800 <= 80


def test_three_waves_of_an_arm_do_not_go_offline() -> None:
    """Let three spots fail one after the other. Each spot answers again before the next spot fails."""
    bench = SettlingBench()
    for _ in range(20):
        for spot in ("bet1", "bet2", "bet5"):
            bench.fail(6, spot=spot)
            bench.read("", spot=spot)
        bench.read("", spot="pot")
    assert not [event for event in bench.events if isinstance(event, SpotOffline)]


@pytest.mark.parametrize(
    "planted",
    [
        {"DARK_SPOTS_TIMEOUT_US": 1_500_000},
        {"MIN_DARK_SPOTS": 2},
        {"DARK_SPOTS_TIMEOUT_US": 0},
        {"MIN_DARK_SPOTS": 5},
    ],
)
def test_planted_fault_other_rule_for_dark_readers_is_caught(
    planted: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted faults: some wrong rules report a dark reader (one without a working antenna) late or never.

    Other wrong rules mistake an arm for a dark reader.
    """
    for name, value in planted.items():
        monkeypatch.setattr(f"hardware.stack_detection.stack_detector.{name}", value)
    offline_ms = [offline_after_ms({"bet1": 0, "bet2": 0}), offline_after_ms({"bet1": 0, "bet2": 0, "bet5": 0})]
    assert not (min(offline_ms[0].values()) >= 1_400 and 300 <= min(offline_ms[1].values()) <= 500)
