"""One inventory under way: what was found so far, and how often it was begun."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.feig import frames
from firmware_bridge.feig.records import MAX_TAGS_PER_ANSWER, parse_tags

ATTEMPTS: Final = 2
"""A second attempt cures a frame that noise hit; a third would only hold up the other spots."""
RESET_AFTER: Final = 5
"""Inventories that failed on the wire in a row although probes are answered: then the CPU is reset."""
RESETS_AT_ONCE: Final = 3
"""Resets that may follow one another with no inventory between; what they did not cure is worth a try now and then
only."""
RESET_PAUSE_US: Final = 60_000_000
"""Between resets after these."""


@dataclass(slots=True)
class Job:
    """An inventory of one antenna."""

    antenna: int
    attempts: int = 1
    overdue: bool = False
    """Its answer is not there in time; a probe was sent after it."""
    field_reset: bool = False
    more: bool = False
    """The reader has more to tell of it."""
    whole: bool = True
    """No tag is known to be missing."""
    tags: list[str] = field(default_factory=list)

    def take(self, answer: frames.Answer) -> None:
        """An answer of status 00, 01 or 94. Raises BadAnswerError where it cannot be.

        What is beyond `MAX_TAGS_PER_ANSWER` tags is not fetched: that is a heap, and no reading of it is whole.
        """
        self.more = False
        if answer.status == frames.STATUS_NO_TRANSPONDER:
            return
        more = answer.status == frames.STATUS_MORE
        tags = parse_tags(answer.data)
        if more and tags.whole and not tags.uids:
            raise frames.BadAnswerError("inventory answer without tags: more to come, so some expected")
        self.tags += tags.uids
        self.more = more and tags.whole and len(self.tags) < MAX_TAGS_PER_ANSWER
        self.whole = self.whole and tags.whole and (self.more or not more)


class Failures:
    """Counts inventories that failed on the wire, and says when the reader's CPU is to be reset."""

    def __init__(self) -> None:
        self._in_row = 0
        self._resets = 0
        self._reset_us = 0

    def worked(self) -> None:
        """An inventory was answered."""
        self._in_row = self._resets = 0

    def failed(self, now_us: int) -> bool:
        """Another one was not. True: reset the CPU now."""
        self._in_row += 1
        if self._in_row < RESET_AFTER:
            return False
        if self._resets >= RESETS_AT_ONCE and now_us - self._reset_us < RESET_PAUSE_US:
            return False
        self._in_row = 0
        self._resets += 1
        self._reset_us = now_us
        return True
