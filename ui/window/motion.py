"""The layer that moves shapes above a drawn scene, for a fraction of a second after a change.

While nothing moves, the layer draws nothing and schedules nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kivy.clock import Clock, ClockEvent
from kivy.core.window import Window

from ui.scene import paint, tokens
from ui.window.canvas import SceneCanvas

PART = paint.DrawingPart(paint.Layer.OVERLAY, "motion")


class MotionLayer:
    """The moving shapes on a canvas."""

    def __init__(self, canvas: SceneCanvas) -> None:
        self._canvas = canvas
        self._movements: Sequence[paint.Movement] = ()
        self._started_s = self._changed_s = 0.0
        self._event: ClockEvent = Clock.create_trigger(self._draw, interval=True)

    def show(self, movements: Sequence[paint.Movement]) -> None:
        """Start these movements after the frame that shows the change, and end those that still move.

        If changes follow each other quickly, do not start them: the eye could not follow, and frames would be later.
        """
        now_s = time.monotonic()
        is_calm, self._changed_s = now_s - self._changed_s >= tokens.MOTION_DURATION_S, now_s
        self._movements, self._started_s = movements if is_calm else (), now_s
        if self._movements:
            self._event()
        else:
            self._end()

    def _draw(self, _: float) -> None:
        progress = (time.monotonic() - self._started_s) / tokens.MOTION_DURATION_S
        if progress >= 1:
            self._end()
        else:
            self._canvas.draw_part(PART, tuple([movement.at(progress) for movement in self._movements]))
            Window.canvas.ask_update()

    def _end(self) -> None:
        """Remove the moving shapes. Do nothing if nothing moves."""
        self._event.cancel()
        if PART in self._canvas.primitives:
            self._canvas.remove_part(PART)
            Window.canvas.ask_update()
