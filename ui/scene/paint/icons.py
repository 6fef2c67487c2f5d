"""Icons as lines: an arrow for undo, bars for the menu, a person for the floor, and chips for the blinds.

An icon accompanies words and never replaces them. If there is too little space for both, the icon is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from typing import Final

from ui.scene.appearance import Appearance
from ui.scene.boxes import Box
from ui.scene.paint.primitives import Icon, IconName, Primitives, Text
from ui.scene.text_layout import widest_line
from ui.scene.tokens import SPACE, Tone
from ui.state import NamedKey, Target

Line = tuple[tuple[float, float], ...]
"""Points of a line, relative to the size of the icon. The origin is the lower left corner."""
ARC_STEPS: Final = 24
"""Number of straight pieces of an arc, so that it looks round in every size."""
KEY_ICONS: Final[Mapping[Target, IconName]] = {
    NamedKey.UNDO: "undo",
    NamedKey.CALL_FLOOR: "floor",
    NamedKey.MENU: "menu",
}
"""Icons of keys."""


def _arc(x: float, y: float, radius_x: float, radius_y: float, start: float = 0, end: float = 2) -> Line:
    """Return an arc around a point, from `start` to `end` in units of half a turn, counter-clockwise."""
    angles = [pi * (start + (end - start) * step / ARC_STEPS) for step in range(ARC_STEPS + 1)]
    return tuple([(x + radius_x * cos(angle), y + radius_y * sin(angle)) for angle in angles])


def _chip(y: float) -> tuple[Line, ...]:
    """Return a chip that lies flat at this height: its upper face, and its edge below."""
    face = _arc(0.5, y + 0.14, 0.42, 0.16)
    edge = ((0.08, y + 0.14), (0.08, y), *_arc(0.5, y, 0.42, 0.16, 1, 2), (0.92, y + 0.14))
    return face, edge


ICON_LINES: Final[Mapping[IconName, tuple[Line, ...]]] = {
    "undo": (
        ((0.36, 0.92), (0.08, 0.64), (0.36, 0.36)),
        ((0.08, 0.64), (0.62, 0.64), *_arc(0.62, 0.37, 0.28, 0.27, 0.5, -0.5), (0.36, 0.1)),
    ),
    "menu": tuple([((0.1, y), (0.9, y)) for y in (0.2, 0.5, 0.8)]),
    "floor": (_arc(0.5, 0.7, 0.2, 0.2), (*_arc(0.5, 0.08, 0.4, 0.32, 1, 0), (0.1, 0.08))),
    "small-blind": _chip(0.38),
    "big-blind": (*_chip(0.62), _chip(0.42)[1], _chip(0.22)[1]),
}


def icon_beside_texts(
    name: IconName, primitives: Primitives, inner: Box, tone: Tone, appearance: Appearance
) -> Primitives:
    """Return the primitives with an icon left of their texts. Return them unchanged if there is too little space."""
    texts = [item for item in primitives if isinstance(item, Text)]
    text_width = max(widest_line(text.text, text.size) for text in texts)
    side, gap = appearance.layout.type_scale.label, appearance.layout.min_font_size * SPACE
    free_width = inner.w - side - gap - text_width
    if free_width < 0:
        return primitives
    x = inner.x + free_width / 2
    moved = [
        item._replace(box=Box(x + side + gap, item.box.y, text_width, item.box.h)) if isinstance(item, Text) else item
        for item in primitives
    ]
    return *moved, Icon(name, Box(x, inner.cy - side / 2, side, side), tone.text_colour, tone.background)
