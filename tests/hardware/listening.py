"""What the badge tests wait with, and the badges of their house."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from hardware.badges import BadgeEvent, make_badges

DEADLINE_S = 20.0
"""For what takes a second at most: only a broken test waits so long."""

KEY = bytes(range(16))
OTHER_KEY = bytes(range(1, 17))
ANN = {"uid": "04a1b2c3", "name": "Ann", "role": "floor", "key": KEY.hex()}
BOB = {"uid": "04A1B2C3D4E5F6", "name": "Bob", "role": "dealer", "key": OTHER_KEY.hex()}
TED = {"uid": "04000001", "name": "Ted", "role": "technician"}
HOUSE = make_badges([ANN, BOB, TED])

Found = TypeVar("Found", bound=BadgeEvent)


class Heard:
    """Collects events; those skipped while waiting for one are dropped."""

    def __init__(self) -> None:
        self._events: queue.Queue[BadgeEvent] = queue.Queue()

    def __call__(self, event: BadgeEvent) -> None:
        self._events.put(event)

    def next(self) -> BadgeEvent:
        return self._events.get(timeout=DEADLINE_S)

    def until(self, kind: type[Found], wanted: Callable[[Found], bool] = lambda event: True) -> Found:
        while True:
            event = self.next()
            if isinstance(event, kind) and wanted(event):
                return event


def until(true: Callable[[], object]) -> None:
    """Waits for something outside this process that cannot be waited for otherwise."""
    deadline = time.monotonic() + DEADLINE_S
    look = threading.Event()
    while not true():
        assert time.monotonic() < deadline
        look.wait(0.01)
