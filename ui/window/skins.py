"""Textures of panels: a rounded ground with its outline, made once for each paint and stretched between its corners.

A software renderer draws one stretched picture in a tenth of the time that a rounded rectangle and an outline of
triangles take it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kivy.graphics.texture import Texture
from kivy.utils import get_color_from_hex
from PIL import Image, ImageChops, ImageDraw

FINER = 4
"""Drawn so many times larger, then made smaller: smooth edges."""
MOST = 256
"""Textures that are kept: paints times radii are some forty in each theme."""
BETWEEN = 2
"""Pixels between two corners, which are stretched."""

Paint = tuple[float, ...]
"""Red, green, blue, opaqueness, each from 0 to 1."""


class Skin(NamedTuple):
    """A texture, and how many pixels of it at each side are not stretched."""

    texture: Texture
    border: int


def skin(ground: Paint | str, edge: Paint | str, width: float, radius: float, is_crisp: bool) -> Skin | None:
    """The skin of that paint, with an outline of `width` pixels inside; None where there is nothing to be seen.
    `is_crisp`: its corners are drawn pixel for pixel."""
    grounds, edges = _paint(ground), _paint(edge)
    if not grounds[3] and not (width and edges[3]):
        return None
    return _made(grounds, edges, round(width), round(radius), is_crisp)


def crisp(texture: Texture) -> None:
    """Each pixel of the window is one of the texture, not a mean of four: half the work of a software renderer."""
    texture.mag_filter = texture.min_filter = "nearest"


@lru_cache(1)
def flat() -> Texture:
    """White, for rectangles of one colour."""
    texture = Texture.create(size=(1, 1), colorfmt="rgba")
    texture.blit_buffer(bytes((255, 255, 255, 255)), colorfmt="rgba", bufferfmt="ubyte")
    crisp(texture)
    return texture


def _paint(paint: Paint | str) -> tuple[int, ...]:
    parts = get_color_from_hex(paint) if isinstance(paint, str) else paint
    return tuple(round(255 * part) for part in parts)


@lru_cache(MOST)
def _made(ground: tuple[int, ...], edge: tuple[int, ...], width: int, radius: int, is_crisp: bool) -> Skin:
    border = max(radius, width) + 1
    side = 2 * border + BETWEEN
    whole, within = _rounded(side, 0, radius), _rounded(side, width, max(radius - width, 0))
    if not width:
        edge = ground
    ring = ImageChops.subtract(whole, within)
    colours = Image.composite(
        Image.new("RGB", (side, side), ground[:3]), Image.new("RGB", (side, side), edge[:3]), within
    )
    opaque = ImageChops.add(_weaker(within, ground[3]), _weaker(ring, edge[3]))
    colours.putalpha(opaque)
    texture = Texture.create(size=(side, side), colorfmt="rgba")
    texture.blit_buffer(colours.tobytes(), colorfmt="rgba", bufferfmt="ubyte")
    if is_crisp:
        crisp(texture)
    return Skin(texture, border)


def _rounded(side: int, inset: int, radius: int) -> Image.Image:
    """How far each pixel lies inside a rounded square, so far from the edge, from 0 to 255."""
    mask = Image.new("L", (side * FINER, side * FINER))
    low, high = inset * FINER, (side - inset) * FINER - 1
    ImageDraw.Draw(mask).rounded_rectangle((low, low, high, high), radius * FINER, fill=255)
    return mask.resize((side, side), Image.Resampling.BOX)


def _weaker(mask: Image.Image, opaque: int) -> Image.Image:
    return mask.point([value * opaque // 255 for value in range(256)])
