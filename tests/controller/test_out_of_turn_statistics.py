"""A simulated session counts actions out of turn that were reported and that were missed.

It also counts false warnings about such actions.
"""

from __future__ import annotations

import pytest

from controller.live import Live
from controller.live.state import Spot
from controller.simulation import SimulationPlan
from controller.simulation.sessions import open_session
from controller.simulation.sessions.accuracy import OUT_OF_TURN_ALERTS
from controller.simulation.sessions.environment import Environment
from controller.steps import hand_steps
from controller.view import Alert, MessageValues, Urgency
from hardware.events import Chip
from hardware.spots import bet_spot

EARLY = 2
"""Number of the seat that acts out of turn."""
CHIP = Chip("E004AAAA00000001", 5)


def dealt() -> Environment:
    session, _ = open_session(SimulationPlan(seed=5, seats=4, variant="holdem"))
    session.apply_to_truth(hand_steps.StartsHand())
    session.touch(hand_steps.StartsHand())
    return session


def raise_alerts(session: Environment, *codes: str, seat: int = EARLY, level: Urgency = "info") -> None:
    alerts = [Alert(code=code, level=level, values=MessageValues(seat=seat), clearable_by="dealer") for code in codes]
    session.accuracy.record_alerts(session.live, alerts, lambda seat: False)


def act_early(session: Environment, *, heard_at: int = EARLY) -> None:
    """Let seat 2 act out of turn with one chip.

    The reader of the spot `heard_at` has read the chip, but the table does not show the chip on the spot yet.
    """
    session.accuracy.record_early_action(EARLY)
    session.accuracy.start_wager(EARLY, session.now_us).uids = frozenset({CHIP.uid})
    session.accuracy.record_tags(bet_spot(heard_at), [CHIP.uid])


def show_chip(session: Environment) -> None:
    spots = {**session.live.spots, bet_spot(EARLY): Spot(on_spot=(CHIP,))}
    session.live = Live(session.live.setup, session.table, spots)


def missed_count(session: Environment) -> int:
    truth, table = session.ground_truth.hand, session.table.hand
    assert truth is not None and table is not None
    session.accuracy.end_round(truth, table, (), session.now_us, {})
    return session.tally.missed_out_of_turn


@pytest.mark.parametrize("code", [*sorted(OUT_OF_TURN_ALERTS), "own-stack", "at-least", "owes"])
def test_only_out_of_turn_alerts_count_as_reported(code: str) -> None:
    session = dealt()
    act_early(session)
    raise_alerts(session, code)
    assert missed_count(session) == (code not in OUT_OF_TURN_ALERTS)


def test_out_of_turn_action_without_an_alert_counts_as_missed_once() -> None:
    session = dealt()
    act_early(session)
    session.accuracy.record_action(EARLY)
    assert (missed_count(session), session.tally.out_of_turn) == (1, 1)


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize(("heard_at", "counts"), [(EARLY, (1, 0)), (EARLY + 1, (0, 1))])
def test_out_of_turn_seat_with_silent_tags_counts_as_unheard_not_missed(
    heard_at: int, counts: tuple[int, int], in_turn: bool
) -> None:
    session = dealt()
    act_early(session, heard_at=heard_at)
    if in_turn:
        session.accuracy.record_action(EARLY)
    assert (missed_count(session), session.tally.unheard_out_of_turn) == counts


def test_alert_about_another_seat_does_not_count_as_reported() -> None:
    session = dealt()
    act_early(session)
    raise_alerts(session, "behind-the-turn", seat=EARLY + 1)
    assert missed_count(session) == 1


@pytest.mark.parametrize(("in_time", "count"), [(True, 0), (False, 1)])
def test_alert_after_the_seat_acted_in_turn_counts_as_missed(in_time: bool, count: int) -> None:
    session = dealt()
    act_early(session)
    if not in_time:
        session.accuracy.record_action(EARLY)
    raise_alerts(session, "behind-the-turn")
    assert missed_count(session) == count


@pytest.mark.parametrize(("are_seen", "count"), [(True, 0), (False, 1)])
def test_standing_alert_counts_only_once_the_chips_are_seen(are_seen: bool, count: int) -> None:
    session = dealt()
    raise_alerts(session, "behind-the-turn")
    act_early(session)
    if are_seen:
        show_chip(session)
    raise_alerts(session, "behind-the-turn")
    assert missed_count(session) == count


@pytest.mark.parametrize(
    ("seat", "level", "count"),
    [(EARLY, "warning", 0), (EARLY + 1, "warning", 1), (EARLY + 1, "info", 0)],
)
def test_warning_about_a_seat_that_did_not_act_out_of_turn_is_false(seat: int, level: Urgency, count: int) -> None:
    session = dealt()
    act_early(session)
    raise_alerts(session, "out-of-turn", seat=seat, level=level)
    assert session.tally.false_out_of_turn == count
