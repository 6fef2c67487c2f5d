"""Measure the time from the moment when chips are put on a spot until they are detected.

The measurement runs the real drivers in simulated time.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from types import UnionType
from typing import Final

from firmware_bridge.driver_messages import InventoryResult, Message, ReaderFault
from hardware.events import Event, StackProvisional, StackSettled
from hardware.layout import TableLayout
from hardware.scheduling_policy import CALM, SchedulingPolicy
from hardware.simulated.noise import USUAL_NOISE, RadioNoise
from hardware.simulated.presence import NO_FAULTS, PresenceFaults
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import bet_spot, seat_of_spot

CHIP_UNITS: Final = 5
"""Denomination of the chips."""
PLAYER_COUNT: Final = 9
"""Number of players at the table. The bet spots of empty seats have no chips, but the readers read these spots too."""
LANDING_WINDOW_US: Final = 1_500_000
"""Length in µs of the time window, in which new chips are put down at a random moment.

In this time the readers can read all spots once, even if every spot has twenty chips.
"""
PERCENTILES: Final = {"p50": 0.5, "p99": 0.99}
"""Percentiles in reports by name, each as a share of the measured times, such as 0.5 for the median."""
DETECTION_TIMEOUT_US: Final = 60_000_000
"""Maximum time in µs for which the benchmark waits until chips are detected.

With a useful polling order, detection takes at most three seconds.
"""
EMPTY_POLL_INTERVAL_US: Final = 50_000
"""Interval in µs at which the benchmark tests whether a spot is empty."""


@dataclass(frozen=True, slots=True)
class LatencyScenario:
    """A situation in which the detection of new chips is measured.

    In this situation `spot_count` bet spots have `chips_per_spot` chips each, including the new chips. If `in_turn` is
    True, the seat in turn bets the new chips. If it is False, a seat that acts later bets the new chips.
    """

    spot_count: int
    chips_per_spot: int
    in_turn: bool

    @property
    def name(self) -> str:
        """Return the scenario's name in reports, such as `9x20 in turn` for nine spots with twenty chips each."""
        return f"{self.spot_count}x{self.chips_per_spot} {'in turn' if self.in_turn else 'out of turn'}"


LATENCY_SCENARIOS: Final = tuple(
    LatencyScenario(spots, chips, in_turn)
    for spots, chips in ((1, 5), (1, 20), (3, 5), (9, 20))
    for in_turn in (True, False)
)
"""Scenarios that `potkeeper bench latency` measures."""
SWEEP_SCENARIOS: Final = tuple(
    LatencyScenario(spots, chips, in_turn) for spots, chips in ((1, 5), (9, 10), (9, 20)) for in_turn in (True, False)
)
"""Scenarios that `potkeeper bench sweep` measures."""


@dataclass(slots=True)
class DetectionTimes:
    """The measured detection times in µs."""

    provisional_us: list[int] = field(default_factory=list)
    """Times in µs from the moment when chips are on the spot until the event `StackProvisional` reports them."""
    settled_us: list[int] = field(default_factory=list)
    """Times in µs from the same moment until the event `StackSettled`, with which the table takes the bet."""
    max_read_gap_us: int = 0
    """The longest time in µs between the ends of two consecutive readings of a bet spot."""


