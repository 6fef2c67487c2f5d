"""Check the layouts of both panels: elements must not overlap, and touch targets must be large enough."""

from __future__ import annotations

from itertools import combinations

import pytest

from ui.scene import lay_out_scene
from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.layout import LAYOUTS, MAX_SEATS, SEVEN_INCH_LAYOUT, TEN_INCH_LAYOUT, ScreenLayout, nearest_layout
from ui.scene.paint.primitives import Shape, Text
from ui.scene.paint.seats import seat_tile
from ui.scene.view_models import SeatTileModel
from ui.state import NamedKey, ScreenState, show_view
from ui.view_samples import view_samples

MIN_MM = {TEN_INCH_LAYOUT: (12, 4), SEVEN_INCH_LAYOUT: (9, 3)}
"""Minimum sizes in mm of touch targets and letters, for each panel. The 10 inch panel is read from farther away than
the 7 inch panel."""
ROUNDING_MM = 0.03
"""Maximum error in mm of a size that is rounded to whole pixels."""
panels = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def seat_items(layout: ScreenLayout, count: int) -> list[tuple[str, Box]]:
    items = []
    for index, boxes in enumerate(layout.seat_boxes(count), 1):
        items += [(f"tile {index}", boxes.tile), (f"spot {index}", boxes.spot)]
    return items


@panels
@pytest.mark.parametrize("count", range(MAX_SEATS + 1))
def test_seats_bets_and_centre_do_not_overlap(layout: ScreenLayout, count: int) -> None:
    boxes = [
        *seat_items(layout, count),
        ("centre", layout.centre),
        ("status line", layout.status_line),
        ("header", layout.header),
    ]
    boxes += [("left", layout.left_panel), ("right", layout.right_panel)]
    for name, box in boxes:
        assert layout.screen.encloses(box), name
    for (name, box), (other_name, other) in combinations(boxes, 2):
        assert not box.overlaps(other), f"{name} overlaps {other_name} at {count} seats"


DESTRUCTIVE = {
    *(NamedKey.FOLD, NamedKey.CALL, NamedKey.POT, NamedKey.ALL_IN),
    *(NamedKey.UNDO, NamedKey.REDO, NamedKey.DEAL, NamedKey.AWARD, NamedKey.NEXT_HAND),
}
"""Keys of the main page that change the hand at once."""


def destructive_boxes(layout: ScreenLayout) -> list[Box]:
    """Return the places of all keys on the main page that change the hand at once, while a seat is in turn or not."""
    samples = {sample.name: sample.view for sample in view_samples()}
    return [
        key.box
        for name in ("pot-limit", "closed", "idle")
        for key in lay_out_scene(show_view(ScreenState(), samples[name]), Appearance(layout=layout)).keys
        if key.target in DESTRUCTIVE
    ]


@panels
@pytest.mark.parametrize("name", ["number-pad", "award", "misdeal"])
def test_ok_covers_no_key_that_changes_the_hand(layout: ScreenLayout, name: str) -> None:
    """A second tap on OK must not fold, go all-in, undo or start a hand."""
    sample = next(sample for sample in view_samples() if sample.name == name)
    scene = lay_out_scene(sample.screen_state, Appearance(layout=layout))
    ok = next(key.box for key in scene.keys if key.target is NamedKey.OK)
    assert [box for box in destructive_boxes(layout) if ok.overlaps(box)] == []


@panels
@pytest.mark.parametrize("status", ["EMPTY", "LEER"])
def test_dealer_button_on_an_empty_seat_is_drawn(layout: ScreenLayout, status: str) -> None:
    """A dead button is at a seat without a player (TDA 34)."""
    tile = layout.seat_boxes(MAX_SEATS)[0].tile
    model = SeatTileModel("4", "", status, "empty", has_button=True, is_occupied=False)
    items = seat_tile(model, tile, Appearance(layout=layout))
    discs = [item for item in items if isinstance(item, Shape) and item.kind == "disc"]
    texts = {item.text: item.box for item in items if isinstance(item, Text)}
    assert len(discs) == 1
    assert set(texts) == {"4", status, "D"}
    assert tile.x < discs[0].box.x < discs[0].box.right < tile.right
    assert texts["4"].right <= texts[status].x < texts[status].right <= discs[0].box.x


