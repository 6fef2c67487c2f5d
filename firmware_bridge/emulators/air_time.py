"""Model of the air time of an inventory, which varies because anticollision is random.

Source: section 1 of readers.md. It has simulated times of ISO 15693 at 100 % ASK, and the number of ISO 18000-3 mode 3
tags per second.
"""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import Final, Literal, TypeAlias

Technology: TypeAlias = Literal["iso15693", "mode3"]
ModulationDepth: TypeAlias = Literal[100, 10]
"""Modulation depth of the reader's signal (ASK) in percent."""

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
"""Table of ISO 15693 inventory times. Each row has the number of tags, the mean time in ms and the 95th percentile in
ms. Beyond the last row, both times continue along the line through the last two rows."""
_FAST_ISO15693_MS: Final = (
    (0, 14, 14),
    (1, 16, 16),
    (2, 19, 34),
    (5, 34, 57),
    (10, 71, 100),
    (20, 162, 203),
    (40, 335, 391),
    (100, 750, 828),
)
"""The same table for tags that answer at 53 kbit/s."""
_EMPTY_US: Final = {"iso15693": 14_000, "mode3": 5_000}
_MODE3_US_PER_TAG: Final = 1_250
"""Air time, in µs, that each tag adds to an inventory of ISO 18000-3 mode 3 tags. The rate is thus 800 tags per
second."""
_ASK_TENTHS: Final[dict[ModulationDepth, int]] = {100: 10, 10: 25}
"""Factor for the air time at each modulation depth, in tenths. At 10 % ASK an inventory takes 2.5 times as long as at
100 % ASK."""
_Z95: Final = 1.645
"""Number of standard deviations between the mean and the 95th percentile of a normal distribution."""


class AirTimeModel:
    """Model of the air time of a reader. The same seed always gives the same times."""

    def __init__(
        self, technology: Technology = "iso15693", modulation_depth: ModulationDepth = 100, seed: int | str = 0
    ) -> None:
        self.technology: Technology = technology
        self.modulation_depth: ModulationDepth = modulation_depth
        self._random = Random(f"{seed} air")

    def mean_us(self, tags: int, *, is_fast: bool = False) -> int:
        """Return the mean air time, in µs, of an inventory that finds this number of tags.

        `is_fast` is True if ISO 15693 tags answer at 53 kbit/s instead of 26 kbit/s.
        """
        mean_us = _iso15693_us(tags, is_fast)[0]
        if self.technology == "mode3":
            mean_us = _EMPTY_US["mode3"] + tags * _MODE3_US_PER_TAG
        return mean_us * _ASK_TENTHS[self.modulation_depth] // 10

    def inventory_us(self, tags: int, *, is_fast: bool = False) -> int:
        """Return a random air time, in µs, for an inventory that finds this number of tags.

        The time is at least that of an inventory without tags, and the part above this minimum has a gamma
        distribution. The mean time is `mean_us`. The 95th percentile differs from that of the table by at most a tenth.
        The variation of ISO 18000-3 mode 3 is not known, so the model assumes the same ratio of variation to mean as
        for ISO 15693.
        """
        mean_us = self.mean_us(tags, is_fast=is_fast)
        table_us, spread_us = _iso15693_us(tags, is_fast)
        empty_us = _EMPTY_US[self.technology] * _ASK_TENTHS[self.modulation_depth] // 10
        above_us = mean_us - empty_us
        if not spread_us or above_us <= 0:
            return mean_us
        deviation = spread_us / (table_us - _EMPTY_US["iso15693"])
        return empty_us + int(self._random.gammavariate(deviation**-2, above_us * deviation**2))


def _iso15693_us(tags: int, is_fast: bool) -> tuple[int, float]:
    """Return the mean and the standard deviation, in µs, of the air time at 100 % ASK.

    They are interpolated from the table of ISO 15693.
    """
    rows = _FAST_ISO15693_MS if is_fast else _ISO15693_MS
    at = min(bisect_right(rows, tags, key=lambda row: row[0]), len(rows) - 1)
    (low, low_ms, low_p95), (high, high_ms, high_p95) = rows[at - 1], rows[at]
    share = (tags - low) / (high - low)
    mean_us = low_ms * 1_000 + (tags - low) * (high_ms - low_ms) * 1_000 // (high - low)
    p95_ms = low_p95 + share * (high_p95 - low_p95)
    return mean_us, max(0.0, (p95_ms * 1_000 - mean_us) / _Z95)
