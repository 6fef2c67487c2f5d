"""Whose badges lie on the readers, as far as they have proved themselves lately."""

from __future__ import annotations

from collections.abc import Callable

from hardware.badges import PROOF_LASTS_US, BadgeGone, BadgeSeen


class Presence:
    """The badges of one table."""

    def __init__(self, journal: Callable[[], str] = str) -> None:
        self._journal = journal
        """The name of the journal that is written now: a badge speaks for the one that it proved itself for."""
        self._seen: dict[str, BadgeSeen] = {}
        """By reader."""

    def take(self, event: BadgeSeen | BadgeGone) -> None:
        """A badge lies on a reader, proves itself again, or is there no longer."""
        self._seen.pop(event.reader, None)
        if isinstance(event, BadgeSeen) and event.proven and event.role is not None:
            self._seen[event.reader] = event

    def there(self, now_us: int) -> BadgeSeen | None:
        """The badge that speaks now: the floor's first, then the one that was proven last. None where none is there,
        or none has proved itself within `PROOF_LASTS_US` for this journal."""
        if not self._seen:
            return None
        journals = {"", self._journal()}
        valid = [
            seen
            for seen in self._seen.values()
            if 0 <= now_us - seen.at_us <= PROOF_LASTS_US and seen.occasion.journal in journals
        ]
        return max(valid, key=lambda seen: (seen.role == "floor", seen.at_us), default=None)
