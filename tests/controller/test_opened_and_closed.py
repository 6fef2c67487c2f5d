"""What players bring and take away, what comes to each account by dealer, and a table that is opened and closed."""

from __future__ import annotations

from typing import Final

import pytest

from controller.config import make_game
from controller.rules import Player
from controller.scripts import STEP_US, Scene, happens
from controller.table import Accounts, Level, Shift, Stay, Table, open_table, parse, shifts_now

OPEN_STAKES: Final = {"blinds": [5, 10], "stakes": "open"}


def after(*lines: str) -> Table:
    players = {1: Player(name="ann", stack=200), 2: Player(stack=200), 3: Player(name="cho", stack=200)}
    scene = Scene(open_table({"main": make_game(OPEN_STAKES)}, 3, players))
    for number, said in enumerate(lines, 1):
        scene, outcome = happens(scene, parse(said), number * STEP_US)
        assert outcome.refused is None, (said, outcome.refused)
    return scene.table


def stays(*lines: str) -> set[Stay]:
    return set(after(*lines).stays)


OTHERS: Final = {Stay(2, "", 200), Stay(3, "cho", 200)}
STAYS: Final[dict[str, tuple[tuple[str, ...], set[Stay]]]] = {
    "who is there at the opening": ((), {Stay(1, "ann", 200)}),
    "more chips": (("1 add 50", "1 cash 30"), {Stay(1, "ann", 280)}),
    "more chips in a hand": (("hand", "1 add 50"), {Stay(1, "ann", 250)}),
    "a marker that plays, paid back": (("hand", "1 marker 50", "void", "1 redeems 20"), {Stay(1, "ann", 230)}),
    "chips that are lent": (
        ("4 sit 90", "hand", "3 fold", "1 marker 50 from 3"),
        {Stay(1, "ann", 200), Stay(4, "", 90)},
    ),
    "another seat": (("1 moves 7",), {Stay(7, "ann", 200)}),
    "who leaves": (("1 tip 5", "1 leave"), {Stay(0, "ann", 200, 195)}),
    "who comes back": (("1 leave", "5 sit 200 as ann"), {Stay(5, "ann", 400, 200)}),
    "somebody else in the seat": (("1 leave", "1 sit 90"), {Stay(0, "ann", 200, 200), Stay(1, "", 90)}),
    "two whom nobody knows": (
        ("1 leave", "4 sit 90", "4 leave", "4 sit 80"),
        {Stay(0, "ann", 200, 200), Stay(0, "", 90, 90), Stay(4, "", 80)},
    ),
}


@pytest.mark.parametrize("case", STAYS)
def test_what_players_bring_and_take_away(case: str) -> None:
    lines, expected = STAYS[case]
    assert stays(*lines) == expected | OTHERS


def test_a_count_is_nobodys_buy_in() -> None:
    table = after("1 stack 150")
    assert Stay(1, "ann", 200) in table.stays and table.accounts.adjustment == 50


def test_what_comes_to_each_account_is_told_by_dealer() -> None:
    table = after("1 tip 1", "dealer eve", "2 tip 3", "hand", "dealer Joe Smith", "1 tip 4", "void", "1 time 6")
    assert table.dealer == "Joe Smith"
    assert shifts_now(table) == (
        Shift("", 0, Accounts(toke=1)),
        Shift("eve", 1, Accounts(toke=3)),
        Shift("Joe Smith", 0, Accounts(toke=4, time=6)),
    )


def test_the_time_before_the_first_dealer_is_none_where_nothing_came_of_it() -> None:
    assert shifts_now(after("dealer eve")) == (Shift("eve"),)
    assert shifts_now(after()) == ()


def test_who_dealt_goes_on_dealing_when_the_table_is_opened_again() -> None:
    table = after("dealer eve", "1 tip 5", "close")
    assert shifts_now(table) == (Shift("eve", 0, Accounts(toke=5)),) and table.closed and not table.players
    assert sum(stay.cashed for stay in table.stays) == 595 and table.bought == 5
    again = after("dealer eve", "1 tip 5", "close", "open")
    assert shifts_now(again) == (Shift("eve"),) and (again.stays, again.bought, again.accounts) == ((), 0, Accounts())


def test_a_table_that_is_opened_begins_with_the_first_game_of_its_mix() -> None:
    games = {name: make_game(OPEN_STAKES) for name in ("main", "one", "two")}
    for first in (
        open_table(games, 3, {}, mix=("one", "two")),
        open_table(games, 3, {}, levels=(Level("one", 20), Level("two", 20))),
    ):
        table = Scene(first)
        for number, said in enumerate(("game two", "close", "open"), 1):
            table, _ = happens(table, parse(said), number * STEP_US)
        assert table.table.game_name == "one"


def test_players_of_records_without_accounts_of_theirs_are_followed_from_then_on() -> None:
    scene, _ = happens(Scene(after()._replace(stays=())), parse("1 add 50"), STEP_US)
    assert scene.table.stays == (Stay(1, "ann", 50),)
