"""Seats and the spots before them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from controller.view import Urgency
from ui.scene import letters
from ui.scene.boxes import Box
from ui.scene.faces import SeatFace, SpotFace
from ui.scene.look import Look
from ui.scene.paint.marks import RIM, Kind, Mark, Marks, Shape, Text, columns, number, plate, rows, words
from ui.scene.theme import Tone

REMEMBERED: Final = 256
"""Tiles and spots that are not painted anew: those of some twenty views."""
GLOWING: Final = ("turn", "picked", "early")
"""Tones whose outline is a light around the seat."""
FIRST: Final = 0.37
"""Of the height of a tile: the row of number and stack."""
SIDE: Final = 1.22
"""Width of the dealer button and of the sign of an alert, in rows of a tile."""
EMPTY: Final = 1.5
"""Least letters of the round ends of an empty seat, and of its number."""
NOTE_LINE: Final = 1.04
"""Height of a line of a note, in least letters."""
SIGN: Final = Tone("#ffffff", "#000000", "#000000", 2)
"""Of the dealer button and of signs, in every theme: they lie on any paint."""
SIGN_LETTERS: Final = {"question": 0.8, "warning": 0.62, "info": 0.8}
"""Size of the letter of a sign, of its height: a triangle has less room."""
RING: Final = 1.5
"""Height of the ring of a bet where no notes need the room, in its letters."""


@lru_cache(REMEMBERED)
def tile(face: SeatFace, box: Box, look: Look) -> Marks:
    """Number and stack; what it does, or its flag; its name. Left of them dealer button and sign of an alert."""
    tone, layout = look.theme.tones[face.tone], look.layout
    out: list[Mark] = []
    if face.tone in GLOWING:
        glow = layout.gap - 1
        out.append(Shape(box.inner(-glow), tone.line, radius=layout.text * 0.75))
        tone = tone._replace(width=0)
    out.append(plate(box, tone, look))
    inner = box.inner(layout.text * RIM * 0.6, 2)
    first = Box(inner.x, inner.top - inner.h * FIRST, inner.w, inner.h * FIRST)
    second, third = rows(Box(inner.x, inner.y, inner.w, first.y - inner.y), 2)
    if not face.taken:
        left, right = columns(box.inner(layout.text * EMPTY, 0), layout.text * EMPTY, 0)
        seat = number(face.number, left, tone, look, size=layout.sizes.seat)
        return (*out, seat, words(face.status, right, tone, look))
    out += _number_and_stack(face, first, tone, look)
    side = second.h * SIDE
    low = Box(second.x + side, third.y, second.w - side, 2 * second.h)
    out += _signs(face, Box(second.x, third.y, side - 1, 2 * second.h), look)
    return (*out, *_flagged(face, low, tone, look))


def _signs(face: SeatFace, box: Box, look: Look) -> list[Mark]:
    """The dealer button, the sign of an alert; each in half of the box where there are both."""
    upper, lower = rows(box, 2)
    alone = Box(box.x, box.cy - box.w / 2, box.w, box.w)
    out: list[Mark] = []
    if face.button:
        out += disc("D", upper if face.mark else alone, look)
    if face.mark:
        out += sign(face.mark, face.mark_level, lower if face.button else alone, look)
    return out


def _number_and_stack(face: SeatFace, row: Box, tone: Tone, look: Look) -> list[Mark]:
    layout = look.layout
    gap = layout.text * 0.2
    room = row.w - gap - letters.width(face.number) * layout.text
    stack = letters.amount(face.stack, layout.text * 1.15, room)
    left = row.w - gap - letters.width(face.stack) * stack.size if face.stack else row.w
    at = min(left, layout.text * 2.2)
    return [
        number(face.number, Box(row.x, row.y, at, row.h), tone, look, size=layout.sizes.seat, align="left"),
        number(face.stack, Box(row.x, row.y, row.w, row.h), tone, look, size=stack.size, align="right"),
    ]


def _flagged(face: SeatFace, low: Box, tone: Tone, look: Look) -> list[Mark]:
    """What it does, and below it a flag or its name; a flag that is too long for one line takes both."""
    upper, lower = rows(low, 2)
    if not face.flag:
        return [_status(face, upper, tone, look), words(face.name, lower, tone, look)]
    flag_tone = look.theme.tones[face.flag_tone]
    short = letters.width(face.flag) * look.layout.text <= lower.w - 4
    place = lower if short else low
    ground = Shape(place.inner(0, 1), flag_tone.ground, radius=5)
    flag: list[Mark] = [ground, words(face.flag, place.inner(1, 0), flag_tone, look)]
    return [_status(face, upper, tone, look), *flag] if short else flag


def _status(face: SeatFace, box: Box, tone: Tone, look: Look) -> Text:
    """With its amount where there is room for it: the amount lies on the spot, too."""
    long = letters.width(face.status) * look.layout.text > box.w
    return words(face.short if long and face.short else face.status, box, tone, look)


def disc(letter: str, box: Box, look: Look) -> tuple[Mark, ...]:
    """A white button with a letter."""
    return Shape(box, SIGN.ground, SIGN.line, SIGN.width, kind="disc"), number(letter, box, SIGN, look)


def sign(letter: str, level: Urgency, box: Box, look: Look) -> tuple[Mark, ...]:
    """The sign of an alert in the shape of its level: a disc asks, a triangle warns, a square tells."""
    kind: Kind = "triangle" if level == "warning" else "disc" if level == "question" else "panel"
    within = Box(box.x, box.y, box.w, box.h * 0.8) if level == "warning" else box
    shape = Shape(box, SIGN.ground, SIGN.line, SIGN.width, radius=3, kind=kind)
    return shape, number(letter, within, SIGN, look, size=box.h * SIGN_LETTERS[level])


@lru_cache(REMEMBERED)
def spot(face: SpotFace, box: Box, look: Look) -> Marks:
    """The bet that counts in its ring, with the sign of where the number came from; notes under it. Notes that there
    is no room for wait until those above them are settled."""
    layout, tones = look.layout, look.theme.tones
    ring_h = max(layout.line + 4, min(box.h - _noted(face.notes, box, look), layout.sizes.bet * RING))
    ring = Box(box.x, box.top - ring_h, box.w, ring_h).inner(0, 1)
    out: list[Mark] = []
    name = "bet" if face.bet else "unsettled-bet" if face.unsettled else "spot"
    tone = tones[name]
    if face.live or face.bet:
        out.append(plate(ring, tone, look))
    rim = layout.text * RIM
    if face.bet:
        mark_w = layout.text if face.source else 0
        bet, source = columns(ring.inner(rim, 0), 0, mark_w) if mark_w else (ring.inner(rim, 0), ring)
        out.append(number(face.bet, bet, tone, look, size=layout.sizes.bet))
        if face.source:
            out.append(Text(face.source, source, layout.text, tone.ink, tone.ground))
    elif face.unsettled:
        out.append(number(face.unsettled, ring.inner(rim, 0), tone, look, size=layout.sizes.bet))
    under = Box(box.x, box.y, box.w, ring.y - box.y)
    return (*out, *_notes(face.notes, under, look))


def _noted(notes: tuple[tuple[str, str], ...], box: Box, look: Look) -> float:
    """How high the notes would be."""
    return sum([_lines(said, box, look) for said, _ in notes]) * look.layout.text * NOTE_LINE


def _lines(said: str, box: Box, look: Look) -> int:
    return 1 if letters.width(said) * look.layout.text <= box.w - 6 else 2


def _notes(notes: tuple[tuple[str, str], ...], box: Box, look: Look) -> list[Mark]:
    layout = look.layout
    pitch = layout.text * NOTE_LINE
    out: list[Mark] = []
    top = box.top
    for said, name in notes:
        tone = look.theme.tones[name]
        height = pitch * _lines(said, box, look)
        if top - height < box.y - 1:
            break
        place = Box(box.x, top - height, box.w, height)
        if tone.ground:
            out.append(Shape(place, tone.ground, radius=5))
        out.append(words(said, place.inner(3, 0), tone, look))
        top -= height
    return out
