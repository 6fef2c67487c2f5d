"""The live table during sweeps, and with chips that arrive between betting rounds or after an award."""

from __future__ import annotations

import pytest

from controller.live import (
    LONE_EMPTY_SPOT_DELAY_US,
    ChipQuestion,
    LastWarnings,
    derived_state,
    open_chip_questions,
)
from controller.presenter import build_table_view
from controller.rules import Phase
from controller.steps import format_step, observations
from controller.table import balances
from hardware.events import Chip, StackProvisional, StackSettled
from hardware.spots import bet_spot
from tests.controller.live_harness import (
    MOTION_GAP_US,
    SHORT_DELAY_US,
    LiveHarness,
    bet,
    betting_round,
    closed_round,
    held_action,
    money_and_turn,
    pending_questions,
    phase,
    turn,
    two_callers,
    warning_codes,
)

# --- sweeps ---


def test_part_of_a_bet_taken_back_after_the_round_is_owed() -> None:
    game = two_callers()
    game.do("3 check")
    assert phase(game) is Phase.CLOSED
    game.place_chips(1, 5)
    assert (balances.owed(game.table, 1), warning_codes(game)) == (5, ("chips-withdrawn",))
    game.place_chips(1, 5, 5)
    assert balances.owed(game.table, 1) == 0


def test_part_of_a_bet_that_remains_during_a_sweep_is_not_taken_back() -> None:
    game = two_callers()
    game.do("3 check")
    before = money_and_turn(game.table)
    game.clear_spot(4)
    game.place_chips(1, 5)
    assert (money_and_turn(game.table), warning_codes(game)) == (before, ())


def test_several_spots_emptied_together_raise_a_sweep_question() -> None:
    game = two_callers()
    before = money_and_turn(game.table)
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
        game.advance(SHORT_DELAY_US)
    assert (
        derived_state.swept_seats(game.live),
        derived_state.is_provisional(game.live),
        money_and_turn(game.table),
    ) == (
        (1, 2, 3, 4),
        True,
        before,
    )
    game.advance(2 * derived_state.SWEEP_WINDOW_US)
    assert (derived_state.swept_seats(game.live), money_and_turn(game.table)) == ((1, 2, 3, 4), before), (
        "passing time changed the money"
    )
    game.do("deal closing")
    assert (betting_round(game), turn(game), balances.announced_pot(game.table), pending_questions(game.live)) == (
        2,
        2,
        40,
        set(),
    )
    assert game.table.street.presumed_actions[3] == "check"
    live = game.advance(2 * derived_state.SWEEP_WINDOW_US)
    assert (
        balances.announced_pot(game.table),
        turn(game),
        warning_codes(game),
        derived_state.uncounted_chips(live, 4).amount,
    ) == (
        40,
        2,
        (),
        0,
    )


def test_returned_bets_withdraw_the_sweep_question() -> None:
    game = two_callers()
    before = money_and_turn(game.table)
    for seat in (4, 1):
        game.clear_spot(seat)
        game.advance(SHORT_DELAY_US)
    for seat in (4, 1):
        game.place_chips(seat, 5, 5)
    assert (pending_questions(game.live), money_and_turn(game.table)) == (set(), before)
    game.advance(2 * derived_state.SWEEP_WINDOW_US)
    assert money_and_turn(game.table) == before


def test_lone_emptied_spot_is_a_withdrawn_bet_after_the_delay() -> None:
    game = two_callers()
    game.clear_spot(4)
    assert (warning_codes(game), derived_state.is_pending_for(game.live, 4, "emptied")) == ((), True)
    game.advance(LONE_EMPTY_SPOT_DELAY_US - 1)
    assert bet(game, 4) == 10
    game.advance(1)
    assert (warning_codes(game), bet(game, 4), balances.owed(game.table, 4)) == (("chips-withdrawn",), 0, 10)
    game.place_chips(4, 5, 5)
    assert (warning_codes(game), bet(game, 4)) == ((), 10)


def test_bet_removed_and_returned_at_once_changes_nothing() -> None:
    game = two_callers()
    before = money_and_turn(game.table)
    game.clear_spot(4)
    game.place_chips(4, 5, 5)
    assert (pending_questions(game.live), warning_codes(game), money_and_turn(game.table)) == (set(), (), before)


