"""The canvas that draws shapes and texts.

Each part of a drawing has its own group of Kivy instructions. If one part changes, only its group is drawn again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from kivy.core.text import Label as TextLabel
from kivy.graphics import BorderImage, Callback, Color, InstructionGroup, Rectangle, Triangle
from kivy.graphics.opengl import GL_BLEND, glDisable, glEnable
from kivy.graphics.texture import Texture
from kivy.uix.widget import Widget

from ui.scene import Box, fonts, paint, text_layout, tokens
from ui.window.nine_patch import colour_parts, disc_texture, icon_texture, nine_patch, use_nearest_filter, white_texture

BOLD_FONT: Final = "Roboto"
"""Name of the font that also has bold letters."""
FONT_LINE_HEIGHT = 1.17
"""Height of a line of text in the font Roboto, relative to the font size."""
TEXTURE_CACHE_SIZE = 1600
"""Maximum number of cached textures of texts. With fewer, a view of a hand draws several of its texts again."""


@lru_cache(TEXTURE_CACHE_SIZE)
def text_texture(text: str, size: float, align: paint.Align, scale: float) -> Texture:
    """Return a texture with the text in white. `scale` is the size of the window relative to the layout."""
    font = fonts.font_for(text)
    label = TextLabel(
        text=text,
        font_size=size * scale,
        font_name=font,
        bold=font == BOLD_FONT,
        halign=align,
        line_height=text_layout.LINE_HEIGHT / FONT_LINE_HEIGHT,
    )
    label.refresh()
    if scale == 1:
        use_nearest_filter(label.texture)
    return label.texture


class SceneCanvas(Widget):
    """The widget that draws shapes and texts. For tests, `primitives` has the current shapes and texts of each part."""

    def __init__(self) -> None:
        super().__init__()
        self.primitives: dict[paint.DrawingPart, tuple[paint.Primitive, ...]] = {}
        self._groups: dict[paint.DrawingPart, InstructionGroup] = {}
        self._layers = {layer: InstructionGroup() for layer in paint.Layer}
        self._scale = 1.0
        for layer in self._layers.values():
            self.canvas.add(layer)

    def draw(self, drawing: paint.Drawing, scale: float = 1) -> None:
        """Show a drawing. `scale` is the size of the window relative to the layout."""
        if scale != self._scale:
            self._scale = scale
            self.primitives.clear()
        for part in [part for part in self._groups if part not in drawing]:
            self.remove_part(part)
        for part, primitives in drawing.items():
            if self.primitives.get(part) is not primitives and self.primitives.get(part) != primitives:
                self.draw_part(part, primitives)

    def remove_part(self, part: paint.DrawingPart) -> None:
        """Remove one part from the canvas."""
        self._layers[part.layer].remove(self._groups.pop(part))
        self.primitives.pop(part, None)

    def draw_part(self, part: paint.DrawingPart, primitives: tuple[paint.Primitive, ...]) -> None:
        """Draw one part again."""
        group = self._groups.get(part)
        if group is None:
            group = self._groups[part] = InstructionGroup()
            self._layers[part.layer].add(group)
        group.clear()
        for primitive in primitives:
            if isinstance(primitive, paint.Text):
                self._draw_text(group, primitive)
            elif isinstance(primitive, paint.Icon):
                _draw_icon(group, primitive, self._scale)
            elif primitive.kind == "disc":
                _draw_disc(group, primitive, self._scale)
            elif primitive.kind == "triangle":
                _draw_triangle(group, primitive)
            else:
                _draw_panel(group, primitive, self._scale)
        self.primitives[part] = primitives

    def _draw_text(self, group: InstructionGroup, text: paint.Text) -> None:
        if not text.text:
            return
        texture = text_texture(text.text, text.size, text.align, self._scale)
        width, height = texture.width / self._scale, texture.height / self._scale
        box = text.box
        free_width = box.w - width
        x = box.x if text.align == "left" else box.x + free_width if text.align == "right" else box.x + free_width / 2
        y = box.y + (box.h - height) / 2
        if self._scale == 1:
            x, y = round(x), round(y)  # letters are blurred unless they start at a whole pixel
        group.add(Color(*colour_parts(text.colour)))
        group.add(Rectangle(texture=texture, pos=(x, y), size=(width, height)))


def _draw_panel(group: InstructionGroup, shape: paint.Shape, scale: float) -> None:
    box = shape.box
    if not shape.radius and not shape.outline_width:
        if shape.fill:
            red, green, blue, _ = colour_parts(shape.fill)
            group.add(Color(red, green, blue, shape.opacity))
            group.add(Rectangle(texture=white_texture(), pos=(box.x, box.y), size=(box.w, box.h)))
        return
    if scale == 1:
        box = _to_whole_pixels(box)
    max_radius = min(box.w, box.h) / 2 - 2  # the rounded corners of the texture must not overlap
    radius = min(shape.radius, max_radius)
    fill, outline = shape.fill or tokens.TRANSPARENT, shape.outline or tokens.TRANSPARENT
    patch = nine_patch(fill, outline, shape.outline_width, radius, scale == 1, shape.backdrop)
    if patch is None:
        return
    group.add(Color(1, 1, 1, shape.opacity))
    image = BorderImage(texture=patch.texture, border=(patch.border,) * 4, pos=(box.x, box.y), size=(box.w, box.h))
    if shape.backdrop:
        group.add(Callback(lambda _: glDisable(GL_BLEND)))
        group.add(image)
        group.add(Callback(lambda _: glEnable(GL_BLEND)))
    else:
        group.add(image)


def _draw_disc(group: InstructionGroup, shape: paint.Shape, scale: float) -> None:
    side = round(min(shape.box.w, shape.box.h) * scale)
    fill, outline = shape.fill or tokens.TRANSPARENT, shape.outline or tokens.TRANSPARENT
    group.add(Color(1, 1, 1, shape.opacity))
    _add_square(group, disc_texture(fill, outline, shape.outline_width * scale, side, scale == 1), shape.box, scale)


def _draw_icon(group: InstructionGroup, icon: paint.Icon, scale: float) -> None:
    group.add(Color(*colour_parts(icon.colour)))
    texture = icon_texture(paint.ICON_LINES[icon.name], round(icon.box.w * scale), scale == 1)
    _add_square(group, texture, icon.box, scale)


def _add_square(group: InstructionGroup, texture: Texture, box: Box, scale: float) -> None:
    """Draw a square texture in the centre of a box. Without scaling it starts at a whole pixel, so that it is sharp."""
    side = texture.width / scale
    x, y = box.cx - side / 2, box.cy - side / 2
    if scale == 1:
        x, y = round(x), round(y)
    group.add(Rectangle(texture=texture, pos=(x, y), size=(side, side)))


def _to_whole_pixels(box: Box) -> Box:
    """Return the box with whole pixels as coordinates, so that an outline is equally wide at each side."""
    x, y = round(box.x), round(box.y)
    return Box(x, y, round(box.right) - x, round(box.top) - y)


def _draw_triangle(group: InstructionGroup, shape: paint.Shape) -> None:
    """Draw a triangle. To draw its outline, draw a larger triangle below it first."""
    for inset, colour in ((0.0, shape.outline), (shape.outline_width, shape.fill)):
        box = shape.box.inset(inset)
        group.add(Color(*colour_parts(colour)))
        group.add(Triangle(points=(box.x, box.y, box.right, box.y, box.cx, box.top)))
