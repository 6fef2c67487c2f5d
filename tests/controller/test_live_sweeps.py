"""The live table in simulated time: sweeps, chips between the rounds, chips after a pot was given."""

from __future__ import annotations

import pytest

from controller.live import (
    ALONE_US,
    SWEEP_US,
    Ruled,
    asked,
    is_provisional,
    is_waiting,
    left_over,
    sweeping,
    uncounted,
    waiting,
    waiting_seats,
)
from controller.rules import Phase
from controller.table import (
    due_back,
    line,
    owed,
    pot,
    stack,
)
from hardware.spots import bet_spot
from tests.controller.live_table import (
    SOON_US,
    Game,
    bet,
    betting_round,
    book,
    called_by_two,
    closed,
    held,
    phase,
    questions,
    turn,
    warned,
)

# --- sweeps ---


def test_several_spots_that_empty_together_ask_whether_the_street_is_closed() -> None:
    game = called_by_two()
    before = book(game.table)
    for seat in (4, 1, 2, 3):
        game.empties(seat)
        game.after(SOON_US)
    assert (sweeping(game.live), is_provisional(game.live), book(game.table)) == ((1, 2, 3, 4), True, before)
    game.after(2 * SWEEP_US)
    assert (sweeping(game.live), book(game.table)) == ((1, 2, 3, 4), before), "silence changes no money"
    game.do("deal closing")
    assert (betting_round(game), turn(game), pot(game.table), questions(game.live)) == (2, 2, 40, set())
    assert game.table.street.presumed[3] == "check"
    live = game.after(2 * SWEEP_US)
    assert (pot(game.table), turn(game), warned(game), uncounted(live, 4).amount) == (40, 2, (), 0)


def test_bets_that_are_put_back_answer_no() -> None:
    game = called_by_two()
    before = book(game.table)
    for seat in (4, 1):
        game.empties(seat)
        game.after(SOON_US)
    for seat in (4, 1):
        game.lies(seat, 5, 5)
    assert (questions(game.live), book(game.table)) == (set(), before)
    game.after(2 * SWEEP_US)
    assert book(game.table) == before


def test_one_spot_that_empties_alone_is_a_player_who_takes_back() -> None:
    game = called_by_two()
    game.empties(4)
    assert (warned(game), is_waiting(game.live, 4, "emptied")) == ((), True)
    game.after(ALONE_US - 1)
    assert bet(game, 4) == 10
    game.after(1)
    assert (warned(game), bet(game, 4), owed(game.table, 4)) == (("chips-withdrawn",), 0, 10)
    game.lies(4, 5, 5)
    assert (warned(game), bet(game, 4)) == ((), 10)


def test_a_bet_taken_back_and_put_in_again_at_once_is_nothing() -> None:
    game = called_by_two()
    before = book(game.table)
    game.empties(4)
    game.lies(4, 5, 5)
    assert (questions(game.live), warned(game), book(game.table)) == (set(), (), before)


def test_spots_that_empty_far_apart_are_no_sweep() -> None:
    game = called_by_two()
    game.empties(4)
    game.after(SWEEP_US)
    game.empties(1)
    assert sweeping(game.live) == ()


def test_a_sweep_takes_no_longer_than_an_arm_needs() -> None:
    game = called_by_two()
    game.empties(4)
    game.after(ALONE_US - 1)
    game.empties(1)
    assert sweeping(game.live) == (1, 4)
    game.after(SWEEP_US - ALONE_US + 1)
    game.empties(2)
    assert sweeping(game.live) == (1, 2, 4)
    game.after(1)
    game.empties(3)
    assert sweeping(game.live) == ()


@pytest.mark.parametrize("folds", [(), ("4 fold", "1 fold")], ids=["open", "closed"])
def test_a_bet_keyed_while_its_tray_is_out_was_not_swept(folds: tuple[str, ...]) -> None:
    """Its spot emptied with the last street. Other chips for those of a neighbour are the same bet."""
    game = closed()
    game.do("deal")
    game.tray("bet2", online=False)
    game.do("2 bet 25")
    game.lies(3, 25)
    game.do(*folds)
    before = book(game.table)
    game.lies(3, 10, 10, 5)
    assert (waiting_seats(game.live), book(game.table)) == ((), before)


def test_a_blind_that_is_late_was_not_swept() -> None:
    """Its spot emptied with the last pot. Other chips for those of a call are the same call."""
    game = Game(hand=False)
    for seat in (1, 2, 4):
        game.settles(bet_spot(seat))
    game.settles("bet3", 5)
    game.settles("bet3")
    game.do("hand")
    game.lies(4, 5, 5)
    before = book(game.table)
    game.lies(4, 10)
    assert (waiting_seats(game.live), book(game.table)) == ((), before)


