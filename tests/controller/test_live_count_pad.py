"""The count pad adds up piles of chips and leaves out doubtful piles.

Each chip counts once, because it has a UID. The dealer then chooses the use of the total, such as a buy-in.
"""

from __future__ import annotations

import pytest

from controller.live import Live, LiveRefusal
from controller.presenter import build_table_view
from controller.table import (
    TableRefusal,
    balances,
)
from tests.controller.live_harness import LiveHarness, bet, turn

TWENTY = (25,) * 20


def at_pad(game: LiveHarness | None = None) -> LiveHarness:
    """Return a table with a count pad that was read as empty."""
    game = game or LiveHarness()
    game.show_settled("pad")
    return game


def counting(live: Live) -> tuple[int, int]:
    """Return the amount that the count pad has counted so far, and the number of counted piles."""
    assert live.pad.pad_count is not None
    return sum(chip.denomination for chip in live.pad.pad_count.chips), live.pad.pad_count.piles


# --- piles ---


def test_settled_piles_on_the_pad_add_up() -> None:
    game = at_pad()
    game.do("count 4 bet")
    assert counting(game.live) == (0, 0)
    for piles in (1, 2, 3):
        game.show_settled("pad", *TWENTY)
        game.show_settled("pad")
        assert counting(game.live) == (500 * piles, piles)


def test_chips_on_the_pad_at_the_start_of_a_count_are_its_first_pile() -> None:
    game = at_pad()
    game.show_settled("pad", 100, 100)
    game.do("count 4 bet")
    assert counting(game.live) == (200, 1)


def test_chip_read_several_times_on_the_pad_counts_once() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", 25, 5)
    pile = game.spots["pad"]
    game.show_settled("pad")
    game.spots["pad"] = pile
    game.show_settled("pad", 25, 5)
    assert counting(game.live) == (30, 1)


def test_chips_laid_on_an_added_pile_extend_the_pile() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", 100)
    game.show_settled("pad", 100, 100)
    assert counting(game.live) == (200, 1)


@pytest.mark.parametrize(("at_least", "unknown"), [(True, 0), (False, 1)])
def test_doubtful_pile_is_reported_and_added_only_once_it_is_cut(at_least: bool, unknown: int) -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", *TWENTY, 25, at_least=at_least, unknown=unknown)
    assert counting(game.live) == (0, 0)
    assert "pile-not-added" in {alert.code for alert in build_table_view(game.live, 1).alerts}
    game.show_settled("pad", *TWENTY)
    assert counting(game.live) == (500, 1)
    assert "pile-not-added" not in {alert.code for alert in build_table_view(game.live, 1).alerts}


def test_chips_of_a_finished_count_are_not_a_pile_of_the_next() -> None:
    game = at_pad()
    game.do("count 4 stack")
    game.show_settled("pad", 500)
    game.do("counted", "count 3 stack")
    assert counting(game.live) == (0, 0)
    game.show_settled("pad", 100, 100)
    assert counting(game.live) == (200, 1)


def test_cancelled_count_changes_nothing_and_can_restart() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", 100)
    game.do("count-off")
    assert game.live.pad.pad_count is None and bet(game, 4) == 0
    game.do("count 4 bet")
    assert counting(game.live) == (100, 1)


def test_pad_chips_are_not_counted_without_a_count_command() -> None:
    game = at_pad()
    game.show_settled("pad", 100)
    assert game.live.pad.pad_count is None and build_table_view(game.live, 1).alerts == ()


# --- results of a count ---


def test_counted_bet_is_recorded_as_chips_of_its_seat() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", *TWENTY)
    game.show_settled("pad")
    game.show_settled("pad", *TWENTY)
    game.do("counted")
    assert (bet(game, 4), turn(game), balances.owed(game.table, 4)) == (1000, 1, 0)
    assert game.change_lines[-1][-1] == "counted" and game.live.bets.sources[4] == "confirmed"


def test_chips_carried_from_the_spot_to_the_pad_are_not_withdrawn() -> None:
    game = at_pad()
    game.place_chips(4, *TWENTY, at_least=True)
    game.do("count 4 bet")
    assert [alert.code for alert in build_table_view(game.live, 1).alerts] == ["counting-bet"]
    chips = game.spots["bet4"]
    game.show_settled("bet4")
    game.spots["pad"] = chips
    game.show_settled("pad", *TWENTY)
    assert bet(game, 4) == 0
    game.do("counted")
    assert (bet(game, 4), balances.owed(game.table, 4)) == (500, 0)


def test_chips_of_a_counted_bet_may_return_to_the_spot() -> None:
    game = at_pad()
    game.do("count 4 bet")
    game.show_settled("pad", *TWENTY)
    game.do("counted")
    game.show_settled("pad")
    game.place_chips(4, *TWENTY)
    assert (bet(game, 4), turn(game)) == (500, 1)
    assert build_table_view(game.live, 1).alerts == ()


