"""A program that presses F1 in a real window, and prints the number of widgets above the screen before and after."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ui.virtual_display import display, set_kivy_environment

F1_KEY, F1_SCANCODE = 282, 58
"""Codes of the key F1 in Kivy and in SDL."""


async def press_settings_key() -> list[int]:
    """Return the number of widgets in the window before and after the key is pressed."""
    from kivy.core.window import Window

    from ui.app import ScreenApp, ScreenOptions, run_app
    from ui.window import next_flip

    app = ScreenApp(ScreenOptions(), lambda command, sequence: True)
    counts: list[int] = []

    async def press() -> None:
        await next_flip()
        counts.append(len(Window.children))
        Window.dispatch("on_keyboard", F1_KEY, F1_SCANCODE, None, [])
        await asyncio.sleep(0.5)
        counts.append(len(Window.children))

    await run_app(app, press())
    return counts


if __name__ == "__main__":
    with set_kivy_environment(), display():
        print(json.dumps(asyncio.run(press_settings_key())))
