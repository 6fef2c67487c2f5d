"""The panel that everything on the screen is: a rounded ground, an outline, letters."""

from __future__ import annotations

from pathlib import Path

from kivy.lang import Builder
from kivy.properties import BooleanProperty, ColorProperty, NumericProperty, StringProperty
from kivy.uix.widget import Widget

from ui.scene import Box, theme

Builder.load_file(str(Path(__file__).with_name("panel.kv")))


class Panel(Widget):
    """A rounded rectangle in the paint of a tone."""

    ground = ColorProperty(theme.GROUND)
    ink = ColorProperty(theme.INK)
    edge = ColorProperty(theme.INK)
    edge_width = NumericProperty(0)
    radius = NumericProperty(12)

    def paint(self, name: str) -> None:
        """Takes the paint of the tone of that name."""
        tone = theme.TONES[name]
        self.ground, self.ink, self.edge, self.edge_width = tone.ground, tone.ink, tone.line, tone.width

    def put(self, box: Box) -> None:
        """Goes to its place."""
        self.pos, self.size = (box.x, box.y), (box.w, box.h)


class KeyPanel(Panel):
    """A key: what it does, and in smaller letters how much or for whom."""

    label = StringProperty()
    detail = StringProperty()


class NumberPanel(Panel):
    """A number with the word for it above."""

    word = StringProperty()
    amount = StringProperty()
    note = StringProperty()
    touchable = BooleanProperty(False)


class EntryPanel(Panel):
    """The field in which an amount is being typed."""

    title = StringProperty()
    value = StringProperty()
    hint = StringProperty()


class LinePanel(Panel):
    """One line of words."""

    words = StringProperty()
    letters = NumericProperty(20)


class StripPanel(Panel):
    """The line at the top: words at the left and at the right."""

    left = StringProperty()
    far = StringProperty()
