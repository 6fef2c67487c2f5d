"""The live table in simulated time: hands by chips and keys, acts behind the turn, what was meant, undo."""

from __future__ import annotations

import pytest

from controller.live import (
    KEY_GRACE_US,
    LiveReason,
    answers_to,
    evolve,
    is_provisional,
    kind_of,
    lasting,
    sweeping,
    uncounted,
    waiting,
)
from controller.rules import Phase, choices
from controller.table import (
    AnswersActsNow,
    AnswersOutOfTurn,
    Caution,
    HeldForRuling,
    Meant,
    Warned,
    due_back,
    owed,
    pot,
    stack,
)
from hardware.events import DeviceDown, DeviceMisset, DeviceUp, PressesLost
from tests.controller.live_table import (
    Game,
    ahead,
    bet,
    betting_round,
    called_by_two,
    closed,
    four_players,
    held,
    phase,
    questions,
    turn,
    warned,
)

# --- a plain hand ---


def test_a_wager_is_shown_when_seen_and_counts_when_complete() -> None:
    game = Game()
    live = game.seen(4, 25, 5)
    assert (uncounted(live, 4).amount, bet(game, 4), is_provisional(live)) == (30, 0, True)
    assert (turn(game), pot(game.table)) == (4, 15)
    live = game.lies(4, 25, 5)
    assert (uncounted(live, 4).amount, bet(game, 4), is_provisional(live)) == (0, 30, False)
    assert (turn(game), pot(game.table), live.sources[4], warned(game)) == (1, 45, "sensed", ())


def test_chips_that_are_seen_to_go_are_not_shown_as_more() -> None:
    game = Game()
    game.lies(4, 25, 5)
    live = game.seen(4, 25)
    assert (uncounted(live, 4).amount, is_provisional(live)) == (0, True)


def test_chips_cut_back_before_the_motion_is_over_are_no_bet() -> None:
    game = Game()
    game.seen(4, *[5] * 20)
    game.lies(4, *[5] * 8)
    assert bet(game, 4) == 40


def test_a_hand_is_played_by_chips_and_keys() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.after(KEY_GRACE_US)
    game.key("fold")
    assert turn(game) == 2
    game.lies(2, 5, 5)
    game.after(KEY_GRACE_US)
    game.key("check-call")
    assert (phase(game), pot(game.table)) == (Phase.CLOSED, 30)
    game.key("deal")
    assert (betting_round(game), turn(game), pot(game.table)) == (2, 2, 30)
    for seat in (2, 3, 4):
        game.lies(seat)
    assert (pot(game.table), turn(game), warned(game), questions(game.live)) == (30, 2, (), set())
    game.lies(2, 25)
    game.after(KEY_GRACE_US)
    game.key("fold")
    assert turn(game) == 4
    game.key("fold")
    game.do("award main 2")
    assert (phase(game), stack(game.table, 2)) == (Phase.OVER, 1020)


# --- behind the turn ---


def test_chips_behind_the_turn_are_held() -> None:
    game = ahead()
    assert (pot(game.table), turn(game), bet(game, 2), held(game, 2)) == (15, 4, 5, Meant("call"))
    assert game.live.answered == frozenset()


def test_silence_changes_no_money() -> None:
    game = ahead()
    before = game.live
    live = game.after(60_000_000)
    assert lasting(live) == lasting(before)
    assert live.overdue == {2}


def test_they_had_folded_is_one_touch() -> None:
    game = ahead()
    game.do("here 2")
    assert (turn(game), pot(game.table), dict(game.table.street.presumed)) == (3, 20, {4: "fold", 1: "fold"})


def test_the_seats_own_button_answers_too() -> None:
    game = ahead()
    game.seat_button(2)
    assert (turn(game), pot(game.table)) == (3, 20)


def test_out_of_turn_is_an_answer_and_the_turn_stays() -> None:
    game = ahead()
    live = game.do("out-of-turn 2")
    assert (set(live.answered), turn(game), pot(game.table)) == ({AnswersOutOfTurn(2)}, 4, 15)
    live = game.do("4 fold", "1 fold")
    assert (turn(game), pot(game.table), live.answered) == (3, 20, frozenset()), "it stands when the turn comes"


def test_out_of_turn_is_released_where_the_action_changed() -> None:
    game = ahead()
    game.do("out-of-turn 2")
    game.lies(4, 25, 5)
    game.do("1 fold")
    assert (turn(game), due_back(game.table, 2), bet(game, 2), pot(game.table)) == (2, 5, 5, 45)


