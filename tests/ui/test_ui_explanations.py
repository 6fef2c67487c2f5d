"""Test the explanation of a key on which a finger rests."""

from __future__ import annotations

import pytest

from controller.messages import languages
from tests.ui.test_ui_key_places import screens
from tests.ui.test_ui_text_margins import all_tabs
from tests.ui.touch_table import TouchTable, digit_touches
from ui import state
from ui.scene import Appearance, lay_out_scene
from ui.scene.boxes import Box
from ui.scene.touch_filter import HOLD_US, MAX_PRESS_US, TouchArea, TouchFilter
from ui.state import BetSpot, CardTab, NamedKey, PageRequest, SeatTile, Target, hold_target
from ui.view_samples import view_samples

N = NamedKey
GAME = 'blinds = [5, 10]\nstart = "idle"'
MIN_HELD_KEYS = 250
"""Minimum number of different keys in all panels, so that the test does not hold the keys of an empty screen."""
AREAS = (TouchArea(N.FOLD, Box(0, 0, 100, 100)),)


def explanation(table: TouchTable, target: Target) -> str:
    return lay_out_scene(hold_target(table.screen, target)).alert_band.text


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (N.FOLD, "A touch records: Seat 5 folds"),
        (N.CALL, "A touch records: Seat 5 calls"),
        (N.RAISE, "A touch opens the number pad for the amount. OK then records it."),
        (N.UNDO, "A touch records: Last step undone"),
        (BetSpot(6), "A touch opens more keys. Nothing is recorded yet."),
        (N.MENU, "A touch opens more keys. Nothing is recorded yet."),
        (PageRequest("hands"), "A touch opens a page. Nothing is recorded."),
    ],
)
def test_explanation_says_what_a_touch_would_do(target: Target, text: str) -> None:
    assert explanation(TouchTable(GAME).do("hand", "4 call"), target) == text


def test_key_with_a_confirmation_says_that_it_asks_first() -> None:
    table = TouchTable(GAME).do("hand")
    table.touch(N.MENU)
    assert explanation(table, N.MISDEAL) == "A touch asks first, then records: Misdeal: all bets returned"


def test_key_with_an_entered_amount_names_the_amount() -> None:
    table = TouchTable(GAME).do("hand")
    table.touch(N.RAISE, *digit_touches(40))
    assert explanation(table, N.OK) == "A touch records: Seat 4 raises to 40"


def test_keys_of_a_card_are_explained() -> None:
    table = TouchTable(GAME).do("hand", "4 call", "5 fold")
    assert explanation(table, SeatTile(1)) == "A touch opens more keys. Nothing is recorded yet."
    table.touch(BetSpot(5))
    assert explanation(table, CardTab.PLAYER) == "A touch changes only what the screen shows."
    table.touch(N.DID_NOT_FOLD)
    assert explanation(table, N.WAS_CALL) == "A touch records: Correction: seat 5 calls"
    table.touch(N.CANCEL, SeatTile(1))
    assert explanation(table, N.ACTION_HERE) == "A touch records: Action on seat 1"


def test_winner_of_a_pot_is_explained() -> None:
    table = TouchTable(GAME).do("hand", "4 call", "5 fold", "6 fold", "1 fold", "2 fold", "3 check")
    table.do("deal", "3 check", "4 check", "deal", "3 check", "4 check", "deal", "3 check", "4 check")
    assert explanation(table, SeatTile(4)) == "A touch chooses the winners. PUSH POT then records them."


@pytest.mark.parametrize("language", languages())
def test_every_target_of_every_sample_has_an_explanation(language: str) -> None:
    for sample in view_samples():
        screen = sample.screen_state
        for area in lay_out_scene(screen).touch_areas:
            scene = lay_out_scene(hold_target(screen, area.target), Appearance(language=language))
            assert len(scene.alert_band.text) > 5, (sample.name, area.target)
            if area.target is N.STACK_UNKNOWN:  # The stack is "?" because it is not known.
                continue
            assert "?" not in scene.alert_band.text, (sample.name, area.target, scene.alert_band.text)


def test_every_key_of_every_panel_and_tab_has_an_explanation() -> None:
    held = {
        (type(screen.mode), getattr(screen.mode, "tab", None), area.target): screen
        for screen in all_tabs(screens())
        for area in lay_out_scene(screen).touch_areas
    }
    assert len(held) > MIN_HELD_KEYS
    texts = {key: lay_out_scene(hold_target(screen, key[2])).alert_band.text for key, screen in held.items()}
    assert [key for key, text in texts.items() if len(text) <= 5 or "{" in text] == []


def test_explanation_ends_with_the_next_touch_and_dismisses_no_alert() -> None:
    table = TouchTable(GAME).do("hand", "4 chips 100")
    alerts = state.pending_alerts(table.screen)
    assert alerts
    table.screen = hold_target(table.screen, N.FOLD)
    assert table.touch(N.DISMISS_ALERT) == []
    assert (table.screen.explained, state.pending_alerts(table.screen)) == (None, alerts)
    table.screen = hold_target(table.screen, N.FOLD)
    assert table.touch(N.FOLD) != []
    assert table.screen.explained is None


@pytest.mark.parametrize(
    ("duration_us", "touched", "held"),
    [
        (HOLD_US - 1, N.FOLD, None),
        (HOLD_US, None, N.FOLD),
        (MAX_PRESS_US - 1, None, N.FOLD),
        (MAX_PRESS_US, None, None),
    ],
)
def test_finger_that_rests_on_a_key_holds_it(duration_us: int, touched: Target | None, held: Target | None) -> None:
    touch_filter = TouchFilter()
    touch_filter.down("finger", 50, 50, 0, AREAS)
    result = touch_filter.up("finger", 50, 50, duration_us, AREAS)
    assert (result.target, result.held_target) == (touched, held)
