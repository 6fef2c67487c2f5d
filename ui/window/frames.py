"""What was really drawn, and when: a picture, and the moment of the flip, for each view that reached the glass."""

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


def save_picture(path: Path) -> None:
    """Writes the frame that has just been drawn and not yet flipped, as a PNG of that name."""
    width, height = Window.system_size
    data = glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE)
    image = Image.frombytes("RGB", (width, height), bytes(data)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    # A palette of 256 keeps a picture of flat colours under 100 kB and shows no difference.
    part = path.with_suffix(".part")
    image.quantize(256, dither=Image.Dither.NONE).save(part, "PNG", optimize=True)
    part.replace(path)


def next_flip(picture: Path | None = None) -> asyncio.Future[None]:
    """Done when the next frame, with all that was painted by now, was drawn (and written, if a path is given)."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def take(window: Any) -> None:
        window.unbind(on_flip=take)
        if picture is not None:
            save_picture(picture)
        if not done.done():
            done.set_result(None)

    Window.bind(on_flip=take)
    Window.canvas.ask_update()
    return done


FRAME_US = 16_000
"""Frames drawn out of turn keep this distance, so that a burst of views cannot starve the loop."""


class DrawNow:
    """Draws what was painted at once, where the loop's own next frame would come up to 17 ms later."""

    def __init__(self) -> None:
        self._last_us = 0

    def __call__(self) -> None:
        """Draws and flips, unless the last such frame was just now: then the loop's own frame will show it.

        To be called from a task beside Kivy's loop, which then waits between two frames.
        """
        now_us = time.monotonic_ns() // 1000
        if EventLoop.status != "started" or now_us - self._last_us < FRAME_US:
            return
        self._last_us = now_us
        Builder.sync()
        Clock.tick_draw()
        Builder.sync()
        if Window.canvas.needs_redraw:
            Window.dispatch("on_draw")
            Window.dispatch("on_flip")


def take_touches_first() -> None:
    """Has Kivy's loop ask the display for touches as a frame begins. By itself it asks at the end, and deals with them
    in the next frame, 17 ms later."""
    Clock.schedule_interval(lambda _: Window.mainloop(), 0)


LISTEN_S = 0.004
"""How often the display is asked while a finger rests on the glass: what it does when it leaves should not wait for
Kivy's next frame."""


def listen_while(touched: Callable[[], bool]) -> None:
    """Has touches taken beside Kivy's frames for as long as that is true. Needs the running loop."""

    def listen() -> None:
        if EventLoop.status == "started" and touched():
            Window.mainloop()
            EventLoop.dispatch_input()
            loop.call_later(LISTEN_S, listen)

    loop = asyncio.get_running_loop()
    loop.call_later(LISTEN_S, listen)


class Frames:
    """Watches the flips of the window. `drawn` marks that what was just painted shows that sequence."""

    def __init__(self, *, pictures: Path | None, flipped: Callable[[int, int], None]) -> None:
        self._pictures = pictures
        self._flipped = flipped
        """Called with the sequence of the view that is shown (0: none yet), and the monotonic microsecond after the
        flip."""
        self._waiting: int | None = None
        self._shown = 0
        self._changed = False
        self._count = 0
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
        Window.bind(on_flip=self._on_flip)

    def drawn(self, sequence: int) -> None:
        """The next frame shows the view of that sequence."""
        self._waiting = sequence

    def changed(self) -> None:
        """The next frame shows the same view otherwise: after a touch, an answer, a silence."""
        self._changed = True

    def _on_flip(self, window: Any) -> bool:
        """Flips the window itself, so that the time is that after the flip."""
        sequence, self._waiting = self._waiting, None
        if sequence is not None and self._pictures is not None:
            self._count += 1
            save_picture(self._pictures / f"{self._count:04d}-{sequence}.png")
        window.flip()
        is_new, self._changed = sequence is not None or self._changed, False
        if sequence is not None:
            self._shown = sequence
        if is_new:
            self._flipped(self._shown, time.monotonic_ns() // 1000)
        return True
