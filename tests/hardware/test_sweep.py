"""The order of reading: cases named by rule, then fairness under random loads."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import layout, sweep
from hardware.policy import CALM, EAGER, ROUND_ROBIN, Policy
from hardware.spots import Place
from hardware.sweep import Sweep

MS = 1_000


def starvation_bound_us(spots: int, longest_read_us: int) -> int:
    """The longest that a spot of a table of so many spots can go unread, from the end of one reading to the
    start of the next, where no reading takes longer than that: it becomes overdue, what is wanted takes all that it may
    have in one go, every other spot may have waited longer, and each of those may have to wait for one reading of a
    neighbour first."""
    return CALM.overdue_us + CALM.burst_us + sweep.LONG_READ_PAUSES * longest_read_us + 2 * spots * longest_read_us


class Desk:
    """A table of six spots in a row, read by one reader or two; each reading takes 20 ms unless told."""

    def __init__(
        self, policy: Policy = CALM, focus_rest_ms: int = 0, rest_ms: int = 0, readers: int = 1, rare: bool = False
    ) -> None:
        names = [*(f"bet{number}" for number in range(1, 7)), *(("pot",) if rare else ())]
        places = [
            Place(
                spot=name,
                reader="AB"[number % readers],
                antenna=number,
                max_sure_height=20,
                neighbours=frozenset(names[max(0, at - 1) : at] + names[at + 1 : at + 2]) - {"pot"},
            )
            for at, (number, name) in enumerate(enumerate(names, start=1))
            if name != "pot" or rare
        ]
        self.sweep = Sweep(places, focus_rest_us=focus_rest_ms * MS, rest_us=rest_ms * MS, policy=policy)
        self.now_us = 0
        self.took_ms: dict[str, int] = {}
        self.answers: dict[str, tuple[str, ...] | None] = {}
        self.unsure: set[str] = set()
        self.restless: set[str] = set()
        """Spots that answer otherwise each time, and are unsure."""

    def read(self, count: int) -> list[str]:
        """The spots that reader A chooses."""
        chosen: list[str] = []
        for _ in range(count * 100):
            if len(chosen) == count:
                break
            spot = self.sweep.start("A", self.now_us)
            if spot is None:
                self.now_us = self.sweep.next_due_us("A", self.now_us) or self.now_us + MS
                continue
            self.now_us += self.took_ms.get(spot, 20) * MS
            moves = spot in self.restless
            answer = (str(self.now_us),) if moves else self.answers.get(spot, ())
            self.sweep.ended(spot, answer, self.now_us, unsure=moves or spot in self.unsure)
            chosen.append(spot)
        return chosen


def test_without_focus_all_spots_have_their_turn() -> None:
    desk = Desk()
    assert sorted(desk.read(6)) == sorted(desk.read(6)) == [f"bet{number}" for number in range(1, 7)]


def test_the_seat_in_turn_is_read_most_and_those_near_it_more_than_others() -> None:
    desk = Desk()
    desk.sweep.focus(["bet2", "bet3"])
    reads = Counter(desk.read(300))
    assert reads["bet2"] >= 75
    assert reads["bet3"] > 1.4 * reads["bet5"]
    assert min(reads.values()) > 10


@pytest.mark.parametrize(
    ("length_ms", "crowded_us", "favoured"),
    [
        (20, CALM.crowded_us, True),
        (140, CALM.crowded_us, True),  # six of them: a round below the limit
        (160, CALM.crowded_us, False),
        (160, 0, True),
    ],
)
def test_where_a_round_takes_long_those_near_the_turn_wait_like_all_others(
    length_ms: int, crowded_us: int, favoured: bool
) -> None:
    desk = Desk(replace(CALM, crowded_us=crowded_us))
    desk.took_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), length_ms)
    desk.sweep.focus(["bet2", "bet3"])
    desk.read(12)
    reads = Counter(desk.read(300))
    assert (reads["bet3"] > 1.2 * reads["bet5"]) is favoured
    assert reads["bet2"] > reads["bet5"]


def test_one_heap_is_no_crowd() -> None:
    desk = Desk()
    desk.took_ms = {**dict.fromkeys((f"bet{number}" for number in range(1, 7)), 20), "bet6": 3_000}
    desk.sweep.focus(["bet2", "bet3"])
    desk.read(12)
    reads = Counter(desk.read(300))
    assert reads["bet3"] > 1.2 * reads["bet5"]


@pytest.mark.parametrize(
    ("heard", "unsure", "length_ms", "is_first"),
    [
        (("a",), True, 20, True),
        (("a",), True, sweep.TURN_FREE_US // MS + 1, False),  # it takes long to read what lies there
        (("a",), False, 20, False),  # what was heard is explained
        ((), True, 20, False),  # nothing was heard
    ],
)
def test_what_is_heard_beside_an_empty_seat_in_turn_may_be_its_chips(
    heard: tuple[str, ...], unsure: bool, length_ms: int, is_first: bool
) -> None:
    desk = Desk(readers=2, focus_rest_ms=1_000)
    desk.took_ms["bet2"] = length_ms
    desk.sweep.focus(["bet2"])
    desk.read(12)
    while desk.sweep.start("B", desk.now_us) != "bet3":
        for spot in desk.sweep.on_air():
            desk.sweep.ended(spot, (), desk.now_us + 20 * MS)
        desk.now_us += 20 * MS
    desk.now_us += 20 * MS
    desk.sweep.ended("bet3", heard, desk.now_us, unsure=unsure)
    assert (desk.sweep.start("A", desk.now_us) == "bet2") is is_first


def longest_wait_us(policy: Policy) -> int:
    """The longest that a spot out of turn goes unread, from the end of one reading to the end of the next, where each
    reading takes 200 ms and something moves at the seat in turn for two thirds of them."""
    desk = Desk(policy)
    desk.took_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    desk.sweep.focus(["bet2", "bet3", "bet4"])
    desk.read(20)
    ended_us: dict[str, int] = {}
    longest_us = 0
    for number in range(400):
        desk.restless = {"bet2"} if number % 30 < 20 else set()
        (spot,) = desk.read(1)
        if spot != "bet2":
            longest_us = max(longest_us, desk.now_us - ended_us.get(spot, desk.now_us))
            ended_us[spot] = desk.now_us
    return longest_us


def test_no_spot_of_a_crowded_table_goes_unread_for_longer_than_promised() -> None:
    assert longest_wait_us(CALM) <= CALM.stalest_us


@pytest.mark.parametrize(
    "policy", [replace(CALM, stalest_us=0), replace(CALM, stalest_us=0, overdue_us=9_000_000)], ids=["limit", "overdue"]
)
def test_planted_fault_a_policy_that_lets_spots_wait_is_caught(policy: Policy) -> None:
    assert longest_wait_us(policy) > CALM.stalest_us


@pytest.mark.parametrize(("reads", "waits"), [(sweep.TURN_READS, False), (1, True)], ids=["as it is", "planted"])
def test_where_the_seat_in_turn_would_not_be_seen_in_a_round_nothing_else_has_a_last_moment(
    reads: int, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six long readings: each spot would be near its last moment all the time, and the seat in turn read once a
    round."""
    monkeypatch.setattr(sweep, "TURN_READS", reads)
    desk = Desk()
    desk.sweep.focus(["bet2"])
    desk.took_ms = {**dict.fromkeys((f"bet{number}" for number in range(1, 7)), 360), "bet2": 150}
    desk.read(12)
    desk.restless = {"bet2"}
    desk.sweep.hurry("bet2", desk.now_us)
    turns = [at for at, spot in enumerate(desk.read(24)) if spot == "bet2"]
    assert (max(later - earlier for earlier, later in pairwise(turns)) > 2) is waits


