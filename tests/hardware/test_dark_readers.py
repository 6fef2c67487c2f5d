"""Spots of one reader that fail at the same time: an arm over one or two of them, or the antennas are out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hardware.events import TrayOffline
from tests.hardware.readings import Bench


def offline_after_ms(failing: Mapping[str, int]) -> dict[str, int]:
    """All four spots are read in turn, each every 80 ms; these fail from so many milliseconds on. When each of them is
    told offline, from the first failure."""
    bench, found = Bench(read_ms=20), dict[str, int]()
    spots = ("bet1", "bet2", "bet5", "pot")
    for _ in range(20):
        for spot in spots:
            bench.read("25a" if spot == "bet1" else "", spot=spot)
    began_ms = bench.now_ms + min(failing.values())
    while bench.now_ms < began_ms + 4_000:
        for spot in spots:
            fails = bench.now_ms >= began_ms - min(failing.values()) + failing.get(spot, 1_000_000)
            for event in bench.fail(spot=spot) if fails else bench.read("", spot=spot):
                if isinstance(event, TrayOffline):
                    found.setdefault(event.spot, bench.now_ms - began_ms)
    return found


@pytest.mark.parametrize(
    ("failing", "least_ms", "most_ms"),
    [
        ({"bet1": 0}, 1_400, 1_600),
        ({"bet1": 0, "bet2": 0}, 1_400, 1_600),
        ({"bet1": 0, "bet2": 0, "bet5": 0}, 300, 500),
        ({"bet1": 0, "bet2": 0, "bet5": 0, "pot": 0}, 300, 500),
        ({"bet1": 0, "bet2": 300, "bet5": 600}, 900, 1_100),
    ],
)
def test_spots_of_a_reader_that_fail_together_are_no_arms(
    failing: Mapping[str, int], least_ms: int, most_ms: int
) -> None:
    """One or two may be under an arm, which rests there for as long as two seconds."""
    found = offline_after_ms(failing)
    assert set(found) == set(failing)
    assert all(least_ms <= after_ms <= most_ms for after_ms in found.values()), found


def test_a_spot_that_fails_long_after_two_others_is_alone() -> None:
    found = offline_after_ms({"bet1": 0, "bet2": 0, "pot": 2_000})
    assert 1_400 <= found["pot"] - 2_000 <= 1_600


def test_one_that_fails_with_a_dark_reader_is_told_at_once() -> None:
    """Its first failure, when the others are told already."""
    found = offline_after_ms({"bet1": 0, "bet2": 0, "bet5": 0, "pot": 800})
    assert found["pot"] - 800 <= 80


def test_three_waves_of_an_arm_are_not_dark() -> None:
    """Three spots fail one after the other, each a while, and answer well in between."""
    bench = Bench()
    for _ in range(20):
        for spot in ("bet1", "bet2", "bet5"):
            bench.fail(6, spot=spot)
            bench.read("", spot=spot)
        bench.read("", spot="pot")
    assert not [event for event in bench.events if isinstance(event, TrayOffline)]


@pytest.mark.parametrize("planted", [{"DARK_US": 1_500_000}, {"DARK_SPOTS": 2}, {"DARK_US": 0}, {"DARK_SPOTS": 5}])
def test_planted_another_rule_of_dark_readers_is_caught(
    planted: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that tells late or never, and ones that take an arm for a dead reader."""
    for name, value in planted.items():
        monkeypatch.setattr(f"hardware.settling.table.{name}", value)
    told = [offline_after_ms({"bet1": 0, "bet2": 0}), offline_after_ms({"bet1": 0, "bet2": 0, "bet5": 0})]
    assert not (min(told[0].values()) >= 1_400 and 300 <= min(told[1].values()) <= 500)
