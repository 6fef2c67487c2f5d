"""Last known location of every chip, and detection of chips that no bet spot reported.

Theory of operation: Each recorded reading of a spot lists the chips that arrived and left. `update_locations` keeps for
each chip the spot, hand and betting round in which it arrived. The package `hypotheses` uses these locations to decide
what new chips are. For example, chips that were in the last pot a moment ago are probably on their way to the winner,
and not a bet. `find_missed_chips` finds chips in the pot that no bet spot read when they were bet.

Example: a chip arrives at bet spot 4.

    >>> from controller.live import Live, TableSetup
    >>> from controller.live.chip_locations import update_locations
    >>> from controller.rules import Game, Player
    >>> from controller.steps import observations
    >>> from controller.table import open_table
    >>> from hardware.events import Chip
    >>> table = open_table({"main": Game(blinds=(5, 10))}, 1, {seat: Player(stack=1000) for seat in (1, 2, 3, 4)})
    >>> reading = observations.RecordSpotReading("bet4", added=(Chip("E001", 25),))
    >>> update_locations(Live(TableSetup(), table), reading, at_us=1_000_000)
    {'E001': ChipLocation(spot='bet4', hand=0, round=0, since_us=1000000, is_present=True, gone_us=0)}
"""

from controller.live.chip_locations.last_seen import chips_after, update_locations
from controller.live.chip_locations.missed_chips import (
    count_antes_seen,
    find_missed_chips,
    is_new_this_hand,
    missed_chips_among,
)

__all__ = [
    "chips_after",
    "count_antes_seen",
    "find_missed_chips",
    "is_new_this_hand",
    "missed_chips_among",
    "update_locations",
]