def test_spots_emptied_far_apart_in_time_are_not_a_sweep() -> None:
    game = two_callers()
    game.clear_spot(4)
    game.advance(derived_state.SWEEP_WINDOW_US)
    game.clear_spot(1)
    assert derived_state.swept_seats(game.live) == ()


def test_spot_emptied_after_the_sweep_window_ends_the_sweep() -> None:
    game = two_callers()
    game.clear_spot(4)
    game.advance(LONE_EMPTY_SPOT_DELAY_US - 1)
    game.clear_spot(1)
    assert derived_state.swept_seats(game.live) == (1, 4)
    game.advance(derived_state.SWEEP_WINDOW_US - LONE_EMPTY_SPOT_DELAY_US + 1)
    game.clear_spot(2)
    assert derived_state.swept_seats(game.live) == (1, 2, 4)
    game.advance(1)
    game.clear_spot(3)
    assert derived_state.swept_seats(game.live) == ()


@pytest.mark.parametrize("folds", [(), ("4 fold", "1 fold")], ids=["open", "closed"])
def test_bet_keyed_for_an_offline_tray_is_not_part_of_a_sweep(folds: tuple[str, ...]) -> None:
    """Seat 2 bets while its tray is offline. Then seat 3 exchanges its bet for other chips of equal value.

    The exchange is no sweep, although the spots of seats 2 and 3 have changed since the last street.
    """
    game = closed_round()
    game.do("deal")
    game.set_tray("bet2", online=False)
    game.do("2 bet 25")
    game.place_chips(3, 25)
    game.do(*folds)
    before = money_and_turn(game.table)
    game.place_chips(3, 10, 10, 5)
    assert (derived_state.pending_seats(game.live), money_and_turn(game.table)) == ((), before)


def test_late_blind_is_not_part_of_a_sweep() -> None:
    """The blind of seat 3 is not on its spot yet. Then seat 4 exchanges the chips of its call.

    The new chips are worth the same. The exchange is no sweep of the spots of seats 3 and 4.
    """
    game = LiveHarness(hand=False)
    for seat in (1, 2, 4):
        game.show_settled(bet_spot(seat))
    game.show_settled("bet3", 5)
    game.show_settled("bet3")
    game.do("hand")
    game.place_chips(4, 5, 5)
    before = money_and_turn(game.table)
    game.place_chips(4, 10)
    assert (derived_state.pending_seats(game.live), money_and_turn(game.table)) == ((), before)


def test_silent_chips_of_a_call_count_as_swept_when_its_spot_is_seen_empty() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.do("1 fold", "2 call", "3 check")
    game.show_provisional(2)
    game.press_key("deal")
    assert (game.record_lines[-2:], betting_round(game), balances.announced_pot(game.table)) == (
        ["2 chips 5", "deal"],
        2,
        30,
    )


def test_sweep_after_a_keyed_deal_raises_no_question() -> None:
    game = two_callers()
    game.do("3 check", "deal")
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
        assert (pending_questions(game.live), warning_codes(game)) == (set(), ())
    assert (balances.announced_pot(game.table), turn(game)) == (40, 2)


def test_spots_emptied_before_the_last_action_was_keyed_were_swept() -> None:
    game = two_callers()
    for seat in (4, 1):
        game.clear_spot(seat)
    game.do("3 check")
    assert (pending_questions(game.live), derived_state.pending_seats_for(game.live, "emptied")) == (set(), ())
    game.advance(2 * derived_state.SWEEP_WINDOW_US)
    game.do("deal")
    assert (balances.announced_pot(game.table), turn(game)) == (40, 2)


def _call_with_refund() -> LiveHarness:
    """Return a hand after the first round, in which 5 is due back to seat 4.

    Seat 4 put in 15 for a call of 10.
    """
    game = LiveHarness()
    game.do("4 says call")
    game.place_chips(4, 5, 5, 5)
    game.place_chips(1, 5, 5)
    game.place_chips(2, 5, 5)
    game.do("3 check")
    assert (phase(game), balances.due_back(game.table, 4)) == (Phase.CLOSED, 5)
    return game


def test_lone_removal_of_the_exact_refund_settles_it() -> None:
    game = _call_with_refund()
    before = money_and_turn(game.table)
    game.place_chips(4, 5, 5)
    assert (balances.due_back(game.table, 4), money_and_turn(game.table)) == (0, before)


