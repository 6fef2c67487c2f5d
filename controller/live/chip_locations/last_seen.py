"""The last location of every chip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.live.state import ChipLocation, Live
from controller.rules import Phase
from controller.steps import observations
from hardware.events import Chip

MAX_LOCATIONS: Final = 6_000
"""Maximum number of chips whose location is kept. A table of ten players uses about 2,000 chips. If the maximum is
exceeded, the older half of the locations is forgotten."""


def update_locations(live: Live, step: observations.RecordSpotReading, at_us: int) -> Mapping[str, ChipLocation]:
    """Return the last location of every chip after this reading."""
    if not step.added and not step.removed_tags:
        return live.chip_locations
    locations, hand = dict(live.chip_locations), live.table.hand
    round_number = hand.round_number if hand is not None and hand.phase is not Phase.OVER else 0
    for uid in step.removed_tags:
        if uid in locations and locations[uid].spot == step.spot:
            locations[uid] = locations[uid]._replace(is_present=False, gone_us=at_us)
    for chip in step.added:
        locations[chip.uid] = ChipLocation(step.spot, live.table.hands_started, round_number, at_us)
    if len(locations) > MAX_LOCATIONS:
        locations = dict(sorted(locations.items(), key=lambda item: item[1].since_us)[MAX_LOCATIONS // 2 :])
    return locations


def chips_after(before: tuple[Chip, ...], step: observations.RecordSpotReading) -> tuple[Chip, ...]:
    """Return the chips on the spot after the reading.

    `before` are the chips on the spot before the reading. The result is sorted by denomination, largest first, then by
    UID.
    """
    removed_tags = set(step.removed_tags)
    chips = [*(chip for chip in before if chip.uid not in removed_tags), *step.added]
    return tuple(sorted(chips, key=lambda chip: (-chip.denomination, chip.uid)))
