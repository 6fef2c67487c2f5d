"""The Kivy window: widgets that take a scene and look like it, and when each frame reached the glass."""

from ui.window.frames import DrawNow, Frames, next_flip, take_touches_first
from ui.window.stage import Stage
from ui.window.typefaces import register

__all__ = ["DrawNow", "Frames", "Stage", "next_flip", "take_touches_first"]

register()
