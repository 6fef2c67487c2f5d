"""The widget that draws a scene and reports which targets were touched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from kivy.core.window import Window
from kivy.graphics import PopMatrix, PushMatrix, Scale, Translate
from kivy.uix.widget import Widget

from controller.messages import ScreenKey
from ui.scene import Box, Scene, TouchArea, TouchFilter, paint
from ui.state import Target
from ui.window.canvas import SceneCanvas
from ui.window.frames import poll_touches_while
from ui.window.motion import MotionLayer


class SceneWidget(Widget):
    """The widget for the whole screen. It scales the layout of the scene to the size of the window."""

    def __init__(
        self,
        touched: Callable[[Target], bool],
        touch_refused: Callable[[ScreenKey], None],
        held: Callable[[Target], None],
        **kwargs: Any,
    ) -> None:
        """Create the widget. It calls `touched` with the target of each touch that counts.

        If `touched` returns True, the touched key looks pressed until a new scene follows. The widget calls
        `touch_refused` with the reason for each tap on a target that does not count, and `held` with a target on which
        a finger has rested.
        """
        super().__init__(**kwargs)
        self._touched, self._touch_refused, self._held = touched, touch_refused, held
        self._touch_filter = TouchFilter()
        self._scene = Scene(is_live=False)
        self._pressed: Target | None = None
        self.scene_canvas = SceneCanvas()
        self.has_motion = True
        """True if a change is explained by a movement, such as the glow that moves to the next seat in turn."""
        self._motion = MotionLayer(self.scene_canvas)
        self.scale, self.left_margin, self.bottom_margin = 1.0, 0.0, 0.0
        self._move, self._zoom = Translate(), Scale(1)
        for instruction in (PushMatrix(), self._move, self._zoom):
            self.canvas.before.add(instruction)
        self.canvas.after.add(PopMatrix())
        self.add_widget(self.scene_canvas)
        self.bind(size=self._fit)

    def _fit(self, *_: object) -> None:
        layout = self._scene.appearance.layout
        self.scale = min(self.width / layout.width, self.height / layout.height)
        self.left_margin = (self.width - layout.width * self.scale) / 2
        self.bottom_margin = (self.height - layout.height * self.scale) / 2
        self._move.x, self._move.y = round(self.left_margin), round(self.bottom_margin)
        self._zoom.xyz = self.scale, self.scale, 1
        self._touch_filter.dots_per_mm = layout.dots_per_mm
        self.scene_canvas.draw(paint.draw_scene(self._scene), self.scale)

    @property
    def touch_areas(self) -> tuple[TouchArea, ...]:
        """Return the touch areas of the current scene. Return no areas while the scene is not live."""
        return self._scene.touch_areas if self._scene.is_live else ()

    @property
    def status_line(self) -> str:
        """Return the text of the status line, which is between the table and the keys."""
        return self._scene.status_line[0]

    def window_position(self, box: Box) -> tuple[int, int]:
        """Return the centre of a box of the layout, in pixels from the upper left corner of the window."""
        x, y = self.left_margin + box.cx * self.scale, self.bottom_margin + box.cy * self.scale
        return round(x), round(self.height - y)

    def show_scene(self, scene: Scene, *, by_touch: bool = False) -> None:
        """Draw the scene. Parts that are equal in the previous scene are not drawn again."""
        self._touch_filter.targets_changed(self._scene.touch_areas, _now_us(), by_touch=by_touch)
        has_other_layout = scene.appearance.layout is not self._scene.appearance.layout
        moving = paint.movements(self._scene, scene) if self.has_motion else ()
        self._scene, self._pressed = scene, None
        if has_other_layout:
            self._fit()
        else:
            self.scene_canvas.draw(paint.draw_scene(scene), self.scale)
        self._motion.show(moving)
        self._show_pressed()
        Window.canvas.ask_update()

    def _show_pressed(self) -> None:
        """Draw the key under the finger as pressed, and draw the key that was pressed before as usual."""
        pressed = self._touch_filter.pressed_area
        target = pressed.target if pressed is not None else None
        if target == self._pressed:
            return
        for key in self._scene.keys:
            if key.target in (target, self._pressed) and key.is_enabled and self._scene.is_live:
                tone = "pressed" if key.target == target else key.tone
                part = paint.DrawingPart(paint.Layer.KEYS, key.target)
                self.scene_canvas.draw_part(part, paint.draw_key(key, tone, self._scene.appearance))
        self._pressed = target
        Window.canvas.ask_update()

    def _touch_position(self, touch: Any) -> tuple[float, float, float]:
        """Return the position and the size of a contact in pixels of the layout. The size is 0 if it is unknown."""
        size = 0.0
        if "shape" in touch.profile and getattr(touch, "shape", None) is not None:
            size = max(getattr(touch.shape, "outline_width", 0), getattr(touch.shape, "height", 0)) / self.scale
        x, y = touch.pos
        return (x - self.left_margin) / self.scale, (y - self.bottom_margin) / self.scale, size

    def on_touch_down(self, touch: Any) -> bool:
        """Handle a finger that touched the screen, or a mouse button that was pressed."""
        if getattr(touch, "is_mouse_scrolling", False):
            return True
        x, y, size = self._touch_position(touch)
        self._touch_filter.down(touch.uid, x, y, _now_us(), self._scene.touch_areas, size=size)
        self._show_pressed()
        if self._touch_filter.pressed_area is not None:
            poll_touches_while(lambda: self._touch_filter.pressed_area is not None)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """Handle a finger that moved."""
        x, y, size = self._touch_position(touch)
        self._touch_filter.move(touch.uid, x, y, size=size)
        self._show_pressed()
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """Handle a finger that left the screen. Report its target if the touch counts."""
        x, y, _ = self._touch_position(touch)
        result = self._touch_filter.up(touch.uid, x, y, _now_us(), self._scene.touch_areas)
        if result.is_stale or result.is_double_tap:
            self._touch_refused("table-changed" if result.is_stale else "touched-twice")
        if result.held_target is not None:
            self._held(result.held_target)
        if result.target is None or not self._touched(result.target):
            self._show_pressed()
        return True


def _now_us() -> int:
    return time.monotonic_ns() // 1000
