"""State of a running inventory: the tags received and the number of attempts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.feig import frames
from firmware_bridge.feig.tag_records import MAX_TAGS_PER_ANSWER, parse_tags

MAX_PASSES: Final = 4
"""Maximum number of passes of an inventory. Each pass hears one more of the tags that share a slot. Five of ten tags
share one of 16 slots in 3 of 1,000 stacks."""


@dataclass(slots=True)
class InventoryJob:
    """State of a running inventory of an antenna."""

    antenna: int
    attempts: int = 1
    is_overdue: bool = False
    """True if the answer to the inventory is late, so that the driver has sent a probe."""
    has_fresh_field: bool = False
    """True if no tag of the antenna is quiet, because the field was reset or the tags had no power until now."""
    has_more: bool = False
    """True if the reader has announced more tags, which the driver must request."""
    is_complete: bool = True
    """True until it is known that tags are missing in this inventory."""
    passes: int = 1
    count_before_pass: int = 0
    """Number of tags that the earlier passes have received."""
    is_check: bool = False
    """True if the job makes passes until no new tag answers."""
    depth: int = 1
    """Number of the last pass that has heard a drowned-out tag, or 1."""
    started_us: int = 0
    """Time at which the driver sent the request for this pass."""
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

    def new_tags_of_pass(self) -> frozenset[str]:
        """Return the tags that this pass has heard and the earlier passes have not."""
        return frozenset(self.tags[self.count_before_pass :]).difference(self.tags[: self.count_before_pass])

    def can_start_next_pass(self) -> bool:
        """Return True unless tags are missing in this pass, or the inventory has had `MAX_PASSES` passes."""
        return self.is_complete and self.passes < MAX_PASSES

    def start_next_pass(self) -> None:
        """Start another pass for tags that a stronger tag has drowned out.

        The reader keeps the tags of the earlier passes quiet, so that the weaker tags in their slots are heard. Source:
        readers.md, 2 (ONT).
        """
        self.passes += 1
        self.count_before_pass = len(self.tags)
