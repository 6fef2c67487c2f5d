"""The twelve hands with sensors on: emulated readers and keys on ptys, the real service, the real window, a finger.

Less than half of the touches that they take without sensors; a press of one of the dealer's keys counts as a touch.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest

from controller.simulation import Link, conform
from controller.simulation.people import FINGER_S, PATIENCE_S, SWEEP_S, differences
from tests.evening.by_step import CONFIG, by_step
from tests.evening.glass import Glass, own_display
from tests.evening.sensed import Deed, as_sensed, deeds
from tests.service.running import Felt, felt
from tests.ui.evening import CLOSING, OPENING
from tests.ui.test_ui_evening import ACCOUNTS, STACKS

pytestmark = pytest.mark.screen
KEY_S: Final = 0.08
"""How long a finger holds a key down."""
LESS_THAN: Final = 0.5
"""Of the touches without sensors."""


class Sensed:
    """A table with sensors, its screen, and what the dealer has keyed."""

    def __init__(self, table: Felt, link: Link, glass: Glass) -> None:
        self.table, self.link, self.glass = table, link, glass
        self.presses = 0
        self._chips_s = 0.0

    @property
    def keyed(self) -> int:
        """Touches and presses."""
        return self.glass.touches + self.presses

    def do(self, deed: Deed) -> None:
        """All of it, until the table shows it."""
        if deed.chips is not None:
            with self.table.table.hands() as world:
                world.put(deed.chips.seat, deed.chips.forward, extra=True)
            self._chips_s = time.monotonic()
        for key in deed.keys:
            self._press(key)
        if deed.touches:
            self.glass.shows(self.link.view().sequence)  # who touches looks at what the trays have told by then
            self.glass.send(*deed.touches)
        if deed.asks:
            return
        if not deed.chips_follow:
            self._until(deed)
        with self.table.table.hands() as world:
            conform(world, deed.table)
        self._until(deed)
        if deed.sweeps:
            time.sleep(SWEEP_S)  # a person's: the next card is burned and turned

    def _press(self, key: str) -> None:
        time.sleep(max(0.0, self._chips_s + FINGER_S - time.monotonic()))  # a person's finger is not faster
        self.table.table.press(key)
        time.sleep(KEY_S)
        self.table.table.release(key)
        self.presses += 1

    def _until(self, deed: Deed) -> None:
        shown = self.link.wait(lambda view: not differences(view, deed.table), PATIENCE_S)
        view = self.link.view()
        alerts = [alert.code for alert in view.alerts]
        assert shown, (deed.scene.what, deed[2:], differences(view, deed.table), alerts, self.glass.frame.told)


@pytest.mark.soak
def test_the_evening_takes_less_than_half_of_the_touches(tmp_path: Path) -> None:
    around = {*map(id, (*OPENING, *CLOSING))}
    steps = list(by_step())
    without = sum(len(step.touches) for step in steps if id(step.scene) not in around)
    with own_display(), felt(tmp_path, CONFIG) as table:
        link = table.start()
        glass = Glass(table.service.address, patient=True)
        try:
            glass.shows(link.view().sequence)
            evening, keyed = Sensed(table, link, glass), 0
            for deed in deeds(as_sensed(steps)):
                before = evening.keyed
                evening.do(deed)
                if id(deed.scene) not in around:
                    keyed += evening.keyed - before
                if deed.scene is steps[-2].scene and not deed.asks:
                    stacks = {seat.seat: seat.stack for seat in link.view().seats if seat.status != "empty"}
                    accounts = link.view().accounts
        finally:
            glass.close()
    print(f"twelve hands: {without} touches without sensors, {keyed} touches and presses with them")
    assert (stacks, accounts) == (STACKS, ACCOUNTS)
    assert keyed < LESS_THAN * without
