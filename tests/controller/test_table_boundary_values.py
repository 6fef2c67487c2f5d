"""The table and its view at their limits for chips and times.

Each limit is tested at the limit itself, and one chip or one microsecond past the limit.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.rules import Game, Player
from controller.steps import parse_step
from controller.table import Table, apply_table_step, open_table
from tests.controller.test_presenter import AT_ONCE, KILLS, NO_LIMIT, PATIENT, PLAYERS, LiveView, at


@pytest.mark.parametrize(("after_us", "steps"), [(10_000_000, 2), (10_000_001, 3)])
def test_undo_joins_chips_within_ten_seconds_of_the_declaration(after_us: int, steps: int) -> None:
    players = {seat: Player(stack=500) for seat in (1, 2, 3)}
    table: Table = open_table({"main": Game(structure="no-limit", blinds=(5, 10))}, 1, players)
    for do, at_us in (("hand", 0), ("1 says bet 20", 0), ("1 chips 20", after_us)):
        outcome = apply_table_step(table, parse_step(do), at_us)
        assert outcome.refusal is None
        table = outcome.table
    assert len(table.undo_stack) == steps


def test_award_with_equal_shares_equals_award_without_shares() -> None:
    assert parse_step("award main 5*1 2") == parse_step("award main 5 2")
    assert parse_step("award main 5*2 2*1") == parse_step("award main 5*2 2")


STANDS: dict[str, tuple[str, bool]] = {
    "a raise to more than the bet": ("4 raise to 2900", True),
    "a raise to the total of a later raise": ("4 raise to 3000", False),
}


@pytest.mark.parametrize("rule", STANDS)
def test_held_raise_stands_only_above_the_current_bet(rule: str) -> None:
    raised, stands = STANDS[rule]
    table = at(NO_LIMIT, AT_ONCE, "6 raise to 3000", raised, "5 says time")
    labels = [choice.label for choice in table.alert("out-of-turn").choices]
    assert ("it-stands" in labels) is stands


OWING = {**PLAYERS, 4: PLAYERS[4]._replace(big_blind_owed=1000, is_away=True)}
LAMMERS: dict[str, tuple[Callable[[], LiveView], str, bool]] = {
    "a kill of a seat that owes none": (lambda: LiveView(KILLS), "kill", True),
    "a kill in a game without one": (lambda: LiveView(NO_LIMIT), "kill", False),
    "a missed blind of a seat that missed none": (lambda: LiveView(NO_LIMIT), "missed-blind", True),
    "a missed blind of a seat that missed it": (lambda: LiveView(NO_LIMIT, players=OWING), "missed-blind", False),
}


@pytest.mark.parametrize("rule", LAMMERS)
def test_lammer_that_contradicts_the_balances_is_reported(rule: str) -> None:
    make, lammer, is_reported = LAMMERS[rule]
    assert (f"{lammer}-not-booked" in make().settle_chips(4, lammers=(lammer,)).codes) is is_reported


@pytest.mark.parametrize(("badges", "is_open"), [(0, True), (1, False), (None, False)])
def test_table_without_a_badge_list_is_open(badges: int | None, is_open: bool) -> None:
    table = at(NO_LIMIT, PATIENT)
    table.live = table.live._replace(badge_count=badges)
    assert table.view.has_open_access is is_open