def test_refund_chip_removed_in_a_sweep_stays_due() -> None:
    game = _call_with_refund()
    before = money_and_turn(game.table)
    game.clear_spot(1)
    game.place_chips(4, 5, 5)
    assert (balances.due_back(game.table, 4), money_and_turn(game.table)) == (5, before)


def test_removal_of_another_amount_than_the_refund_is_not_change() -> None:
    game = _call_with_refund()
    before = money_and_turn(game.table)
    game.place_chips(4, 5)
    assert (balances.due_back(game.table, 4), money_and_turn(game.table)) == (5, before)


# --- between the rounds ---


def test_chips_between_rounds_count_for_the_next_street() -> None:
    game = closed_round()
    live = game.place_chips(2, 25)
    assert (derived_state.pending_seats_for(live, "between"), derived_state.uncounted_chips(live, 2).amount) == (
        (2,),
        25,
    )
    assert (balances.announced_pot(game.table), bet(game, 2)) == (40, 10)
    game.do("deal")
    assert (balances.announced_pot(game.table), bet(game, 2), turn(game), pending_questions(game.live)) == (
        65,
        25,
        3,
        set(),
    )


def test_chips_between_rounds_keep_the_order_of_arrival() -> None:
    game = closed_round()
    for seat in (3, 2, 1):
        game.place_chips(seat, 25)
    assert derived_state.pending_seats_for(game.live, "between") == (3, 2, 1)
    game.place_chips(3, 25, 25)
    assert derived_state.pending_seats_for(game.live, "between") == (2, 1, 3)


def test_late_chips_between_rounds_are_returned() -> None:
    game = closed_round()
    before = money_and_turn(game.table)
    game.place_chips(2, 25)
    assert [(question.seat, question.kind, question.amount) for question in open_chip_questions(game.live)] == [
        (2, "chips-between-rounds", 25)
    ]
    game.do("chips-are 2 bet")
    assert (balances.due_back(game.table, 2), warning_codes(game), money_and_turn(game.table)) == (
        25,
        ("string-bet",),
        before,
    )
    assert not open_chip_questions(game.live)
    game.do("deal")
    assert (balances.due_back(game.table, 2), bet(game, 2), turn(game)) == (0, 0, 2)


def test_chips_on_the_only_swept_spot_are_late_in_full() -> None:
    """More chips arrive on the spot of seat 2 after its call was swept.

    All these chips are new, and too late for the closed round.
    """
    game = two_callers()
    game.do("3 check")
    game.clear_spot(2)
    game.place_chips(2, 25)
    game.do("chips-are 2 bet")
    assert (game.record_lines[-1], bet(game, 2), balances.due_back(game.table, 2)) == ("2 chips 25", 10, 25)


