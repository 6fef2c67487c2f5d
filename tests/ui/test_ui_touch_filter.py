"""Check the rules of `ui.scene.touch_filter` in simulated time, with one test for each rule."""

from __future__ import annotations

import pytest

from ui.scene import Box, TouchFilter
from ui.scene.layout import SEVEN_INCH_LAYOUT, TEN_INCH_LAYOUT
from ui.scene.touch_filter import (
    DOUBLE_TAP_WINDOW_US,
    ENTRY_GUARD_US,
    MAX_DRAG_MM,
    MAX_PRESS_US,
    MIN_PALM_MM,
    PALM_WINDOW_US,
    REACTION_TIME_US,
    TouchArea,
    TouchResult,
    touch_area_at,
)
from ui.state import ChipKey, NamedKey, PadDigit, SeatKey, SeatTile, Target

FOLD = TouchArea(NamedKey.FOLD, Box(0, 0, 100, 100), "3 fold")
CALL = TouchArea(NamedKey.CALL, Box(110, 0, 100, 100), "3 call")
BOTH = (FOLD, CALL)
SECOND_US = 1_000_000
DRAG_PX, PALM_SIZE_PX = MAX_DRAG_MM * TEN_INCH_LAYOUT.dots_per_mm, MIN_PALM_MM * TEN_INCH_LAYOUT.dots_per_mm


def tap(
    touch_filter: TouchFilter, x: float, y: float, at_us: int, to: tuple[float, float] | None = None
) -> Target | None:
    touch_filter.down("f", x, y, at_us, BOTH)
    end = to or (x, y)
    if to:
        touch_filter.move("f", *to)
    return touch_filter.up("f", *end, at_us + 90_000, BOTH).target


def test_touch_counts_if_it_begins_and_ends_on_one_target() -> None:
    assert tap(TouchFilter(), 50, 50, SECOND_US) is NamedKey.FOLD
    assert tap(TouchFilter(), 50, 50, SECOND_US, to=(60, 45)) is NamedKey.FOLD
    assert tap(TouchFilter(), 105, 50, SECOND_US) is None


def test_touch_that_leaves_its_target_does_not_count() -> None:
    assert tap(TouchFilter(), 98, 50, SECOND_US, to=(112, 50)) is None
    assert tap(TouchFilter(), 98, 50, SECOND_US, to=(104, 50)) is None


def test_drag_does_not_count_even_if_it_returns() -> None:
    touch_filter = TouchFilter()
    touch_filter.down("f", 20, 20, SECOND_US, BOTH)
    touch_filter.move("f", 20 + DRAG_PX + 1, 20)
    touch_filter.move("f", 20, 20)
    assert touch_filter.up("f", 20, 20, SECOND_US + 90_000, BOTH).target is None


def test_first_finger_counts_and_second_finger_does_not() -> None:
    touch_filter = TouchFilter()
    touch_filter.down("first", 50, 50, SECOND_US, BOTH)
    touch_filter.down("second", 150, 50, SECOND_US + PALM_WINDOW_US + 1, BOTH)
    assert touch_filter.up("second", 150, 50, SECOND_US + 200_000, BOTH).target is None
    assert touch_filter.up("first", 50, 50, SECOND_US + 250_000, BOTH).target is NamedKey.FOLD


@pytest.mark.parametrize("fingers", [2, 5])
def test_palm_contacts_do_not_count(fingers: int) -> None:
    touch_filter = TouchFilter()
    for finger in range(fingers):
        touch_filter.down(finger, 20 + 15 * finger, 50, SECOND_US + finger * 10_000, BOTH)
    for finger in range(fingers):
        assert touch_filter.up(finger, 20 + 15 * finger, 50, SECOND_US + 200_000, BOTH).target is None


def test_large_contact_is_a_palm() -> None:
    touch_filter = TouchFilter()
    touch_filter.down("f", 50, 50, SECOND_US, BOTH, size=PALM_SIZE_PX)
    assert touch_filter.up("f", 50, 50, SECOND_US + 90_000, BOTH).target is None
    touch_filter.down("g", 50, 50, 2 * SECOND_US, BOTH, size=60)
    touch_filter.move("g", 50, 50, size=PALM_SIZE_PX + 1)
    assert touch_filter.up("g", 50, 50, 2 * SECOND_US + 90_000, BOTH).target is None


