"""Where everything stands, for each of the two panels: pure geometry, no window.

A layout is drawn for one panel; a window of another size scales the nearer one as a whole. From top to bottom: the top
(status and last actions, or the alert in their place), the far rail with its spots, the sides with the centre between
them, the line before the dealer, the panel of numbers and keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple

from ui.scene.boxes import Box, grid, span

MOST_SEATS: Final = 10
MOST_CHOICES: Final = 4
"""Most answers that the band has room for beside its words; the likely ones come first."""


class Sizes(NamedTuple):
    """Letter sizes in pixels, the largest that each thing takes; all of them may come down to `Layout.text`."""

    title: float
    street: float
    pot: float
    number: float
    key: float
    seat: float
    bet: float
    entry: float


class Place(NamedTuple):
    """What one seat takes up: its tile at the rail and the spot for its bet before it."""

    tile: Box
    spot: Box


@dataclass(frozen=True, eq=False)
class Layout:
    """One panel. Two layouts are the same only where they are the same value."""

    name: str
    width: int
    height: int
    dots_per_mm: float
    target: float
    """The least side of anything that can be touched."""
    text: float
    """The least letter size."""
    sizes: Sizes
    margin: float
    gap: float
    top: Box
    """Of the alert; without one the strip and the calm below it."""
    line: float
    """Height of one line of least letters."""
    tile: tuple[float, float]
    """Width (the most) and height of a seat's tile; a spot at the far rail is as wide."""
    spot_h: float
    """Height of a spot at the far rail; at the sides it has what room there is."""
    told: Box
    """The line before the dealer: the last step, a refusal or a hint; then how the largest raise is made up."""
    left: Box
    right: Box
    """The panel: numbers over the keys of the seat in turn; a block of keys."""
    numbers_h: float
    most_full: int
    """Most pots told in one line each with who is in them; beyond that the seats say which pot they can win."""

    @cached_property
    def screen(self) -> Box:
        """All of it."""
        return Box(0, 0, self.width, self.height)

    @cached_property
    def page(self) -> Box:
        """What a page that is opened over the table takes: all below the top."""
        return Box(0, 0, self.width, self.top.y - self.margin / 2)

    @cached_property
    def strip(self) -> Box:
        """The status line at the top."""
        return Box(self.top.x, self.top.top - self.line, self.top.w, self.line)

    @cached_property
    def calm(self) -> Box:
        """Below the strip while there is no alert: the last actions, what comes next, accounts."""
        return Box(self.top.x, self.top.y, self.top.w, self.top.h - self.line - 2)

    @cached_property
    def table(self) -> Box:
        """Everything between top and panel."""
        return Box(0, self.told.y, self.width, self.page.top - self.told.y)

    # --- the table ---

    @cached_property
    def _middle(self) -> tuple[float, float]:
        """Where centre and sides begin and end, upwards."""
        return self.told.top + self.gap / 2, self.page.top - 2 - self.tile[1] - self.gap - self.spot_h - self.gap / 2

    @cached_property
    def centre(self) -> Box:
        """Street, pot and side pots: no seat or bet reaches into it."""
        low, high = self._middle
        x = self.margin + 2 * (self.far_w + self.gap)
        return Box(x, low, self.width - 2 * x, high - low)

    @cached_property
    def far_w(self) -> float:
        """Width of a tile where the far rail is full."""
        return (self.width - 2 * self.margin - (_MOST_FAR - 1) * self.gap) / _MOST_FAR

    def places(self, count: int) -> tuple[Place, ...]:
        """Tiles and spots of a table of `count` seats (0 to 10), clockwise from the dealer's left hand.

        Raises ValueError for any other number.
        """
        return _places(self, count)

    # --- the panel ---

    @cached_property
    def numbers(self) -> tuple[Box, ...]:
        """To call, the smallest and the largest raise."""
        return grid(Box(self.left.x, self.left.top - self.numbers_h, self.left.w, self.numbers_h), 3, 1, self.gap)

    @cached_property
    def actions(self) -> tuple[Box, ...]:
        """The keys of the seat in turn."""
        height = self.left.h - self.numbers_h - self.gap
        return grid(Box(self.left.x, self.left.y, self.left.w, height), 5, 1, self.gap)

    @cached_property
    def block(self) -> tuple[Box, ...]:
        """Nine keys beside them."""
        return grid(self.right, 3, 3, self.gap - 1)

    @cached_property
    def undo(self) -> Box:
        """The key that says in full what it takes back: two cells of the block."""
        return span(self.block[3], self.block[4])

    @cached_property
    def redo(self) -> Box:
        """The same of what is done again."""
        return span(self.block[1], self.block[2])

    @cached_property
    def pad(self) -> tuple[Box, ...]:
        """The number pad takes the place of the block: it covers no number of the hand."""
        return grid(self.right, 4, 3, self.gap - 1)

    @cached_property
    def keys(self) -> tuple[Box, ...]:
        """The keys of a seat or of the table beside the pad, in the place of numbers and actions. The first one ends
        it, the next two are its field, fifteen are left."""
        return grid(self.left, 6, 3, self.gap - 1)

    @cached_property
    def key_entry(self) -> Box:
        """The field of what is typed beside those keys."""
        return span(self.keys[1], self.keys[2])

    @cached_property
    def wager(self) -> tuple[Box, ...]:
        """Under the numbers while a wager is typed: what ends it, two for its field, three quick keys, OK."""
        return grid(span(self.actions[0], self.actions[4]), 7, 1, self.gap)

    @cached_property
    def wager_entry(self) -> Box:
        """The field of the wager that is being typed."""
        return span(self.wager[1], self.wager[2])

    @cached_property
    def award_entry(self) -> Box:
        """Which pot is being given, and to whom: the upper two rows in the place of the block."""
        return span(self.block[0], self.block[5])

    @cached_property
    def give(self) -> Box:
        """The key that gives it."""
        return span(self.block[6], self.block[8])

    # --- the top ---

    @cached_property
    def sign(self) -> Box:
        """The sign of an alert, at the left of its words."""
        area = self.top.inner(6, 5)
        return Box(area.x, area.y, self.line * 2.4, area.h)

    def band(self, widths: tuple[float, ...]) -> tuple[Box, tuple[Box, ...]]:
        """The words of an alert, and its keys of those widths beside them."""
        return _band(self, widths)


