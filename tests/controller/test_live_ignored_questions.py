"""If the dealer ignores an open question, the next actions of the players resolve it."""

from __future__ import annotations

import pytest

from controller.live import (
    ASK_DELAY_US,
    derived_state,
    open_chip_questions,
)
from controller.live.hypotheses import SPLASH_WINDOW_US, seats_with_earlier_chips
from controller.live.state import MotionStart
from controller.rules import Phase
from controller.steps import format_step, observations
from hardware.events import SpotActive
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


def flop_dealt() -> LiveHarness:
    """Return a hand on the flop in which seat 2 is in turn and no seat has put in chips."""
    game = closed_round()
    game.do("deal")
    game.advance(derived_state.SWEEP_WINDOW_US)
    return game


def simultaneous_bets() -> LiveHarness:
    """Return a flop on which chips arrive at seats 2 and 3 at the same moment.

    Seat 2 shows 10, and seat 3 shows 30. The chips may be a bet and a raise, or one bet that fell on two spots (a
    splash). The dealer has not answered the question about the chips.
    """
    game = flop_dealt()
    game.show_provisional(2, 5, 5)
    game.show_provisional(3, 25, 5)
    game.advance(MOTION_GAP_US)
    for seat, chips in ((2, (5, 5)), (3, (25, 5))):
        game.show_settled(bet_spot(seat), *chips)
        assert derived_state.is_pending_for(game.live, seat, "splash")
    return game


def test_call_of_the_larger_bet_resolves_a_splash_question() -> None:
    game = simultaneous_bets()
    game.place_chips(4, 25, 5)
    assert (open_chip_questions(game.live), [bet(game, seat) for seat in (2, 3, 4)], turn(game)) == (
        (),
        [10, 30, 30],
        1,
    )


def test_blind_and_bet_on_top_of_it_are_two_motions() -> None:
    """The late blind of seat 2 arrives together with the bet of seat 1. Seat 2 calls a little later."""
    game = late_blind()
    game.show_provisional(1, 5, 5)
    game.advance(SHORT_DELAY_US + SPLASH_WINDOW_US)
    game.show_provisional(2, 5, 5)
    game.show_settled("bet1", 5, 5)
    assert (open_chip_questions(game.live), bet(game, 1), turn(game)) == ((), 10, 2)


def test_two_waiting_keys_apply_to_two_seats() -> None:
    """Seats 2 and 3 check, seat 4 bets, seat 1 folds and seat 2 raises.

    The dealer enters the two checks late, while the chips of the raise are still moving.
    """
    game = flop_dealt()
    game.place_chips(4, 5, 5)
    game.send_event(SpotActive("bet2", game.now_us))
    game.press_key("check-call")
    game.press_key("check-call")
    game.place_chips(2, 25, 5)
    assert (bet(game, 4), turn(game), game.live.queued_keys) == (10, 1, ())
    game.press_key("fold")
    assert (bet(game, 2), turn(game)) == (30, 3)


def test_deferred_chips_are_applied_in_turn_when_the_bets_are_swept() -> None:
    """A question asks if the chips of seats 2 and 3 are one bet.

    The raise of seat 4 waits for the answer. The chips of seat 1, which calls, may still move when the bets are swept.
    """
    game = simultaneous_bets()
    game.place_chips(4, 25, 25, 5, 5)
    assert derived_state.is_pending_for(game.live, 4, "deferred")
    game.show_provisional(1, 25, 25, 5, 5)
    game.advance(SHORT_DELAY_US)
    for seat in (2, 3):
        game.show_provisional(seat)
    assert ([bet(game, seat) for seat in (2, 3, 4, 1)], turn(game)) == ([10, 30, 60, 60], 2)


def test_counted_chips_that_were_swept_raise_no_further_question() -> None:
    game = simultaneous_bets()
    game.do("2 bet 10")
    game.show_provisional(2)
    game.advance(ASK_DELAY_US)
    for question in open_chip_questions(game.live):
        game.do(
            format_step(observations.ExplainsChips(question.seat, "swept"))
            if question.kind == "emptied"
            else format_step(question.answers[0])
        )
    assert [question for question in open_chip_questions(game.live) if question.seat == 2] == []


