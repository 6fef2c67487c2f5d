"""Rectangles on the screen, with lengths in pixels of the layout.

The origin of the coordinates is the lower left corner of the screen, as in Kivy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, given by its lower left corner, its width and its height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """Return the x coordinate of the right edge."""
        return self.x + self.w

    @property
    def top(self) -> float:
        """Return the y coordinate of the upper edge."""
        return self.y + self.h

    @property
    def cx(self) -> float:
        """Return the x coordinate of the centre."""
        return self.x + self.w / 2

    @property
    def cy(self) -> float:
        """Return the y coordinate of the centre."""
        return self.y + self.h / 2

    def contains(self, x: float, y: float) -> bool:
        """Return True if the point is inside the box or on its lower or left edge."""
        return self.x <= x < self.right and self.y <= y < self.top

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """Return True if the two boxes overlap or the distance between them is less than `gap`."""
        return (
            self.x < other.right + gap
            and other.x < self.right + gap
            and self.y < other.top + gap
            and other.y < self.top + gap
        )

    def encloses(self, other: Box) -> bool:
        """Return True if this box completely contains the other box."""
        return self.x <= other.x and self.y <= other.y and other.right <= self.right and other.top <= self.top

    def inset(self, by: float, vertical: float | None = None) -> Box:
        """Return a smaller box inside this box, with each edge moved inwards by `by` pixels.

        If `vertical` is given, the upper and lower edges move by `vertical` pixels.
        """
        margin_y = by if vertical is None else vertical
        return Box(self.x + by, self.y + margin_y, self.w - 2 * by, self.h - 2 * margin_y)


def grid(area: Box, columns: int, rows: int, gap: float) -> tuple[Box, ...]:
    """Divide an area into cells of equal size. Return the cells row by row from the top left."""
    width = (area.w - gap * (columns - 1)) / columns
    height = (area.h - gap * (rows - 1)) / rows
    return tuple(
        Box(area.x + column * (width + gap), area.top - height - row * (height + gap), width, height)
        for row in range(rows)
        for column in range(columns)
    )


def span(first: Box, last: Box) -> Box:
    """Return the smallest box that contains two cells and the space between these cells."""
    x, y = min(first.x, last.x), min(first.y, last.y)
    return Box(x, y, max(first.right, last.right) - x, max(first.top, last.top) - y)
