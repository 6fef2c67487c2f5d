"""The serial line to a reader: one request in flight, and by when its answer has to be there.

Nothing in here knows what a request is for; who sends decides that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from firmware_bridge.feig import frames
from firmware_bridge.framing import FEIG_MAX_ADVANCED, FeigSplitter, Frame, Noise
from firmware_bridge.link import SERIAL_GAP_US, SERIAL_LATENCY_US

Purpose: TypeAlias = Literal["probe", "settings", "select", "rf-reset", "inventory", "more", "cpu-reset"]


@dataclass(slots=True)
class InFlight:
    """The request that waits for its answer: until `deadline_us`, or `last_us` where an answer has begun."""

    purpose: Purpose
    ctrl: int
    deadline_us: int
    last_us: int
    noise: bool = False


class Line:
    """What goes out and comes in at `baud`, which may be changed while nothing is in flight."""

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.waiting: InFlight | None = None
        self._splitter = FeigSplitter()
        self._out = bytearray()

    def serial_us(self, count: int) -> int:
        """How long so many bytes are on the wire."""
        return count * frames.BITS_PER_BYTE * 1_000_000 // self.baud

    def round_us(self, request: bytes, answer_bytes: int) -> int:
        """From sending a request to the last byte of its answer, without the reader's work."""
        return self.serial_us(len(request) + answer_bytes) + SERIAL_LATENCY_US

    def send(self, purpose: Purpose, request: bytes, ctrl: int, wait_us: int, now_us: int) -> None:
        """Sends a request whose answer is to be there within `wait_us`."""
        self._splitter.flush()
        self._out += request
        deadline_us = now_us + wait_us
        self.waiting = InFlight(purpose, ctrl, deadline_us, deadline_us + self.serial_us(FEIG_MAX_ADVANCED))

    def outgoing(self) -> bytes:
        """The bytes to write now, once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def feed(self, data: bytes) -> list[Frame | Noise]:
        """What came, cut into frames."""
        return self._splitter.feed(data)

    def tighten(self, now_us: int) -> None:
        """A frame under way gets the time that it needs; after noise only a short pause is waited, and none after a
        frame that is whole but spoilt."""
        waiting = self.waiting
        if waiting is None or waiting.purpose == "probe":
            return
        if self._splitter.spoilt:
            waiting.deadline_us = now_us
        elif self._splitter.missing:
            waiting.deadline_us = min(waiting.last_us, now_us + SERIAL_GAP_US)
        elif waiting.noise:
            waiting.deadline_us = min(waiting.deadline_us, now_us + SERIAL_GAP_US)

    def forget(self) -> None:
        """Nothing is waited for any more, and what has begun to come is given up."""
        self._splitter.flush()
        self.waiting = None

    def clear(self) -> None:
        """As `forget`, and what was to be sent is not."""
        self.forget()
        self._out.clear()
