"""The order of reading: cases named by rule, then fairness under random loads."""

from __future__ import annotations

import heapq
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import layout, sweep
from hardware.spots import Place
from hardware.sweep import Sweep

MS = 1_000


def starvation_bound_us(spots: int, longest_read_us: int) -> int:
    """The longest that a spot of a table of so many spots can go unread, from the end of one reading to the
    start of the next, where no reading takes longer than that: it becomes overdue, the readings under way
    end, every other spot may have been overdue for longer, and each of those may have to wait for one reading
    of a neighbour first."""
    return sweep.OVERDUE_US + sweep.LONG_READ_PAUSES * longest_read_us + 2 * (spots + 1) * longest_read_us


def make(focus_rest_ms: int = 0, rest_ms: int = 0, readers: int = 1, spots: int = 6) -> Sweep:
    places = [
        Place(
            spot=f"bet{number}",
            reader="AB"[number % readers],
            antenna=number,
            max_sure_height=20,
            neighbours=frozenset(f"bet{beside}" for beside in (number - 1, number + 1) if 1 <= beside <= spots),
        )
        for number in range(1, spots + 1)
    ]
    return Sweep(places, focus_rest_us=focus_rest_ms * MS, rest_us=rest_ms * MS)


def read(sweeper: Sweep, count: int, answers: dict[str, tuple[str, ...] | None] | None = None) -> list[str]:
    """The spots that reader A chooses, 20 ms each, with nothing on them unless told."""
    chosen = []
    now_us = read.now_us  # type: ignore[attr-defined]
    for _ in range(count):
        spot = sweeper.start("A", now_us)
        if spot is None:
            now_us += MS
            continue
        now_us += 20 * MS
        sweeper.ended(spot, (answers or {}).get(spot, ()), now_us)
        chosen.append(spot)
    read.now_us = now_us  # type: ignore[attr-defined]
    return chosen


@pytest.fixture(autouse=True)
def _clock() -> None:
    read.now_us = 0  # type: ignore[attr-defined]


def test_without_focus_all_spots_have_their_turn() -> None:
    sweeper = make()
    first = read(sweeper, 12)
    assert sorted(first[:2]) == ["bet1", "bet1"], "the first answer is a change and is read again at once"
    assert sorted(read(sweeper, 6)) == [f"bet{number}" for number in range(1, 7)]


def test_the_focus_is_read_every_cycle_and_one_other_after_it() -> None:
    sweeper = make()
    read(sweeper, 12)
    sweeper.focus(["bet2", "bet3", "bet4"])
    chosen = read(sweeper, 24)
    focus = [spot for spot in chosen if spot in ("bet2", "bet3", "bet4")]
    assert len(focus) >= 17
    assert {"bet1", "bet5", "bet6"} <= set(chosen)


def test_a_changed_answer_is_read_again_at_once() -> None:
    sweeper = make()
    read(sweeper, 13)
    chosen = read(sweeper, 12, {"bet5": ("E0",)})
    at = chosen.index("bet5")
    assert chosen[at : at + 2] == ["bet5", "bet5"]


def test_a_failed_reading_is_repeated_but_not_for_ever() -> None:
    sweeper = make()
    read(sweeper, 13)
    chosen = read(sweeper, 12, {"bet5": None})
    at = chosen.index("bet5")
    assert chosen[at : at + 4] == ["bet5", "bet5", "bet5", chosen[at + 3]]
    assert chosen[at + 3] != "bet5"


def test_hurry_is_next() -> None:
    sweeper = make(rest_ms=200)
    read(sweeper, 12)
    sweeper.hurry("bet4", read.now_us)  # type: ignore[attr-defined]
    assert read(sweeper, 1) == ["bet4"]


def test_a_settled_spot_rests() -> None:
    sweeper = make(rest_ms=500)
    read(sweeper, 12)
    assert read(sweeper, 1) == []
    assert (sweeper.next_due_us("A") or 0) > read.now_us  # type: ignore[attr-defined]


