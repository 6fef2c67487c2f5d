"""Rules for failed inventories: when to repeat the inventory, and when to reset the reader."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

MAX_ATTEMPTS: Final = 2
"""Maximum number of attempts for one inventory. The second attempt replaces an answer that noise damaged. A third
attempt would only delay the other spots."""
MAX_FAILURES_BEFORE_RESET: Final = 5
"""Number of inventories in a row that must fail before the driver resets a reader that still answers other requests."""
MAX_CONSECUTIVE_RESETS: Final = 3
"""Maximum number of resets in a row before `RESET_BACKOFF_US` applies. A successful inventory sets the count to 0. No
antenna is read for a second after a reset, so resets that do not help must be rare."""
RESET_BACKOFF_US: Final = 60_000_000
"""Minimum time, in µs, between two resets of a reader after `MAX_CONSECUTIVE_RESETS` resets have not helped."""

FailureKind: TypeAlias = Literal["bad-frame", "doubtful", "timeout"]
"""How an inventory failed. The answer was corrupt ("bad-frame"), a part of it may be missing ("doubtful"), or no answer
arrived in time ("timeout")."""


def should_retry(attempts: int, kind: FailureKind, *, is_tall: bool) -> bool:
    """Return True if the driver must repeat an inventory that failed in this way.

    The driver does not repeat the inventory of a tall stack after a corrupt answer. The scheduler then decides which
    spot is read next, because other spots may have waited longer.
    """
    return attempts < MAX_ATTEMPTS and not (is_tall and kind == "bad-frame")


class FailureCounter:
    """Counter of failed attempts in a row. It decides when the driver resets the reader."""

    def __init__(self) -> None:
        self._failed_attempts = 0
        """Number of failed attempts since the last successful inventory or reset."""
        self._reset_count = 0
        self._reset_us = 0

    def record_success(self) -> None:
        """Record that the reader answered an inventory."""
        self._failed_attempts = self._reset_count = 0

    def record_link_down(self) -> None:
        """Forget the failed attempts, because the reader went down and may work again when it is back."""
        self._failed_attempts = 0

    def record_failure(self, attempts: int, now_us: int) -> bool:
        """Record an inventory that failed after this number of attempts.

        Return True if the driver must reset the reader.
        """
        self._failed_attempts += attempts
        if self._failed_attempts < MAX_FAILURES_BEFORE_RESET * MAX_ATTEMPTS:
            return False
        if self._reset_count >= MAX_CONSECUTIVE_RESETS and now_us - self._reset_us < RESET_BACKOFF_US:
            return False
        self._failed_attempts = 0
        self._reset_count += 1
        self._reset_us = now_us
        return True