def test_what_is_not_known_yet_is_read_again_at_once() -> None:
    desk = Desk()
    desk.read(6)
    desk.unsure = {"bet5"}
    chosen = desk.read(12)
    at = chosen.index("bet5")
    assert chosen[at : at + 3] == ["bet5"] * 3


def test_what_stays_the_same_is_read_again_at_once_a_few_times_only() -> None:
    desk = Desk()
    desk.read(6)
    desk.unsure = {"bet5"}
    desk.answers["bet5"] = ("E0",)
    chosen = desk.read(30)
    at = chosen.index("bet5")
    assert chosen[at : at + 5] == ["bet5"] * 5
    assert len(set(chosen[at + 6 : at + 12])) > 4


@pytest.mark.parametrize(("policy", "again"), [(CALM, 1), (EAGER, 2), (ROUND_ROBIN, 1)])
def test_a_chip_that_is_missed_now_and_then_is_no_reason_to_read_again(policy: Policy, again: int) -> None:
    desk = Desk(policy)
    desk.read(12)
    desk.answers["bet5"] = ("E0",)
    assert desk.read(7).count("bet5") == again


def test_the_seat_in_turn_comes_before_all_others_on_which_something_moves() -> None:
    desk = Desk()
    desk.read(6)
    desk.sweep.focus(["bet2"])
    for spot in ("bet4", "bet6", "bet2"):
        desk.sweep.hurry(spot, desk.now_us)
        desk.now_us += MS
    assert desk.read(3) == ["bet2", "bet4", "bet6"]


