"""Doubtful tray readings and the dealer's keys at a live table in simulated time."""

from __future__ import annotations

import pytest

from controller.live import (
    CALL_KEY_GRACE_US,
    CHECK_KEY_GRACE_US,
    LONE_EMPTY_SPOT_DELAY_US,
    LiveRefusal,
    derived_state,
    handle_command,
    handle_event,
)
from controller.rules import Phase, Refusal
from controller.steps import format_step, parse_step
from controller.table import balances
from hardware.events import Key, KeyPressed
from hardware.spots import bet_spot
from tests.controller.live_harness import (
    MOTION_GAP_US,
    SHORT_DELAY_US,
    LiveHarness,
    bet,
    betting_round,
    held_action,
    money_and_turn,
    pending_questions,
    phase,
    steps_of,
    turn,
    two_callers,
    warning_codes,
)

# --- doubtful trays ---


def test_stack_above_the_readable_height_is_shown_but_does_not_count() -> None:
    game = LiveHarness()
    live = game.place_chips(4, *[5] * 24, at_least=True)
    assert (
        derived_state.pending_seats_for(live, "doubt"),
        derived_state.has_unresolved_doubt(live, 4),
        derived_state.is_provisional(live),
    ) == ((4,), True, True)
    assert (
        bet(game, 4),
        derived_state.uncounted_chips(live, 4).amount,
        derived_state.uncounted_chips(live, 4).at_least,
        turn(game),
    ) == (
        0,
        120,
        True,
        4,
    )


@pytest.mark.parametrize("reads_empty_first", [False, True])
def test_keying_a_stack_above_the_readable_height_answers_the_question(reads_empty_first: bool) -> None:
    """The table decides the same whether or not the spot was read as empty before its chips arrived."""
    game = LiveHarness()
    if reads_empty_first:
        game.show_settled("bet4")
    game.place_chips(4, *[5] * 24, at_least=True)
    live = game.do("4 raise to 125")
    assert (bet(game, 4), balances.owed(game.table, 4), live.bets.sources[4]) == (125, 0, "keyed")
    assert (turn(game), derived_state.is_provisional(live), derived_state.has_unresolved_doubt(live, 4)) == (
        1,
        False,
        False,
    )
    live = game.place_chips(4, *[5] * 25)
    assert (bet(game, 4), balances.due_back(game.table, 4), turn(game), pending_questions(live)) == (125, 0, 1, set())


def test_tall_stack_that_is_spread_out_counts_without_a_key() -> None:
    game = LiveHarness()
    game.place_chips(4, *[5] * 24, at_least=True)
    live = game.place_chips(4, *[5] * 25)
    assert (bet(game, 4), live.bets.sources[4], turn(game), pending_questions(live)) == (125, "sensed", 1, set())


def test_unknown_tag_is_not_counted_as_a_chip() -> None:
    game = LiveHarness()
    live = game.place_chips(4, 5, 5, unknown=1)
    assert (derived_state.uncounted_chips(live, 4).unknown_tags, bet(game, 4), turn(game), pending_questions(live)) == (
        1,
        0,
        4,
        {"doubt"},
    )
    live = game.place_chips(4, 5, 5)
    assert (bet(game, 4), turn(game), pending_questions(live)) == (10, 1, set())


def test_foreign_tag_that_stays_does_not_block_keys() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5, unknown=1)
    live = game.do("4 call")
    assert (bet(game, 4), balances.owed(game.table, 4), turn(game), derived_state.has_unresolved_doubt(live, 4)) == (
        10,
        0,
        1,
        False,
    )


def test_action_keyed_for_an_offline_tray_agrees_with_its_return_reading() -> None:
    game = LiveHarness()
    game.set_tray("bet4", online=False)
    assert (set(game.table.offline_seat_sensors), warning_codes(game)) == ({4}, ("tray-offline",))
    live = game.do("4 raise to 30")
    assert (bet(game, 4), balances.owed(game.table, 4), live.bets.sources[4]) == (30, 0, "keyed")
    game.set_tray("bet4", online=True)
    live = game.place_chips(4, 25, 5)
    assert (bet(game, 4), balances.due_back(game.table, 4), turn(game), pending_questions(live)) == (30, 0, 1, set())


