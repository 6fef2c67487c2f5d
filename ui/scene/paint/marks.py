"""Shapes and texts, and the few ways in which they are made."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from ui.scene import letters
from ui.scene.boxes import Box
from ui.scene.look import Look
from ui.scene.theme import Tone

Align = Literal["left", "center", "right"]
Kind = Literal["panel", "disc", "triangle"]
CORNER: Final = 0.5
"""Radius of round corners, in least letters."""
FULL: Final = 24
"""The least letters with which outlines are as wide as their tones say."""
PILL: Final = 1.4
"""Radius of corners that are rounder than all others, at the most."""
RIM: Final = 0.3
"""Between words and the edge of what they stand on, in least letters."""


class Shape(NamedTuple):
    """A ground with an outline inside its edge. `ground` "": none; `veil`: how much of what lies under it is hidden."""

    box: Box
    ground: str
    line: str = ""
    width: float = 0
    radius: float = 0
    kind: Kind = "panel"
    veil: float = 1


class Text(NamedTuple):
    """Words in their place, in the middle of its height; lines are broken already."""

    words: str
    box: Box
    size: float
    ink: str
    on: str
    """The ground that they stand on."""
    align: Align = "center"
    number: bool = False
    """An amount: never cut."""
    cut: bool = False
    """Some of the words had to be left out."""


Mark = Shape | Text
Marks = tuple[Mark, ...]


def plate(box: Box, tone: Tone, look: Look) -> Shape:
    """The ground of something in the paint of a tone."""
    pill = min(box.w / 2, box.h / 2, look.layout.text * PILL)
    line = max(1, tone.width * look.layout.text / FULL) if tone.width else 0
    radius = {"round": look.layout.text * CORNER, "pill": pill, "square": 3}[tone.corners]
    return Shape(box, tone.ground, tone.line, line, radius)


def words(
    said: str, box: Box, tone: Tone, look: Look, *, size: float = 0, align: Align = "center", on: str = ""
) -> Text:
    """Words as large as they fit, up to `size` (else the least); cut where they do not fit even so."""
    least = look.layout.text
    fitted = letters.fit(said, max(size, least), least, max(1, box.w), box.h)
    return Text(fitted.words, box, fitted.size, tone.ink, on or tone.ground or look.theme.felt, align, cut=fitted.cut)


def number(
    said: str, box: Box, tone: Tone, look: Look, *, size: float = 0, align: Align = "center", on: str = ""
) -> Text:
    """An amount in one line, as large as it fits."""
    fitted = letters.amount(said, max(size, look.layout.text), max(1, box.w))
    return Text(fitted.words, box, fitted.size, tone.ink, on or tone.ground or look.theme.felt, align, number=True)


def rows(box: Box, count: int) -> tuple[Box, ...]:
    """The box in so many rows, from the top."""
    height = box.h / count
    return tuple([Box(box.x, box.top - (row + 1) * height, box.w, height) for row in range(count)])


def columns(box: Box, *widths: float) -> tuple[Box, ...]:
    """The box in columns of these widths, from the left; 0 for the one that takes what is left."""
    rest = box.w - sum(widths)
    out, x = [], box.x
    for width in widths:
        taken = width or rest
        out.append(Box(x, box.y, taken, box.h))
        x += taken
    return tuple(out)
