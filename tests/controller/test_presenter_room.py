"""The view of what a room needs: boards, bomb pots, markers, levels, holds, chops, and raises in several motions."""

from __future__ import annotations

from dataclasses import replace

from controller.live import Live, Setup
from controller.presenter import game_view
from controller.rules import BY_DEFAULT, Player
from controller.table import open_table
from controller.view import Choice, GameView, LevelView, PotView, Told, Values
from controller.words import words_of
from tests.controller.test_presenter import AT_ONCE, FIXED, NO_LIMIT, PATIENT, PLAYERS, STUD, At, _tournament, at

BEHIND_ALL_IN = ("4 all-in", "4 chips 154000", "5 call", "5 chips 154000", "6 fold", "1 fold", "2 fold", "3 fold")


def all_in() -> At:
    """Seats 4 and 5 are all-in before the flop for 154,000 each; 5 has 1,000 more."""
    return at(NO_LIMIT, AT_ONCE, *BEHIND_ALL_IN)


def offered(table: At, label: str) -> list[str]:
    return [choice.do for choice in table.view.next if choice.label == label]


# --- boards and bomb pots ---


def test_the_cards_can_be_run_as_often_as_the_house_says() -> None:
    table = all_in()
    assert offered(table, "runs-boards") == ["boards 2", "boards 3"]
    assert words_of(table.view).label(table.view.next[-1]) == "RUN IT 3 TIMES"
    table.do("boards 2")
    assert offered(table, "runs-boards") == []
    assert table.view.told == Told(step="runs-boards", count=2)
    assert words_of(table.view).told(Told(step="runs-boards", count=2)) == "boards for the cards to come: 2"


def test_each_board_has_its_part_of_each_pot_and_the_first_the_odd_chip() -> None:
    table = at(
        NO_LIMIT, AT_ONCE, "4 all-in", "4 chips 154000", "5 all-in", "5 chips 155000", "6 call", "6 chips 155000"
    )
    table.do("1 fold", "2 fold", "3 fold", "boards 2")
    assert table.view.pots == (
        PotView(name="main", amount=463_500, seats=(4, 5, 6), boards=(231_800, 231_700), odd_first=(4, 5, 6)),
        PotView(name="side1", amount=2_000, seats=(5, 6), boards=(1_000, 1_000), odd_first=(5, 6)),
    )
    table.do("undo")
    assert [pot.boards for pot in table.view.pots] == [(), ()]


def test_what_nobody_plays_for_is_not_divided() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 all-in", "4 chips 154000", "5 all-in", "5 chips 155000", "6 fold", "1 fold")
    table.do("2 fold", "3 fold", "boards 3")
    assert [pot.boards for pot in table.view.pots] == [(103_300, 103_100, 103_100), ()]


def test_a_house_of_two_boards_says_so_from_the_start() -> None:
    assert at(replace(NO_LIMIT, boards=2), PATIENT).view.pots[0].boards == (800, 700)


def test_a_bomb_pot_is_named_with_its_ante() -> None:
    table = At().do("bomb 2000")
    assert (table.view.game.bomb, table.view.round, table.view.pot) == (2000, 2, 12_000)
    assert table.view.told == Told(step="starts-bomb", amount=2000)
    assert at(NO_LIMIT, PATIENT).view.game.bomb == 0


# --- markers ---


def test_markers_stand_at_the_seat_that_owes_them() -> None:
    table = at(replace(NO_LIMIT, stakes="open"), PATIENT, "4 marker 5000")
    assert (table.seat(4).markers, table.seat(5).markers) == (5000, 0)
    assert table.view.told == Told(step="gives-marker", seat=4, amount=5000)


def test_a_marker_for_chips_that_were_lent_names_the_lender() -> None:
    table = at(replace(NO_LIMIT, stakes="open"), PATIENT, "4 fold", "5 marker 2000 from 4")
    assert table.seat(5).markers == 2000
    assert words_of(table.view).told(table.view.told or Told(step="")) == "seat 5 gives a marker for $20 to seat 4"


# --- levels and holds ---


def test_a_level_tells_how_long_it_lasts_and_what_follows() -> None:
    table = _tournament().do("hand", "clock 5")
    assert table.view.level == LevelView(name="one", minutes_left=15, next="break", until_break=15)
    table.do("clock 15")
    assert [choice.do for choice in table.alert("level-over").choices] == ["game break"]
    assert table.view.level == LevelView(name="one", next="break", until_break=0)


def test_the_next_level_is_told_while_the_hand_of_the_last_one_is_played() -> None:
    table = _tournament().do("hand", "clock 30", "game two")
    after = GameView(name="two", blinds=(1000, 2000))
    assert (table.view.game.blinds, table.view.next_game) == ((500, 1000), after)
    assert "level-over" not in table.codes
    table.do("void")
    assert (table.view.game, table.view.next_game) == (after, None)


