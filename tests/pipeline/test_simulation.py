"""Evenings with people and a dealer as they are: what is counted is what happened, the same for the same seed."""

from __future__ import annotations

import pytest

from controller.config import BadInputError
from controller.simulation import Plan, simulate


def test_an_evening_without_faults_is_right() -> None:
    played = simulate(Plan(hands=10, seed=1, variant="holdem", seats=6))
    found = played.report
    assert found.hands == 10
    assert (found.wrong_hands_silent, found.exceptions, found.drift_units, found.false_out_of_turn) == (0, 0, 0, 0)
    assert found.confirmed >= 10 * found.hands


def test_the_same_seed_is_the_same_evening() -> None:
    plan = Plan(hands=2, seed=9, faults="all")
    assert _without_clock(plan) == _without_clock(plan)


def _without_clock(plan: Plan) -> object:
    played = simulate(plan)
    return played._replace(report=played.report._replace(wall_seconds=0.0))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan(faults="rough"), "--faults rough: expected one of none, usual, sticky1, all"),
        (Plan(dealer="slow"), "--dealer slow: expected one of patient, usual, hasty"),
        (Plan(technology="pjm"), "--technology pjm: expected one of iso15693, mode3"),
        (Plan(seats=11), "--seats 11: expected 2 to 10"),
        (Plan(hands=0), "--hands 0: expected 1 or more"),
    ],
)
def test_a_setting_that_is_none_is_one_clear_line(plan: Plan, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        simulate(plan)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 40))
def test_late_dealers(seed: int) -> None:
    found = simulate(Plan(hands=100, seed=seed)).report
    assert (found.false_out_of_turn, found.wrong_hands_silent) == (0, 0)
