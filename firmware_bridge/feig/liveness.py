"""Liveness of a FEIG reader: when it was last heard, how it is probed, and at which speed.

The first probe uses the speed of the layout. If the reader does not answer, the other speeds follow in turn. Every
second probe uses the speed at which the reader last answered, because a reader that lost power comes back at that
speed.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import KEEPALIVE_INTERVAL_US, MAX_PROBE_TIMEOUT_US, READER_SILENCE_TIMEOUT_US
from firmware_bridge.feig import frames

PROBE_COMMANDS: Final = (frames.BAUD_DETECT, frames.VERSION, frames.READER_INFO)
"""Commands that change nothing, used in turn so that the answers to three successive probes differ."""
MAX_BACKOFF_DOUBLINGS: Final = 8
"""Maximum number of times that the timeout of a probe is doubled."""


class Liveness:
    """Liveness of a reader. `baud` is the speed of the next probe."""

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.last_heard_us = 0
        self._known_baud = baud
        self._handshake_timeouts = 0
        self._probe_count = 0
        self._probe_timeouts = 0
        self._busy_until_us = 0

    @property
    def next_probe_us(self) -> int:
        """Return the time at which an idle reader is probed."""
        return self.last_heard_us + KEEPALIVE_INTERVAL_US

    def start(self, now_us: int) -> None:
        """Forget earlier probes and measure silence from now on, because the port has opened."""
        self.last_heard_us = now_us
        self._probe_timeouts = 0
        self._busy_until_us = 0

    def expect_busy_until(self, until_us: int) -> None:
        """Record that the reader may be silent until this time because it reads tags."""
        self._busy_until_us = until_us

    def record_answer(self, now_us: int) -> None:
        """Record that the reader answered its request. No inventory is running any longer."""
        self.last_heard_us = now_us
        self._busy_until_us = 0

    def record_probe_answer(self) -> None:
        """Record that the reader answered a probe. Requests before the probe are no longer in flight."""
        self._probe_timeouts = 0

    def record_up(self) -> None:
        """Record that the reader is up at the current speed."""
        self._known_baud = self.baud
        self._handshake_timeouts = 0

    def next_probe_command(self) -> int:
        """Return the command of the next probe."""
        self._probe_count += 1
        return PROBE_COMMANDS[self._probe_count % len(PROBE_COMMANDS)]

    def probe_timeout_us(self, min_us: int, now_us: int, *, is_down: bool) -> int:
        """Return the timeout of a probe in µs.

        The timeout is at least `min_us`, which is the duration of one request and its answer.

        While an inventory may be running, the timeout doubles with each probe, so that only a few probes wait in the
        reader. The last of these timeouts ends at the latest time at which the inventory may end.
        """
        busy_us = self._busy_until_us - now_us
        if busy_us > 0:
            return max(min_us, min(min_us << self._probe_timeouts, busy_us))
        rounds = (
            self._handshake_timeouts // (2 * (len(frames.BAUD_RATES) - 1))
            if self._handshake_timeouts
            else self._probe_timeouts
        )
        wait_us = max(min_us, min(min_us << min(rounds, MAX_BACKOFF_DOUBLINGS), MAX_PROBE_TIMEOUT_US))
        return (
            wait_us if is_down else min(wait_us, max(min_us, self.last_heard_us + READER_SILENCE_TIMEOUT_US - now_us))
        )

    def record_probe_timeout(self, now_us: int) -> bool:
        """Record a probe without an answer. Return True if the reader counts as silent now."""
        self._probe_timeouts = min(self._probe_timeouts + 1, MAX_BACKOFF_DOUBLINGS)
        return now_us >= max(self.last_heard_us + READER_SILENCE_TIMEOUT_US, self._busy_until_us)

    def try_next_baud(self) -> None:
        """Choose the next speed, because the reader did not answer the handshake at the current speed."""
        turn, odd = divmod(self._handshake_timeouts, 2)
        self._handshake_timeouts += 1
        others = [baud for baud in frames.BAUD_RATES if baud != self._known_baud]
        self.baud = self._known_baud if odd else others[turn % len(others)]