def test_what_was_not_heard_of_a_call_was_swept_where_its_spot_is_only_seen_to_empty() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.do("1 fold", "2 call", "3 check")
    game.seen(2)
    game.key("deal")
    assert (game.lines[-2:], betting_round(game), pot(game.table)) == (["2 chips 5", "deal"], 2, 30)


def test_a_sweep_that_was_keyed_first_says_nothing() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    for seat in (4, 1, 2, 3):
        game.empties(seat)
        assert (questions(game.live), warned(game)) == (set(), ())
    assert (pot(game.table), turn(game)) == (40, 2)


def test_spots_that_emptied_before_the_last_act_was_keyed_were_swept() -> None:
    game = called_by_two()
    for seat in (4, 1):
        game.empties(seat)
    game.do("3 check")
    assert (questions(game.live), waiting(game.live, "emptied")) == (set(), ())
    game.after(2 * SWEEP_US)
    game.do("deal")
    assert (pot(game.table), turn(game)) == (40, 2)


def _with_change() -> Game:
    """All have called; at 4 lies a chip more than its call, and the flop is not dealt yet."""
    game = Game()
    game.do("4 says call")
    game.lies(4, 5, 5, 5)
    game.lies(1, 5, 5)
    game.lies(2, 5, 5)
    game.do("3 check")
    assert (phase(game), due_back(game.table, 4)) == (Phase.CLOSED, 5)
    return game


def test_just_what_is_due_back_and_goes_by_itself_was_taken_by_its_player() -> None:
    game = _with_change()
    before = book(game.table)
    game.lies(4, 5, 5)
    assert (due_back(game.table, 4), book(game.table)) == (0, before)


def test_the_same_chip_gone_in_a_sweep_was_swept() -> None:
    game = _with_change()
    before = book(game.table)
    game.empties(1)
    game.lies(4, 5, 5)
    assert (due_back(game.table, 4), book(game.table)) == (5, before)


def test_another_amount_than_is_due_back_is_no_change() -> None:
    game = _with_change()
    before = book(game.table)
    game.lies(4, 5)
    assert (due_back(game.table, 4), book(game.table)) == (5, before)


# --- between the rounds ---


def test_chips_between_the_rounds_count_for_the_next_street() -> None:
    game = closed()
    live = game.lies(2, 25)
    assert (waiting(live, "between"), uncounted(live, 2).amount) == ((2,), 25)
    assert (pot(game.table), bet(game, 2)) == (40, 10)
    game.do("deal")
    assert (pot(game.table), bet(game, 2), turn(game), questions(game.live)) == (65, 25, 3, set())


def test_chips_between_the_rounds_come_in_the_order_in_which_they_were_put_in() -> None:
    game = closed()
    for seat in (3, 2, 1):
        game.lies(seat, 25)
    assert waiting(game.live, "between") == (3, 2, 1)
    game.lies(3, 25, 25)
    assert waiting(game.live, "between") == (2, 1, 3)


def test_chips_between_the_rounds_that_came_too_late_go_back() -> None:
    game = closed()
    before = book(game.table)
    game.lies(2, 25)
    assert [(each.seat, each.about, each.amount) for each in asked(game.live)] == [(2, "chips-between-rounds", 25)]
    game.do("chips-are 2 bet")
    assert (due_back(game.table, 2), warned(game), book(game.table)) == (25, ("string-bet",), before)
    assert not asked(game.live)
    game.do("deal")
    assert (due_back(game.table, 2), bet(game, 2), turn(game)) == (0, 0, 2)


def test_chips_that_come_when_only_their_own_spot_was_swept_are_late_as_a_whole() -> None:
    """What the book counts at a spot that was read without it is not among those that come."""
    game = called_by_two()
    game.do("3 check")
    game.empties(2)
    game.lies(2, 25)
    game.do("chips-are 2 bet")
    assert (game.lines[-1], bet(game, 2), due_back(game.table, 2)) == ("2 chips 25", 10, 25)


