"""What happens between hands: buy-ins, markers, the levels of a tournament, the hold before a hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config import load_config, read_config, write_config
from controller.journal.whole import digest, read, write
from controller.rules import Game, Player, Refusal, Why, buy_in_limits, reject_add, reject_buy_in
from controller.table import (
    Gone,
    Level,
    LevelNow,
    Marker,
    Reason,
    Table,
    check_conserved,
    keeps_time,
    level_now,
    markers_owed,
    parse,
    step,
    why_no_hand,
)

HEAD = """
button = 3
stacks = { 1 = 1000, 2 = 1000, 3 = 1000 }
names = { 1 = "ann", 2 = "ben" }
[game]
structure = "no-limit"
"""
OPEN = f'{HEAD}min_bet = 5\nstakes = "open"\n'
LEVELS = f"""{HEAD}blinds = [5, 10]
[[levels]]
minutes = 20
[[levels]]
minutes = 20
blinds = [10, 20]
[[levels]]
minutes = 10
break = true
[[levels]]
name = "final"
minutes = 30
blinds = [20, 40]
ante = 5
"""


def table_of(config: str) -> Table:
    return read_config(config).table


def after(table: Table, *lines: str) -> Table:
    """The table after these steps, each taken."""
    for said in lines:
        outcome = step(table, parse(said))
        assert outcome.refused is None, f"{said}: {outcome.refused}"
        table = outcome.table
        check_conserved(table, parse(said))
    return table


def why(table: Table, said: str) -> Refusal | None:
    outcome = step(table, parse(said))
    assert outcome.refused is None or outcome.table == table
    return outcome.refused


# --- buy-ins ---

LARGEST = Game(buy_in=(100, "largest"))


@pytest.mark.parametrize(
    ("others", "limits"),
    [
        ((), None),
        ((0,), None),
        ((60,), (100, 100)),
        ((60, 250, 0), (100, 250)),
        ((60, -1), None),
    ],
)
def test_the_most_is_the_largest_stack(others: tuple[int, ...], limits: tuple[int, int] | None) -> None:
    """-1 stands for a stack that nobody knows; None for no most."""
    players = [Player(stack=max(stack, 0), unknown=stack < 0) for stack in others]
    found = buy_in_limits(LARGEST, players)
    assert found is not None
    assert found == limits or (limits is None and found[0] == 100 and found[1] > 10**15)
    assert reject_buy_in(LARGEST, 99, None, players) is not None
    assert (reject_buy_in(LARGEST, 251, None, players) is None) == (limits is None)


def test_a_refused_buy_in_names_no_most_where_there_is_none() -> None:
    refusal = Refusal(Why.BUY_IN, amount=99, least=100, warning="buy-in")
    assert reject_buy_in(LARGEST, 99, None, ()) == refusal
    assert reject_add(LARGEST, Player(stack=500), 10**6) is None
    assert reject_buy_in(Game(), 5, None, [Player(stack=3)]) is None


@pytest.mark.parametrize(("minutes", "amount", "taken"), [(59, 149, False), (60, 149, True), (60, 160, False)])
def test_the_time_of_the_house(minutes: int, amount: int, taken: bool) -> None:
    house = f"{HEAD}buy_in = [40, 120]\nreturn_minutes = 60\n"
    table = after(table_of(house), "1 stack 150", "1 leave", f"clock {minutes}")
    assert table.gone == {"ann": Gone(150, 0)}
    assert (why(table, f"5 sit {amount} as ann") is None) == taken


# --- markers ---

BORROWED = ("hand", "1 check", "2 marker 50", "3 fold", "2 marker 30 from 3", "2 marker 20 from 3")


def test_a_ledger_has_one_line_for_each_debtor_and_lender() -> None:
    table = after(table_of(OPEN), *BORROWED)
    assert table.markers == (Marker(2, 0, 50), Marker(2, 3, 50))
    assert markers_owed(table) == {2: 100}
    assert table.bought == 3050


def test_debts_go_with_the_debtor_and_stay_when_the_lender_goes() -> None:
    table = after(table_of(OPEN), *BORROWED, "2 fold", "award main 1", "2 moves 7", "3 moves 9")
    assert table.markers == (Marker(7, 0, 50), Marker(7, 9, 50))
    gone = after(table, "7 leave")
    assert (markers_owed(gone), set(gone.markers)) == ({}, {Marker(0, 0, 50, "ben"), Marker(0, 9, 50, "ben")})
    both = after(gone, "9 leave")
    assert both.markers == (Marker(0, 0, 100, "ben"),)
    assert markers_owed(after(both, "3 sit 1100 as ben")) == {3: 100}
    assert after(gone, "3 sit 1100 as ben", "3 redeems 50 to 9").players[9].stack == 1000


def test_nobody_follows_the_debt_of_somebody_without_a_name() -> None:
    table = after(table_of(OPEN), "hand", "1 fold", "3 marker 50 from 1", "2 fold", "award main 3", "3 leave")
    assert table.markers == ()


def test_a_misdeal_pays_no_marker() -> None:
    played = after(table_of(OPEN), *BORROWED)
    table = after(played, "void")
    assert table.markers == played.markers
    assert {seat: player.stack for seat, player in table.players.items()} == {1: 1000, 2: 1100, 3: 950}


def test_a_table_with_all_this_is_written_whole() -> None:
    table = after(table_of(OPEN), *BORROWED, "2 fold", "award main 1", "2 leave", "clock 7", "floor hold")
    assert read(Table, write(table)) == table
    table = after(table_of(LEVELS), "hand", "game 2", "floor hold", "floor go")
    again = read(Table, write(table))
    assert again == table and digest(again) == digest(table)


# --- levels ---


def test_levels_are_written_and_read() -> None:
    table = table_of(LEVELS)
    assert table.levels == (Level("1", 20), Level("2", 20), Level("break-1", 10, is_break=True), Level("final", 30))
    assert (table.game_name, table.game.blinds, table.games["final"].ante) == ("1", (5, 10), 5)
    assert table.games["break-1"] == table.games["2"]
    again = table_of(write_config(table))
    assert (again.levels, again.games) == (table.levels, table.games)


def test_a_level_that_takes_back_what_the_main_game_has_is_written_so() -> None:
    table = table_of(f"{HEAD}ante = 5\n[[levels]]\nminutes = 5\nante = 0\n")
    assert table_of(write_config(table)).games == table.games


def test_levels_of_a_file_beside(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    (tmp_path / "turbo.toml").write_text("[[levels]]\nminutes = 5\n[[levels]]\nminutes = 5\nblinds = [2, 4]\n")
    path.write_text('levels_file = "turbo.toml"\n[game]\nblinds = [1, 2]\n')
    config = load_config(path)
    assert [level.minutes for level in config.table.levels] == [5, 5]
    assert read_config(config.text).table == config.table


@pytest.mark.parametrize(
    ("lines", "now"),
    [
        (("clock 50",), LevelNow("1", 20, False, "2", until_break=40)),
        (("hand", "clock 19"), LevelNow("1", 1, False, "2", until_break=21)),
        (("hand", "clock 20"), LevelNow("1", 0, False, "2", due=True, until_break=20)),
        (("hand", "clock 45"), LevelNow("1", 0, False, "break-1", next_is_break=True, due=True, until_break=0)),
        (("hand", "clock 23", "game 2"), LevelNow("2", 17, False, "break-1", next_is_break=True, until_break=17)),
        (("hand", "clock 3", "game 2"), LevelNow("2", 20, False, "break-1", next_is_break=True, until_break=20)),
        (("hand", "clock 45", "game break-1"), LevelNow("break-1", 5, True, "final")),
        (("hand", "clock 45", "game 2"), LevelNow("2", 0, False, "break-1", True, due=True, until_break=0)),
        (("hand", "clock 70", "game final"), LevelNow("final", 10, False)),
        (("hand", "clock 90", "game final"), LevelNow("final", 0, False)),
        (("hand", "clock 30", "game 1"), LevelNow("1", 0, False, "2", due=True, until_break=10)),
        (("hand", "clock 30", "game 2", "game 1"), LevelNow("1", 20, False, "2", until_break=40)),
        (("hand", "clock 30", "game 2", "undo"), LevelNow("1", 0, False, "2", due=True, until_break=10)),
        (("hand", "game main"), None),
    ],
)
def test_the_clock_of_the_levels(lines: tuple[str, ...], now: LevelNow | None) -> None:
    assert level_now(after(table_of(LEVELS), *lines)) == now


def test_what_keeps_time() -> None:
    assert keeps_time(table_of(LEVELS)) and keeps_time(table_of(f"{HEAD}return_minutes = 1\n"))
    assert not keeps_time(table_of(HEAD))
    assert level_now(table_of(HEAD)) is None


def test_a_break_that_is_named_during_a_hand_holds_the_next_one() -> None:
    table = after(table_of(LEVELS), "hand", "game break-1")
    assert why_no_hand(table) is Reason.ON_BREAK
    table = after(table, "3 fold", "1 fold", "award main 2")
    assert why(table, "hand") == Refusal(Reason.ON_BREAK, name="break-1")
    assert after(table, "game final", "hand").game.blinds == (20, 40)


# --- the hold ---


@pytest.mark.parametrize(
    ("lines", "hold"),
    [
        ((), ""),
        (("floor hold",), "held"),
        (("floor hold", "floor go"), "one"),
        (("floor hold", "floor go", "floor go"), "one"),
        (("floor hold", "floor go", "hand"), "held"),
        (("floor hold", "floor go", "hand", "void"), "one"),
        (("floor hold", "floor go", "hand", "floor go on", "void"), ""),
        (("hand", "floor hold", "void"), "held"),
        (("floor hold", "floor go", "floor hold"), "held"),
        (("floor hold", "floor go on", "hand"), ""),
    ],
)
def test_hand_for_hand(lines: tuple[str, ...], hold: str) -> None:
    table = after(table_of(f"{HEAD}blinds = [5, 10]\n"), *lines)
    assert table.hold == hold
    assert why_no_hand(table) == (Reason.ON_HOLD if hold == "held" else None)
