"""Run as a program inside a window of its own: walks the tree of widgets in both sizes and says what is wrong.

Prints one JSON object: how many texts were looked at in each size, a line for each fault, and how many texts would
have been found if letters were measured a twentieth too narrow.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.ui.test_ui_drawn import LANGUAGES, SCREENS, VIEWS, screen
from ui.display import display, kivy_environment
from ui.scene import Look, lay_out, layout, letters, theme
from ui.scene.paint import Text, draw

WIDER, SHARE = 2.0, 0.006
"""Pixels and share by which words may come out wider than they were measured: each letter stands on a whole pixel."""
TOO_NARROW = 0.95


async def walk() -> dict[str, object]:
    from kivy.core.window import Window

    from ui.app import Options, ScreenApp, run_app
    from ui.window import next_flip
    from ui.window.glass import Glass, picture

    app = ScreenApp(Options(look=Look(theme=theme.BRIGHT)), lambda do, shown: True)
    faults: list[str] = []
    looked_at: Counter[str] = Counter()
    planted: Counter[str] = Counter()

    def look_at(name: str, panel: layout.Layout) -> None:
        glasses = [widget for widget in Window.children[0].walk() if isinstance(widget, Glass)]
        if len(glasses) != 1 or glasses[0].marks != dict(draw(lay_out(app.screen, app.look))):
            faults.append(f"{panel.name} {name}: what is on the glass is not what was laid out")
        for marks in glasses[0].marks.values():
            for text in marks:
                if not isinstance(text, Text) or not text.words:
                    continue
                looked_at[panel.name] += 1
                texture = picture(text.words, text.size, text.align, 1.0)
                measured = max(letters.width(line) for line in text.words.split("\n")) * text.size
                if texture.width > measured * TOO_NARROW * (1 + SHARE) + WIDER:
                    planted[panel.name] += 1
                if texture.width > measured * (1 + SHARE) + WIDER:
                    faults.append(
                        f"{panel.name} {name}: {text.words!r} is {texture.width} wide, measured {measured:.1f}"
                    )

    async def work() -> None:
        for panel in layout.LAYOUTS:
            Window.size = (panel.width, panel.height)
            await next_flip()
            if app.look.layout is not panel:
                faults.append(f"a window of {panel.name} has the layout {app.look.layout.name}")
            for at, name in enumerate(one for one in SCREENS if one not in VIEWS or not VIEWS[one].players):
                app.look = Look(panel, theme.BRIGHT, LANGUAGES[at % len(LANGUAGES)])
                app.screen = screen(name)
                app._paint()
                look_at(name, panel)
            await next_flip()

    await run_app(app, work())
    return {"looked_at": looked_at, "faults": faults, "planted": planted}


if __name__ == "__main__":
    with kivy_environment(), display():
        print(json.dumps(asyncio.run(walk())))
