"""The live table in simulated time: trays that are not sure, and the dealer's keys."""

from __future__ import annotations

import pytest

from controller.live import (
    ALONE_US,
    KEY_GRACE_US,
    LATE_KEY_US,
    LiveReason,
    is_open_doubt,
    is_provisional,
    obey,
    react,
    uncounted,
    waiting,
)
from controller.rules import Phase
from controller.table import (
    due_back,
    line,
    owed,
    parse,
    pot,
)
from hardware.events import Key, KeyPressed
from hardware.spots import bet_spot
from tests.controller.live_table import (
    GAP_US,
    SOON_US,
    Game,
    bet,
    betting_round,
    book,
    called_by_two,
    held,
    phase,
    questions,
    steps_of,
    turn,
    warned,
)

# --- trays that are not sure ---


def test_a_stack_too_high_is_shown_but_does_not_count() -> None:
    game = Game()
    live = game.lies(4, *[5] * 24, at_least=True)
    assert (waiting(live, "doubt"), is_open_doubt(live, 4), is_provisional(live)) == ((4,), True, True)
    assert (bet(game, 4), uncounted(live, 4).amount, uncounted(live, 4).at_least, turn(game)) == (0, 120, True, 4)


@pytest.mark.parametrize("told", [False, True])
def test_a_stack_too_high_is_keyed_in_and_the_question_is_answered(told: bool) -> None:
    """Whether or not the spot was seen empty before."""
    game = Game()
    if told:
        game.settles("bet4")
    game.lies(4, *[5] * 24, at_least=True)
    live = game.do("4 raise to 125")
    assert (bet(game, 4), owed(game.table, 4), live.sources[4]) == (125, 0, "keyed")
    assert (turn(game), is_provisional(live), is_open_doubt(live, 4)) == (1, False, False)
    live = game.lies(4, *[5] * 25)
    assert (bet(game, 4), due_back(game.table, 4), turn(game), questions(live)) == (125, 0, 1, set())


def test_a_stack_too_high_that_is_spread_out_counts_by_itself() -> None:
    game = Game()
    game.lies(4, *[5] * 24, at_least=True)
    live = game.lies(4, *[5] * 25)
    assert (bet(game, 4), live.sources[4], turn(game), questions(live)) == (125, "sensed", 1, set())


def test_a_foreign_tag_is_no_chip() -> None:
    game = Game()
    live = game.lies(4, 5, 5, unknown=1)
    assert (uncounted(live, 4).strangers, bet(game, 4), turn(game), questions(live)) == (1, 0, 4, {"doubt"})
    live = game.lies(4, 5, 5)
    assert (bet(game, 4), turn(game), questions(live)) == (10, 1, set())


def test_a_foreign_tag_that_stays_stops_nobody_from_keying() -> None:
    game = Game()
    game.lies(4, 5, 5, unknown=1)
    live = game.do("4 call")
    assert (bet(game, 4), owed(game.table, 4), turn(game), is_open_doubt(live, 4)) == (10, 0, 1, False)


def test_an_offline_tray_is_keyed_in_and_agrees_when_it_is_back() -> None:
    game = Game()
    game.tray("bet4", online=False)
    assert (set(game.table.offline), warned(game)) == ({4}, ("tray-offline",))
    live = game.do("4 raise to 30")
    assert (bet(game, 4), owed(game.table, 4), live.sources[4]) == (30, 0, "keyed")
    game.tray("bet4", online=True)
    live = game.lies(4, 25, 5)
    assert (bet(game, 4), due_back(game.table, 4), turn(game), questions(live)) == (30, 0, 1, set())


@pytest.mark.parametrize(("seat", "marked"), [(1, True), (2, True), (4, False)])
def test_while_a_live_seat_is_not_read_the_largest_raise_is_not_settled(seat: int, marked: bool) -> None:
    """4 has folded: whatever lies there moves no bound."""
    game = Game()
    game.do("4 fold")
    game.tray(bet_spot(seat), online=False)
    assert is_provisional(game.live) is marked
    game.tray(bet_spot(seat), online=True)
    assert not is_provisional(game.live)


