"""The view with house options: several boards, bomb pots, markers, levels, hand-for-hand, chops and raises."""

from __future__ import annotations

from dataclasses import replace

from controller.live import Live, TableSetup
from controller.messages import messages_for
from controller.presenter import build_game_view
from controller.rules import UNSET, Player
from controller.table import open_table
from controller.view import Choice, GameView, LevelView, MessageValues, PotView, StepSummary
from tests.controller.test_presenter import AT_ONCE, FIXED, NO_LIMIT, PATIENT, PLAYERS, STUD, LiveView, _tournament, at

BEHIND_ALL_IN = ("4 all-in", "4 chips 154000", "5 call", "5 chips 154000", "6 fold", "1 fold", "2 fold", "3 fold")


def all_in() -> LiveView:
    """Return a hand in which seats 4 and 5 are all-in before the flop, for 154,000 and 155,000."""
    return at(NO_LIMIT, AT_ONCE, *BEHIND_ALL_IN)


def offered(table: LiveView, label: str) -> list[str]:
    return [choice.do for choice in table.view.next_choices if choice.label == label]


# --- boards and bomb pots ---


def test_running_the_board_is_offered_as_often_as_the_house_allows() -> None:
    table = all_in()
    assert offered(table, "runs-boards") == ["boards 2", "boards 3"]
    assert messages_for(table.view).choice(table.view.next_choices[-1]) == "RUN IT 3 TIMES"
    table.do("boards 2")
    assert offered(table, "runs-boards") == []
    assert table.view.last_step == StepSummary(step="runs-boards", count=2)
    assert messages_for(table.view).step_summary(StepSummary(step="runs-boards", count=2)) == "Board run twice"


def test_each_board_gets_its_part_and_the_first_the_odd_chip() -> None:
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


def test_uncalled_chips_are_not_divided_among_boards() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 all-in", "4 chips 154000", "5 all-in", "5 chips 155000", "6 fold", "1 fold")
    table.do("2 fold", "3 fold", "boards 3")
    assert [pot.boards for pot in table.view.pots] == [(103_300, 103_100, 103_100), ()]


def test_two_board_game_shows_both_boards_from_the_start() -> None:
    assert at(replace(NO_LIMIT, boards=2), PATIENT).view.pots[0].boards == (800, 700)


def test_bomb_pot_is_shown_with_its_ante() -> None:
    table = LiveView().do("bomb 2000")
    assert (table.view.game.bomb, table.view.round, table.view.pot) == (2000, 2, 12_000)
    assert table.view.last_step == StepSummary(step="starts-bomb", amount=2000)
    assert at(NO_LIMIT, PATIENT).view.game.bomb == 0


# --- markers ---


def test_markers_are_shown_at_the_seat_that_owes_them() -> None:
    table = at(replace(NO_LIMIT, stakes="open"), PATIENT, "4 marker 5000")
    assert (table.seat(4).markers_owed, table.seat(5).markers_owed) == (5000, 0)
    assert table.view.last_step == StepSummary(step="gives-marker", seat=4, amount=5000)


def test_marker_for_lent_chips_names_the_lender() -> None:
    table = at(replace(NO_LIMIT, stakes="open"), PATIENT, "4 fold", "5 marker 2000 from 4")
    assert table.seat(5).markers_owed == 2000
    assert (
        messages_for(table.view).step_summary(table.view.last_step or StepSummary(step=""))
        == "Seat 5 signs a marker for $20 to seat 4"
    )


# --- levels and holds ---


def test_level_view_shows_minutes_left_and_the_next_level() -> None:
    table = _tournament().do("hand", "clock 5")
    assert table.view.level == LevelView(name="one", minutes_left=15, next="break", until_break=15)
    table.do("clock 15")
    assert [choice.do for choice in table.alert("level-over").choices] == ["game break"]
    assert table.view.level == LevelView(name="one", next="break", until_break=0)


def test_next_level_is_shown_while_the_last_hand_of_a_level_is_played() -> None:
    table = _tournament().do("hand", "clock 30", "game two")
    after = GameView(name="two", blinds=(1000, 2000))
    assert (table.view.game.blinds, table.view.next_game) == ((500, 1000), after)
    assert "level-over" not in table.codes
    table.do("void")
    assert (table.view.game, table.view.next_game) == (after, None)


def test_no_hand_is_offered_in_a_break() -> None:
    table = _tournament().do("clock 20", "game break")
    assert (table.view.hold, offered(table, "next-hand")) == ("break", [])
    assert table.view.level is not None and table.view.level.is_break
    table.do("game two")
    assert (table.view.hold, offered(table, "next-hand")) == ("", ["hand"])


