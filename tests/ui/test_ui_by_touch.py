"""Hands and corrections by touches alone, without sensors: what dealers found that they could not do."""

from __future__ import annotations

from typing import Final

from controller.words import words_of
from tests.ui.by_touch import ByTouch, digits
from ui.scene import lay_out
from ui.state import Answer, BetSpot, NamedKey, Offered, Part, Seat, Target

N: Final = NamedKey
HOLDEM: Final = 'blinds = [5, 10]\nstart = "idle"'
POT_LIMIT: Final = f'structure = "pot-limit"\nvariant = "omaha"\n{HOLDEM}'
STUD: Final = """variant = "stud8"
structure = "fixed-limit"
ante = 5
bring_in = 5
bets = [10, 10, 20, 20, 20]
start = "idle"
"""


def stacks(table: ByTouch) -> dict[int, int | None]:
    return {seat.seat: seat.stack for seat in table.view.seats if seat.status != "empty"}


def codes(table: ByTouch) -> list[tuple[str, int]]:
    return [(alert.code, alert.values.seat) for alert in table.view.alerts]


# --- stud ---


def test_stud_is_dealt_from_the_bring_in_to_the_halves() -> None:
    table = ByTouch(STUD)
    table.touch(N.HAND, Seat(4), N.CALL, N.FOLD, N.RAISE)  # 4 brings in, 5 folds, 6 completes
    table.touch(N.FOLD, N.FOLD, N.FOLD, N.CALL, N.DEAL)
    for first in (6, 6, 4, 4):
        table.touch(Seat(first), N.RAISE, N.CALL, *((N.DEAL,) if table.view.round < 5 else ()))
    assert table.sent[:5] == ["hand", "bring-in 4", "4 call", "5 fold", "6 complete"]
    assert table.touch(Seat(6), Part("high"), Part("low"), Seat(4), N.OK) == ["award main high 6 low 4"]
    assert (table.refused, codes(table)) == ([], [])
    assert stacks(table) == {1: 995, 2: 995, 3: 995, 4: 1010, 5: 995, 6: 1010}


# --- irregular acts ---


def test_a_raise_out_of_turn_is_keyed_as_what_it_is() -> None:
    table = ByTouch(HOLDEM).do("hand", "4 raise to 30")
    assert table.touch(BetSpot(6), *digits(90), N.RAISES) == ["6 raise to 90"]
    assert codes(table)[0] == ("behind-the-turn", 6)
    assert table.touch(Answer(1)) == ["out-of-turn 6"]
    assert codes(table)[0] == ("out-of-turn", 6)
    held = table.view.seats[5].held
    assert (table.view.turn, held.amount if held else 0) == (5, 90)
    assert not any("floor" in step for step in table.sent)


def test_action_is_on_is_the_first_answer_to_it_and_waits() -> None:
    table = ByTouch(HOLDEM).do("hand", "4 raise to 30", "6 raise to 90", "out-of-turn 6")
    assert table.touch(Answer(0)) == ["here 5"]
    assert (table.view.turn, table.view.seats[5].held is not None) == (5, True)


def test_a_string_bet_is_keyed_as_chips_after_the_act() -> None:
    table = ByTouch(HOLDEM).do("hand", "4 call")
    assert table.touch(BetSpot(4), *digits(25), N.ONE_CHIP) == ["4 chips 25"]
    assert ("string-bet", 4) in codes(table)
    assert table.touch(BetSpot(4), N.RETURN) == ["return 4"]


def test_too_large_a_bet_says_which_bound_it_is_beyond() -> None:
    table = ByTouch(POT_LIMIT).do("hand")
    table.touch(N.RAISE, *digits(90))
    entry = lay_out(table.screen).entry
    assert entry is not None
    assert entry.hint == words_of(table.view).over("pot", 35, opening=False)
    table.touch(N.OK)
    assert ("over-limit", 4) in codes(table)


def test_all_in_says_what_it_comes_to() -> None:
    table = ByTouch(POT_LIMIT).do("hand")
    key = next(key for key in lay_out(table.screen).keys if key.target is N.ALL_IN)
    assert (key.label, key.detail) == ("ALL-IN", "to 35")


def test_nothing_is_dealt_while_a_seat_owes_and_one_touch_says_that_it_is_in() -> None:
    table = ByTouch(HOLDEM).do("hand", *(f"{seat} fold" for seat in (4, 5, 6, 1)), "2 says raise to 30", "3 call")
    deal = next(key for key in lay_out(table.screen).keys if key.target in (N.DEAL, N.AWARD, N.HAND))
    assert not deal.enabled
    table.touch(BetSpot(2), N.IN, N.DEAL)
    assert (table.view.round, table.refused) == (2, [])


