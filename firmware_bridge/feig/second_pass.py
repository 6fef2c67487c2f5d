"""Decides which inventories need a second pass for the tags that stronger tags drown out.

Of two ISO 15693 tags in the same slot, a reader may hear only the stronger one (capture effect). With the setting ONT 1
the reader keeps each reported tag quiet, so that the next inventory without a reset hears the weaker tag. Such a pass
takes about 16 ms, so the driver makes it only if it can find something:

1. After new tags, in the fourth and fifth inventory of the stack. The first three are urgent, because the stack is
   shown after them.
2. In every sixteenth inventory of an antenna with tags, because a drowned-out tag may be added without another new tag.
3. In every inventory of an antenna at which tags are drowned out, because such a tag would otherwise seem to be gone.

A tag counts only after two answers, because an antenna now and then hears a tag of a neighbour spot.

Source: readers.md, 2 (capture effect).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.feig.inventory_job import InventoryJob

MIN_ANSWERS: Final = 2
"""Minimum number of answers of a tag that is on the spot. Crosstalk seldom reads the same tag twice in a row."""
URGENT_INVENTORIES: Final = 3
"""Number of inventories of a new stack that must be quick. A stack is shown after three equal readings."""
MAX_CHECK_DELAY_US: Final = 1_100_000
"""Time, in µs, after the first answer of a new tag at which the check is made although fewer inventories have been
urgent. A stack may settle 1.2 s after its last change, so that the check comes first."""
CHECKS_PER_CHANGE: Final = 2
"""Number of checks after a new tag. A drowned-out tag needs two answers, and then every inventory hears it."""
RECHECK_INVENTORIES: Final = 16
"""Number of inventories after which an antenna with tags is checked again. A check of 20 tags takes 16 ms more than the
usual 250 ms, so that the readings of a full table are 0.4 % longer. The seat in turn is checked every two seconds."""
MEMORY_INVENTORIES: Final = 8
"""Number of inventories without an answer after which a tag is forgotten. It is also the number of inventories without
a drowned-out tag after which the second passes end."""
MAX_CHANCE_MISSES: Final = 2
"""Maximum number of first passes in a row that a tag misses by chance. A tag that has answered in one of them is not
drowned out."""


@dataclass(slots=True)
class _Tag:
    """Answers of a tag at an antenna."""

    first_us: int
    """Time of the first answer."""
    last_heard: int = 0
    """Number of the last inventory that heard the tag."""
    answers: int = 0
    """Number of answers in first passes."""
    last_answer: int = -MEMORY_INVENTORIES
    """Number of the last inventory in which the first pass heard the tag."""
    late_answers: int = 0
    """Number of answers in later passes while the first passes did not hear the tag."""


@dataclass(slots=True)
class _Antenna:
    """Tags of an antenna as the last inventories have heard them."""

    inventories: int = 0
    tags: dict[str, _Tag] = field(default_factory=dict)
    changed_inventory: int = 0
    """Number of the last inventory that heard a tag for the second time."""
    changed_us: int = 0
    """Time of the first answer of this tag. If that inventory heard several tags for the second time, the earliest of
    their times."""
    checks_left: int = 0
    checked_inventory: int = 0
    """Number of the inventory with the last check."""
    depths: deque[int] = field(default_factory=lambda: deque([1], maxlen=MEMORY_INVENTORIES))
    """For each of the last inventories, the number of its last pass that heard a drowned-out tag, or 1."""

    def record_first_pass(self, uids: frozenset[str], now_us: int) -> None:
        """Record the tags that answered in the first pass of a new inventory."""
        self.inventories += 1
        first_us: list[int] = []
        for uid in uids:
            tag = self._heard_tag(uid, now_us)
            tag.answers += 1
            tag.last_answer = self.inventories
            if tag.answers == MIN_ANSWERS:
                first_us.append(tag.first_us)
        if first_us:
            self.changed_inventory, self.changed_us = self.inventories, min(first_us)
            self.checks_left = CHECKS_PER_CHANGE
        if len(self.tags) > len(uids):
            oldest = self.inventories - MEMORY_INVENTORIES
            self.tags = {uid: tag for uid, tag in self.tags.items() if tag.last_heard > oldest}

    def needs_check(self, uids: frozenset[str], now_us: int) -> bool:
        """Return True if this inventory, in which these tags have answered, should look for drowned-out tags."""
        if not self.checks_left:
            is_due = self.inventories - self.checked_inventory >= RECHECK_INVENTORIES
            return is_due and all(self.tags[uid].answers >= MIN_ANSWERS for uid in uids)
        inventories = self.inventories - self.changed_inventory + MIN_ANSWERS
        return inventories > URGENT_INVENTORIES or now_us - self.changed_us >= MAX_CHECK_DELAY_US

    def record_later_pass(self, uids: frozenset[str], now_us: int) -> tuple[_Tag, ...]:
        """Record the tags that answered in a later pass for the first time in this inventory.

        Return those that the first passes have not heard. They are drowned out, or on a neighbour spot.
        """
        tags = tuple(self._heard_tag(uid, now_us) for uid in uids)
        unheard = tuple(tag for tag in tags if self.inventories - tag.last_answer > MAX_CHANCE_MISSES)
        for tag in unheard:
            tag.late_answers += 1
            if tag.late_answers == 1:
                self.checks_left = max(self.checks_left, CHECKS_PER_CHANGE)
        return unheard

    def _heard_tag(self, uid: str, now_us: int) -> _Tag:
        tag = self.tags.setdefault(uid, _Tag(now_us))
        tag.last_heard = self.inventories
        return tag


class SecondPasses:
    """Decides for each antenna of a reader whether another pass of an inventory is needed."""

    def __init__(self) -> None:
        self._antennas: dict[int, _Antenna] = {}

    def forget(self) -> None:
        """Forget all tags, because the reader was down."""
        self._antennas.clear()

    def needs_next_pass(self, job: InventoryJob, now_us: int) -> bool:
        """Record the pass of a job that has just ended. Return True if the job needs another pass."""
        antenna = self._antennas.setdefault(job.antenna, _Antenna())
        new_uids = job.new_tags_of_pass()
        looks_deeper = False
        if job.passes == 1:
            antenna.record_first_pass(new_uids, now_us)
            job.is_check = looks_deeper = bool(new_uids) and antenna.needs_check(new_uids, now_us)
        elif unheard := antenna.record_later_pass(new_uids, now_us):
            looks_deeper = job.is_check
            if any(tag.late_answers >= MIN_ANSWERS for tag in unheard):
                job.depth = job.passes
        if new_uids and job.can_start_next_pass() and (looks_deeper or job.passes < max(antenna.depths)):
            return True
        antenna.depths.append(job.depth)
        if job.is_check:
            antenna.checks_left = max(0, antenna.checks_left - 1)
            antenna.checked_inventory = antenna.inventories
        return False
