"""Liveness of a FEIG reader: the time of its last answer, and the time and speed of the next probe.

The first probe uses the configured speed. If the reader does not answer, the other speeds are tried in turn. Every
other probe uses the speed at which the reader last answered, because a reader keeps its speed when it loses power.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import KEEPALIVE_INTERVAL_US, MAX_PROBE_TIMEOUT_US, READER_SILENCE_TIMEOUT_US
from firmware_bridge.feig import frames

PROBE_COMMANDS: Final = (frames.BAUD_DETECT, frames.VERSION, frames.READER_INFO)
"""Commands of probes, which change nothing. They are used in turn, so that the answers to three successive probes
differ."""
MAX_BACKOFF_DOUBLINGS: Final = 8
"""Maximum number of times that the timeout of a probe is doubled if no probe is answered."""


class Liveness:
    """Liveness of a reader. `baud` is the serial speed of the next probe."""

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
        """Return the time at which the next probe is due if no other request is sent."""
        return self.last_heard_us + KEEPALIVE_INTERVAL_US

    def start(self, now_us: int) -> None:
        """Forget earlier probes, because the port has opened. The reader's silence is measured from now on."""
        self.last_heard_us = now_us
        self._probe_timeouts = 0
        self._busy_until_us = 0

    def expect_busy_until(self, until_us: int) -> None:
        """Record that the reader reads tags and may be silent until this time."""
        self._busy_until_us = until_us

    def record_answer(self, now_us: int) -> None:
        """Record that the reader answered its request, so that no inventory is running."""
        self.last_heard_us = now_us
        self._busy_until_us = 0

    def record_probe_answer(self) -> None:
        """Record that the reader answered a probe.

        The answers to all requests before the probe have then arrived or are lost.
        """
        self._probe_timeouts = 0

    def record_up(self) -> None:
        """Record that the reader answers at the current speed."""
        self._known_baud = self.baud
        self._handshake_timeouts = 0

    def next_probe_command(self) -> int:
        """Return the command for the next probe."""
        self._probe_count += 1
        return PROBE_COMMANDS[self._probe_count % len(PROBE_COMMANDS)]

    def probe_timeout_us(self, min_us: int, now_us: int, *, is_down: bool) -> int:
        """Return the time, in µs, to wait for the answer to a probe.

        The timeout is at least `min_us`, the duration of a request and its answer. It doubles with each unanswered
        probe, so that few probes wait in a busy reader. While an inventory may be running, no timeout ends after the
        latest end of the inventory.
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
        """Record that a probe was not answered. Return True if the reader now counts as silent."""
        self._probe_timeouts = min(self._probe_timeouts + 1, MAX_BACKOFF_DOUBLINGS)
        return now_us >= max(self.last_heard_us + READER_SILENCE_TIMEOUT_US, self._busy_until_us)

    def try_next_baud(self) -> None:
        """Choose the next line speed, because the reader did not answer the probe at the current speed."""
        turn, odd = divmod(self._handshake_timeouts, 2)
        self._handshake_timeouts += 1
        others = [baud for baud in frames.BAUD_RATES if baud != self._known_baud]
        self.baud = self._known_baud if odd else others[turn % len(others)]
