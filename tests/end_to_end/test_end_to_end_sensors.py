"""Play the twelve hands of the touch session with emulated readers and keys, the real service and the real window.

With sensors, the hands must take less than half of the touches that they take without sensors. A press of any of the
dealer's keys counts as a touch.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest

from controller.simulation import ServiceConnection, match_chips_to_table
from controller.simulation.script_runner import AFTER_SWEEP_DELAY_S, KEY_DELAY_S, VIEW_TIMEOUT_S, view_differences
from tests.end_to_end.screen_process import ScreenProcess, virtual_display
from tests.end_to_end.sensor_steps import SensorStep, as_sensor_steps, sensor_steps
from tests.end_to_end.step_touches import CONFIG, steps_with_touches
from tests.service.service_process import SensorTable, sensor_table
from tests.ui.test_ui_touch_session import ACCOUNTS, STACKS
from tests.ui.touch_session import CLOSING, OPENING

pytestmark = pytest.mark.screen
KEY_S: Final = 0.08
"""Time, in seconds, for which a key is held down."""
MAX_TOUCH_SHARE: Final = 0.5
"""Maximum number of touches and key presses with sensors, as a fraction of the number of touches without sensors."""


class SensorTableRun:
    """A table with sensors and its screen. The class counts touches and key presses."""

    def __init__(self, table: SensorTable, link: ServiceConnection, screen: ScreenProcess) -> None:
        self.table, self.link, self.screen = table, link, screen
        self.presses = 0
        self._chips_s = 0.0

    @property
    def inputs(self) -> int:
        """Return the number of touches and key presses so far."""
        return self.screen.touches + self.presses

    def do(self, step: SensorStep) -> None:
        """Enter a step with chips, keys and touches, and wait until the view shows it."""
        if step.chips is not None:
            with self.table.table.exclusive_world() as world:
                world.put_on_spot(step.chips.seat, step.chips.forward, add_missing=True)
            self._chips_s = time.monotonic()
        for key in step.keys:
            self._press(key)
        if step.touches:
            # Like a dealer, wait for the newest view before each touch.
            self.screen.wait_for_view(self.link.view().sequence)
            self.screen.touch_and_wait(*step.touches)
        if step.has_question:
            return
        if not step.chips_come_later:
            self._wait_for(step)
        with self.table.table.exclusive_world() as world:
            match_chips_to_table(world, step.table)
        self._wait_for(step)
        if step.takes_chips_off:
            time.sleep(AFTER_SWEEP_DELAY_S)  # In this time a real dealer burns a card and turns the next one.

    def _press(self, key: str) -> None:
        time.sleep(max(0.0, self._chips_s + KEY_DELAY_S - time.monotonic()))  # A finger needs this long.
        self.table.table.press(key)
        time.sleep(KEY_S)
        self.table.table.release(key)
        self.presses += 1

    def _wait_for(self, step: SensorStep) -> None:
        shown = self.link.wait_for_view(lambda view: not view_differences(view, step.table), VIEW_TIMEOUT_S)
        view = self.link.view()
        alerts = [alert.code for alert in view.alerts]
        assert shown, (
            step.scene.title,
            step[2:],
            view_differences(view, step.table),
            alerts,
            self.screen.frame.status_line,
        )


@pytest.mark.soak
def test_session_with_sensors_takes_less_than_half_the_touches(tmp_path: Path) -> None:
    other_parts = {*map(id, (*OPENING, *CLOSING))}
    steps = list(steps_with_touches())
    without_sensors = sum(len(step.touches) for step in steps if id(step.scene) not in other_parts)
    with virtual_display(), sensor_table(tmp_path, CONFIG) as table:
        link = table.start()
        screen = ScreenProcess(table.service.address, patient=True)
        try:
            screen.wait_for_view(link.view().sequence)
            session, with_sensors = SensorTableRun(table, link, screen), 0
            for step in sensor_steps(as_sensor_steps(steps)):
                before = session.inputs
                session.do(step)
                if id(step.scene) not in other_parts:
                    with_sensors += session.inputs - before
                if step.scene is steps[-2].scene and not step.has_question:
                    stacks = {seat.seat: seat.stack for seat in link.view().seats if seat.status != "empty"}
                    accounts = link.view().accounts
        finally:
            screen.close()
    print(
        f"twelve hands: {without_sensors} touches without_sensors sensors, {with_sensors} touches and presses with them"
    )
    assert (stacks, accounts) == (STACKS, ACCOUNTS)
    assert with_sensors < MAX_TOUCH_SHARE * without_sensors
