"""State of a running inventory: the tags received and the number of attempts."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_bridge.feig import frames
from firmware_bridge.feig.tag_records import MAX_TAGS_PER_ANSWER, parse_tags


@dataclass(slots=True)
class InventoryJob:
    """State of a running inventory of an antenna."""

    antenna: int
    attempts: int = 1
    is_overdue: bool = False
    """True if the answer to the inventory is late, so that the driver has sent a probe."""
    has_reset_field: bool = False
    """True if the driver has reset the field for this inventory."""
    has_more: bool = False
    """True if the reader has announced more tags, which the driver must request."""
    is_complete: bool = True
    """True until it is known that tags are missing in this inventory."""
    started_us: int = 0
    """Time at which the driver sent the request for the inventory."""
    tags: list[str] = field(default_factory=list)

    def add_answer(self, answer: frames.Answer) -> None:
        """Add the tags of an answer with status 00, 01 or 94.

        After `MAX_TAGS_PER_ANSWER` tags, no more are requested, because such a heap is never read completely. Raises
        BadAnswerError if the content of the answer is impossible.
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
