"""Hands at a live table in simulated time: chips and keys, actions out of turn, string bets, undo and devices."""

from __future__ import annotations

import pytest

from controller.journal.snapshot import decode, encode
from controller.live import (
    CHECK_KEY_GRACE_US,
    LiveRefusal,
    apply_step,
    derived_state,
    without_transient,
)
from controller.live.state import DeviceFaults
from controller.presenter import build_table_view
from controller.rules import Phase, betting_options
from controller.steps import observations
from controller.table import HeldForRuling, IntendedAction, SeatWarning, WarningCode, balances
from hardware.events import DeviceDown, DeviceUp, PressesLost, WrongDeviceSetting
from tests.controller.live_harness import (
    LiveHarness,
    bet,
    betting_round,
    closed_round,
    four_players,
    held_action,
    out_of_turn_call,
    pending_questions,
    phase,
    turn,
    two_callers,
    warning_codes,
)

# --- a plain hand ---


def test_wager_is_provisional_when_seen_and_counts_when_settled() -> None:
    game = LiveHarness()
    live = game.show_provisional(4, 25, 5)
    assert (derived_state.uncounted_chips(live, 4).amount, bet(game, 4), derived_state.is_provisional(live)) == (
        30,
        0,
        True,
    )
    assert (turn(game), balances.announced_pot(game.table)) == (4, 15)
    live = game.place_chips(4, 25, 5)
    assert (derived_state.uncounted_chips(live, 4).amount, bet(game, 4), derived_state.is_provisional(live)) == (
        0,
        30,
        False,
    )
    assert (turn(game), balances.announced_pot(game.table), live.bets.sources[4], warning_codes(game)) == (
        1,
        45,
        "sensed",
        (),
    )


def test_removed_chips_are_not_shown_as_a_further_bet() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    live = game.show_provisional(4, 25)
    assert (derived_state.uncounted_chips(live, 4).amount, derived_state.is_provisional(live)) == (0, True)


def test_chips_cut_back_before_the_motion_ends_are_not_bet() -> None:
    game = LiveHarness()
    game.show_provisional(4, *[5] * 20)
    game.place_chips(4, *[5] * 8)
    assert bet(game, 4) == 40


def test_hand_plays_through_with_chips_and_keys() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.advance(CHECK_KEY_GRACE_US)
    game.press_key("fold")
    assert turn(game) == 2
    game.place_chips(2, 5, 5)
    game.advance(CHECK_KEY_GRACE_US)
    game.press_key("check-call")
    assert (phase(game), balances.announced_pot(game.table)) == (Phase.CLOSED, 30)
    game.press_key("deal")
    assert (betting_round(game), turn(game), balances.announced_pot(game.table)) == (2, 2, 30)
    for seat in (2, 3, 4):
        game.place_chips(seat)
    assert (balances.announced_pot(game.table), turn(game), warning_codes(game), pending_questions(game.live)) == (
        30,
        2,
        (),
        set(),
    )
    game.place_chips(2, 25)
    game.advance(CHECK_KEY_GRACE_US)
    game.press_key("fold")
    assert turn(game) == 4
    game.press_key("fold")
    game.do("award main 2")
    assert (phase(game), balances.stack_behind(game.table, 2)) == (Phase.OVER, 1020)


# --- behind the turn ---


def test_chips_behind_the_turn_are_held_as_out_of_turn() -> None:
    game = out_of_turn_call()
    assert (balances.announced_pot(game.table), turn(game), bet(game, 2), held_action(game, 2)) == (
        15,
        4,
        5,
        IntendedAction("call"),
    )
    assert game.live.out_of_turn.answered_questions == frozenset()


def test_passing_time_changes_no_money() -> None:
    game = out_of_turn_call()
    before = game.live
    live = game.advance(60_000_000)
    assert without_transient(live) == without_transient(before)
    assert live.ended_delays.held_too_long == {2}


def test_skipped_seats_are_folded_with_one_touch() -> None:
    game = out_of_turn_call()
    game.do("here 2")
    assert (turn(game), balances.announced_pot(game.table), dict(game.table.street.presumed_actions)) == (
        3,
        20,
        {4: "fold", 1: "fold"},
    )


def test_seat_button_answers_the_out_of_turn_question() -> None:
    game = out_of_turn_call()
    game.press_seat(2)
    assert (turn(game), balances.announced_pot(game.table)) == (3, 20)


