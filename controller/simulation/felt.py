"""The simulated table that people sit at: chips, spots, readers, and hands that bring chips to where they belong."""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from controller.rules import SEATS
from controller.table import MOST_CHIPS, Table, counted, stack
from hardware.chips import chips_for
from hardware.layout import Layout, reference, simulated
from hardware.simulated.emulators import TableNoise
from hardware.simulated.floor import floor_us
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World

MOST_TAGS = 255
"""As many as one inventory tells: what the simulated trays read for sure."""
MANY_CHIPS = MOST_TAGS - MOST_CHIPS
"""A stack that is higher is coloured up after the motion, so that another motion fits on top."""


@lru_cache(maxsize=1)
def quick_layout() -> Layout:
    """The reference table with tags that are read fast and in high stacks (ISO 18000-3 mode 3, readers.md 1)."""
    return simulated().with_tags("mode3")


@lru_cache(maxsize=1)
def script_layout() -> Layout:
    """The table of scripts: its trays are sure of whatever one inventory tells."""
    layout = quick_layout()
    return replace(layout, antennas=replace(layout.antennas, max_sure_height=MOST_TAGS))


def floor_ms(chips: int) -> float:
    """The least time in which so many chips are seen at the reference table, in milliseconds: three equal readings."""
    layout = reference()
    return floor_us(layout, layout.readers[0], chips) / 1_000


class Felt:
    """Chips and readers of a table that stands as `table` says."""

    def __init__(self, table: Table, layout: Layout, noise: TableNoise | None = None) -> None:
        self.world = World({seat: _behind(table, seat) for seat in table.players}, chips=layout.chip_set)
        self.rig = SimulatedTable(layout, self.world, noise)
        conform(self.world, table)


def conform(world: World, table: Table) -> None:
    """Bets, sweeps, pots paid, chips bought and cashed: hands bring chips to where the table says they are."""
    felt = table.street.felt
    for seat in range(1, SEATS + 1):
        excess = world.spot_value(seat) - felt[seat]
        if excess > 0:
            world.collect(seat, excess)
    for seat in range(1, SEATS + 1):
        wanted = _behind(table, seat) + felt[seat]
        has = world.stack_value(seat) + world.spot_value(seat)
        if has > wanted:
            world.pay(seat, min(has - wanted, world.stack_value(seat)))
        elif has < wanted:
            world.buy(seat, wanted - has)
    for seat in range(1, SEATS + 1):
        missing = felt[seat] - world.spot_value(seat)
        if missing > 0:
            world.put(seat, chips_for(missing), extra=True)


def _behind(table: Table, seat: int) -> int:
    """What lies behind the seat besides its spot: the book's stack less what is due back or held on the spot."""
    if seat not in table.players:
        return 0
    on_spot = 0
    if table.hand is not None and table.playing and seat in table.hand.order:
        on_spot = table.street.felt[seat] - counted(table, seat)
    return max(0, stack(table, seat) - on_spot)
