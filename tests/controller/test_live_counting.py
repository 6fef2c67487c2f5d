"""The count pad: piles add up by UID, what is not sure is not added, and the dealer says what it comes to."""

from __future__ import annotations

import pytest

from controller.live import Live, LiveReason
from controller.presenter import show
from controller.table import Reason, owed, stack
from tests.controller.live_table import Game, bet, turn

TWENTY = (25,) * 20


def at_pad(game: Game | None = None) -> Game:
    """A table whose count pad is read and empty."""
    game = game or Game()
    game.settles("pad")
    return game


def counting(live: Live) -> tuple[int, int]:
    """What was counted so far, and in how many piles."""
    assert live.counting is not None
    return sum(chip.denomination for chip in live.counting.chips), live.counting.piles


# --- piles ---


def test_piles_that_settle_on_the_pad_add_up() -> None:
    game = at_pad()
    game.do("count 4 bet")
    assert counting(game.live) == (0, 0)
    for piles in (1, 2, 3):
        game.settles("pad", *TWENTY)
        game.settles("pad")
        assert counting(game.live) == (500 * piles, piles)


def test_what_lies_on_the_pad_when_the_count_begins_is_its_first_pile() -> None:
    game = at_pad()
    game.settles("pad", 100, 100)
    game.do("count 4 bet")
    assert counting(game.live) == (200, 1)


def test_a_chip_counts_once_however_often_it_is_told() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", 25, 5)
    pile = game.spots["pad"]
    game.settles("pad")
    game.spots["pad"] = pile
    game.settles("pad", 25, 5)
    assert counting(game.live) == (30, 1)


def test_chips_laid_on_a_pile_that_was_added_are_added_to_it() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", 100)
    game.settles("pad", 100, 100)
    assert counting(game.live) == (200, 1)


@pytest.mark.parametrize(("at_least", "unknown"), [(True, 0), (False, 1)])
def test_a_pile_that_is_not_sure_is_told_and_not_added_until_it_is_cut(at_least: bool, unknown: int) -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", *TWENTY, 25, at_least=at_least, unknown=unknown)
    assert counting(game.live) == (0, 0)
    assert "pile-not-added" in {alert.code for alert in show(game.live, 1).alerts}
    game.settles("pad", *TWENTY)
    assert counting(game.live) == (500, 1)
    assert "pile-not-added" not in {alert.code for alert in show(game.live, 1).alerts}


def test_chips_of_a_count_that_was_taken_are_no_pile_of_the_next() -> None:
    game = at_pad()
    game.do("count 4 stack")
    game.settles("pad", 500)
    game.do("counted", "count 3 stack")
    assert counting(game.live) == (0, 0)
    game.settles("pad", 100, 100)
    assert counting(game.live) == (200, 1)


def test_a_count_that_was_given_up_is_nothing_and_can_begin_anew() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", 100)
    game.do("count-off")
    assert game.live.counting is None and bet(game, 4) == 0
    game.do("count 4 bet")
    assert counting(game.live) == (100, 1)


def test_nothing_on_the_pad_is_counted_unasked() -> None:
    game = at_pad()
    game.settles("pad", 100)
    assert game.live.counting is None and show(game.live, 1).alerts == ()


# --- what it comes to ---


def test_a_counted_bet_is_the_motion_of_its_seat() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", *TWENTY)
    game.settles("pad")
    game.settles("pad", *TWENTY)
    game.do("counted")
    assert (bet(game, 4), turn(game), owed(game.table, 4)) == (1000, 1, 0)
    assert game.pieces[-1][-1] == "counted" and game.live.sources[4] == "confirmed"


def test_chips_carried_from_the_spot_over_the_pad_are_not_taken_back() -> None:
    game = at_pad()
    game.lies(4, *TWENTY, at_least=True)
    game.do("count 4 bet")
    assert [alert.code for alert in show(game.live, 1).alerts] == ["counting-bet"]
    chips = game.spots["bet4"]
    game.settles("bet4")
    game.spots["pad"] = chips
    game.settles("pad", *TWENTY)
    assert bet(game, 4) == 0
    game.do("counted")
    assert (bet(game, 4), owed(game.table, 4)) == (500, 0)


def test_the_chips_of_a_counted_bet_may_be_put_before_the_spot_again() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.settles("pad", *TWENTY)
    game.do("counted")
    game.settles("pad")
    game.lies(4, *TWENTY)
    assert (bet(game, 4), turn(game)) == (500, 1)
    assert show(game.live, 1).alerts == ()


