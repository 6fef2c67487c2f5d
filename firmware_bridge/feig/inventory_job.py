"""State of a running inventory: the tags received and the number of attempts."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.feig import frames
from firmware_bridge.feig.tag_records import MAX_TAGS_PER_ANSWER, parse_tags


@dataclass(slots=True)
class InventoryJob:
    """A running inventory of an antenna."""

    antenna: int
    attempts: int = 1
    is_overdue: bool = False
    """True if the answer is late and a probe was sent after the request."""
    has_reset_field: bool = False
    """True if the field was reset for this inventory."""
    has_more: bool = False
    """True if the reader has more tags to send."""
    is_complete: bool = True
    """True if no tag is known to be missing."""
    tags: list[str] = field(default_factory=list)

    def add_answer(self, answer: frames.Answer) -> None:
        """Add the tags of an answer with status 00, 01 or 94.

        Tags beyond `MAX_TAGS_PER_ANSWER` are not fetched, because a reading of such a heap is never complete. Raises
        BadAnswerError if the answer's content is impossible.
        """
        self.has_more = False
        if answer.status == frames.STATUS_NO_TRANSPONDER:
            return
        more = answer.status == frames.STATUS_MORE
        tags = parse_tags(answer.data)
        if more and tags.is_complete and not tags.uids:
            raise frames.BadAnswerError(
                "inventory answer with status 94, more data to fetch: expected at least one tag, got none"
            )
        self.tags += tags.uids
        self.has_more = more and tags.is_complete and len(self.tags) < MAX_TAGS_PER_ANSWER
        self.is_complete = self.is_complete and tags.is_complete and (self.has_more or not more)