@pytest.mark.parametrize(("seat", "is_unsettled"), [(1, True), (2, True), (4, False)])
def test_largest_raise_is_unsettled_while_a_live_seat_is_offline(seat: int, is_unsettled: bool) -> None:
    """If the spot of a folded seat is offline, the maximum raise is still certain. Here seat 4 has folded."""
    game = LiveHarness()
    game.do("4 fold")
    game.set_tray(bet_spot(seat), online=False)
    assert derived_state.is_provisional(game.live) is is_unsettled
    game.set_tray(bet_spot(seat), online=True)
    assert not derived_state.is_provisional(game.live)


def test_chips_keyed_for_an_offline_tray_are_reported_missing_on_its_return() -> None:
    game = LiveHarness()
    game.set_tray("bet4", online=False)
    game.do("4 raise to 30")
    game.set_tray("bet4", online=True)
    game.place_chips(4, 25)
    assert (warning_codes(game), bet(game, 4), balances.owed(game.table, 4)) == (("chips-withdrawn",), 25, 5)
    game.place_chips(4, 25, 5)
    assert (warning_codes(game), bet(game, 4)) == ((), 30)


def test_chips_matching_a_keyed_call_after_the_round_belong_to_it() -> None:
    """The dealer entered a call of 150 for seat 3, because its reading was doubtful.

    The 150 that the spot shows later are the chips of this call.
    """
    game = closed_by_a_keyed_call()
    live = game.place_chips(3, *[5] * 30)
    assert (pending_questions(live), bet(game, 3)) == (set(), 150)
    game.do("deal")
    assert (bet(game, 3), balances.announced_pot(game.table), turn(game)) == (0, 305, 3)
    live = game.place_chips(3)
    assert (bet(game, 3), warning_codes(game), pending_questions(live)) == (0, (), set())


def closed_by_a_keyed_call() -> LiveHarness:
    """Return a hand in which a call of 150 that the dealer entered has closed the round.

    Seat 4 bet 150. The dealer entered the call of seat 3, because the reading of its chips was doubtful.
    """
    game = LiveHarness()
    game.place_chips(4, 100, 25, 25)
    game.do("1 fold", "2 fold")
    game.place_chips(3, *[5] * 29, at_least=True)
    game.do("3 call")
    assert phase(game) is Phase.CLOSED
    return game


def test_declarations_without_trays_include_their_chips_in_one_change() -> None:
    game = LiveHarness(trays=False)
    game.do("4 raise to 30", "1 fold", "2 call", "3 call", "deal", "2 bet 50")
    assert (balances.announced_pot(game.table), turn(game)) == (140, 3)
    assert game.change_lines[:3] == [["hand"], ["4 raise to 30", "4 chips 25 5"], ["1 fold"]]


def test_unrecorded_change_leaves_the_state_unchanged() -> None:
    game = LiveHarness(hand=False)
    before = game.live
    for do in ("hand", "call-floor"):
        change = handle_command(game.live, parse_step(do), 1)
        assert [format_step(step) for step, _ in change.steps] == [do]
        assert game.live is before
        assert change.live != before


# --- keys ---


def test_check_key_counts_if_no_tray_moved_the_turn() -> None:
    game = LiveHarness(hand=False)
    game.now_us = SHORT_DELAY_US
    game.do("hand")
    game.press_key("check-call")
    assert (turn(game), warning_codes(game)) == (1, ())


def test_check_key_right_after_the_turn_moved_applies_to_the_previous_seat() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.advance(SHORT_DELAY_US)
    game.press_key("check-call")
    assert (
        warning_codes(game),
        game.live.last_warnings.late_key_seat,
        turn(game),
        balances.announced_pot(game.table),
    ) == (
        ("key-too-late",),
        1,
        1,
        25,
    )
    assert game.live.bets.sources[4] == "confirmed"
    game.press_key("check-call")
    assert (turn(game), balances.owed(game.table, 1)) == (2, 10), "the second press does not count for the seat in turn"


def big_blind_may_check() -> LiveHarness:
    """Return a hand without a raise in which only the big blind may still act.

    The big blind may check or raise.
    """
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    game.place_chips(2, 5, 5)
    return game