def test_unsettled_change_swept_with_the_bets_is_no_bet_of_the_next_street() -> None:
    """Seat 2 calls with a chip that is worth more than the call, and gets change.

    The chips of the change may still move when the dealer presses the deal key.
    """
    game = LiveHarness(trays=False)
    for seat in (1, 2, 3, 4):
        game.show_settled(bet_spot(seat))
    game.show_settled("bet2", 5)
    game.show_settled("bet3", 5, 5)
    for seat in (4, 1):
        game.place_chips(seat, 5, 5)
    game.place_chips(2, 5, 25)
    game.do("return 2")
    game.do("3 check")
    game.show_provisional(2, 5, 5)
    game.do("deal")
    game.show_provisional(2)
    game.advance(derived_state.SWEEP_WINDOW_US)
    assert (open_chip_questions(game.live), [bet(game, seat) for seat in (1, 2, 3, 4)], turn(game)) == (
        (),
        [0, 0, 0, 0],
        2,
    )


@pytest.mark.parametrize("chips", [(25, 5), (10, 10, 10)])
def test_two_simultaneous_calls_are_not_a_splash(chips: tuple[int, ...]) -> None:
    """After a bet of 30, seats 3 and 4 show 30 each at the same moment.

    Both seats have probably called. One raise to 60 that fell on two spots would rarely show exactly the amount of a
    call on each of the two spots.
    """
    game = flop_dealt()
    game.place_chips(2, 25, 5)
    game.show_provisional(3, *chips)
    game.show_provisional(4, *chips)
    game.advance(MOTION_GAP_US)
    for seat in (3, 4):
        game.show_settled(bet_spot(seat), *chips)
    assert (derived_state.pending_seats_for(game.live, "splash"), turn(game)) == ((), 1)


def test_splashed_chips_joined_after_the_round_are_no_bet_of_the_next_round() -> None:
    """One bet of 40 fell on two spots, and the dealer entered 40 as the bet.

    After the other seats have called, all chips of this bet are put on one of the two spots.
    """
    game = simultaneous_bets()
    game.do("chips-are 2 of 40")
    for seat in (4, 1):
        game.place_chips(seat, 25, 5, 5, 5)
    game.do("3 fold")
    game.show_settled("bet3")
    game.show_settled("bet2", 25, 5, 5, 5)
    assert (phase(game), derived_state.pending_seats_for(game.live, "between")) == (Phase.CLOSED, ())
    game.do("deal")
    assert (bet(game, 2), turn(game)) == (0, 2)


EARLY: dict[str, tuple[int, tuple[int, ...], bool]] = {
    "a late blind": (3, (5, 5), False),
    "a late blind and a card protector": (3, (5, 5, 5), False),
    "a late blind and a large card protector": (3, (25, 5, 5), False),
    "a blind and a raise": (3, (25, 25, 5, 5), True),
    "a card protector": (1, (25,), False),
    "a call in two chips": (1, (5, 5), True),
}
"""Chips that are read before seat 4 acts, which is in turn.

Each entry has a seat and the chips on its spot. The last value is True if these chips are an action out of turn.
"""


@pytest.mark.parametrize("case", EARLY)
@pytest.mark.parametrize("of_last_hand", [False, True])
def test_chips_seen_before_those_of_the_seat_in_turn_are_out_of_turn(case: str, of_last_hand: bool) -> None:
    """If `of_last_hand` is true, the chips were on the spot before the hand. They are no action in this hand."""
    seat, chips, is_action = EARLY[case]
    game = LiveHarness(hand=False)
    if of_last_hand:
        game.show_provisional(seat, *chips)
        game.advance(SHORT_DELAY_US)
    game.do("hand")
    game.advance(SHORT_DELAY_US)
    game.show_provisional(seat, *chips)
    game.advance(SHORT_DELAY_US)
    expected = {seat} if is_action and not of_last_hand else set()
    assert seats_with_earlier_chips(game.live, 4, MotionStart(game.now_us, game.now_us + SHORT_DELAY_US)) == expected


def test_motion_that_continues_across_a_deal_raises_no_error() -> None:
    """After a deal the state still has the chips that may still move.

    However, it no longer knows when they were first read.
    """
    game = flop_dealt()
    game.show_provisional(4, 25, 5)
    game.live = game.live._replace(reader=game.live.reader._replace(first_seen_us={}))
    assert seats_with_earlier_chips(game.live, 2, MotionStart(game.now_us, game.now_us)) == {4}
