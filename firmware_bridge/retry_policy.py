"""Rules for inventories that fail on the wire: when to retry, and when to reset the reader."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

MAX_ATTEMPTS: Final = 2
"""Maximum attempts per inventory. A second attempt replaces a frame that noise damaged. A third attempt would only
delay the other spots."""
MAX_FAILURES_BEFORE_RESET: Final = 5
"""Number of inventories in a row that must fail before the reader is reset. They fail on the wire, although probes are
answered."""
MAX_CONSECUTIVE_RESETS: Final = 3
"""Maximum resets without a successful inventory in between. Later resets wait for `RESET_BACKOFF_US`, because no
antenna is read for a second after a reset."""
RESET_BACKOFF_US: Final = 60_000_000
"""Minimum time, in µs, between two resets after `MAX_CONSECUTIVE_RESETS` have not helped."""

FailureKind: TypeAlias = Literal["bad-frame", "doubtful", "timeout"]
"""How an inventory failed on the wire: a corrupt answer, a complete answer of which a part may be missing, or no
answer in time."""


def should_retry(attempts: int, kind: FailureKind, *, is_tall: bool) -> bool:
    """Return True if the driver itself repeats an inventory that failed in this way.

    A tall stack with a corrupt answer is not repeated. The scheduler decides when it is read again, because other spots
    may have waited longer.
    """
    return attempts < MAX_ATTEMPTS and not (is_tall and kind == "bad-frame")


class FailureCounter:
    """Counter of failed attempts in a row, which decides when a reader must be reset."""

    def __init__(self) -> None:
        self._failed_attempts = 0
        """Failed attempts since the last success or reset."""
        self._reset_count = 0
        self._reset_us = 0

    def record_success(self) -> None:
        """Record that an inventory was answered."""
        self._failed_attempts = self._reset_count = 0

    def record_link_down(self) -> None:
        """Forget earlier failures, because the reader went down and may work again after it restarts."""
        self._failed_attempts = 0

    def record_failure(self, attempts: int, now_us: int) -> bool:
        """Record an inventory that failed after this number of attempts. Return True to reset the reader now."""
        self._failed_attempts += attempts
        if self._failed_attempts < MAX_FAILURES_BEFORE_RESET * MAX_ATTEMPTS:
            return False
        if self._reset_count >= MAX_CONSECUTIVE_RESETS and now_us - self._reset_us < RESET_BACKOFF_US:
            return False
        self._failed_attempts = 0
        self._reset_count += 1
        self._reset_us = now_us
        return True
