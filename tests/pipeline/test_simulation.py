"""A dealer who keys 0 to 6 seconds late, or several acts at once."""

from __future__ import annotations

import pytest

from controller.live import Setup
from controller.simulation import late, simulate


def test_a_late_dealer_plays_a_hundred_hands() -> None:
    report = simulate(100, seed=3)
    assert report.hands == 100
    assert report.false_warnings <= 1
    assert report.wrong_stacks == 0
    assert report.questions > 20  # the late dealer was late: chips behind the turn were asked about


def test_the_same_seed_is_the_same_evening() -> None:
    assert simulate(3, seed=9) == simulate(3, seed=9)


def test_a_table_that_does_not_ask_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: chips behind the turn are called out of turn at once."""
    monkeypatch.setattr(late, "Setup", lambda: Setup(patient=False))
    assert simulate(20, seed=3).false_warnings > 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 40))
def test_late_dealers(seed: int) -> None:
    report = simulate(100, seed)
    assert (report.false_warnings, report.wrong_stacks) == (0, 0)
