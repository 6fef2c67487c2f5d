"""The live table at its limits for chips, times and seats.

Each limit is tested at the limit itself, and one chip or one microsecond past the limit.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.live import (
    derived_state,
    open_chip_questions,
)
from controller.live.hypotheses import CUT_BACK_WINDOW_US, DEALING_WINDOW_US, SPLASH_WINDOW_US
from controller.rules import Game as Rules
from controller.rules import Phase, Player
from controller.table import open_table
from hardware.events import Chip, ChipsAppeared, StackProvisional, StackSettled
from hardware.spots import bet_spot
from tests.controller.live_harness import (
    MOTION_GAP_US,
    SHORT_DELAY_US,
    LiveHarness,
    bet,
    closed_round,
    late_blind,
    phase,
    turn,
)
from tests.controller.test_live_ignored_questions import flop_dealt
from tests.controller.test_live_regressions import hand_begun, hurried_calls, open_question, set_spot
from tests.controller.test_unaccounted_pot_chips import NEW_CHIPS, start_with_known_pot


@pytest.mark.parametrize(("new", "is_last_pot"), [(3, True), (4, False)])
def test_tall_stack_with_seven_in_ten_chips_of_the_last_pot_is_that_pot(new: int, is_last_pot: bool) -> None:
    game = hand_begun()
    game.place_chips(4, 5, 5, 5, 5, 5, 5)
    chips = (*game.spots["bet4"], *game.spots["bet2"])
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.clear_spot(seat)
    game.do("award main 4", "hand")
    stack = (*chips, *(Chip(f"E00401500005B00{number}", 5) for number in range(new)))
    game.send_event(StackSettled("bet2", stack, (), (), True, game.now_us, game.now_us))
    assert (derived_state.ignored_amounts(game.live) != (), open_chip_questions(game.live) == ()) == (
        is_last_pot,
        is_last_pot,
    )


def test_few_chips_added_to_a_tall_last_pot_belong_to_the_last_pot() -> None:
    """Most chips of the last pot reached seat 2 before the next hand began.

    A few chips arrive during the hand. They also belong to the last pot.
    """
    game = hand_begun()
    game.place_chips(4, *[25] * 6)
    chips = game.spots["bet4"]
    game.do("1 fold", "2 fold", "3 fold")
    for seat in (2, 3, 4):
        game.clear_spot(seat)
    game.do("award main 4")
    set_spot(game, "bet2", *chips[:4])
    game.do("hand")
    game.send_event(StackSettled("bet2", chips, (), (), True, game.now_us, game.now_us))
    assert (derived_state.ignored_amounts(game.live), open_chip_questions(game.live)) == (((2, 150),), ())


@pytest.mark.parametrize(
    ("us", "expected"),
    [(derived_state.SWEEP_WINDOW_US, Phase.CLOSED), (derived_state.SWEEP_WINDOW_US + 1, Phase.BETTING)],
)
def test_vanished_last_call_counts_as_swept_within_the_sweep_time(us: int, expected: Phase) -> None:
    game = hurried_calls()
    game.show_provisional(3)
    game.advance(us)
    game.clear_spot(4)
    assert phase(game) is expected


@pytest.mark.parametrize(("raised", "waits"), [((25, 5), True), ((25, 5, 5), False)])
def test_fold_key_waits_for_incompletely_read_chips_equal_to_the_bet(raised: tuple[int, ...], waits: bool) -> None:
    """Seat 1 puts in at least 30, and then seat 4, which is in turn, bets.

    If seat 4 bets 30, the dealer's fold key waits until the chips of seat 1 are read completely. If seat 4 bets 35,
    seat 1 is recorded as calling, and the fold key folds seat 2.
    """
    game = hand_begun()
    game.place_chips(1, 25, 5, at_least=True)
    game.place_chips(4, *raised)
    game.press_key("fold")
    assert ([queued.key for queued in game.live.queued_keys], turn(game)) == ((["fold"], 1) if waits else ([], 3))


@pytest.mark.parametrize(("seat", "answers"), [(4, ["bet", "bet 10", "nothing"]), (1, ["nothing", "bet"])])
def test_only_the_seat_in_turn_is_offered_a_call_from_a_nearby_stack(seat: int, answers: list[str]) -> None:
    game = hand_begun()
    stack = game.chips_for(bet_spot(seat), (25, 5, 5))
    set_spot(game, bet_spot(seat), *stack, weak=tuple(chip.uid for chip in stack))
    assert derived_state.is_pending_for(game.live, seat, "own-stack")
    labels = [
        f"{answer.explanation} {answer.amount}" if answer.amount else answer.explanation
        for answer in open_question(game).answers
    ]
    assert labels == answers


def test_smallest_possible_call_is_offered_next_to_a_nearby_stack() -> None:
    """Seat 2 has posted a blind of 1, and has 1 more to call.

    Chips of 1 and 25 arrive next to its blind. They may be a part of its stack.
    """
    rules, players = Rules(blinds=(1, 2), unit=1), {seat: Player(stack=1000) for seat in (1, 2, 3)}
    game = LiveHarness(open_table({"main": rules}, 1, players), hand=False)
    for seat in players:
        game.show_settled(bet_spot(seat))
    game.do("hand")
    game.place_chips(2, 1)
    game.place_chips(3, 1, 1)
    game.do("1 fold")
    game.advance(DEALING_WINDOW_US)
    game.place_chips(2, 1, 1, 25)
    assert [(answer.explanation, answer.amount) for answer in open_question(game).answers] == [
        ("bet", 1),
        ("nothing", 0),
        ("bet", 0),
    ]


@pytest.mark.parametrize(("heard_us", "named"), [(0, NEW_CHIPS[:1]), (1, ())])
def test_chip_heard_by_a_bet_spot_at_the_start_of_the_hand_was_not_bet(heard_us: int, named: tuple[Chip, ...]) -> None:
    """`heard_us` is the time of the last reading of the chip on a bet spot.

    It is measured in µs from the start of the hand.
    """
    game = start_with_known_pot()
    game.advance(SHORT_DELAY_US)
    game.send_event(ChipsAppeared("pot", NEW_CHIPS[:1], (game.live.times.hand_began_us + heard_us,), game.now_us))
    assert [missed.uid for missed in derived_state.missed_chips_this_hand(game.live)] == [chip.uid for chip in named]


def test_blind_that_arrives_with_a_neighbours_raise_is_not_part_of_it() -> None:
    game = late_blind()
    game.show_provisional(1, 25, 5)
    game.advance(MOTION_GAP_US)
    game.show_settled("bet1", 25, 5)
    assert (open_chip_questions(game.live), bet(game, 1), turn(game)) == ((), 30, 2)


@pytest.mark.parametrize(("empty_us", "one_hand"), [(100_000, True), (200_000, False)])
def test_spot_read_empty_after_a_neighbours_chips_came_is_a_separate_motion(empty_us: int, one_hand: bool) -> None:
    game = flop_dealt()
    game.show_provisional(2, 5, 5)
    began_us = game.now_us
    game.advance(SPLASH_WINDOW_US // 2)
    raised = game.chips_for("bet3", (25, 5))
    game.send_event(
        StackProvisional("bet3", raised, (), (), False, game.now_us, game.now_us, "", (), began_us + empty_us)
    )
    game.advance(MOTION_GAP_US)
    game.show_settled("bet2", 5, 5)
    assert (derived_state.is_pending_for(game.live, 2, "splash"), bet(game, 2)) == (
        (True, 0) if one_hand else (False, 10)
    )


@pytest.mark.parametrize(("leaves", "last"), [(True, "undo"), (False, "2 chips 5 5 5 5")])
def test_early_chips_that_leave_are_no_bet_when_the_round_reopens(leaves: bool, last: str) -> None:
    game = closed_round()
    game.place_chips(2, 25, 5)
    assert derived_state.is_pending_for(game.live, 2, "between")
    if leaves:
        game.show_provisional(2)
    game.do("undo")
    assert game.record_lines[-1] == last


def _smallest_chip_taken_as_change() -> LiveHarness:
    game = hand_begun()
    game.place_chips(4, 25, 25, 1)
    game.place_chips(1, 25, 25, 1, 1)
    game.place_chips(4, 25, 25)
    return game


def _emptied_with_another_spot() -> LiveHarness:
    """Return a hand in which a bet of 50 leaves the spot of seat 4.

    The dealer owes seat 1 a refund of 50, so that seat 1 may have taken these chips as its change. However, the spot of
    seat 3 was emptied at the same time, as in a sweep.
    """
    game = hand_begun()
    game.place_chips(4, 25, 25)
    game.place_chips(1, 100)
    game.clear_spot(3)
    game.clear_spot(4)
    return game


def _empty_after_offline_tray() -> LiveHarness:
    """Return a hand in which seat 4 called while its tray was offline.

    The dealer entered the call. No reading has ever shown the chips of this call.
    """
    game = hand_begun()
    game.set_tray("bet4", online=False)
    game.do("4 call")
    game.set_tray("bet4", online=True)
    game.clear_spot(4)
    return game


CHANGE: dict[str, tuple[Callable[[], LiveHarness], bool]] = {
    "as much as another seat has due back, even the smallest chip": (_smallest_chip_taken_as_change, True),
    "as much, but another spot was swept": (_emptied_with_another_spot, False),
    "nothing, and no seat has chips due back": (_empty_after_offline_tray, False),
}


@pytest.mark.parametrize("case", CHANGE)
def test_chips_leaving_a_spot_are_change_or_an_emptied_spot(case: str) -> None:
    make, is_change = CHANGE[case]
    game = make()
    assert (
        derived_state.is_pending_for(game.live, 4, "change"),
        derived_state.is_pending_for(game.live, 4, "emptied"),
    ) == (
        is_change,
        not is_change,
    )


CUT: dict[str, tuple[tuple[int, ...], tuple[int, ...], int, str]] = {
    "to a raise": ((100, 25, 5), (25, 5), 0, "4 chips 25 5"),
    "to just the call": ((25, 5, 5), (5, 5), 0, "4 chips 5 5"),
    "to less than the call, which withdraws the bet": ((25, 5, 5), (5,), 0, "4 takes 25 5"),
    "too late, which withdraws the chips": ((25, 5, 5), (5, 5), CUT_BACK_WINDOW_US, "4 takes 25"),
}


@pytest.mark.parametrize("cut", CUT)
def test_bet_cut_back_at_once_counts_the_remaining_chips(cut: str) -> None:
    put_in, remaining, after_us, last = CUT[cut]
    game = hand_begun()
    game.place_chips(4, *put_in)
    game.advance(after_us)
    game.show_provisional(4, *remaining)
    game.show_settled("bet4", *remaining)
    assert game.record_lines[-1] == last
