"""Heaps of many tags on one antenna, which take long to read. No other spot may go offline or wait long."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest

from firmware_bridge.emulators.air_time import AirTimeModel
from hardware import layout
from hardware.antenna_scheduler import AntennaScheduler
from hardware.events import DeviceDown, Event, SpotOffline, StackProvisional, StackSettled
from hardware.layout import ModulationDepth, TableLayout
from hardware.simulated.noise import USUAL_NOISE, RadioNoise
from hardware.simulated.table import SimulatedTable
from hardware.simulated.world import World
from hardware.spots import bet_spot, seat_of_spot

HEAPS = (60, 100, 150, 255)
SPOTS = ("pot", "tray", "bet5")
ASKS: tuple[ModulationDepth, ...] = (100, 10)
PROVISIONAL_US = 1_500_000
"""Maximum time from a bet to its provisional stack for 95 of 100 bets, while the heap is in the pot or tray."""
SWEEP = 50
"""Number of chips that arrive on the heap at once, as when the dealer sweeps a betting round."""
HEAP_US_PER_TAG = 1_200_000
"""Pause, per tag of the heap, before more chips arrive on the heap. The pause is long enough to read the heap even at
the slow modulation of 10 % ASK."""
PAUSE_US = (500_000, 2_500_000)
"""Shortest and longest pause between two motions of chips."""
LIMIT_US = 30_000_000
SECOND_US = 1_000_000
QUICK_SECONDS = 40
MAX_NEW_EVENTS = 20
"""Maximum number of events that are reported at once."""
MIN_BETS = 100
"""Minimum number of bets for a meaningful 95th percentile."""


class HeapResult(NamedTuple):
    """Results of a session with a heap."""

    down: list[Event]
    """Events of readers that went down, and of spots without the heap that went offline."""
    provisional_us: list[int]
    """Times from the landing of chips at another seat to the `StackProvisional` event."""

    @property
    def p95_us(self) -> int:
        return sorted(self.provisional_us)[math.ceil(0.95 * len(self.provisional_us)) - 1]


def layout_with_ask(ask: ModulationDepth) -> TableLayout:
    return layout.reference_layout().with_sensing(ask=ask)


def reading_us(tags: int, ask: ModulationDepth) -> int:
    """Return the longest duration of a reading of this heap: air time, time on the wire, and processing time."""
    return int(1.25 * AirTimeModel("iso15693", ask).mean_us(tags)) + tags * 1_100 + 100_000


def play(spot: str, tags: int, ask: ModulationDepth, seconds: int, seed: int = 1) -> HeapResult:
    """Put a heap on a spot. Bet and sweep at the other seats for this many seconds, and return the results."""
    random, table_layout = Random(seed), layout_with_ask(ask)
    world = World({}, seed=seed, chips=table_layout.chip_set)
    table = SimulatedTable(table_layout, world, RadioNoise(USUAL_NOISE, seed), seed=seed)
    table.settle()
    events: list[Event] = []
    for number in range(tags):
        world.lay_foreign_tag(table_layout.chip_set.mint(5, 60_000 + number), spot)
        if (number + 1) % SWEEP == 0 or number + 1 == tags:
            events += table.run(number * HEAP_US_PER_TAG)
    began_us = table.now_us
    provisional_us: list[int] = []
    seats = itertools.cycle(seat for seat in range(1, 10) if bet_spot(seat) != spot)
    for seat in seats:
        if table.now_us >= began_us + seconds * SECOND_US:
            break
        table.spot_monitor.focus([seat, seat % 9 + 1, (seat + 1) % 9 + 1])
        events += table.run(random.randint(*PAUSE_US))
        start_us = table.now_us
        world.put_on_spot(seat, [5] * 5, add_missing=True)
        bet = frozenset(world.tags_on_spot(bet_spot(seat)))
        events += (bet_events := list(until(table, seat, lambda uids, bet=bet: bet <= uids)))  # type: ignore[misc]
        provisional_us.append(bet_events[-1].at_us - start_us)
        events += table.run(random.randint(*PAUSE_US))
        world.sweep_to_pot([seat])
        world.remove_from_pot(25)
        events += until(table, seat, lambda uids, bet=bet: not bet & uids)  # type: ignore[misc]
    return HeapResult([event for event in events if is_out(event, spot)], provisional_us)


def is_out(event: Event, heap: str) -> bool:
    return isinstance(event, DeviceDown) or (isinstance(event, SpotOffline) and event.spot != heap)


def until(table: SimulatedTable, seat: int, predicate: Callable[[frozenset[str]], bool]) -> Iterator[Event]:
    """Yield the events up to the first event that has the expected chips at a seat.

    This last event may also contain chips of a heap on a neighbour spot.
    """

    def shown(events: list[Event]) -> bool:
        return any(
            isinstance(event, StackProvisional | StackSettled)
            and seat_of_spot(event.spot) == seat
            and predicate(frozenset(chip.uid for chip in event.stack))
            for event in events[-MAX_NEW_EVENTS:]
        )

    events = table.run_until(shown, LIMIT_US)
    assert shown(events), f"seat {seat}: not seen within {LIMIT_US} us"
    yield from events


def check(spot: str, tags: int, ask: ModulationDepth, result: HeapResult) -> None:
    assert result.down == []
    assert max(result.provisional_us) <= PROVISIONAL_US + reading_us(tags, ask)
    if seat_of_spot(spot) is None:
        assert sorted(result.provisional_us)[len(result.provisional_us) // 2] <= PROVISIONAL_US / 2
    if seat_of_spot(spot) is None and len(result.provisional_us) >= MIN_BETS:
        assert result.p95_us <= PROVISIONAL_US


@pytest.mark.parametrize(("spot", "tags", "ask"), [("pot", 100, 10), ("tray", 60, 100), ("bet5", 60, 10)])
def test_heap_takes_no_spot_offline_and_delays_no_bet(spot: str, tags: int, ask: ModulationDepth) -> None:
    check(spot, tags, ask, play(spot, tags, ask, QUICK_SECONDS))


@pytest.mark.soak
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("tags", HEAPS)
@pytest.mark.parametrize("spot", SPOTS)
def test_heap_for_ten_minutes_delays_no_bet(spot: str, tags: int, ask: ModulationDepth) -> None:
    check(spot, tags, ask, play(spot, tags, ask, 600))


def test_planted_fault_heap_without_rest_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AntennaScheduler, "_heap_rest_us", lambda self, slot: 0)
    with pytest.raises(AssertionError):
        check("pot", 100, 10, play("pot", 100, 10, QUICK_SECONDS))
