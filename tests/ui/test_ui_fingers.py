"""Which touches count: the rules of ui.scene.fingers, one case each, in simulated time."""

from __future__ import annotations

import pytest

from ui.scene import Box, TouchJudge
from ui.scene.fingers import DOUBLE_US, DRAG_MM, PALM_MM, PALM_US, REACTION_US, REST_US, Touchable, touchable_at
from ui.scene.layout import SEVEN, TEN
from ui.state import Digit, NamedKey, Seat, Target

FOLD = Touchable(NamedKey.FOLD, Box(0, 0, 100, 100), "3 fold")
CALL = Touchable(NamedKey.CALL, Box(110, 0, 100, 100), "3 call")
BOTH = (FOLD, CALL)
SECOND = 1_000_000
DRAG, PALM_SIZE = DRAG_MM * TEN.dots_per_mm, PALM_MM * TEN.dots_per_mm


def tap(judge: TouchJudge, x: float, y: float, at_us: int, to: tuple[float, float] | None = None) -> Target | None:
    judge.down("f", x, y, at_us, BOTH)
    end = to or (x, y)
    if to:
        judge.move("f", *to)
    return judge.up("f", *end, at_us + 90_000, BOTH).target


def test_a_touch_counts_where_it_began_and_ended() -> None:
    assert tap(TouchJudge(), 50, 50, SECOND) is NamedKey.FOLD
    assert tap(TouchJudge(), 50, 50, SECOND, to=(60, 45)) is NamedKey.FOLD
    assert tap(TouchJudge(), 105, 50, SECOND) is None


def test_a_touch_that_leaves_its_target_does_not_count() -> None:
    assert tap(TouchJudge(), 98, 50, SECOND, to=(112, 50)) is None
    assert tap(TouchJudge(), 98, 50, SECOND, to=(104, 50)) is None


def test_a_drag_does_not_count_even_if_it_comes_back() -> None:
    judge = TouchJudge()
    judge.down("f", 20, 20, SECOND, BOTH)
    judge.move("f", 20 + DRAG + 1, 20)
    judge.move("f", 20, 20)
    assert judge.up("f", 20, 20, SECOND + 90_000, BOTH).target is None


def test_a_second_finger_does_not_count_and_the_first_does() -> None:
    judge = TouchJudge()
    judge.down("first", 50, 50, SECOND, BOTH)
    judge.down("second", 150, 50, SECOND + PALM_US + 1, BOTH)
    assert judge.up("second", 150, 50, SECOND + 200_000, BOTH).target is None
    assert judge.up("first", 50, 50, SECOND + 250_000, BOTH).target is NamedKey.FOLD


@pytest.mark.parametrize("fingers", [2, 5])
def test_a_palm_comes_down_all_at_once_and_nothing_of_it_counts(fingers: int) -> None:
    judge = TouchJudge()
    for finger in range(fingers):
        judge.down(finger, 20 + 15 * finger, 50, SECOND + finger * 10_000, BOTH)
    for finger in range(fingers):
        assert judge.up(finger, 20 + 15 * finger, 50, SECOND + 200_000, BOTH).target is None


def test_a_large_patch_is_a_palm() -> None:
    judge = TouchJudge()
    judge.down("f", 50, 50, SECOND, BOTH, size=PALM_SIZE)
    assert judge.up("f", 50, 50, SECOND + 90_000, BOTH).target is None
    judge.down("g", 50, 50, 2 * SECOND, BOTH, size=60)
    judge.move("g", 50, 50, size=PALM_SIZE + 1)
    assert judge.up("g", 50, 50, 2 * SECOND + 90_000, BOTH).target is None


def test_a_forearm_that_rests_counts_not_and_holds_nobody_up() -> None:
    judge = TouchJudge()
    judge.down("arm", 150, 50, SECOND, BOTH)
    assert tap(judge, 50, 50, SECOND + REST_US - 1) is None
    assert tap(judge, 50, 50, SECOND + REST_US) is NamedKey.FOLD
    assert judge.up("arm", 150, 50, SECOND + REST_US + SECOND, BOTH).target is None


def test_two_taps_one_after_the_other_both_count() -> None:
    judge = TouchJudge()
    assert tap(judge, 50, 50, SECOND) is NamedKey.FOLD
    assert tap(judge, 150, 50, SECOND + 95_000) is NamedKey.CALL


