"""How long until chips that land at any moment are seen: real drivers and sweep, simulated air and time."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from firmware_bridge.messages import Message, ReaderFault, TagsSeen
from hardware.events import Event, StackComplete, StackSeen
from hardware.layout import Layout
from hardware.policy import CALM, Policy
from hardware.simulated.noise import USUAL, Noise
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import bet_spot, seat_of

CHIP: Final = 5
"""What the stacks are made of."""
SEATS: Final = 9
"""Players at the table; the spots beyond are empty, and are read too."""
PHASE_US: Final = 1_500_000
"""Chips land at any moment of so long a time: a sweep of all spots with a score of chips each."""
SHARES: Final = {"p50": 0.5, "p99": 0.99}
LIMIT_US: Final = 60_000_000
"""For what takes three seconds with a policy that is of use."""
LOOK_US: Final = 50_000
"""How often it is looked whether a spot is empty."""


@dataclass(frozen=True, slots=True)
class Scene:
    """On so many bet spots lie so many chips each, those that land counted; they land at the seat in turn, or at one
    that neither is in turn nor acts next."""

    spots: int
    chips: int
    in_turn: bool

    @property
    def name(self) -> str:
        """As reports have it: `9x20 in turn`."""
        return f"{self.spots}x{self.chips} {'in turn' if self.in_turn else 'out of turn'}"


LATENCY_SCENES: Final = tuple(
    Scene(spots, chips, in_turn) for spots, chips in ((1, 5), (1, 20), (3, 5), (9, 20)) for in_turn in (True, False)
)
SWEEP_SCENES: Final = tuple(
    Scene(spots, chips, in_turn) for spots, chips in ((1, 5), (9, 10), (9, 20)) for in_turn in (True, False)
)


@dataclass(slots=True)
class Landings:
    """What was measured, in microseconds."""

    seen_us: list[int] = field(default_factory=list)
    """From the chips' landing to `StackSeen`."""
    stalest_us: int = 0
    """The longest that a bet spot was not read, from the end of one reading to the end of the next."""


def at_share(values: Sequence[int], share: float) -> int:
    """By nearest rank."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def spread(values_us: Sequence[int]) -> dict[str, float]:
    """p50 and p99 in milliseconds."""
    return {name: round(at_share(values_us, share) / 1000, 2) for name, share in SHARES.items()} if values_us else {}


class _Clock:
    """Notes how long each bet spot waits for its reading."""

    def __init__(self, layout: Layout) -> None:
        self._places = layout.places
        self._ended_us: dict[str, int] = {}
        self.stalest_us = 0

    def __call__(self, message: Message) -> None:
        if isinstance(message, TagsSeen | ReaderFault) and message.antenna is not None:
            place = self._places.at(message.reader, message.antenna)
            if place is not None and seat_of(place.spot) is not None:
                before_us = self._ended_us.get(place.spot, message.at_us)
                self.stalest_us = max(self.stalest_us, message.at_us - before_us)
                self._ended_us[place.spot] = message.at_us


def land(layout: Layout, scene: Scene, count: int, *, policy: Policy = CALM, seed: int = 0) -> Landings:
    """Lets chips land so often, seat after seat, with usual noise; they are taken back when they were seen."""
    chance = Random(f"{seed} landings")
    world = World({}, seed=seed, chips=layout.chip_set)
    rig = SimulatedTable(layout, world, Noise(USUAL, seed), seed=seed, policy=policy)
    found, clock = Landings(), _Clock(layout)
    chips = [CHIP] * scene.chips
    rig.settle()
    for number in range(count):
        seat = number % SEATS + 1
        others = [(seat + step) % SEATS + 1 for step in range(SEATS - 1)]
        ahead = [seat, *others[:2]] if scene.in_turn else others[3:6]
        rig.trays.focus(ahead)
        _take(rig, world, {seat, *others[scene.spots - 1 :]})
        for other in others[: scene.spots - 1]:
            if not world.spot_value(other):
                world.put(other, chips, extra=True)
        rig.settle()
        rig.on_message = clock
        rig.run(chance.randrange(PHASE_US))
        start_us = rig.now_us
        world.put(seat, chips, extra=True)
        found.seen_us.append(_seen(rig, bet_spot(seat), scene.chips) - start_us)
        _take(rig, world, {seat})
        rig.on_message = None
        clock._ended_us.clear()
    found.stalest_us = clock.stalest_us
    return found


def _take(rig: SimulatedTable, world: World, seats: Collection[int]) -> None:
    """The chips of these seats leave the table; time passes until their spots are known to be empty."""
    world.sweep([seat for seat in seats if world.spot_value(seat)])
    world.drop(world.pot_value())
    end_us = rig.now_us + LIMIT_US
    while any(rig.trays.settled(bet_spot(seat)) != frozenset() for seat in seats):
        _within(rig, end_us, f"{sorted(seats)} empty")
        rig.run(LOOK_US)


def _seen(rig: SimulatedTable, spot: str, chips: int) -> int:
    """When so many chips were told to lie there."""

    def told(events: list[Event]) -> bool:
        return any(
            isinstance(event, StackSeen | StackComplete) and event.spot == spot and len(event.stack) == chips
            for event in events
        )

    if not told(rig.run_until(told, LIMIT_US)):
        _within(rig, 0, f"{spot}: {chips} chips")
    return rig.now_us


def _within(rig: SimulatedTable, end_us: int, what: str) -> None:
    if rig.now_us >= end_us:
        raise TimeoutError(f"{what} expected within {LIMIT_US // 1_000_000} s")
