"""How long tags take on the air: one inventory, with the spread that its anticollision has.

Source: readers.md, 1: a Monte-Carlo of the 16-slot tree of ISO 15693 at 100 % ASK; the rate of ISO 18000-3 mode 3.
"""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import Final, Literal, TypeAlias

Technology: TypeAlias = Literal["iso15693", "mode3"]
Ask: TypeAlias = Literal[100, 10]
"""Depth of the reader's modulation in percent."""

_ISO15693_MS: Final = (
    (0, 14, 14),
    (1, 18, 18),
    (2, 23, 40),
    (5, 44, 70),
    (10, 95, 126),
    (20, 211, 256),
    (40, 433, 497),
    (100, 981, 1093),
)
"""Tags, mean and 95th percentile; beyond the last row its slope goes on."""
_EMPTY_US: Final = {"iso15693": 14_000, "mode3": 5_000}
_MODE3_US_PER_TAG: Final = 1_250
"""800 tags a second."""
_ASK_TENTHS: Final[dict[Ask, int]] = {100: 10, 10: 25}
"""10 % ASK takes 2.5 times as long."""
_Z95: Final = 1.645
"""The 95th percentile lies so many standard deviations above the mean."""


class Air:
    """One reader's air. `inventory_us` draws from a stream of chance of its own: the same seed, the same times."""

    def __init__(self, technology: Technology = "iso15693", ask: Ask = 100, seed: int | str = 0) -> None:
        self.technology: Technology = technology
        self.ask: Ask = ask
        self._random = Random(f"{seed} air")

    def mean_us(self, tags: int) -> int:
        """What an inventory of so many tags takes on average, in microseconds."""
        mean_us = _iso15693_us(tags)[0]
        if self.technology == "mode3":
            mean_us = _EMPTY_US["mode3"] + tags * _MODE3_US_PER_TAG
        return mean_us * _ASK_TENTHS[self.ask] // 10

    def inventory_us(self, tags: int) -> int:
        """What this inventory of so many tags takes, in microseconds; never less than an empty field.

        A gamma distribution above the empty field: its mean is `mean_us`, its 95th percentile the table's within a
        tenth. Mode 3, of which no spread is known, gets that of ISO 15693 in proportion.
        """
        mean_us = self.mean_us(tags)
        table_us, spread_us = _iso15693_us(tags)
        empty_us = _EMPTY_US[self.technology] * _ASK_TENTHS[self.ask] // 10
        above_us = mean_us - empty_us
        if not spread_us or above_us <= 0:
            return mean_us
        deviation = spread_us / (table_us - _EMPTY_US["iso15693"])
        return empty_us + int(self._random.gammavariate(deviation**-2, above_us * deviation**2))


def _iso15693_us(tags: int) -> tuple[int, float]:
    """Mean and standard deviation at 100 % ASK, interpolated in the table."""
    at = min(bisect_right(_ISO15693_MS, tags, key=lambda row: row[0]), len(_ISO15693_MS) - 1)
    (low, low_ms, low_p95), (high, high_ms, high_p95) = _ISO15693_MS[at - 1], _ISO15693_MS[at]
    share = (tags - low) / (high - low)
    mean_us = low_ms * 1_000 + (tags - low) * (high_ms - low_ms) * 1_000 // (high - low)
    p95_ms = low_p95 + share * (high_p95 - low_p95)
    return mean_us, max(0.0, (p95_ms * 1_000 - mean_us) / _Z95)