def test_chips_that_were_keyed_at_a_tray_that_was_out_are_missed_when_it_is_back() -> None:
    game = Game()
    game.tray("bet4", online=False)
    game.do("4 raise to 30")
    game.tray("bet4", online=True)
    game.lies(4, 25)
    assert (warned(game), bet(game, 4), owed(game.table, 4)) == (("chips-withdrawn",), 25, 5)
    game.lies(4, 25, 5)
    assert (warned(game), bet(game, 4)) == ((), 30)


def test_chips_that_come_as_keyed_between_the_rounds_are_those_of_the_round() -> None:
    """The tray was out, or not sure: what it shows is what the dealer has keyed."""
    game = closed_by_a_keyed_call()
    live = game.lies(3, *[5] * 30)
    assert (questions(live), bet(game, 3)) == (set(), 150)
    game.do("deal")
    assert (bet(game, 3), pot(game.table), turn(game)) == (0, 305, 3)
    live = game.lies(3)
    assert (bet(game, 3), warned(game), questions(live)) == (0, (), set())


def closed_by_a_keyed_call() -> Game:
    """Seat 4 has bet 150; 3 has called with a stack that its tray was not sure of, so the dealer has keyed it."""
    game = Game()
    game.lies(4, 100, 25, 25)
    game.do("1 fold", "2 fold")
    game.lies(3, *[5] * 29, at_least=True)
    game.do("3 call")
    assert phase(game) is Phase.CLOSED
    return game


def test_without_trays_words_are_chips_in_one_piece() -> None:
    game = Game(trays=False)
    game.do("4 raise to 30", "1 fold", "2 call", "3 call", "deal", "2 bet 50")
    assert (pot(game.table), turn(game)) == (140, 3)
    assert game.pieces[:3] == [["hand"], ["4 raise to 30", "4 chips 25 5"], ["1 fold"]]


def test_a_change_that_could_not_be_written_has_changed_nothing() -> None:
    game = Game(hand=False)
    before = game.live
    for do in ("hand", "call-floor"):
        change = obey(game.live, parse(do), 1)
        assert [line(step) for step, _ in change.steps] == [do]
        assert game.live is before
        assert change.live != before


# --- keys ---


def test_a_check_key_counts_where_no_tray_has_moved_the_turn_on() -> None:
    game = Game(hand=False)
    game.now_us = SOON_US
    game.do("hand")
    game.key("check-call")
    assert (turn(game), warned(game)) == (1, ())


def test_a_check_key_right_after_the_turn_moved_on_was_meant_for_the_seat_before() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.after(SOON_US)
    game.key("check-call")
    assert (warned(game), game.live.ruled.late_key, turn(game), pot(game.table)) == (("key-too-late",), 1, 1, 25)
    assert game.live.sources[4] == "confirmed"
    game.key("check-call")
    assert (turn(game), owed(game.table, 1)) == (2, 10), "pressed again it is for the seat"


def big_blind_may_check() -> Game:
    """The small blind has completed with chips, and nobody has bet: the big blind is the last to act."""
    game = Game()
    game.do("4 fold", "1 fold")
    game.lies(2, 5, 5)
    return game


@pytest.mark.parametrize(
    ("us", "late"), [(0, True), (LATE_KEY_US - 1, True), (LATE_KEY_US, False)], ids=["at once", "late", "in time"]
)
def test_a_call_in_words_without_chips_is_for_the_seat_before_for_longer(us: int, late: bool) -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.after(us)
    game.key("check-call")
    assert (game.live.ruled.late_key, turn(game)) == ((1, 1) if late else (0, 2))


@pytest.mark.parametrize("why", ["tray out", "no check to be seen"])
def test_a_key_that_no_chips_would_tell_counts_after_the_grace(why: str) -> None:
    game = big_blind_may_check() if why == "no check to be seen" else Game()
    if why == "tray out":
        game.tray("bet1", online=False)
        game.lies(4, 5, 5)
    seat = turn(game)
    game.after(KEY_GRACE_US)
    game.key("check-call")
    assert (game.live.ruled.late_key, turn(game) == seat) == (0, False)


def test_a_key_after_one_that_has_moved_the_turn_is_not_late() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.key("fold")
    game.key("check-call")
    assert (turn(game), owed(game.table, 2)) == (3, 5)


