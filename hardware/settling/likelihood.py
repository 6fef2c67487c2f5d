"""How likely a tag's silence is, by its own answers so far.

Most tags miss few readings, and independently; some miss many, each at a rate of its own that lasts as long as they
lie there (detuned by the chips around them). So the rate is drawn from two kinds: the usual one, and, for a small share
of the tags, any rate from 0 to 1. What a tag has answered says of which kind it is: the usual weight shrinks with each
miss, the other is a Beta distribution. Source: readers.md, 1 (misses stick to a chip)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import factorial
from typing import Final

USUAL_MISS: Final = 0.02
"""A tag in good order misses one reading of fifty."""
STICKY_SHARE: Final = 0.02
"""Of the tags that are laid down, so many have a miss rate of their own."""
GONE: Final = 5e-6
"""A tag is gone when its silence is less likely than this: three readings of a tag in good order are not enough, four
are; a stack of five that is read five times a second loses a chip for a moment once in three days."""
NOTICED: Final = 0.05
"""A silence less likely than this is worth a look."""
STICKY: Final = 0.9
"""From this likelihood on a tag is known to have a miss rate of its own."""
MOST_PATIENCE: Final = 29
"""Readings after which any silence ends: a tag that answers one reading in six is heard again in 995 of 1,000 cases."""
REMEMBERED: Final = 64
"""Readings of a tag that count; of more, their shares."""


def patience(hits: int, misses: int, unlikely: float = GONE) -> int:
    """After how many silent readings in a row a tag that answered `hits` readings and missed `misses` is gone: the
    first silence less likely than `unlikely`, at most `MOST_PATIENCE`."""
    return _patience(*_scaled(hits, misses), unlikely)


def sticky(hits: int, misses: int) -> float:
    """How likely the tag has a miss rate of its own."""
    return _sticky(*_scaled(hits, misses))


def _scaled(hits: int, misses: int) -> tuple[int, int]:
    reads = hits + misses
    if reads <= REMEMBERED:
        return hits, misses
    kept = round(misses * REMEMBERED / reads)
    return REMEMBERED - kept, kept


@cache
def _patience(hits: int, misses: int, unlikely: float) -> int:
    for silent, likely in enumerate(_silences(hits, misses), start=1):
        if likely < unlikely or silent >= MOST_PATIENCE:
            return silent
    raise AssertionError("silences never end")


@cache
def _sticky(hits: int, misses: int) -> float:
    usual = (1 - STICKY_SHARE) * USUAL_MISS**misses * (1 - USUAL_MISS) ** hits
    own = STICKY_SHARE * factorial(hits) * factorial(misses) / factorial(hits + misses + 1)
    return own / (own + usual)


def _silences(hits: int, misses: int) -> Iterator[float]:
    """How likely the next reading is silent, the next two, the next three ..."""
    own = _sticky(hits, misses)
    usual, silent = 1 - own, 0
    while True:
        silent += 1
        usual *= USUAL_MISS
        own *= (misses + silent) / (hits + misses + 1 + silent)
        yield usual + own
