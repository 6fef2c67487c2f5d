"""Opening and closing a table, the chips that players bring and take away, and the accounts of each dealer."""

from __future__ import annotations

from typing import Final

import pytest

from controller.config import parse_game
from controller.rules import Player
from controller.scripts import STEP_INTERVAL_US, ScriptState, apply_scripted_step
from controller.steps import parse_step
from controller.table import Accounts, DealerSession, SeatSession, Table, TournamentLevel, dealer_shifts, open_table

OPEN_STAKES: Final = {"blinds": [5, 10], "stakes": "open"}


def after(*lines: str) -> Table:
    players = {1: Player(name="ann", stack=200), 2: Player(stack=200), 3: Player(name="cho", stack=200)}
    scene = ScriptState(open_table({"main": parse_game(OPEN_STAKES)}, 3, players))
    for number, line in enumerate(lines, 1):
        scene, outcome = apply_scripted_step(scene, parse_step(line), number * STEP_INTERVAL_US)
        assert outcome.refusal is None, (line, outcome.refusal)
    return scene.table


def sessions_after(*lines: str) -> set[SeatSession]:
    return set(after(*lines).seat_sessions)


OTHERS: Final = {SeatSession(2, "", 200), SeatSession(3, "cho", 200)}
SEAT_SESSIONS: Final[dict[str, tuple[tuple[str, ...], set[SeatSession]]]] = {
    "a player at the opening": ((), {SeatSession(1, "ann", 200)}),
    "more chips": (("1 add 50", "1 cash 30"), {SeatSession(1, "ann", 280)}),
    "more chips in a hand": (("hand", "1 add 50"), {SeatSession(1, "ann", 250)}),
    "a marker that was partly paid back": (
        ("hand", "1 marker 50", "void", "1 redeems 20"),
        {SeatSession(1, "ann", 230)},
    ),
    "lent chips": (
        ("4 sit 90", "hand", "3 fold", "1 marker 50 from 3"),
        {SeatSession(1, "ann", 200), SeatSession(4, "", 90)},
    ),
    "another seat": (("1 moves 7",), {SeatSession(7, "ann", 200)}),
    "a player who leaves": (("1 tip 5", "1 leave"), {SeatSession(0, "ann", 200, 195)}),
    "a player who returns": (("1 leave", "5 sit 200 as ann"), {SeatSession(5, "ann", 400, 200)}),
    "another player in the seat": (("1 leave", "1 sit 90"), {SeatSession(0, "ann", 200, 200), SeatSession(1, "", 90)}),
    "two unnamed players": (
        ("1 leave", "4 sit 90", "4 leave", "4 sit 80"),
        {SeatSession(0, "ann", 200, 200), SeatSession(0, "", 90, 90), SeatSession(4, "", 80)},
    ),
}


@pytest.mark.parametrize("case", SEAT_SESSIONS)
def test_seat_sessions_record_chips_bought_in_and_cashed_out(case: str) -> None:
    lines, expected = SEAT_SESSIONS[case]
    assert sessions_after(*lines) == expected | OTHERS


def test_counted_stack_is_not_a_buy_in() -> None:
    table = after("1 stack 150")
    assert SeatSession(1, "ann", 200) in table.seat_sessions and table.accounts.adjustment == 50


def test_account_totals_are_reported_per_dealer() -> None:
    table = after("1 tip 1", "dealer eve", "2 tip 3", "hand", "dealer Joe Smith", "1 tip 4", "void", "1 time 6")
    assert table.dealer == "Joe Smith"
    assert dealer_shifts(table) == (
        DealerSession("", 0, Accounts(toke=1)),
        DealerSession("eve", 1, Accounts(toke=3)),
        DealerSession("Joe Smith", 0, Accounts(toke=4, time=6)),
    )


def test_empty_time_before_the_first_dealer_makes_no_shift() -> None:
    assert dealer_shifts(after("dealer eve")) == (DealerSession("eve"),)
    assert dealer_shifts(after()) == ()


def test_dealer_continues_when_the_table_is_reopened() -> None:
    table = after("dealer eve", "1 tip 5", "close")
    assert (
        dealer_shifts(table) == (DealerSession("eve", 0, Accounts(toke=5)),) and table.is_closed and not table.players
    )
    assert sum(stay.cashed_out for stay in table.seat_sessions) == 595 and table.bought_in_total == 5
    reopened = after("dealer eve", "1 tip 5", "close", "open")
    assert dealer_shifts(reopened) == (DealerSession("eve"),) and (
        reopened.seat_sessions,
        reopened.bought_in_total,
        reopened.accounts,
    ) == ((), 0, Accounts())


def test_opened_table_begins_with_the_first_game_of_its_mix() -> None:
    games = {name: parse_game(OPEN_STAKES) for name in ("main", "one", "two")}
    for first in (
        open_table(games, 3, {}, mix=("one", "two")),
        open_table(games, 3, {}, levels=(TournamentLevel("one", 20), TournamentLevel("two", 20))),
    ):
        table = ScriptState(first)
        for number, line in enumerate(("game two", "close", "open"), 1):
            table, _ = apply_scripted_step(table, parse_step(line), number * STEP_INTERVAL_US)
        assert table.table.game_name == "one"


def test_players_of_old_records_without_accounts_are_tracked_from_then_on() -> None:
    scene, _ = apply_scripted_step(
        ScriptState(after()._replace(seat_sessions=())), parse_step("1 add 50"), STEP_INTERVAL_US
    )
    assert scene.table.seat_sessions == (SeatSession(1, "ann", 50),)
