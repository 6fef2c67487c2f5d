"""A simulated serial line between a driver and an emulator, which carries the same bytes as a pseudo terminal."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final, TypeAlias

from firmware_bridge.driver_interface import DOWN_UNPLUGGED, Driver, HasBaudRate
from firmware_bridge.driver_messages import Message
from firmware_bridge.emulators.interface import Emulator

MAX_ROUNDS_WITHOUT_PROGRESS: Final = 10_000
"""Maximum number of steps in a row in which the simulated time does not advance. After more steps, the simulation stops
with an error, because a deadline of the driver or emulator never advances."""

ByteCorruption: TypeAlias = Callable[[bytes], list[bytes]]
"""Function that disturbs bytes on the line. It takes the bytes that were sent and returns the pieces that arrive. It
may drop, split, double or change the bytes."""


def _pass_through(data: bytes) -> list[bytes]:
    return [data]


def baud_match_check(driver: Driver, emulator: Emulator) -> Callable[[], bool]:
    """Return a function that returns True if driver and emulator currently use the same speed.

    It always returns True if the driver or the emulator has no speed setting.
    """
    if isinstance(driver, HasBaudRate) and isinstance(emulator, HasBaudRate):
        return lambda: driver.baud == emulator.baud
    return lambda: True


class SimulatedLine:
    """Simulated serial line between one driver and one emulator. `now_us` is the simulated time.

    `corrupt_to_device` and `corrupt_to_host` may change the bytes in either direction. `run_until` and `step` carry the
    bytes. Call either method after a change from outside, such as a requested inventory or a pressed button. No bytes
    arrive while the two ends use different speeds.
    """

    def __init__(
        self,
        driver: Driver,
        emulator: Emulator,
        *,
        now_us: int = 0,
        corrupt_to_device: ByteCorruption = _pass_through,
        corrupt_to_host: ByteCorruption = _pass_through,
    ) -> None:
        self.now_us = now_us
        self.corrupt_to_device = corrupt_to_device
        self.corrupt_to_host = corrupt_to_host
        self._driver = driver
        self._emulator = emulator
        self._baud_matches = baud_match_check(driver, emulator)
        self._plugged = False
        self._pending: list[tuple[int, int, bytes]] = []
        self._answer_count = 0
        self._rounds = 0

    def plug(self) -> list[Message]:
        """Plug in the device and return the driver's messages."""
        self._plugged = True
        return self._driver.on_port_opened(self.now_us)

    def unplug(self, reason: str = DOWN_UNPLUGGED) -> list[Message]:
        """Unplug the device, discard the bytes in flight, and return the driver's messages."""
        self._plugged = False
        self._pending.clear()
        return self._driver.on_port_closed(self.now_us, reason)

    def next_event_us(self) -> int | None:
        """Return the simulated time of the next event, or None if no event is planned."""
        self._exchange()
        times = [self._pending[0][0]] if self._pending else []
        for deadline_us in (self._driver.next_deadline_us(), self._emulator.next_deadline_us()):
            if deadline_us is not None:
                times.append(deadline_us)
        return max(self.now_us, min(times)) if times else None

    def step(self, until_us: int) -> list[Message]:
        """Advance to the next event, or to `until_us` if that is earlier, and return the driver's messages.

        Raises RuntimeError if the simulated time stops because a deadline does not advance.
        """
        next_us = self.next_event_us()
        if next_us is None or next_us > until_us:
            self.now_us = max(self.now_us, until_us)
            return []
        self._rounds = self._rounds + 1 if next_us == self.now_us else 0
        if self._rounds > MAX_ROUNDS_WITHOUT_PROGRESS:
            raise RuntimeError(
                f"{self._driver.device}: {self._rounds} rounds at {next_us} us: expected later deadlines"
            )
        self.now_us = next_us
        messages: list[Message] = []
        if self._pending and self._pending[0][0] <= next_us:
            data = heapq.heappop(self._pending)[2]
            for piece in self.corrupt_to_host(data) if self._baud_matches() else ():
                messages += self._driver.receive_data(piece, next_us)
        messages += self._driver.poll(next_us)
        self._exchange()
        return messages

    def run_until(self, until_us: int) -> list[Message]:
        """Advance to this time and return all messages of the driver."""
        messages: list[Message] = []
        while self.now_us < until_us or self._has_event_until(until_us):
            messages += self.step(until_us)
        return messages

    def run_until_message(self, kinds: tuple[type, ...], until_us: int) -> list[Message]:
        """Advance until the driver sends a message of these types, or until `until_us`.

        Return all its messages.
        """
        messages: list[Message] = []
        while self.now_us < until_us and not any(isinstance(message, kinds) for message in messages):
            messages += self.step(until_us)
        return messages

    def _has_event_until(self, until_us: int) -> bool:
        next_us = self.next_event_us()
        return next_us is not None and next_us <= until_us

    def _exchange(self) -> None:
        data = self._driver.data_to_send()
        answers = self._emulator.poll(self.now_us)
        if data and self._plugged and self._baud_matches():
            for piece in self.corrupt_to_device(data):
                answers += self._emulator.feed(piece, self.now_us)
        for at_us, answer in answers if self._plugged else ():
            self._answer_count += 1
            heapq.heappush(self._pending, (at_us, self._answer_count, answer))
