"""All of a scene as marks, part by part: what has not changed is the same value as before."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from ui.scene.paint import centre, lower, page, table, top
from ui.scene.paint.marks import Marks
from ui.scene.scene import Scene


class Layer(IntEnum):
    """What lies over what."""

    FELT = 0
    TABLE = 1
    PANEL = 2
    KEYS = 3
    VEIL = 4


class Part(NamedTuple):
    """What a drawing consists of: a name that stays the same while its content changes."""

    layer: Layer
    name: object


Drawing = Mapping[Part, Marks]


def draw(scene: Scene) -> Drawing:
    """The marks of every part of the scene."""
    look = scene.look
    out: dict[Part, Marks] = {}
    if not scene.live and not scene.strip[0]:
        return {Part(Layer.VEIL, "veil"): top.veil(scene.veil, look)}
    _top(scene, out)
    if scene.page is not None:
        out[Part(Layer.FELT, "page")] = page.page(scene.page, look)
    else:
        _table(scene, out)
    _panel(scene, out)
    if not scene.live:
        out[Part(Layer.VEIL, "veil")] = top.veil(scene.veil, look)
    return out


def _table(scene: Scene, out: dict[Part, Marks]) -> None:
    look = scene.look
    out[Part(Layer.FELT, "felt")] = centre.felt(look)
    places = look.layout.places(len(scene.seats))
    for number, (face, spot, place) in enumerate(zip(scene.seats, scene.spots, places, strict=True), 1):
        out[Part(Layer.TABLE, ("spot", number))] = table.spot(spot, place.spot, look)
        out[Part(Layer.TABLE, ("tile", number))] = table.tile(face, place.tile, look)
    out[Part(Layer.TABLE, "centre")] = centre.centre(scene.street, scene.pot, scene.sides, look)
    out[Part(Layer.TABLE, "told")] = top.told(*scene.told, scene.made_up, look)


def _top(scene: Scene, out: dict[Part, Marks]) -> None:
    look = scene.look
    if scene.words_box is not None:
        out[Part(Layer.PANEL, "band")] = top.band(scene.band, scene.words_box, look)
    else:
        out[Part(Layer.PANEL, "strip")] = top.strip(scene.strip, look)
        out[Part(Layer.PANEL, "calm")] = top.calm(scene.lately, scene.notes, look)


def _panel(scene: Scene, out: dict[Part, Marks]) -> None:
    look = scene.look
    quick = {one.box for one in scene.touchables}
    for index, (face, box) in enumerate(zip(scene.numbers, look.layout.numbers, strict=False)):
        out[Part(Layer.PANEL, ("number", index))] = lower.figure(face, box, box in quick, look)
    if scene.entry is not None:
        out[Part(Layer.PANEL, "entry")] = lower.entry(scene.entry, look)
    for one in scene.keys:
        tone = one.tone if one.enabled and scene.live else "off"
        out[Part(Layer.KEYS, one.target)] = lower.key(one.label, one.detail, tone, one.box, look)