def test_in_a_break_no_hand_is_offered() -> None:
    table = _tournament().do("clock 20", "game break")
    assert (table.view.hold, offered(table, "next-hand")) == ("break", [])
    assert table.view.level is not None and table.view.level.is_break
    table.do("game two")
    assert (table.view.hold, offered(table, "next-hand")) == ("", ["hand"])


def test_hand_for_hand_the_table_waits_for_the_floor() -> None:
    table = At().do("floor hold")
    assert (table.view.hold, offered(table, "next-hand")) == ("hand-for-hand", [])
    assert [choice.do for choice in table.alert("next-hand-held").choices] == ["floor go"]
    table.do("floor go")
    assert (table.view.hold, offered(table, "next-hand"), table.codes) == ("", ["hand"], [])
    table.do("hand")
    assert "next-hand-held" not in table.codes  # while a hand is played nobody waits
    table.do("void")
    assert (table.view.hold, offered(table, "next-hand")) == ("", ["hand"])


def test_the_game_that_follows_in_a_mix_is_told_and_can_be_named_between_hands() -> None:
    table = At()
    games = {"stud": STUD, "holdem": FIXED, "razz": replace(STUD, variant="razz")}
    table.live = Live(Setup(), open_table(games, 1, PLAYERS, mix=("holdem", "razz", "stud")))
    assert table.view.follows is not None and table.view.follows.variant == "razz"
    assert offered(table, "plays-game") == ["game razz"]
    table.do("hand")
    assert offered(table, "plays-game") == []
    table.do("game razz")
    assert (table.view.game.name, table.view.next_game) == ("holdem", table.view.follows)
    table.do("void")
    assert (table.view.game.name, table.view.follows) == ("razz", game_view(games["stud"], "stud"))
    assert [words_of(table.view).label(choice) for choice in table.view.next] == ["NEXT HAND", "FLOOR: stud"]


# --- acts ---


def test_a_raise_in_several_motions_can_be_said_to_be_over() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 says raise")
    assert offered(table, "motion-over") == []  # it owes the least raise first
    table.do("4 chips 2000")
    assert offered(table, "motion-over") == ["4 done"]
    assert words_of(table.view).label(table.view.next[-1]) == "SEAT 4 IS DONE"
    assert offered(table.do("4 done"), "motion-over") == []
    assert table.view.undo == Told(step="ends-motion", seat=4)
    assert offered(at(replace(NO_LIMIT, raise_in_motions=False), AT_ONCE, "4 says raise", "4 chips 2000"), "x") == []


def test_a_raise_that_the_next_seat_has_answered_is_over() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 says raise", "4 chips 2000", "5 fold")
    assert offered(table, "motion-over") == []


def test_blinds_can_be_chopped_when_only_they_are_left() -> None:
    table = at(NO_LIMIT, PATIENT, "4 fold", "5 fold", "6 fold")
    assert offered(table, "chops") == []
    table.do("1 fold")
    assert offered(table, "chops") == ["chop"]
    assert offered(at(replace(NO_LIMIT, chop=False), PATIENT, "4 fold", "5 fold", "6 fold", "1 fold"), "chops") == []
    table.do("chop")
    assert (table.view.undo, table.view.phase, table.view.pot) == (Told(step="chops"), "over", 0)


def test_a_sweep_that_ends_the_hand_names_who_is_left() -> None:
    table = at(NO_LIMIT, PATIENT, "4 raise to 3000").lies(4, 1000, 1000, 1000).lies(2, 500).lies(3, 1000)
    table.lies(2).lies(3).lies(4)
    assert table.alert("sweep-question").values == Values(seat=4, seats=(2, 3, 4))
    table.do("deal closing")
    assert [choice for choice in table.view.next if choice.label == "award"] == [
        Choice(label="award", do="award main 4", values=Values(pot="main", amount=4500, seat=4))
    ]


def test_a_sweep_that_closes_a_street_names_nobody() -> None:
    table = at(NO_LIMIT, PATIENT, "4 call").lies(4, 1000).lies(2, 500).lies(3, 1000).lies(2).lies(3).lies(4)
    assert table.alert("sweep-question").values.seat == 0


def test_who_has_checked_is_told_why_it_cannot_raise() -> None:
    table = at(
        replace(NO_LIMIT, check_raise=False, min_bet=BY_DEFAULT),
        AT_ONCE,
        *("4 call", "4 chips 1000", "5 fold", "6 fold", "1 fold", "2 fold", "3 check", "deal"),
        *("3 check", "4 bet 2000", "4 chips 2000", "3 chips 5000 1000"),
    )
    alert = table.alert("no-check-raise")
    assert [choice.do for choice in alert.choices] == ["return 3"]
    assert words_of(table.view).title(alert) == "No check-raise: seat 3 calls"


def test_nobody_at_the_table_owes_on_markers_at_first() -> None:
    table = At(players={**PLAYERS, 7: Player(stack=100_000)})
    assert not any(seat.markers for seat in table.view.seats)
