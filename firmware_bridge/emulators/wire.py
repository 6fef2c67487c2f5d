"""A wire between a driver and an emulated device in simulated time: the same bytes as on a pty."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final, TypeAlias

from firmware_bridge.emulators.device import Emulator
from firmware_bridge.link import DOWN_UNPLUGGED, Driver, Tuned
from firmware_bridge.messages import Message

MAX_ROUNDS_AT_ONCE: Final = 10_000
"""Rounds without time passing: more is a driver or device whose deadline never moves on."""

Damage: TypeAlias = Callable[[bytes], list[bytes]]
"""What becomes of a piece of bytes on its way: the pieces that arrive, possibly none, several, or others."""


def _whole(data: bytes) -> list[bytes]:
    return [data]


def hearing(driver: Driver, emulator: Emulator) -> Callable[[], bool]:
    """Says at any time whether the bytes of either end mean anything at the other: at different line speeds, where both
    have one, they do not."""
    if isinstance(driver, Tuned) and isinstance(emulator, Tuned):
        return lambda: driver.baud == emulator.baud
    return lambda: True


class Wire:
    """Carries bytes and deadlines between one driver and one emulator. `now_us` is the simulated time.

    `to_device` and `to_host` damage what is carried. What has happened to driver or device from outside
    (an inventory asked for, a button pressed) is carried on by the next `run_until` or `step`. At different line
    speeds nothing is understood at the other end.
    """

    def __init__(
        self,
        driver: Driver,
        emulator: Emulator,
        *,
        now_us: int = 0,
        to_device: Damage = _whole,
        to_host: Damage = _whole,
    ) -> None:
        self.now_us = now_us
        self.to_device = to_device
        self.to_host = to_host
        self._driver = driver
        self._emulator = emulator
        self._understood = hearing(driver, emulator)
        self._plugged = False
        self._pending: list[tuple[int, int, bytes]] = []
        self._count = 0
        self._rounds = 0

    def plug(self) -> list[Message]:
        """The port is there from now on."""
        self._plugged = True
        return self._driver.opened(self.now_us)

    def unplug(self, reason: str = DOWN_UNPLUGGED) -> list[Message]:
        """The port is gone, and what was on its way with it."""
        self._plugged = False
        self._pending.clear()
        return self._driver.closed(self.now_us, reason)

    def next_us(self) -> int | None:
        """When something happens next; None: nothing will by itself."""
        self._exchange()
        times = [self._pending[0][0]] if self._pending else []
        for deadline_us in (self._driver.next_deadline_us(), self._emulator.next_deadline_us()):
            if deadline_us is not None:
                times.append(deadline_us)
        return max(self.now_us, min(times)) if times else None

    def step(self, until_us: int) -> list[Message]:
        """Lets the next thing happen, or time pass until `until_us` where that is sooner."""
        next_us = self.next_us()
        if next_us is None or next_us > until_us:
            self.now_us = max(self.now_us, until_us)
            return []
        self._rounds = self._rounds + 1 if next_us == self.now_us else 0
        if self._rounds > MAX_ROUNDS_AT_ONCE:
            raise RuntimeError(f"{self._driver.device}: {self._rounds} rounds at {next_us} us: a deadline stands")
        self.now_us = next_us
        messages: list[Message] = []
        if self._pending and self._pending[0][0] <= next_us:
            data = heapq.heappop(self._pending)[2]
            for piece in self.to_host(data) if self._understood() else ():
                messages += self._driver.receive(piece, next_us)
        messages += self._driver.poll(next_us)
        self._exchange()
        return messages

    def run_until(self, until_us: int) -> list[Message]:
        """Everything that the driver says until then."""
        messages: list[Message] = []
        while self.now_us < until_us or self._due(until_us):
            messages += self.step(until_us)
        return messages

    def run_until_message(self, kinds: tuple[type, ...], until_us: int) -> list[Message]:
        """As `run_until`, but stops with the first message of these kinds."""
        messages: list[Message] = []
        while self.now_us < until_us and not any(isinstance(message, kinds) for message in messages):
            messages += self.step(until_us)
        return messages

    def _due(self, until_us: int) -> bool:
        next_us = self.next_us()
        return next_us is not None and next_us <= until_us

    def _exchange(self) -> None:
        data = self._driver.outgoing()
        answers = self._emulator.poll(self.now_us)
        if data and self._plugged and self._understood():
            for piece in self.to_device(data):
                answers += self._emulator.feed(piece, self.now_us)
        for at_us, answer in answers if self._plugged else ():
            self._count += 1
            heapq.heappush(self._pending, (at_us, self._count, answer))
