"""The simulated table of a script: chips, spots and readers, and functions that move the chips."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from controller.rules import MAX_SEATS
from controller.steps import MAX_CHIPS_PER_MOTION
from controller.table import Table, balances
from firmware_bridge.emulators.fault_injection import Fault
from hardware.chip_set import chips_for
from hardware.layout import TableLayout, reference_layout, simulated_layout
from hardware.simulated.device_emulators import ReaderNoise
from hardware.simulated.latency_floor import min_latency_us
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import BET_SPOTS
from hardware.stack_detection import WEAK_ANSWER_SHARE

MAX_TAGS_PER_INVENTORY = 255
"""Maximum number of tags that one inventory of a simulated reader returns."""
COLOUR_UP_HEIGHT = MAX_TAGS_PER_INVENTORY - MAX_CHIPS_PER_MOTION
"""Number of chips above which a stack is exchanged for fewer chips after a motion.

The stack after the next motion then still fits into one inventory.
"""

RARE_ANSWER_DIVISOR = 2
"""Number of readings of which a tag must answer in at least one on average.

A tag that answers less often counts as a tag that rarely answers. A good tag answers in 49 of 50 readings. The table
may take a chip that answers less often for one of the player's stack behind the line.
"""
SILENT_AFTER_READINGS = 6
"""Number of consecutive readings without an answer after which a tag is considered silent.

