"""Whole sessions with everything that can happen at a table; each planted fault is caught by them."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from controller.rules import Hand, Pot, awards, divide, queries, side_pots
from controller.table import ConservationError, Table
from tests.controller.sessions import Session

QUICK = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
LONG = settings(QUICK, max_examples=3000, stateful_step_count=200, derandomize=False, print_blob=True)
HUNT = settings(QUICK, max_examples=5000, phases=(Phase.generate,), print_blob=False)


def test_sessions() -> None:
    run_state_machine_as_test(Session, settings=QUICK)


@pytest.mark.soak
def test_long_sessions() -> None:
    run_state_machine_as_test(Session, settings=LONG)


def _pot_without_the_bets(table: Table) -> int:
    return sum(table.hand.paid) + sum(table.hand.dead) if table.hand and table.playing else 0


def _odd_chip_lost(amount: int, seats: tuple[int, ...], unit: int) -> dict[int, int]:
    return {seat: amount // len(seats) // unit * unit for seat in divide(amount, seats, unit)}


def _always_reopened(hand: Hand, seat: int) -> bool:
    return True


def _without_dead_money(whole: int, chips: list[int], seats: tuple[int, ...], reaches: list[int]) -> tuple[Pot, ...]:
    return (Pot("main", sum(chips), seats),)


PLANTED: dict[str, tuple[object, str, Callable[..., object]]] = {
    "a pot formula that forgets the bets": (sys.modules["controller.scripts.seen"], "pot", _pot_without_the_bets),
    "an odd chip that is lost": (awards, "divide", _odd_chip_lost),
    "a reopening too many": (queries, "reopened", _always_reopened),
    "pots that forget the dead money": (side_pots, "_layers", _without_dead_money),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_planted_faults_are_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, wrong = PLANTED[fault]
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises((AssertionError, ConservationError)):
        run_state_machine_as_test(Session, settings=HUNT)
