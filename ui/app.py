"""The Kivy program of a screen. It applies views and touches to the state of the screen and draws each change once."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kivy.config import Config

# Kivy reads these settings when it opens the window. Only touches of the panel count, a mouse cannot simulate a second
# finger, and no key ends the program.
Config.set("input", "mouse", "mouse,disable_multitouch")
Config.remove_option("input", "%(name)s")
Config.set("kivy", "exit_on_escape", "0")
Config.set("kivy", "window_title", "Potkeeper")
Config.set("graphics", "width", "1280")
Config.set("graphics", "height", "800")
Config.set("graphics", "multisamples", "0")
# Kivy also draws frames without a change. 40 such frames per second need a third less processor time than 60. The lower
# rate delays nothing, because the screen draws views and touches at once, between Kivy's frames.
Config.set("graphics", "maxfps", "40")

from kivy.app import App  # noqa: E402  (reads the configuration above)
from kivy.clock import Clock, ClockEvent  # noqa: E402
from kivy.core.window import Window  # noqa: E402
from kivy.utils import get_color_from_hex  # noqa: E402

from controller.log_setup import hide_quoted  # noqa: E402
from controller.messages import ScreenKey, languages  # noqa: E402
from controller.systemd import is_run_by_systemd, notify_systemd, stop_on_signals  # noqa: E402
from controller.view import (  # noqa: E402
    RefusalView,
    TableView,
    pages,
)
from ui.client import Client, Handlers  # noqa: E402
from ui.scene import DEFAULT_APPEARANCE, Appearance, lay_out_players_display, lay_out_scene, layout, tokens  # noqa: E402
from ui.settings import MAX_BRIGHTNESS, Backlight, Settings, load_settings, save_settings  # noqa: E402  # noqa: E402
from ui.sounds import Sounds, cue_of  # noqa: E402
from ui.state import (  # noqa: E402
    OutgoingCommand,
    ScreenMessage,
    ScreenState,
    Target,
    hold_target,
    lose_connection,
    page_actions,
    press_target,
    restore_connection,
    show_refusal,
    show_view,
)
from ui.virtual_display import display_size  # noqa: E402
from ui.window import FrameMonitor, ImmediateRenderer, SceneWidget, poll_touches_at_frame_start  # noqa: E402

_logger = logging.getLogger(__name__)

PAGE_REFRESH_INTERVAL_S: Final = 1.0
"""Interval in seconds between refreshes of an open page. A technician can then watch the readings of an antenna."""
HEARTBEAT_INTERVAL_S: Final = 2.0
"""Interval in seconds between heartbeats for the watchdog of systemd, which waits for 30 s."""
PRESSED_TIMEOUT_S: Final = 0.1
"""Time in seconds for which the screen waits for a reply before it draws the touched key. If the screen drew the key at
once, the frame with the reply would be later."""


@dataclass(frozen=True, slots=True)
class ScreenOptions:
    """The options with which a screen is started."""

    fullscreen: bool = False
    screenshot_dir: Path | None = None
    report_frames: bool = False
    exits_after_first_frame: bool = False
    is_players_display: bool = False
    appearance: Appearance = DEFAULT_APPEARANCE
    """Theme and language of the screen. The layout depends on the size of the window."""
    settings_file: Path | None = None
    """File that keeps the settings over a restart, or None if they last only until the screen ends."""
    window_size: tuple[int, int] | None = None
    """Width and height of the window, or None for the size of the display."""
    takes_pictures: bool = False
    """True if pictures of the window are saved. Nothing moves then, so that no picture shows half of a movement."""


class ScreenApp(App):
    """The program of a screen. It passes each step to `send`, with the sequence number of the view that it showed."""

    def __init__(self, options: ScreenOptions, send: Callable[[str, int], bool]) -> None:
        super().__init__(kv_file="")
        self._backlight = Backlight()
        self._sounds = Sounds(Path(os.environ.get("KIVY_HOME", ".")))
        self.screen = ScreenState(settings=self._first_settings(options))
        self.appearance = options.appearance
        self.is_players_display = options.is_players_display
        """True if the screen is the display for players, which has no touch targets."""
        self._options = options
        self._send = send
        self._scene_widget = SceneWidget(self.handle_touch, self.refuse_touch, self.explain_target)
        self._delayed_paint: ClockEvent = Clock.create_trigger(self._paint_touched, PRESSED_TIMEOUT_S)
        self._draw_now = ImmediateRenderer()
        self._frames = FrameMonitor(
            pictures=options.screenshot_dir,
            flipped=self._after_flip,
            heartbeat_painted=lambda: notify_systemd("WATCHDOG=1"),
        )

    def open_settings(self, *_: object) -> bool:
        """Keep Kivy's settings closed, which the key F1 would open over the screen. Return False."""
        return False

    def build(self) -> SceneWidget:
        """Create the root widget."""
        self.title = "Potkeeper"
        Window.clearcolor = get_color_from_hex(self.appearance.theme.background)
        if self._options.fullscreen:
            _fill_display()
            Window.fullscreen = "auto"
            Window.show_cursor = False
        if self._options.window_size is not None:
            Window.size = self._options.window_size
        Window.bind(size=self._fit)
        poll_touches_at_frame_start()
        self._fit()
        gc.freeze()  # these objects live on, so the garbage collector may skip them
        return self._scene_widget

    def _first_settings(self, options: ScreenOptions) -> Settings:
        """Return the settings of the last run. The options replace them if there are none."""
        chosen = Settings(language=options.appearance.language, theme=options.appearance.theme.name)
        loaded = chosen if options.is_players_display else load_settings(options.settings_file, chosen)
        if loaded.language not in languages():
            loaded = replace(loaded, language=chosen.language)
        if not self._backlight.is_available:
            return replace(loaded, brightness=None)
        brightness = loaded.brightness or MAX_BRIGHTNESS
        self._backlight.set_step(brightness)
        return replace(loaded, brightness=brightness)

    def _apply_settings(self, before: Settings, after: Settings) -> None:
        """Draw the screen with changed settings, set the backlight, and keep the settings for the next start."""
        save_settings(self._options.settings_file, after)
        if after.brightness is not None and after.brightness != before.brightness:
            self._backlight.set_step(after.brightness)
        self._fit()

    def _fit(self, *_: object) -> None:
        """Select the layout for the current window size, and the appearance for the settings."""
        chosen = self.screen.settings
        adapted = layout.adapted_layout(
            layout.nearest_layout(*Window.size), left_handed=chosen.left_handed, large_numbers=chosen.large_numbers
        )
        self._scene_widget.has_motion = chosen.motion and not self._options.takes_pictures
        self.appearance = Appearance(adapted, tokens.THEMES[chosen.theme], chosen.language)
        Window.clearcolor = get_color_from_hex(self.appearance.theme.background)
        self._paint()

    def receive_view(self, view: TableView) -> None:
        """Show a view that arrived from the service."""
        previous = self.screen
        if not previous.is_live:
            _logger.info("connected to the service, showing the table")
        self._change(show_view(previous, view))
        self._send_query(*page_actions.refresh_on_view(previous, self.screen))
        if self.screen.view is view:
            self._frames.expect_view(view.sequence)
            self._draw_now()

    def receive_refusal(self, refusal: RefusalView) -> None:
        """Show why the service refused a step."""
        self._change(show_refusal(self.screen, refusal))

    def log_bad_line(self, reason: str) -> None:
        """Log why a line of the service is invalid.

        The client calls `receive_connection_lost` afterwards.
        """
        _logger.warning("%s", hide_quoted(reason))
        _logger.debug("%s", reason)

    def receive_live_again(self) -> None:
        """Show the table as live again, because the service has sent a heartbeat after a silence."""
        _logger.info("the service answers again")
        self._change(restore_connection(self.screen))

    def receive_connection_lost(self, reason: ScreenMessage) -> None:
        """Show that the screen is not live, because the current view may be out of date."""
        if self.screen.is_live:
            _logger.warning("connection to the service lost: %s", reason.key)
        self._change(lose_connection(self.screen, reason))

    def receive_page(self, _: str, page: pages.Page) -> None:
        """Show the content of a page."""
        self._change(page_actions.receive_page(self.screen, page))

    async def refresh_pages(self) -> None:
        """Send a query for the open page once a second if the content of the page may have changed."""
        while True:
            await asyncio.sleep(PAGE_REFRESH_INTERVAL_S)
            self._send_query(*page_actions.refresh_page(self.screen))

    async def paint_heartbeats(self) -> None:
        """Paint a frame every two seconds, after which systemd learns that the screen can still paint."""
        while True:
            self._frames.expect_heartbeat()
            await asyncio.sleep(HEARTBEAT_INTERVAL_S)

    def _send_query(self, next_screen: ScreenState, command: OutgoingCommand | None) -> None:
        """Send the query for the content of a page. Do nothing if there is no query."""
        if command is not None and self._send(command.do, command.view_sequence):
            self._change(next_screen)

    def refuse_touch(self, reason: ScreenKey) -> None:
        """Show why a touch did not count, so that the dealer can touch again."""
        self._change(show_refusal(self.screen, ScreenMessage(reason)), by_touch=True)

    def explain_target(self, target: Target) -> None:
        """Explain a target on which a finger has rested."""
        self._change(hold_target(self.screen, target), by_touch=True)

    def handle_touch(self, target: Target) -> bool:
        """Handle a touch that counts, and return True if the service will reply."""
        next_screen, command = press_target(self.screen, target)
        if command is None:
            self._change(next_screen, by_touch=True)
        elif self._send(command.do, command.view_sequence):
            self.screen = next_screen
            self._delayed_paint()
            return True
        else:
            self._change(show_refusal(next_screen, ScreenMessage("not-connected")), by_touch=True)
        return False

    def _paint_touched(self, _: float) -> None:
        """Draw the touched key, because the reply takes longer than usual."""
        self._paint(by_touch=True)
        self._frames.expect_change()

    def _change(self, screen: ScreenState, *, by_touch: bool = False) -> None:
        if screen != self.screen:
            self._sounds.play(cue_of(self.screen, screen) if screen.settings.volume else None, screen.settings.volume)
            before, self.screen = self.screen.settings, screen
            if screen.settings != before:
                self._apply_settings(before, screen.settings)
            self._paint(by_touch=by_touch)
            self._frames.expect_change()

    def _paint(self, *, by_touch: bool = False) -> None:
        self._delayed_paint.cancel()
        scene = (lay_out_players_display if self.is_players_display else lay_out_scene)(self.screen, self.appearance)
        self._scene_widget.show_scene(scene, by_touch=by_touch)

    def _after_flip(self, sequence: int, at_us: int) -> None:
        if self._options.report_frames:
            targets = {
                str(target): self._scene_widget.window_position(area.box)
                for area in self._scene_widget.touch_areas
                for target in area.targets
            }
            display_name = os.environ.get("DISPLAY", "")
            is_live, status_line = self.screen.is_live, self._scene_widget.status_line
            line = {
                "sequence": sequence,
                "flipped_us": at_us,
                "display": display_name,
                "live": is_live,
                "told": status_line,
                "targets": targets,
            }
            print(json.dumps(line), flush=True)
        if self._options.exits_after_first_frame and sequence:
            self.stop()


