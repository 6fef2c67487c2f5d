"""Test the finger that rests on the tile of a seat, which passes the turn to the seat."""

from __future__ import annotations

import pytest

from tests.ui.touch_table import TouchTable
from ui.scene import Appearance, Scene, TouchFilter, lay_out_scene
from ui.scene.touch_filter import (
    HOLD_US,
    MAX_DRAG_MM,
    MAX_PRESS_US,
    MIN_PALM_MM,
    PALM_WINDOW_US,
    TouchArea,
    TouchResult,
)
from ui.state import HeldSeat, NamedKey, PadDigit, SeatTile

N = NamedKey
GAME = 'blinds = [5, 10]\nstart = "idle"'
TAP_US, SECOND_US = 90_000, 1_000_000


def scene_of(table: TouchTable, language: str = "en") -> Scene:
    return lay_out_scene(table.screen, Appearance(language=language))


def tile(table: TouchTable, seat: int) -> TouchArea:
    return next(area for area in scene_of(table).touch_areas if area.target == SeatTile(seat))


def rest_on(area: TouchArea, duration_us: int, *, shown_later: TouchArea | None = None) -> TouchResult:
    """Return the result of a finger that rests on this area for this time, in µs."""
    touch_filter, (x, y) = TouchFilter(), (area.box.cx, area.box.cy)
    touch_filter.down("finger", x, y, SECOND_US, (area,))
    return touch_filter.up("finger", x, y, SECOND_US + duration_us, (shown_later or area,))


def test_finger_that_rests_on_a_seat_passes_the_turn_to_it() -> None:
    table = TouchTable(GAME).do("hand", "4 call")
    assert rest_on(tile(table, 2), TAP_US).target == SeatTile(2)
    assert rest_on(tile(table, 2), HOLD_US).target == HeldSeat(2)
    assert table.touch(HeldSeat(2)) == ["here 2"]
    assert table.view.turn == 2


def test_arm_palm_drag_and_second_finger_pass_no_turn() -> None:
    area = tile(TouchTable(GAME).do("hand"), 2)
    x, y, dots_per_mm = area.box.cx, area.box.cy, TouchFilter().dots_per_mm
    assert rest_on(area, MAX_PRESS_US) == TouchResult()
    palm, drag, fingers = TouchFilter(), TouchFilter(), TouchFilter()
    palm.down("palm", x, y, SECOND_US, (area,), size=MIN_PALM_MM * dots_per_mm)
    assert palm.up("palm", x, y, SECOND_US + HOLD_US, (area,)) == TouchResult()
    drag.down("finger", x, y, SECOND_US, (area,))
    drag.move("finger", x + (MAX_DRAG_MM + 1) * dots_per_mm, y)
    assert drag.up("finger", x, y, SECOND_US + HOLD_US, (area,)) == TouchResult()
    fingers.down("first", x, y, SECOND_US, (area,))
    fingers.down("second", x, y, SECOND_US + PALM_WINDOW_US - 1, (area,))
    assert fingers.up("first", x, y, SECOND_US + HOLD_US, (area,)) == TouchResult()


def test_hold_that_would_pass_other_seats_than_at_its_beginning_is_refused() -> None:
    table = TouchTable(GAME).do("hand")
    before = tile(table, 2)
    after = tile(table.do("4 raise to 30"), 2)
    assert rest_on(before, HOLD_US, shown_later=after).is_stale
    assert rest_on(before, TAP_US, shown_later=after).target == SeatTile(2)


def test_seats_that_cannot_get_the_turn_are_explained() -> None:
    table = TouchTable(GAME).do("hand", "4 raise to 30", "5 fold")
    assert all(rest_on(tile(table, seat), HOLD_US).held_target == SeatTile(seat) for seat in (5, 6))
    table.touch(N.RAISE, PadDigit("5"))
    assert rest_on(tile(table, 2), HOLD_US).held_target == SeatTile(2)


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        ("en", "Action on seat 2", "Seats 5, 6, and 1 fold"),
        ("de", "An der Reihe: Platz 2", "Plätze 5, 6 und 1 folden"),
        ("zh", "轮到2号位", "5、6和1号位弃牌"),
    ],
)
def test_band_names_the_folds_beside_a_large_undo_key(language: str, title: str, text: str) -> None:
    table = TouchTable(GAME).do("hand", "4 call")
    assert N.UNDO_HERE not in {key.target for key in scene_of(table).keys}
    table.touch(HeldSeat(2))
    scene = scene_of(table, language)
    (undo,) = [key for key in scene.keys if key.target is N.UNDO_HERE]
    assert (scene.alert_band.title, scene.alert_band.text) == (title, text)
    assert undo.box.w >= 4 * scene.appearance.layout.min_target_size
    assert table.touch(N.UNDO_HERE) == ["undo"]
    assert table.view.turn == 5
    assert N.UNDO_HERE not in {key.target for key in scene_of(table).keys}


def test_next_action_ends_the_band_with_the_undo_key() -> None:
    table = TouchTable(GAME).do("hand", "4 call")
    table.touch(HeldSeat(2), N.CALL)
    assert N.UNDO_HERE not in {key.target for key in scene_of(table).keys}


def test_question_has_the_band_before_the_undo_key() -> None:
    table = TouchTable(GAME).do("hand", "here 6", "6 chips 100")
    assert table.view.alerts
    assert N.UNDO_HERE not in {key.target for key in scene_of(table).keys}


SHOWDOWN = ("hand", "4 call", "deal closing", "deal closing", "deal closing", "deal closing")
SIDE_POTS = "{ 1 = 1000, 2 = 1000, 3 = 1000, 4 = 100, 5 = 1000, 6 = 1000 }"
HIGH_LOW = 'variant = "omaha8"\nstructure = "pot-limit"\nblinds = [5, 10]\nstart = "idle"'


def test_held_seat_gets_the_whole_pot_with_a_large_undo_key() -> None:
    table = TouchTable(GAME).do(*SHOWDOWN)
    assert table.touch(HeldSeat(3)) == ["award main 3"]
    scene = scene_of(table)
    assert scene.alert_band.title == "The main pot: 25 to seat 3"
    assert N.UNDO_HERE in {key.target for key in scene.keys}
    assert table.touch(N.UNDO_HERE, N.OK) == ["undo"]  # It asks first, because the hand is over.
    assert table.view.next_pot_to_award == "main"


def test_held_seat_gets_only_a_pot_that_it_can_win_and_that_is_not_split() -> None:
    table = TouchTable(GAME, stacks=SIDE_POTS).do("hand", "4 all-in", "5 raise to 300", "here 3", "3 call")
    table.do("deal closing", "deal closing", "deal closing")
    while table.view.next_pot_to_award == "":
        table.do("deal closing" if table.view.turn else "deal")
    assert table.view.next_pot_to_award == "side1"
    assert rest_on(tile(table, 4), HOLD_US).held_target == SeatTile(4)
    assert table.touch(HeldSeat(5)) == ["award side1 5"]
    table = TouchTable(GAME).do(*SHOWDOWN)
    table.touch(SeatTile(3))
    assert rest_on(tile(table, 4), HOLD_US).held_target == SeatTile(4)
    table = TouchTable(HIGH_LOW).do(*SHOWDOWN)
    assert rest_on(tile(table, 3), HOLD_US).held_target == SeatTile(3)


def test_award_with_the_usual_keys_has_no_large_undo_key() -> None:
    table = TouchTable(GAME).do(*SHOWDOWN)
    table.touch(SeatTile(3), N.OK)
    assert N.UNDO_HERE not in {key.target for key in scene_of(table).keys}
