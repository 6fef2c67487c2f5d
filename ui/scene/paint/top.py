"""The top of the screen: the status line with the last actions below it; or the alert in their place."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import letters
from ui.scene.boxes import Box
from ui.scene.faces import BandFace
from ui.scene.look import Look
from ui.scene.paint.marks import Mark, Marks, Shape, plate, rows, words
from ui.scene.paint.table import sign
from ui.scene.theme import Tone

REMEMBERED: Final = 64
CALM: Final = "calm"
"""The tone of words that want nothing of anybody."""
CALM_LINES: Final = 3
SHARE: Final = 0.76
"""Of the line before the dealer that how the largest raise is made up takes, at the most."""


@lru_cache(REMEMBERED)
def strip(said: tuple[str, str], look: Look) -> Marks:
    """Table, game and hand at the left; who decides and what is down at the right."""
    layout, tone = look.layout, look.theme.tones["calm"]
    left, far = said
    box = layout.strip.inner(layout.text * 0.3, 0)
    far_w = min(letters.width(far) * layout.text + 1, box.w * 0.6)
    gap = layout.text if far else 0
    return (
        words(left, Box(box.x, box.y, box.w - far_w - gap, box.h), tone, look, align="left"),
        words(far, Box(box.right - far_w, box.y, far_w, box.h), tone, look, align="right"),
    )


@lru_cache(REMEMBERED)
def calm(actions: tuple[str, ...], notes: tuple[str, ...], look: Look) -> Marks:
    """The last actions at the left, the newest lowest; at the right what comes next and where the house's chips are."""
    layout, tone = look.layout, look.theme.tones["calm"]
    box = layout.calm.inner(layout.text * 0.3, 0)
    out: list[Mark] = []
    actions, notes = actions[-CALM_LINES:], notes[:CALM_LINES]
    wide = max((letters.width(one) * layout.text for one in notes), default=0) + 1
    right_w = min(wide, box.w * (0.55 if actions else 1))
    left = Box(box.x, box.y, box.w - right_w - layout.text, box.h)
    right = Box(box.right - right_w, box.y, right_w, box.h)
    lines = rows(left, CALM_LINES)
    for said, line in zip(actions, lines[CALM_LINES - len(actions) :], strict=True):
        out.append(words(said, line, tone, look, align="left"))
    for said, line in zip(notes, rows(right, CALM_LINES), strict=False):
        out.append(words(said, line, tone, look, align="right"))
    return tuple(out)


@lru_cache(REMEMBERED)
def band(face: BandFace, words_box: Box, look: Look) -> Marks:
    """An alert: a sign of its own shape for each level, title, words. Its keys are like all others."""
    layout, tone = look.layout, look.theme.tones[face.level]
    sign_box = layout.sign
    side = min(sign_box.w * 0.85, sign_box.h - layout.line)
    at = Box(sign_box.cx - side / 2, sign_box.cy - side / 2, side, side)
    title_h = layout.sizes.title * 1.15
    title = Box(words_box.x, words_box.top - title_h, words_box.w, title_h)
    said = Box(words_box.x, words_box.y, words_box.w, words_box.h - title_h)
    return (
        plate(layout.top, tone, look),
        *(sign(face.sign, face.level, at, look) if face.level else ()),
        words(face.title, title, tone, look, size=layout.sizes.title, align="left"),
        words(face.words, said, tone, look, align="left"),
    )


@lru_cache(REMEMBERED)
def told(said: str, name: str, made_up: str, look: Look) -> Marks:
    """The line before the dealer: the last step, a refusal or a hint; then how the largest raise is made up."""
    layout, tone = look.layout, look.theme.tones[name]
    box = layout.told
    if name == CALM:
        tone = Tone("", look.theme.ink)
    gap = layout.text * 0.5
    needed = letters.width(made_up) * layout.text + 2 * gap if made_up else 0
    far_w = min(needed, box.w * SHARE)
    left = Box(box.x, box.y, box.w - far_w - (gap if made_up else 0), box.h)
    out: list[Mark] = []
    if said and name != CALM:
        out.append(plate(left, tone, look))
    out.append(words(said, left.inner(gap, 0), tone, look, align="left" if made_up else "center"))
    if made_up:
        most = look.theme.tones["most"]
        right = Box(box.right - far_w, box.y, far_w, box.h)
        out += [plate(right, most, look), words(made_up, right.inner(gap * 0.5, 0), most, look)]
    return tuple(out)


@lru_cache(4)
def veil(said: tuple[str, str], look: Look) -> Marks:
    """Lies over the last view while it is not live, and says so."""
    layout, theme = look.layout, look.theme
    tone = theme.tones["choice"]
    title_w = layout.width * 0.22
    title = Box(layout.top.x + layout.text, layout.top.y, title_w, layout.top.h)
    rest = Box(title.right + layout.text, title.y, layout.top.right - title.right - 2 * layout.text, title.h)
    return (
        Shape(layout.screen, theme.ground, veil=theme.dim),
        plate(layout.top, tone, look),
        words(said[0], title, tone, look, size=layout.sizes.title * 1.4, align="left"),
        words(said[1], rest, tone, look, size=layout.sizes.title, align="left"),
    )
