"""The Kivy window: widgets that draw a scene, and the time at which each frame was shown.

`SceneWidget` draws a scene on a canvas, passes fingers to the touch filter, and reports the targets that were touched.
`FrameMonitor` reports when each frame was flipped. The package registers its fonts when it is imported. Only this
package and `ui.app` import Kivy, which opens a window and therefore needs a display.

Draw reference views in this window:

    python -m ui.screenshots --out build/screens pot-limit
"""

from ui.window.font_registration import register_fonts
from ui.window.frames import FrameMonitor, ImmediateRenderer, next_flip, poll_touches_at_frame_start
from ui.window.scene_widget import SceneWidget

__all__ = ["FrameMonitor", "ImmediateRenderer", "SceneWidget", "next_flip", "poll_touches_at_frame_start"]

register_fonts()
