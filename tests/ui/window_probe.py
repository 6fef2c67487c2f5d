"""Run as a program inside a window of its own: several fingers at once, which xdotool does not have.

Prints what each way of touching sent, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from ui.display import display, kivy_environment
from ui.samples import samples
from ui.scene import Box, layout
from ui.scene.fingers import PALM_US, REACTION_US


async def probe() -> dict[str, list[str]]:
    from kivy.input.shape import ShapeRect
    from kivy.tests.common import UnitTestTouch

    from ui.app import Options, ScreenApp, run_app
    from ui.window import next_flip

    sent: list[str] = []

    def send(do: str, shown: int) -> bool:
        sent.append(do)
        return True

    app = ScreenApp(Options(), send)
    results: dict[str, list[str]] = {}
    fold, call = layout.ACTIONS[0], layout.ACTIONS[1]

    def finger(box: Box, dx: float = 0, size: float = 0) -> Any:
        touch = UnitTestTouch(box.cx + dx, box.cy)
        if size:
            touch.shape = ShapeRect()
            touch.shape.width = touch.shape.height = size
            touch.profile = ["pos", "shape"]
        return touch

    def take(name: str) -> None:
        results[name] = list(sent)
        sent.clear()

    async def work() -> None:
        app.view(samples()[0].view)
        await next_flip()
        await asyncio.sleep(REACTION_US / 1e6)
        one = finger(call)
        one.touch_down()
        one.touch_up()
        take("one")
        first, second = finger(fold), finger(call)
        first.touch_down()
        await asyncio.sleep(1.5 * PALM_US / 1e6)
        second.touch_down()
        second.touch_up()
        first.touch_up()
        take("two")
        palm = [finger(fold, dx) for dx in (-40, 0, 40)]
        for one in palm:
            one.touch_down()
        for one in palm:
            one.touch_up()
        take("palm")
        await asyncio.sleep(1.5 * PALM_US / 1e6)
        large = finger(fold, size=200)
        large.touch_down()
        large.touch_up()
        take("large")

    await run_app(app, work())
    return results


if __name__ == "__main__":
    with kivy_environment(), display():
        print(json.dumps(asyncio.run(probe())))
