"""`python -m ui.bare --socket PATH`: a window that changes twenty labels with every view, and nothing else.

What Kivy takes for so little is what `potkeeper bench screen` holds the dealer's screen against: same size, same
socket, same moment of the flip, frames when Kivy's own loop draws them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from ui.display import DisplayError, display, kivy_environment
from ui.scene import grid, layout

LABELS = 20
"""About as many words as a view of a hand changes on the dealer's screen."""
COLUMNS = 4
LETTERS = 40
KIVY_FPS = 60
"""Frames a second as Kivy has them by itself; the dealer's screen asks for fewer."""


async def run(path: Path) -> None:
    """Shows the sequence of each view on all labels until it is told to end."""
    from ui.app import run_app  # its settings of the window come first

    # isort: split
    from kivy.app import App
    from kivy.clock import Clock
    from kivy.uix.floatlayout import FloatLayout
    from kivy.uix.label import Label

    from controller.view import Refused, TableView
    from ui.client import Client, Handlers
    from ui.state import Say
    from ui.window import Frames

    class Bare(App):
        """The window."""

        def __init__(self) -> None:
            super().__init__(kv_file="")
            boxes = grid(layout.TEN.screen, COLUMNS, LABELS // COLUMNS, 8)
            self._labels = [Label(pos=(b.x, b.y), size=(b.w, b.h), size_hint=(None, None)) for b in boxes]
            self._frames = Frames(pictures=None, flipped=self._flipped)

        def build(self) -> FloatLayout:
            """Twenty labels, each at its place."""
            root = FloatLayout()
            for label in self._labels:
                label.font_size = LETTERS
                root.add_widget(label)
            return root

        def view(self, view: TableView) -> None:
            """A view has come."""
            for number, label in enumerate(self._labels):
                label.text = f"{view.sequence * LABELS + number:,}"
            self._frames.drawn(view.sequence)

        def _flipped(self, sequence: int, at_us: int) -> None:
            print(json.dumps({"sequence": sequence, "flipped_us": at_us}), flush=True)

    def ignore(_: Refused | Say | str) -> None:
        """Nothing is said here."""

    Clock._max_fps = KIVY_FPS
    app = Bare()
    await run_app(app, Client(path).run(Handlers(app.view, ignore, ignore, ignore)))


def main() -> int:
    """Exit code 0: ended when told to; 2: nothing to draw on."""
    parser = argparse.ArgumentParser(prog="python -m ui.bare", description="A window of twenty labels, to compare.")
    parser.add_argument("--socket", type=Path, required=True)
    path = parser.parse_args().socket
    try:
        with kivy_environment(), display():
            asyncio.run(run(path))
    except DisplayError as error:
        print(f"ui.bare: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