def test_a_key_for_chips_that_are_on_their_way_calls_for_nobody() -> None:
    """The seat has called while its tray was still looking: the motion is over, and the key was no second call."""
    game = Game()
    game.lies(4, 5, 5)
    game.seen(1, 5, 5)
    game.key("check-call")
    assert (turn(game), bet(game, 1), owed(game.table, 2), warned(game)) == (2, 10, 0, ())


@pytest.mark.parametrize("settled", [False, True])
def test_a_check_that_may_have_been_a_confirmation_is_asked_about(settled: bool) -> None:
    game = Game()
    game.do("4 fold", "1 fold")
    game.lies(2, 5, 5) if settled else game.seen(2, 5, 5)
    game.key("check-call")
    assert (bet(game, 2), turn(game), game.live.ruled.late_key) == (10, 3, 3)
    game.key("check-call")
    assert phase(game) is Phase.CLOSED


def two_on_the_flop() -> Game:
    """Seats 2 and 3 are left, 2 is in turn."""
    game = big_blind_may_check()
    game.do("3 check", "deal")
    game.empties(2)
    game.empties(3)
    return game


def test_a_late_check_comes_before_a_bet_behind_it_that_the_seat_has_answered() -> None:
    """Seat 2 checks, 3 bets, 2 raises; then the check is keyed, while both are still seen only."""
    game = two_on_the_flop()
    game.seen(3, 25)
    game.after(GAP_US)
    game.seen(2, 25, 25, 25)
    game.key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 0)
    game.settles("bet3", 25)
    game.settles("bet2", 25, 25, 25)
    assert (turn(game), bet(game, 3), bet(game, 2), game.table.street.held) == (3, 25, 75, {})


def test_chips_that_are_seen_together_with_those_behind_answer_nothing() -> None:
    """Seat 2 bets, and is no seat that checked."""
    game = two_on_the_flop()
    game.seen(3, 25)
    game.seen(2, 25)
    game.key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 25)


def test_a_check_key_ends_the_motion_of_a_seat_that_bet_before_the_others() -> None:
    game = two_on_the_flop()
    game.seen(2, 25)
    game.after(SOON_US)
    game.seen(3, 25)
    game.key("check-call")
    assert (turn(game), bet(game, 2)) == (3, 25)


def test_who_deals_says_that_the_key_was_a_check() -> None:
    game = big_blind_may_check()
    game.key("check-call")
    game.key("deal")
    assert (betting_round(game), game.lines[-2:], game.live.too_early) == (2, ["3 check", "deal"], False)


@pytest.mark.parametrize("what", ["raised", "undone"])
def test_a_key_of_long_ago_is_no_check_when_the_dealer_deals(what: str) -> None:
    game = big_blind_may_check()
    game.key("check-call")
    if what == "raised":
        game.lies(3, 5, 5, 25)
    else:
        game.do("undo")
    game.key("deal")
    assert (betting_round(game), game.live.too_early) == (1, True)


def test_a_late_key_does_not_call_for_who_has_to_when_the_dealer_deals() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.key("check-call")
    game.key("deal")
    assert (betting_round(game), turn(game), game.live.too_early) == (1, 1, True)


def test_a_check_key_counts_though_the_clock_began_anew() -> None:
    game = Game()
    game.lies(4, 5, 5)
    game.now_us = 1_000
    game.key("check-call")
    assert turn(game) == 2


def test_a_check_key_while_chips_are_moving_ends_the_motion() -> None:
    game = Game()
    game.seen(4, 5, 5)
    live = game.key("check-call")
    assert (turn(game), bet(game, 4), owed(game.table, 4), is_provisional(live)) == (1, 10, 0, False)
    game.lies(4, 5, 5)
    assert (turn(game), bet(game, 4), warned(game)) == (1, 10, ())


def test_a_fold_key_while_chips_are_moving_is_for_the_next_seat() -> None:
    game = Game()
    game.seen(4, 5, 5)
    game.key("fold")
    assert (turn(game), bet(game, 4), pot(game.table)) == (2, 10, 25)


def test_a_fold_key_while_the_last_chips_of_the_round_are_moving_is_for_nobody() -> None:
    game = Game()
    game.do("4 fold", "1 fold")
    game.lies(2, 5, 5)
    game.seen(3, *[5] * 8)
    game.key("check-call")
    game.seen(2, *[5] * 8)
    change = game.tell(KeyPressed("fold", game.now_us))
    assert (change.refused, phase(game), pot(game.table)) == (None, Phase.CLOSED, 80)


