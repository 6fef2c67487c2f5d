"""Simulated sessions with realistic players and dealers: the statistics are correct, and equal for equal seeds."""

from __future__ import annotations

import pytest

from controller.config import BadInputError
from controller.live import TableSetup
from controller.rules import Game, Player
from controller.simulation import SimulationPlan, SimulationReport, SimulationResult, simulate
from controller.simulation.sessions import environment, open_session, split_into_sessions, sum_statistics
from controller.simulation.sessions.dealer_answers import introduces_error
from controller.simulation.sessions.statistics import SessionStatistics, percentile_ms
from controller.steps import hand_steps, parse_step, table_steps
from controller.table import apply_table_step, balances, open_table

PER_10K = 10_000
SMALL = SimulationPlan(hands=4, seed=1, variant="holdem", seats=6)


def test_session_without_disturbances_has_no_errors() -> None:
    report = simulate(SMALL).report
    assert report.hands == SMALL.hands
    assert (report.wrong_hands, report.exceptions, report.drift_units, report.false_out_of_turn) == (0, 0, 0, 0)
    assert report.confirmed >= 10 * report.hands


def test_hasty_dealer_has_no_silent_errors() -> None:
    report = simulate(SMALL._replace(hands=3, dealer="hasty")).report
    assert report.wrong_hands_silent == 0


def test_session_with_faulty_presence_sensors_has_sensors_that_never_change() -> None:
    environment, session = open_session(SimulationPlan(seed=2, faults="presence", seats=9, variant="holdem"))
    noise = environment.noise
    assert noise is not None
    session.play_hands(1)
    spots = {spot for panel in environment.rig.layout.panels for spot in panel.presence.values()}
    stuck = {spot for spot in spots if noise.has_stuck_sensor(spot)}
    assert 0 < len(stuck) < len(spots) == 10
    assert not environment.accuracy.has_error


def test_same_seed_gives_the_same_session() -> None:
    plan = SimulationPlan(hands=2, seed=9, faults="all", technology="mode3")
    assert _without_clock(simulate(plan)) == _without_clock(simulate(plan))


def _without_clock(played: SimulationResult) -> SimulationResult:
    return played._replace(report=played.report._replace(wall_seconds=0.0))


def test_one_error_counts_once() -> None:
    """Compare the true state with a table that declared a misdeal. Only the position of the button is wrong.

    Before the next hand, the floor corrects the button, and counts the stacks that the table does not know.
    """
    running_environment, session = open_session(SimulationPlan(seed=5, seats=4, variant="holdem"))
    session.play_hands(1)
    running_environment.touch(
        table_steps.FloorPlacesButton(running_environment.ground_truth.carry_over.previous_placement.button), "floor"
    )
    running_environment.touch(hand_steps.StartsHand())
    running_environment.touch(
        table_steps.FloorSetsBet(
            running_environment.table.hand.turn if running_environment.table.hand else 0, 1_000_000
        ),
        "floor",
    )
    running_environment.touch(hand_steps.VoidsHand())
    session.play_hands(1)
    table_facts, true_facts = (
        apply_table_step(table, hand_steps.StartsHand()).table.carry_over.placement
        for table in (running_environment.table, running_environment.ground_truth)
    )
    assert table_facts == true_facts
    assert not any(
        balances.is_stack_unknown(running_environment.table, seat) for seat in running_environment.table.players
    )


@pytest.mark.parametrize(("true_step", "is_wrong"), [("2 bet 40", True), ("2 check", False)])
def test_dealer_keys_no_check_for_a_seat_with_chips_on_its_spot(true_step: str, is_wrong: bool) -> None:
    players = {seat: Player(stack=1000) for seat in (1, 2, 3)}
    flop = open_table({"main": Game(blinds=(5, 10))}, 1, players)
    for do in ("hand", "1 call", "1 chips 10", "2 call", "2 chips 5", "3 check", "deal"):
        flop = apply_table_step(flop, parse_step(do)).table
    checked, truth = (
        apply_table_step(flop, parse_step("2 check")).table,
        apply_table_step(flop, parse_step(true_step)).table,
    )
    assert introduces_error(flop, checked, truth) == is_wrong


