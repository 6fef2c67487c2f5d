"""Events between hands: buy-ins, markers (debts to the house), tournament levels, and hand-for-hand play.

In hand-for-hand play the table waits until the floor allows the next hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.config import format_config, load_config, parse_config
from controller.journal.snapshot import decode, digest_of_value, encode
from controller.rules import (
    Game,
    Player,
    Refusal,
    RuleRefusal,
    buy_ins,
)
from controller.service.queries.accounts_report import report_page
from controller.steps import parse_step
from controller.table import (
    DepartedPlayer,
    Marker,
    Table,
    TableRefusal,
    TournamentLevel,
    apply_table_step,
    markers_owed,
    require_chips_conserved,
    tournament,
)
from controller.view import pages

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
    return parse_config(config).table


def after(table: Table, *lines: str) -> Table:
    """Apply these steps, each of which must be accepted, and return the table."""
    for line in lines:
        outcome = apply_table_step(table, parse_step(line))
        assert outcome.refusal is None, f"{line}: {outcome.refusal}"
        table = outcome.table
        require_chips_conserved(table, parse_step(line))
    return table


def refusal_of(table: Table, line: str) -> Refusal | None:
    outcome = apply_table_step(table, parse_step(line))
    assert outcome.refusal is None or outcome.table == table
    return outcome.refusal


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
def test_largest_buy_in_equals_the_largest_stack(others: tuple[int, ...], limits: tuple[int, int] | None) -> None:
    """The stack -1 stands for an unknown stack. The limits None stand for a game without a maximum."""
    players = [Player(stack=max(stack, 0), stack_unknown=stack < 0) for stack in others]
    limits_now = buy_ins.buy_in_limits(LARGEST, players)
    assert limits_now is not None
    assert limits_now == limits or (limits is None and limits_now[0] == 100 and limits_now[1] > 10**15)
    assert buy_ins.reject_buy_in(LARGEST, 99, None, players) is not None
    assert (buy_ins.reject_buy_in(LARGEST, 251, None, players) is None) == (limits is None)


def test_refused_buy_in_names_no_maximum_if_there_is_none() -> None:
    refusal = Refusal(RuleRefusal.BUY_IN_OUT_OF_RANGE, amount=99, minimum=100, warning_code="buy-in")
    assert buy_ins.reject_buy_in(LARGEST, 99, None, ()) == refusal
    assert buy_ins.reject_add_chips(LARGEST, Player(stack=500), 10**6) is None
    assert buy_ins.reject_buy_in(Game(), 5, None, [Player(stack=3)]) is None


@pytest.mark.parametrize("step", ["5 sit 39 as eve", "5 sit 121", "5 sit 149 as ann", "2 add 1000", "3 add 39"])
def test_refused_buy_in_names_its_seat(step: str) -> None:
    table = after(table_of(f"{HEAD}buy_in = [40, 120]\n"), "1 stack 150", "1 leave", "3 stack 0")
    refusal = refusal_of(table, step)
    assert refusal is not None
    assert refusal.seat == int(step[0])


@pytest.mark.parametrize(("minutes", "amount", "is_accepted"), [(59, 149, False), (60, 149, True), (60, 160, False)])
def test_buy_in_limit_of_a_returning_player_ends_after_the_return_time(
    minutes: int, amount: int, is_accepted: bool
) -> None:
    house = f"{HEAD}buy_in = [40, 120]\nreturn_minutes = 60\n"
    table = after(table_of(house), "1 stack 150", "1 leave", f"clock {minutes}")
    assert table.departed_players == {"ann": DepartedPlayer(150, 0)}
    assert (refusal_of(table, f"5 sit {amount} as ann") is None) == is_accepted


# --- markers ---

BORROWED = ("hand", "1 check", "2 marker 50", "3 fold", "2 marker 30 from 3", "2 marker 20 from 3")


def test_ledger_has_one_line_per_debtor_and_lender() -> None:
    table = after(table_of(OPEN), *BORROWED)
    assert table.markers == (Marker(2, 0, 50), Marker(2, 3, 50))
    assert markers_owed(table) == {2: 100}
    assert table.bought_in_total == 3050


def test_debt_follows_the_debtor_and_remains_when_the_lender_leaves() -> None:
    table = after(table_of(OPEN), *BORROWED, "2 fold", "award main 1", "2 moves 7", "3 moves 9")
    assert table.markers == (Marker(7, 0, 50), Marker(7, 9, 50))
    lender_left = after(table, "7 leave")
    assert (markers_owed(lender_left), set(lender_left.markers)) == (
        {},
        {Marker(0, 0, 50, "ben"), Marker(0, 9, 50, "ben")},
    )
    both = after(lender_left, "9 leave")
    assert both.markers == (Marker(0, 0, 100, "ben"),)
    assert markers_owed(after(both, "3 sit 1100 as ben")) == {3: 100}
    assert after(lender_left, "3 sit 1100 as ben", "3 redeems 50 to 9").players[9].stack == 1000


def test_debt_of_an_unnamed_player_ends_when_the_player_leaves() -> None:
    table = after(table_of(OPEN), "hand", "1 fold", "3 marker 50 from 1", "2 fold", "award main 3", "3 leave")
    assert table.markers == ()


def test_report_keeps_the_debts_of_departed_players_by_name_or_by_seat_and_time() -> None:
    table = after(table_of(OPEN), *BORROWED, "2 fold", "award main 1", "clock 95", "2 leave")
    table = after(table, "2 sit 500", "hand", "1 check", "3 fold", "2 marker 40", "2 marker 20 from 3", "void")
    table = after(table, "2 moves 5", "clock 7", "5 leave")
    debts = (pages.UnpaidDebt(name="ben", amount=100), pages.UnpaidDebt(seat=5, minute=102, amount=60))
    assert report_page(table).unpaid_debts == debts
    assert report_page(after(table, "close", "open")).unpaid_debts == debts
    assert report_page(after(table, "4 sit 1100 as ben")).unpaid_debts == debts[1:]
    assert report_page(apply_table_step(table, parse_step("undo")).table).unpaid_debts == debts[:1]
    assert decode(Table, encode(table)) == table


def test_player_without_a_debt_leaves_no_debt() -> None:
    assert report_page(after(table_of(OPEN), "3 leave")).unpaid_debts == ()


def test_misdeal_does_not_pay_markers() -> None:
    played = after(table_of(OPEN), *BORROWED)
    table = after(played, "void")
    assert table.markers == played.markers
    assert {seat: player.stack for seat, player in table.players.items()} == {1: 1000, 2: 1100, 3: 950}


def test_table_with_markers_and_clock_survives_a_snapshot_round_trip() -> None:
    table = after(table_of(OPEN), *BORROWED, "2 fold", "award main 1", "2 leave", "clock 7", "floor hold")
    assert decode(Table, encode(table)) == table
    table = after(table_of(LEVELS), "hand", "game 2", "floor hold", "floor go")
    decoded = decode(Table, encode(table))
    assert decoded == table and digest_of_value(decoded) == digest_of_value(table)


# --- levels ---


def test_levels_survive_a_configuration_round_trip() -> None:
    table = table_of(LEVELS)
    assert table.levels == (
        TournamentLevel("1", 20),
        TournamentLevel("2", 20),
        TournamentLevel("break-1", 10, is_break=True),
        TournamentLevel("final", 30),
    )
    assert (table.game_name, table.game.blinds, table.games["final"].ante) == ("1", (5, 10), 5)
    assert table.games["break-1"] == table.games["2"]
    reparsed = table_of(format_config(table))
    assert (reparsed.levels, reparsed.games) == (table.levels, table.games)


def test_level_that_removes_an_ante_survives_a_configuration_round_trip() -> None:
    table = table_of(f"{HEAD}ante = 5\n[[levels]]\nminutes = 5\nante = 0\n")
    assert table_of(format_config(table)).games == table.games


def test_levels_file_is_read_from_the_configuration_folder(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    (tmp_path / "turbo.toml").write_text("[[levels]]\nminutes = 5\n[[levels]]\nminutes = 5\nblinds = [2, 4]\n")
    path.write_text('levels_file = "turbo.toml"\n[game]\nblinds = [1, 2]\n')
    config = load_config(path)
    assert [level.minutes for level in config.table.levels] == [5, 5]
    assert parse_config(config.text).table == config.table


@pytest.mark.parametrize(
    ("lines", "now"),
    [
        (("clock 50",), tournament.LevelStatus("1", 20, False, "2", minutes_until_break=40)),
        (("hand", "clock 19"), tournament.LevelStatus("1", 1, False, "2", minutes_until_break=21)),
        (("hand", "clock 20"), tournament.LevelStatus("1", 0, False, "2", is_next_due=True, minutes_until_break=20)),
        (
            ("hand", "clock 45"),
            tournament.LevelStatus(
                "1", 0, False, "break-1", next_is_break=True, is_next_due=True, minutes_until_break=0
            ),
        ),
        (
            ("hand", "clock 23", "game 2"),
            tournament.LevelStatus("2", 17, False, "break-1", next_is_break=True, minutes_until_break=17),
        ),
        (
            ("hand", "clock 3", "game 2"),
            tournament.LevelStatus("2", 20, False, "break-1", next_is_break=True, minutes_until_break=20),
        ),
        (("hand", "clock 45", "game break-1"), tournament.LevelStatus("break-1", 5, True, "final")),
        (
            ("hand", "clock 45", "game 2"),
            tournament.LevelStatus("2", 0, False, "break-1", True, is_next_due=True, minutes_until_break=0),
        ),
        (("hand", "clock 70", "game final"), tournament.LevelStatus("final", 10, False)),
        (("hand", "clock 90", "game final"), tournament.LevelStatus("final", 0, False)),
        (
            ("hand", "clock 30", "game 1"),
            tournament.LevelStatus("1", 0, False, "2", is_next_due=True, minutes_until_break=10),
        ),
        (("hand", "clock 30", "game 2", "game 1"), tournament.LevelStatus("1", 20, False, "2", minutes_until_break=40)),
        (
            ("hand", "clock 30", "game 2", "undo"),
            tournament.LevelStatus("1", 0, False, "2", is_next_due=True, minutes_until_break=10),
        ),
        (("hand", "game main"), None),
    ],
)
def test_level_status_follows_the_clock(lines: tuple[str, ...], now: tournament.LevelStatus | None) -> None:
    assert tournament.level_status(after(table_of(LEVELS), *lines)) == now


def test_table_keeps_time_only_if_a_rule_needs_it() -> None:
    assert tournament.depends_on_time(table_of(LEVELS)) and tournament.depends_on_time(
        table_of(f"{HEAD}return_minutes = 1\n")
    )
    assert not tournament.depends_on_time(table_of(HEAD))
    assert tournament.level_status(table_of(HEAD)) is None


def test_break_named_during_a_hand_delays_the_next_hand() -> None:
    table = after(table_of(LEVELS), "hand", "game break-1")
    assert tournament.no_hand_reason(table) is TableRefusal.ON_BREAK
    table = after(table, "3 fold", "1 fold", "award main 2")
    assert refusal_of(table, "hand") == Refusal(TableRefusal.ON_BREAK, name="break-1")
    assert after(table, "game final", "hand").game.blinds == (20, 40)


# --- hand-for-hand ---


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
def test_hand_for_hand_hold_follows_the_floor_and_the_hands(lines: tuple[str, ...], hold: str) -> None:
    table = after(table_of(f"{HEAD}blinds = [5, 10]\n"), *lines)
    assert table.hand_for_hand == hold
    assert tournament.no_hand_reason(table) == (TableRefusal.HAND_FOR_HAND if hold == "held" else None)
