"""Colours as eyes see them: contrast, difference, and what is left of it where one kind of cone is missing."""

from __future__ import annotations

from typing import Final, NamedTuple


class Linear(NamedTuple):
    """A colour in light, each from 0 to 1."""

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
"""Dichromats, severity 1.0. Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of
Color Vision Deficiency", IEEE TVCG 15(6), 2009, tables of the matrices for protanomaly and deuteranomaly."""
ALL_EYES: Final = {"normal": NORMAL, "protan": PROTAN, "deutan": DEUTAN}


def linear(colour: str) -> Linear:
    """A colour written as #rrggbb. Source: IEC 61966-2-1 (sRGB)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return Linear(*[part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts])


def seen(colour: str, eyes: Eyes) -> Linear:
    """What those eyes see of it."""
    light = linear(colour)
    mixed = [sum(share * part for share, part in zip(row, light, strict=True)) for row in eyes]
    return Linear(*[min(1.0, max(0.0, part)) for part in mixed])


def luminance(colour: Linear) -> float:
    """From 0 (black) to 1 (white)."""
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue


def contrast(one: str, other: str, eyes: Eyes = NORMAL) -> float:
    """From 1 to 21. Source: WCAG 2.1, contrast ratio."""
    light, dark = sorted((luminance(seen(one, eyes)), luminance(seen(other, eyes))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(colour: Linear) -> tuple[float, float, float]:
    """CIE L*a*b* under D65."""
    red, green, blue = colour
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = luminance(colour)
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = [part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z)]
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(one: str, other: str, eyes: Eyes = NORMAL) -> float:
    """How far apart they look: CIE 1976, where about 2.3 is just noticed side by side."""
    pairs = zip(lab(seen(one, eyes)), lab(seen(other, eyes)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)
