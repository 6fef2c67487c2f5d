"""The Kivy window: widgets that draw a scene, and the time at which each frame was shown.

`SceneWidget` draws a scene on a canvas, passes fingers to the touch filter, and reports which targets were touched.
`FrameMonitor` reports when each frame was shown. The package registers its fonts when it is imported. Only this package
and `ui.app` import Kivy. Kivy opens a window and therefore needs a display.

Draw the sample view `pot-limit` in this window:

    python -m ui.screenshots --out build/screens pot-limit
"""

from ui.window.font_registration import register_fonts
from ui.window.frames import FrameMonitor, ImmediateRenderer, next_flip, poll_touches_at_frame_start
from ui.window.scene_widget import SceneWidget

__all__ = ["FrameMonitor", "ImmediateRenderer", "SceneWidget", "next_flip", "poll_touches_at_frame_start"]

register_fonts()
