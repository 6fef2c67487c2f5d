"""The Kivy program around a screen: views and touches change it, every change is painted once."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kivy.config import Config

# Before the window exists: the panel's own touches only, no simulated second finger, no key that ends it.
Config.set("input", "mouse", "mouse,disable_multitouch")
Config.remove_option("input", "%(name)s")
Config.set("kivy", "exit_on_escape", "0")
Config.set("kivy", "window_title", "Potkeeper")
Config.set("graphics", "width", "1280")
Config.set("graphics", "height", "800")
Config.set("graphics", "multisamples", "0")
# Views and touches are drawn at once, beside Kivy's frames; those that change nothing cost a third less.
Config.set("graphics", "maxfps", "40")

from kivy.app import App  # noqa: E402  (reads the configuration above)
from kivy.clock import Clock, ClockEvent  # noqa: E402
from kivy.core.window import Window  # noqa: E402
from kivy.utils import get_color_from_hex  # noqa: E402

from controller.view import Page, Refused, TableView  # noqa: E402
from ui.client import Client, Handlers  # noqa: E402
from ui.scene import LOOK, Look, lay_out, lay_out_players, layout  # noqa: E402
from ui.state import (  # noqa: E402
    Say,
    Screen,
    Sending,
    Target,
    answered,
    asks_again,
    asks_at_once,
    live_again,
    lose,
    press,
    refuse,
    show,
)
from ui.window import DrawNow, Frames, Stage, take_touches_first  # noqa: E402

LOOK_AGAIN_S: Final = 1.0
"""How often a page that is open is asked for anew: as often as somebody who watches an antenna looks up."""
ANSWER_S: Final = 0.1
"""So long a key that was touched stays pressed: the answer comes sooner, and a frame before it would hold it up."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the screen was started."""

    fullscreen: bool = False
    pictures: Path | None = None
    report_frames: bool = False
    once: bool = False
    players: bool = False
    look: Look = LOOK
    """Theme and language; the layout follows the window."""
    size: tuple[int, int] | None = None
    """Of the window, where it is not that of the display."""


class ScreenApp(App):
    """The dealer's screen. `send` gets each step with the sequence that was looked at."""

    def __init__(self, options: Options, send: Callable[[str, int], bool]) -> None:
        super().__init__(kv_file="")
        self.screen = Screen()
        self.look = options.look
        self.players = options.players
        """It is what the players see, and nothing of it can be touched."""
        self._options = options
        self._send = send
        self._stage = Stage(self.touched)
        self._unanswered: ClockEvent = Clock.create_trigger(self._show_touched, ANSWER_S)
        self._draw_now = DrawNow()
        self._frames = Frames(pictures=options.pictures, flipped=self._after_flip)

    def build(self) -> Stage:
        """The root widget."""
        self.title = "Potkeeper"
        Window.clearcolor = get_color_from_hex(self.look.theme.ground)
        if self._options.fullscreen:
            Window.fullscreen = "auto"
            Window.show_cursor = False
        if self._options.size is not None:
            Window.size = self._options.size
        Window.bind(size=self._fit)
        take_touches_first()
        self._fit()
        gc.freeze()  # what is there by now stays: a frame need not wait until all of it is gone through for garbage
        return self._stage

    def _fit(self, *_: object) -> None:
        """The layout for the window that there is."""
        self.look = replace(self.look, layout=layout.nearest(*Window.size))
        self._paint()

    def view(self, view: TableView) -> None:
        """A view has come."""
        before = self.screen
        self._change(show(before, view))
        self._ask(*asks_at_once(before, self.screen))
        if self.screen.view is view:
            self._frames.drawn(view.sequence)
            self._draw_now()

    def refused(self, refused: Refused) -> None:
        """A step was not done."""
        self._change(refuse(self.screen, refused))

    def bad_line(self, reason: str) -> None:
        """The service sent something else than what it may: that it is `lost` follows."""
        print(f"ui: {reason}", file=sys.stderr, flush=True)

    def live(self) -> None:
        """A service that was silent is back."""
        self._change(live_again(self.screen))

    def lost(self, why: Say) -> None:
        """What is shown may not be true any more."""
        self._change(lose(self.screen, why))

    def page(self, _: str, page: Page) -> None:
        """What was asked for beside the view has come."""
        self._change(answered(self.screen, page))

    async def look_again(self) -> None:
        """Asks once a second for what may have changed on the page that is open."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            self._ask(*asks_again(self.screen))

    def _ask(self, after: Screen, sending: Sending | None) -> None:
        """Asks for what a page shows, where there is anything to ask."""
        if sending is not None and self._send(sending.do, sending.shown):
            self._change(after)

    def touched(self, target: Target | None) -> bool:
        """A touch on that target counted; None: what it was aimed at had just changed. True: an answer follows."""
        if target is None:
            self._change(refuse(self.screen, Say("table-changed")))
            return False
        after, sending = press(self.screen, target)
        if sending is None:
            self._change(after, by_touch=True)
        elif self._send(sending.do, sending.shown):
            self.screen = after
            self._unanswered()
            return True
        else:
            self._change(refuse(after, Say("not-connected")), by_touch=True)
        return False

    def _show_touched(self, _: float) -> None:
        """The answer takes longer: what the touch itself has changed is shown."""
        self._paint(by_touch=True)
        self._frames.changed()

    def _change(self, screen: Screen, *, by_touch: bool = False) -> None:
        if screen != self.screen:
            self.screen = screen
            self._paint(by_touch=by_touch)
            self._frames.changed()

    def _paint(self, *, by_touch: bool = False) -> None:
        self._unanswered.cancel()
        scene = (lay_out_players if self.players else lay_out)(self.screen, self.look)
        self._stage.show(scene, by_touch=by_touch)

    def _after_flip(self, sequence: int, at_us: int) -> None:
        if self._options.report_frames:
            targets = {str(one.target): self._stage.on_glass(one.box) for one in self._stage.touchables}
            on = os.environ.get("DISPLAY", "")
            live, told = self.screen.live, self._stage.told
            line = {
                "sequence": sequence, "flipped_us": at_us, "display": on, "live": live, "told": told, "targets": targets
            }  # fmt: skip
            print(json.dumps(line), flush=True)
        if self._options.once and sequence:
            self.stop()


async def run(socket: Path, options: Options) -> None:
    """Shows the table at that socket until the window is closed or the program is told to end."""
    client = Client(socket)
    app = ScreenApp(options, client.send)
    handlers = Handlers(app.view, app.refused, app.bad_line, app.lost, app.live, app.page)
    await run_app(app, client.run(handlers), app.look_again())


async def run_app(app: App, *works: Coroutine[object, object, None]) -> None:
    """Runs the window beside the works; ends all when one of them ends, or at SIGTERM or Ctrl-C."""
    loop = asyncio.get_running_loop()
    window = asyncio.ensure_future(app.async_run("asyncio"))
    sides = [asyncio.ensure_future(work) for work in works]
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, app.stop)
    await asyncio.wait((window, *sides), return_when=asyncio.FIRST_COMPLETED)
    failed = [side.exception() for side in sides if side.done() and not side.cancelled()]
    for side in sides:
        side.cancel()
    app.stop()
    await asyncio.gather(*sides, return_exceptions=True)
    await window
    for error in failed:
        if error is not None:
            raise error
