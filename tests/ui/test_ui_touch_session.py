"""Play the session of `touch_session` with touches only, on a table in the test process."""

from __future__ import annotations

from typing import Final

from controller.service.journal_replay import hand_end_snapshot
from tests.ui.touch_session import CLOSING, GAME, HANDS_PLAYED, TOTAL_BOUGHT_IN, TOUCH_SESSION
from tests.ui.touch_table import TouchTable
from ui.state import NamedKey

STACKS: Final = {1: 625, 2: 560, 3: 460, 4: 475, 6: 210, 8: 195, 9: 315}
"""Stacks of the players when the table closes, calculated by hand."""
ACCOUNTS: Final = {"rake": 45, "toke": 5, "time": 10}


def test_touch_session_sends_its_steps_and_matches_the_totals() -> None:
    table = TouchTable(GAME, stacks="{}")
    for part in TOUCH_SESSION[: -len(CLOSING)]:
        assert tuple(table.touch(*part.touches)) == part.steps, part.title
        assert hand_end_snapshot(table.live), "the snapshot at the end of a hand cannot be written"
    stacks = {seat.seat: seat.stack for seat in table.view.seats if seat.status != "empty"}
    assert (stacks, table.view.accounts) == (STACKS, ACCOUNTS)
    assert sum(STACKS.values()) + sum(ACCOUNTS.values()) == TOTAL_BOUGHT_IN
    for part in CLOSING:
        assert tuple(table.touch(*part.touches)) == part.steps, part.title
    assert (table.refused, table.view.is_closed) == ([], True)


def test_touch_session_has_its_number_of_hands() -> None:
    assert sum(part.touches.count(NamedKey.NEXT_HAND) for part in TOUCH_SESSION) == HANDS_PLAYED
    print(f"{sum(len(part.touches) for part in TOUCH_SESSION)} touches for {HANDS_PLAYED} hands")
