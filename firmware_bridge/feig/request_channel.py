"""Serial line to a FEIG reader, with at most one request in flight and the deadline of its answer.

The channel does not interpret requests. The sender passes in the purpose of each request.
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
    """The request in flight.

    Its answer is due at `deadline_us`. An answer that has begun to arrive must be complete by `latest_us`.
    """

    purpose: Purpose
    ctrl: int
    deadline_us: int
    latest_us: int
    had_noise: bool = False


class RequestChannel:
    """Outgoing and incoming bytes at `baud`, which may change only while no request is in flight."""

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.pending: PendingRequest | None = None
        self._splitter = FeigFrameSplitter()
        self._out = bytearray()

    def transmission_us(self, count: int) -> int:
        """Return the time in µs that this number of bytes takes on the wire."""
        return count * frames.BITS_PER_BYTE * 1_000_000 // self.baud

    def round_trip_us(self, request: bytes, answer_bytes: int) -> int:
        """Return the time in µs that a request and its answer take on the wire, with `SERIAL_LATENCY_US` for delays."""
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
        """Return the frames and the noise that these bytes complete."""
        return self._splitter.feed(data)

    def shorten_deadline(self, now_us: int) -> None:
        """Adapt the deadline of the request in flight to the bytes that have arrived.

        - After a complete but corrupt frame the deadline is now, because no other answer will follow.
        - A frame that has begun gets a short time to continue, until `latest_us` at most.
        - After noise the answer gets a short time to arrive.

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
        """Forget the request in flight, and discard the part of its answer that has arrived."""
        self._splitter.flush()
        self.pending = None

    def reset(self) -> None:
        """Forget the request in flight and the bytes that have not been sent."""
        self.abandon_request()
        self._out.clear()
