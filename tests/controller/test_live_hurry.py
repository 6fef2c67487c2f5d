"""The live table beside a dealer who does not look at the screen: what people do next clears what waits there."""

from __future__ import annotations

import pytest

from controller.live import RIPE_US, SWEEP_US, asked, is_waiting, waiting
from controller.live.judging import SPLASH_US, ahead_of
from controller.live.state import Began
from controller.rules import Phase
from controller.table import ChipsAre, line
from hardware.events import SpotStirs
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, SOON_US, Game, bet, closed, late_blind, phase, turn


def turned() -> Game:
    """The flop is dealt, 2 is in turn, nobody has put chips in."""
    game = closed()
    game.do("deal")
    game.after(SWEEP_US)
    return game


def side_by_side() -> Game:
    """2 bets 10 and 3 raises to 30 at the same moment: it is asked whether they are one bet."""
    game = turned()
    game.seen(2, 5, 5)
    game.seen(3, 25, 5)
    game.after(GAP_US)
    for seat, chips in ((2, (5, 5)), (3, (25, 5))):
        game.settles(bet_spot(seat), *chips)
        assert is_waiting(game.live, seat, "splash")
    return game


def test_who_calls_the_larger_of_two_bets_shows_that_they_are_two() -> None:
    game = side_by_side()
    game.lies(4, 25, 5)
    assert (asked(game.live), [bet(game, seat) for seat in (2, 3, 4)], turn(game)) == ((), [10, 30, 30], 1)


def test_a_blind_and_a_bet_on_it_are_two_motions() -> None:
    """The blind came with the bet of the neighbour, the call a second later."""
    game = late_blind()
    game.seen(1, 5, 5)
    game.after(SOON_US + SPLASH_US)
    game.seen(2, 5, 5)
    game.settles("bet1", 5, 5)
    assert (asked(game.live), bet(game, 1), turn(game)) == ((), 10, 2)


def test_two_keys_that_wait_are_of_two_seats() -> None:
    """2 and 3 check, 4 bets, 1 folds, 2 raises: the checks are keyed while the raise is seen to move."""
    game = turned()
    game.lies(4, 5, 5)
    game.tell(SpotStirs("bet2", game.now_us))
    game.key("check-call")
    game.key("check-call")
    game.lies(2, 25, 5)
    assert (bet(game, 4), turn(game), game.live.keys) == (10, 1, ())
    game.key("fold")
    assert (bet(game, 2), turn(game)) == (30, 3)


def test_chips_that_waited_are_taken_in_turn_when_the_bets_are_swept() -> None:
    """Of 2 and 3 it was asked whether they are one bet; 4 raised and waits for that; 1 called and is only seen."""
    game = side_by_side()
    game.lies(4, 25, 25, 5, 5)
    assert is_waiting(game.live, 4, "deferred")
    game.seen(1, 25, 25, 5, 5)
    game.after(SOON_US)
    for seat in (2, 3):
        game.seen(seat)
    assert ([bet(game, seat) for seat in (2, 3, 4, 1)], turn(game)) == ([10, 30, 60, 60], 2)


def test_chips_that_count_and_were_swept_are_not_asked_about_again() -> None:
    game = side_by_side()
    game.do("2 bet 10")
    game.seen(2)
    game.after(RIPE_US)
    for question in asked(game.live):
        game.do(line(ChipsAre(question.seat, "swept")) if question.about == "emptied" else line(question.likely[0]))
    assert [question for question in asked(game.live) if question.seat == 2] == []


def test_change_that_is_swept_before_it_has_settled_is_no_motion_of_the_next_street() -> None:
    """The last call came as one large chip, and was given back against smaller ones that the deal finds moving."""
    game = Game(trays=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.settles("bet2", 5)
    game.settles("bet3", 5, 5)
    for seat in (4, 1):
        game.lies(seat, 5, 5)
    game.lies(2, 5, 25)
    game.do("return 2")
    game.do("3 check")
    game.seen(2, 5, 5)
    game.do("deal")
    game.seen(2)
    game.after(SWEEP_US)
    assert (asked(game.live), [bet(game, seat) for seat in (1, 2, 3, 4)], turn(game)) == ((), [0, 0, 0, 0], 2)


@pytest.mark.parametrize("chips", [(25, 5), (10, 10, 10)])
def test_two_calls_at_once_are_no_splash(chips: tuple[int, ...]) -> None:
    """A raise to twice the bet hardly falls apart into two calls, and it is asked about the chips that leave then."""
    game = turned()
    game.lies(2, 25, 5)
    game.seen(3, *chips)
    game.seen(4, *chips)
    game.after(GAP_US)
    for seat in (3, 4):
        game.settles(bet_spot(seat), *chips)
    assert (waiting(game.live, "splash"), turn(game)) == ((), 1)


def test_splashed_chips_that_come_to_the_rest_when_the_round_is_over_are_no_bet_of_the_next() -> None:
    """The dealer has said what the whole is; the others call, and only then are the chips brought together."""
    game = side_by_side()
    game.do("chips-are 2 of 40")
    for seat in (4, 1):
        game.lies(seat, 25, 5, 5, 5)
    game.do("3 fold")
    game.settles("bet3")
    game.settles("bet2", 25, 5, 5, 5)
    assert (phase(game), waiting(game.live, "between")) == (Phase.CLOSED, ())
    game.do("deal")
    assert (bet(game, 2), turn(game)) == (0, 2)


EARLY: dict[str, tuple[int, tuple[int, ...], bool]] = {
    "a blind that comes late": (3, (5, 5), False),
    "and the chip that protects the cards": (3, (5, 5, 5), False),
    "and a large one": (3, (25, 5, 5), False),
    "a blind and a raise": (3, (25, 25, 5, 5), True),
    "the chip that protects the cards": (1, (25,), False),
    "a call in two chips": (1, (5, 5), True),
}
"""seat, its chips -> whether they have acted out of turn where 4 comes after them"""


@pytest.mark.parametrize("what", EARLY)
@pytest.mark.parametrize("of_last_hand", [False, True])
def test_chips_that_are_seen_before_those_of_the_seat_in_turn_are_an_act(what: str, of_last_hand: bool) -> None:
    """What came before the hand began is none of it, whatever it is."""
    seat, chips, acts = EARLY[what]
    game = Game(hand=False)
    if of_last_hand:
        game.seen(seat, *chips)
        game.after(SOON_US)
    game.do("hand")
    game.after(SOON_US)
    game.seen(seat, *chips)
    game.after(SOON_US)
    expected = {seat} if acts and not of_last_hand else set()
    assert ahead_of(game.live, 4, Began(game.now_us, game.now_us + SOON_US)) == expected


def test_a_motion_that_went_on_when_the_street_was_dealt_is_no_fault() -> None:
    """When its chips were first shown is forgotten with the street, and the glimpse stays."""
    game = turned()
    game.seen(4, 25, 5)
    game.live = game.live._replace(shown={})
    assert ahead_of(game.live, 2, Began(game.now_us, game.now_us)) == {4}