@pytest.mark.parametrize(
    ("us", "is_late"),
    [(0, True), (CALL_KEY_GRACE_US - 1, True), (CALL_KEY_GRACE_US, False)],
    ids=["at once", "is_late", "in time"],
)
def test_key_grace_is_longer_after_a_declared_call_without_chips(us: int, is_late: bool) -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.advance(us)
    game.press_key("check-call")
    assert (game.live.last_warnings.late_key_seat, turn(game)) == ((1, 1) if is_late else (0, 2))


@pytest.mark.parametrize("reason", ["tray offline", "a check shows no chips"])
def test_key_without_expected_chips_counts_after_the_grace_period(reason: str) -> None:
    game = big_blind_may_check() if reason == "a check shows no chips" else LiveHarness()
    if reason == "tray offline":
        game.set_tray("bet1", online=False)
        game.place_chips(4, 5, 5)
    seat = turn(game)
    game.advance(CHECK_KEY_GRACE_US)
    game.press_key("check-call")
    assert (game.live.last_warnings.late_key_seat, turn(game) == seat) == (0, False)


def test_key_right_after_a_key_that_moved_the_turn_is_not_late() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.press_key("fold")
    game.press_key("check-call")
    assert (turn(game), balances.owed(game.table, 2)) == (3, 5)


def test_check_key_while_chips_arrive_does_not_call_for_the_next_seat() -> None:
    """Seat 1 has put in its call, but the chips may still move when the dealer presses the call key.

    The key confirms the call of seat 1 and is no second call.
    """
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.show_provisional(1, 5, 5)
    game.press_key("check-call")
    assert (turn(game), bet(game, 1), balances.owed(game.table, 2), warning_codes(game)) == (2, 10, 0, ())


@pytest.mark.parametrize("settled", [False, True])
def test_ambiguous_check_key_raises_a_question(settled: bool) -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    game.place_chips(2, 5, 5) if settled else game.show_provisional(2, 5, 5)
    game.press_key("check-call")
    assert (bet(game, 2), turn(game), game.live.last_warnings.late_key_seat) == (10, 3, 3)
    game.press_key("check-call")
    assert phase(game) is Phase.CLOSED


def two_on_the_flop() -> LiveHarness:
    """Return a hand on the flop in which only seats 2 and 3 are left and seat 2 is in turn."""
    game = big_blind_may_check()
    game.do("3 check", "deal")
    game.clear_spot(2)
    game.clear_spot(3)
    return game


def test_late_check_key_precedes_a_later_bet_that_the_seat_answered() -> None:
    """Seat 2 checks, seat 3 bets and seat 2 raises.

    The dealer enters the check late, while the chips of seats 2 and 3 may still move.
    """
    game = two_on_the_flop()
    game.show_provisional(3, 25)
    game.advance(MOTION_GAP_US)
    game.show_provisional(2, 25, 25, 25)
    game.press_key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 0)
    game.show_settled("bet3", 25)
    game.show_settled("bet2", 25, 25, 25)
    assert (turn(game), bet(game, 3), bet(game, 2), game.table.street.held_actions) == (3, 25, 75, {})


def test_chips_seen_together_with_chips_behind_are_not_an_answer() -> None:
    """Chips of seats 2 and 3 appear at the same moment, and the dealer presses the check key.

    The chips of seat 2, which is in turn, are a bet, so that the key does not mean a check of seat 2.
    """
    game = two_on_the_flop()
    game.show_provisional(3, 25)
    game.show_provisional(2, 25)
    game.press_key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 25)


def test_check_key_settles_the_bet_of_the_first_seat() -> None:
    game = two_on_the_flop()
    game.show_provisional(2, 25)
    game.advance(SHORT_DELAY_US)
    game.show_provisional(3, 25)
    game.press_key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 25)


def test_deal_key_resolves_an_ambiguous_check_key_as_a_check() -> None:
    game = big_blind_may_check()
    game.press_key("check-call")
    game.press_key("deal")
    assert (betting_round(game), game.record_lines[-2:], game.live.dealt_too_early) == (2, ["3 check", "deal"], False)


@pytest.mark.parametrize("event", ["raised", "undone"])
def test_old_late_key_is_not_a_check_at_the_deal(event: str) -> None:
    game = big_blind_may_check()
    game.press_key("check-call")
    if event == "raised":
        game.place_chips(3, 5, 5, 25)
    else:
        game.do("undo")
    game.press_key("deal")
    assert (betting_round(game), game.live.dealt_too_early) == (1, True)


