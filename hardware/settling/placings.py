"""Which tags answer too seldom wherever they lie: those are the tag's own fault, and it is to be taken out of play.

A tag that answers seldom once says little: the chips around it detune it while it lies there. Source: readers.md, 1."""

from __future__ import annotations

from typing import Final

from hardware.settling.tracks import Track

WEAK_PLACINGS: Final = 3
"""A tag that was weak so many times, and never in good order between them, is weak: of tags in good order that are
detuned one time in fifty, so many are one in a hundred thousand."""
JUDGED_READS: Final = 12
"""Readings from which on a tag that was not weak was in good order."""
TALL: Final = 12
"""In stacks of more tags than this the lower ones answer less, whatever their tags are. Source: readers.md, 1."""
MOST_WATCHED: Final = 255
"""Tags that were weak and are remembered: as many as lie on one antenna."""


class Placings:
    """What is known of the tags that were weak, from one placing to the next. A placing is from a tag's first answer at
    a spot until it has left it."""

    def __init__(self) -> None:
        self._weak: dict[str, int] = {}
        """How often in a row each of them was."""

    def ended(self, track: Track, among: int) -> bool:
        """A tag has left the spot where it counted, one of so many at most; whether its placings say that it is weak.
        That is said once, and then again after as many more."""
        if among > TALL:
            return False
        if not track.weak:
            if track.hits + track.misses >= JUDGED_READS:
                self._weak.pop(track.uid, None)
            return False
        times = self._weak.pop(track.uid, 0) + 1
        if times >= WEAK_PLACINGS:
            return True
        self._weak[track.uid] = times
        if len(self._weak) > MOST_WATCHED:
            del self._weak[next(iter(self._weak))]
        return False
