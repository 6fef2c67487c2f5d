"""Geometry of the screen: nothing overlaps, everything that can be touched is 12 mm."""

from __future__ import annotations

from itertools import combinations

import pytest

from ui.scene import Box, layout


def parts(count: int) -> list[tuple[str, Box]]:
    out = []
    for index, place in enumerate(layout.places(count), 1):
        out += [(f"tile {index}", place.tile), (f"spot {index}", place.spot)]
    return out


@pytest.mark.parametrize("count", range(11))
def test_seats_bets_and_centre_do_not_overlap(count: int) -> None:
    boxes = [*parts(count), ("centre", layout.CENTRE), ("told", layout.TOLD), ("panel", layout.PANEL)]
    boxes += [("band", layout.BAND), ("strip", layout.STRIP)]
    for (name, box), (other_name, other) in combinations(boxes, 2):
        assert not box.overlaps(other), f"{name} overlaps {other_name} at {count} seats"
        assert layout.SCREEN.holds(box), name


@pytest.mark.parametrize("count", range(11))
def test_a_table_of_n_seats_has_n_places_clockwise_from_the_dealers_left(count: int) -> None:
    places = layout.places(count)
    assert len(places) == count
    if count >= 2:
        assert places[0].tile.cx < layout.WIDTH / 2 < places[-1].tile.cx
    for left, right in zip(places, reversed(places), strict=True):
        assert left.tile.cx + right.tile.cx == pytest.approx(layout.WIDTH)


def test_targets_are_twelve_millimetres() -> None:
    assert layout.MIN_TARGET >= 12 * layout.DOTS_PER_MM > layout.MIN_TARGET - 1
    boxes = [*layout.NUMBERS, *layout.ACTIONS, *layout.BLOCK, *layout.PAD, *layout.SEAT_KEYS, layout.POT]
    boxes += [box for _, box in parts(10)]
    for choices in range(5):
        for extras in range(3):
            _, words, keys, small = layout.band(choices, extras)
            boxes += [*keys, *small]
            assert words.w >= 300, (choices, extras)
    for box in boxes:
        assert min(box.w, box.h) >= layout.MIN_TARGET, box


@pytest.mark.parametrize("choices", range(5))
def test_the_band_holds_its_keys_side_by_side(choices: int) -> None:
    sign, words, keys, small = layout.band(choices, 2)
    boxes = [sign, words, *keys, *small]
    for box in boxes:
        assert layout.BAND.holds(box)
    for box, other in combinations(boxes, 2):
        assert not box.overlaps(other)


def test_a_number_of_seats_that_no_table_has_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 0 to 10, got 11"):
        layout.places(11)
