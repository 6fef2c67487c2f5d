"""One inventory under way: what was found so far, and how often it was begun."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.feig import frames
from firmware_bridge.feig.records import MAX_TAGS_PER_ANSWER, parse_tags


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