@pytest.mark.parametrize(("at_least", "unknown"), [(True, 0), (False, 1)])
def test_a_key_ends_no_motion_that_the_tray_is_not_sure_of(at_least: bool, unknown: int) -> None:
    game = Game()
    game.seen(4, 25, 5, at_least=at_least, unknown=unknown)
    game.key("check-call")
    game.after(6 * GAP_US)
    assert (turn(game), game.table.hand and game.table.hand.bets[4]) == (1, 10)


def test_a_fold_key_is_for_the_next_seat_where_a_call_is_not_wholly_read() -> None:
    game = Game()
    game.lies(4, 5, at_least=True)
    game.key("fold")
    assert (turn(game), bet(game, 4), game.table.hand and sorted(game.table.hand.folded)) == (2, 10, [1])


def test_a_fold_key_waits_where_a_raise_is_not_wholly_read() -> None:
    game = Game()
    game.lies(4, *[5] * 24, at_least=True)
    game.key("fold")
    assert (turn(game), bet(game, 4)) == (4, 0)
    game.do("chips-are 4 bet")
    game.after(SOON_US)
    assert (turn(game), bet(game, 4), game.table.hand and sorted(game.table.hand.folded)) == (2, 120, [1])


def test_a_fold_key_folds_who_has_nothing_but_strange_tags_on_its_spot() -> None:
    game = Game()
    game.lies(4, unknown=1)
    game.key("fold")
    assert (turn(game), game.table.hand and sorted(game.table.hand.folded)) == (1, [4])


def test_a_key_ends_no_motion_that_makes_change() -> None:
    game = Game()
    game.do("4 fold", "1 fold")
    game.seen(2, *[1] * 5)
    change = game.tell(KeyPressed("fold", game.now_us))
    assert [line(step) for step in steps_of(change)] == ["2 fold"]


def test_the_first_key_ends_no_motion_of_another_seat() -> None:
    game = Game()
    game.seen(1, 25, 5)
    game.key("fold")
    assert (turn(game), bet(game, 1), held(game, 1)) == (1, 0, None)


# --- a raise in several motions ---


def test_done_makes_what_is_seen_of_a_raise_count_at_once() -> None:
    game = Game()
    game.do("4 says raise")
    game.lies(4, 25)
    game.seen(4, 25, 25)
    live = game.do("4 done")
    assert (turn(game), bet(game, 4), owed(game.table, 4), is_provisional(live)) == (1, 50, 0, False)
    game.lies(4, 25, 25)
    assert (bet(game, 4), warned(game)) == (50, ())
    game.lies(4, 25, 25, 25)
    assert (bet(game, 4), due_back(game.table, 4), warned(game)) == (50, 25, ("string-bet",))


def test_done_makes_a_bet_count_before_it_is_settled() -> None:
    game = Game()
    game.seen(4, 25, 25)
    live = game.do("4 done")
    assert (turn(game), bet(game, 4), is_provisional(live)) == (1, 50, False)
    game.lies(4, 25, 25)
    assert (turn(game), bet(game, 4), warned(game)) == (1, 50, ())


def test_done_of_all_that_a_seat_has_is_no_mistake() -> None:
    game = Game()
    game.settles("bet4")
    game.seen(4, 500, 500)
    assert game.command("4 done") is None
    assert (turn(game), bet(game, 4)) == (1, 1000)


@pytest.mark.parametrize("key", [True, False])
def test_chips_of_a_raise_that_were_seen_before_the_next_seat_acted_belong_to_it(key: bool) -> None:
    game = Game()
    game.do("4 says raise")
    game.lies(4, 25)
    game.seen(4, 25, 25)
    game.after(SOON_US)
    game.key("fold") if key else game.do("1 fold")
    assert (turn(game), bet(game, 4), warned(game)) == (2, 50, ())
    game.lies(4, 25, 25)
    assert (bet(game, 4), due_back(game.table, 4)) == (50, 0)


def test_chips_of_a_raise_that_were_seen_before_those_of_the_next_seat_belong_to_it() -> None:
    game = Game()
    game.do("4 says raise")
    game.lies(4, 25)
    game.seen(4, 25, 25)
    game.after(SOON_US)
    game.lies(1, 25, 25)
    assert (turn(game), bet(game, 4), bet(game, 1), warned(game)) == (2, 50, 50, ())


