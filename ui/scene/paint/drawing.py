"""The drawing of a whole scene, in parts. If a part of the scene did not change, its part of the drawing is equal."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from ui.scene.paint import control_panel, header, page, seats, table_centre
from ui.scene.paint.primitives import Primitives
from ui.scene.scene import Scene


class Layer(IntEnum):
    """Layers of a drawing, from bottom to top."""

    TABLE_SURFACE = 0
    SEATS = 1
    PANEL = 2
    KEYS = 3
    OVERLAY = 4


class DrawingPart(NamedTuple):
    """A named part of a drawing. The name stays the same while the content of the part changes."""

    layer: Layer
    name: object


Drawing = Mapping[DrawingPart, Primitives]


def draw_scene(scene: Scene) -> Drawing:
    """Return the shapes and texts of every part of the scene."""
    appearance = scene.appearance
    drawing: dict[DrawingPart, Primitives] = {}
    if not scene.is_live and not scene.title_bar[0]:
        return {DrawingPart(Layer.OVERLAY, "overlay"): header.disconnected_overlay(scene.disconnected_text, appearance)}
    _draw_header(scene, drawing)
    if scene.page is not None:
        drawing[DrawingPart(Layer.TABLE_SURFACE, "page")] = page.page_background(scene.page, appearance)
    else:
        _draw_table(scene, drawing)
    _draw_panel(scene, drawing)
    if not scene.is_live:
        drawing[DrawingPart(Layer.OVERLAY, "overlay")] = header.disconnected_overlay(
            scene.disconnected_text, appearance
        )
    return drawing


def _draw_table(scene: Scene, drawing: dict[DrawingPart, Primitives]) -> None:
    appearance = scene.appearance
    drawing[DrawingPart(Layer.TABLE_SURFACE, "felt")] = table_centre.table_surface(appearance)
    seat_boxes = appearance.layout.seat_boxes(len(scene.seats))
    for number, (model, spot, boxes) in enumerate(zip(scene.seats, scene.spots, seat_boxes, strict=True), 1):
        drawing[DrawingPart(Layer.SEATS, ("spot", number))] = seats.bet_spot(spot, boxes.spot, appearance)
        drawing[DrawingPart(Layer.SEATS, ("tile", number))] = seats.seat_tile(model, boxes.tile, appearance)
    drawing[DrawingPart(Layer.SEATS, "centre")] = table_centre.table_centre(
        scene.street, scene.street_progress, scene.pot, scene.pot_list, appearance
    )
    drawing[DrawingPart(Layer.SEATS, "status-line")] = header.status_line(
        *scene.status_line, scene.max_bet_sum, appearance
    )


def _draw_header(scene: Scene, drawing: dict[DrawingPart, Primitives]) -> None:
    appearance = scene.appearance
    if scene.alert_text_box is not None:
        drawing[DrawingPart(Layer.PANEL, "band")] = header.alert_band(
            scene.alert_band, scene.alert_text_box, appearance
        )
    else:
        drawing[DrawingPart(Layer.PANEL, "strip")] = header.title_bar(scene.title_bar, appearance)
        drawing[DrawingPart(Layer.PANEL, "calm")] = header.activity_area(scene.recent_steps, scene.notes, appearance)


def _draw_panel(scene: Scene, drawing: dict[DrawingPart, Primitives]) -> None:
    appearance = scene.appearance
    touchable_boxes = {area.box for area in scene.touch_areas}
    for index, (model, box) in enumerate(zip(scene.numbers, appearance.layout.numbers, strict=False)):
        drawing[DrawingPart(Layer.PANEL, ("number", index))] = control_panel.number_field(
            model, box, box in touchable_boxes, appearance
        )
    if scene.entry_field is not None:
        drawing[DrawingPart(Layer.PANEL, "entry")] = control_panel.entry_field(scene.entry_field, appearance)
    for key in scene.keys:
        tone = key.tone if key.is_enabled and scene.is_live else "off"
        drawing[DrawingPart(Layer.KEYS, key.target)] = control_panel.draw_key(key, tone, appearance)
