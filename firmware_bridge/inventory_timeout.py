"""Timeouts of inventories, which grow with the number of tags in the antenna's last inventory.

A reader that reads a heap of tags is slow, not silent, so no fixed timeout is right (readers.md, 1). The timeout of an
antenna is computed from its last number of tags, with an allowance for new tags.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.driver_interface import READER_SILENCE_TIMEOUT_US

BASE_AIR_TIME_US: Final = 45_000
"""Time, in µs, to switch the antenna, reset the field and read an empty field at 10 % ASK."""
AIR_TIME_PER_TAG_US: Final = 11_000
"""Air time per tag in µs. It is the 95th percentile in the slowest column of the table in readers.md, 1, at 100 %
ASK."""
NEW_TAGS_ALLOWANCE: Final = 20
"""Number of new tags that the timeout of an answer allows for, because somebody may bet a stack between two
inventories."""
RETRY_ALLOWANCE_FACTOR: Final = 3
"""Factor by which a second attempt multiplies the allowance for new tags, so that it allows 60 instead of 20."""
MIN_SILENCE_TAGS: Final = 60
"""Number of tags, because a pot of 60 chips may be swept onto the antenna. A reader is never reported as silent before
the air time of this number of tags."""
STALE_COUNT_US: Final = 4_000_000
"""Age, in µs, at which the last number of tags counts as old. Twice as many tags are then expected, because chips may
have been added meanwhile. The pot, for example, is read seldom."""
SILENCE_EXTRA_TAGS: Final = 30
"""Number of tags. A reader may be silent for the air time of the expected tags and of this number of further tags.
Together with `NEW_TAGS_ALLOWANCE` they add half a second at 100 % ASK."""
TALL_STACK_TAGS: Final = 8
"""Number of tags up to which a stack is not tall. A taller stack takes so long to read that other spots may be
waiting."""
UNKNOWN_COUNT_TAGS: Final = 255
"""Tags to expect if an antenna has not been read yet: the maximum that an inventory can return."""


class InventoryTimeouts:
    """Timeouts of a reader's antennas, in µs of air time."""

    def __init__(self, us_per_tag: int = AIR_TIME_PER_TAG_US) -> None:
        self.us_per_tag = us_per_tag
        self._tags: dict[int, int] = {}
        self._extra_tags: dict[int, int] = {}
        self._counted_us: dict[int, int] = {}

    def answer_timeout_us(self, antenna: int, now_us: int) -> int:
        """Return the air time after which a missing answer counts as late."""
        return self._air_time_us(self._expected_tags(antenna, now_us))

    def silence_timeout_us(self, antenna: int, now_us: int) -> int:
        """Return the time after which a reader that has not answered this inventory is down.

        This time is at least `READER_SILENCE_TIMEOUT_US`.
        """
        return max(
            READER_SILENCE_TIMEOUT_US,
            self._air_time_us(max(self._expected_tags(antenna, now_us) + SILENCE_EXTRA_TAGS, MIN_SILENCE_TAGS)),
        )

    def is_tall(self, antenna: int) -> bool:
        """Return True if the next inventory takes long.

        This is assumed if the last inventory had more than `TALL_STACK_TAGS` tags.
        """
        return self._tags.get(antenna, 0) > TALL_STACK_TAGS

    def record_count(self, antenna: int, tags: int, now_us: int) -> None:
        """Record that an inventory returned this number of tags."""
        self._counted_us[antenna] = now_us
        self._tags[antenna] = tags
        self._extra_tags.pop(antenna, None)

    def record_late_answer(self, antenna: int) -> None:
        """Record that an answer was late. The next attempt allows more new tags, because a heap may have been added."""
        self._extra_tags[antenna] = NEW_TAGS_ALLOWANCE * RETRY_ALLOWANCE_FACTOR

    def record_give_up(self, antenna: int) -> None:
        """Record that no further attempt follows, so that the next inventory gets its normal timeout again."""
        self._extra_tags.pop(antenna, None)

    def forget(self, antenna: int | None = None) -> None:
        """Forget the number of tags at this antenna, or at every antenna if `antenna` is None."""
        for counts in (self._tags, self._extra_tags):
            if antenna is None:
                counts.clear()
            else:
                counts.pop(antenna, None)

    def _expected_tags(self, antenna: int, now_us: int) -> int:
        """Return the number of tags to expect at this antenna.

        It is the number in the last inventory plus the allowance for new tags, or `UNKNOWN_COUNT_TAGS` if the antenna
        was not read yet.
        """
        tags = self._tags.get(antenna)
        if tags is None:
            return UNKNOWN_COUNT_TAGS
        more = tags if now_us - self._counted_us[antenna] >= STALE_COUNT_US else 0
        return tags + max(NEW_TAGS_ALLOWANCE + more, self._extra_tags.get(antenna, 0))

    def _air_time_us(self, tags: int) -> int:
        return BASE_AIR_TIME_US + self.us_per_tag * tags
