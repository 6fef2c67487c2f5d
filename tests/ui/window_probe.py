"""Run as a program inside a window of its own: several fingers at once, which xdotool does not have.

Prints what each way of touching sent, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[2]))

from ui.display import display, kivy_environment
from ui.samples import samples
from ui.scene import Box
from ui.scene.fingers import DOUBLE_US, PALM_US, REACTION_US
from ui.scene.layout import TEN

VIEW = samples()[0].view


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
    fold, call, raises, ok = *TEN.actions[:3], TEN.wager[6]
    sequences = count(VIEW.sequence + 1)

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

    async def fresh() -> None:
        """The view again, seen for long enough; what was touched before is not part of a double tap."""
        app.view(msgspec.structs.replace(app.screen.view or VIEW, sequence=next(sequences)))
        await next_flip()
        await asyncio.sleep(max(REACTION_US, DOUBLE_US) / 1e6)

    def tap(touch: Any, *way: tuple[float, float]) -> None:
        touch.touch_down()
        for x, y in way:
            touch.touch_move(x, y)
        touch.touch_up()

    async def work() -> None:
        app.view(VIEW)
        await fresh()
        tap(finger(call))
        take("one")
        await fresh()
        first, second = finger(fold), finger(call)
        first.touch_down()
        await asyncio.sleep(1.5 * PALM_US / 1e6)
        second.touch_down()
        second.touch_up()
        first.touch_up()
        take("two")
        await fresh()
        palm = [finger(fold, dx) for dx in (-40, 0, 40)]
        for one in palm:
            one.touch_down()
        for one in palm:
            one.touch_up()
        take("palm")
        await fresh()
        tap(finger(fold, size=200))
        take("large")
        await fresh()
        tap(finger(fold), (call.cx, call.cy))
        take("released outside")
        await fresh()
        tap(finger(fold), (call.cx, call.cy), (fold.cx, fold.cy))
        take("dragged off and back")
        await fresh()
        tap(finger(fold))
        tap(finger(fold))
        take("double")
        await fresh()
        tap(finger(raises))
        tap(finger(ok))
        await asyncio.sleep(DOUBLE_US / 1e6)
        for digit in TEN.pad[5:6] * 2 + TEN.pad[11:]:  # 5, 5, 0
            tap(finger(digit))
        tap(finger(ok))
        tap(finger(ok))
        take("two digits in a row, OK twice")

    await run_app(app, work())
    return results


if __name__ == "__main__":
    with kivy_environment(), display():
        print(json.dumps(asyncio.run(probe())))
