"""Geometry of the screen, for both panels: nothing overlaps, everything that can be touched is large enough."""

from __future__ import annotations

from itertools import combinations

import pytest

from ui.scene.boxes import Box
from ui.scene.layout import LAYOUTS, MOST_SEATS, SEVEN, TEN, Layout, nearest

LEAST_MM = {TEN: (12, 4), SEVEN: (9, 3)}
"""Of a target, of letters, at an arm's length from a panel of 10 inches and nearer to one of 7."""
ROUNDING_MM = 0.03
"""A size in whole pixels may be so much under one in millimetres."""
panels = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def seats(layout: Layout, count: int) -> list[tuple[str, Box]]:
    out = []
    for index, place in enumerate(layout.places(count), 1):
        out += [(f"tile {index}", place.tile), (f"spot {index}", place.spot)]
    return out


@panels
@pytest.mark.parametrize("count", range(MOST_SEATS + 1))
def test_seats_bets_and_centre_do_not_overlap(layout: Layout, count: int) -> None:
    boxes = [*seats(layout, count), ("centre", layout.centre), ("told", layout.told), ("top", layout.top)]
    boxes += [("left", layout.left), ("right", layout.right)]
    for name, box in boxes:
        assert layout.screen.holds(box), name
    for (name, box), (other_name, other) in combinations(boxes, 2):
        assert not box.overlaps(other), f"{name} overlaps {other_name} at {count} seats"


@panels
@pytest.mark.parametrize("count", range(MOST_SEATS + 1))
def test_a_table_of_n_seats_has_n_places_clockwise_from_the_dealers_left(layout: Layout, count: int) -> None:
    places = layout.places(count)
    assert len(places) == count
    if count >= 2:
        assert places[0].tile.cx < layout.width / 2 < places[-1].tile.cx
    for left, right in zip(places, reversed(places), strict=True):
        assert left.tile.cx + right.tile.cx == pytest.approx(layout.width)


@panels
def test_least_sizes_are_those_of_the_panel_in_millimetres(layout: Layout) -> None:
    target_mm, letters_mm = LEAST_MM[layout]
    assert layout.target / layout.dots_per_mm >= target_mm - ROUNDING_MM
    assert layout.text / layout.dots_per_mm >= letters_mm - ROUNDING_MM
    assert min(layout.sizes) >= layout.text


@panels
def test_whatever_can_be_touched_is_a_target(layout: Layout) -> None:
    boxes = [*layout.numbers, *layout.actions, *layout.block, *layout.pad, *layout.keys, *layout.wager]
    boxes += [layout.undo, layout.redo, layout.give, layout.key_entry, layout.wager_entry, layout.award_entry]
    boxes += [box for count in range(MOST_SEATS + 1) for name, box in seats(layout, count)]
    for box in boxes:
        assert min(box.w, box.h) >= layout.target, box


@panels
def test_keys_of_one_panel_do_not_overlap(layout: Layout) -> None:
    for group in (
        (*layout.numbers, *layout.actions, *layout.block),
        (*layout.numbers, *layout.wager, *layout.pad),
        (*layout.keys, *layout.pad),
        (*layout.keys, layout.award_entry, layout.give),
    ):
        for box, other in combinations(group, 2):
            assert not box.overlaps(other)


@panels
def test_the_band_holds_its_keys_side_by_side(layout: Layout) -> None:
    words, keys = layout.band((2 * layout.target, layout.target, layout.target))
    for box in (layout.sign, words, *keys):
        assert layout.top.holds(box)
    for box, other in combinations((layout.sign, words, *keys), 2):
        assert not box.overlaps(other)


@pytest.mark.parametrize(
    ("size", "layout"),
    [((1280, 800), TEN), ((1024, 600), SEVEN), ((1920, 1200), TEN), ((800, 480), SEVEN), ((1280, 720), TEN)],
)
def test_a_window_takes_the_layout_that_is_scaled_least(size: tuple[int, int], layout: Layout) -> None:
    assert nearest(*size) is layout


@panels
def test_a_number_of_seats_that_no_table_has_is_refused(layout: Layout) -> None:
    with pytest.raises(ValueError, match="expected 0 to 10, got 11"):
        layout.places(11)
