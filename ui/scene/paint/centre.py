"""The middle of the table: the felt, the street, the pot, and the pots where there are several."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ui.scene import letters
from ui.scene.boxes import Box
from ui.scene.faces import PotFace
from ui.scene.look import Look
from ui.scene.paint.marks import RIM, Mark, Marks, Shape, columns, number, rows, words
from ui.scene.theme import Tone

REMEMBERED: Final = 64
RAIL: Final = 0.5
"""Width of the rail, in least letters."""
HEAD: Final = 1.3
"""Height of the line that street and pot share, in lines."""
CLOSE: Final = 3
"""Pixels beside the words where two columns stand close."""
LARGE_POT: Final = 3
"""Most lines of pots under which the pot is as large as it can be."""
STACKED: Final = 1.35
"""Height of the pot in a line of its own, in least letters, at the least."""
ROW: Final = 1.25
"""Height of a line of a pot, in least letters, where there is room for it."""


@lru_cache(4)
def felt(look: Look) -> Marks:
    """The table itself; it says nothing."""
    layout, theme = look.layout, look.theme
    table = layout.table
    inset = layout.far_w * 0.3
    box = Box(inset, table.y - layout.gap, layout.width - 2 * inset, table.h - layout.tile[1] * 0.45)
    return (Shape(box, theme.felt, theme.rail, layout.text * RAIL, radius=box.h * 0.38),)


@lru_cache(REMEMBERED)
def centre(street: str, pot: tuple[str, str], sides: tuple[PotFace, ...], look: Look) -> Marks:
    """Street, pot and pots in the room that there is."""
    layout, area = look.layout, look.layout.centre
    on_felt = Tone("", look.theme.ink)
    lines = len(sides) if len(sides) > layout.most_full else sum(_lines(sides, area.w, look))
    street_h = layout.sizes.street * 1.1
    if lines > LARGE_POT and area.h < street_h + layout.text * (STACKED + lines):
        head = Box(area.x, area.top - layout.line * HEAD, area.w, layout.line * HEAD)
        below = Box(area.x, area.y, area.w, head.y - area.y)
        return (*_one_line(street, pot, head, look), *_pots(sides, below, look))
    at = Box(area.x, area.top - street_h, area.w, street_h)
    sides_h = min(lines * layout.text * ROW, area.h - street_h - layout.text * STACKED)
    large = Box(area.x, area.y + sides_h, area.w, at.y - area.y - sides_h)
    return (
        words(street, at, on_felt, look, size=layout.sizes.street),
        *_pot(pot, large, look),
        *_pots(sides, Box(area.x, area.y, area.w, sides_h), look),
    )


def _pot(pot: tuple[str, str], box: Box, look: Look) -> Marks:
    """The pot, the largest number of the screen, its word before it."""
    word, amount = pot
    layout = look.layout
    on_felt, gold = Tone("", look.theme.ink), Tone("", look.theme.gold)
    if not amount:
        return (words(word, box, on_felt, look),)
    word_w = letters.width(word) * layout.text + layout.text * 0.4
    fitted = letters.amount(amount, min(layout.sizes.pot, box.h * 0.92), box.w - word_w)
    wide = word_w + letters.width(amount) * fitted.size
    left = box.cx - wide / 2
    return (
        words(word, Box(left, box.y, word_w, box.h), on_felt, look, align="left"),
        number(amount, Box(left + word_w, box.y, wide - word_w, box.h), gold, look, size=fitted.size),
    )


def _one_line(street: str, pot: tuple[str, str], box: Box, look: Look) -> Marks:
    """Street and pot beside each other."""
    wide = letters.width(street) * look.layout.text * 1.1
    amount = letters.width(pot[1]) + letters.width(pot[0]) + 0.5
    street_w = min(wide + look.layout.text * 0.5, max(box.w * 0.3, box.w - amount * look.layout.text))
    left, right = columns(box, street_w, 0)
    said = words(street, left, Tone("", look.theme.ink), look, size=look.layout.text * 1.1)
    return (said, *_pot(pot, right, look))


def _pots(sides: tuple[PotFace, ...], box: Box, look: Look) -> list[Mark]:
    """Each in a line: name, amount, who is in it. More than there is room for: two columns without the seats, whose
    tiles say which pot they can win."""
    layout = look.layout
    if not sides:
        return []
    full = len(sides) <= layout.most_full
    each = _lines(sides, box.w, look)
    lines = sum(each) if full else -(-len(sides) // 2)
    pitch = min(layout.text * ROW, box.h / lines)
    area = Box(box.x, box.top - pitch * lines, box.w, pitch * lines)
    tone, gold = look.theme.tones["pot"], look.theme.tones["pot-amount"]
    out: list[Mark] = [Shape(area, tone.ground, radius=layout.text * 0.3)]
    inner = area.inner(layout.text * RIM, 0)
    if full:
        free = iter(rows(inner, lines))
        for side, taken in zip(sides, each, strict=True):
            row = next(free)
            if taken > 1:
                out.append(number(side.amount, next(free), gold, look, align="right"))
            out += _full_row(side._replace(amount="") if taken > 1 else side, row, (tone, gold), look)
        return out
    gap = CLOSE
    inner = area.inner(CLOSE, 0)
    for column, cells in enumerate((sides[:lines], sides[lines:])):
        half = Box(inner.x + column * (inner.w + gap) / 2, area.y, (inner.w - gap) / 2, area.h)
        for one, row in zip(cells, rows(half, lines), strict=False):
            out.append(number(one.short, row, tone, look, align="left"))
            out.append(number(one.amount, row, gold, look, align="right"))
    return out


def _lines(sides: tuple[PotFace, ...], room: float, look: Look) -> list[int]:
    """How many lines each pot takes: the amounts of its boards may need one of their own."""
    wide = [sum(map(letters.width, (side.name, side.amount, side.seats))) + 4 * RIM for side in sides]
    return [2 if one * look.layout.text > room else 1 for one in wide]


def _full_row(side: PotFace, row: Box, tones: tuple[Tone, Tone], look: Look) -> list[Mark]:
    name, amount, seats, _ = side
    text, (tone, gold) = look.layout.text, tones
    gap = text * RIM
    seats_w = letters.width(seats) * text + 1
    amount_w = letters.width(amount) * text + 1
    name_w = min(letters.width(name) * text + 1, row.w - seats_w - amount_w - 2 * gap)
    spare = max(0.0, row.w - seats_w - amount_w - name_w - 2 * gap)
    at = row.x + name_w + gap + spare / 2
    return [
        words(name, Box(row.x, row.y, name_w, row.h), tone, look, align="left"),
        number(amount, Box(at, row.y, amount_w, row.h), gold, look),
        number(seats, Box(row.right - seats_w, row.y, seats_w, row.h), tone, look, align="right"),
    ]