def test_a_bet_with_three_callers_is_put_right_in_one_go() -> None:
    table = ByTouch(HOLDEM).do("hand", "4 raise to 30", "5 call", "6 call", "1 call")
    touches: list[Target] = [BetSpot(4), *digits(40), N.WAS]
    assert table.touch(*touches) == ["4 was 40"]
    assert len(touches) == 4
    assert [seat.bet for seat in table.view.seats[:6]] == [40, 5, 10, 40, 40, 40]
    assert not any(alert.level == "warning" for alert in table.view.alerts)
    assert table.touch(N.UNDO) == ["undo"]
    assert [seat.bet for seat in table.view.seats[:6]] == [30, 5, 10, 30, 30, 30]


# --- pots ---


def three_pots() -> ByTouch:
    table = ByTouch(HOLDEM, stacks="{ 1 = 100, 2 = 300, 3 = 1000, 4 = 1000 }", button=4)
    return table.do("hand", "3 raise to 400", "4 call", "1 all-in", "2 all-in", "deal", "3 check", "4 check").do(
        "deal", "3 check", "4 check", "deal", "3 check", "4 check"
    )


def test_three_pots_take_six_touches_the_last_side_pot_first() -> None:
    table = three_pots()
    touches: list[Target] = [Seat(3), N.OK, Seat(2), N.OK, Seat(1), N.OK]
    assert table.touch(touches[0]) == []
    assert lay_out(table.screen).told == ("3: 200", "hint"), "what it gets is told before it is given"
    table.touch(N.CANCEL)
    assert table.touch(*touches) == ["award side2 3", "award side1 2", "award main 1"]
    assert len(touches) <= 6
    assert stacks(table) == {1: 400, 2: 600, 3: 800, 4: 600}


def test_an_uncalled_bet_goes_back_by_one_touch() -> None:
    table = ByTouch(HOLDEM, stacks="{ 1 = 100, 2 = 1000, 3 = 1000 }", button=1)
    table.do("hand", "1 all-in", "2 raise to 500", "3 fold")
    labels = [choice.label for choice in table.view.next]
    assert table.touch(Offered(labels.index("uncalled-back")))
    assert table.view.pot == 210


# --- between hands ---


def fold_through(table: ByTouch) -> None:
    while table.view.turn:
        table.touch(N.FOLD)
    table.touch(N.AWARD)


def test_who_is_back_posts_by_two_touches() -> None:
    table = ByTouch(HOLDEM)
    table.touch(Seat(6), N.AWAY)
    for _ in range(5):
        table.touch(N.HAND)
        fold_through(table)
    table.touch(Seat(6), N.BACK, N.HAND)
    while not table.view.seats[5].may_post:
        fold_through(table)
        table.touch(N.HAND)
    assert table.touch(Seat(6), Offered(0)) == ["6 post"]
    assert table.refused == []


def test_a_refused_buy_in_keeps_its_digits() -> None:
    table = ByTouch(f"buy_in = [40, 200]\n{HOLDEM}", stacks="{ 1 = 100, 2 = 100 }")
    table.touch(Seat(8), *digits(400), N.SIT)
    entry = lay_out(table.screen).entry
    assert entry is not None
    assert entry.value == "400"
    assert table.touch(N.CANCEL, Seat(8), *digits(200), N.SIT) == ["8 sit 200"]


def test_a_hand_is_taken_up_in_the_middle() -> None:
    """A table that is opened while a hand is played: who is in, what is in the pot, whose turn it is."""
    table = ByTouch(HOLDEM)
    table.touch(N.HAND, N.TABLE, N.BUTTON, Seat(6))  # the button by hand: 1 and 2 have the blinds
    table.touch(Seat(5), N.CALL, N.FOLD, N.CALL, N.CALL, N.DEAL)  # 3 and 4 have folded, so has 6
    table.touch(N.TABLE, *digits(240), N.FLOOR_POT)
    table.touch(BetSpot(2), *digits(640), N.STACK)
    assert (table.view.pot, table.view.round, table.view.turn) == (240, 2, 1)
    assert table.refused == []


def test_25_undos_and_25_redos_take_one_touch_each_and_one_more_across_a_hand() -> None:
    table = ByTouch(HOLDEM)
    for _ in range(5):
        table.touch(N.HAND)
        fold_through(table)
    before = table.live.table
    for key in (N.UNDO, N.REDO):
        for _ in range(25):
            crosses = table.view.undo_crosses if key is N.UNDO else table.view.redo_crosses
            table.touch(key, *((N.OK,) if crosses else ()))
    assert table.live.table == before
    assert table.refused == []
