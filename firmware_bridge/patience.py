"""How long an inventory may take on the air: a heap of tags is slow, and a reader that reads one is not silent.

No fixed time is right (readers.md, 1): each antenna is given what its last count makes likely, and room to grow.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.link import READER_SILENCE_US

BASE_US: Final = 45_000
"""Antenna switching, the field's reset and an empty field at 10 % ASK."""
US_PER_TAG: Final = 11_000
"""The 95th percentile of the slowest row, 100 % ASK."""
STACK: Final = 20
"""Tags that may have come since the last reading before the answer counts as late: somebody bet a stack."""
LATE: Final = 3
"""In a second attempt so many times as many may have come."""
GROWTH: Final = 60
"""Tags that may lie there suddenly before the reader counts as silent: a pot is swept onto the antenna."""
OLD_US: Final = 4_000_000
"""A count of that age or older says less: meanwhile the tags may have doubled (a pot, which is read seldom)."""
GRACE: Final = 30
"""Tags beyond the late ones before the reader counts as silent: with 20 of a stack half a second at 100 % ASK."""
TALL: Final = 8
"""A reading of more tags takes so long that others may be waiting for its end."""
HEAP: Final = 255
"""Tags where nothing is known yet: the most that an inventory can name."""


class Patience:
    """What one reader is given, by antenna, in microseconds of air time."""

    def __init__(self, us_per_tag: int = US_PER_TAG) -> None:
        self.us_per_tag = us_per_tag
        self._tags: dict[int, int] = {}
        self._room: dict[int, int] = {}
        self._seen_us: dict[int, int] = {}

    def answer_us(self, antenna: int, now_us: int) -> int:
        """After that an answer that has not come counts as late."""
        return self._air_us(self._likely(antenna, now_us))

    def silence_us(self, antenna: int, now_us: int) -> int:
        """A reader that has said nothing for so long while it reads this antenna is down; never below
        `READER_SILENCE_US`."""
        return max(READER_SILENCE_US, self._air_us(max(self._likely(antenna, now_us) + GRACE, GROWTH)))

    def is_tall(self, antenna: int) -> bool:
        """True where the last reading had so many tags that another one takes long."""
        return self._tags.get(antenna, 0) > TALL

    def seen(self, antenna: int, tags: int, now_us: int) -> None:
        """So many tags answered."""
        self._seen_us[antenna] = now_us
        self._tags[antenna] = tags
        self._room.pop(antenna, None)

    def late(self, antenna: int) -> None:
        """The answer did not come in its time: there may be a heap, and a second attempt is given more time."""
        self._room[antenna] = STACK * LATE

    def gave_up(self, antenna: int) -> None:
        """No further attempt is made: it was not for lack of time."""
        self._room.pop(antenna, None)

    def forget(self, antenna: int | None = None) -> None:
        """Anything may lie there now: at this antenna, or at all."""
        for known in (self._tags, self._room):
            if antenna is None:
                known.clear()
            else:
                known.pop(antenna, None)

    def _likely(self, antenna: int, now_us: int) -> int:
        """The tags of the last reading, and some more; a heap where nothing is known."""
        tags = self._tags.get(antenna)
        if tags is None:
            return HEAP
        more = tags if now_us - self._seen_us[antenna] >= OLD_US else 0
        return tags + max(STACK + more, self._room.get(antenna, 0))

    def _air_us(self, tags: int) -> int:
        return BASE_US + self.us_per_tag * tags