@pytest.mark.parametrize(("policy", "first"), [(CALM, "bet2"), (EAGER, "bet1")])
def test_who_waits_long_does_not_beat_the_seat_in_turn(policy: Policy, first: str) -> None:
    desk = Desk(policy)
    desk.read(12)
    desk.sweep.focus(["bet2"])
    desk.now_us += 5_000 * MS
    desk.sweep.hurry("bet2", desk.now_us)
    assert desk.read(1) == [first]


def test_while_nothing_moves_the_seat_in_turn_is_read_three_times_for_one_other() -> None:
    desk = Desk()
    desk.sweep.focus(["bet2"])
    desk.read(12)
    assert Counter(desk.read(300))["bet2"] == pytest.approx(225, abs=5)


def test_an_empty_seat_in_turn_is_read_between_those_who_have_waited() -> None:
    desk = Desk(replace(CALM, stalest_us=0))
    desk.read(12)
    desk.sweep.focus(["bet2"])
    desk.now_us += CALM.waited_us
    assert desk.read(6) == ["bet2", "bet1", "bet2", "bet3", "bet2", "bet4"]


def test_who_is_overdue_takes_turns_with_the_seat_in_turn_that_moves() -> None:
    desk = Desk()
    desk.read(12)
    desk.sweep.focus(["bet2"])
    desk.restless = {"bet2"}
    desk.read(1)
    desk.now_us += CALM.overdue_us + 20 * MS
    desk.sweep.hurry("bet2", desk.now_us)
    chosen = desk.read(8)
    assert set(chosen[::2]) == {"bet2"} or set(chosen[1::2]) == {"bet2"}
    assert len(set(chosen)) == 5


@pytest.mark.parametrize(("stalest_us", "first"), [(CALM.stalest_us, "bet1"), (0, "bet2")])
def test_who_would_go_unread_for_too_long_does_not_wait_for_the_seat_in_turn(stalest_us: int, first: str) -> None:
    desk = Desk(replace(CALM, stalest_us=stalest_us))
    desk.took_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    desk.read(12)
    desk.sweep.focus(["bet2"])
    desk.now_us += CALM.stalest_us - 1_200 * MS  # bet1 was last read five readings ago
    desk.sweep.hurry("bet2", desk.now_us)
    assert desk.read(1) == [first]


@pytest.mark.parametrize(
    ("waited_us", "moves", "first"),
    [(CALM.waited_us, False, "bet1"), (0, False, "bet2"), (CALM.waited_us, True, "bet2")],
)
def test_who_has_waited_comes_before_the_seat_in_turn_on_which_nothing_moves(
    waited_us: int, moves: bool, first: str
) -> None:
    desk = Desk(replace(CALM, waited_us=waited_us, stalest_us=0))
    desk.took_ms["bet2"] = sweep.TURN_FREE_US // MS + 1
    desk.read(12)
    desk.sweep.focus(["bet2"])
    desk.now_us += CALM.waited_us
    if moves:
        desk.sweep.hurry("bet2", desk.now_us)
    assert desk.read(1) == [first]


