"""Detection of tags that answer too seldom at every spot.

Such a tag is defective, and its chip must leave play. A placing is one stay of a chip on a spot, from the first answer
of its tag until the tag has left the spot. A placing is weak if the tag answered too seldom. A single weak placing
proves little, because the chips around a tag can detune the tag during this stay. Source: readers.md, 1.
"""

from __future__ import annotations

from typing import Final

from hardware.stack_detection.tag_locator import TagTrack

MIN_WEAK_PLACINGS: Final = 3
"""Number of consecutive stays on a spot with too few answers after which a tag is reported as weak. For a good tag, one
stay in fifty has too few answers by chance. Three such stays in a row happen to one good tag in a hundred thousand."""
MIN_JUDGED_READS: Final = 12
"""Minimum number of readings after which a good stay counts. In a good stay the tag answered often enough. Only such a
stay clears the earlier stays in which the tag answered too seldom."""
MAX_JUDGED_STACK: Final = 12
"""Maximum number of tags in a stack at which a tag with few answers counts as weak. In a higher stack the lower tags
answer less often, even if they are good. Source: readers.md, 1."""
MAX_WATCHED_TAGS: Final = 255
"""Maximum number of weak tags that are remembered: as many as one antenna can read."""


class WeakTagHistory:
    """Counter, for each tag, of consecutive stays on a spot with too few answers.

    Such a stay is called a weak placing. A placing lasts from a tag's first answer at a spot until the tag has left the
    spot.
    """

    def __init__(self) -> None:
        self._weak_placings: dict[str, int] = {}
        """Number of consecutive weak placings (stays on a spot with too few answers), by UID."""

    def record_removal(self, track: TagTrack, stack_size: int) -> bool:
        """Record that a tag has left a spot. Return True if the tag must be reported as weak.

        `stack_size` is the largest number of tags that were on the spot at once. After a report, the tag's count of
        stays with too few answers starts again at 0.
        """
        if stack_size > MAX_JUDGED_STACK:
            return False
        if not track.is_weak:
            if track.hits + track.misses >= MIN_JUDGED_READS:
                self._weak_placings.pop(track.uid, None)
            return False
        placings = self._weak_placings.pop(track.uid, 0) + 1
        if placings >= MIN_WEAK_PLACINGS:
            return True
        self._weak_placings[track.uid] = placings
        if len(self._weak_placings) > MAX_WATCHED_TAGS:
            del self._weak_placings[next(iter(self._weak_placings))]
        return False