def test_bet_chips_already_counted_are_not_counted_again_on_the_pad() -> None:
    game = at_pad()
    game.place_chips(4, 25, 25)
    game.do("1 fold", "2 fold", "3 raise to 200")
    chips = game.spots["bet4"]
    game.do("count 4 bet")
    game.show_settled("bet4")
    game.spots["pad"] = chips
    game.show_settled("pad", 25, 25, 25, 25, 25, 25, 25, 25)
    game.do("counted")
    assert (bet(game, 4), balances.owed(game.table, 4)) == (200, 0)


def test_count_equal_to_the_recorded_bet_confirms_it() -> None:
    game = at_pad()
    game.place_chips(4, 25, 25)
    game.do("1 fold", "2 fold", "3 raise to 200", "count 4 bet")
    game.spots["pad"] = game.spots["bet4"]
    game.show_settled("bet4")
    game.show_settled("pad", 25, 25)
    game.do("counted")
    assert bet(game, 4) == 50 and game.live.bets.sources[4] == "confirmed"


def test_counted_buy_in_is_added_to_the_stack() -> None:
    game = at_pad(LiveHarness(hand=False))
    game.do("count 4 buy-in")
    game.show_settled("pad", 100, 100)
    game.do("counted")
    assert balances.stack_behind(game.table, 4) == 1200


def test_counted_buy_in_at_an_empty_seat_seats_a_player() -> None:
    game = at_pad(LiveHarness(hand=False))
    game.do("count 7 buy-in")
    game.show_settled("pad", 500)
    game.do("counted")
    assert balances.stack_behind(game.table, 7) == 500


def test_counted_stack_sets_the_stack() -> None:
    game = at_pad(LiveHarness(hand=False))
    game.do("count 4 stack")
    game.show_settled("pad", 500, 25)
    game.do("counted")
    assert balances.stack_behind(game.table, 4) == 525


# --- refusals ---


@pytest.mark.parametrize("do", ["count 4 bet", "counted", "count-off"])
def test_count_without_sensors_is_refused(do: str) -> None:
    refused = LiveHarness(trays=False).command(do)
    assert refused is not None and refused.code is LiveRefusal.NO_COUNT_PAD


def test_count_with_an_offline_pad_is_refused() -> None:
    game = at_pad()
    game.set_tray("pad", online=False)
    refused = game.command("count 4 stack")
    assert refused is not None and refused.code is LiveRefusal.NO_COUNT_PAD


def test_ending_a_count_that_was_not_begun_is_refused() -> None:
    for do in ("counted", "count-off"):
        refused = at_pad().command(do)
        assert refused is not None and refused.code is LiveRefusal.NOT_COUNTING


def test_ending_a_count_without_a_settled_pile_is_refused() -> None:
    game = at_pad()
    game.do("count 4 bet")
    refused = game.command("counted")
    assert refused is not None and (refused.code, refused.seat) == (LiveRefusal.NOTHING_COUNTED, 4)


def test_count_for_a_seat_that_cannot_bet_is_refused_at_the_start() -> None:
    game = at_pad()
    game.do("4 fold")
    assert game.command("count 4 bet") is not None
    refused = game.command("count 7 stack")
    assert refused is not None and refused.code is TableRefusal.EMPTY_SEAT


def test_count_goes_on_if_the_table_refuses_its_result() -> None:
    game = at_pad()
    game.do("count 4 buy-in")
    game.show_settled("pad", 100)
    refused = game.command("counted")
    assert refused is not None and counting(game.live) == (100, 1)


def test_count_of_a_bet_ends_with_its_street() -> None:
    game = at_pad()
    game.do("count 4 bet", "count 4 stack")
    game.show_settled("pad", 100)
    game.do("4 fold", "1 fold", "2 fold", "award main 3", "hand")
    assert counting(game.live) == (100, 1)
    game.do("count 1 bet", "void", "hand")
    assert game.live.pad.pad_count is None


# --- alerts ---


def test_incompletely_read_bet_offers_a_count_if_there_is_a_pad() -> None:
    for game, offered in ((LiveHarness(), False), (at_pad(), True)):
        game.place_chips(4, *TWENTY, at_least=True)
        (alert,) = build_table_view(game.live, 1).alerts
        assert ("count 4 bet" in [choice.do for choice in alert.choices]) == offered


def test_running_count_offers_to_finish_or_cancel() -> None:
    game = at_pad()
    game.do("count 4 bet")
    (alert,) = build_table_view(game.live, 1).alerts
    assert [choice.do for choice in alert.choices] == ["count-off"]
    game.show_settled("pad", *TWENTY)
    (alert,) = build_table_view(game.live, 1).alerts
    assert (alert.values.amount, alert.values.count) == (500, 1)
    assert [choice.do for choice in alert.choices] == ["counted", "count-off"]