def test_answering_out_of_turn_keeps_the_turn() -> None:
    game = out_of_turn_call()
    live = game.do("out-of-turn 2")
    assert (set(live.out_of_turn.answered_questions), turn(game), balances.announced_pot(game.table)) == (
        {observations.AnswersOutOfTurn(2)},
        4,
        15,
    )
    live = game.do("4 fold", "1 fold")
    assert (turn(game), balances.announced_pot(game.table), live.out_of_turn.answered_questions) == (
        3,
        20,
        frozenset(),
    ), "the held action does not count when its turn comes"


def test_held_action_is_released_if_the_action_changed() -> None:
    game = out_of_turn_call()
    game.do("out-of-turn 2")
    game.place_chips(4, 25, 5)
    game.do("1 fold")
    assert (turn(game), balances.due_back(game.table, 2), bet(game, 2), balances.announced_pot(game.table)) == (
        2,
        5,
        5,
        45,
    )


@pytest.mark.parametrize("do", ["out-of-turn 2", "acts-now 2"])
def test_answer_without_an_open_question_is_refused(do: str) -> None:
    game = LiveHarness()
    before = game.live
    refused = game.command(do)
    assert refused is not None
    assert (refused.code, refused.seat, game.live) == (LiveRefusal.NO_OPEN_QUESTION, 2, before)


def answered_ahead(bettor: int = 3) -> LiveHarness:
    """Return a flop on which another seat bets 50 before seat 2, which is in turn, puts in 50.

    Seat 2 may have checked earlier without an entry by the dealer. In this case its chips call the bet.
    """
    game = closed_round()
    game.do("deal")
    game.place_chips(bettor, 25, 25)
    game.place_chips(2, 25, 25)
    return game


@pytest.mark.parametrize("bettor", [3, 4, 1])
def test_chips_in_turn_after_a_later_seats_bet_may_answer_that_bet(bettor: int) -> None:
    game = answered_ahead(bettor)
    assert (
        derived_state.pending_seats_for(game.live, "deferred"),
        derived_state.bets_possibly_answered(game.live, 2),
    ) == ((2,), (bettor,))
    assert (bet(game, 2), bet(game, bettor), held_action(game, bettor), turn(game)) == (
        0,
        0,
        IntendedAction("bet", 50),
        2,
    )


def test_chips_declared_an_action_by_the_dealer_answer_no_bet() -> None:
    live, outcome = apply_step(answered_ahead(3).live, observations.AnswersActsNow(2), "dealer", 0)
    assert outcome.refusal is None
    assert (derived_state.pending_seats_for(live, "deferred"), derived_state.bets_possibly_answered(live, 2)) == (
        (2,),
        (),
    )


def test_no_answer_or_sweep_is_pending_in_a_quiet_table() -> None:
    live = LiveHarness().live
    assert (
        derived_state.bets_possibly_answered(live, 2),
        derived_state.swept_seats(live),
        derived_state.pending_seats_for(live, "between"),
    ) == ((), (), ())


@pytest.mark.parametrize("bettor", [4, 1])
def test_chips_behind_a_held_bet_are_not_a_deferred_answer(bettor: int) -> None:
    game = answered_ahead(3)
    game.place_chips(bettor, 25, 25)
    assert (
        derived_state.pending_seats_for(game.live, "deferred"),
        derived_state.bets_possibly_answered(game.live, bettor),
    ) == ((2,), ())


def test_chips_ahead_of_a_held_call_are_an_action() -> None:
    game = out_of_turn_call()
    game.place_chips(4, 25, 5)
    assert (derived_state.pending_seats_for(game.live, "deferred"), bet(game, 4)) == ((), 30)


def test_deferred_chips_become_a_call_once_the_check_is_keyed() -> None:
    game = answered_ahead()
    game.do("here 3")
    assert pending_questions(game.live) == set()
    assert (bet(game, 3), game.table.street.presumed_actions.get(2)) == (50, "check")
    assert held_action(game, 2) == IntendedAction("call")


def test_deferred_chips_answered_acts_now_are_a_bet() -> None:
    game = answered_ahead()
    game.do("acts-now 2")
    assert (pending_questions(game.live), bet(game, 2), game.live.out_of_turn.answered_questions) == (
        set(),
        50,
        frozenset(),
    )


def test_warning_for_a_held_action_applied_by_a_deal_names_its_seat() -> None:
    game = LiveHarness()
    game.place_chips(2, 100)
    game.do("deal closing")
    assert game.live.last_warnings.warnings == (SeatWarning(WarningCode.OVERSIZED_CHIP, 2),)


