"""Conversion of a board's clock to the clock of the host.

In each exchange, the board reads its clock at some moment between the host's request and the board's answer. A fast
exchange limits this moment to a short time, so that the conversion is accurate. The method is that of Klipper's
clocksync.py.
"""

from __future__ import annotations

from collections import deque
from typing import Final

MAX_SAMPLES: Final = 32
"""Number of exchanges between host and board from which offset and drift are computed. These exchanges span a few
seconds. This is long enough to average out jitter, and short enough to follow a crystal that warms up."""
ROUND_TRIP_SLACK_US: Final = 1_000
"""Allowance, in µs, for the round trip of an exchange. An exchange is used only if its round trip takes at most twice
the fastest round trip plus this allowance."""
MIN_DRIFT_SPAN_US: Final = 2_000_000
"""Minimum time, in µs, that the recorded exchanges must span before a drift is computed. Over a shorter time, drift
cannot be distinguished from jitter."""
MAX_DRIFT: Final = 200e-6
"""Maximum drift of the board's clock, as a fraction of the elapsed time. No crystal drifts more, so a larger computed
value is an effect of jitter."""


class BoardClock:
    """Offset and drift of a board's clock, computed from the last `MAX_SAMPLES` exchanges since it booted."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int, int]] = deque(maxlen=MAX_SAMPLES)
        self._board_us = 0
        self._host_us = 0.0
        self._rate = 1.0

    def add_sample(self, sent_us: int, received_us: int, board_us: int) -> None:
        """Record one exchange and compute offset and drift again.

        `sent_us` and `received_us` are host times. `board_us` is the time that the board's clock showed between these
        host times.
        """
        self._samples.append((received_us - sent_us, (sent_us + received_us) // 2, board_us))
        best = min(sample[0] for sample in self._samples)
        good = [(host, board) for round_us, host, board in self._samples if round_us <= 2 * best + ROUND_TRIP_SLACK_US]
        host_0, board_0 = good[0]
        mean_host = sum(host - host_0 for host, _ in good) / len(good)
        mean_board = sum(board - board_0 for _, board in good) / len(good)
        self._rate = 1.0
        if good[-1][1] - board_0 >= MIN_DRIFT_SPAN_US:
            spread = sum((board - board_0 - mean_board) ** 2 for _, board in good)
            both = sum((b - board_0 - mean_board) * (h - host_0 - mean_host) for h, b in good)
            self._rate = min(1 + MAX_DRIFT, max(1 - MAX_DRIFT, both / spread))
        self._board_us = board_0
        self._host_us = host_0 + mean_host - mean_board * self._rate

    def to_host_us(self, board_us: int) -> int:
        """Return the host time at which the board's clock showed `board_us`.

        Raises ValueError if no exchange has been recorded.
        """
        if not self._samples:
            raise ValueError("board clock: expected an exchange before a board time is converted, got none")
        return round(self._host_us + (board_us - self._board_us) * self._rate)
