"""Warnings about the amount of a seat stay on the screen until the amount is right or the next street is dealt."""

from __future__ import annotations

import pytest

from controller.presenter import build_table_view
from tests.controller.live_harness import LiveHarness


def warned_seats(game: LiveHarness, code: str) -> set[int]:
    """Return the seats with a warning of this code on the screen."""
    alerts = build_table_view(game.live, 1).alerts
    return {alert.values.seat for alert in alerts if alert.code == code and alert.level == "warning"}


def offered_steps(game: LiveHarness, seat: int) -> list[str]:
    """Return the steps that the screen offers with its first warning about the seat."""
    warnings = [alert for alert in build_table_view(game.live, 1).alerts if alert.level == "warning"]
    return [choice.do for choice in next(alert for alert in warnings if alert.values.seat == seat).choices]


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


@pytest.mark.parametrize(
    ("call", "is_warned"),
    [((25, 1, 1, 1, 1, 1), True), ((25, 5), False)],
)
def test_chip_that_no_bet_needs_is_a_warning_until_the_street_is_dealt(call: tuple[int, ...], is_warned: bool) -> None:
    """Seat 4 has bet 30, and one of its chips was not read, so that seat 1 seems to have put in 1 too many."""
    game = LiveHarness()
    game.place_chips(4, 25, 1, 1, 1, 1)
    game.place_chips(1, *call)
    seats = {1} if is_warned else set()
    assert warned_seats(game, "due-back") == seats
    game.do("2 fold", "3 fold")
    game.show_provisional(1)
    assert warned_seats(game, "due-back") == seats


def test_equal_short_calls_offer_that_the_bet_was_smaller() -> None:
    """Seat 4 bets 50, and a chip of 25 of its stack lies beside the bet. Seats 1 and 2 call with 50 each."""
    game = LiveHarness()
    game.place_chips(4, 25, 25, 25)
    game.place_chips(1, 25, 25)
    assert offered_steps(game, 1) == ["1 in"]
    game.place_chips(2, 25, 5, 5, 5, 5, 5)
    assert offered_steps(game, 1) == ["1 in", "4 was 50"]
    game.do("4 was 50")
    assert game.table.hand is not None
    assert (game.table.hand.bets[1:5], warned_seats(game, "owes")) == ((50, 50, 10, 50), set())


def test_different_short_calls_offer_no_smaller_bet() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 25, 25)
    game.place_chips(1, 25, 25)
    game.place_chips(2, 25, 5, 5, 5, 5)
    assert offered_steps(game, 1) == ["1 in"]
