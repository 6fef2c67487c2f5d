"""Where everything stands on a 1280 x 800 screen: pure geometry, no window.

Lengths are pixels of the design size; the origin is the lower left corner, as in Kivy. A 10.1 inch panel
of that size has 149 dots an inch, so that the least touch target of 12 mm is 71 pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

WIDTH, HEIGHT = 1280, 800
DOTS_PER_MM = 149 / 25.4
MIN_TARGET = 71
"""12 mm at 149 dots an inch, the least side of anything that can be touched."""

MARGIN, GAP = 8, 8


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: lower left corner, width, height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def top(self) -> float:
        return self.y + self.h

    @property
    def cx(self) -> float:
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        return self.y + self.h / 2

    def contains(self, x: float, y: float) -> bool:
        """True for a point inside or on the lower or left edge."""
        return self.x <= x < self.right and self.y <= y < self.top

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """True when less than `gap` lies between the two."""
        return (
            self.x < other.right + gap
            and other.x < self.right + gap
            and self.y < other.top + gap
            and other.y < self.top + gap
        )

    def holds(self, other: Box) -> bool:
        """True when the other lies wholly inside."""
        return self.x <= other.x and self.y <= other.y and other.right <= self.right and other.top <= self.top


SCREEN = Box(0, 0, WIDTH, HEIGHT)
STRIP = Box(MARGIN, 768, WIDTH - 2 * MARGIN, 30)
BAND = Box(MARGIN, 676, WIDTH - 2 * MARGIN, 90)
TABLE = Box(0, 240, WIDTH, 434)
PANEL = Box(MARGIN, 4, WIDTH - 2 * MARGIN, 232)
LEFT = Box(MARGIN, 4, 754, 232)
RIGHT = Box(770, 4, 502, 232)
CENTRE = Box(432, 288, 416, 195)
"""Street, pot and side pots: no seat or bet reaches into it."""
STREET = Box(432, 446, 416, 37)
POT = Box(432, 356, 416, 92)
SIDE = Box(396, 286, 488, 70)
LONE_POT = Box(432, 292, 416, 156)
"""The pot where there is only one: the room of the side pots is its own."""
TOLD = Box(396, 256, 488, 30)
"""The dealer's own place at the table: the last step, a refusal, or what to touch next."""

TILE_W, TILE_H = 178, 98
SPOT_W, SPOT_H = 132, 76


@dataclass(frozen=True, slots=True)
class Place:
    """What one seat takes up: its tile at the rail and the spot for its bet before it."""

    tile: Box
    spot: Box


def grid(area: Box, columns: int, rows: int, gap: float = GAP) -> tuple[Box, ...]:
    """The cells of an area, row by row from the top left."""
    w = (area.w - gap * (columns - 1)) / columns
    h = (area.h - gap * (rows - 1)) / rows
    return tuple(
        Box(area.x + column * (w + gap), area.top - h - row * (h + gap), w, h)
        for row in range(rows)
        for column in range(columns)
    )


_ARRANGEMENT = {
    0: (0, 0),
    1: (0, 1),
    2: (1, 0),
    3: (1, 1),
    4: (1, 2),
    5: (2, 1),
    6: (2, 2),
    7: (2, 3),
    8: (2, 4),
    9: (3, 3),
    10: (3, 4),
}
"""Seats of the table -> how many down each side, how many along the far rail."""

_SIDE_Y = {0: (), 1: (400,), 2: (318, 470), 3: (292, 398, 504)}
"""Centres of the tiles of one side, from the dealer away."""

_NEAR_SHIFT = 64
"""The seats beside the dealer stand this much nearer the middle: the rail bends there."""


def _side(count: int, *, right: bool) -> list[Place]:
    """The places down one side, the nearest to the dealer first."""
    places = []
    for index, cy in enumerate(_SIDE_Y[count]):
        shift = _NEAR_SHIFT if index == 0 and count > 1 else 0
        tile_x = MARGIN + shift
        spot_x = tile_x + TILE_W + 6
        if right:
            tile_x, spot_x = WIDTH - tile_x - TILE_W, WIDTH - spot_x - SPOT_W
        places.append(Place(Box(tile_x, cy - TILE_H / 2, TILE_W, TILE_H), Box(spot_x, cy - SPOT_H / 2, SPOT_W, SPOT_H)))
    return places