_MOST_FAR: Final = 6
"""Most tiles along the far rail."""

_ARRANGEMENT: Final = {
    0: (0, 0),
    1: (0, 1),
    2: (1, 0),
    3: (1, 1),
    4: (1, 2),
    5: (1, 3),
    6: (1, 4),
    7: (2, 3),
    8: (2, 4),
    9: (2, 5),
    10: (2, 6),
}
"""Seats of the table -> how many down each side, how many along the far rail."""


def _side(it: Layout, count: int, *, right: bool) -> list[Place]:
    """The places down one side, the nearest to the dealer first."""
    low, high = it._middle
    places = []
    tile_w, tile_h = it.far_w, it.tile[1]
    slot = (high - low - (count - 1) * it.gap) / max(count, 1)
    spot_h = min(slot, tile_h + it.line)
    for index in range(count):
        cy = low + slot / 2 + index * (slot + it.gap)
        tile_x, spot_x = it.margin, it.margin + tile_w + it.gap
        if right:
            tile_x, spot_x = it.width - tile_x - tile_w, it.width - spot_x - tile_w
        tile = Box(tile_x, cy - tile_h / 2, tile_w, tile_h)
        places.append(Place(tile, Box(spot_x, cy - spot_h / 2, tile_w, spot_h)))
    return places


def _far(it: Layout, count: int) -> list[Place]:
    """The places along the far rail, left to right."""
    pitch = (it.width - 2 * it.margin + it.gap) / max(count, 4)
    width, height = min(it.tile[0], pitch - it.gap), it.tile[1]
    places = []
    for index in range(count):
        x = it.width / 2 + (index - (count - 1) / 2) * pitch - width / 2
        tile = Box(x, it.page.top - 2 - height, width, height)
        places.append(Place(tile, Box(x, tile.y - it.gap - it.spot_h, width, it.spot_h)))
    return places


@cache
def _places(it: Layout, count: int) -> tuple[Place, ...]:
    if count not in _ARRANGEMENT:
        raise ValueError(f"seats: expected 0 to {MOST_SEATS}, got {count}")
    sides, far = _ARRANGEMENT[count]
    return tuple(_side(it, sides, right=False) + _far(it, far) + _side(it, sides, right=True)[::-1])


@cache
def _band(it: Layout, widths: tuple[float, ...]) -> tuple[Box, tuple[Box, ...]]:
    area = it.top.inner(6, 5)
    x = area.right - sum(widths) - it.gap * (len(widths) - 1)
    words_x = it.sign.right + it.gap
    words = Box(words_x, area.y, x - 2 * it.gap - words_x, area.h)
    keys = []
    for width in widths:
        keys.append(Box(x, area.y, width, area.h))
        x += width + it.gap
    return words, tuple(keys)


TEN: Final = Layout(
    name="1280x800",
    width=1280,
    height=800,
    dots_per_mm=149 / 25.4,  # 10.1 inch
    target=71,  # 12 mm
    text=24,  # 4 mm
    sizes=Sizes(title=30, street=36, pot=130, number=56, key=28, seat=36, bet=30, entry=46),
    margin=8,
    gap=6,
    top=Box(8, 678, 1264, 120),
    line=28,
    tile=(230, 88),
    spot_h=86,
    told=Box(8, 231, 1264, 30),
    left=Box(8, 4, 876, 223),
    right=Box(890, 4, 382, 223),
    numbers_h=108,
    most_full=9,
)
"""The 10.1 inch panel: letters of 4 mm, targets of 12 mm."""

SEVEN: Final = Layout(
    name="1024x600",
    width=1024,
    height=600,
    dots_per_mm=1024 / 154.2,  # 7 inch: an active area of 154.2 mm by 85.9 mm
    target=60,  # 9 mm
    text=20,  # 3 mm
    sizes=Sizes(title=24, street=28, pot=84, number=40, key=22, seat=28, bet=24, entry=34),
    margin=4,
    gap=4,
    top=Box(4, 501, 1016, 98),
    line=22,
    tile=(190, 67),
    spot_h=68,
    told=Box(4, 191, 1016, 23),
    left=Box(4, 2, 710, 186),
    right=Box(718, 2, 302, 186),
    numbers_h=86,
    most_full=5,
)
"""The 7 inch panel: letters of 3 mm, targets of 9 mm."""

LAYOUTS: Final = (TEN, SEVEN)


def nearest(width: float, height: float) -> Layout:
    """The layout for a window of that size: the one that is scaled least."""
    return min(LAYOUTS, key=lambda one: abs(min(width / one.width, height / one.height) - 1))
