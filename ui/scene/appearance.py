"""The appearance of a screen: its layout, its theme and its language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ui.scene.layout import TEN_INCH_LAYOUT, ScreenLayout
from ui.scene.tokens import DARK, Theme


@dataclass(frozen=True, slots=True)
class Appearance:
    """A combination of layout, theme and language in which a screen is drawn."""

    layout: ScreenLayout = TEN_INCH_LAYOUT
    theme: Theme = DARK
    language: str = "en"
    """Code of a language that has a message catalogue."""


DEFAULT_APPEARANCE: Final = Appearance()
"""The ten-inch panel in the dark theme, in English."""