def test_late_key_does_not_call_for_a_seat_that_owes_at_the_deal() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.press_key("check-call")
    game.press_key("deal")
    assert (betting_round(game), turn(game), game.live.dealt_too_early) == (1, 1, True)


def test_check_key_counts_after_the_clock_restarted() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    game.now_us = 1_000
    game.press_key("check-call")
    assert turn(game) == 2


def test_check_key_while_chips_move_ends_the_motion() -> None:
    game = LiveHarness()
    game.show_provisional(4, 5, 5)
    live = game.press_key("check-call")
    assert (turn(game), bet(game, 4), balances.owed(game.table, 4), derived_state.is_provisional(live)) == (
        1,
        10,
        0,
        False,
    )
    game.place_chips(4, 5, 5)
    assert (turn(game), bet(game, 4), warning_codes(game)) == (1, 10, ())


def test_fold_key_while_chips_move_is_for_the_next_seat() -> None:
    game = LiveHarness()
    game.show_provisional(4, 5, 5)
    game.press_key("fold")
    assert (turn(game), bet(game, 4), balances.announced_pot(game.table)) == (2, 10, 25)


def test_fold_key_while_the_last_chips_of_the_round_move_folds_nobody() -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    game.place_chips(2, 5, 5)
    game.show_provisional(3, *[5] * 8)
    game.press_key("check-call")
    game.show_provisional(2, *[5] * 8)
    change = game.send_event(KeyPressed("fold", game.now_us))
    assert (change.refusal, phase(game), balances.announced_pot(game.table)) == (None, Phase.CLOSED, 80)


@pytest.mark.parametrize("is_read", [False, True])
def test_fold_key_that_completes_a_call_waits_for_chips_that_arrive_at_the_next_seat(is_read: bool) -> None:
    """Part of the call of seat 4 is read. The fold key is for seat 2, because chips are arriving at seat 1."""
    game = LiveHarness()
    game.place_chips(4, 5, at_least=True)
    game.show_provisional(1, 25, 5, at_least=True)
    game.press_key("fold")
    assert (bet(game, 4), turn(game), game.table.hand and sorted(game.table.hand.folded)) == (10, 1, [])
    if is_read:
        game.show_settled(bet_spot(1), 25, 5)
        assert (bet(game, 1), turn(game), game.table.hand and sorted(game.table.hand.folded)) == (30, 3, [2])


@pytest.mark.parametrize(("at_least", "unknown"), [(True, 0), (False, 1)])
def test_key_does_not_settle_a_doubtful_motion(at_least: bool, unknown: int) -> None:
    game = LiveHarness()
    game.show_provisional(4, 25, 5, at_least=at_least, unknown=unknown)
    game.press_key("check-call")
    game.advance(6 * MOTION_GAP_US)
    assert (turn(game), game.table.hand and game.table.hand.bets[4]) == (1, 10)


def test_fold_key_is_for_the_next_seat_after_an_incompletely_read_call() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, at_least=True)
    game.press_key("fold")
    assert (turn(game), bet(game, 4), game.table.hand and sorted(game.table.hand.folded)) == (2, 10, [1])


def test_fold_key_waits_for_an_incompletely_read_raise() -> None:
    game = LiveHarness()
    game.place_chips(4, *[5] * 24, at_least=True)
    game.press_key("fold")
    assert (turn(game), bet(game, 4)) == (4, 0)
    game.do("chips-are 4 bet")
    game.advance(SHORT_DELAY_US)
    assert (turn(game), bet(game, 4), game.table.hand and sorted(game.table.hand.folded)) == (2, 120, [1])


def test_fold_key_folds_a_seat_with_only_unknown_tags() -> None:
    game = LiveHarness()
    game.place_chips(4, unknown=1)
    game.press_key("fold")
    assert (turn(game), game.table.hand and sorted(game.table.hand.folded)) == (1, [4])


def test_key_does_not_settle_a_motion_that_makes_change() -> None:
    game = LiveHarness()
    game.do("4 fold", "1 fold")
    game.show_provisional(2, *[1] * 5)
    change = game.send_event(KeyPressed("fold", game.now_us))
    assert [format_step(step) for step in steps_of(change)] == ["2 fold"]


