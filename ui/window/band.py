"""The alert band: a sign of its own shape for each level, title, words. Its keys are like all others."""

from __future__ import annotations

from pathlib import Path

from kivy.lang import Builder
from kivy.properties import ListProperty, StringProperty

from ui.scene import BandFace, Box
from ui.window.panel import Panel

Builder.load_file(str(Path(__file__).with_name("band.kv")))


class Band(Panel):
    """Circle and "?": a question; triangle and "!": a warning; square and "i": a note."""

    level = StringProperty()
    sign = StringProperty()
    word = StringProperty()
    title = StringProperty()
    words = StringProperty()
    words_box = ListProperty([0, 0, 100, 100])

    def show(self, face: BandFace, box: Box) -> None:
        """Looks like the face, its words in the box."""
        self.paint(face.level or "calm")
        self.level, self.sign, self.word = face.level, face.sign, face.word
        self.title, self.words = face.title, face.words
        self.words_box = [box.x, box.y, box.w, box.h]
