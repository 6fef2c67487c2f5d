"""The last place of each chip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live.state import Live, Place
from controller.table import SpotHolds
from hardware.events import Chip

MOST_PLACES: Final = 6_000
"""Chips whose last place is known: three times what a table of ten plays with. Beyond, the older half is forgotten."""


def placed(live: Live, step: SpotHolds, at_us: int) -> Mapping[str, Place]:
    """The last place of each chip, with what has come to this spot and gone from it."""
    if not step.came and not step.went:
        return live.places
    known, hand = dict(live.places), live.table.hands
    round_ = live.table.hand.round if live.table.hand is not None and live.table.playing else 0
    for uid in step.went:
        if uid in known and known[uid].spot == step.spot:
            known[uid] = known[uid]._replace(here=False, gone_us=at_us)
    for chip in step.came:
        known[chip.uid] = Place(step.spot, hand, round_, at_us)
    if len(known) > MOST_PLACES:
        known = dict(sorted(known.items(), key=lambda item: item[1].at_us)[MOST_PLACES // 2 :])
    return known


def lying_after(lies: tuple[Chip, ...], step: SpotHolds) -> tuple[Chip, ...]:
    """What lies at the spot after the step, where this lay before; in the order of a reading: largest denomination
    first, then by UID."""
    gone = set(step.went)
    chips = [*(chip for chip in lies if chip.uid not in gone), *step.came]
    return tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))