@pytest.mark.parametrize(
    ("amounts", "answers", "back"),
    [((5, 5), [], 0), ((25, 5, 5), ["chips-are 3 bet"], 25)],
    ids=["the blind", "the blind and more"],
)
def test_a_blind_that_comes_when_others_were_swept_is_no_late_bet(
    amounts: tuple[int, ...], answers: list[str], back: int
) -> None:
    """Its own spot was never read with it. What comes beside it is late."""
    game = Game(hand=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.do("hand", "4 fold", "1 fold")
    game.lies(2, 5, 5)
    game.do("3 check")
    game.empties(2)
    game.lies(3, *amounts)
    (question,) = asked(game.live)
    assert [line(each) for each in question.likely] == answers
    game.do(*answers)
    assert (bet(game, 3), due_back(game.table, 3)) == (10, back)


def test_chips_between_the_rounds_of_who_has_folded_are_told_as_refused() -> None:
    game = called_by_two()
    game.do("3 fold")
    for seat in (4, 1, 2, 3):
        game.empties(seat)
    change = game.settles(bet_spot(3), 25)
    assert change.refused is not None
    assert [(each.seat, each.likely) for each in asked(game.live)] == [(3, ())]


def test_chips_between_the_rounds_that_are_taken_back_never_were() -> None:
    game = closed()
    game.lies(2, 25)
    assert questions(game.lies(2)) == set()
    game.do("deal")
    assert (pot(game.table), bet(game, 2), turn(game)) == (40, 0, 2)


@pytest.mark.parametrize("call", [(), (5, 5)], ids=["swept", "not swept"])
@pytest.mark.parametrize(
    ("stays", "seen"),
    [((), ()), ((25,), (25,)), ((100,), (100,)), ((100, 25), ())],
    ids=["all go", "the large one goes", "the small one goes", "a hand is over them"],
)
def test_chips_between_the_rounds_that_leave_before_the_deal_are_no_bet(
    call: tuple[int, ...], stays: tuple[int, ...], seen: tuple[int, ...]
) -> None:
    """What of them stays is one, as soon as it is settled; with them lies the call of the last round, or did."""
    game = called_by_two()
    game.do("3 check")
    for seat in (4, 1, 3):
        game.empties(seat)
    game.lies(2, *call)
    game.lies(2, 100, 25, *call)
    assert waiting(game.live, "between") == (2,)
    game.seen(2, *seen, *call)
    game.do("deal")
    assert (bet(game, 2), pot(game.table), asked(game.live)) == (0, 40, ())
    game.lies(2, *stays)
    assert (bet(game, 2), pot(game.table), waiting_seats(game.live)) == (sum(stays), 40 + sum(stays), ())


def test_chips_owed_come_while_the_round_is_closed() -> None:
    game = called_by_two()
    game.do("3 says raise")
    game.lies(3, *[5] * 4)
    assert (bet(game, 3), turn(game)) == (20, 4)
    game.do("4 fold", "1 fold", "2 says call")
    assert (owed(game.table, 2), phase(game)) == (10, Phase.CLOSED)
    assert game.command("deal") is not None
    game.lies(2, 5, 5, 5, 5)
    assert (bet(game, 2), owed(game.table, 2), pot(game.table)) == (20, 0, 60)


def won_by_four() -> Game:
    """Seat 4 has bet 30, won, and its bet still lies there; the next hand has begun."""
    game = Game()
    game.lies(4, 25, 5)
    game.do("1 fold", "2 fold", "3 fold", "award main 4", "hand")
    return game


def test_chips_of_the_last_pot_still_on_the_winners_spot_are_no_bet() -> None:
    game = won_by_four()
    assert (turn(game), pot(game.table), bet(game, 4)) == (1, 15, 10)
    for seat in (2, 3):
        game.lies(seat)
    game.lies(3, 5)
    game.lies(4, 25, 5)
    assert (turn(game), pot(game.table), bet(game, 4), held(game, 4), warned(game)) == (1, 15, 10, None, ())
    game.lies(4, 5, 5)
    assert (turn(game), pot(game.table), bet(game, 4), warned(game)) == (1, 15, 10, ())


def test_what_a_tray_still_sees_after_the_sweep_is_no_bet() -> None:
    """A ghost, a chip that the arm left behind: it lay there before."""
    game = called_by_two()
    game.do("3 check", "deal")
    for seat in (1, 2, 3):
        game.empties(seat)
    game.lies(4, 5)
    assert (pot(game.table), turn(game), held(game, 4), warned(game)) == (40, 2, None, ())
    game.lies(4)
    assert (pot(game.table), turn(game), warned(game)) == (40, 2, ())


# --- chips that come when a pot has been given ---


def paid() -> Game:
    """The hand is over, the spots are empty."""
    game = won_by_four()
    game.do("void")
    for seat in (2, 3, 4):
        game.empties(seat)
    return game


def test_chips_that_come_after_a_pot_was_given_are_never_a_bet() -> None:
    game = paid()
    live = game.lies(1, 100, 25)
    assert (left_over(live), questions(live), game.table.playing) == (((1, 125),), set(), False)
    live = game.do("hand")
    assert (left_over(live), bet(game, 1), pot(game.table), turn(game)) == (((1, 125),), 0, 15, 1)
    live = game.lies(1, 100, 25, 5, 5)
    assert (left_over(live), bet(game, 1), turn(game)) == (((1, 125),), 10, 2)
    live = game.lies(1, 5, 5)
    assert (left_over(live), bet(game, 1), due_back(game.table, 1), warned(game)) == ((), 10, 0, ())


def test_a_blind_put_in_before_the_hand_starts_is_the_blind() -> None:
    game = paid()
    game.lies(3, 5)
    live = game.do("hand")
    assert (bet(game, 3), left_over(live), game.lies(3, 5).ruled) == (5, (), Ruled(at_us=game.live.ruled.at_us))


def test_chips_that_came_when_the_last_round_was_closed_are_too_late_for_the_hand() -> None:
    game = Game()
    game.do("4 fold", "1 fold", "2 fold")
    game.lies(1, 50)
    assert waiting(game.live, "between") == (1,)
    live = game.do("award main 3")
    assert (waiting(live, "between"), left_over(live)) == ((), ((1, 50),))
    game.do("hand")
    assert (bet(game, 1), pot(game.table)) == (0, 15)


def test_chips_no_larger_than_the_bet_that_was_swept_are_no_less_for_the_next_street() -> None:
    """Swept chips count still; what comes to the empty spot is new."""
    game = closed()
    live = game.lies(2, 5, 5)
    assert (questions(live), uncounted(live, 2).amount, bet(game, 2)) == ({"between"}, 10, 10)
    live = game.do("deal")
    assert (questions(live), bet(game, 2), turn(game)) == (set(), 10, 3)


def test_a_spot_whose_motion_goes_on_is_shown_moving_when_its_chips_count_as_taken_back() -> None:
    game = Game()
    game.lies(4, 25, 5)
    game.empties(4)
    live = game.seen(4, 100)
    live = game.after(ALONE_US)
    assert (warned(game), bet(game, 4)) == (("chips-withdrawn",), 0)
    assert (uncounted(live, 4).amount, is_provisional(live)) == (100, True)


# --- chips that go back ---


def test_blinds_that_are_chopped_go_back_and_nobody_is_asked() -> None:
    game = Game()
    game.do("4 fold", "1 fold", "chop")
    before = len(game.lines)
    game.empties(2)
    live = game.empties(3)
    assert (phase(game), questions(live), warned(game), left_over(live)) == (Phase.OVER, set(), (), ())
    assert not [each for each in game.lines[before:] if not each.startswith("spot ")]
    assert (pot(game.table), stack(game.table, 2), stack(game.table, 3)) == (0, 1000, 1000)


def test_a_chop_that_is_taken_back_takes_the_blinds_that_still_lie_there() -> None:
    game = Game()
    live = game.do("4 fold", "1 fold", "chop", "undo")
    assert (turn(game), bet(game, 2), bet(game, 3), questions(live)) == (2, 5, 10, set())
    game.lies(2, 5, 5)
    assert (turn(game), bet(game, 2), warned(game)) == (3, 10, ())


def test_blinds_go_back_and_new_ones_come_when_the_button_belongs_elsewhere() -> None:
    """The button at 2: 3 and 4 post, what lay before 2 and 3 goes back."""
    game = Game()
    game.do("floor button 2")
    before = len(game.lines)
    game.empties(2)
    game.lies(3, 5)
    live = game.lies(4, 5, 5)
    assert (turn(game), bet(game, 2), bet(game, 3), bet(game, 4)) == (1, 0, 5, 10)
    assert (questions(live), warned(game), pot(game.table)) == (set(), (), 15)
    assert not [each for each in game.lines[before:] if not each.startswith("spot ")]
    game.lies(1, 5, 5)
    assert (turn(game), bet(game, 1)) == (2, 10)


def test_a_spot_that_is_empty_because_the_button_belongs_elsewhere_is_no_sweep() -> None:
    game = Game()
    game.do("floor button 2")
    game.empties(2)
    live = game.empties(3)
    assert sweeping(live) == ()
    live = game.lies(3, 5)
    assert (questions(live), warned(game), bet(game, 3)) == (set(), (), 5)


def test_swept_bets_that_are_put_back_after_undo_are_no_bets_of_the_next_street() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    for seat in (1, 2, 3, 4):
        game.empties(seat)
    game.do("undo")
    for seat in (1, 2, 3, 4):
        live = game.lies(seat, 5, 5)
    assert (questions(live), live.put_back) == (set(), frozenset())
    game.do("deal")
    assert (turn(game), pot(game.table), [bet(game, seat) for seat in (1, 2, 3, 4)]) == (2, 40, [0, 0, 0, 0])
    for seat in (1, 2, 3, 4):
        game.empties(seat)
    assert (turn(game), pot(game.table), warned(game)) == (2, 40, ())


def test_more_than_was_swept_is_asked_about_though_a_step_was_taken_back() -> None:
    game = called_by_two()
    game.do("3 check", "deal")
    game.empties(4)
    game.do("undo")
    assert questions(game.lies(4, 5, 5, 25)) == {"between"}