def _far(count: int) -> list[Place]:
    """The places along the far rail, left to right; the spots draw together where the sides need the room."""
    pitch = min(240, 760 // max(count, 1))
    spot_pitch = min(pitch, 488 / max(count - 1, 1))
    places = []
    for index in range(count):
        off = index - (count - 1) / 2
        drop = off * off
        tile = Box(WIDTH / 2 + off * pitch - TILE_W / 2, TABLE.top - TILE_H - 8 - drop, TILE_W, TILE_H)
        spot = Box(WIDTH / 2 + off * spot_pitch - SPOT_W / 2, tile.y - 6 - SPOT_H, SPOT_W, SPOT_H)
        places.append(Place(tile, spot))
    return places


@cache
def places(count: int) -> tuple[Place, ...]:
    """Tiles and spots of a table of `count` seats (0 to 10), clockwise from the dealer's left hand.

    Raises ValueError for any other number.
    """
    if count not in _ARRANGEMENT:
        raise ValueError(f"seats: expected 0 to 10, got {count}")
    sides, far = _ARRANGEMENT[count]
    return tuple(_side(sides, right=False) + _far(far) + _side(sides, right=True)[::-1])


MOST_SIDES = 10
"""A main pot and a side pot for each of nine short stacks."""


@cache
def sides(count: int, *, wide: bool) -> tuple[Box, ...]:
    """The lines of so many pots, two of them below each other at most; `wide` where a pot is told board by board."""
    columns = 1 if wide and count <= 2 else 2 if count <= 4 else 3 if count <= 6 else MOST_SIDES // 2
    cells = grid(SIDE, columns, 2 if count > columns else 1, 4)[:count]
    return tuple(Box(cell.x, cell.top - min(cell.h, 40), cell.w, min(cell.h, 40)) for cell in cells)


# The panel at the bottom: three numbers over five keys at the left, a block of nine keys at the right.
_NUMBERS = Box(LEFT.x, LEFT.y + 112, LEFT.w, 120)
_ACTIONS = Box(LEFT.x, LEFT.y, LEFT.w, 104)
NUMBERS = grid(_NUMBERS, 3, 1)
ACTIONS = grid(_ACTIONS, 5, 1)
BLOCK = grid(RIGHT, 3, 3)
PAD = grid(RIGHT, 5, 3, 6)
"""The number pad takes the place of the block: it covers no number of the hand."""
CANCEL = ACTIONS[0]
ENTRY = Box(ACTIONS[1].x, ACTIONS[1].y, LEFT.right - ACTIONS[1].x, ACTIONS[1].h)
SEAT_KEYS = grid(Box(LEFT.x, LEFT.y, LEFT.w, LEFT.h), 5, 3, 8)
"""The keys of one seat while it is being corrected, in the place of numbers and actions."""


@cache
def band(choices: int, extras: int) -> tuple[Box, Box, tuple[Box, ...], tuple[Box, ...]]:
    """Sign, words, choice keys and small keys (rule, more) of the alert band, from left to right."""
    inner = Box(BAND.x + 8, BAND.y + 8, BAND.w - 16, BAND.h - 16)
    sign = Box(inner.x, inner.y, 118, inner.h)
    small = tuple(Box(inner.right - (extras - index) * 84 + 6, inner.y, 78, inner.h) for index in range(extras))
    right = inner.right - extras * 84
    room = right - sign.right
    width = min(220.0, room * (0.5 if choices < 4 else 0.6) / max(choices, 1))
    keys = tuple(Box(right - (choices - index) * width + 6, inner.y, width - 6, inner.h) for index in range(choices))
    words_right = right - choices * width
    return sign, Box(sign.right + 12, inner.y, words_right - sign.right - 20, inner.h), keys, small