It practically never happens that a good tag misses as many readings in a row.
"""
LOST_READING_FAULTS = frozenset({"corrupt", "silence", "reset"})
"""Kinds of faults in which a reading is lost on the way from the antenna to the driver."""


@lru_cache(maxsize=1)
def fast_tag_layout() -> TableLayout:
    """Return the layout of the reference table with the fastest tag technology.

    Tags of this technology (ISO 18000-3 mode 3) can also be read in high stacks, see section 1 of
    firmware_bridge/readers.md.
    """
    return simulated_layout().with_tag_technology("mode3")


@lru_cache(maxsize=1)
def script_layout() -> TableLayout:
    """Return the layout of the table for scripts.

    With this layout, the table never asks about a stack only because the stack is high.
    """
    layout = fast_tag_layout()
    return replace(layout, antennas=replace(layout.antennas, max_sure_height=MAX_TAGS_PER_INVENTORY))


def min_latency_ms(chips: int) -> float:
    """Return the minimum time in ms in which the reference table can detect this number of chips.

    The minimum is the time of three equal readings.
    """
    layout = reference_layout()
    return min_latency_us(layout, layout.readers[0], chips) / 1_000


class ChipsAndReaders:
    """Chips and readers of a simulated table. The chips are first placed as a `Table` has recorded them."""

    def __init__(self, table: Table, layout: TableLayout, noise: ReaderNoise | None = None) -> None:
        self.world = World({seat: _stack_off_spot(table, seat) for seat in table.players}, chips=layout.chip_set)
        self._answer_rates = None if noise is None else AnswerRateMonitor(noise)
        self.rig = SimulatedTable(layout, self.world, self._answer_rates)
        match_chips_to_table(self.world, table)

    def missed_chips(self, spot: str, reported: Collection[str]) -> frozenset[str]:
        """Return the chips on a spot that are missing in `reported` because their tags rarely answer.

        Return an empty set if the tag of a missing chip has answered well, because weak tags are then not the reason.
        """
        missing = frozenset(self.world.tags_on_spot(spot)).difference(reported)
        if self._answer_rates is None or any(not self._answer_rates.is_rarely_heard(spot, uid) for uid in missing):
            return frozenset()
        return missing

    def departed_chips(self, spot: str, reported: Collection[str]) -> frozenset[str]:
        """Return the chips in `reported` that have left the spot without notice, because their tags are weak.

        Return an empty set if a departed tag answered well on the spot, because the table must notice that such a tag
        has left.
        """
        gone = frozenset(reported).difference(self.world.tags_on_spot(spot))
        if self._answer_rates is None or any(not self._answer_rates.was_weak(spot, uid) for uid in gone):
            return frozenset()
        return gone


class AnswerRateMonitor:
    """A monitor at the antennas that counts how often each tag answers.

    The counts do not depend on the readers, the drivers and the stack detection. The monitor passes on the answers of
    the simulated noise without changing them.
    """

    def __init__(self, noise: ReaderNoise) -> None:
        self._noise = noise
        self._counts: dict[str, dict[str, list[int]]] = {spot: {} for spot in BET_SPOTS}
        """Three counts for each tag on a bet spot, by spot and UID.

        The first count is the number of readings in which the tag has answered since it was put on the spot. The second
        count is the number of all readings since then. The third count is the number of readings since the tag's last
        answer.
        """
        self._departed_counts: dict[str, dict[str, list[int]]] = {spot: {} for spot in BET_SPOTS}
        """The three counts of each tag that has left a bet spot, as they were just before the tag left.
        """
        self._lost_readings: set[str] = set()
        """Spots with a current reading that does not reach the driver because of a fault."""

    def is_rarely_heard(self, spot: str, uid: str) -> bool:
        """Return True if a tag on a bet spot rarely answers, or has not answered in the last readings."""
        answers, reads, silent = self._counts[spot].get(uid, (0, 0, 0))
        return RARE_ANSWER_DIVISOR * answers < reads or silent >= SILENT_AFTER_READINGS

    def was_weak(self, spot: str, uid: str) -> bool:
        """Return True if a tag that has left a bet spot answered too rarely while it was on the spot.

        The table cannot conclude from the silence of such a tag that the tag has left.
        """
        answers, reads, _ = self._departed_counts[spot].get(uid, (1, 1, 0))
        return answers < WEAK_ANSWER_SHARE * reads

    def field(self, spot: str, lying: Sequence[str], neighbours: Mapping[str, Sequence[str]], now_us: int) -> list[str]:
        """Return the UIDs of the tags that answer in a reading of the spot.

        The simulated noise decides which tags do.
        """
        answering = self._noise.field(spot, lying, neighbours, now_us)
        if spot in self._counts and spot not in self._lost_readings:
            known_counts, answering_uids = self._counts[spot], frozenset(answering)
            counts = self._counts[spot] = {uid: known_counts.get(uid) or [0, 0, 0] for uid in lying}
            self._departed_counts[spot].update((uid, count) for uid, count in known_counts.items() if uid not in counts)
            for uid, count in counts.items():
                count[0] += uid in answering_uids
                count[1] += 1
                count[2] = 0 if uid in answering_uids else count[2] + 1
        return answering

    def fault(self, reader: str, spot: str, now_us: int) -> Fault | None:
        """Return the fault that the simulated noise gives this inventory, or None if the inventory succeeds."""
        fault = self._noise.fault(reader, spot, now_us)
        (
            self._lost_readings.add
            if fault is not None and fault.kind in LOST_READING_FAULTS
            else self._lost_readings.discard
        )(spot)
        return fault


def match_chips_to_table(world: World, table: Table) -> None:
    """Move chips to the places in which the table has recorded them.

    The simulation calls this function after bets, sweeps and awarded pots, and when players buy or cash in chips.
    """
    spot_totals = table.street.spot_totals
    for seat in range(1, MAX_SEATS + 1):
        excess = world.spot_value(seat) - spot_totals[seat]
        if excess > 0:
            world.take_out_of_play(seat, excess)
    for seat in range(1, MAX_SEATS + 1):
        wanted = _stack_off_spot(table, seat) + spot_totals[seat]
        has = world.stack_value(seat) + world.spot_value(seat)
        if has > wanted:
            world.pay_house(seat, min(has - wanted, world.stack_value(seat)))
        elif has < wanted:
            world.buy(seat, wanted - has)
    for seat in range(1, MAX_SEATS + 1):
        missing = spot_totals[seat] - world.spot_value(seat)
        if missing > 0:
            world.put_on_spot(seat, chips_for(missing), add_missing=True)


def _stack_off_spot(table: Table, seat: int) -> int:
    """Return the value of a seat's chips that are not on its bet spot, or 0 for an empty seat.

    The recorded stack includes some chips that are on the spot. They are chips that the player will get back, or chips
    of an action that waits for its turn. The result does not include these chips.
    """
    if seat not in table.players:
        return 0
    on_spot = 0
    if table.hand is not None and table.is_hand_in_progress and seat in table.hand.dealt_seats:
        on_spot = table.street.spot_totals[seat] - balances.counted_bet(table, seat)
    return max(0, balances.stack_behind(table, seat) - on_spot)