@pytest.mark.parametrize("do", ["out-of-turn 2", "acts-now 2"])
def test_an_answer_to_a_question_that_nobody_asked_is_refused(do: str) -> None:
    game = Game()
    before = game.live
    refused = game.command(do)
    assert refused is not None
    assert (refused.code, refused.seat, game.live) == (LiveReason.NO_OPEN_QUESTION, 2, before)


def answered_ahead(bettor: int = 3) -> Game:
    """On the flop a seat bets before 2, who is in turn, has been keyed; then 2 puts chips in."""
    game = closed()
    game.do("deal")
    game.lies(bettor, 25, 25)
    game.lies(2, 25, 25)
    return game


@pytest.mark.parametrize("bettor", [3, 4, 1])
def test_chips_before_a_bet_behind_them_may_be_an_answer_to_it(bettor: int) -> None:
    game = answered_ahead(bettor)
    assert (waiting(game.live, "deferred"), answers_to(game.live, 2)) == ((2,), (bettor,))
    assert (bet(game, 2), bet(game, bettor), held(game, bettor), turn(game)) == (0, 0, Meant("bet", 50), 2)


def test_chips_that_the_dealer_calls_an_act_answer_nothing() -> None:
    live, outcome = evolve(answered_ahead(3).live, AnswersActsNow(2), "dealer", 0)
    assert outcome.refused is None
    assert (waiting(live, "deferred"), answers_to(live, 2)) == ((2,), ())


def test_where_nothing_waits_nothing_is_answered_or_swept() -> None:
    live = Game().live
    assert (answers_to(live, 2), sweeping(live), waiting(live, "between")) == ((), (), ())


@pytest.mark.parametrize("bettor", [4, 1])
def test_chips_behind_a_bet_that_is_held_are_no_answer_that_waits(bettor: int) -> None:
    game = answered_ahead(3)
    game.lies(bettor, 25, 25)
    assert (waiting(game.live, "deferred"), answers_to(game.live, bettor)) == ((2,), ())


def test_chips_ahead_of_a_call_that_is_held_are_an_act() -> None:
    game = ahead()
    game.lies(4, 25, 5)
    assert (waiting(game.live, "deferred"), bet(game, 4)) == ((), 30)


def test_chips_that_answer_are_a_call_once_the_check_is_known() -> None:
    game = answered_ahead()
    game.do("here 3")
    assert questions(game.live) == set()
    assert (bet(game, 3), game.table.street.presumed.get(2)) == (50, "check")
    assert held(game, 2) == Meant("call")


def test_chips_that_act_now_are_a_bet() -> None:
    game = answered_ahead()
    game.do("acts-now 2")
    assert (questions(game.live), bet(game, 2), game.live.answered) == (set(), 50, frozenset())


def test_a_warning_about_a_held_action_that_a_deal_carried_out_names_its_seat() -> None:
    game = Game()
    game.lies(2, 100)
    game.do("deal closing")
    assert game.live.ruled.warned == (Warned(Caution.OVERSIZED_CHIP, 2),)


def test_an_answer_stands_with_its_question_only() -> None:
    game = answered_ahead()
    game.do("out-of-turn 3")
    assert game.live.answered == {AnswersOutOfTurn(3)}
    game.do("acts-now 2")
    assert AnswersActsNow(2) not in game.live.answered


# --- string bets, limits ---


def test_a_string_bet_waits_to_be_pushed_back() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.lies(4, 25, 25, 5, 5)
    assert warned(game) == ("string-bet",)
    assert (bet(game, 4), due_back(game.table, 4), turn(game), pot(game.table)) == (10, 50, 1, 25)
    game.do("return 4")
    game.lies(4, 5, 5)
    assert (bet(game, 4), due_back(game.table, 4), turn(game), warned(game)) == (10, 0, 1, ())


def test_one_large_chip_is_a_call_and_becomes_a_raise_where_one_was_said() -> None:
    game = Game()
    game.lies(4, 100)
    assert warned(game) == ("oversized-chip",)
    assert (bet(game, 4), due_back(game.table, 4)) == (10, 90)
    game.do("4 said raise")
    assert game.table.hand is not None
    assert (bet(game, 4), due_back(game.table, 4), choices(game.table.hand, 1).to_call) == (100, 0, 100)


def test_more_than_the_limit_is_pushed_back() -> None:
    game = Game(four_players("pot-limit"))
    game.lies(4, 25, 25, 5, 5)
    assert warned(game) == ("over-limit",)
    assert (bet(game, 4), due_back(game.table, 4), pot(game.table), turn(game)) == (35, 25, 50, 1)
    game.do("return 4")
    game.lies(4, 25, 5, 5)
    assert (bet(game, 4), due_back(game.table, 4), warned(game)) == (35, 0, ())


