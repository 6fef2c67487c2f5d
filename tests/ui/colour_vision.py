"""Colours as people see them: contrast and colour difference, for normal vision and two kinds of colour blindness."""

from __future__ import annotations

from typing import Final, NamedTuple


class LinearColour(NamedTuple):
    """A colour in linear light. Each component is from 0 to 1."""

    red: float
    green: float
    blue: float


Eyes = tuple[tuple[float, float, float], ...]
NORMAL: Final[Eyes] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
PROTAN: Final[Eyes] = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
DEUTAN: Final[Eyes] = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
"""Matrices that turn a colour into the colour that people with a kind of colour blindness see, at severity 1.0.

Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
TVCG 15(6), 2009, tables for protanomaly and deuteranomaly.
"""
ALL_EYES: Final = {"normal": NORMAL, "protan": PROTAN, "deutan": DEUTAN}


def to_linear(colour: str) -> LinearColour:
    """Return the linear colour of an sRGB colour written as #rrggbb. Source: IEC 61966-2-1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return LinearColour(*[part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts])


def as_seen_by(colour: str, eyes: Eyes) -> LinearColour:
    """Return the colour that a person with this kind of vision sees."""
    light = to_linear(colour)
    mixed = [sum(share * part for share, part in zip(row, light, strict=True)) for row in eyes]
    return LinearColour(*[min(1.0, max(0.0, part)) for part in mixed])


def luminance(colour: LinearColour) -> float:
    """Return the luminance from 0 (black) to 1 (white)."""
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue


def contrast(first: str, second: str, eyes: Eyes = NORMAL) -> float:
    """Return the contrast ratio from 1 to 21. Source: WCAG 2.1."""
    lighter, darker = sorted((luminance(as_seen_by(first, eyes)), luminance(as_seen_by(second, eyes))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def to_lab(colour: LinearColour) -> tuple[float, float, float]:
    """Return the colour as CIE L*a*b* under D65."""
    red, green, blue = colour
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = luminance(colour)
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = [part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z)]
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def colour_difference(first: str, second: str, eyes: Eyes = NORMAL) -> float:
    """Return the CIE 1976 difference of two colours.

    A difference of 2.3 is just noticeable if the colours are side by side.
    """
    pairs = zip(to_lab(as_seen_by(first, eyes)), to_lab(as_seen_by(second, eyes)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)
