"""Test the key with which all seats left to act fold or check, in the place of DEAL."""

from __future__ import annotations

import pytest

from tests.ui.touch_table import TouchTable
from ui.scene import Box, TouchFilter, lay_out_scene
from ui.scene.control_panel import PlacedKey
from ui.scene.layout import TEN_INCH_LAYOUT
from ui.scene.touch_filter import CLOSING_GUARD_US, TouchArea, TouchResult
from ui.state import NamedKey

N = NamedKey
GAME = 'blinds = [5, 10]\nstart = "idle"'
LIMPED = ("hand", "4 call", "here 3", "3 check", "deal")
STUD = (
    'variant = "stud"\nstructure = "fixed-limit"\nante = 5\nbring_in = 5\nbets = [10, 10, 20, 20, 20]\nstart = "idle"'
)


def next_key(table: TouchTable) -> PlacedKey:
    """Return the key in the place of DEAL."""
    return next(key for key in lay_out_scene(table.screen).keys if key.box == TEN_INCH_LAYOUT.next_key)


@pytest.mark.parametrize(
    ("steps", "label", "detail"),
    [
        (LIMPED, "ALL CHECK", "DEAL TURN"),
        ((*LIMPED, "3 check"), "ALL CHECK", "DEAL TURN"),
        ((*LIMPED, "deal closing", "deal closing"), "ALL CHECK", "showdown"),
        (("hand", "4 call"), "FOLDS, CHECKS", "DEAL FLOP"),
        (("hand", "4 raise to 30", "5 call"), "REST FOLD", "DEAL FLOP"),
        (("hand", "4 raise to 30"), "REST FOLD", "seat 4 wins"),
        ((*LIMPED, "3 bet 20"), "REST FOLD", "seat 3 wins"),
    ],
)
def test_key_says_what_the_seats_do_and_what_follows(steps: tuple[str, ...], label: str, detail: str) -> None:
    table = TouchTable(GAME).do(*steps)
    key = next_key(table)
    assert (key.target, key.label, key.detail) == (N.DEAL_CLOSING, label, detail)
    assert table.touch(N.DEAL_CLOSING) == ["deal closing"]
    assert not table.refused


def test_nobody_folds_to_the_blinds_with_one_touch() -> None:
    key = next_key(TouchTable(GAME).do("hand"))
    assert (key.target, key.is_enabled) == (N.DEAL, False)


def test_nobody_folds_to_a_bring_in_with_one_touch() -> None:
    table = TouchTable(STUD).do("hand", "bring-in 2", "2 call")
    assert not next_key(table).is_enabled
    table.do("3 complete")
    assert next_key(table).label == "REST FOLD"


def test_action_out_of_turn_is_answered_before_the_round_closes() -> None:
    table = TouchTable(GAME).do(*LIMPED, "4 bet 20")
    assert table.view.turn == 3
    assert not next_key(table).is_enabled


def test_summary_names_the_seats_and_no_street_that_was_not_dealt() -> None:
    table = TouchTable(GAME).do("hand", "4 call", "deal closing")
    assert table.view.last_step is not None
    effects = [(effect.step, effect.seats) for effect in table.view.last_step.effects]
    assert (table.view.last_step.step, table.view.last_step.street) == ("deals", 2)
    assert effects == [("seats-fold", (5, 6, 1, 2)), ("seats-check", (3,))]
    table = TouchTable(GAME).do("hand", "4 raise to 30", "deal closing")
    assert table.view.last_step is not None
    assert (table.view.last_step.step, table.view.last_step.seats) == ("seats-fold", (5, 6, 1, 2, 3))
    assert table.view.undo == table.view.last_step


PLACE = Box(0, 0, 200, 70)
DEAL, CLOSING = TouchArea(N.DEAL, PLACE, "deal"), TouchArea(N.DEAL_CLOSING, PLACE, "round 2")


def tap_after(touch_filter: TouchFilter, old: TouchArea, new: TouchArea, wait_us: int) -> TouchResult:
    """Return the result of a tap on `new` this time, in µs, after it has replaced `old`."""
    touch_filter.targets_changed((old,), 1_000_000)
    touch_filter.down("finger", 20, 20, 1_000_000 + wait_us, (new,))
    return touch_filter.up("finger", 20, 20, 1_090_000 + wait_us, (new,))


@pytest.mark.parametrize("old", [DEAL, CLOSING._replace(effect="round 1"), CLOSING._replace(effect="a bet")])
def test_touch_too_many_after_the_deal_closes_no_round(old: TouchArea) -> None:
    assert tap_after(TouchFilter(), old, CLOSING, CLOSING_GUARD_US - 1).is_stale
    assert tap_after(TouchFilter(), old, CLOSING, CLOSING_GUARD_US).target is N.DEAL_CLOSING


def test_key_with_another_meaning_has_another_effect() -> None:
    table = TouchTable(GAME).do(*LIMPED)
    effects = [next_key(table).effect]
    for step in ("3 bet 20", "4 raise to 60", "3 call", "deal"):
        table.do(step)
        effects.append(next_key(table).effect)
    assert len(set(effects)) == len(effects)