def test_hands_that_are_faster_than_the_finger_push_back_as_well() -> None:
    game = Game(four_players("pot-limit"))
    game.lies(4, 25, 25, 5, 5)
    game.lies(4, 25, 5, 5)
    assert (bet(game, 4), due_back(game.table, 4), pot(game.table), turn(game)) == (35, 0, 50, 1)
    assert game.command("return 4") is not None


def test_too_little_is_made_good() -> None:
    game = Game()
    live = game.lies(4, 5)
    assert (warned(game), bet(game, 4), owed(game.table, 4), is_provisional(live)) == (("under-call",), 5, 5, True)
    game.lies(4, 5, 5)
    assert (bet(game, 4), owed(game.table, 4), turn(game), warned(game)) == (10, 0, 1, ())


def test_where_the_book_asks_the_floor_it_waits_for_the_floor() -> None:
    game = Game(four_players(rulebook="tda"))
    game.lies(4, 25, 5)
    game.lies(1, 25)
    assert isinstance(game.table.street.held[1], HeldForRuling)
    assert (turn(game), bet(game, 1)) == (1, 0)
    live = game.do("floor bind 1")
    assert (turn(game), bet(game, 1), owed(game.table, 1), live.sources[1]) == (2, 25, 5, "keyed")


# --- undo ---


def test_undo_takes_back_what_was_sensed_and_the_chips_follow() -> None:
    game = Game()
    game.lies(4, 25, 5)
    game.key("undo")
    assert (turn(game), pot(game.table), bet(game, 4), set(game.live.undone)) == (4, 15, 0, {4})
    game.lies(4)
    assert (turn(game), pot(game.table), bet(game, 4), warned(game), game.live.undone) == (4, 15, 0, (), frozenset())
    game.lies(4, 5, 5)
    assert (turn(game), bet(game, 4), game.live.sources[4]) == (1, 10, "sensed")


def test_undo_and_the_key_that_was_meant() -> None:
    """The chips lie right, only what was made of them was wrong: nobody has to touch them."""
    game = Game()
    game.lies(4, 100)
    game.key("undo")
    game.do("4 raise to 100")
    assert (turn(game), bet(game, 4), owed(game.table, 4), due_back(game.table, 4)) == (1, 100, 0, 0)


def test_undo_and_the_key_that_was_meant_for_the_smallest_chip() -> None:
    game = Game()
    game.lies(4, 1)
    game.key("undo")
    game.do("4 call")
    assert (game.table.street.felt[4], owed(game.table, 4)) == (1, 9)


def test_undo_and_the_key_that_was_meant_on_top_of_a_bet() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.lies(1, 25, 5)
    game.do("2 fold", "3 fold")
    game.lies(4, 100, 25, 5, 5)
    game.key("undo")
    assert (bet(game, 4), turn(game), set(game.live.undone)) == (10, 4, {4})
    game.do("4 raise to 135")
    assert (bet(game, 4), owed(game.table, 4), due_back(game.table, 4), turn(game)) == (135, 0, 0, 1)


def test_undo_of_a_deal_before_the_sweep() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    game.key("undo")
    assert (betting_round(game), phase(game), pot(game.table)) == (1, Phase.CLOSED, 40)
    game.do("deal")
    for seat in (4, 1, 2, 3):
        game.empties(seat)
    assert (betting_round(game), turn(game), pot(game.table), questions(game.live)) == (2, 2, 40, set())


# --- devices ---


@pytest.mark.parametrize(
    ("device", "kind"),
    [("odd", "reader"), ("panel-low", "board"), ("badge-reader", "badge-reader"), ("high-water", "high-water")],
)
def test_devices_that_are_out_are_named_and_come_back(device: str, kind: str) -> None:
    game = Game()
    game.tell(DeviceDown(device, "unplugged", game.now_us))
    assert (game.live.devices[device], kind_of(game.live, device)) == ("unplugged", kind)
    game.tell(DeviceUp(device, game.now_us))
    assert game.live.devices[device] is None


def test_lost_presses_are_told_until_a_person_does_something() -> None:
    game = Game()
    for count in (3, 2):
        game.tell(PressesLost("panel-low", count, game.now_us))
    game.lies(turn(game), 10)
    assert game.live.presses_lost == {"panel-low": 5}
    game.do("undo")
    assert game.live.presses_lost == {}


def test_a_reader_that_comes_back_is_set_up_anew_and_no_other_one() -> None:
    """What is still wrong there it tells again."""
    game = Game()
    for reader, setting in (("odd", "afi"), ("odd", "power"), ("even", "afi")):
        game.tell(DeviceMisset(reader, setting, "07", "00", game.now_us))
    game.tell(DeviceUp("odd", game.now_us))
    assert game.live.missets == {("even", "afi"): "07, expected 00"}
