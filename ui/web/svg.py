"""Drawings as SVG: the picture of a scene for a browser.

A browser shows the picture of the dealer's screen from the same shapes, icons and texts as the window. Each named part
of the drawing becomes one group, so that a browser can replace the groups that have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

from ui.scene import fonts, layout, paint, text_layout, tokens

_ASCENT: Final = {"Roboto": 0.928, "MicroHei": 0.937, "DejaVuSans": 0.928}
"""Height of a font above the baseline, relative to the font size, from its font file."""
_LINE_HEIGHT: Final = {"Roboto": 1.172, "MicroHei": 1.172, "DejaVuSans": 1.164}
"""Height of one line of a font, relative to the font size, from its font file."""
_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}


def svg_groups(drawing: paint.Drawing, screen: layout.ScreenLayout) -> dict[str, str]:
    """Return the SVG groups by identifier, in the order in which the groups must be drawn."""
    parts = sorted(drawing.items(), key=lambda item: item[0].layer)
    return {
        identifier: f'<g id="{identifier}">{"".join(_elements(primitives, screen.height))}</g>'
        for identifier, primitives in ((_identifier(part), primitives) for part, primitives in parts)
    }


def svg_document(drawing: paint.Drawing, screen: layout.ScreenLayout, background: str) -> str:
    """Return the whole picture as one SVG document."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {screen.width} {screen.height}" '
        f'font-weight="bold"><rect width="100%" height="100%" fill={quoteattr(background)}/>'
        f"{''.join(svg_groups(drawing, screen).values())}</svg>"
    )


def _identifier(part: paint.DrawingPart) -> str:
    """Return an identifier such as `seats-1a2b3c4d`, which stays the same while the content of the part changes."""
    return f"{part.layer.name.lower()}-{crc32(repr(part.name).encode()):08x}"


def _elements(primitives: tuple[paint.Primitive, ...], height: int) -> Iterator[str]:
    for primitive in primitives:
        if isinstance(primitive, paint.Text):
            yield from _text_lines(primitive, height)
        elif isinstance(primitive, paint.Icon):
            yield _icon(primitive, height)
        elif primitive.kind == "disc":
            yield _disc(primitive, height)
        elif primitive.kind == "triangle":
            yield from _triangle(primitive, height)
        else:
            yield _panel(primitive, height)


def _panel(shape: paint.Shape, height: int) -> str:
    """Return a rectangle. SVG draws half of an outline outside the edge, so that the rectangle is made smaller."""
    box = shape.box.inset(shape.outline_width / 2)
    radius = max(0.0, min(shape.radius, min(shape.box.w, shape.box.h) / 2 - 2) - shape.outline_width / 2)
    corners = f' rx="{_number(radius)}"' if radius else ""
    return (
        f'<rect x="{_number(box.x)}" y="{_number(height - box.top)}" width="{_number(box.w)}" '
        f'height="{_number(box.h)}"{corners}{_paint(shape)}/>'
    )


def _disc(shape: paint.Shape, height: int) -> str:
    box = shape.box
    radius = (min(box.w, box.h) - shape.outline_width) / 2
    return f'<circle cx="{_number(box.cx)}" cy="{_number(height - box.cy)}" r="{_number(radius)}"{_paint(shape)}/>'


def _triangle(shape: paint.Shape, height: int) -> Iterator[str]:
    """Yield a triangle. Its outline is a larger triangle below it, as in the window."""
    for inset, colour in ((0.0, shape.outline), (shape.outline_width, shape.fill)):
        box = shape.box.inset(inset)
        points = _points(((box.x, box.y), (box.right, box.y), (box.cx, box.top)), height)
        yield f'<polygon points="{points}" fill={quoteattr(colour or "none")}/>'


def _icon(icon: paint.Icon, height: int) -> str:
    box = icon.box
    lines = "".join(
        f'<polyline points="{_points([(box.x + x * box.w, box.y + y * box.h) for x, y in line], height)}"/>'
        for line in paint.ICON_LINES[icon.name]
    )
    return (
        f'<g fill="none" stroke={quoteattr(icon.colour)} stroke-width="{_number(box.w * tokens.ICON_STROKE)}" '
        f'stroke-linecap="round" stroke-linejoin="round">{lines}</g>'
    )


def _text_lines(text: paint.Text, height: int) -> Iterator[str]:
    """Yield one element for each line of the text, centred vertically in its box as the window does."""
    if not text.text:
        return
    font, lines, box = fonts.font_for(text.text), text.text.split("\n"), text.box
    line_height = text.size * text_layout.LINE_HEIGHT * _LINE_HEIGHT[font] / _LINE_HEIGHT["Roboto"]
    block_height = line_height * (len(lines) - 1) + text.size * _LINE_HEIGHT[font]
    baseline = height - box.cy - block_height / 2 + text.size * _ASCENT[font]
    x = {"left": box.x, "center": box.cx, "right": box.right}[text.align]
    for number, line in enumerate(lines):
        yield (
            f'<text x="{_number(x)}" y="{_number(baseline + number * line_height)}" font-family="{font}" '
            f'font-size="{_number(text.size)}" text-anchor="{_ANCHORS[text.align]}" fill={quoteattr(text.colour)}>'
            f"{escape(line)}</text>"
        )


def _paint(shape: paint.Shape) -> str:
    stroke = f' stroke={quoteattr(shape.outline)} stroke-width="{_number(shape.outline_width)}"'
    opacity = f' opacity="{_number(shape.opacity)}"' if shape.opacity != 1 else ""
    return f" fill={quoteattr(shape.fill or 'none')}{stroke if shape.outline and shape.outline_width else ''}{opacity}"


def _points(points: Iterable[tuple[float, float]], height: int) -> str:
    return " ".join(f"{_number(x)},{_number(height - y)}" for x, y in points)


def _number(value: float) -> str:
    """Return a number with at most two decimals, because more make the picture larger and not better."""
    return f"{round(value, 2):g}"
