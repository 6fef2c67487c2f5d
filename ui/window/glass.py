"""Draws shapes and texts: each part of a drawing has its own canvas, and only a part that differs is drawn anew."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from kivy.core.text import Label as Letters
from kivy.graphics import BorderImage, Color, InstructionGroup, Rectangle, Triangle
from kivy.graphics.texture import Texture
from kivy.uix.widget import Widget
from kivy.utils import get_color_from_hex

from ui.scene import Box, fonts, letters, paint
from ui.window.skins import crisp, flat, skin

SIGNS: Final = frozenset("\u25c9\u2713\u270e")
SIGN_FONT: Final = "DejaVuSans"
"""What alone has these letters."""
HEAVY: Final = "Roboto"
"""The font that has heavy letters."""
FONT_LINE = 1.17
"""Height of a line as Roboto has it, in letter sizes."""
MOST_WORDS = 400
"""Words whose picture is kept: those of some views, of each about 10 kB."""


@lru_cache(MOST_WORDS)
def picture(words: str, size: float, align: paint.Align, scale: float) -> Texture:
    """The words in white, as large as they come out in a window of that scale."""
    font = SIGN_FONT if set(words) <= SIGNS else fonts.font(words)
    label = Letters(
        text=words,
        font_size=size * scale,
        font_name=font,
        bold=font == HEAVY,
        halign=align,
        line_height=letters.LINE / FONT_LINE,
    )
    label.refresh()
    if scale == 1:
        crisp(label.texture)
    return label.texture


class Glass(Widget):
    """What is drawn. `marks` of each part are as they were given last: what the tests look through."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[paint.Part, tuple[paint.Mark, ...]] = {}
        self._groups: dict[paint.Part, InstructionGroup] = {}
        self._layers = {layer: InstructionGroup() for layer in paint.Layer}
        self._scale = 1.0
        for layer in self._layers.values():
            self.canvas.add(layer)

    def draw(self, drawing: paint.Drawing, scale: float = 1) -> None:
        """Shows the drawing, in a window so many times as large as its layout."""
        if scale != self._scale:
            self._scale = scale
            self.marks.clear()
        for part in [part for part in self._groups if part not in drawing]:
            self._layers[part.layer].remove(self._groups.pop(part))
            self.marks.pop(part, None)
        for part, marks in drawing.items():
            if self.marks.get(part) is not marks and self.marks.get(part) != marks:
                self.one(part, marks)

    def one(self, part: paint.Part, marks: tuple[paint.Mark, ...]) -> None:
        """Draws one part anew."""
        group = self._groups.get(part)
        if group is None:
            group = self._groups[part] = InstructionGroup()
            self._layers[part.layer].add(group)
        group.clear()
        for mark in marks:
            if isinstance(mark, paint.Text):
                self._text(group, mark)
            elif mark.kind == "triangle":
                _triangle(group, mark)
            else:
                _panel(group, mark, self._scale)
        self.marks[part] = marks

    def _text(self, group: InstructionGroup, text: paint.Text) -> None:
        if not text.words:
            return
        texture = picture(text.words, text.size, text.align, self._scale)
        width, height = texture.width / self._scale, texture.height / self._scale
        box = text.box
        free = box.w - width
        x = box.x if text.align == "left" else box.x + free if text.align == "right" else box.x + free / 2
        y = box.y + (box.h - height) / 2
        if self._scale == 1:
            x, y = round(x), round(y)  # else the letters blur
        group.add(Color(*get_color_from_hex(text.ink)))
        group.add(Rectangle(texture=texture, pos=(x, y), size=(width, height)))


def _panel(group: InstructionGroup, shape: paint.Shape, scale: float) -> None:
    box = shape.box
    if not shape.radius and not shape.width:
        if shape.ground:
            red, green, blue, _ = get_color_from_hex(shape.ground)
            group.add(Color(red, green, blue, shape.veil))
            group.add(Rectangle(texture=flat(), pos=(box.x, box.y), size=(box.w, box.h)))
        return
    if scale == 1:
        box = _whole(box)
    half = min(box.w, box.h) / 2 - 2  # the corners of a skin must not meet
    radius = half if shape.kind == "disc" else min(shape.radius, half)
    made = skin(shape.ground or "#00000000", shape.line or "#00000000", shape.width, radius, scale == 1)
    if made is None:
        return
    group.add(Color(1, 1, 1, shape.veil))
    group.add(BorderImage(texture=made.texture, border=(made.border,) * 4, pos=(box.x, box.y), size=(box.w, box.h)))


def _whole(box: Box) -> Box:
    """The same in whole pixels: an outline is as wide on each side."""
    x, y = round(box.x), round(box.y)
    return Box(x, y, round(box.right) - x, round(box.top) - y)


def _triangle(group: InstructionGroup, shape: paint.Shape) -> None:
    """The line around it is a larger one beneath."""
    for inset, colour in ((0.0, shape.line), (shape.width, shape.ground)):
        box = shape.box.inner(inset)
        group.add(Color(*get_color_from_hex(colour)))
        group.add(Triangle(points=(box.x, box.y, box.right, box.y, box.cx, box.top)))