def test_neighbours_are_never_on_the_air_together() -> None:
    sweeper = make(readers=2)
    first = sweeper.start("A", 0)
    second = sweeper.start("B", 0)
    assert first is not None and second is not None
    assert abs(int(first[3:]) - int(second[3:])) > 1
    assert sweeper.on_air() == {first, second}


def test_a_reader_that_is_down_holds_up_nobody() -> None:
    sweeper = make(readers=2)
    sweeper.gone("A", 0)
    now_us = 0
    chosen = set()
    for _ in range(200):
        spot = sweeper.start("B", now_us)
        now_us += 20 * MS
        if spot:
            sweeper.ended(spot, (), now_us)
            chosen.add(spot)
    assert chosen == {"bet1", "bet3", "bet5"}


def simulate(sweeper: Sweep, seed: int, longest_ms: int, seconds: int) -> tuple[int, list[frozenset[str]]]:
    """Both readers of the reference table at random load; gives the longest wait of a spot and what was on
    the air."""
    rng = Random(seed)
    places = {place.spot: place for place in layout.reference().places.all}
    ended = dict.fromkeys(places, 0)
    ends: list[tuple[int, str]] = []
    busy: set[str] = set()
    aired: list[frozenset[str]] = []
    longest = now_us = 0
    sweeper.focus(rng.sample(sorted(places), 3))
    while now_us < seconds * 1_000_000:
        for reader in ("odd", "even"):
            if reader in busy:
                continue
            spot = sweeper.start(reader, now_us)
            if spot is not None:
                longest = max(longest, now_us - ended[spot])
                busy.add(reader)
                heapq.heappush(ends, (now_us + rng.randint(14, longest_ms) * MS, spot))
        aired.append(sweeper.on_air())
        if not ends:
            now_us += MS
            continue
        now_us, spot = heapq.heappop(ends)
        busy.discard(places[spot].reader)
        ended[spot] = now_us
        answer = rng.choice([None, ("E0",), ("E1",), ()])
        sweeper.ended(spot, answer, now_us)
        if rng.random() < 0.3:
            sweeper.hurry(rng.choice(sorted(places)), now_us)
    return max(longest, *(now_us - at_us for at_us in ended.values())), aired


def reference_sweep() -> Sweep:
    return Sweep(layout.reference().places.all, focus_rest_us=50 * MS, rest_us=250 * MS)


@given(seed=st.integers(0, 2**32), longest_ms=st.sampled_from([25, 60, 220, 450]))
@settings(max_examples=40, deadline=None)
def test_every_spot_is_read_within_the_bound(seed: int, longest_ms: int) -> None:
    longest, _ = simulate(reference_sweep(), seed, longest_ms, 20)
    assert longest <= starvation_bound_us(12, longest_ms * MS)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_neighbours_are_never_read_together_at_any_load(seed: int) -> None:
    neighbours = {place.spot: place.neighbours for place in layout.reference().places.all}
    for on_air in simulate(reference_sweep(), seed, 100, 10)[1]:
        for spot in on_air:
            assert not neighbours[spot] & on_air


def test_planted_fault_a_fixed_order_starves_and_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sweep, "_choose", lambda self, state, due, now_us: min(due, key=lambda slot: slot.order))
    tight = Sweep(layout.reference().places.all, focus_rest_us=0, rest_us=0)
    assert simulate(tight, 1, 60, 20)[0] > starvation_bound_us(12, 60 * MS)


def test_planted_fault_without_the_neighbour_rule_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep.Sweep, "_blocked", lambda self, slot, now_us: False)
    neighbours = {place.spot: place.neighbours for place in layout.reference().places.all}
    aired = simulate(reference_sweep(), 1, 100, 10)[1]
    assert any(neighbours[spot] & on_air for on_air in aired for spot in on_air)
