"""Textures for rounded backgrounds with an outline, drawn as nine patches, and for discs and icons.

A texture is made once for each combination of colours and radius. For a background of any size, only the part between
the corners of the texture is stretched. A software renderer draws a stretched texture ten times as fast as a rounded
rectangle that consists of triangles.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kivy.graphics.texture import Texture
from kivy.utils import get_color_from_hex
from PIL import Image, ImageChops, ImageDraw

from ui.scene import tokens

OVERSAMPLING = 4
"""Factor by which a mask is first drawn larger. The mask is then reduced, so that its edges are smooth."""
TEXTURE_CACHE_SIZE = 256
"""Maximum number of cached textures. A theme needs about forty, one for each combination of colours and radius."""
COLOUR_CACHE_SIZE = 256
"""Maximum number of cached colours. The themes have fewer."""
OPAQUE = 255
"""Level of an opaque pixel in a mask."""
STRETCHED_PX = 2
"""Number of pixels between two corners of a texture. Only these pixels are stretched."""

Rgba = tuple[float, ...]
"""A colour: red, green, blue and opacity, each from 0 to 1."""


class NinePatch(NamedTuple):
    """A texture for a background. `border` is the number of pixels at each side that are not stretched."""

    texture: Texture
    border: int


def nine_patch(
    fill: Rgba | str, outline: Rgba | str, outline_width: float, radius: float, is_pixel_exact: bool, backdrop: str = ""
) -> NinePatch | None:
    """Return the texture of a background with its outline, or None if both are invisible.

    If `is_pixel_exact` is True, the corners are drawn without interpolation. If `backdrop` is a colour, the texture is
    opaque and shows this colour outside the corners.
    """
    fill_bytes, outline_bytes = _rgba_bytes(fill), _rgba_bytes(outline)
    if not fill_bytes[3] and not (outline_width and outline_bytes[3]):
        return None
    return _make_nine_patch(fill_bytes, outline_bytes, round(outline_width), round(radius), is_pixel_exact, backdrop)


def use_nearest_filter(texture: Texture) -> None:
    """Let the texture be drawn without interpolation, which is half the work for a software renderer.

    The renderer then reads one pixel of the texture for each pixel of the window, instead of four.
    """
    texture.mag_filter = texture.min_filter = "nearest"


@lru_cache(1)
def white_texture() -> Texture:
    """Return a white texture for rectangles without an outline."""
    texture = Texture.create(size=(1, 1), colorfmt="rgba")
    texture.blit_buffer(bytes((255, 255, 255, 255)), colorfmt="rgba", bufferfmt="ubyte")
    use_nearest_filter(texture)
    return texture


@lru_cache(COLOUR_CACHE_SIZE)
def colour_parts(colour: str) -> Rgba:
    """Return the parts of a colour such as "#ffffff"."""
    return tuple(get_color_from_hex(colour))


@lru_cache(COLOUR_CACHE_SIZE)
def _rgba_bytes(colour: Rgba | str) -> tuple[int, ...]:
    parts = colour_parts(colour) if isinstance(colour, str) else colour
    return tuple(round(255 * part) for part in parts)


@lru_cache(TEXTURE_CACHE_SIZE)
def _make_nine_patch(
    fill: tuple[int, ...], outline: tuple[int, ...], width: int, radius: int, is_pixel_exact: bool, backdrop: str
) -> NinePatch:
    border = max(radius, width) + 1
    image = _rounded_square(2 * border + STRETCHED_PX, fill, outline, width, radius)
    if backdrop:
        image = Image.alpha_composite(Image.new(image.mode, image.size, backdrop), image)
    return NinePatch(_texture_of(image, is_pixel_exact), border)


@lru_cache(TEXTURE_CACHE_SIZE)
def disc_texture(fill: str, outline: str, width: float, side: int, is_pixel_exact: bool) -> Texture:
    """Return the texture of a disc with this diameter in pixels."""
    image = _rounded_square(side, _rgba_bytes(fill), _rgba_bytes(outline), round(width), side / 2)
    return _texture_of(image, is_pixel_exact)


@lru_cache(TEXTURE_CACHE_SIZE)
def icon_texture(lines: tuple[tuple[tuple[float, float], ...], ...], side: int, is_pixel_exact: bool) -> Texture:
    """Return the texture of an icon in white. The points of its lines are relative to its size."""
    mask = Image.new("L", (side * OVERSAMPLING, side * OVERSAMPLING))
    drawing, stroke = ImageDraw.Draw(mask), round(side * OVERSAMPLING * tokens.ICON_STROKE)
    for line in lines:
        points = [(x * side * OVERSAMPLING, y * side * OVERSAMPLING) for x, y in line]
        drawing.line(points, fill=OPAQUE, width=stroke, joint="curve")
        for x, y in (points[0], points[-1]):
            drawing.ellipse((x - stroke / 2, y - stroke / 2, x + stroke / 2, y + stroke / 2), fill=OPAQUE)
    image = Image.new("RGB", (side, side), tokens.WHITE)
    image.putalpha(mask.resize((side, side), Image.Resampling.BOX))
    return _texture_of(image, is_pixel_exact)


def _rounded_square(
    side: int, fill: tuple[int, ...], outline: tuple[int, ...], width: int, radius: float
) -> Image.Image:
    """Return the picture of a rounded square with its outline."""
    outer_mask, inner_mask = (
        _rounded_square_mask(side, 0, radius),
        _rounded_square_mask(side, width, max(radius - width, 0)),
    )
    if not width:
        outline = fill
    ring_mask = ImageChops.subtract(outer_mask, inner_mask)
    colours = Image.composite(
        Image.new("RGB", (side, side), fill[:3]), Image.new("RGB", (side, side), outline[:3]), inner_mask
    )
    opacity_mask = ImageChops.add(_scale_mask(inner_mask, fill[3]), _scale_mask(ring_mask, outline[3]))
    colours.putalpha(opacity_mask)
    return colours


def _texture_of(image: Image.Image, is_pixel_exact: bool) -> Texture:
    """Return the texture of a picture whose first row is the lowest one."""
    texture = Texture.create(size=image.size, colorfmt="rgba")
    texture.blit_buffer(image.tobytes(), colorfmt="rgba", bufferfmt="ubyte")
    if is_pixel_exact:
        use_nearest_filter(texture)
    return texture


def _rounded_square_mask(side: int, inset: int, radius: float) -> Image.Image:
    """Return a mask of a rounded square. Its values go from 0 outside the square to 255 inside."""
    mask = Image.new("L", (side * OVERSAMPLING, side * OVERSAMPLING))
    low, high = inset * OVERSAMPLING, (side - inset) * OVERSAMPLING - 1
    ImageDraw.Draw(mask).rounded_rectangle((low, low, high, high), radius * OVERSAMPLING, fill=OPAQUE)
    return mask.resize((side, side), Image.Resampling.BOX)


def _scale_mask(mask: Image.Image, opacity: int) -> Image.Image:
    return mask.point([value * opacity // 255 for value in range(256)])
