"""A board's clock read through a wire: maps the board's time to the host's.

Each exchange says that the board read its clock at some moment between sending and receiving. The quickest
exchanges say it best. Source of the idea: Klipper's clocksync.py.
"""

from __future__ import annotations

from collections import deque
from typing import Final

MAX_SAMPLES: Final = 32
"""Some seconds of exchanges: long against jitter, short against a warming crystal."""
SLACK_US: Final = 1_000
"""An exchange this much slower than the quickest still counts as a good one."""
MIN_SPAN_US: Final = 2_000_000
"""Drift cannot be told from jitter over less than this."""
MAX_DRIFT: Final = 200e-6
"""No crystal is worse; what seems so is jitter."""


class BoardClock:
    """Offset and drift of one board's clock since its boot, from the last MAX_SAMPLES exchanges."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int, int]] = deque(maxlen=MAX_SAMPLES)
        self._board_us = 0
        self._host_us = 0.0
        self._rate = 1.0

    @property
    def ready(self) -> bool:
        """There has been an exchange."""
        return bool(self._samples)

    def add(self, sent_us: int, received_us: int, board_us: int) -> None:
        """An exchange: sent and received in host time, and what the board's clock showed in between."""
        self._samples.append((received_us - sent_us, (sent_us + received_us) // 2, board_us))
        best = min(sample[0] for sample in self._samples)
        good = [(host, board) for round_us, host, board in self._samples if round_us <= 2 * best + SLACK_US]
        host_0, board_0 = good[0]
        mean_host = sum(host - host_0 for host, _ in good) / len(good)
        mean_board = sum(board - board_0 for _, board in good) / len(good)
        self._rate = 1.0
        if good[-1][1] - board_0 >= MIN_SPAN_US:
            spread = sum((board - board_0 - mean_board) ** 2 for _, board in good)
            both = sum((b - board_0 - mean_board) * (h - host_0 - mean_host) for h, b in good)
            self._rate = min(1 + MAX_DRIFT, max(1 - MAX_DRIFT, both / spread))
        self._board_us = board_0
        self._host_us = host_0 + mean_host - mean_board * self._rate

    def to_host_us(self, board_us: int) -> int:
        """The host time at which the board's clock showed this. Raises ValueError before the first
        exchange."""
        if not self._samples:
            raise ValueError("board clock: an exchange expected before its time can be mapped")
        return round(self._host_us + (board_us - self._board_us) * self._rate)
