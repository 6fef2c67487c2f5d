"""Frames of the window: screenshots, immediate frames, and the times at which frames were shown (flipped)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.base import EventLoop
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.graphics.opengl import GL_RGB, GL_UNSIGNED_BYTE, glReadPixels
from kivy.lang import Builder
from PIL import Image


def save_screenshot(path: Path) -> None:
    """Write the frame that was drawn but not yet flipped to a PNG file."""
    width, height = Window.system_size
    pixels = glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE)
    image = Image.frombytes("RGB", (width, height), bytes(pixels)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    # A palette of 256 colours keeps a picture of flat colours below 100 kB without a visible difference.
    temporary_path = path.with_suffix(".part")
    image.quantize(256, dither=Image.Dither.NONE).save(temporary_path, "PNG", optimize=True)
    temporary_path.replace(path)


def next_flip(screenshot: Path | None = None) -> asyncio.Future[None]:
    """Return a future that is done when the next frame was drawn.

    If a path is given, the frame is also written to a file.
    """
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def finish(window: Any) -> None:
        window.unbind(on_flip=finish)
        if screenshot is not None:
            save_screenshot(screenshot)
        if not done.done():
            done.set_result(None)

    Window.bind(on_flip=finish)
    Window.canvas.ask_update()
    return done


MIN_FRAME_INTERVAL_US = 16_000
"""Minimum time in µs between immediate frames, so that a burst of views cannot block the event loop."""


class ImmediateRenderer:
    """A renderer that draws a change at once. Without it, the change would wait up to 17 ms for Kivy's next frame."""

    def __init__(self) -> None:
        self._last_us = 0

    def __call__(self) -> None:
        """Draw and show a frame, unless another immediate frame was drawn within `MIN_FRAME_INTERVAL_US`.

        In that case the next frame of Kivy's loop shows the change. Call this from a task that runs while Kivy's loop
        waits between two frames.
        """
        now_us = time.monotonic_ns() // 1000
        if EventLoop.status != "started" or now_us - self._last_us < MIN_FRAME_INTERVAL_US:
            return
        self._last_us = now_us
        Builder.sync()
        Clock.tick_draw()
        Builder.sync()
        if Window.canvas.needs_redraw:
            Window.dispatch("on_draw")
            Window.dispatch("on_flip")


def poll_touches_at_frame_start() -> None:
    """Let Kivy poll the display for touches at the start of a frame, so that the frame shows their effect.

    By default Kivy polls at the end of a frame and handles the touches in the next frame, 17 ms later.
    """
    Clock.schedule_interval(lambda _: Window.mainloop(), 0)


TOUCH_POLL_INTERVAL_S = 0.004
"""Interval in seconds between polls while a finger is down. Its release is thus handled before the next frame."""


def poll_touches_while(is_touched: Callable[[], bool]) -> None:
    """Handle touches between Kivy's frames as long as `is_touched` returns True. Call this in a running event loop."""

    def poll() -> None:
        if EventLoop.status == "started" and is_touched():
            Window.mainloop()
            EventLoop.dispatch_input()
            loop.call_later(TOUCH_POLL_INTERVAL_S, poll)

    loop = asyncio.get_running_loop()
    loop.call_later(TOUCH_POLL_INTERVAL_S, poll)


class FrameMonitor:
    """A monitor that reports when each changed frame was shown on the window (flipped)."""

    def __init__(self, *, pictures: Path | None, flipped: Callable[[int, int], None]) -> None:
        self._pictures = pictures
        self._flipped = flipped
        """Callback for each changed frame. Its arguments are the sequence number of the view, or 0 without a view, and
        the monotonic time in µs after the flip."""
        self._waiting: int | None = None
        self._shown = 0
        self._changed = False
        self._count = 0
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
        Window.bind(on_flip=self._on_flip)

    def expect_view(self, sequence: int) -> None:
        """Expect that the next frame shows the view with this sequence number."""
        self._waiting = sequence

    def expect_change(self) -> None:
        """Expect that the next frame differs without a new view: after a touch, a reply or a timeout."""
        self._changed = True

    def _on_flip(self, window: Any) -> bool:
        """Flip the window instead of Kivy, so that the time can be taken just after the flip."""
        sequence, self._waiting = self._waiting, None
        if sequence is not None and self._pictures is not None:
            self._count += 1
            save_screenshot(self._pictures / f"{self._count:04d}-{sequence}.png")
        window.flip()
        is_new, self._changed = sequence is not None or self._changed, False
        if sequence is not None:
            self._shown = sequence
        if is_new:
            self._flipped(self._shown, time.monotonic_ns() // 1000)
        return True
