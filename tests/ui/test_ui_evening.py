"""The whole evening by touches alone, on a table in this process."""

from __future__ import annotations

from typing import Final

from controller.service.replaying import hand_of
from tests.ui.by_touch import ByTouch
from tests.ui.evening import BOUGHT, CLOSING, EVENING, GAME, HANDS_PLAYED
from ui.state import NamedKey

STACKS: Final = {1: 625, 2: 560, 3: 460, 4: 475, 6: 210, 8: 195, 9: 315}
"""When the table closes: worked out by hand from what happens."""
ACCOUNTS: Final = {"rake": 45, "toke": 5, "time": 10}


def test_a_whole_evening_by_touches_alone() -> None:
    table = ByTouch(GAME, stacks="{}")
    for scene in EVENING[: -len(CLOSING)]:
        assert tuple(table.touch(*scene.touches)) == scene.sends, scene.what
        assert hand_of(table.live), "what a journal holds at the end of a hand can be written"
    stacks = {seat.seat: seat.stack for seat in table.view.seats if seat.status != "empty"}
    assert (stacks, table.view.accounts) == (STACKS, ACCOUNTS)
    assert sum(STACKS.values()) + sum(ACCOUNTS.values()) == BOUGHT
    for scene in CLOSING:
        assert tuple(table.touch(*scene.touches)) == scene.sends, scene.what
    assert (table.refused, table.view.closed) == ([], True)


def test_it_has_as_many_hands_as_it_says() -> None:
    assert sum(scene.touches.count(NamedKey.HAND) for scene in EVENING) == HANDS_PLAYED
    print(f"{sum(len(scene.touches) for scene in EVENING)} touches for {HANDS_PLAYED} hands")
