"""Polling order of the antennas: one test for each rule, then tests of the waiting times at random loads."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import antenna_scheduler, layout
from hardware.antenna_scheduler import AntennaScheduler
from hardware.scheduling_policy import CALM, EAGER, ROUND_ROBIN, SchedulingPolicy
from hardware.spots import SpotAntenna

MS = 1_000


def starvation_bound_us(spots: int, longest_read_us: int) -> int:
    """Return the longest time that a spot can go unread, if no reading takes longer than `longest_read_us`.

    The time is from the end of a reading of the spot to the start of its next reading. It is the sum of these times:

    - The time until the spot is overdue.
    - The time of the priority readings that are allowed in one burst.
    - For each other spot, the time of a reading and of a neighbour's reading.
    """
    return (
        CALM.overdue_after_us
        + CALM.max_priority_burst_us
        + CALM.long_read_rest_factor * longest_read_us
        + 2 * spots * longest_read_us
    )


class SchedulerBench:
    """Bench with six spots in a row and one or two readers.

    Each reading of a spot takes 20 ms unless `read_ms` has another time for the spot.
    """

    def __init__(
        self,
        policy: SchedulingPolicy = CALM,
        focus_rest_ms: int = 0,
        rest_ms: int = 0,
        readers: int = 1,
        has_pot: bool = False,
    ) -> None:
        names = [*(f"bet{number}" for number in range(1, 7)), *(("pot",) if has_pot else ())]
        spot_antennas = [
            SpotAntenna(
                spot=name,
                reader="AB"[number % readers],
                antenna=number,
                max_sure_height=20,
                neighbours=frozenset(names[max(0, position - 1) : position] + names[position + 1 : position + 2])
                - {"pot"},
            )
            for position, (number, name) in enumerate(enumerate(names, start=1))
            if name != "pot" or has_pot
        ]
        self.scheduler = AntennaScheduler(
            spot_antennas, focus_rest_us=focus_rest_ms * MS, rest_us=rest_ms * MS, policy=policy
        )
        self.now_us = 0
        self.read_ms: dict[str, int] = {}
        self.answers: dict[str, tuple[str, ...] | None] = {}
        self.unsure: set[str] = set()
        self.restless: set[str] = set()
        """Spots with different tags at each reading, so that another reading of these spots is always needed."""

    def read(self, count: int) -> list[str]:
        """Let reader A read this many spots, and return the names of the spots in the order of the readings."""
        chosen: list[str] = []
        for _ in range(count * 100):
            if len(chosen) == count:
                break
            spot = self.scheduler.start_next_read("A", self.now_us)
            if spot is None:
                self.now_us = self.scheduler.next_due_us("A", self.now_us) or self.now_us + MS
                continue
            self.now_us += self.read_ms.get(spot, 20) * MS
            is_moving = spot in self.restless
            answer = (str(self.now_us),) if is_moving else self.answers.get(spot, ())
            self.scheduler.record_read_end(spot, answer, self.now_us, is_unsure=is_moving or spot in self.unsure)
            chosen.append(spot)
        return chosen


def test_all_spots_are_read_in_turn_without_focus() -> None:
    bench = SchedulerBench()
    assert sorted(bench.read(6)) == sorted(bench.read(6)) == [f"bet{number}" for number in range(1, 7)]


def test_seat_in_turn_is_read_most_and_spots_near_it_more_than_others() -> None:
    bench = SchedulerBench()
    bench.scheduler.set_focus(["bet2", "bet3"])
    reads = Counter(bench.read(300))
    assert reads["bet2"] >= 75
    assert reads["bet3"] > 1.4 * reads["bet5"]
    assert min(reads.values()) > 10


@pytest.mark.parametrize(
    ("length_ms", "crowded_us", "is_favoured"),
    [
        (20, CALM.crowded_round_us, True),
        (140, CALM.crowded_round_us, True),  # Six readings of 140 ms are below the limit of a crowded round.
        (160, CALM.crowded_round_us, False),
        (160, 0, True),
    ],
)
def test_spots_near_the_turn_wait_like_others_in_a_long_round(
    length_ms: int, crowded_us: int, is_favoured: bool
) -> None:
    bench = SchedulerBench(replace(CALM, crowded_round_us=crowded_us))
    bench.read_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), length_ms)
    bench.scheduler.set_focus(["bet2", "bet3"])
    bench.read(12)
    reads = Counter(bench.read(300))
    assert (reads["bet3"] > 1.2 * reads["bet5"]) is is_favoured
    assert reads["bet2"] > reads["bet5"]


def test_single_heap_does_not_make_a_crowded_round() -> None:
    bench = SchedulerBench()
    bench.read_ms = {**dict.fromkeys((f"bet{number}" for number in range(1, 7)), 20), "bet6": 3_000}
    bench.scheduler.set_focus(["bet2", "bet3"])
    bench.read(12)
    reads = Counter(bench.read(300))
    assert reads["bet3"] > 1.2 * reads["bet5"]


@pytest.mark.parametrize(
    ("tags", "unsure", "length_ms", "is_first"),
    [
        (("a",), True, 20, True),
        (
            ("a",),
            True,
            CALM.max_cheap_turn_read_us // MS + 1,
            False,
        ),  # A reading of the seat in turn takes long, because the seat has many chips.
        (("a",), False, 20, False),  # The tag is explained.
        ((), True, 20, False),  # No tag answered.
    ],
)
def test_new_tag_at_a_neighbour_requests_the_empty_seat_in_turn(
    tags: tuple[str, ...], unsure: bool, length_ms: int, is_first: bool
) -> None:
    bench = SchedulerBench(readers=2, focus_rest_ms=1_000)
    bench.read_ms["bet2"] = length_ms
    bench.scheduler.set_focus(["bet2"])
    bench.read(12)
    while bench.scheduler.start_next_read("B", bench.now_us) != "bet3":
        for spot in bench.scheduler.spots_on_air():
            bench.scheduler.record_read_end(spot, (), bench.now_us + 20 * MS)
        bench.now_us += 20 * MS
    bench.now_us += 20 * MS
    bench.scheduler.record_read_end("bet3", tags, bench.now_us, is_unsure=unsure)
    assert (bench.scheduler.start_next_read("A", bench.now_us) == "bet2") is is_first


def longest_wait_us(policy: SchedulingPolicy) -> int:
    """Return the longest time that a spot out of turn goes unread at a crowded table.

    The time is from the end of a reading of the spot to the end of its next reading. Each reading takes 200 ms. Chips
    move at the seat in turn during two thirds of the readings.
    """
    bench = SchedulerBench(policy)
    bench.read_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    bench.scheduler.set_focus(["bet2", "bet3", "bet4"])
    bench.read(20)
    ended_us: dict[str, int] = {}
    longest_us = 0
    for number in range(400):
        bench.restless = {"bet2"} if number % 30 < 20 else set()
        (spot,) = bench.read(1)
        if spot != "bet2":
            longest_us = max(longest_us, bench.now_us - ended_us.get(spot, bench.now_us))
            ended_us[spot] = bench.now_us
    return longest_us


def test_no_spot_of_a_crowded_table_exceeds_max_unread_time() -> None:
    assert longest_wait_us(CALM) <= CALM.max_unread_us


@pytest.mark.parametrize(
    "policy",
    [replace(CALM, max_unread_us=0), replace(CALM, max_unread_us=0, overdue_after_us=9_000_000)],
    ids=["limit", "overdue"],
)
def test_planted_fault_policy_without_deadline_is_caught(policy: SchedulingPolicy) -> None:
    assert longest_wait_us(policy) > CALM.max_unread_us


@pytest.mark.parametrize(
    ("reads", "waits"), [(CALM.min_turn_reads_per_round, False), (1, True)], ids=["as it is", "planted"]
)
def test_deadlines_are_off_if_a_round_has_no_room_for_the_seat_in_turn(reads: int, waits: bool) -> None:
    """Make all readings long, so that each spot is always near its deadline.

    If deadlines counted, the seat in turn would be read only once in a round.
    """
    bench = SchedulerBench(replace(CALM, min_turn_reads_per_round=reads))
    bench.scheduler.set_focus(["bet2"])
    bench.read_ms = {**dict.fromkeys((f"bet{number}" for number in range(1, 7)), 360), "bet2": 150}
    bench.read(12)
    bench.restless = {"bet2"}
    bench.scheduler.request_read("bet2", bench.now_us)
    turns = [position for position, spot in enumerate(bench.read(24)) if spot == "bet2"]
    assert (max(later - earlier for earlier, later in pairwise(turns)) > 2) is waits


def test_unsure_spot_is_read_again_at_once() -> None:
    bench = SchedulerBench()
    bench.read(6)
    bench.unsure = {"bet5"}
    chosen = bench.read(12)
    position = chosen.index("bet5")
    assert chosen[position : position + 3] == ["bet5"] * 3


def test_unchanged_unsure_spot_is_reread_a_limited_number_of_times() -> None:
    bench = SchedulerBench()
    bench.read(6)
    bench.unsure = {"bet5"}
    bench.answers["bet5"] = ("E0",)
    chosen = bench.read(30)
    position = chosen.index("bet5")
    assert chosen[position : position + 5] == ["bet5"] * 5
    assert len(set(chosen[position + 6 : position + 12])) > 4


@pytest.mark.parametrize(("policy", "again"), [(CALM, 1), (EAGER, 2), (ROUND_ROBIN, 1)])
def test_occasionally_missed_chip_is_not_reread(policy: SchedulingPolicy, again: int) -> None:
    bench = SchedulerBench(policy)
    bench.read(12)
    bench.answers["bet5"] = ("E0",)
    assert bench.read(7).count("bet5") == again


@pytest.mark.parametrize(("confirming_reads", "first"), [(3, "bet5"), (1, "bet1"), (0, "bet1")])
def test_new_chips_out_of_turn_are_confirmed_before_overdue_spots(confirming_reads: int, first: str) -> None:
    bench = SchedulerBench(replace(CALM, confirming_reads=confirming_reads))
    bench.scheduler.set_focus(["bet2"])
    bench.read(40)
    bench.answers["bet5"] = ("A", "B")
    bench.unsure.add("bet5")
    while bench.read(1) != ["bet5"]:
        pass
    for slot in bench.scheduler._slots.values():
        slot.requested_us = slot.requested_us if slot.spot_antenna.spot == "bet5" else None
    bench.scheduler._slots["bet1"].ended_us = bench.now_us - CALM.overdue_after_us - 100 * MS
    bench.scheduler._turn_served = True
    if confirming_reads == 1:
        bench.scheduler._slots["bet5"].confirming_reads = 0  # The reading has been used up.
    assert bench.read(1) == [first]


def test_new_chips_next_to_the_seat_in_turn_do_not_come_first() -> None:
    bench = SchedulerBench(replace(CALM, confirming_reads=3))
    bench.scheduler.set_focus(["bet4"])
    bench.read(12)
    slot = bench.scheduler._slots["bet5"]
    slot.confirming_reads, slot.requested_us = 3, bench.now_us
    assert not bench.scheduler._confirms_new_chips(slot)
    bench.scheduler.set_focus(["bet2"])
    assert bench.scheduler._confirms_new_chips(slot)


@pytest.mark.parametrize(("weight", "share"), [(1, 1), (8, 3)])
def test_empty_spots_are_read_more_often_than_stacks(weight: int, share: int) -> None:
    bench = SchedulerBench(replace(CALM, short_read_weight=weight))
    bench.read_ms = dict.fromkeys(["bet1", "bet2", "bet3", "bet4"], 250)
    reads = Counter(bench.read(90))
    assert share * reads["bet1"] <= reads["bet6"] + 1 and (weight > 1) is (reads["bet6"] > 2 * reads["bet1"])


@pytest.mark.parametrize(
    ("late_look_after_us", "turn_ms", "is_moving", "first"),
    [
        (240 * MS, 250, False, "bet6"),
        (0, 250, False, "bet2"),
        (240 * MS, 250, True, "bet2"),  # Chips move at the seat in turn.
        (240 * MS, 20, False, "bet2"),  # The seat in turn is empty.
    ],
)
def test_late_look_comes_before_a_quiet_seat_in_turn_with_a_stack(
    late_look_after_us: int, turn_ms: int, is_moving: bool, first: str
) -> None:
    bench = SchedulerBench(replace(CALM, late_look_after_us=late_look_after_us))
    bench.read_ms = {**dict.fromkeys((f"bet{number}" for number in range(1, 6)), 250), "bet2": turn_ms}
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    for slot in bench.scheduler._slots.values():
        slot.ended_us = bench.now_us
    bench.now_us += 800 * MS
    if is_moving:
        bench.scheduler.request_read("bet2", bench.now_us)
    assert bench.read(1) == [first]


@pytest.mark.parametrize(
    ("late_look_after_us", "is_requested", "is_blocked"),
    [(240 * MS, False, True), (240 * MS, True, False), (0, False, False)],
    ids=["late", "reading requested", "planted"],
)
def test_late_look_keeps_the_other_reader_from_its_neighbour(
    late_look_after_us: int, is_requested: bool, is_blocked: bool
) -> None:
    """Let bet3 be empty and late. Its neighbour bet2 has a stack, so that a reading of bet2 would delay the look."""
    bench = SchedulerBench(replace(CALM, late_look_after_us=late_look_after_us), readers=2)
    bench.scheduler.set_focus(["bet5"])
    for reader in bench.scheduler._readers.values():
        reader.is_up = True
    slots = bench.scheduler._slots
    for spot, slot in slots.items():
        slot.duration_us, slot.ended_us = (20 if spot == "bet3" else 250) * MS, 0
    if is_requested:
        bench.scheduler.request_read("bet6", 0)
    assert bench.scheduler._is_blocked(slots["bet2"], 245 * MS) is is_blocked


@pytest.mark.parametrize(("min_heap_rest_us", "is_rare"), [(0, False), (250 * MS, True)])
def test_pot_rests_for_its_minimum_pause(min_heap_rest_us: int, is_rare: bool) -> None:
    bench = SchedulerBench(replace(CALM, min_heap_rest_us=min_heap_rest_us), rest_ms=10, has_pot=True)
    bench.read(100)
    pot = bench.scheduler._slots["pot"]
    assert (bench.scheduler._due_us(pot) - pot.ended_us > 250 * MS) is is_rare


def test_seat_in_turn_comes_before_other_requested_spots() -> None:
    bench = SchedulerBench()
    bench.read(6)
    bench.scheduler.set_focus(["bet2"])
    for spot in ("bet4", "bet6", "bet2"):
        bench.scheduler.request_read(spot, bench.now_us)
        bench.now_us += MS
    assert bench.read(3) == ["bet2", "bet4", "bet6"]


@pytest.mark.parametrize(("policy", "first"), [(CALM, "bet2"), (EAGER, "bet1")])
def test_long_waiting_spot_does_not_beat_the_seat_in_turn(policy: SchedulingPolicy, first: str) -> None:
    bench = SchedulerBench(policy)
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    bench.now_us += 5_000 * MS
    bench.scheduler.request_read("bet2", bench.now_us)
    assert bench.read(1) == [first]


def test_quiet_seat_in_turn_is_read_three_times_for_each_other_spot() -> None:
    bench = SchedulerBench()
    bench.scheduler.set_focus(["bet2"])
    bench.read(12)
    assert Counter(bench.read(300))["bet2"] == pytest.approx(225, abs=5)


def test_empty_seat_in_turn_alternates_with_waiting_spots() -> None:
    bench = SchedulerBench(replace(CALM, max_unread_us=0))
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    bench.now_us += CALM.precedence_after_us
    assert bench.read(6) == ["bet2", "bet1", "bet2", "bet3", "bet2", "bet4"]


def test_overdue_spot_alternates_with_the_moving_seat_in_turn() -> None:
    bench = SchedulerBench()
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    bench.restless = {"bet2"}
    bench.read(1)
    bench.now_us += CALM.overdue_after_us + 20 * MS
    bench.scheduler.request_read("bet2", bench.now_us)
    chosen = bench.read(8)
    assert set(chosen[::2]) == {"bet2"} or set(chosen[1::2]) == {"bet2"}
    assert len(set(chosen)) == 5


@pytest.mark.parametrize(("max_unread_us", "first"), [(CALM.max_unread_us, "bet1"), (0, "bet2")])
def test_spot_at_its_deadline_comes_before_the_seat_in_turn(max_unread_us: int, first: str) -> None:
    bench = SchedulerBench(replace(CALM, max_unread_us=max_unread_us))
    bench.read_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    bench.now_us += CALM.max_unread_us - 1_200 * MS  # Bet1 was last read five readings ago.
    bench.scheduler.request_read("bet2", bench.now_us)
    assert bench.read(1) == [first]


@pytest.mark.parametrize(
    ("precedence_after_us", "is_moving", "first"),
    [(CALM.precedence_after_us, False, "bet1"), (0, False, "bet2"), (CALM.precedence_after_us, True, "bet2")],
)
def test_waiting_spot_comes_before_a_quiet_seat_in_turn(precedence_after_us: int, is_moving: bool, first: str) -> None:
    bench = SchedulerBench(replace(CALM, precedence_after_us=precedence_after_us, max_unread_us=0))
    bench.read_ms["bet2"] = CALM.max_cheap_turn_read_us // MS + 1
    bench.read(12)
    bench.scheduler.set_focus(["bet2"])
    bench.now_us += CALM.precedence_after_us
    if is_moving:
        bench.scheduler.request_read("bet2", bench.now_us)
    assert bench.read(1) == [first]


@pytest.mark.parametrize(("older_ms", "first"), [(10, "bet6"), (30, "bet2")])
def test_spot_that_blocks_another_reader_waits_longer_by_its_reading_time(older_ms: int, first: str) -> None:
    """Let reader A choose between bet6 and bet2, which was read a little earlier than bet6.

    A reading of bet2 would delay reader B, because the next spot of reader B is bet3, a neighbour of bet2.
    """
    scheduler = SchedulerBench(readers=2).scheduler
    now_us = 0
    for reader, spot in (("B", "bet3"), ("B", "bet5"), ("B", "bet1"), ("A", "bet2"), ("A", "bet6"), ("A", "bet4")):
        scheduler.request_read(spot, now_us)
        assert scheduler.start_next_read(reader, now_us) == spot
        now_us += (older_ms if spot == "bet6" else 20) * MS
        scheduler.record_read_end(spot, (), now_us)
    assert scheduler.start_next_read("A", now_us) == first


def test_late_answer_does_not_count_as_a_heap() -> None:
    """Check that, after one late answer, the seat in turn is read as often as before."""
    bench = SchedulerBench()
    bench.scheduler.set_focus(["bet2"])
    bench.answers["bet2"] = ("E0",)
    bench.read(20)
    bench.read_ms["bet2"] = 400
    while "bet2" not in bench.read(1):
        pass
    bench.read_ms["bet2"] = 20
    assert "bet2" in bench.read(4)


def test_spot_that_never_rests_gets_only_its_share() -> None:
    bench = SchedulerBench()
    bench.read_ms = dict.fromkeys((f"bet{number}" for number in range(1, 7)), 200)
    bench.restless = {"bet3"}
    reads = Counter(bench.read(120))
    assert 0.35 < reads["bet3"] / 120 < 0.55
    assert min(reads.values()) > 10


def test_failed_reading_is_repeated_a_limited_number_of_times() -> None:
    bench = SchedulerBench()
    bench.read(12)
    bench.answers["bet5"] = None
    chosen = bench.read(12)
    position = chosen.index("bet5")
    assert chosen[position : position + 3] == ["bet5"] * 3
    assert chosen[position + 3] != "bet5"


def test_requested_spot_is_read_next() -> None:
    bench = SchedulerBench(rest_ms=200)
    bench.read(6)
    bench.scheduler.request_read("bet4", bench.now_us)
    assert bench.read(1) == ["bet4"]


def test_settled_spot_rests() -> None:
    bench = SchedulerBench(rest_ms=500)
    bench.read(6)
    assert bench.scheduler.start_next_read("A", bench.now_us) is None
    due_us = bench.scheduler.next_due_us("A", bench.now_us)
    assert due_us is not None and due_us > bench.now_us


def test_moving_heap_on_a_bet_spot_gets_only_its_share() -> None:
    bench = SchedulerBench(rest_ms=200)
    bench.read_ms["bet3"] = 2_700
    bench.restless = {"bet3"}
    bench.scheduler.set_focus(["bet3"])
    reads = bench.read(400)
    heap = [position for position, spot in enumerate(reads) if spot == "bet3"]
    assert len(heap) >= 3
    assert min(later - before for before, later in pairwise(heap)) > 50


def test_pot_is_read_when_no_other_spot_is_due() -> None:
    bench = SchedulerBench(rest_ms=300, has_pot=True)
    bench.read(7)
    assert "pot" in bench.read(12)
    bench = SchedulerBench(rest_ms=0, has_pot=True)
    bench.read(7)
    assert bench.read(12).count("pot") <= 2


def test_pot_competes_once_after_chips_were_removed() -> None:
    bench = SchedulerBench(has_pot=True)
    bench.read_ms["pot"] = 300
    bench.read(80)
    while "pot" not in bench.read(1):
        pass
    bench.now_us += 900 * MS
    bench.scheduler.request_heap_reads(0)
    assert bench.read(7).count("pot") == 1
    assert bench.read(7).count("pot") == 0


def test_requested_pot_heap_takes_a_few_percent() -> None:
    bench = SchedulerBench(has_pot=True)
    bench.read_ms["pot"] = 2_700
    spent = Counter[str]()
    bench.scheduler.set_focus(["bet1"])
    for _ in range(6_000):
        bench.scheduler.request_heap_reads(0)
        for spot in bench.read(1):
            spent[spot] += bench.read_ms.get(spot, 20)
    assert 0.01 < spent["pot"] / spent.total() < 0.05


def test_requested_pot_heap_is_read_soon_if_no_seat_is_in_turn() -> None:
    bench = SchedulerBench(has_pot=True)
    bench.read_ms["pot"] = 2_700
    assert "pot" in bench.read(20)
    bench.scheduler.request_heap_reads(0)
    assert "pot" in bench.read(200)


def test_count_pad_in_use_is_read_like_the_seat_in_turn() -> None:
    bench = SchedulerBench(has_pot=True)
    bench.scheduler.set_focus(["pot"])
    assert bench.read(60).count("pot") >= 15


def test_neighbours_are_never_on_the_air_together() -> None:
    scheduler = SchedulerBench(readers=2).scheduler
    first = scheduler.start_next_read("A", 0)
    second = scheduler.start_next_read("B", 0)
    assert first is not None and second is not None
    assert abs(int(first[3:]) - int(second[3:])) > 1
    assert scheduler.spots_on_air() == {first, second}


@pytest.mark.parametrize(("length_ms", "started"), [(10, "bet6"), (200, None)])
def test_reading_that_would_delay_the_seat_in_turn_is_not_started(length_ms: int, started: str | None) -> None:
    """Let bet2 wait until its neighbour is read.

    Meanwhile the reader of bet2 reads another spot only if this other reading ends in time.
    """
    scheduler = SchedulerBench(readers=2).scheduler
    read_ms = {"bet1": 50, "bet2": 20, "bet4": length_ms, "bet6": length_ms}
    now_us = 0

    def read_until(reader: str, target: str) -> None:
        nonlocal now_us
        while (spot := scheduler.start_next_read(reader, now_us)) != target:
            now_us += read_ms.get(spot or "", 20) * MS
            if spot is not None:
                scheduler.record_read_end(spot, (), now_us)

    for reader, spot in (("A", "bet2"), ("A", "bet4"), ("A", "bet6"), ("B", "bet1")):
        read_until(reader, spot)
        now_us += read_ms[spot] * MS
        scheduler.record_read_end(spot, (), now_us)
    read_until("B", "bet1")
    scheduler.set_focus(["bet2"])
    scheduler.request_read("bet2", now_us)
    scheduler.request_read("bet6", now_us)
    assert scheduler.start_next_read("A", now_us) == started


def test_reader_that_is_down_delays_no_other() -> None:
    scheduler = SchedulerBench(readers=2).scheduler
    scheduler.record_reader_down("A", 0)
    now_us = 0
    chosen = set()
    for _ in range(200):
        spot = scheduler.start_next_read("B", now_us)
        now_us += 20 * MS
        if spot:
            scheduler.record_read_end(spot, (), now_us)
            chosen.add(spot)
    assert chosen == {"bet1", "bet3", "bet5"}


def simulate(scheduler: AntennaScheduler, seed: int, longest_ms: int, seconds: int) -> tuple[int, list[frozenset[str]]]:
    """Simulate both readers of the reference table with random reading times.

    Return the longest time that a spot was not read, and the sets of spots that were read at the same time.
    """
    rng = Random(seed)
    spot_antennas = {spot_antenna.spot: spot_antenna for spot_antenna in layout.reference_layout().spot_antennas.all}
    ended = dict.fromkeys(spot_antennas, 0)
    ends: list[tuple[int, str]] = []
    busy: set[str] = set()
    on_air_sets: list[frozenset[str]] = []
    longest = now_us = 0
    scheduler.set_focus(rng.sample(sorted(spot_antennas), 3))
    while now_us < seconds * 1_000_000:
        for reader in ("odd", "even"):
            if reader in busy:
                continue
            spot = scheduler.start_next_read(reader, now_us)
            if spot is not None:
                longest = max(longest, now_us - ended[spot])
                busy.add(reader)
                heapq.heappush(ends, (now_us + rng.randint(14, longest_ms) * MS, spot))
        on_air_sets.append(scheduler.spots_on_air())
        if not ends:
            now_us += MS
            continue
        now_us, spot = heapq.heappop(ends)
        busy.discard(spot_antennas[spot].reader)
        ended[spot] = now_us
        answer = rng.choice([None, ("E0",), ("E1",), ()])
        scheduler.record_read_end(spot, answer, now_us, is_unsure=rng.random() < 0.5)
        if rng.random() < 0.3:
            scheduler.request_read(rng.choice(sorted(spot_antennas)), now_us)
    return max(longest, *(now_us - at_us for at_us in ended.values())), on_air_sets


def reference_scheduler() -> AntennaScheduler:
    return AntennaScheduler(layout.reference_layout().spot_antennas.all, focus_rest_us=50 * MS, rest_us=250 * MS)


@given(seed=st.integers(0, 2**32), longest_ms=st.sampled_from([25, 60, 220, 450]))
@settings(max_examples=25, deadline=None)
def test_every_spot_is_read_within_the_bound(seed: int, longest_ms: int) -> None:
    longest, _ = simulate(reference_scheduler(), seed, longest_ms, 20)
    assert longest <= starvation_bound_us(12, longest_ms * MS)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_neighbours_are_never_read_together_at_any_load(seed: int) -> None:
    neighbours = {
        spot_antenna.spot: spot_antenna.neighbours for spot_antenna in layout.reference_layout().spot_antennas.all
    }
    for on_air in simulate(reference_scheduler(), seed, 100, 10)[1]:
        for spot in on_air:
            assert not neighbours[spot] & on_air


def test_planted_fault_fixed_order_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AntennaScheduler, "_priority_key", lambda self, slot, now_us: (slot.layout_order,))
    tight = AntennaScheduler(layout.reference_layout().spot_antennas.all, focus_rest_us=0, rest_us=0)
    assert simulate(tight, 1, 60, 20)[0] > starvation_bound_us(12, 60 * MS)


def test_planted_fault_missing_neighbour_rule_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(antenna_scheduler.AntennaScheduler, "_is_blocked", lambda self, slot, now_us: False)
    neighbours = {
        spot_antenna.spot: spot_antenna.neighbours for spot_antenna in layout.reference_layout().spot_antennas.all
    }
    on_air_sets = simulate(reference_scheduler(), 1, 100, 10)[1]
    assert any(neighbours[spot] & on_air for on_air in on_air_sets for spot in on_air)
