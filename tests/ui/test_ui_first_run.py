"""Test what the screen says to a dealer who opens a new table for the first time."""

from __future__ import annotations

import pytest

from tests.ui.touch_table import TouchTable, digit_touches
from ui.scene import lay_out_scene
from ui.state import NamedKey, SeatTile

GAME = 'blinds = [5, 10]\nstart = "idle"'


def status_text(table: TouchTable) -> str:
    return lay_out_scene(table.screen).status_line[0]


def is_next_hand_enabled(table: TouchTable) -> bool:
    keys = {key.target: key for key in lay_out_scene(table.screen).keys}
    return keys[NamedKey.NEXT_HAND].is_enabled


@pytest.mark.parametrize(
    ("steps", "hint", "can_deal"),
    [
        ((), "1 Touch a seat, enter the buy-in. 2 Touch NEXT HAND", False),
        (("3 sit 500",), "1 Touch a seat, enter the buy-in. 2 Touch NEXT HAND", False),
        (("3 sit 500", "5 sit 500"), "Touch NEXT HAND. Hold any key to read what it does", True),
        (("3 sit 500", "5 sit 500", "5 leave"), "1 Touch a seat, enter the buy-in. 2 Touch NEXT HAND", False),
    ],
)
def test_first_run_hint_leads_to_the_first_hand(steps: tuple[str, ...], hint: str, can_deal: bool) -> None:
    table = TouchTable(GAME, stacks="{}").do(*steps)
    assert (status_text(table), is_next_hand_enabled(table)) == (hint, can_deal)


def test_first_run_hints_end_with_the_first_hand() -> None:
    table = TouchTable(GAME, stacks="{}")
    for seat in (3, 5):
        table.touch(SeatTile(seat), *digit_touches(500), NamedKey.SIT)
    table.touch(NamedKey.NEXT_HAND, NamedKey.FOLD, NamedKey.AWARD)
    assert "NEXT HAND" not in status_text(table)
    assert is_next_hand_enabled(table)
