"""Frames of the window: screenshots, frames that are drawn at once, and the times at which frames were shown."""

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
    """Write the last drawn frame to a PNG file, before the window shows the frame."""
    width, height = Window.system_size
    pixels = glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE)
    image = Image.frombytes("RGB", (width, height), bytes(pixels)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    # A palette of 256 colours causes no visible difference, and the files stay below 100 kB.
    temporary_path = path.with_suffix(".part")
    image.quantize(256, dither=Image.Dither.NONE).save(temporary_path, "PNG", optimize=True)
    temporary_path.replace(path)


def next_flip(screenshot: Path | None = None) -> asyncio.Future[None]:
    """Return a future that is done when the next frame has been drawn.

    If a path is given, also write the frame to this file.
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
"""Minimum time in µs between two frames that are drawn at once. Otherwise a burst of views could block the event loop.
"""


class ImmediateRenderer:
    """A renderer that draws a change at once, instead of up to 17 ms later in Kivy's next frame."""

    def __init__(self) -> None:
        self._last_us = 0

    def __call__(self) -> None:
        """Draw and show a frame at once, if the last call did so at least `MIN_FRAME_INTERVAL_US` ago.

        Otherwise the next frame of Kivy's loop shows the change. Call this from a task that runs between two frames of
        Kivy's loop.
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
    """Let Kivy handle touches at the start of a frame, so that the same frame shows their effect.

    By default Kivy receives touches at the end of a frame and handles them in the next frame, 17 ms later.
    """
    Clock.schedule_interval(lambda _: Window.mainloop(), 0)


TOUCH_POLL_INTERVAL_S = 0.004
"""Interval in seconds at which Kivy looks for touches while a finger is down. The release of the finger then need not
wait for the next frame."""


def poll_touches_while(is_touched: Callable[[], bool]) -> None:
    """Handle touches between Kivy's frames as long as `is_touched` returns True.

    The caller must be in a running event loop.
    """

    def poll() -> None:
        if EventLoop.status == "started" and is_touched():
            Window.mainloop()
            EventLoop.dispatch_input()
            loop.call_later(TOUCH_POLL_INTERVAL_S, poll)

    loop = asyncio.get_running_loop()
    loop.call_later(TOUCH_POLL_INTERVAL_S, poll)


class FrameMonitor:
    """A monitor that reports when the window has shown a changed frame."""

    def __init__(
        self,
        *,
        pictures: Path | None,
        flipped: Callable[[int, int], None],
        heartbeat_painted: Callable[[], None] = lambda: None,
    ) -> None:
        self._pictures = pictures
        self._heartbeat_painted = heartbeat_painted
        """Callback for each heartbeat, just after the window has shown a frame."""
        self._flipped = flipped
        """Callback for each changed frame. Its first argument is the sequence number of the view, or 0 if there is no
        view. Its second argument is the monotonic time in µs just after the window has shown the frame."""
        self._waiting: int | None = None
        self._shown = 0
        self._changed = False
        self._has_heartbeat = False
        self._count = 0
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
        Window.bind(on_flip=self._on_flip)

    def expect_view(self, sequence: int) -> None:
        """Remember that the next frame shows the view with this sequence number."""
        self._waiting = sequence

    def expect_change(self) -> None:
        """Remember that the next frame has changed without a new view, because of a touch, a reply or a timeout."""
        self._changed = True

    def expect_heartbeat(self) -> None:
        """Paint a frame even if nothing has changed, and report the heartbeat after the window has shown the frame."""
        self._has_heartbeat = True
        Window.canvas.ask_update()

    def _on_flip(self, window: Any) -> bool:
        """Show the drawn frame, which Kivy would otherwise do itself. The time can then be measured just afterwards."""
        sequence, self._waiting = self._waiting, None
        if sequence is not None and self._pictures is not None:
            self._count += 1
            save_screenshot(self._pictures / f"{self._count:04d}-{sequence}.png")
        window.flip()
        if self._has_heartbeat:
            self._has_heartbeat = False
            self._heartbeat_painted()
        is_new, self._changed = sequence is not None or self._changed, False
        if sequence is not None:
            self._shown = sequence
        if is_new:
            self._flipped(self._shown, time.monotonic_ns() // 1000)
        return True
