"""A program that checks every text in a real window of both sizes.

It prints a JSON object with the number of checked texts for each size and a line for each fault. To test the check
itself, the program also makes all measured widths a twentieth smaller and counts the faults that this causes.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ui.test_ui_legibility import LANGUAGES, SCREENS, VIEWS, screen
from ui.scene import Appearance, lay_out_scene, layout, text_layout, tokens
from ui.scene.paint import Text, draw_scene
from ui.virtual_display import display, set_kivy_environment

MAX_EXTRA_WIDTH_PX, MAX_EXTRA_WIDTH_RATIO = 2.0, 0.006
"""Maximum difference by which a drawn text may be wider than its measured width, in pixels and as a ratio. Letters
start at whole pixels, so small differences are normal."""
NARROW_WIDTH_FACTOR = 0.95


async def walk_widgets() -> dict[str, object]:
    """Return the number of checked texts, the faults, and the number of planted faults that the check found."""
    from kivy.core.window import Window

    from ui.app import ScreenApp, ScreenOptions, run_app
    from ui.window import next_flip
    from ui.window.canvas import SceneCanvas, text_texture

    app = ScreenApp(ScreenOptions(appearance=Appearance(theme=tokens.BRIGHT)), lambda command, sequence: True)
    faults: list[str] = []
    text_counts: Counter[str] = Counter()
    planted_counts: Counter[str] = Counter()

    def check_texts(name: str, panel: layout.ScreenLayout) -> None:
        canvases = [widget for widget in Window.children[0].walk() if isinstance(widget, SceneCanvas)]
        if len(canvases) != 1 or canvases[0].primitives != dict(draw_scene(lay_out_scene(app.screen, app.appearance))):
            faults.append(f"{panel.name} {name}: the window does not show the scene")
        for items in canvases[0].primitives.values():
            for text in items:
                if not isinstance(text, Text) or not text.text:
                    continue
                text_counts[panel.name] += 1
                texture = text_texture(text.text, text.size, text.align, 1.0)
                measured = max(text_layout.width(line) for line in text.text.split("\n")) * text.size
                if texture.width > measured * NARROW_WIDTH_FACTOR * (1 + MAX_EXTRA_WIDTH_RATIO) + MAX_EXTRA_WIDTH_PX:
                    planted_counts[panel.name] += 1
                if texture.width > measured * (1 + MAX_EXTRA_WIDTH_RATIO) + MAX_EXTRA_WIDTH_PX:
                    faults.append(
                        f"{panel.name} {name}: {text.text!r} is {texture.width} wide, measured {measured:.1f}"
                    )

    async def check_all() -> None:
        for panel in layout.LAYOUTS:
            Window.size = (panel.width, panel.height)
            await next_flip()
            if app.appearance.layout is not panel:
                faults.append(f"a window of {panel.name} has the layout {app.appearance.layout.name}")
            for index, name in enumerate(
                state for state in SCREENS if state not in VIEWS or not VIEWS[state].is_players_display
            ):
                app.appearance = Appearance(panel, tokens.BRIGHT, LANGUAGES[index % len(LANGUAGES)])
                app.screen = screen(name)
                app._paint()
                check_texts(name, panel)
            await next_flip()

    await run_app(app, check_all())
    return {"text_counts": text_counts, "faults": faults, "planted_counts": planted_counts}


if __name__ == "__main__":
    with set_kivy_environment(), display():
        print(json.dumps(asyncio.run(walk_widgets())))