def test_planted_fault_table_without_delay_tolerance_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the table expects no delays.

    If a spot becomes empty, the table counts the chips as taken back. If a seat bets just before its turn, the table
    counts the bet as out of turn.
    """
    monkeypatch.setattr(environment, "TableSetup", lambda: TableSetup(tolerates_delays=False))
    report = simulate(SMALL._replace(hands=3)).report
    assert report.false_out_of_turn + report.wrong_hands > 0


def test_sessions_do_not_depend_on_the_number_of_processes() -> None:
    parts = split_into_sessions(SimulationPlan(hands=60, seed=3))
    assert [part.hands for part in parts] == [25, 25, 10]
    assert len({part.seed for part in parts}) == 3


def test_session_results_add_up() -> None:
    first, second = (
        SessionStatistics(hands=2, question_codes=["splash"]),
        SessionStatistics(hands=3, question_codes=["change"]),
    )
    assert sum_statistics((first, second)) == SessionStatistics(hands=5, question_codes=["splash", "change"])


@pytest.mark.parametrize(
    ("times_us", "percent", "ms"), [((), 50, 0), ((5_000,), 99, 5), ((1_000, 2_000, 3_000, 9_000), 50, 3)]
)
def test_percentiles(times_us: tuple[int, ...], percent: int, ms: int) -> None:
    assert percentile_ms(times_us, percent) == ms


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (SimulationPlan(faults="rough"), "--faults rough: expected one of none, usual, sticky1, all, edge, "),
        (SimulationPlan(ont=2), "--ont 2: expected 0 or 1"),
        (SimulationPlan(dealer="slow"), "--dealer slow: expected one of patient, usual, hasty"),
        (SimulationPlan(technology="pjm"), "--technology pjm: expected one of iso15693, mode3"),
        (SimulationPlan(variant="whist"), "--variant whist: expected one of holdem, "),
        (SimulationPlan(seats=11), "--seats 11: expected 2 to 10"),
        (SimulationPlan(hands=0), "--hands 0: expected 1 or more"),
    ],
)
def test_unknown_setting_gives_one_line(plan: SimulationPlan, expected: str) -> None:
    with pytest.raises(BadInputError, match=expected):
        simulate(plan)


# --- soak tests ---


def silent_errors(report: SimulationReport) -> int:
    """Return the number of wrong amounts of any kind that had no alert."""
    return report.wrong_confirmed + report.wrong_never_heard + report.wrong_dead_tag


@pytest.mark.soak
@pytest.mark.parametrize(
    ("faults", "dealer", "max_wrong"),
    [("none", "patient", 0), ("none", "usual", 0), ("usual", "usual", 0), ("sticky1", "usual", 15)],
)
def test_sessions(faults: str, dealer: str, max_wrong: int) -> None:
    """Check that at most `max_wrong` of 10,000 motions have a wrong amount without an alert.

    Each case has more than 7,000 motions.
    """
    report = simulate(SimulationPlan(hands=600, seed=20, faults=faults, dealer=dealer)).report
    assert report.confirmed > 7_000
    assert silent_errors(report) * PER_10K <= max_wrong * report.confirmed
    assert (report.exceptions, report.drift_units) == (0, 0)
    assert report.false_out_of_turn * 100 <= (report.hands if faults != "none" else 0)


@pytest.mark.soak
def test_hasty_dealers() -> None:
    """Let a hasty dealer sweep only 0.3 to 1 s after the last chip.

    At most four of a hundred hands are wrong, and each of these has an alert.
    """
    report = simulate(SimulationPlan(hands=500, seed=21, dealer="hasty")).report
    assert report.wrong_hands * 100 <= 4 * report.hands
    assert (report.wrong_hands_silent, report.exceptions, report.drift_units) == (0, 0, 0)


@pytest.mark.soak
def test_three_thousand_hands_with_every_fault() -> None:
    report = simulate(SimulationPlan(hands=3_000, seed=7, faults="all"), jobs=2).report
    assert report.confirmed >= 10 * report.hands
    assert report.wrong_confirmed * PER_10K <= 60 * report.confirmed
    assert silent_errors(report) * PER_10K <= 250 * report.confirmed
    assert report.asked * 100 <= 3 * report.motions
    assert report.questions <= 2.5 * report.hands
    assert report.missed_out_of_turn * 100 <= report.out_of_turn
    assert report.unheard_out_of_turn * 100 <= 2 * report.out_of_turn
    assert report.false_out_of_turn * 100 <= report.hands
    assert (report.drift_units, report.exceptions) == (0, 0)
    assert report.dead_tags_found * 100 >= 95 * report.dead_tags