def test_what_the_book_counts_of_a_bet_already_counts_once() -> None:
    game = at_pad()
    game.lies(4, 25, 25)
    game.do("1 fold", "2 fold", "3 raise to 200")
    chips = game.spots["bet4"]
    game.do("count 4 bet")
    game.settles("bet4")
    game.spots["pad"] = chips
    game.settles("pad", 25, 25, 25, 25, 25, 25, 25, 25)
    game.do("counted")
    assert (bet(game, 4), owed(game.table, 4)) == (200, 0)


def test_a_bet_that_the_book_has_already_is_confirmed() -> None:
    game = at_pad()
    game.lies(4, 25, 25)
    game.do("1 fold", "2 fold", "3 raise to 200", "count 4 bet")
    game.spots["pad"] = game.spots["bet4"]
    game.settles("bet4")
    game.settles("pad", 25, 25)
    game.do("counted")
    assert bet(game, 4) == 50 and game.live.sources[4] == "confirmed"


def test_a_counted_buy_in_is_added() -> None:
    game = at_pad(Game(hand=False))
    game.do("count 4 buy-in")
    game.settles("pad", 100, 100)
    game.do("counted")
    assert stack(game.table, 4) == 1200


def test_who_buys_in_at_an_empty_seat_sits_down() -> None:
    game = at_pad(Game(hand=False))
    game.do("count 7 buy-in")
    game.settles("pad", 500)
    game.do("counted")
    assert stack(game.table, 7) == 500


def test_a_counted_stack_is_the_stack() -> None:
    game = at_pad(Game(hand=False))
    game.do("count 4 stack")
    game.settles("pad", 500, 25)
    game.do("counted")
    assert stack(game.table, 4) == 525


# --- why not ---


@pytest.mark.parametrize("do", ["count 4 bet", "counted", "count-off"])
def test_without_sensors_nothing_is_counted(do: str) -> None:
    refused = Game(trays=False).command(do)
    assert refused is not None and refused.code is LiveReason.NO_COUNT_PAD


def test_a_pad_that_is_out_counts_nothing() -> None:
    game = at_pad()
    game.tray("pad", online=False)
    refused = game.command("count 4 stack")
    assert refused is not None and refused.code is LiveReason.NO_COUNT_PAD


def test_what_was_not_begun_does_not_end() -> None:
    for do in ("counted", "count-off"):
        refused = at_pad().command(do)
        assert refused is not None and refused.code is LiveReason.NOT_COUNTING


def test_nothing_that_settled_is_no_count() -> None:
    game = at_pad()
    game.do("count 4 bet")
    refused = game.command("counted")
    assert refused is not None and (refused.code, refused.seat) == (LiveReason.NOTHING_COUNTED, 4)


def test_who_cannot_bet_is_told_before_the_count() -> None:
    game = at_pad()
    game.do("4 fold")
    assert game.command("count 4 bet") is not None
    refused = game.command("count 7 stack")
    assert refused is not None and refused.code is Reason.EMPTY_SEAT


def test_what_the_table_does_not_take_goes_on_being_counted() -> None:
    game = at_pad()
    game.do("count 4 buy-in")
    game.settles("pad", 100)
    refused = game.command("counted")
    assert refused is not None and counting(game.live) == (100, 1)


def test_a_bet_is_counted_no_longer_than_its_street() -> None:
    game = at_pad()
    game.do("count 4 bet", "count 4 stack")
    game.settles("pad", 100)
    game.do("4 fold", "1 fold", "2 fold", "award main 3", "hand")
    assert counting(game.live) == (100, 1)
    game.do("count 1 bet", "void", "hand")
    assert game.live.counting is None


# --- what is shown ---


def test_what_is_not_wholly_read_may_be_counted_where_there_is_a_pad() -> None:
    for game, offered in ((Game(), False), (at_pad(), True)):
        game.lies(4, *TWENTY, at_least=True)
        (alert,) = show(game.live, 1).alerts
        assert ("count 4 bet" in [choice.do for choice in alert.choices]) == offered


def test_the_count_is_shown_with_its_two_touches() -> None:
    game = at_pad()
    game.do("count 4 bet")
    (alert,) = show(game.live, 1).alerts
    assert [choice.do for choice in alert.choices] == ["count-off"]
    game.settles("pad", *TWENTY)
    (alert,) = show(game.live, 1).alerts
    assert (alert.values.amount, alert.values.count) == (500, 1)
    assert [choice.do for choice in alert.choices] == ["counted", "count-off"]
