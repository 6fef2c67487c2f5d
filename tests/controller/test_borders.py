"""The table and its view exactly at a border: one more, or one second more, is another thing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.rules import Game, Player
from controller.table import Table, open_table, parse, step
from tests.controller.test_presenter import AT_ONCE, KILLS, NO_LIMIT, PATIENT, PLAYERS, At, at


@pytest.mark.parametrize(("after_us", "steps"), [(10_000_000, 2), (10_000_001, 3)])
def test_chips_within_ten_seconds_of_the_words_are_taken_back_with_them(after_us: int, steps: int) -> None:
    players = {seat: Player(stack=500) for seat in (1, 2, 3)}
    table: Table = open_table({"main": Game(structure="no-limit", blinds=(5, 10))}, 1, players)
    for do, at_us in (("hand", 0), ("1 says bet 20", 0), ("1 chips 20", after_us)):
        outcome = step(table, parse(do), at_us)
        assert outcome.refused is None
        table = outcome.table
    assert len(table.past) == steps


def test_one_share_is_no_share_to_speak_of() -> None:
    assert parse("award main 5*1 2") == parse("award main 5 2")
    assert parse("award main 5*2 2*1") == parse("award main 5*2 2")


STANDS: dict[str, tuple[str, bool]] = {
    "a raise to more than the bet": ("4 raise to 2900", True),
    "a raise to what another has raised to meanwhile": ("4 raise to 3000", False),
}


@pytest.mark.parametrize("rule", STANDS)
def test_a_raise_that_another_has_made_cannot_stand(rule: str) -> None:
    raised, stands = STANDS[rule]
    table = at(NO_LIMIT, AT_ONCE, "6 raise to 3000", raised, "5 says time")
    labels = [choice.label for choice in table.alert("out-of-turn").choices]
    assert ("it-stands" in labels) is stands


OWING = {**PLAYERS, 4: PLAYERS[4]._replace(big_owed=1000, away=True)}
LAMMERS: dict[str, tuple[Callable[[], At], str, bool]] = {
    "a kill of a seat that owes none": (lambda: At(KILLS), "kill", True),
    "a kill in a game without one": (lambda: At(NO_LIMIT), "kill", False),
    "a missed blind of a seat that missed none": (lambda: At(NO_LIMIT), "missed-blind", True),
    "a missed blind of a seat that did": (lambda: At(NO_LIMIT, players=OWING), "missed-blind", False),
}


@pytest.mark.parametrize("rule", LAMMERS)
def test_a_lammer_is_told_where_the_book_says_otherwise(rule: str) -> None:
    make, lammer, told = LAMMERS[rule]
    assert (f"{lammer}-not-booked" in make().lies(4, lammers=(lammer,)).codes) is told


@pytest.mark.parametrize(("badges", "is_open"), [(0, True), (1, False), (None, False)])
def test_a_table_is_open_where_the_house_lists_no_badges(badges: int | None, is_open: bool) -> None:
    table = at(NO_LIMIT, PATIENT)
    table.live = table.live._replace(badges=badges)
    assert table.view.is_open is is_open
