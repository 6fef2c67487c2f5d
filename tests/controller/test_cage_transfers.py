"""Tests of fills and credits: the chips that move between the cage and the dealer's tray."""

from __future__ import annotations

import pytest

from controller.commands.journal_chip_inventory import Inventory, format_inventory
from controller.live import derived_state
from controller.live.missed_chips import FILL_WINDOW_US
from controller.service.queries.accounts_report import report_page
from controller.table import Table
from tests.controller.live_harness import LiveHarness

TRAY_BEFORE = (100, 100, 25)
"""Chips in the tray before the fill."""


def hand_in_progress() -> LiveHarness:
    """Return a table in a hand, with the contents of the tray known."""
    game = LiveHarness()
    game.show_settled("tray", *TRAY_BEFORE)
    return game


def missed(game: LiveHarness) -> list[int]:
    """Return the chips in the tray that count as missed by the bet spots."""
    return [chip.denomination for chip in derived_state.missed_chips_this_hand(game.live)]


def test_new_chips_in_the_tray_without_a_fill_are_reported() -> None:
    game = hand_in_progress()
    game.show_settled("tray", *TRAY_BEFORE, 500)
    assert missed(game) == [500]


def test_chips_of_a_fill_are_not_reported_when_the_tray_is_read_later() -> None:
    game = hand_in_progress()
    game.do("fill 600")
    game.show_settled("tray", *TRAY_BEFORE, 500)
    game.show_settled("tray", *TRAY_BEFORE, 500, 100)
    assert (missed(game), game.live.pot_check.fill_due) == ([], 0)
    game.show_settled("tray", *TRAY_BEFORE, 500, 100, 25)
    assert missed(game) == [25], "a chip that the fill does not explain was hidden"


def test_fill_that_is_entered_after_its_chips_were_read_ends_the_report() -> None:
    game = hand_in_progress()
    game.show_settled("tray", *TRAY_BEFORE, 500, 25)
    assert missed(game) == [500, 25]
    game.do("fill 500")
    assert (missed(game), game.live.pot_check.fill_due) == ([25], 0)


def test_chips_read_long_after_a_fill_are_reported() -> None:
    game = hand_in_progress()
    game.do("fill 500")
    game.advance(FILL_WINDOW_US + 1)
    game.show_settled("tray", *TRAY_BEFORE, 500)
    assert missed(game) == [500]


def test_chips_of_a_fill_taken_back_are_reported() -> None:
    game = hand_in_progress()
    game.do("fill 500", "undo")
    game.show_settled("tray", *TRAY_BEFORE, 500)
    assert missed(game) == [500]


def test_fill_between_hands_explains_chips_that_are_read_in_the_next_hand() -> None:
    game = LiveHarness(hand=False)
    game.show_settled("tray", *TRAY_BEFORE)
    game.do("fill 500", "hand")
    game.show_settled("tray", *TRAY_BEFORE, 500)
    assert missed(game) == []


def test_chips_of_a_fill_in_the_pot_are_reported() -> None:
    game = hand_in_progress()
    game.show_settled("pot")
    game.do("fill 500")
    game.show_settled("pot", 500)
    assert missed(game) == [500], "a fill explains chips in the tray only"


def table_after(*lines: str) -> Table:
    """Return the table after these steps between hands."""
    game = LiveHarness(hand=False)
    game.do(*lines)
    return game.table


def test_report_has_fills_and_credits_of_the_table_and_of_each_dealer() -> None:
    page = report_page(table_after("dealer ann", "fill 500", "3 tip 5", "dealer bob", "fill 100", "credit 300"))
    assert (page.fills, page.credits, page.is_balanced) == (600, 300, True)
    assert [(shift.name, shift.fills, shift.credits) for shift in page.dealers] == [("ann", 500, 0), ("bob", 100, 300)]
    assert page.accounts["toke"] == 5 and sum(page.accounts.values()) == 5


def test_amounts_of_a_table_without_fills_are_those_of_earlier_programs() -> None:
    """Digests in journals of earlier programs cover amounts without the totals of the cage."""
    before = table_after().amounts()
    assert table_after("fill 5", "undo").amounts() == before
    assert len(table_after("fill 5").amounts()) == len(before) + 2


@pytest.mark.parametrize(("fills", "credits", "line"), [(0, 0, None), (500, 200, "from the cage 500, to the cage 200")])
def test_inventory_names_what_moved_from_and_to_the_cage(fills: int, credits: int, line: str | None) -> None:
    lines = list(format_inventory(Inventory((), (), 1000, 1500, fills, credits)))
    assert lines[2:] == ([line] if line else [])