def test_chips_of_a_raise_that_came_after_those_of_the_next_seat_are_a_string_bet() -> None:
    game = Game()
    game.do("4 says raise")
    game.lies(4, 25)
    game.seen(1, 25)
    game.after(SOON_US)
    game.seen(4, 25, 25)
    game.after(SOON_US)
    game.settles("bet1", 25)
    assert (turn(game), bet(game, 4), bet(game, 1)) == (2, 25, 25)
    game.lies(4, 25, 25)
    assert (bet(game, 4), due_back(game.table, 4), warned(game)) == (25, 25, ("string-bet",))


def test_a_touch_that_says_the_same_as_the_chips_confirms_them() -> None:
    game = Game()
    game.lies(4, 5, 5)
    assert game.command("4 call", shown=4) is None
    assert (game.live.sources[4], turn(game), owed(game.table, 4)) == ("confirmed", 1, 0)


def test_a_touch_that_says_something_else_than_the_chips_is_refused() -> None:
    game = Game()
    game.lies(4, 5, 5)
    before = game.live
    refused = game.command("4 fold", shown=4)
    assert refused is not None
    assert (refused.code, refused.seat, refused.name) == (LiveReason.READ_ALREADY, 4, "call")
    assert game.live == before


@pytest.mark.parametrize("do", ["spot bet4 lies came 5:E0040000000000A1", "restarted", "too-early", "failed - x"])
def test_nobody_keys_what_only_sensors_and_the_program_tell(do: str) -> None:
    game = Game()
    before = game.live
    refused = game.command(do)
    assert refused is not None
    assert (refused.code, game.live) == (LiveReason.NOT_KEYED, before)


def test_deal_pressed_too_early_is_noted_once_and_changes_no_money() -> None:
    game = called_by_two()
    before = book(game.table)
    change = react(game.live, KeyPressed("deal", game.now_us), game.now_us)
    assert change.refused is not None
    game.key("deal")
    assert (game.live.too_early, book(game.table)) == (True, before)
    game.key("deal")
    assert (game.live.too_early, game.lines.count("too-early")) == (True, 1)
    assert not game.do("3 check").too_early


def test_the_floor_is_called_and_has_decided() -> None:
    game = Game()
    assert game.key("floor").floor_called
    assert game.do("4 fold").floor_called, "the call stands until the floor has decided"
    assert not game.do("floor-came").floor_called
    game.key("floor")
    assert not game.key("floor").floor_called


@pytest.mark.parametrize("key", ["fold", "check-call", "next-seat", "undo", "deal"])
def test_keys_between_hands_break_nothing(key: Key) -> None:
    game = Game(hand=False)
    before = game.live
    assert game.key(key) == before


def test_next_seat_passes_the_seat_in_turn() -> None:
    game = Game()
    game.key("next-seat")
    assert (turn(game), dict(game.table.street.presumed)) == (1, {4: "fold"})


def test_a_fold_stands_though_chips_that_were_taken_back_lie_there() -> None:
    game = Game()
    game.lies(4, 25, 5)
    game.do("undo", "4 fold")
    assert (turn(game), bet(game, 4), game.lines[-1]) == (1, 0, "4 fold")


def test_a_reading_from_before_the_tray_was_out_takes_no_blind_back() -> None:
    """The blind lies there by the book, and no reading has shown it."""
    game = Game(hand=False)
    game.empties(2)
    game.do("hand")
    game.empties(2)
    game.tray("bet2", online=False)
    live = game.after(ALONE_US)
    assert (waiting(live, "emptied"), bet(game, 2)) == ((), 5)
    game.tray("bet2", online=True)
    live = game.lies(2, 5)
    assert (bet(game, 2), warned(game), held(game, 2), questions(live)) == (5, (), None, set())


def test_a_tray_that_was_keyed_out_and_reads_on_is_believed() -> None:
    game = called_by_two()
    game.do("unplug 3", "3 check")
    for seat in (1, 2, 3, 4):
        game.empties(seat)
    live = game.lies(3, 5)
    assert (waiting(live, "between"), uncounted(live, 3).amount) == ((3,), 5)
