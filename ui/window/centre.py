"""The middle of the table: street, pot, side pots with who is in them; and the felt under all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.widget import Widget

from ui.scene import Box
from ui.window.panel import Panel

Builder.load_file(str(Path(__file__).with_name("centre.kv")))


class Felt(Widget):
    """The table itself; it says nothing."""


class PotNumber(Panel):
    """The pot, the largest number of the screen."""

    word = StringProperty()
    amount = StringProperty()


class SidePot(Panel):
    """One pot of several: its name, what is in it, the seats that can win it."""

    name = StringProperty()
    amount = StringProperty()
    seats = StringProperty()


class SidePots(Widget):
    """All pots where there are several: one line of two, then more and smaller ones."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._parts: list[SidePot] = []

    def show(self, sides: tuple[tuple[str, str, str], ...], boxes: tuple[Box, ...]) -> None:
        """Shows these (name, amount, seats), each in its box."""
        sides = sides[: len(boxes)]
        while len(self._parts) < len(sides):
            self._parts.append(SidePot())
        for index, part in enumerate(self._parts):
            if (part.parent is not None) != (index < len(sides)):
                (self.add_widget if part.parent is None else self.remove_widget)(part)
        for (name, amount, seats), box, part in zip(sides, boxes, self._parts, strict=False):
            part.name, part.amount, part.seats = name, amount, seats
            part.put(box)