def percentile(values: Sequence[int], share: float) -> int:
    """Return the percentile of the values for this share, such as the median for 0.5 (nearest-rank method)."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def percentiles_ms(values_us: Sequence[int]) -> dict[str, float]:
    """Return the median (p50) and the 99th percentile (p99) in milliseconds, or an empty dict if no times are given."""
    return (
        {name: round(percentile(values_us, share) / 1000, 2) for name, share in PERCENTILES.items()}
        if values_us
        else {}
    )


class _ReadGapMonitor:
    """A monitor of the longest time between two consecutive readings of a bet spot."""

    def __init__(self, layout: TableLayout) -> None:
        self._antennas = layout.spot_antennas
        self._ended_us: dict[str, int] = {}
        self.max_gap_us = 0

    def __call__(self, message: Message) -> None:
        if isinstance(message, InventoryResult | ReaderFault) and message.antenna is not None:
            place = self._antennas.at_antenna(message.reader, message.antenna)
            if place is not None and seat_of_spot(place.spot) is not None:
                before_us = self._ended_us.get(place.spot, message.at_us)
                self.max_gap_us = max(self.max_gap_us, message.at_us - before_us)
                self._ended_us[place.spot] = message.at_us


def measure_landings(
    layout: TableLayout,
    scenario: LatencyScenario,
    count: int,
    *,
    policy: SchedulingPolicy = CALM,
    seed: int = 0,
    presence_faults: PresenceFaults = NO_FAULTS,
    until_settled: bool = False,
) -> DetectionTimes:
    """Measure `count` times how long the detection of new chips takes, and return the times.

    For each measurement, chips are put on the empty bet spot of the next seat. The usual noise disturbs the readings,
    and the presence sensors of the layout, if it has any, fail at the given rates. With `until_settled`, the time until
    the chips are settled is measured too.
    Raise TimeoutError if chips are not detected in time.
    """
    random = Random(f"{seed} landings")
    world = World({}, seed=seed, chips=layout.chip_set)
    rig = SimulatedTable(
        layout, world, RadioNoise(USUAL_NOISE, seed), seed=seed, policy=policy, presence_faults=presence_faults
    )
    times, gap_monitor = DetectionTimes(), _ReadGapMonitor(layout)
    chips = [CHIP_UNITS] * scenario.chips_per_spot
    rig.settle()
    for number in range(count):
        seat = number % PLAYER_COUNT + 1
        others = [(seat + step) % PLAYER_COUNT + 1 for step in range(PLAYER_COUNT - 1)]
        ahead = [seat, *others[:2]] if scenario.in_turn else others[3:6]
        rig.spot_monitor.focus(ahead)
        _remove_chips(rig, world, {seat, *others[scenario.spot_count - 1 :]})
        for other in others[: scenario.spot_count - 1]:
            if not world.spot_value(other):
                world.put_on_spot(other, chips, add_missing=True)
        rig.settle()
        rig.on_message = gap_monitor
        rig.run(random.randrange(LANDING_WINDOW_US))
        start_us = rig.now_us
        world.put_on_spot(seat, chips, add_missing=True)
        times.provisional_us.append(_detection_time_us(rig, bet_spot(seat), scenario.chips_per_spot) - start_us)
        if until_settled:
            if len(rig.spot_monitor.settled_tags(bet_spot(seat)) or ()) < scenario.chips_per_spot:
                _detection_time_us(rig, bet_spot(seat), scenario.chips_per_spot, StackSettled)
            times.settled_us.append(rig.now_us - start_us)
        _remove_chips(rig, world, {seat})
        rig.on_message = None
        gap_monitor._ended_us.clear()
    times.max_read_gap_us = gap_monitor.max_gap_us
    return times


def _remove_chips(rig: SimulatedTable, world: World, seats: Collection[int]) -> None:
    """Remove the bets of these seats, and wait until the stack detection reports the bet spots as empty."""
    world.sweep_to_pot([seat for seat in seats if world.spot_value(seat)])
    world.remove_from_pot(world.pot_value())
    end_us = rig.now_us + DETECTION_TIMEOUT_US
    while any(rig.spot_monitor.settled_tags(bet_spot(seat)) != frozenset() for seat in seats):
        _check_deadline(rig, end_us, f"{sorted(seats)} empty")
        rig.run(EMPTY_POLL_INTERVAL_US)


def _detection_time_us(
    rig: SimulatedTable, spot: str, chips: int, kinds: type[Event] | UnionType = StackProvisional | StackSettled
) -> int:
    """Wait until such an event reports this number of chips on the spot, and return the time in µs."""

    def is_reported(events: list[Event]) -> bool:
        return any(
            isinstance(event, kinds)
            and isinstance(event, StackProvisional | StackSettled)
            and event.spot == spot
            and len(event.stack) == chips
            for event in events
        )

    if not is_reported(rig.run_until(is_reported, DETECTION_TIMEOUT_US)):
        _check_deadline(rig, 0, f"{spot}: {chips} chips")
    return rig.now_us


def _check_deadline(rig: SimulatedTable, end_us: int, awaited: str) -> None:
    """Raise TimeoutError if the simulated time has reached `end_us`.

    `awaited` names the missing event in the message.
    """
    if rig.now_us >= end_us:
        raise TimeoutError(f"{awaited}: not seen within {DETECTION_TIMEOUT_US // 1_000_000} s")
