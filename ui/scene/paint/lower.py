"""The lower part: the three numbers, the keys, the field of what is typed."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import letters
from ui.scene.boxes import Box
from ui.scene.faces import NumberFace
from ui.scene.look import Look
from ui.scene.paint.marks import RIM, Mark, Marks, Text, number, plate, words
from ui.scene.panel import Entry

REMEMBERED: Final = 512
ROW: Final = 1.08
"""Height of a line alone, in its letters."""
TOUCHABLE: Final = 3
"""Pixels of the outline of a number that can be touched to be typed."""


@lru_cache(REMEMBERED)
def figure(face: NumberFace, box: Box, touchable: bool, look: Look) -> Marks:
    """A number with the word for it above, and what is to be known of it below."""
    layout, tone = look.layout, look.theme.tones[face.tone]
    if touchable:
        tone = tone._replace(line=look.theme.ink, width=TOUCHABLE)
    inner = box.inner(layout.text * RIM, 3)
    line = layout.text * ROW
    word = Box(inner.x, inner.top - line, inner.w, line)
    note = Box(inner.x, inner.y, inner.w, line if face.note else 0)
    amount = Box(inner.x, note.top, inner.w, word.y - note.top)
    size = min(layout.sizes.number, amount.h * 0.95)
    said = words(face.word, word, tone, look), number(face.amount, amount, tone, look, size=size)
    return plate(box, tone, look), *said, words(face.note, note, tone, look)


@lru_cache(REMEMBERED)
def key(label: str, detail: str, tone_name: str, box: Box, look: Look) -> Marks:
    """A key: what it does, and in smaller letters how much or for whom."""
    layout, tone = look.layout, look.theme.tones[tone_name]
    inner = box.inner(3, 1)
    ground = plate(box, tone, look)
    if not detail:
        return ground, words(label, inner, tone, look, size=layout.sizes.key)
    one_text = letters.width(detail) * layout.text > inner.w and inner.h < 3 * layout.text
    if one_text:
        return ground, words(f"{label} {detail}", inner, tone, look, size=layout.sizes.key)
    below = words(detail, Box(inner.x, inner.y, inner.w, inner.h - layout.text * letters.LINE), tone, look)
    below_h = _height(below)
    above = words(label, Box(inner.x, inner.y, inner.w, inner.h - below_h), tone, look, size=layout.sizes.key)
    above_h = _height(above)
    low = inner.cy - (below_h + above_h) / 2
    return (
        ground,
        above._replace(box=Box(inner.x, low + below_h, inner.w, above_h)),
        below._replace(box=Box(inner.x, low, inner.w, below_h)),
    )


def _height(text: Text) -> float:
    return letters.height(text.words, text.size)


@lru_cache(REMEMBERED)
def entry(face: Entry, look: Look) -> Marks:
    """The field in which an amount (or who wins) is being put together."""
    layout, tone = look.layout, look.theme.tones["number"]
    inner = face.box.inner(layout.text * 0.4, 2)
    line = layout.text * ROW
    out: list[Mark] = [plate(face.box, tone, look)]
    hint_h = 0.0
    if face.hint:
        hint = words(face.hint, Box(inner.x, inner.y, inner.w, inner.h - 2 * line), tone, look, align="right")
        hint_h = _height(hint)
        out.append(hint._replace(box=Box(inner.x, inner.y, inner.w, hint_h)))
    rest = Box(inner.x, inner.y + hint_h, inner.w, inner.h - hint_h)
    if rest.h < 2 * line:  # a low field: title and value beside each other
        left = Box(rest.x, rest.y, min(letters.width(face.title) * layout.text + 1, rest.w * 0.45), rest.h)
        value = Box(left.right, rest.y, rest.w - left.w, rest.h)
    else:
        left = Box(rest.x, rest.top - line, rest.w, line)
        value = Box(rest.x, rest.y, rest.w, rest.h - line)
    size = min(layout.sizes.entry, value.h)
    out.append(words(face.title, left, tone, look, align="left"))
    out.append(words(face.value, value, tone, look, size=size, align="right"))
    return tuple(out)
