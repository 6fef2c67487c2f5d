"""Likelihood that a tag stays silent in several readings although it is still on the spot.

If this likelihood is tiny, stack detection decides that the tag was taken away. The likelihood depends on the previous
answers of the tag, because there are two kinds of tags:

- A usual tag misses 2 percent of its readings, each independently of the others.
- A sticky tag has its own miss rate, anywhere from 0 to 1, which stays the same while the tag is on the spot. The chips
  around the tag detune it. About 2 percent of tags are sticky.

Each miss makes it more likely that the tag is sticky. The expected miss rate of a sticky tag is the mean of a Beta
distribution. Source: readers.md, 1 (misses stick to a chip).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import factorial
from typing import Final

USUAL_MISS_RATE: Final = 0.02
"""Miss rate of a usual tag: one reading of fifty."""
STICKY_SHARE: Final = 0.02
"""Share of tags that are sticky, which means that they have their own miss rate."""
GONE_LIKELIHOOD: Final = 5e-6
"""Likelihood of a silence below which the tag counts as gone from the spot. A usual tag falls below this value after
four silent readings. In a stack of five chips that is read five times a second, a chip counts as gone by mistake once
in three days."""
NOTICED_LIKELIHOOD: Final = 0.05
"""Likelihood of a silence below which the spot is read again, because the tag may be gone."""
STICKY_LIKELIHOOD: Final = 0.9
"""Likelihood above which a tag counts as sticky, that is as a tag with its own constant miss rate."""
MAX_SILENT_READS: Final = 29
"""Number of silent readings in a row after which every tag is gone. A tag that answers one reading in six answers at
least one of these readings in 995 of 1,000 cases."""
MAX_COUNTED_READS: Final = 64
"""Maximum number of readings of a tag that the model counts. If a tag has more readings, its numbers of answered and
missed readings are reduced in proportion."""


def silent_reads_until(hits: int, misses: int, threshold: float = GONE_LIKELIHOOD) -> int:
    """Return the number of silent readings in a row after which their likelihood is below `threshold`.

    `hits` and `misses` are the numbers of readings that the tag has answered and missed before. The result is at most
    `MAX_SILENT_READS`. Example: with 10 hits and no miss, the result is 4.
    """
    return _silent_reads(*_scaled(hits, misses), threshold)


def sticky_likelihood(hits: int, misses: int) -> float:
    """Return the likelihood that a tag with these answered and missed readings has its own miss rate (is sticky)."""
    return _sticky(*_scaled(hits, misses))


def _scaled(hits: int, misses: int) -> tuple[int, int]:
    reads = hits + misses
    if reads <= MAX_COUNTED_READS:
        return hits, misses
    kept = round(misses * MAX_COUNTED_READS / reads)
    return MAX_COUNTED_READS - kept, kept


@cache
def _silent_reads(hits: int, misses: int, threshold: float) -> int:
    for silent, likelihood in enumerate(_silences(hits, misses), start=1):
        if likelihood < threshold or silent >= MAX_SILENT_READS:
            return silent
    raise AssertionError("the likelihoods are endless")


@cache
def _sticky(hits: int, misses: int) -> float:
    usual = (1 - STICKY_SHARE) * USUAL_MISS_RATE**misses * (1 - USUAL_MISS_RATE) ** hits
    sticky = STICKY_SHARE * factorial(hits) * factorial(misses) / factorial(hits + misses + 1)
    return sticky / (sticky + usual)


def _silences(hits: int, misses: int) -> Iterator[float]:
    """Yield the likelihood that the tag misses the next reading, the next two readings, the next three, and so on."""
    sticky = _sticky(hits, misses)
    usual, silent = 1 - sticky, 0
    while True:
        silent += 1
        usual *= USUAL_MISS_RATE
        sticky *= (misses + silent) / (hits + misses + 1 + silent)
        yield usual + sticky