@panels
@pytest.mark.parametrize("count", range(MAX_SEATS + 1))
def test_seat_boxes_are_clockwise_from_the_dealers_left(layout: ScreenLayout, count: int) -> None:
    seats = layout.seat_boxes(count)
    assert len(seats) == count
    if count >= 2:
        assert seats[0].tile.cx < layout.width / 2 < seats[-1].tile.cx
    for left, right in zip(seats, reversed(seats), strict=True):
        assert left.tile.cx + right.tile.cx == pytest.approx(layout.width)


@panels
def test_minimum_sizes_match_the_panel_in_millimetres(layout: ScreenLayout) -> None:
    target_mm, letters_mm = MIN_MM[layout]
    assert layout.min_target_size / layout.dots_per_mm >= target_mm - ROUNDING_MM
    assert layout.min_font_size / layout.dots_per_mm >= letters_mm - ROUNDING_MM
    assert min(layout.font_sizes) >= layout.min_font_size


@panels
def test_every_touchable_box_has_the_minimum_target_size(layout: ScreenLayout) -> None:
    boxes = [
        *layout.numbers,
        *layout.action_keys,
        *layout.offer_keys,
        *layout.service_keys,
        *layout.number_pad,
        *layout.card_tabs,
        *layout.card_keys,
        *layout.table_keys,
        *layout.offer_list_keys,
        *layout.amount_keys,
        *layout.award_keys,
    ]
    boxes += [
        layout.undo_key,
        layout.redo_key,
        layout.next_key,
        layout.cancel_key,
        layout.ok_key,
        layout.confirm_key,
        layout.raise_by_key,
        layout.close_card_key,
        layout.card_entry,
        layout.wager_entry,
        layout.award_entry,
    ]
    boxes += [box for count in range(MAX_SEATS + 1) for name, box in seat_items(layout, count)]
    for box in boxes:
        assert min(box.w, box.h) >= layout.min_target_size, box


@panels
def test_keys_of_one_panel_do_not_overlap(layout: ScreenLayout) -> None:
    for group in (
        (
            *layout.numbers,
            *layout.action_keys,
            layout.undo_key,
            layout.next_key,
            *layout.service_keys,
            *layout.offer_keys,
        ),
        (*layout.numbers, layout.cancel_key, layout.wager_entry, *layout.amount_keys, layout.undo_key),
        (*layout.numbers, layout.next_key, layout.ok_key, layout.raise_by_key, *layout.number_pad),
        (layout.close_card_key, layout.card_entry, *layout.card_tabs, *layout.card_keys, *layout.number_pad),
        (layout.close_card_key, layout.card_entry, *layout.table_keys, *layout.number_pad),
        layout.offer_list_keys,
        (*layout.award_keys, layout.undo_key, layout.next_key, layout.award_entry, layout.confirm_key),
    ):
        for box, other in combinations(group, 2):
            assert not box.overlaps(other)


@panels
def test_alert_band_has_its_keys_side_by_side(layout: ScreenLayout) -> None:
    text_box, keys = layout.alert_band_boxes(
        (2 * layout.min_target_size, layout.min_target_size, layout.min_target_size)
    )
    for box in (layout.alert_sign, text_box, *keys):
        assert layout.header.encloses(box)
    for box, other in combinations((layout.alert_sign, text_box, *keys), 2):
        assert not box.overlaps(other)


@pytest.mark.parametrize(
    ("size", "layout"),
    [
        ((1280, 800), TEN_INCH_LAYOUT),
        ((1024, 600), SEVEN_INCH_LAYOUT),
        ((1920, 1200), TEN_INCH_LAYOUT),
        ((800, 480), SEVEN_INCH_LAYOUT),
        ((1280, 720), TEN_INCH_LAYOUT),
    ],
)
def test_window_has_the_layout_that_needs_the_least_scaling(size: tuple[int, int], layout: ScreenLayout) -> None:
    assert nearest_layout(*size) is layout


@panels
def test_impossible_number_of_seats_raises_an_error(layout: ScreenLayout) -> None:
    with pytest.raises(ValueError, match="expected 0 to 10, got 11"):
        layout.seat_boxes(11)