def test_first_key_does_not_settle_the_motion_of_another_seat() -> None:
    game = LiveHarness()
    game.show_provisional(1, 25, 5)
    game.press_key("fold")
    assert (turn(game), bet(game, 1), held_action(game, 1)) == (1, 0, None)


# --- a raise in several motions ---


def test_done_step_settles_the_seen_part_of_a_raise() -> None:
    game = LiveHarness()
    game.do("4 says raise")
    game.place_chips(4, 25)
    game.show_provisional(4, 25, 25)
    live = game.do("4 done")
    assert (turn(game), bet(game, 4), balances.owed(game.table, 4), derived_state.is_provisional(live)) == (
        1,
        50,
        0,
        False,
    )
    game.place_chips(4, 25, 25)
    assert (bet(game, 4), warning_codes(game)) == (50, ())
    game.place_chips(4, 25, 25, 25)
    assert (bet(game, 4), balances.due_back(game.table, 4), warning_codes(game)) == (50, 25, ("string-bet",))


def test_done_step_settles_a_bet_early() -> None:
    game = LiveHarness()
    game.show_provisional(4, 25, 25)
    live = game.do("4 done")
    assert (turn(game), bet(game, 4), derived_state.is_provisional(live)) == (1, 50, False)
    game.place_chips(4, 25, 25)
    assert (turn(game), bet(game, 4), warning_codes(game)) == (1, 50, ())


def test_done_step_accepts_an_all_in() -> None:
    game = LiveHarness()
    game.show_settled("bet4")
    game.show_provisional(4, 500, 500)
    assert game.command("4 done") is None
    assert (turn(game), bet(game, 4)) == (1, 1000)


@pytest.mark.parametrize("key", [True, False])
def test_raise_chips_seen_before_the_next_action_belong_to_the_raise(key: bool) -> None:
    game = LiveHarness()
    game.do("4 says raise")
    game.place_chips(4, 25)
    game.show_provisional(4, 25, 25)
    game.advance(SHORT_DELAY_US)
    game.press_key("fold") if key else game.do("1 fold")
    assert (turn(game), bet(game, 4), warning_codes(game)) == (2, 50, ())
    game.place_chips(4, 25, 25)
    assert (bet(game, 4), balances.due_back(game.table, 4)) == (50, 0)


def test_raise_chips_seen_before_the_next_seats_chips_belong_to_the_raise() -> None:
    game = LiveHarness()
    game.do("4 says raise")
    game.place_chips(4, 25)
    game.show_provisional(4, 25, 25)
    game.advance(SHORT_DELAY_US)
    game.place_chips(1, 25, 25)
    assert (turn(game), bet(game, 4), bet(game, 1), warning_codes(game)) == (2, 50, 50, ())


def test_raise_chips_after_the_next_seats_chips_are_a_string_bet() -> None:
    game = LiveHarness()
    game.do("4 says raise")
    game.place_chips(4, 25)
    game.show_provisional(1, 25)
    game.advance(SHORT_DELAY_US)
    game.show_provisional(4, 25, 25)
    game.advance(SHORT_DELAY_US)
    game.show_settled("bet1", 25)
    assert (turn(game), bet(game, 4), bet(game, 1)) == (2, 25, 25)
    game.place_chips(4, 25, 25)
    assert (bet(game, 4), balances.due_back(game.table, 4), warning_codes(game)) == (25, 25, ("string-bet",))


def test_touch_that_agrees_with_the_chips_confirms_them() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    assert game.command("4 call", shown=4) is None
    assert (game.live.bets.sources[4], turn(game), balances.owed(game.table, 4)) == ("confirmed", 1, 0)


def test_touch_that_contradicts_the_chips_is_refused() -> None:
    game = LiveHarness()
    game.place_chips(4, 5, 5)
    before = game.live
    refused = game.command("4 fold", shown=4)
    assert refused is not None
    assert (refused.code, refused.seat, refused.name) == (LiveRefusal.READ_ALREADY, 4, "call")
    assert game.live == before


