"""Signs of life: when a reader was heard last, at which speed it is asked, and how long it may be silent.

It is asked at the speed that the layout names first, then at the others in turn. The one at which it answered is asked
at every other time: a reader that was without power comes back there.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.feig import frames
from firmware_bridge.link import KEEPALIVE_US, PROBE_MAX_US, READER_SILENCE_US

PROBES: Final = (frames.BAUD_DETECT, frames.VERSION, frames.READER_INFO)
"""Commands that change nothing, asked in turn: the answers to three of them can be told apart."""
MOST_DOUBLINGS: Final = 8


class Life:
    """Of one reader. `baud` is the speed to ask it at."""

    def __init__(self, baud: int) -> None:
        self.baud = baud
        self.heard_us = 0
        self._known = baud
        self._misses = 0
        self._probes = 0
        self._failures = 0
        self._busy_until_us = 0

    @property
    def next_probe_us(self) -> int:
        """When an idle reader is probed."""
        return self.heard_us + KEEPALIVE_US

    def start(self, now_us: int) -> None:
        """The port was opened: nothing is known, and the second of silence begins."""
        self.heard_us = now_us
        self._failures = 0
        self._busy_until_us = 0

    def busy(self, until_us: int) -> None:
        """Until then it may be reading tags, and say nothing."""
        self._busy_until_us = until_us

    def heard(self, now_us: int) -> None:
        """It answered what it was asked: nothing is on the air."""
        self.heard_us = now_us
        self._busy_until_us = 0

    def answered(self) -> None:
        """A probe's answer came back: nothing sent before it is under way any more."""
        self._failures = 0

    def found(self) -> None:
        """It is up at this speed."""
        self._known = self.baud
        self._misses = 0

    def next_probe(self) -> int:
        """The command of the next probe."""
        self._probes += 1
        return PROBES[self._probes % len(PROBES)]

    def wait_us(self, least_us: int, now_us: int, *, down: bool) -> int:
        """How long to wait for a probe's answer, which takes `least_us` at least.

        Behind an inventory that may still be on the air each is waited for twice as long as the one before, and the
        last until the inventory must have ended: few probes wait in the reader then.
        """
        busy_us = self._busy_until_us - now_us
        if busy_us > 0:
            return max(least_us, min(least_us << self._failures, busy_us))
        rounds = self._misses // (2 * (len(frames.BAUDS) - 1)) if self._misses else self._failures
        wait_us = max(least_us, min(least_us << min(rounds, MOST_DOUBLINGS), PROBE_MAX_US))
        return wait_us if down else min(wait_us, max(least_us, self.heard_us + READER_SILENCE_US - now_us))

    def unanswered(self, now_us: int) -> bool:
        """A probe was not answered. True: the reader is silent."""
        self._failures = min(self._failures + 1, MOST_DOUBLINGS)
        return now_us >= max(self.heard_us + READER_SILENCE_US, self._busy_until_us)

    def missed(self) -> None:
        """It did not answer a greeting at this speed: the next one."""
        turn, odd = divmod(self._misses, 2)
        self._misses += 1
        others = [each for each in frames.BAUDS if each != self._known]
        self.baud = self._known if odd else others[turn % len(others)]
