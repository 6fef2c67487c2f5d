"""A seat's tile and the spot before it."""

from __future__ import annotations

from pathlib import Path

from kivy.lang import Builder
from kivy.properties import BooleanProperty, ColorProperty, StringProperty

from ui.scene import SeatFace, SpotFace, layout, letters, theme
from ui.window.panel import Panel

Builder.load_file(str(Path(__file__).with_name("seat.kv")))

GLOWING = ("turn", "picked")
MIN_LETTERS = 14
"""Words that would come out smaller than this take the room beside or below them."""


class SeatTile(Panel):
    """Number, stack, what it does, one flag or its name; the button lies on it. The seat in turn glows."""

    number = StringProperty()
    stack = StringProperty()
    status = StringProperty()
    flag = StringProperty()
    name = StringProperty()
    mark = StringProperty()
    flag_ground = ColorProperty(theme.GROUND)
    flag_ink = ColorProperty(theme.INK)
    button = BooleanProperty(False)
    glow = BooleanProperty(False)
    wide_status = BooleanProperty(False)
    tall_flag = BooleanProperty(False)

    def show(self, face: SeatFace) -> None:
        """Looks like the face."""
        self.paint(face.tone)
        self.glow = face.tone in GLOWING
        self.number, self.stack, self.status = face.number, face.stack, face.status
        self.wide_status = letters.fitted(face.status, theme.SIZES["status"], layout.TILE_W - 66) < MIN_LETTERS
        self.tall_flag = letters.fitted(face.flag, theme.SIZES["flag"], layout.TILE_W - 20) < MIN_LETTERS
        self.flag, self.name, self.mark, self.button = face.flag, face.name, face.mark, face.button
        self.flag_ground, self.flag_ink = theme.TONES[face.flag_tone].ground, theme.TONES[face.flag_tone].ink


class Spot(Panel):
    """The bet that counts in its ring, with the sign of where the number came from; notes under it."""

    bet = StringProperty()
    source = StringProperty()
    unsettled = StringProperty()
    first = StringProperty()
    second = StringProperty()
    first_ground = ColorProperty(theme.FELT)
    first_ink = ColorProperty(theme.INK)
    second_ground = ColorProperty(theme.FELT)
    second_ink = ColorProperty(theme.INK)
    live = BooleanProperty(True)
    tall = BooleanProperty(False)
    """The first note stands in two lines."""

    def show(self, face: SpotFace) -> None:
        """Looks like the face. Notes that there is no room for wait until the first is settled."""
        self.bet, self.source, self.live = face.bet, face.source, face.live
        self.unsettled = face.unsettled
        blank = ("", "seen")
        first, second = (*face.notes, blank, blank)[:2]
        self.tall = letters.fitted(first[0], theme.SIZES["note"], layout.SPOT_W - 4) < MIN_LETTERS
        second = blank if self.tall else second
        self.first, self.second = first[0], second[0]
        self.first_ground, self.first_ink = theme.TONES[first[1]].ground, theme.TONES[first[1]].ink
        self.second_ground, self.second_ink = theme.TONES[second[1]].ground, theme.TONES[second[1]].ink