@pytest.mark.parametrize(
    ("amounts", "answers", "refund"),
    [((5, 5), [], 0), ((25, 5, 5), ["chips-are 3 bet"], 25)],
    ids=["the blind", "the blind and more"],
)
def test_blind_that_arrives_after_others_were_swept_is_not_a_late_bet(
    amounts: tuple[int, ...], answers: list[str], refund: int
) -> None:
    """The blind of seat 3 arrives after the first round. The 10 of the blind count for this round.

    Further chips are too late.
    """
    game = LiveHarness(hand=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.do("hand", "4 fold", "1 fold")
    game.place_chips(2, 5, 5)
    game.do("3 check")
    game.clear_spot(2)
    game.place_chips(3, *amounts)
    (question,) = open_chip_questions(game.live)
    assert [format_step(answer) for answer in question.answers] == answers
    game.do(*answers)
    assert (bet(game, 3), balances.due_back(game.table, 3)) == (10, refund)


def test_chips_between_rounds_of_a_folded_seat_are_reported_as_refused() -> None:
    game = two_callers()
    game.do("3 fold")
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
    change = game.show_settled(bet_spot(3), 25)
    assert change.refusal is not None
    assert [(question.seat, question.answers) for question in open_chip_questions(game.live)] == [(3, ())]


def test_chips_between_rounds_that_are_removed_leave_no_trace() -> None:
    game = closed_round()
    game.place_chips(2, 25)
    assert pending_questions(game.place_chips(2)) == set()
    game.do("deal")
    assert (balances.announced_pot(game.table), bet(game, 2), turn(game)) == (40, 0, 2)


@pytest.mark.parametrize("call", [(), (5, 5)], ids=["swept", "not swept"])
@pytest.mark.parametrize(
    ("settled", "provisional"),
    [((), ()), ((25,), (25,)), ((100,), (100,)), ((100, 25), ())],
    ids=["all leave", "the large chip leaves", "the small chip leaves", "a hand covers them"],
)
def test_chips_between_rounds_that_leave_before_the_deal_are_no_bet(
    call: tuple[int, ...], settled: tuple[int, ...], provisional: tuple[int, ...]
) -> None:
    """Chips that arrive before the deal and leave again are no bet. Chips that stay are a bet once they settle.

    In one case the call of the last round is still on the same spot, and in the other case it was swept.
    """
    game = two_callers()
    game.do("3 check")
    for seat in (4, 1, 3):
        game.clear_spot(seat)
    game.place_chips(2, *call)
    game.place_chips(2, 100, 25, *call)
    assert derived_state.pending_seats_for(game.live, "between") == (2,)
    game.show_provisional(2, *provisional, *call)
    game.do("deal")
    assert (bet(game, 2), balances.announced_pot(game.table), open_chip_questions(game.live)) == (0, 40, ())
    game.place_chips(2, *settled)
    assert (bet(game, 2), balances.announced_pot(game.table), derived_state.pending_seats(game.live)) == (
        sum(settled),
        40 + sum(settled),
        (),
    )


def test_owed_chips_are_accepted_while_the_round_is_closed() -> None:
    game = two_callers()
    game.do("3 says raise")
    game.place_chips(3, *[5] * 4)
    assert (bet(game, 3), turn(game)) == (20, 4)
    game.do("4 fold", "1 fold", "2 says call")
    assert (balances.owed(game.table, 2), phase(game)) == (10, Phase.CLOSED)
    assert game.command("deal") is not None
    game.place_chips(2, 5, 5, 5, 5)
    assert (bet(game, 2), balances.owed(game.table, 2), balances.announced_pot(game.table)) == (20, 0, 60)


def won_by_four() -> LiveHarness:
    """Return the hand that follows after seat 4 has won a hand with a bet of 30.

    The chips of this bet are still on the spot of seat 4.
    """
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    game.do("1 fold", "2 fold", "3 fold", "award main 4", "hand")
    return game


def test_last_pot_still_on_the_winners_spot_is_not_a_bet() -> None:
    game = won_by_four()
    assert (turn(game), balances.announced_pot(game.table), bet(game, 4)) == (1, 15, 10)
    for seat in (2, 3):
        game.place_chips(seat)
    game.place_chips(3, 5)
    game.place_chips(4, 25, 5)
    assert (
        turn(game),
        balances.announced_pot(game.table),
        bet(game, 4),
        held_action(game, 4),
        warning_codes(game),
    ) == (
        1,
        15,
        10,
        None,
        (),
    )
    game.place_chips(4, 5, 5)
    assert (turn(game), balances.announced_pot(game.table), bet(game, 4), warning_codes(game)) == (1, 15, 10, ())


def test_chip_left_on_a_spot_after_the_sweep_is_no_bet() -> None:
    """After the sweep, the spot still shows a chip of the last bet.

    Either the sweep left this chip on the spot, or the reader reports a chip that has gone.
    """
    game = two_callers()
    game.do("3 check", "deal")
    for seat in (1, 2, 3):
        game.clear_spot(seat)
    game.place_chips(4, 5)
    assert (balances.announced_pot(game.table), turn(game), held_action(game, 4), warning_codes(game)) == (
        40,
        2,
        None,
        (),
    )
    game.place_chips(4)
    assert (balances.announced_pot(game.table), turn(game), warning_codes(game)) == (40, 2, ())


# --- chips after an award ---


def after_the_hand() -> LiveHarness:
    """Return a table between hands with empty spots."""
    game = won_by_four()
    game.do("void")
    for seat in (2, 3, 4):
        game.clear_spot(seat)
    return game


def test_chips_after_the_award_are_never_a_bet() -> None:
    game = after_the_hand()
    live = game.place_chips(1, 100, 25)
    assert (derived_state.ignored_amounts(live), pending_questions(live), game.table.is_hand_in_progress) == (
        ((1, 125),),
        set(),
        False,
    )
    live = game.do("hand")
    assert (derived_state.ignored_amounts(live), bet(game, 1), balances.announced_pot(game.table), turn(game)) == (
        ((1, 125),),
        0,
        15,
        1,
    )
    live = game.place_chips(1, 100, 25, 5, 5)
    assert (derived_state.ignored_amounts(live), bet(game, 1), turn(game)) == (((1, 125),), 10, 2)
    live = game.place_chips(1, 5, 5)
    assert (
        derived_state.ignored_amounts(live),
        bet(game, 1),
        balances.due_back(game.table, 1),
        warning_codes(game),
    ) == ((), 10, 0, ())


def test_blind_put_in_before_the_hand_counts_as_the_blind() -> None:
    game = after_the_hand()
    game.place_chips(3, 5)
    live = game.do("hand")
    assert (bet(game, 3), derived_state.ignored_amounts(live), game.place_chips(3, 5).last_warnings) == (
        5,
        (),
        LastWarnings(at_us=game.live.last_warnings.at_us),
    )


def test_chips_after_the_last_round_closed_are_not_part_of_the_hand() -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold", "2 fold")
    game.place_chips(1, 50)
    assert derived_state.pending_seats_for(game.live, "between") == (1,)
    live = game.do("award main 3")
    assert (derived_state.pending_seats_for(live, "between"), derived_state.ignored_amounts(live)) == ((), ((1, 50),))
    game.do("hand")
    assert (bet(game, 1), balances.announced_pot(game.table)) == (0, 15)


def test_new_chips_equal_to_the_swept_bet_count_on_the_next_street() -> None:
    """The swept chips count for the last round. The equal chips on the empty spot are a new bet."""
    game = closed_round()
    live = game.place_chips(2, 5, 5)
    assert (pending_questions(live), derived_state.uncounted_chips(live, 2).amount, bet(game, 2)) == (
        {"between"},
        10,
        10,
    )
    live = game.do("deal")
    assert (pending_questions(live), bet(game, 2), turn(game)) == (set(), 10, 3)


def test_moving_spot_stays_provisional_when_its_old_chips_are_withdrawn() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    game.clear_spot(4)
    live = game.show_provisional(4, 100)
    live = game.advance(LONE_EMPTY_SPOT_DELAY_US)
    assert (warning_codes(game), bet(game, 4)) == (("chips-withdrawn",), 0)
    assert (derived_state.uncounted_chips(live, 4).amount, derived_state.is_provisional(live)) == (100, True)


# --- returned chips ---


def test_chopped_blinds_are_returned_without_a_question() -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold", "chop")
    before = len(game.record_lines)
    game.clear_spot(2)
    live = game.clear_spot(3)
    assert (phase(game), pending_questions(live), warning_codes(game), derived_state.ignored_amounts(live)) == (
        Phase.OVER,
        set(),
        (),
        (),
    )
    assert not [line for line in game.record_lines[before:] if not line.startswith("spot ")]
    assert (
        balances.announced_pot(game.table),
        balances.stack_behind(game.table, 2),
        balances.stack_behind(game.table, 3),
    ) == (0, 1000, 1000)


def test_undone_chop_counts_the_blinds_still_on_the_spots() -> None:
    game = LiveHarness()
    live = game.do("4 fold", "1 fold", "chop", "undo")
    assert (turn(game), bet(game, 2), bet(game, 3), pending_questions(live)) == (2, 5, 10, set())
    game.place_chips(2, 5, 5)
    assert (turn(game), bet(game, 2), warning_codes(game)) == (3, 10, ())


def test_moved_button_returns_the_blinds_and_takes_new_ones() -> None:
    """The floor moves the button to seat 2. Seats 3 and 4 then post the blinds instead of seats 2 and 3."""
    game = LiveHarness()
    game.do("floor button 2")
    before = len(game.record_lines)
    game.clear_spot(2)
    game.place_chips(3, 5)
    live = game.place_chips(4, 5, 5)
    assert (turn(game), bet(game, 2), bet(game, 3), bet(game, 4)) == (1, 0, 5, 10)
    assert (pending_questions(live), warning_codes(game), balances.announced_pot(game.table)) == (set(), (), 15)
    assert not [line for line in game.record_lines[before:] if not line.startswith("spot ")]
    game.place_chips(1, 5, 5)
    assert (turn(game), bet(game, 1)) == (2, 10)


def test_spots_emptied_after_a_moved_button_are_not_a_sweep() -> None:
    game = LiveHarness()
    game.do("floor button 2")
    game.clear_spot(2)
    live = game.clear_spot(3)
    assert derived_state.swept_seats(live) == ()
    live = game.place_chips(3, 5)
    assert (pending_questions(live), warning_codes(game), bet(game, 3)) == (set(), (), 5)


def test_swept_bets_returned_after_undo_are_not_bets_of_the_next_street() -> None:
    game = two_callers()
    game.do("3 check", "deal")
    for seat in (1, 2, 3, 4):
        game.clear_spot(seat)
    game.do("undo")
    for seat in (1, 2, 3, 4):
        live = game.place_chips(seat, 5, 5)
    assert (pending_questions(live), live.bets.awaiting_chips) == (set(), frozenset())
    game.do("deal")
    assert (turn(game), balances.announced_pot(game.table), [bet(game, seat) for seat in (1, 2, 3, 4)]) == (
        2,
        40,
        [0, 0, 0, 0],
    )
    for seat in (1, 2, 3, 4):
        game.clear_spot(seat)
    assert (turn(game), balances.announced_pot(game.table), warning_codes(game)) == (2, 40, ())


def test_more_chips_than_swept_raise_a_question_after_undo() -> None:
    game = two_callers()
    game.do("3 check", "deal")
    game.clear_spot(4)
    game.do("undo")
    assert pending_questions(game.place_chips(4, 5, 5, 25)) == {"between"}


# --- chips that the dealer drags over another spot ---


def _dragged_over_seat_2(own_chips: tuple[int, ...] = ()) -> LiveHarness:
    """Return a hand in which the raise of seat 1 is swept over the spot of seat 2, which is in turn.

    Seat 2 has folded, or has put in `own_chips` in addition to its blind, but the dealer has entered nothing.
    """
    game = LiveHarness()
    game.press_key("fold")
    game.place_chips(1, 25, 5)
    game.show_provisional(2, 5, *own_chips)
    game.advance(SHORT_DELAY_US)
    dragged, own = game.spots[bet_spot(1)], game.spots[bet_spot(2)]
    game.show_provisional(1)
    game.advance(SHORT_DELAY_US)
    game.send_event(StackProvisional(bet_spot(2), (*dragged, *own), (), (), False, game.now_us))
    game.advance(SHORT_DELAY_US)
    return game


def test_bet_dragged_over_a_neighbours_spot_is_not_the_neighbours_call() -> None:
    game = _dragged_over_seat_2()
    game.show_provisional(2)
    for seat in (1, 2, 3):
        game.advance(SHORT_DELAY_US)
        game.clear_spot(seat)
    assert (bet(game, 2), turn(game)) == (5, 2)
    for _ in range(2):
        game.press_key("fold")
    assert (phase(game), balances.announced_pot(game.table), bet(game, 1)) == (Phase.CLOSED, 45, 30)


def test_fold_key_while_a_bet_is_dragged_over_the_spot_folds_its_seat() -> None:
    game = _dragged_over_seat_2()
    game.press_key("fold")
    assert (bet(game, 2), turn(game)) == (5, 3)


def test_own_call_under_a_dragged_bet_still_counts() -> None:
    game = _dragged_over_seat_2((25,))
    game.show_provisional(2)
    for seat in (1, 2, 3):
        game.advance(SHORT_DELAY_US)
        game.clear_spot(seat)
    assert (bet(game, 2), turn(game)) == (30, 3)


# --- bets of the last street that are still on their spots ---


def _dealt_before_collecting() -> LiveHarness:
    """Return a hand on the flop in which all four calls of 10 are still on their spots."""
    game = two_callers()
    game.do("3 check", "deal")
    return game


def _lift(game: LiveHarness, seat: int) -> tuple[Chip, ...]:
    """Let somebody lift the chips of the seat until the spot is read as empty. Return the chips."""
    chips = game.spots[bet_spot(seat)]
    game.show_provisional(seat)
    game.advance(MOTION_GAP_US)
    game.clear_spot(seat)
    return chips


def _put_back(game: LiveHarness, seat: int, chips: tuple[Chip, ...]) -> None:
    game.send_event(StackProvisional(bet_spot(seat), chips, (), (), False, game.now_us))
    assert build_table_view(game.live, 1).alerts == ()
    game.advance(MOTION_GAP_US)
    game.send_event(StackSettled(bet_spot(seat), chips, (), (), False, game.now_us))


@pytest.mark.parametrize("seat", [2, 4])
def test_last_streets_chips_that_come_back_raise_a_question(seat: int) -> None:
    game = _dealt_before_collecting()
    _put_back(game, seat, _lift(game, seat))
    question = ChipQuestion(
        seat, "left-over", 10, (observations.ExplainsChips(seat, "swept"), observations.ExplainsChips(seat, "bet"))
    )
    assert (open_chip_questions(game.live), held_action(game, seat), turn(game)) == ((question,), None, 2)
    for other in (2, 3, 4, 1):
        game.press_key("check-call")
        assert bet(game, other) == 0
    assert (phase(game), balances.announced_pot(game.table)) == (Phase.CLOSED, 40)


def test_last_streets_chips_that_are_to_be_swept_change_nothing() -> None:
    game = _dealt_before_collecting()
    _put_back(game, 2, _lift(game, 2))
    game.do("chips-are 2 swept")
    assert (open_chip_questions(game.live), bet(game, 2), turn(game)) == ((), 0, 2)
    game.clear_spot(2)
    assert (bet(game, 2), warning_codes(game), derived_state.ignored_amounts(game.live)) == (0, (), ())
    game.place_chips(2, 25)
    assert (bet(game, 2), turn(game)) == (25, 3)


def test_last_streets_chips_count_if_the_dealer_says_so() -> None:
    game = _dealt_before_collecting()
    _put_back(game, 2, _lift(game, 2))
    game.do("chips-are 2 bet")
    assert (open_chip_questions(game.live), bet(game, 2), turn(game)) == ((), 10, 3)


def test_bet_on_top_of_last_streets_chips_counts_alone() -> None:
    game = _dealt_before_collecting()
    chips = _lift(game, 2)
    _put_back(game, 2, (*chips, Chip("E00401500000FFFF", 25)))
    assert (bet(game, 2), turn(game), derived_state.ignored_amounts(game.live)) == (25, 3, ((2, 10),))


def test_last_streets_chips_on_another_spot_raise_a_question() -> None:
    """The dealer collects late and pushes the chips of seat 3 over the spot of seat 2, which is in turn."""
    game = _dealt_before_collecting()
    own = game.spots[bet_spot(2)]
    _put_back(game, 2, (*own, *_lift(game, 3)))
    assert [(question.seat, question.amount) for question in open_chip_questions(game.live)] == [(2, 10)]
    assert (bet(game, 2), turn(game)) == (0, 2)


def test_chips_lifted_while_the_betting_is_closed_are_not_a_bet_of_the_next_street() -> None:
    game = two_callers()
    game.do("3 check")
    chips = _lift(game, 2)
    _put_back(game, 2, chips)
    game.do("deal")
    assert (bet(game, 2), turn(game), open_chip_questions(game.live)) == (0, 2, ())


def test_chips_won_back_on_an_earlier_street_are_a_bet_of_the_next_one() -> None:
    """The chips left the spot before the deal, so that they are not last street's chips."""
    game = two_callers()
    game.do("3 check")
    chips = _lift(game, 2)
    game.do("deal")
    game.send_event(StackSettled(bet_spot(2), chips, (), (), False, game.now_us))
    assert (bet(game, 2), turn(game)) == (10, 3)


def test_chips_that_waited_and_were_swept_before_the_late_check_raise_no_question() -> None:
    """On the flop seat 3 bets 20 before the check of seat 2 is entered, and seat 2 calls."""
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    game.place_chips(2, 5, 5)
    game.do("3 check", "deal")
    for seat in (2, 3):
        game.clear_spot(seat)
    game.advance(20_000_000)
    game.place_chips(3, 5, 5, 5, 5)
    game.place_chips(2, 5, 5, 5, 5)
    game.send_event(StackProvisional(bet_spot(2), (), (), (), False, game.now_us))
    game.press_key("check-call")
    assert (bet(game, 2), bet(game, 3)) == (20, 20)
    for seat in (2, 3):
        game.clear_spot(seat)
    game.advance(5_000_000)
    assert open_chip_questions(game.live) == ()
