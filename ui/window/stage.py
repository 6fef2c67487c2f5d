"""The whole screen: takes a scene, draws it, and hands the touches that count on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from kivy.core.window import Window
from kivy.graphics import PopMatrix, PushMatrix, Scale, Translate
from kivy.uix.widget import Widget

from ui.scene import Box, Scene, Touchable, TouchJudge, paint
from ui.state import Target
from ui.window.frames import listen_while
from ui.window.glass import Glass


class Stage(Widget):
    """Everything, in the pixels of the scene's layout, scaled as a whole to any other window."""

    def __init__(self, touched: Callable[[Target | None], bool], **kwargs: Any) -> None:
        """`touched` is told what a touch was on, None where that had just changed; True: another scene follows soon,
        and what was touched looks pressed until then."""
        super().__init__(**kwargs)
        self._touched = touched
        self._judge = TouchJudge()
        self._scene = Scene(live=False)
        self._pressed: Target | None = None
        self.glass = Glass()
        self.scale, self.left_margin, self.low_margin = 1.0, 0.0, 0.0
        self._move, self._zoom = Translate(), Scale(1)
        for instruction in (PushMatrix(), self._move, self._zoom):
            self.canvas.before.add(instruction)
        self.canvas.after.add(PopMatrix())
        self.add_widget(self.glass)
        self.bind(size=self._fit)

    def _fit(self, *_: object) -> None:
        layout = self._scene.look.layout
        self.scale = min(self.width / layout.width, self.height / layout.height)
        self.left_margin = (self.width - layout.width * self.scale) / 2
        self.low_margin = (self.height - layout.height * self.scale) / 2
        self._move.x, self._move.y = round(self.left_margin), round(self.low_margin)
        self._zoom.xyz = self.scale, self.scale, 1
        self._judge.dots_per_mm = layout.dots_per_mm
        self.glass.draw(paint.draw(self._scene), self.scale)

    @property
    def touchables(self) -> tuple[Touchable, ...]:
        """What can be touched on what is shown."""
        return self._scene.touchables if self._scene.live else ()

    @property
    def told(self) -> str:
        """The line before the dealer."""
        return self._scene.told[0]

    def on_glass(self, box: Box) -> tuple[int, int]:
        """The middle of a box of the layout, in the window's pixels from its upper left corner."""
        x, y = self.left_margin + box.cx * self.scale, self.low_margin + box.cy * self.scale
        return round(x), round(self.height - y)

    def show(self, scene: Scene, *, by_touch: bool = False) -> None:
        """Draws the scene; only what differs from the one before is drawn anew."""
        if not by_touch:
            self._judge.changed(self._scene.touchables, _now_us())
        other_layout = scene.look.layout is not self._scene.look.layout
        self._scene, self._pressed = scene, None
        if other_layout:
            self._fit()
        else:
            self.glass.draw(paint.draw(scene), self.scale)
        self._show_pressed()
        Window.canvas.ask_update()

    def _show_pressed(self) -> None:
        """The key under the finger looks pressed, the one that was looks like itself again."""
        pressed = self._judge.pressed
        target = pressed.target if pressed is not None else None
        if target == self._pressed:
            return
        for one in self._scene.keys:
            if one.target in (target, self._pressed) and one.enabled and self._scene.live:
                tone = "pressed" if one.target == target else one.tone
                part = paint.Part(paint.Layer.KEYS, one.target)
                self.glass.one(part, paint.key(one.label, one.detail, tone, one.box, self._scene.look))
        self._pressed = target
        Window.canvas.ask_update()

    def _finger(self, touch: Any) -> tuple[float, float, float]:
        """Place in the layout's pixels and size of the patch, where the panel tells it."""
        size = 0.0
        if "shape" in touch.profile and getattr(touch, "shape", None) is not None:
            size = max(getattr(touch.shape, "width", 0), getattr(touch.shape, "height", 0)) / self.scale
        x, y = touch.pos
        return (x - self.left_margin) / self.scale, (y - self.low_margin) / self.scale, size

    def on_touch_down(self, touch: Any) -> bool:
        """A finger (or the mouse) came down."""
        if getattr(touch, "is_mouse_scrolling", False):
            return True
        x, y, size = self._finger(touch)
        self._judge.down(touch.uid, x, y, _now_us(), self._scene.touchables, size=size)
        self._show_pressed()
        if self._judge.pressed is not None:
            listen_while(lambda: self._judge.pressed is not None)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """A finger moved."""
        x, y, size = self._finger(touch)
        self._judge.move(touch.uid, x, y, size=size)
        self._show_pressed()
        return True

    def on_touch_up(self, touch: Any) -> bool:
        """A finger left: what it touched, if it counts, goes on."""
        x, y, _ = self._finger(touch)
        outcome = self._judge.up(touch.uid, x, y, _now_us(), self._scene.touchables)
        counts = outcome.target is not None or outcome.stale
        if not (counts and self._touched(outcome.target)):
            self._show_pressed()
        return True


def _now_us() -> int:
    return time.monotonic_ns() // 1000
