"""Rectangles: where something stands. Lengths are pixels; the origin is the lower left corner, as in Kivy."""

from __future__ import annotations

from dataclasses import dataclass


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

    def inner(self, by: float, vertical: float | None = None) -> Box:
        """The box without a rim of that width (`vertical`: its height above and below, where it differs)."""
        high = by if vertical is None else vertical
        return Box(self.x + by, self.y + high, self.w - 2 * by, self.h - 2 * high)


def grid(area: Box, columns: int, rows: int, gap: float) -> tuple[Box, ...]:
    """The cells of an area, row by row from the top left."""
    w = (area.w - gap * (columns - 1)) / columns
    h = (area.h - gap * (rows - 1)) / rows
    return tuple(
        Box(area.x + column * (w + gap), area.top - h - row * (h + gap), w, h)
        for row in range(rows)
        for column in range(columns)
    )


def span(first: Box, last: Box) -> Box:
    """The box over two cells and all between them."""
    x, y = min(first.x, last.x), min(first.y, last.y)
    return Box(x, y, max(first.right, last.right) - x, max(first.top, last.top) - y)
