"""More tags on one antenna than are read in its share of the time: nobody else is out for that, nobody waits long."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest

from firmware_bridge.emulators.air import Air
from hardware import layout
from hardware.events import DeviceDown, Event, StackComplete, StackSeen, TrayOffline
from hardware.layout import Ask, Layout
from hardware.simulated.noise import USUAL, Noise
from hardware.simulated.rig import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import bet_spot, seat_of
from hardware.sweep import Sweep

HEAPS = (60, 100, 150, 255)
SPOTS = ("pot", "tray", "bet5")
ASKS: tuple[Ask, ...] = (100, 10)
SEEN_US = 1_500_000
"""So soon 95 of 100 bets are seen at another seat, with the heap in pot or tray."""
SWEEP = 50
"""Chips that come at once: what lay before all the seats."""
HEAP_US_PER_TAG = 1_200_000
"""Until the next come, for each tag of the heap: it was read in between, at 10 % ASK."""
PAUSE_US = (500_000, 2_500_000)
"""Between two motions of chips."""
LIMIT_US = 30_000_000
SECOND_US = 1_000_000
QUICK_SECONDS = 40
NEWS = 20
"""Events that are told at once."""
ENOUGH = 100
"""Bets from which one of twenty says something."""


class Found(NamedTuple):
    """What came of a heap."""

    down: list[Event]
    """Readers that were called down, and trays other than that of the heap that were called offline."""
    seen_us: list[int]
    """From chips put at another seat to `StackSeen`."""

    @property
    def p95_us(self) -> int:
        return sorted(self.seen_us)[math.ceil(0.95 * len(self.seen_us)) - 1]


def table(ask: Ask) -> Layout:
    return layout.reference().with_sensing(ask=ask)


def reading_us(tags: int, ask: Ask) -> int:
    """The longest reading of such a heap: beside the air, what it takes on the wire and the reader's own time."""
    return int(1.25 * Air("iso15693", ask).mean_us(tags)) + tags * 1_100 + 100_000


def play(spot: str, tags: int, ask: Ask, seconds: int, seed: int = 1) -> Found:
    """A heap lies on a spot, and for so long bets come and go at the other seats, one after the other."""
    chance, where = Random(seed), table(ask)
    world = World({}, seed=seed, chips=where.chip_set)
    rig = SimulatedTable(where, world, Noise(USUAL, seed), seed=seed)
    rig.settle()
    events: list[Event] = []
    for number in range(tags):
        world.lay(where.chip_set.mint(5, 60_000 + number), spot)
        if (number + 1) % SWEEP == 0 or number + 1 == tags:
            events += rig.run(number * HEAP_US_PER_TAG)
    began_us = rig.now_us
    seen_us: list[int] = []
    seats = itertools.cycle(seat for seat in range(1, 10) if bet_spot(seat) != spot)
    for seat in seats:
        if rig.now_us >= began_us + seconds * SECOND_US:
            break
        rig.trays.focus([seat, seat % 9 + 1, (seat + 1) % 9 + 1])
        events += rig.run(chance.randint(*PAUSE_US))
        start_us = rig.now_us
        world.put(seat, [5] * 5, extra=True)
        bet = frozenset(world.lying(bet_spot(seat)))
        events += (told := list(until(rig, seat, lambda seen, bet=bet: bet <= seen)))  # type: ignore[misc]
        seen_us.append(told[-1].at_us - start_us)
        events += rig.run(chance.randint(*PAUSE_US))
        world.sweep([seat])
        world.drop(25)
        events += until(rig, seat, lambda seen, bet=bet: not bet & seen)  # type: ignore[misc]
    return Found([event for event in events if is_out(event, spot)], seen_us)


def is_out(event: Event, heap: str) -> bool:
    return isinstance(event, DeviceDown) or (isinstance(event, TrayOffline) and event.spot != heap)


def until(rig: SimulatedTable, seat: int, holds: Callable[[frozenset[str]], bool]) -> Iterator[Event]:
    """The events up to the one whose chips at a seat are as expected; a heap beside it may be heard there too."""

    def shown(events: list[Event]) -> bool:
        return any(
            isinstance(event, StackSeen | StackComplete)
            and seat_of(event.spot) == seat
            and holds(frozenset(chip.uid for chip in event.stack))
            for event in events[-NEWS:]
        )

    events = rig.run_until(shown, LIMIT_US)
    assert shown(events), f"seat {seat}: not seen within {LIMIT_US} us"
    yield from events


def check(spot: str, tags: int, ask: Ask, found: Found) -> None:
    assert found.down == []
    assert max(found.seen_us) <= SEEN_US + reading_us(tags, ask)
    if seat_of(spot) is None:
        assert sorted(found.seen_us)[len(found.seen_us) // 2] <= SEEN_US / 2
    if seat_of(spot) is None and len(found.seen_us) >= ENOUGH:
        assert found.p95_us <= SEEN_US


@pytest.mark.parametrize(("spot", "tags", "ask"), [("pot", 100, 10), ("tray", 60, 100), ("bet5", 60, 10)])
def test_a_heap_darkens_nothing_and_holds_up_nobody(spot: str, tags: int, ask: Ask) -> None:
    check(spot, tags, ask, play(spot, tags, ask, QUICK_SECONDS))


@pytest.mark.soak
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("tags", HEAPS)
@pytest.mark.parametrize("spot", SPOTS)
def test_heaps_for_ten_minutes(spot: str, tags: int, ask: Ask) -> None:
    check(spot, tags, ask, play(spot, tags, ask, 600))


def test_planted_fault_a_heap_without_rest_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sweep, "_rare_rest_us", lambda self, slot: 0)
    with pytest.raises(AssertionError):
        check("pot", 100, 10, play("pot", 100, 10, QUICK_SECONDS))
