"""Badges of a test house, and helpers that wait for badge events."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric import ec

from hardware.badges import BadgeEvent, compress_public_key, parse_badges

DEADLINE_S = 120.0
"""Timeout for events that take a second at most. Only a broken test waits this long."""

KEY = bytes(range(16))
OTHER_KEY = bytes(range(1, 17))
ANN = {"uid": "04a1b2c3", "name": "Ann", "role": "floor", "key": KEY.hex()}
BOB = {"uid": "04A1B2C3D4E5F6", "name": "Bob", "role": "dealer", "key": OTHER_KEY.hex()}
TED = {"uid": "04000001", "name": "Ted", "role": "technician"}
EVE = {"uid": "04000002", "name": "Eve", "role": "floor", "key": KEY.hex(), "revoked": True}
HOUSE = parse_badges([ANN, BOB, TED, EVE])

PIV_KEY = ec.derive_private_key(0x501, ec.SECP256R1())
OTHER_PIV_KEY = ec.derive_private_key(0x502, ec.SECP256R1())
PIV_PUBLIC_KEY = compress_public_key(PIV_KEY.public_key()) or ""
PIA = {"uid": "04F00001", "name": "Pia", "role": "floor", "public_key": PIV_PUBLIC_KEY}
PIV_UID = bytes.fromhex(PIA["uid"])
REX = {
    "uid": "04F00002",
    "name": "Rex",
    "role": "floor",
    "public_key": compress_public_key(OTHER_PIV_KEY.public_key()),
    "revoked": True,
}
MIXED_HOUSE = (*HOUSE, *parse_badges([PIA, REX]))
"""Badges with HMAC keys, and PIV badges with public keys."""

EventType = TypeVar("EventType", bound=BadgeEvent)


class BadgeEventQueue:
    """Queue of badge events. A wait for an event discards the events that arrived earlier."""

    def __init__(self) -> None:
        self._events: queue.Queue[BadgeEvent] = queue.Queue()

    def __call__(self, event: BadgeEvent) -> None:
        self._events.put(event)

    def next(self) -> BadgeEvent:
        return self._events.get(timeout=DEADLINE_S)

    def wait_for(self, kind: type[EventType], predicate: Callable[[EventType], bool] = lambda event: True) -> EventType:
        while True:
            event = self.next()
            if isinstance(event, kind) and predicate(event):
                return event


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition outside this process is true."""
    deadline = time.monotonic() + DEADLINE_S
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline
        pause.wait(0.01)