def test_answer_is_forgotten_when_its_question_ends() -> None:
    game = answered_ahead()
    game.do("out-of-turn 3")
    assert game.live.out_of_turn.answered_questions == {observations.AnswersOutOfTurn(3)}
    game.do("acts-now 2")
    assert observations.AnswersActsNow(2) not in game.live.out_of_turn.answered_questions


# --- string bets and limits ---


def test_string_bet_is_due_back_until_it_is_returned() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.place_chips(4, 25, 25, 5, 5)
    assert warning_codes(game) == ("string-bet",)
    assert (bet(game, 4), balances.due_back(game.table, 4), turn(game), balances.announced_pot(game.table)) == (
        10,
        50,
        1,
        25,
    )
    game.do("return 4")
    game.place_chips(4, 5, 5)
    assert (bet(game, 4), balances.due_back(game.table, 4), turn(game), warning_codes(game)) == (10, 0, 1, ())


def test_single_large_chip_is_a_call_and_a_raise_if_announced() -> None:
    game = LiveHarness()
    game.place_chips(4, 100)
    assert warning_codes(game) == ("oversized-chip",)
    assert (bet(game, 4), balances.due_back(game.table, 4)) == (10, 90)
    game.do("4 said raise")
    assert game.table.hand is not None
    assert (bet(game, 4), balances.due_back(game.table, 4), betting_options(game.table.hand, 1).to_call) == (
        100,
        0,
        100,
    )


def test_chips_over_the_limit_are_due_back() -> None:
    game = LiveHarness(four_players("pot-limit"))
    game.place_chips(4, 25, 25, 5, 5)
    assert warning_codes(game) == ("over-limit",)
    assert (bet(game, 4), balances.due_back(game.table, 4), balances.announced_pot(game.table), turn(game)) == (
        35,
        25,
        50,
        1,
    )
    game.do("return 4")
    game.place_chips(4, 25, 5, 5)
    assert (bet(game, 4), balances.due_back(game.table, 4), warning_codes(game)) == (35, 0, ())


def test_chips_over_the_limit_removed_before_a_touch_settle_the_refund() -> None:
    game = LiveHarness(four_players("pot-limit"))
    game.place_chips(4, 25, 25, 5, 5)
    game.place_chips(4, 25, 5, 5)
    assert (bet(game, 4), balances.due_back(game.table, 4), balances.announced_pot(game.table), turn(game)) == (
        35,
        0,
        50,
        1,
    )
    assert game.command("return 4") is not None


def test_under_call_is_completed_by_later_chips() -> None:
    game = LiveHarness()
    live = game.place_chips(4, 5)
    assert (warning_codes(game), bet(game, 4), balances.owed(game.table, 4), derived_state.is_provisional(live)) == (
        ("under-call",),
        5,
        5,
        True,
    )
    game.place_chips(4, 5, 5)
    assert (bet(game, 4), balances.owed(game.table, 4), turn(game), warning_codes(game)) == (10, 0, 1, ())


def test_action_needing_a_floor_ruling_waits_for_the_floor() -> None:
    game = LiveHarness(four_players(rulebook="tda"))
    game.place_chips(4, 25, 5)
    game.place_chips(1, 25)
    assert isinstance(game.table.street.held_actions[1], HeldForRuling)
    assert (turn(game), bet(game, 1)) == (1, 0)
    live = game.do("floor bind 1")
    assert (turn(game), bet(game, 1), balances.owed(game.table, 1), live.bets.sources[1]) == (2, 25, 5, "keyed")


# --- undo ---


def test_undo_reverts_a_sensed_bet_and_its_chips_come_back() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    game.press_key("undo")
    assert (turn(game), balances.announced_pot(game.table), bet(game, 4), set(game.live.bets.undone_seats)) == (
        4,
        15,
        0,
        {4},
    )
    game.place_chips(4)
    assert (
        turn(game),
        balances.announced_pot(game.table),
        bet(game, 4),
        warning_codes(game),
        game.live.bets.undone_seats,
    ) == (
        4,
        15,
        0,
        (),
        frozenset(),
    )
    game.place_chips(4, 5, 5)
    assert (turn(game), bet(game, 4), game.live.bets.sources[4]) == (1, 10, "sensed")


def test_undo_then_correct_key_accepts_the_chips_on_the_spot() -> None:
    """The chips on the spot already equal the amount that the dealer enters.

    Nobody has to put in or take back chips.
    """
    game = LiveHarness()
    game.place_chips(4, 100)
    game.press_key("undo")
    game.do("4 raise to 100")
    assert (turn(game), bet(game, 4), balances.owed(game.table, 4), balances.due_back(game.table, 4)) == (1, 100, 0, 0)