def test_resting_forearm_does_not_count_or_block_touches() -> None:
    touch_filter = TouchFilter()
    touch_filter.down("arm", 150, 50, SECOND_US, BOTH)
    assert tap(touch_filter, 50, 50, SECOND_US + MAX_PRESS_US - 1) is None
    assert tap(touch_filter, 50, 50, SECOND_US + MAX_PRESS_US) is NamedKey.FOLD
    assert touch_filter.up("arm", 150, 50, SECOND_US + MAX_PRESS_US + SECOND_US, BOTH).target is None


def test_quick_taps_on_two_targets_both_count() -> None:
    touch_filter = TouchFilter()
    assert tap(touch_filter, 50, 50, SECOND_US) is NamedKey.FOLD
    assert tap(touch_filter, 150, 50, SECOND_US + 95_000) is NamedKey.CALL


@pytest.mark.parametrize(("later_us", "counts"), [(DOUBLE_TAP_WINDOW_US - 1, False), (DOUBLE_TAP_WINDOW_US, True)])
def test_double_tap_counts_once(later_us: int, counts: bool) -> None:
    touch_filter = TouchFilter()
    assert tap(touch_filter, 50, 50, SECOND_US) is NamedKey.FOLD
    touch_filter.targets_changed(BOTH, SECOND_US + 100_000)
    up_us = SECOND_US + 90_000
    second_target = tap(touch_filter, 50, 50, up_us + later_us)
    assert (second_target is NamedKey.FOLD) is counts


def test_each_of_four_quick_touches_counts_or_is_refused() -> None:
    """The touches are 0.25 s apart. Two of them count, so that the dealer must see why the other two do not."""
    touch_filter = TouchFilter()
    results: list[TouchResult] = []
    for at_us in range(SECOND_US, 2 * SECOND_US, 250_000):
        touch_filter.down("f", 50, 50, at_us, BOTH)
        assert (touch_filter.pressed_area is not None) is (len(results) % 2 == 0)
        results.append(touch_filter.up("f", 50, 50, at_us + 60_000, BOTH))
    assert [result.target for result in results] == [NamedKey.FOLD, None, NamedKey.FOLD, None]
    assert [result.is_double_tap for result in results] == [False, True, False, True]


@pytest.mark.parametrize("entry_key", [PadDigit("3"), NamedKey.OK, NamedKey.CANCEL, NamedKey.AS_RAISE_BY, SeatKey(3)])
@pytest.mark.parametrize("by_touch", [True, False])
@pytest.mark.parametrize(("later_us", "counts"), [(ENTRY_GUARD_US - 1, False), (ENTRY_GUARD_US, True)])
def test_place_of_an_entry_key_is_blocked_after_the_entry(
    entry_key: Target, by_touch: bool, later_us: int, counts: bool
) -> None:
    touch_filter = TouchFilter()
    touch_filter.targets_changed((TouchArea(entry_key, FOLD.box),), SECOND_US, by_touch=by_touch)
    touch_filter.down("f", 50, 50, SECOND_US + later_us, BOTH)
    result = touch_filter.up("f", 50, 50, SECOND_US + later_us + 60_000, BOTH)
    assert (result.target is NamedKey.FOLD, result.is_stale) == (counts, not counts)
    touch_filter.down("g", 150, 50, SECOND_US + 2 * later_us, BOTH)
    assert touch_filter.up("g", 150, 50, SECOND_US + 2 * later_us + 60_000, BOTH).target is NamedKey.CALL


@pytest.mark.parametrize(("old_target", "counts"), [(NamedKey.OK, True), (PadDigit("8"), False), (ChipKey(25), False)])
def test_digit_counts_at_once_where_ok_was(old_target: Target, counts: bool) -> None:
    """After OK of a name, its amount follows. A second tap on OK enters a 0 at most, which the pad shows."""
    touch_filter = TouchFilter()
    areas = (TouchArea(PadDigit("0"), FOLD.box),)
    touch_filter.targets_changed((TouchArea(old_target, FOLD.box),), SECOND_US, by_touch=True)
    touch_filter.down("f", 50, 50, SECOND_US + 400_000, areas)
    result = touch_filter.up("f", 50, 50, SECOND_US + 460_000, areas)
    assert (result.target == PadDigit("0"), result.is_stale) == (counts, not counts)


def test_key_that_a_touch_opened_may_be_touched_at_once() -> None:
    touch_filter = TouchFilter()
    touch_filter.targets_changed((CALL,), SECOND_US, by_touch=True)
    assert tap(touch_filter, 150, 50, SECOND_US + 10_000) is NamedKey.CALL
    assert tap(touch_filter, 50, 50, SECOND_US + 20_000) is NamedKey.FOLD