def test_hand_for_hand_waits_for_the_floor_before_each_hand() -> None:
    table = LiveView().do("floor hold")
    assert (table.view.hold, offered(table, "next-hand")) == ("hand-for-hand", [])
    assert [choice.do for choice in table.alert("next-hand-held").choices] == ["floor go"]
    table.do("floor go")
    assert (table.view.hold, offered(table, "next-hand"), table.codes) == ("", ["hand"], [])
    table.do("hand")
    assert "next-hand-held" not in table.codes  # The alert is only shown between hands.
    table.do("void")
    assert (table.view.hold, offered(table, "next-hand")) == ("", ["hand"])


def test_next_game_of_a_mix_is_shown_and_can_be_chosen_between_hands() -> None:
    table = LiveView()
    games = {"stud": STUD, "holdem": FIXED, "razz": replace(STUD, variant="razz")}
    table.live = Live(TableSetup(), open_table(games, 1, PLAYERS, mix=("holdem", "razz", "stud")))
    assert table.view.next_in_mix is not None and table.view.next_in_mix.variant == "razz"
    assert offered(table, "plays-game") == ["game razz"]
    table.do("hand")
    assert offered(table, "plays-game") == []
    table.do("game razz")
    assert (table.view.game.name, table.view.next_game) == ("holdem", table.view.next_in_mix)
    table.do("void")
    assert (table.view.game.name, table.view.next_in_mix) == ("razz", build_game_view(games["stud"], "stud"))
    assert [messages_for(table.view).choice(choice) for choice in table.view.next_choices] == [
        "NEXT HAND",
        "PLAY LIMIT 7-CARD STUD",
    ]


# --- actions ---


def test_done_is_offered_for_a_raise_in_several_motions() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 says raise")
    assert offered(table, "motion-over") == []  # The seat must first put in the minimum raise.
    table.do("4 chips 2000")
    assert offered(table, "motion-over") == ["4 done"]
    assert messages_for(table.view).choice(table.view.next_choices[-1]) == "SEAT 4: BET COMPLETE"
    assert offered(table.do("4 done"), "motion-over") == []
    assert table.view.undo == StepSummary(step="ends-motion", seat=4)
    assert offered(at(replace(NO_LIMIT, raise_in_motions=False), AT_ONCE, "4 says raise", "4 chips 2000"), "x") == []


def test_raise_ends_when_the_next_seat_acts() -> None:
    table = at(NO_LIMIT, AT_ONCE, "4 says raise", "4 chips 2000", "5 fold")
    assert offered(table, "motion-over") == []


def test_chop_is_offered_when_only_the_blinds_are_left() -> None:
    table = at(NO_LIMIT, PATIENT, "4 fold", "5 fold", "6 fold")
    assert offered(table, "chops") == []
    table.do("1 fold")
    assert offered(table, "chops") == ["chop"]
    assert offered(at(replace(NO_LIMIT, chop=False), PATIENT, "4 fold", "5 fold", "6 fold", "1 fold"), "chops") == []
    table.do("chop")
    assert (table.view.undo, table.view.phase, table.view.pot) == (StepSummary(step="chops"), "over", 0)


def test_sweep_question_that_ends_the_hand_names_the_remaining_seat() -> None:
    table = (
        at(NO_LIMIT, PATIENT, "4 raise to 3000")
        .settle_chips(4, 1000, 1000, 1000)
        .settle_chips(2, 500)
        .settle_chips(3, 1000)
    )
    table.settle_chips(2).settle_chips(3).settle_chips(4)
    assert table.alert("sweep-question").values == MessageValues(seat=4, seats=(2, 3, 4))
    table.do("deal closing")
    assert [choice for choice in table.view.next_choices if choice.label == "award"] == [
        Choice(label="award", do="award main 4", values=MessageValues(pot="main", amount=4500, seat=4))
    ]


def test_sweep_question_that_closes_a_street_names_no_seat() -> None:
    table = (
        at(NO_LIMIT, PATIENT, "4 call")
        .settle_chips(4, 1000)
        .settle_chips(2, 500)
        .settle_chips(3, 1000)
        .settle_chips(2)
        .settle_chips(3)
        .settle_chips(4)
    )
    assert table.alert("sweep-question").values.seat == 0


def test_seat_that_checked_is_shown_why_it_cannot_raise() -> None:
    table = at(
        replace(NO_LIMIT, check_raise=False, min_bet=UNSET),
        AT_ONCE,
        *("4 call", "4 chips 1000", "5 fold", "6 fold", "1 fold", "2 fold", "3 check", "deal"),
        *("3 check", "4 bet 2000", "4 chips 2000", "3 chips 5000 1000"),
    )
    alert = table.alert("no-check-raise")
    assert [choice.do for choice in alert.choices] == ["return 3"]
    assert messages_for(table.view).alert_title(alert) == "No check-raise: seat 3 calls"


def test_no_markers_are_owed_at_first() -> None:
    table = LiveView(players={**PLAYERS, 7: Player(stack=100_000)})
    assert not any(seat.markers_owed for seat in table.view.seats)
