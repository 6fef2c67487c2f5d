"""The Kivy program around a screen: views and touches change it, every change is painted once."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kivy.config import Config

# Before the window exists: the panel's own touches only, no simulated second finger, no key that ends it.
Config.set("input", "mouse", "mouse,disable_multitouch")
Config.remove_option("input", "%(name)s")
Config.set("kivy", "exit_on_escape", "0")
Config.set("kivy", "window_title", "Potkeeper")
Config.set("graphics", "width", "1280")
Config.set("graphics", "height", "800")
Config.set("graphics", "multisamples", "0")

from kivy.app import App  # noqa: E402  (reads the configuration above)
from kivy.core.window import Window  # noqa: E402
from kivy.utils import get_color_from_hex  # noqa: E402

from controller.view import Refused, TableView  # noqa: E402
from ui.client import Client, Handlers  # noqa: E402
from ui.scene import lay_out, theme  # noqa: E402
from ui.state import Say, Screen, Target, lose, press, refuse, show  # noqa: E402
from ui.window import DrawNow, Frames, Stage  # noqa: E402


@dataclass(frozen=True, slots=True)
class Options:
    """How the screen was started."""

    fullscreen: bool = False
    pictures: Path | None = None
    report_frames: bool = False
    once: bool = False


class ScreenApp(App):
    """The dealer's screen. `send` gets each step with the sequence that was looked at."""

    def __init__(self, options: Options, send: Callable[[str, int], bool]) -> None:
        super().__init__(kv_file="")
        self.screen = Screen()
        self._options = options
        self._send = send
        self._stage = Stage(self.touched)
        self._draw_now = DrawNow()
        self._frames = Frames(pictures=options.pictures, report=options.report_frames, flipped=self._after_flip)

    @staticmethod
    def hex(colour: str) -> list[float]:
        """A colour of the theme as Kivy's canvas wants it."""
        return list(get_color_from_hex(colour))

    def build(self) -> Stage:
        """The root widget."""
        self.title = "Potkeeper"
        Window.clearcolor = self.hex(theme.GROUND)
        if self._options.fullscreen:
            Window.fullscreen = "auto"
            Window.show_cursor = False
        self._paint()
        return self._stage

    def view(self, view: TableView) -> None:
        """A view has come."""
        self._change(show(self.screen, view))
        if self.screen.view is view:
            self._frames.drawn(view.sequence)
            self._draw_now()

    def refused(self, refused: Refused) -> None:
        """A step was not done."""
        self._change(refuse(self.screen, refused))

    def bad_line(self, reason: str) -> None:
        """The service sent something else than a view or a reply."""
        print(f"ui: {reason}", file=sys.stderr, flush=True)
        self._change(refuse(self.screen, Say("bad-line", {"reason": reason})))

    def lost(self, why: Say) -> None:
        """There is no connection (any more)."""
        self._change(lose(self.screen, why))

    def touched(self, target: Target | None) -> None:
        """A touch on that target counted; None: what it was aimed at had just changed."""
        if target is None:
            self._change(refuse(self.screen, Say("table-changed")))
            return
        after, sending = press(self.screen, target)
        if sending is not None and not self._send(sending.do, sending.shown):
            after = refuse(after, Say("not-connected"))
        self._change(after, by_touch=True)

    def _change(self, screen: Screen, *, by_touch: bool = False) -> None:
        if screen != self.screen:
            self.screen = screen
            self._paint(by_touch=by_touch)

    def _paint(self, *, by_touch: bool = False) -> None:
        self._stage.show(lay_out(self.screen), by_touch=by_touch)

    def _after_flip(self, _: int) -> None:
        if self._options.once:
            self.stop()


async def run(socket: Path, options: Options) -> None:
    """Shows the table at that socket until the window is closed or the program is told to end."""
    client = Client(socket)
    app = ScreenApp(options, client.send)
    await run_app(app, client.run(Handlers(app.view, app.refused, app.bad_line, app.lost)))


async def run_app(app: ScreenApp, work: object) -> None:
    """Runs the window beside the work (a coroutine); ends both when either ends, or at SIGTERM or Ctrl-C."""
    loop = asyncio.get_running_loop()
    window = asyncio.ensure_future(app.async_run("asyncio"))
    side = asyncio.ensure_future(work)  # type: ignore[call-overload]
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, app.stop)
    await asyncio.wait((window, side), return_when=asyncio.FIRST_COMPLETED)
    failed = side.exception() if side.done() and not side.cancelled() else None
    side.cancel()
    app.stop()
    await asyncio.gather(side, return_exceptions=True)
    await window
    if failed is not None:
        raise failed