@pytest.mark.parametrize(("older_ms", "first"), [(10, "bet6"), (30, "bet2")])
def test_what_is_in_the_way_of_another_reader_counts_as_read_later_by_its_length(older_ms: int, first: str) -> None:
    """Bet2, read a little before bet6, lies beside bet3, which reader B has not read for longest."""
    sweeper = Desk(readers=2).sweep
    now_us = 0
    for reader, spot in (("B", "bet3"), ("B", "bet5"), ("B", "bet1"), ("A", "bet2"), ("A", "bet6"), ("A", "bet4")):
        sweeper.hurry(spot, now_us)
        assert sweeper.start(reader, now_us) == spot
        now_us += (older_ms if spot == "bet6" else 20) * MS
        sweeper.ended(spot, (), now_us)
    assert sweeper.start("A", now_us) == first


def test_a_late_answer_makes_no_heap() -> None:
    """The seat in turn is read again as soon as before."""
    desk = Desk()
    desk.sweep.focus(["bet2"])
    desk.answers["bet2"] = ("E0",)
    desk.read(20)
    desk.took_ms["bet2"] = 400
    while "bet2" not in desk.read(1):
        pass
    desk.took_ms["bet2"] = 20
    assert "bet2" in desk.read(4)


def test_what_moves_for_ever_has_its_share_and_no_more() -> None:
    desk = Desk()
    desk.took_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    desk.restless = {"bet3"}
    reads = Counter(desk.read(120))
    assert 0.35 < reads["bet3"] / 120 < 0.55
    assert min(reads.values()) > 10


def test_a_failed_reading_is_repeated_but_not_for_ever() -> None:
    desk = Desk()
    desk.read(12)
    desk.answers["bet5"] = None
    chosen = desk.read(12)
    at = chosen.index("bet5")
    assert chosen[at : at + 3] == ["bet5"] * 3
    assert chosen[at + 3] != "bet5"


def test_hurry_is_next() -> None:
    desk = Desk(rest_ms=200)
    desk.read(6)
    desk.sweep.hurry("bet4", desk.now_us)
    assert desk.read(1) == ["bet4"]


def test_a_settled_spot_rests() -> None:
    desk = Desk(rest_ms=500)
    desk.read(6)
    assert desk.sweep.start("A", desk.now_us) is None
    due_us = desk.sweep.next_due_us("A", desk.now_us)
    assert due_us is not None and due_us > desk.now_us


def test_a_heap_on_a_bet_spot_has_its_share_however_it_moves() -> None:
    desk = Desk(rest_ms=200)
    desk.took_ms["bet3"] = 2_700
    desk.restless = {"bet3"}
    desk.sweep.focus(["bet3"])
    reads = desk.read(400)
    heap = [at for at, spot in enumerate(reads) if spot == "bet3"]
    assert len(heap) >= 3
    assert min(later - before for before, later in pairwise(heap)) > 50


def test_the_pot_is_read_when_nothing_else_is_to_be_read() -> None:
    desk = Desk(rest_ms=300, rare=True)
    desk.read(7)
    assert "pot" in desk.read(12)
    desk = Desk(rest_ms=0, rare=True)
    desk.read(7)
    assert desk.read(12).count("pot") <= 2


def test_the_pot_is_read_in_its_turn_where_chips_have_gone() -> None:
    desk = Desk(rare=True)
    desk.took_ms["pot"] = 300
    desk.read(80)
    while "pot" not in desk.read(1):
        pass
    desk.now_us += 900 * MS
    desk.sweep.want()
    assert desk.read(7).count("pot") == 1
    assert desk.read(7).count("pot") == 0


def test_the_heap_of_a_pot_takes_a_few_percent_however_it_is_wanted() -> None:
    desk = Desk(rare=True)
    desk.took_ms["pot"] = 2_700
    spent = Counter[str]()
    desk.sweep.focus(["bet1"])
    for _ in range(6_000):
        desk.sweep.want()
        for spot in desk.read(1):
            spent[spot] += desk.took_ms.get(spot, 20)
    assert 0.01 < spent["pot"] / spent.total() < 0.05