@pytest.mark.parametrize("do", ["spot bet4 lies came 5:E0040000000000A1", "restarted", "too-early", "failed - x"])
def test_keying_a_sensor_only_step_is_refused(do: str) -> None:
    game = LiveHarness()
    before = game.live
    refused = game.command(do)
    assert refused is not None
    assert (refused.code, game.live) == (LiveRefusal.SENSOR_ONLY, before)


def test_early_deal_key_is_recorded_once_and_changes_no_money() -> None:
    game = two_callers()
    before = money_and_turn(game.table)
    change = handle_event(game.live, KeyPressed("deal", game.now_us), game.now_us)
    assert change.refusal is not None
    game.press_key("deal")
    assert (game.live.dealt_too_early, money_and_turn(game.table)) == (True, before)
    game.press_key("deal")
    assert (game.live.dealt_too_early, game.record_lines.count("too-early")) == (True, 1)
    assert not game.do("3 check").dealt_too_early


def test_floor_call_lasts_until_the_floor_has_decided() -> None:
    game = LiveHarness()
    assert game.press_key("floor").floor_called
    assert game.do("4 fold").floor_called, "the floor call ended before the floor decided"
    assert not game.do("floor-came").floor_called
    game.press_key("floor")
    assert not game.press_key("floor").floor_called


def call(game: LiveHarness) -> tuple[bool, str, str]:
    """Return whether the floor is called, the reason of the call, and who answered it."""
    return game.live.floor_called, game.live.floor_call.reason, game.live.floor_call.answered_by


def test_floor_call_keeps_its_reason_and_answer_until_the_floor_has_come() -> None:
    game = LiveHarness()
    game.do("call-floor")
    assert call(game) == (True, "", "")
    game.do("call-floor fill")
    assert call(game) == (True, "fill", "")
    game.do("call-floor", "floor-answers Ann Lee", "undo", "redo")
    assert call(game) == (True, "fill", "Ann Lee"), "a second call, undo or redo changed the call"
    game.do("call-floor ruling", "floor-answers Bob")
    assert call(game) == (True, "ruling", "Bob")
    assert game.record_lines.count("call-floor") == 1, "a call that changed nothing was recorded"
    game.do("floor-came", "call-floor")
    assert call(game) == (True, "", "")


def test_answer_without_a_call_is_refused() -> None:
    game = LiveHarness()
    before = game.live
    assert game.command("floor-answers Ann") == Refusal(LiveRefusal.FLOOR_NOT_CALLED)
    assert game.live == before


@pytest.mark.parametrize("key", ["fold", "check-call", "next-seat", "undo", "deal"])
def test_keys_between_hands_change_nothing(key: Key) -> None:
    game = LiveHarness(hand=False)
    before = game.live
    assert game.press_key(key) == before


def test_next_seat_key_passes_the_seat_in_turn() -> None:
    game = LiveHarness()
    game.press_key("next-seat")
    assert (turn(game), dict(game.table.street.presumed_actions)) == (1, {4: "fold"})


def test_fold_after_undo_ignores_the_chips_still_on_the_spot() -> None:
    game = LiveHarness()
    game.place_chips(4, 25, 5)
    game.do("undo", "4 fold")
    assert (turn(game), bet(game, 4), game.record_lines[-1]) == (1, 0, "4 fold")


def test_reading_before_the_tray_went_offline_does_not_withdraw_a_blind() -> None:
    """The table counts the blind of seat 2 as posted, but no reading has shown its chips."""
    game = LiveHarness(hand=False)
    game.clear_spot(2)
    game.do("hand")
    game.clear_spot(2)
    game.set_tray("bet2", online=False)
    live = game.advance(LONE_EMPTY_SPOT_DELAY_US)
    assert (derived_state.pending_seats_for(live, "emptied"), bet(game, 2)) == ((), 5)
    game.set_tray("bet2", online=True)
    live = game.place_chips(2, 5)
    assert (bet(game, 2), warning_codes(game), held_action(game, 2), pending_questions(live)) == (5, (), None, set())


def test_reading_of_a_tray_keyed_as_unplugged_is_accepted() -> None:
    game = two_callers()
    game.do("unplug 3", "3 check")
    for seat in (1, 2, 3, 4):
        game.clear_spot(seat)
    live = game.place_chips(3, 5)
    assert (derived_state.pending_seats_for(live, "between"), derived_state.uncounted_chips(live, 3).amount) == (
        (3,),
        5,
    )
