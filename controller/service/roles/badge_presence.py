"""The badges on the badge readers of a table that have recently proven that they are genuine."""

from __future__ import annotations

from collections.abc import Callable

from hardware.badges import PROOF_LIFETIME_US, BadgeGone, BadgeSeen


class BadgePresence:
    """The proven badges at a table, by badge reader."""

    def __init__(self, get_journal_name: Callable[[], str] = str) -> None:
        self._get_journal_name = get_journal_name
        """Function that returns the name of the current journal. The proof of a badge is valid for one journal only."""
        self._badge_by_reader: dict[str, BadgeSeen] = {}
        """The proven badge on each badge reader."""

    def update(self, event: BadgeSeen | BadgeGone) -> None:
        """Update the badges after one was put on a badge reader, proved itself again, or was taken away."""
        self._badge_by_reader.pop(event.reader, None)
        if isinstance(event, BadgeSeen) and event.is_proven and event.role is not None:
            self._badge_by_reader[event.reader] = event

    def active_badge(self, now_us: int) -> BadgeSeen | None:
        """Return the badge whose rights apply now, or None.

        A badge only counts if it has proven itself for this journal within the last `PROOF_LIFETIME_US` µs. A floor's
        badge takes precedence. Otherwise the badge with the latest proof is returned.
        """
        if not self._badge_by_reader:
            return None
        journals = {"", self._get_journal_name()}
        valid = [
            seen
            for seen in self._badge_by_reader.values()
            if 0 <= now_us - seen.at_us <= PROOF_LIFETIME_US and seen.challenge_context.journal_name in journals
        ]
        return max(valid, key=lambda seen: (seen.role == "floor", seen.at_us), default=None)