def test_second_tap_does_not_hit_a_target_that_the_first_tap_opened() -> None:
    touch_filter = TouchFilter()
    assert tap(touch_filter, 50, 50, SECOND_US) is NamedKey.FOLD
    new_areas = (TouchArea(NamedKey.ALL_IN, FOLD.box, "3 all-in"),)
    touch_filter.down("f", 52, 48, SECOND_US + 200_000, new_areas)
    assert touch_filter.up("f", 52, 48, SECOND_US + 290_000, new_areas).target is None


def test_two_quick_taps_on_a_digit_are_two_digits() -> None:
    areas = (TouchArea(PadDigit("7"), Box(0, 0, 100, 100)),)
    touch_filter = TouchFilter()
    for at_us in (SECOND_US, SECOND_US + 150_000):
        touch_filter.down("f", 50, 50, at_us, areas)
        assert touch_filter.up("f", 50, 50, at_us + 50_000, areas).target == PadDigit("7")


def test_drag_is_measured_in_millimetres_of_the_panel() -> None:
    distance = (MAX_DRAG_MM - 0.5) * TEN_INCH_LAYOUT.dots_per_mm
    for layout, counts in (
        (TEN_INCH_LAYOUT, True),
        (SEVEN_INCH_LAYOUT, distance <= MAX_DRAG_MM * SEVEN_INCH_LAYOUT.dots_per_mm),
    ):
        touch_filter = TouchFilter(layout.dots_per_mm)
        assert (tap(touch_filter, 10, 50, SECOND_US, to=(10 + distance, 50)) is NamedKey.FOLD) is counts


def test_target_that_changes_under_the_finger_does_not_count() -> None:
    touch_filter = TouchFilter()
    touch_filter.down("f", 150, 50, SECOND_US, BOTH)
    new_areas = (FOLD, TouchArea(NamedKey.CALL, CALL.box, "4 call"))
    result = touch_filter.up("f", 150, 50, SECOND_US + 90_000, new_areas)
    assert result.target is None
    assert result.is_stale


@pytest.mark.parametrize(("after_us", "counts"), [(REACTION_TIME_US - 1, False), (REACTION_TIME_US, True)])
def test_touch_right_after_a_change_of_its_target_does_not_count(after_us: int, counts: bool) -> None:
    touch_filter = TouchFilter()
    touch_filter.targets_changed((FOLD, TouchArea(NamedKey.CALL, CALL.box, "2 call")), SECOND_US)
    touch_filter.down("f", 150, 50, SECOND_US + after_us, BOTH)
    result = touch_filter.up("f", 150, 50, SECOND_US + after_us + 90_000, BOTH)
    assert (result.target is NamedKey.CALL) is counts
    assert result.is_stale is not counts
    assert tap(touch_filter, 50, 50, 3 * SECOND_US) is NamedKey.FOLD


def test_unchanged_target_can_be_touched_right_after_a_change() -> None:
    touch_filter = TouchFilter()
    touch_filter.targets_changed((FOLD, TouchArea(NamedKey.CALL, CALL.box, "2 call")), SECOND_US)
    assert tap(touch_filter, 50, 50, SECOND_US + 1) is NamedKey.FOLD


def test_pressed_target_is_that_of_the_counting_finger() -> None:
    touch_filter = TouchFilter()
    assert touch_filter.pressed_area is None
    touch_filter.down("f", 50, 50, SECOND_US, BOTH)
    assert touch_filter.pressed_area == FOLD
    touch_filter.move("f", 50 + 2 * DRAG_PX, 50)
    assert touch_filter.pressed_area is None
    touch_filter.up("nobody", 0, 0, SECOND_US, BOTH)


def test_number_of_tracked_contacts_is_limited() -> None:
    touch_filter = TouchFilter()
    for finger in range(200):
        touch_filter.down(finger, 50, 50, SECOND_US + finger, BOTH)
    assert len(touch_filter._fingers) <= 32


def test_shared_edge_belongs_to_one_target() -> None:
    left, right = TouchArea(SeatTile(1), Box(0, 0, 80, 80)), TouchArea(SeatTile(2), Box(80, 0, 80, 80))
    assert touch_area_at((left, right), 80, 10) == right
    assert touch_area_at((left, right), 79.9, 10) == left