def _fill_display() -> None:
    """Give the window the size of the display and place it at the upper left corner.

    A window manager does this for a window in full screen. The X server of a table unit has no window manager.
    """
    size = display_size()
    if size is not None:
        Window.size = size
        Window.left = Window.top = 0


async def run(socket: Path, options: ScreenOptions) -> None:
    """Show the table of the service at this socket until the window is closed or a signal ends the program."""
    client = Client(socket)
    app = ScreenApp(options, client.send)
    handlers = Handlers(
        app.receive_view,
        app.receive_refusal,
        app.log_bad_line,
        app.receive_connection_lost,
        app.receive_live_again,
        app.receive_page,
    )
    heartbeats = (app.paint_heartbeats(),) if is_run_by_systemd() else ()
    await run_app(app, client.run(handlers), app.refresh_pages(), *heartbeats)


async def run_app(app: App, *coroutines: Coroutine[object, object, None]) -> None:
    """Run the window and the coroutines until the window or a coroutine ends, or until SIGTERM or Ctrl-C."""
    window_task = asyncio.ensure_future(app.async_run("asyncio"))
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    stop_on_signals(app.stop)
    await asyncio.wait((window_task, *tasks), return_when=asyncio.FIRST_COMPLETED)
    errors = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    app.stop()
    await asyncio.gather(*tasks, return_exceptions=True)
    await window_task
    for error in errors:
        if error is not None:
            raise error