def test_undo_then_call_key_counts_a_single_smallest_chip() -> None:
    game = LiveHarness()
    game.place_chips(4, 1)
    game.press_key("undo")
    game.do("4 call")
    assert (game.table.street.spot_totals[4], balances.owed(game.table, 4)) == (1, 9)


def test_undo_then_correct_key_counts_chips_added_to_a_bet() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.place_chips(1, 25, 5)
    game.do("2 fold", "3 fold")
    game.place_chips(4, 100, 25, 5, 5)
    game.press_key("undo")
    assert (bet(game, 4), turn(game), set(game.live.bets.undone_seats)) == (10, 4, {4})
    game.do("4 raise to 135")
    assert (bet(game, 4), balances.owed(game.table, 4), balances.due_back(game.table, 4), turn(game)) == (135, 0, 0, 1)


def test_undo_of_a_deal_before_the_sweep_keeps_the_round_closed() -> None:
    game = two_callers()
    game.do("3 check", "deal")
    game.press_key("undo")
    assert (betting_round(game), phase(game), balances.announced_pot(game.table)) == (1, Phase.CLOSED, 40)
    game.do("deal")
    for seat in (4, 1, 2, 3):
        game.clear_spot(seat)
    assert (betting_round(game), turn(game), balances.announced_pot(game.table), pending_questions(game.live)) == (
        2,
        2,
        40,
        set(),
    )


# --- devices ---


@pytest.mark.parametrize(
    ("device", "kind"),
    [("odd", "reader"), ("panel-low", "board"), ("badge-reader", "badge-reader"), ("high-water", "high-water")],
)
def test_failed_devices_are_listed_until_they_return(device: str, kind: str) -> None:
    game = LiveHarness()
    game.send_event(DeviceDown(device, "unplugged", game.now_us))
    assert (game.live.device_faults.down[device], derived_state.device_kind(game.live, device)) == ("unplugged", kind)
    game.send_event(DeviceUp(device, game.now_us))
    assert game.live.device_faults.down[device] is None


def test_lost_presses_are_reported_until_the_next_manual_action() -> None:
    game = LiveHarness()
    for count in (3, 2):
        game.send_event(PressesLost("panel-low", count, game.now_us))
    game.place_chips(turn(game), 10)
    assert game.live.device_faults.lost_presses == {"panel-low": 5}
    game.do("undo")
    assert game.live.device_faults.lost_presses == {}


def test_returning_reader_clears_only_its_own_setting_alerts() -> None:
    """When a reader returns, it reports all wrong settings again.

    Its earlier alerts about settings are therefore cleared.
    """
    game = LiveHarness()
    for reader, setting in (("odd", "afi"), ("odd", "power"), ("even", "afi")):
        game.send_event(WrongDeviceSetting(reader, setting, "07", "00", game.now_us))
    game.send_event(DeviceUp("odd", game.now_us))
    assert game.live.device_faults.wrong_settings == {"even": {"afi": "07, expected 00"}}
    assert decode(DeviceFaults, encode(game.live.device_faults)) == game.live.device_faults


@pytest.mark.parametrize(
    ("call", "is_keyed", "choices"),
    [
        ((25, 1, 1, 1, 1, 1), False, ["return 1", "4 was 30"]),
        ((25, 5), False, ["return 1"]),
        ((25, 1, 1, 1, 1, 1), True, ["return 1"]),
    ],
)
def test_chip_that_a_caller_did_not_need_suggests_an_unread_chip_of_the_bet(
    call: tuple[int, ...], is_keyed: bool, choices: list[str]
) -> None:
    """Seat 4 has bet 29, and one more of its chips may not have been read. Seat 1 puts in 30."""
    game = LiveHarness()
    if is_keyed:
        game.do("4 raise to 29")
    game.place_chips(4, 25, 1, 1, 1, 1)
    game.place_chips(1, *call)
    (alert,) = [alert for alert in build_table_view(game.live, 1).alerts if alert.code == "due-back"]
    assert [choice.do for choice in alert.choices] == choices
    if len(choices) > 1:
        game.do(choices[1])
        assert (bet(game, 4), bet(game, 1), turn(game)) == (30, 30, 2)
        assert "due-back" not in {alert.code for alert in build_table_view(game.live, 1).alerts}
