"""Warnings about the amount of a seat stay on the screen until the amount is right or the next street is dealt."""

from __future__ import annotations

from controller.presenter import build_table_view
from tests.controller.live_harness import LiveHarness


def warned_seats(game: LiveHarness, code: str) -> set[int]:
    """Return the seats with a warning of this code on the screen."""
    alerts = build_table_view(game.live, 1).alerts
    return {alert.values.seat for alert in alerts if alert.code == code and alert.level == "warning"}


def test_warning_about_owed_chips_stays_while_the_dealer_sweeps_the_spot() -> None:
    game = LiveHarness()
    game.do("4 raise to 60", "1 fold")
    game.place_chips(2, 5, 5, 25)
    game.do("3 fold")
    assert warned_seats(game, "owes") == {2, 4}
    game.show_provisional(2)
    assert warned_seats(game, "owes") == {2, 4}


def test_warning_about_owed_chips_leaves_while_chips_arrive_that_may_pay_them() -> None:
    game = LiveHarness()
    game.do("4 raise to 60", "1 fold")
    game.place_chips(2, 5, 5, 25)
    game.do("3 fold")
    game.show_provisional(2, 25, 25, 5, 5)
    assert warned_seats(game, "owes") == {4}