def test_the_heap_of_a_pot_that_is_wanted_is_read_soon_while_nobody_is_in_turn() -> None:
    desk = Desk(rare=True)
    desk.took_ms["pot"] = 2_700
    assert "pot" in desk.read(20)
    desk.sweep.want()
    assert "pot" in desk.read(200)


def test_a_pad_in_use_is_read_like_the_seat_in_turn() -> None:
    desk = Desk(rare=True)
    desk.sweep.focus(["pot"])
    assert desk.read(60).count("pot") >= 15


def test_neighbours_are_never_on_the_air_together() -> None:
    sweeper = Desk(readers=2).sweep
    first = sweeper.start("A", 0)
    second = sweeper.start("B", 0)
    assert first is not None and second is not None
    assert abs(int(first[3:]) - int(second[3:])) > 1
    assert sweeper.on_air() == {first, second}


@pytest.mark.parametrize(("length_ms", "begun"), [(10, "bet6"), (200, None)])
def test_what_would_keep_the_seat_in_turn_waiting_is_not_begun(length_ms: int, begun: str | None) -> None:
    """Bet2 waits for its neighbour; its reader reads another spot only where that ends before."""
    sweeper = Desk(readers=2).sweep
    took_ms = {"bet1": 50, "bet2": 20, "bet4": length_ms, "bet6": length_ms}
    now_us = 0

    def read_until(reader: str, wanted: str) -> None:
        nonlocal now_us
        while (spot := sweeper.start(reader, now_us)) != wanted:
            now_us += took_ms.get(spot or "", 20) * MS
            if spot is not None:
                sweeper.ended(spot, (), now_us)

    for reader, spot in (("A", "bet2"), ("A", "bet4"), ("A", "bet6"), ("B", "bet1")):
        read_until(reader, spot)
        now_us += took_ms[spot] * MS
        sweeper.ended(spot, (), now_us)
    read_until("B", "bet1")
    sweeper.focus(["bet2"])
    sweeper.hurry("bet2", now_us)
    sweeper.hurry("bet6", now_us)
    assert sweeper.start("A", now_us) == begun


def test_a_reader_that_is_down_holds_up_nobody() -> None:
    sweeper = Desk(readers=2).sweep
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
        sweeper.ended(spot, answer, now_us, unsure=rng.random() < 0.5)
        if rng.random() < 0.3:
            sweeper.hurry(rng.choice(sorted(places)), now_us)
    return max(longest, *(now_us - at_us for at_us in ended.values())), aired


def reference_sweep() -> Sweep:
    return Sweep(layout.reference().places.all, focus_rest_us=50 * MS, rest_us=250 * MS)


@given(seed=st.integers(0, 2**32), longest_ms=st.sampled_from([25, 60, 220, 450]))
@settings(max_examples=25, deadline=None)
def test_every_spot_is_read_within_the_bound(seed: int, longest_ms: int) -> None:
    longest, _ = simulate(reference_sweep(), seed, longest_ms, 20)
    assert longest <= starvation_bound_us(12, longest_ms * MS)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_neighbours_are_never_read_together_at_any_load(seed: int) -> None:
    neighbours = {place.spot: place.neighbours for place in layout.reference().places.all}
    for on_air in simulate(reference_sweep(), seed, 100, 10)[1]:
        for spot in on_air:
            assert not neighbours[spot] & on_air


def test_planted_fault_a_fixed_order_starves_and_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sweep, "_claim", lambda self, slot, now_us: (slot.order,))
    tight = Sweep(layout.reference().places.all, focus_rest_us=0, rest_us=0)
    assert simulate(tight, 1, 60, 20)[0] > starvation_bound_us(12, 60 * MS)


def test_planted_fault_without_the_neighbour_rule_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep.Sweep, "_blocked", lambda self, slot, now_us: False)
    neighbours = {place.spot: place.neighbours for place in layout.reference().places.all}
    aired = simulate(reference_sweep(), 1, 100, 10)[1]
    assert any(neighbours[spot] & on_air for on_air in aired for spot in on_air)
