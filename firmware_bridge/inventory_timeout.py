"""Timeouts of inventories, which grow with the number of tags in the antenna's last inventory.

A reader with a heap of tags is slow but not silent, so no fixed timeout is right (readers.md, 1). The timeout is
therefore the air time of the tags in the antenna's last inventory and of some new tags.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import READER_SILENCE_TIMEOUT_US

BASE_AIR_TIME_US: Final = 45_000
"""Time, in µs, of an inventory without tags at 10 % ASK, including the switch to the antenna and the reset of the
field."""
AIR_TIME_PER_TAG_US: Final = 11_000
"""Air time per tag in µs, at 100 % ASK. It is the 95th percentile in the slowest column of the table in readers.md,
1."""
NEW_TAGS_ALLOWANCE: Final = 20
"""Number of tags that may have been added since the antenna's last inventory, such as the chips of a large bet. The
timeout of an answer includes their air time."""
RETRY_ALLOWANCE_FACTOR: Final = 3
"""Factor by which the second attempt multiplies `NEW_TAGS_ALLOWANCE`, so that it allows 60 new tags instead of 20."""
MIN_SILENCE_TAGS: Final = 60
"""Minimum number of tags whose air time must pass before a reader is reported as silent. A pot of 60 chips may be swept
onto the antenna at once."""
STALE_COUNT_US: Final = 4_000_000
"""Age, in µs, at which an antenna's last inventory counts as old. Twice its tags are then expected, because chips may
have been added. The pot, for example, is read seldom."""
SILENCE_EXTRA_TAGS: Final = 30
"""Number of tags, in addition to the expected tags, whose air time must pass before a reader is reported as silent.
Together with `NEW_TAGS_ALLOWANCE` this adds half a second at 100 % ASK."""
TALL_STACK_TAGS: Final = 8
"""Maximum number of tags in a stack that counts as low. A taller stack takes so long to read that other spots may be
kept waiting."""
UNKNOWN_COUNT_TAGS: Final = 255
"""Number of tags to expect at an antenna that has not been read yet. It is the maximum that one inventory can
return."""


class InventoryTimeouts:
    """Timeouts of the inventories of a reader, for each antenna, in µs."""

    def __init__(self, us_per_tag: int = AIR_TIME_PER_TAG_US) -> None:
        self.us_per_tag = us_per_tag
        self._tags: dict[int, int] = {}
        self._extra_tags: dict[int, int] = {}
        self._counted_us: dict[int, int] = {}

    def answer_timeout_us(self, antenna: int, now_us: int) -> int:
        """Return the air time, in µs, after which the answer to an inventory counts as late."""
        return self._air_time_us(self._expected_tags(antenna, now_us))

    def silence_timeout_us(self, antenna: int, now_us: int) -> int:
        """Return the time, in µs, after which a reader that has not answered an inventory counts as down.

        The time is at least `READER_SILENCE_TIMEOUT_US`.
        """
        return max(
            READER_SILENCE_TIMEOUT_US,
            self._air_time_us(max(self._expected_tags(antenna, now_us) + SILENCE_EXTRA_TAGS, MIN_SILENCE_TAGS)),
        )

    def is_tall(self, antenna: int) -> bool:
        """Return True if the last inventory of the antenna had more than `TALL_STACK_TAGS` tags.

        The next inventory then probably takes long.
        """
        return self._tags.get(antenna, 0) > TALL_STACK_TAGS

    def record_count(self, antenna: int, tags: int, now_us: int) -> None:
        """Record the number of tags in an inventory of this antenna."""
        self._counted_us[antenna] = now_us
        self._tags[antenna] = tags
        self._extra_tags.pop(antenna, None)

    def record_late_answer(self, antenna: int) -> None:
        """Record that an answer was late. A heap may have been added, so the next attempt allows more new tags."""
        self._extra_tags[antenna] = NEW_TAGS_ALLOWANCE * RETRY_ALLOWANCE_FACTOR

    def record_give_up(self, antenna: int) -> None:
        """Record that the inventory is not repeated again, so that the next one gets its normal timeout."""
        self._extra_tags.pop(antenna, None)

    def forget(self, antenna: int | None = None) -> None:
        """Forget the number of tags at this antenna, or at every antenna if `antenna` is None."""
        for counts in (self._tags, self._extra_tags):
            if antenna is None:
                counts.clear()
            else:
                counts.pop(antenna, None)

    def _expected_tags(self, antenna: int, now_us: int) -> int:
        """Return the number of tags for which the timeout of this antenna must be long enough.

        It is the number in the last inventory plus the allowance for new tags. Return `UNKNOWN_COUNT_TAGS` if the
        antenna has not been read yet.
        """
        tags = self._tags.get(antenna)
        if tags is None:
            return UNKNOWN_COUNT_TAGS
        more = tags if now_us - self._counted_us[antenna] >= STALE_COUNT_US else 0
        return tags + max(NEW_TAGS_ALLOWANCE + more, self._extra_tags.get(antenna, 0))

    def _air_time_us(self, tags: int) -> int:
        return BASE_AIR_TIME_US + self.us_per_tag * tags
