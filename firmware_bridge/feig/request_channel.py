"""Serial line to a FEIG reader, with at most one request that waits for its answer.

The channel does not interpret requests. The sender states the purpose of each request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from firmware_bridge.driver_interface import SERIAL_GAP_TIMEOUT_US, SERIAL_LATENCY_US
from firmware_bridge.feig import frames
from firmware_bridge.feig_framing import FEIG_MAX_ADVANCED_FRAME, FeigFrameSplitter, Frame, LineNoise

Purpose: TypeAlias = Literal["probe", "settings", "select", "rf-reset", "inventory", "more", "cpu-reset"]


@dataclass(slots=True)
class PendingRequest:
    """A request that waits for its answer.

    The answer must begin to arrive by `deadline_us`. Once it has begun, it must be complete by `latest_us`.
    """

    purpose: Purpose
    ctrl: int
    deadline_us: int
    latest_us: int
    had_noise: bool = False


class RequestChannel:
    """Sent and received bytes of a serial line with the speed `baud`.

    Change the speed only if no request is in flight.
    """

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.pending: PendingRequest | None = None
        self._splitter = FeigFrameSplitter()
        self._out = bytearray()

    def transmission_us(self, count: int) -> int:
        """Return the time, in µs, to transmit this number of bytes."""
        return count * frames.BITS_PER_BYTE * 1_000_000 // self.baud

    def round_trip_us(self, request: bytes, answer_bytes: int) -> int:
        """Return the time, in µs, to transmit a request and its answer, plus the allowance `SERIAL_LATENCY_US`."""
        return self.transmission_us(len(request) + answer_bytes) + SERIAL_LATENCY_US

    def send(self, purpose: Purpose, request: bytes, ctrl: int, timeout_us: int, now_us: int) -> None:
        """Send a request and expect its answer within `timeout_us`."""
        self._splitter.flush()
        self._out += request
        deadline_us = now_us + timeout_us
        self.pending = PendingRequest(
            purpose, ctrl, deadline_us, deadline_us + self.transmission_us(FEIG_MAX_ADVANCED_FRAME)
        )

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        """Record received bytes, and return the frames and the noise that are now complete."""
        return self._splitter.feed(data)

    def shorten_deadline(self, now_us: int) -> None:
        """Change the deadline of the request in flight, depending on the bytes that have arrived.

        - After a complete frame with a wrong checksum, the deadline is now, because no other answer will follow.
        - After an incomplete frame, the rest must begin to arrive within `SERIAL_GAP_TIMEOUT_US`, and no later than
          `latest_us`.
        - After noise, the answer must begin to arrive within `SERIAL_GAP_TIMEOUT_US`.

        The deadline of a probe does not change.
        """
        pending = self.pending
        if pending is None or pending.purpose == "probe":
            return
        if self._splitter.ended_corrupt:
            pending.deadline_us = now_us
        elif self._splitter.missing_bytes:
            pending.deadline_us = min(pending.latest_us, now_us + SERIAL_GAP_TIMEOUT_US)
        elif pending.had_noise:
            pending.deadline_us = min(pending.deadline_us, now_us + SERIAL_GAP_TIMEOUT_US)

    def abandon_request(self) -> None:
        """Forget the request in flight and any part of its answer that has arrived."""
        self._splitter.flush()
        self.pending = None

    def reset(self) -> None:
        """Forget the request in flight and all bytes that are still to be sent."""
        self.abandon_request()
        self._out.clear()
