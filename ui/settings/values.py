"""The settings that the dealer changes on the screen itself.

They are not part of the table. The screen keeps them in a file, so that they last over a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final, Literal

MAX_VOLUME: Final = 3
"""Loudest volume of the sounds. 0 is off."""
MAX_BRIGHTNESS: Final = 5
"""Number of steps of the brightness. At the first step the screen is still readable."""
ThemeName = Literal["dark", "bright"]
THEMES: Final[tuple[ThemeName, ...]] = ("dark", "bright")


class SettingKey(Enum):
    """A key of the page SETTINGS. A touch selects the next value of the setting."""

    LANGUAGE = auto()
    THEME = auto()
    LARGE_NUMBERS = auto()
    LEFT_HANDED = auto()
    MOTION = auto()
    VOLUME = auto()
    BRIGHTNESS = auto()


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one screen."""

    language: str = "en"
    theme: ThemeName = "dark"
    large_numbers: bool = False
    left_handed: bool = False
    """True if the number pad is on the left."""
    motion: bool = True
    """True if shapes move for a moment after a change, such as the glow of the seat in turn."""
    volume: int = 0
    """Volume of the sounds from 0, which is off, to `MAX_VOLUME`."""
    brightness: int | None = None
    """Brightness from 1 to `MAX_BRIGHTNESS`, or None if the panel has no backlight that the screen can set."""


def next_setting(settings: Settings, key: SettingKey, languages: Sequence[str]) -> Settings:
    """Return the settings after a touch on the key. The first value follows the last one."""
    match key:
        case SettingKey.LANGUAGE:
            return replace(settings, language=_after(settings.language, languages))
        case SettingKey.THEME:
            return replace(settings, theme=THEMES[(THEMES.index(settings.theme) + 1) % len(THEMES)])
        case SettingKey.LARGE_NUMBERS:
            return replace(settings, large_numbers=not settings.large_numbers)
        case SettingKey.LEFT_HANDED:
            return replace(settings, left_handed=not settings.left_handed)
        case SettingKey.MOTION:
            return replace(settings, motion=not settings.motion)
        case SettingKey.VOLUME:
            return replace(settings, volume=(settings.volume + 1) % (MAX_VOLUME + 1))
        case SettingKey.BRIGHTNESS if settings.brightness is not None:
            return replace(settings, brightness=settings.brightness % MAX_BRIGHTNESS + 1)
    return settings


def _after(value: str, values: Sequence[str]) -> str:
    """Return the value after this one. After the last or an unknown value, return the first one."""
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]
