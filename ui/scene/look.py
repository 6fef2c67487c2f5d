"""How a screen looks: the panel that it is drawn for, its paint, its language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controller.words import Language
from ui.scene.layout import TEN, Layout
from ui.scene.theme import DARK, Theme


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at the same screen."""

    layout: Layout = TEN
    theme: Theme = DARK
    language: Language = "en"


LOOK: Final = Look()
"""The ten-inch panel in the dark theme, in English."""
