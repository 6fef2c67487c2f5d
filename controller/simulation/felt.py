"""The simulated table that people sit at: chips, spots, readers, and hands that bring chips to where they belong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from controller.rules import SEATS
from controller.table import MOST_CHIPS, Table, counted, stack
from firmware_bridge.emulators.faults import Fault
from hardware.chips import chips_for
from hardware.layout import Layout, reference, simulated
from hardware.settling import WEAK_SHARE
from hardware.simulated.emulators import TableNoise
from hardware.simulated.floor import floor_us
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import BET_SPOTS

MOST_TAGS = 255
"""As many as one inventory tells: what the simulated trays read for sure."""
MANY_CHIPS = MOST_TAGS - MOST_CHIPS
"""A stack that is higher is coloured up after the motion, so that another motion fits on top."""

SELDOM = 4
"""A tag that answers less than one reading in so many is hardly heard: one in good order answers 49 of 50, and one that
answers every other time is counted."""
SILENT = 6
"""Readings in a row without a tag by which it has fallen silent: of one in good order that is never seen."""
SPOILT = frozenset({"corrupt", "silence", "reset"})
"""Faults by which no reader tells what it heard."""


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
        self._ear = None if noise is None else Ear(noise)
        self.rig = SimulatedTable(layout, self.world, self._ear)
        conform(self.world, table)

    def unheard(self, spot: str, told: Collection[str]) -> frozenset[str]:
        """The chips on a spot that are not among those told, where that is for their tags' sake: none where one of
        them has answered well, for then it is no tag's fault that they are not told."""
        missing = frozenset(self.world.lying(spot)).difference(told)
        if self._ear is None or any(not self._ear.hardly_heard(spot, uid) for uid in missing):
            return frozenset()
        return missing

    def lingering(self, spot: str, told: Collection[str]) -> frozenset[str]:
        """The chips told that do not lie on a spot any more, where that is for their tags' sake: none where one of them
        had answered well, for then its silence tells that it is gone."""
        gone = frozenset(told).difference(self.world.lying(spot))
        if self._ear is None or any(not self._ear.was_weak(spot, uid) for uid in gone):
            return frozenset()
        return gone


class Ear:
    """Hears at the antennas how often each tag answers, before any reader, driver or settling makes something of it."""

    def __init__(self, noise: TableNoise) -> None:
        self._noise = noise
        self._heard: dict[str, dict[str, list[int]]] = {spot: {} for spot in BET_SPOTS}
        """By bet spot and UID, in how many readings the tag has answered since it lies there, of how many, and how many
        there were since it answered last."""
        self._left: dict[str, dict[str, list[int]]] = {spot: {} for spot in BET_SPOTS}
        """The same of the tags that lie there no more, when they left."""
        self._spoilt: set[str] = set()
        """Spots whose present reading is told by no reader."""

    def hardly_heard(self, spot: str, uid: str) -> bool:
        """Whether this tag, which lies on this bet spot, has answered seldom or never since it lies there, or not of
        late."""
        answers, reads, silent = self._heard[spot].get(uid, (0, 0, 0))
        return SELDOM * answers < reads or silent >= SILENT

    def was_weak(self, spot: str, uid: str) -> bool:
        """Whether this tag answered so seldom while it lay on this bet spot that its silence says little."""
        answers, reads, _ = self._left[spot].get(uid, (1, 1, 0))
        return answers < WEAK_SHARE * reads

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """The UIDs that answer at this spot now, by the noise."""
        answering = self._noise.field(spot, lying, neighbours, now_us)
        if spot in self._heard and spot not in self._spoilt:
            known, there = self._heard[spot], frozenset(answering)
            heard = self._heard[spot] = {uid: known.get(uid) or [0, 0, 0] for uid in lying}
            self._left[spot].update((uid, count) for uid, count in known.items() if uid not in heard)
            for uid, count in heard.items():
                count[0] += uid in there
                count[1] += 1
                count[2] = 0 if uid in there else count[2] + 1
        return answering

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """What goes wrong with this inventory, by the noise."""
        fault = self._noise.fault(reader, spot, now_us)
        (self._spoilt.add if fault is not None and fault.kind in SPOILT else self._spoilt.discard)(spot)
        return fault


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
