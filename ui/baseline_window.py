"""A window that changes twenty labels with every view, as a baseline for the speed of the dealer's screen.

`python -m ui.baseline_window --socket PATH` runs the window, and `potkeeper bench screen` compares the dealer's screen
with it. The window does the minimum that a Kivy program can do with a view. It has the same size and socket as the
dealer's screen, and its frames are timed in the same way. Kivy's own loop draws them. A touch anywhere sends a call of
the seat in turn or, every other time, an undo.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from ui.scene import grid, layout
from ui.virtual_display import DisplayError, display, set_kivy_environment

LABEL_COUNT = 20
"""Number of labels in the window. On the dealer's screen, a new view changes about as many texts."""
COLUMN_COUNT = 4
FONT_SIZE = 40
KIVY_DEFAULT_FPS = 60
"""Maximum number of frames per second, which is Kivy's default. The dealer's screen sets a lower number."""


async def run(path: Path) -> None:
    """Show the sequence number of each view on all labels, until the program must end."""
    # Import `ui.app` before Kivy, because `ui.app` changes Kivy's settings for windows.
    from ui.app import run_app

    # isort: split
    from kivy.app import App
    from kivy.clock import Clock
    from kivy.uix.floatlayout import FloatLayout
    from kivy.uix.label import Label

    from controller.view import RefusalView, TableView
    from ui.client import Client, Handlers
    from ui.state import NamedKey, ScreenMessage
    from ui.window import FrameMonitor

    class BaselineWindow(App):
        """The window with the labels."""

        def __init__(self) -> None:
            super().__init__(kv_file="")
            boxes = grid(layout.TEN_INCH_LAYOUT.screen, COLUMN_COUNT, LABEL_COUNT // COLUMN_COUNT, 8)
            self._labels = [Label(pos=(box.x, box.y), size=(box.w, box.h), size_hint=(None, None)) for box in boxes]
            self._frames = FrameMonitor(pictures=None, flipped=self._print_flip)
            self._client = Client(path)
            self._view: TableView | None = None
            self._touch_count = 0

        def build(self) -> FloatLayout:
            """Create the labels, each at its place."""
            root = FloatLayout()
            for label in self._labels:
                label.font_size = FONT_SIZE
                root.add_widget(label)
            root.bind(on_touch_up=self._send_step)
            return root

        async def read_views(self) -> None:
            """Show each view of the service."""
            await self._client.run(Handlers(self.show_view, ignore, ignore, ignore))

        def show_view(self, view: TableView) -> None:
            """Show the sequence number of a view on all labels."""
            self._view = view
            for number, label in enumerate(self._labels):
                label.text = f"{view.sequence * LABEL_COUNT + number:,}"
            self._frames.expect_view(view.sequence)

        def _send_step(self, *_: object) -> None:
            self._touch_count += 1
            if self._view is not None:
                step = f"{self._view.turn} call" if self._touch_count % 2 else "undo"
                self._client.send(step, self._view.sequence)

        def _print_flip(self, sequence: int, at_us: int) -> None:
            centre = round(layout.TEN_INCH_LAYOUT.screen.cx), round(layout.TEN_INCH_LAYOUT.screen.cy)
            line = {
                "sequence": sequence,
                "flipped_us": at_us,
                "display": os.environ.get("DISPLAY", ""),
                "targets": {str(key): centre for key in (NamedKey.CALL, NamedKey.UNDO)},
            }
            print(json.dumps(line), flush=True)

    def ignore(_: RefusalView | ScreenMessage | str) -> None:
        """Ignore an event that the baseline window does not show."""

    Clock._max_fps = KIVY_DEFAULT_FPS
    app = BaselineWindow()
    await run_app(app, app.read_views())


def main() -> int:
    """Run the window. Return 0 after a requested end, or 2 if no display is available."""
    parser = argparse.ArgumentParser(
        prog="python -m ui.baseline_window", description="A window of twenty labels, as a baseline."
    )
    parser.add_argument("--socket", type=Path, required=True)
    path = parser.parse_args().socket
    try:
        with set_kivy_environment(), display():
            asyncio.run(run(path))
    except DisplayError as error:
        print(f"ui.baseline_window: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
