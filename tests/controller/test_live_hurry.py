"""The live table beside a dealer who does not look at the screen: what people do next clears what waits there."""

from __future__ import annotations

from controller.live import RIPE_US, SWEEP_US, asked, is_waiting
from controller.live.judging import SPLASH_US
from controller.table import ChipsAre, line
from hardware.events import SpotStirs
from hardware.spots import bet_spot
from tests.controller.live_table import GAP_US, SOON_US, Game, bet, closed, turn


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
    game = Game(trays=False)
    for seat in (1, 2, 3, 4):
        game.settles(bet_spot(seat))
    game.settles("bet3", 5, 5)
    game.do("4 fold")
    game.seen(2, 5)
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
