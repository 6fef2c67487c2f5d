"""A simulated session counts which wrong amounts the screen still questions when the betting round closes."""

from __future__ import annotations

import msgspec
import pytest

from controller.simulation import SimulationPlan
from controller.simulation.sessions import open_session
from controller.simulation.sessions.environment import Environment
from controller.steps import hand_steps
from controller.view import Alert, MessageValues, Urgency

SEAT = 8
"""Number of the seat with a wrong amount."""


def dealt() -> Environment:
    session, _ = open_session(SimulationPlan(seed=5, seats=4, variant="holdem"))
    session.apply_to_truth(hand_steps.StartsHand())
    session.touch(hand_steps.StartsHand())
    return session


def show(session: Environment, *alerts: tuple[str, Urgency, int]) -> None:
    """Show exactly these alerts, each with its code, level and seat."""
    session.accuracy.record_alerts(
        session.live,
        [
            Alert(code=code, level=level, values=MessageValues(seat=seat), clearable_by="dealer")
            for code, level, seat in alerts
        ],
        lambda seat: False,
    )


def close_round(session: Environment) -> tuple[int, int, int]:
    """Close the round with a wrong amount, and return the counts of told, visible and not visible wrong amounts."""
    truth, table = session.ground_truth.hand, session.table.hand
    assert truth is not None and table is not None
    bets = tuple(bet + 5 * (seat == SEAT) for seat, bet in enumerate(table.bets))
    session.accuracy.end_round(truth, msgspec.structs.replace(table, bets=bets), (), session.now_us, {})
    return session.tally.wrong_told, session.tally.wrong_visible, session.tally.wrong_not_visible


@pytest.mark.parametrize(
    ("alert", "counts"),
    [
        (("at-least", "question", SEAT), (1, 1, 0)),
        (("owes", "warning", SEAT), (1, 1, 0)),
        (("due-back", "info", SEAT), (1, 0, 1)),
        (("at-least", "question", SEAT + 1), (0, 0, 1)),
        (("floor-called", "warning", SEAT), (0, 0, 1)),
    ],
)
def test_wrong_amount_is_visible_only_with_a_question_or_warning_about_it(
    alert: tuple[str, Urgency, int], counts: tuple[int, int, int]
) -> None:
    session = dealt()
    show(session, alert)
    assert close_round(session) == counts


def test_alert_that_has_left_the_screen_is_not_visible_at_the_close() -> None:
    session = dealt()
    show(session, ("at-least", "question", SEAT))
    show(session)
    assert close_round(session) == (1, 0, 1)


def test_alert_of_the_next_street_is_not_visible_at_the_close() -> None:
    session = dealt()
    show(session)
    hand = session.table.hand
    assert hand is not None
    live, next_street = session.live, session.table._replace(hand=msgspec.structs.replace(hand, round_number=2))
    session.live = live._replace(table=next_street)
    show(session, ("at-least", "question", SEAT))
    session.live = live
    assert close_round(session) == (1, 0, 1)
