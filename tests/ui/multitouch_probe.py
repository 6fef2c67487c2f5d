"""A program that touches a real window with several fingers at once, which xdotool cannot do.

It prints as JSON which commands each kind of touch sent. The touches have simulated times, because on a busy machine
the fingers of a palm could arrive too late in real time.
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

from ui.scene import Box
from ui.scene.layout import TEN_INCH_LAYOUT
from ui.scene.touch_filter import DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US, PALM_WINDOW_US, REACTION_TIME_US
from ui.state import ScreenMessage
from ui.view_samples import view_samples
from ui.virtual_display import display, set_kivy_environment

VIEW = view_samples()[0].view


async def probe() -> dict[str, list[str]]:
    """Return the commands that each kind of touch sent."""
    from kivy.input.shape import ShapeRect
    from kivy.tests.common import UnitTestTouch

    from ui.app import ScreenApp, ScreenOptions, run_app
    from ui.window import next_flip, scene_widget

    sent: list[str] = []

    def send(do: str, sequence: int) -> bool:
        sent.append(do)
        return True

    clock_us = 0

    def advance(by_us: float) -> None:
        nonlocal clock_us
        clock_us += round(by_us)

    scene_widget._now_us = lambda: clock_us
    app = ScreenApp(ScreenOptions(), send)
    results: dict[str, list[str]] = {}
    fold_key, call_key, raise_key, ok_key = *TEN_INCH_LAYOUT.action_keys[:3], TEN_INCH_LAYOUT.ok_key
    sequences = count(VIEW.sequence + 1)

    def finger(box: Box, dx: float = 0, size: float = 0) -> Any:
        touch = UnitTestTouch(box.cx + dx, box.cy)
        if size:
            touch.shape = ShapeRect()
            touch.shape.width = touch.shape.height = size
            touch.profile = ["pos", "shape"]
        return touch

    def record(name: str) -> None:
        results[name] = list(sent)
        sent.clear()

    async def show_fresh_view() -> None:
        """Show the view again and wait, because the next touch could be too early or part of a double tap."""
        app.receive_view(msgspec.structs.replace(app.screen.view or VIEW, sequence=next(sequences)))
        await next_flip()
        advance(2 * max(REACTION_TIME_US, DOUBLE_TAP_WINDOW_US, ENTRY_GUARD_US))

    def tap(touch: Any, *path: tuple[float, float]) -> None:
        touch.touch_down()
        for x, y in path:
            touch.touch_move(x, y)
        touch.touch_up()

    async def run_probe() -> None:
        app.receive_view(VIEW)
        await show_fresh_view()
        tap(finger(call_key))
        record("one")
        await show_fresh_view()
        first_touch, second_touch = finger(fold_key), finger(call_key)
        first_touch.touch_down()
        advance(1.5 * PALM_WINDOW_US)
        second_touch.touch_down()
        second_touch.touch_up()
        first_touch.touch_up()
        record("two")
        await show_fresh_view()
        palm_touches = [finger(fold_key, dx) for dx in (-40, 0, 40)]
        for touch in palm_touches:
            touch.touch_down()
        for touch in palm_touches:
            touch.touch_up()
        record("palm")
        await show_fresh_view()
        tap(finger(fold_key, size=200))
        record("large")
        await show_fresh_view()
        tap(finger(fold_key), (call_key.cx, call_key.cy))
        record("released outside")
        await show_fresh_view()
        tap(finger(fold_key), (call_key.cx, call_key.cy), (fold_key.cx, fold_key.cy))
        record("dragged off and back")
        await show_fresh_view()
        tap(finger(fold_key))
        tap(finger(fold_key))
        record("double")
        results["shown after a double tap"] = (
            [app.screen.message.key] if isinstance(app.screen.message, ScreenMessage) else []
        )
        await show_fresh_view()
        tap(finger(raise_key))
        tap(finger(ok_key))
        advance(2 * DOUBLE_TAP_WINDOW_US)
        for digit in TEN_INCH_LAYOUT.number_pad[5:6] * 2 + TEN_INCH_LAYOUT.number_pad[11:]:  # 5, 5, 0
            tap(finger(digit))
        tap(finger(ok_key))
        tap(finger(ok_key))
        record("two digits in a row, OK twice")
        advance(DOUBLE_TAP_WINDOW_US + 50_000)
        for box in (ok_key, TEN_INCH_LAYOUT.number_pad[3]):  # OK and a digit lay over MENU
            tap(finger(box))
        record("after OK")

    await run_app(app, run_probe())
    return results


if __name__ == "__main__":
    with set_kivy_environment(), display():
        print(json.dumps(asyncio.run(probe())))