@pytest.mark.parametrize(("later_us", "counts"), [(DOUBLE_US - 1, False), (DOUBLE_US, True)])
def test_a_double_tap_does_once(later_us: int, counts: bool) -> None:
    judge = TouchJudge()
    assert tap(judge, 50, 50, SECOND) is NamedKey.FOLD
    judge.changed(BOTH, SECOND + 100_000)
    up_us = SECOND + 90_000
    again = tap(judge, 50, 50, up_us + later_us)
    assert (again is NamedKey.FOLD) is counts


def test_the_second_tap_does_not_touch_what_the_first_has_brought_there() -> None:
    judge = TouchJudge()
    assert tap(judge, 50, 50, SECOND) is NamedKey.FOLD
    under = (Touchable(NamedKey.ALL_IN, FOLD.box, "3 all-in"),)
    judge.down("f", 52, 48, SECOND + 200_000, under)
    assert judge.up("f", 52, 48, SECOND + 290_000, under).target is None


def test_two_taps_on_a_digit_are_two_digits() -> None:
    seven = (Touchable(Digit("7"), Box(0, 0, 100, 100)),)
    judge = TouchJudge()
    for at_us in (SECOND, SECOND + 150_000):
        judge.down("f", 50, 50, at_us, seven)
        assert judge.up("f", 50, 50, at_us + 50_000, seven).target == Digit("7")


def test_a_drag_is_measured_in_millimetres_of_the_panel() -> None:
    far = (DRAG_MM - 0.5) * TEN.dots_per_mm
    for layout, counts in ((TEN, True), (SEVEN, far <= DRAG_MM * SEVEN.dots_per_mm)):
        judge = TouchJudge(layout.dots_per_mm)
        assert (tap(judge, 10, 50, SECOND, to=(10 + far, 50)) is NamedKey.FOLD) is counts


def test_a_target_that_changes_its_meaning_under_the_finger_does_not_count() -> None:
    judge = TouchJudge()
    judge.down("f", 150, 50, SECOND, BOTH)
    later = (FOLD, Touchable(NamedKey.CALL, CALL.box, "4 call"))
    outcome = judge.up("f", 150, 50, SECOND + 90_000, later)
    assert outcome.target is None
    assert outcome.stale


@pytest.mark.parametrize(("after_us", "counts"), [(REACTION_US - 1, False), (REACTION_US, True)])
def test_a_touch_just_after_a_change_was_aimed_at_what_stood_there_before(after_us: int, counts: bool) -> None:
    judge = TouchJudge()
    judge.changed((FOLD, Touchable(NamedKey.CALL, CALL.box, "2 call")), SECOND)
    judge.down("f", 150, 50, SECOND + after_us, BOTH)
    outcome = judge.up("f", 150, 50, SECOND + after_us + 90_000, BOTH)
    assert (outcome.target is NamedKey.CALL) is counts
    assert outcome.stale is not counts
    assert tap(judge, 50, 50, 3 * SECOND) is NamedKey.FOLD


def test_what_stayed_the_same_through_a_change_can_be_touched_at_once() -> None:
    judge = TouchJudge()
    judge.changed((FOLD, Touchable(NamedKey.CALL, CALL.box, "2 call")), SECOND)
    assert tap(judge, 50, 50, SECOND + 1) is NamedKey.FOLD


def test_the_pressed_target_is_that_of_the_one_finger_that_may_count() -> None:
    judge = TouchJudge()
    assert judge.pressed is None
    judge.down("f", 50, 50, SECOND, BOTH)
    assert judge.pressed == FOLD
    judge.move("f", 50 + 2 * DRAG, 50)
    assert judge.pressed is None
    judge.up("nobody", 0, 0, SECOND, BOTH)


def test_contacts_beyond_what_a_panel_reports_are_bounded() -> None:
    judge = TouchJudge()
    for finger in range(200):
        judge.down(finger, 50, 50, SECOND + finger, BOTH)
    assert len(judge._fingers) <= 32


def test_an_edge_belongs_to_one_target_only() -> None:
    left, right = Touchable(Seat(1), Box(0, 0, 80, 80)), Touchable(Seat(2), Box(80, 0, 80, 80))
    assert touchable_at((left, right), 80, 10) == right
    assert touchable_at((left, right), 79.9, 10) == left
