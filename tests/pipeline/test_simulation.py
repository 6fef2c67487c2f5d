"""Evenings with people and a dealer as they are: what is counted is what happened, the same for the same seed."""

from __future__ import annotations

import pytest

from controller.config import BadInputError
from controller.live import Setup
from controller.rules import Game, Player
from controller.simulation import Plan, Played, Report, simulate
from controller.simulation.evening import added, evenings, opened, room
from controller.simulation.evening.answers import makes_wrong
from controller.simulation.evening.tally import Tally, percentile_ms
from controller.table import FloorPlacesButton, FloorSetsBet, StartsHand, Voids, is_unknown, open_table, parse, step

PER_10K = 10_000
SMALL = Plan(hands=4, seed=1, variant="holdem", seats=6)


def test_an_evening_without_faults_is_right() -> None:
    found = simulate(SMALL).report
    assert found.hands == SMALL.hands
    assert (found.wrong_hands, found.exceptions, found.drift_units, found.false_out_of_turn) == (0, 0, 0, 0)
    assert found.confirmed >= 10 * found.hands


def test_a_hasty_dealer_loses_nothing_in_silence() -> None:
    found = simulate(SMALL._replace(hands=3, dealer="hasty")).report
    assert found.wrong_hands_silent == 0


def test_the_same_seed_is_the_same_evening() -> None:
    plan = Plan(hands=2, seed=9, faults="all", technology="mode3")
    assert _without_clock(simulate(plan)) == _without_clock(simulate(plan))


def _without_clock(played: Played) -> Played:
    return played._replace(report=played.report._replace(wall_seconds=0.0))


def test_one_error_counts_once() -> None:
    """A hand that the table voided moves its button only; the floor sets it right before the next hand, and counts
    stacks that the table does not know."""
    evening, course = opened(Plan(seed=5, seats=4, variant="holdem"))
    course.play(1)
    evening.touch(FloorPlacesButton(evening.truth.carried.last.button), "floor")
    evening.touch(StartsHand())
    evening.touch(FloorSetsBet(evening.table.hand.turn if evening.table.hand else 0, 1_000_000), "floor")
    evening.touch(Voids())
    course.play(1)
    here, there = (step(table, StartsHand()).table.carried.placed for table in (evening.table, evening.truth))
    assert here == there
    assert not any(is_unknown(evening.table, seat) for seat in evening.table.players)


@pytest.mark.parametrize(("really", "is_wrong"), [("2 bet 40", True), ("2 check", False)])
def test_a_dealer_says_of_nobody_that_it_checked_whose_chips_lie_there(really: str, is_wrong: bool) -> None:
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    flop = open_table({"main": Game(blinds=(5, 10))}, 1, players)
    for do in ("hand", "1 call", "1 chips 10", "2 call", "2 chips 5", "3 check", "deal"):
        flop = step(flop, parse(do)).table
    checked, truth = step(flop, parse("2 check")).table, step(flop, parse(really)).table
    assert makes_wrong(flop, checked, truth) == is_wrong


def test_a_table_that_does_not_wait_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a spot that empties was taken back, chips behind the turn are out of turn."""
    monkeypatch.setattr(room, "Setup", lambda: Setup(patient=False))
    found = simulate(SMALL._replace(hands=3)).report
    assert found.false_out_of_turn + found.wrong_hands > 0


def test_evenings_are_the_same_however_many_run_side_by_side() -> None:
    parts = evenings(Plan(hands=60, seed=3))
    assert [part.hands for part in parts] == [25, 25, 10]
    assert len({part.seed for part in parts}) == 3


def test_evenings_add_up() -> None:
    one, other = Tally(hands=2, asked_about=["splash"]), Tally(hands=3, asked_about=["change"])
    assert added((one, other)) == Tally(hands=5, asked_about=["splash", "change"])


@pytest.mark.parametrize(
    ("times_us", "percent", "ms"), [((), 50, 0), ((5_000,), 99, 5), ((1_000, 2_000, 3_000, 9_000), 50, 3)]
)
def test_percentiles(times_us: tuple[int, ...], percent: int, ms: int) -> None:
    assert percentile_ms(times_us, percent) == ms


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan(faults="rough"), "--faults rough: expected one of none, usual, sticky1, all"),
        (Plan(dealer="slow"), "--dealer slow: expected one of patient, usual, hasty"),
        (Plan(technology="pjm"), "--technology pjm: expected one of iso15693, mode3"),
        (Plan(variant="whist"), "--variant whist: expected one of holdem, "),
        (Plan(seats=11), "--seats 11: expected 2 to 10"),
        (Plan(hands=0), "--hands 0: expected 1 or more"),
    ],
)
def test_a_setting_that_is_none_is_one_clear_line(plan: Plan, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        simulate(plan)


# --- long ones ---


def wrong(found: Report) -> int:
    """Amounts that were wrong in silence, of all kinds."""
    return found.wrong_confirmed + found.wrong_never_heard + found.wrong_dead_tag


@pytest.mark.soak
@pytest.mark.parametrize(
    ("faults", "dealer", "most"),
    [("none", "patient", 0), ("none", "usual", 0), ("usual", "usual", 0), ("sticky1", "usual", 15)],
)
def test_evenings(faults: str, dealer: str, most: int) -> None:
    """More than 7,000 motions each: at most so many of 10,000 are wrong in silence."""
    found = simulate(Plan(hands=600, seed=20, faults=faults, dealer=dealer)).report
    assert found.confirmed > 7_000
    assert wrong(found) * PER_10K <= most * found.confirmed
    assert (found.exceptions, found.drift_units) == (0, 0)
    assert found.false_out_of_turn * 100 <= (found.hands if faults != "none" else 0)


@pytest.mark.soak
def test_hasty_dealers() -> None:
    """Sweeping 0.3 to 1 s after the last chip: at most four hands of a hundred end wrong, each of them told."""
    found = simulate(Plan(hands=500, seed=21, dealer="hasty")).report
    assert found.wrong_hands * 100 <= 4 * found.hands
    assert (found.wrong_hands_silent, found.exceptions, found.drift_units) == (0, 0, 0)


@pytest.mark.soak
def test_three_thousand_hands_with_every_fault() -> None:
    found = simulate(Plan(hands=3_000, seed=7, faults="all"), jobs=2).report
    assert found.confirmed >= 10 * found.hands
    assert found.wrong_confirmed * PER_10K <= 60 * found.confirmed
    assert wrong(found) * PER_10K <= 250 * found.confirmed
    assert found.asked * 100 <= 3 * found.motions
    assert found.questions <= 2.5 * found.hands
    assert found.missed_out_of_turn * 100 <= found.out_of_turn
    assert found.unheard_out_of_turn * 100 <= 2 * found.out_of_turn
    assert found.false_out_of_turn * 100 <= found.hands
    assert (found.drift_units, found.exceptions) == (0, 0)
    assert found.dead_tags_found * 100 >= 95 * found.dead_tags
