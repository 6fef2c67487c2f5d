"""Readings -> what lies there: the rules as tables, then properties over random motions and random misses."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.events import Chip, Event, SpotStirs, StackComplete, StackSeen, TagWeak
from hardware.settling import likelihood, spot, telling, tracks
from hardware.settling.table import FLAPPING_US, FLAPS, STEADY_US
from tests.hardware.readings import GAP_MS, GONE_READS, READ_MS, Bench, short, told, value_of

RULES: Final = {
    "seen at the third equal reading": ("3:25a 5a", "stirs, seen 25 5"),
    "two readings are not enough": ("2:25a 5a", "stirs"),
    "a chip that misses the first reading is seen with the others": ("1:25a,2:25a 5a", "stirs, seen 25 5"),
    "a chip that misses the second reading is seen with the others": ("1:25a 5a,1:25a,1:25a 5a", "stirs, seen 25 5"),
    "a chip that comes at the third reading is waited for": ("2:25a,1:25a 5a", "stirs"),
    "chips that land one by one are seen when the last has answered twice": (
        "1:25a,1:25a 25b,2:25a 25b 25c",
        "stirs, seen 25 25 25",
    ),
    "a chip added to what was seen needs its three readings": (
        "10:25a,2:25a 25b",
        "stirs, seen 25, stirs",
    ),
    "complete after the motion gap": ("30:25a 5a", "stirs, seen 25 5, complete 25 5"),
    "not complete within the motion gap": ("24:25a", "stirs, seen 25"),
    "a single answer comes to nothing": ("1:25a,40:", "stirs, complete"),
    "a tag that answers again is there": ("1:25a,3:,1:25a,40:25a", "stirs, seen 25, complete 25"),
    "one miss is not a motion": ("10:25a 5a,1:25a,30:25a 5a", "stirs, seen 25 5, complete 25 5"),
    "chips missed after completion are nothing": (
        "30:25a,3:,30:25a",
        "stirs, seen 25, complete 25, stirs, complete 25",
    ),
    "a chip missed once stirs nothing": ("30:25a,1:,30:25a", "stirs, seen 25, complete 25"),
    "a second motion starts the gap again": (
        "20:25a,20:25a 25b,10:25a 25b",
        "stirs, seen 25, stirs, seen 25 25 >=, complete 25 25",
    ),
    "chips cut back out are not bet": (
        "10:25a 25b 25c,30:25a",
        "stirs, seen 25 25 25, stirs, seen 25, complete 25",
    ),
    "put and taken back within the gap is told as it came and went": (
        "6:25a,30:",
        "stirs, seen 25, stirs, seen, complete",
    ),
    "change for the same value is a change": (
        "30:100a,30:25a 25b 25c 25d",
        "stirs, seen 100, complete 100, stirs, seen 25 25 25 25, complete 25 25 25 25",
    ),
    "a chip for its like is told as complete only": (
        "30:25a,30:25b",
        "stirs, seen 25, complete 25, stirs, complete 25",
    ),
    "a chip for its like that is taken back only stirs": (
        "30:25a,10:25b,30:25a",
        "stirs, seen 25, complete 25, stirs, complete 25",
    ),
    "chips added to the like of what was there are added": (
        "10:25a,10:25b 25c,30:25b 25c",
        "stirs, seen 25, stirs, seen 25 25 >=, complete 25 25",
    ),
    "above the sure height the tray says at least": (
        "30:1a 1b 1c 1d 1e 1f 1g",
        "stirs, seen 1 1 1 1 1 1 1 >=, complete 1 1 1 1 1 1 1 >=",
    ),
    "up to the sure height it does not": ("30:1a 1b 1c 1d 1e 1f", "stirs, seen 1 1 1 1 1 1, complete 1 1 1 1 1 1"),
    "strangers are told and not valued": ("30:25a ?a ?b", "stirs, seen 25 ?2, complete 25 ?2"),
    "a stranger that goes is a change": (
        "30:25a ?a,30:25a",
        "stirs, seen 25 ?1, complete 25 ?1, stirs, seen 25, complete 25",
    ),
    "a stranger for another is told as complete only": (
        "30:?a,30:?b",
        "stirs, seen ?1, complete ?1, stirs, complete ?1",
    ),
    "ignored tags are nothing": ("30:-a -b", "stirs, complete"),
    "a lammer is told by its name": ("30:@button", "stirs, seen @button, complete @button"),
    "a lammer that goes is a change": (
        "30:25a @rock,30:25a",
        "stirs, seen 25 @rock, complete 25 @rock, stirs, seen 25, complete 25",
    ),
    "a lammer for another is a change": (
        "30:@rock,30:@kill",
        "stirs, seen @rock, complete @rock, stirs, seen @kill, complete @kill",
    ),
    "a lammer laid to chips in motion adds nothing to them": (
        "10:25a,30:25a @button",
        "stirs, seen 25, stirs, seen 25 @button, complete 25 @button",
    ),
    "chips put beside a lammer in motion are the first": (
        "10:@button,30:25a @button",
        "stirs, seen @button, stirs, seen 25 @button, complete 25 @button",
    ),
    # Who answered once and may still lie there
    "a chip heard once in a motion holds it, then it is at least": (
        "10:25a,1:25a 25b,60:25a",
        "stirs, seen 25, stirs, complete 25 >=",
    ),
    "a chip heard once beside a settled stack comes to nothing": (
        "30:25a,1:25a 25b,40:25a",
        "stirs, seen 25, complete 25, stirs, complete 25",
    ),
    "a chip heard once that was here just now is its ghost": (
        "30:25a 5a,2:25a,1!rf-error,3:25a,1:25a 5a,25:25a",
        "stirs, seen 25 5, complete 25 5, stirs, seen 25, complete 25",
    ),
    # Stirs
    "a fifth missed once may be a miss": (
        "30:25a 25b 25c 25d 25e,1:25a 25b 25c 25d,30:25a 25b 25c 25d 25e",
        "stirs, seen 25 25 25 25 25, complete 25 25 25 25 25",
    ),
    "a fifth missed twice stirs": (
        "30:25a 25b 25c 25d 25e,2:25a 25b 25c 25d,30:25a 25b 25c 25d 25e",
        "stirs, seen 25 25 25 25 25, complete 25 25 25 25 25, stirs, complete 25 25 25 25 25",
    ),
    "two of five missed at once stir": (
        "30:25a 25b 25c 25d 25e,1:25a 25b 25c,30:25a 25b 25c 25d 25e",
        "stirs, seen 25 25 25 25 25, complete 25 25 25 25 25, stirs, complete 25 25 25 25 25",
    ),
    # Covered
    "what falls silent all at once is covered": (
        "30:25a 25b 25c,30:",
        "stirs, seen 25 25 25, complete 25 25 25, stirs, seen covered, complete covered",
    ),
    "what was covered is told when it is back": (
        "30:25a 25b,30:,30:25a 25b",
        "stirs, seen 25 25, complete 25 25, stirs, seen covered, complete covered, stirs, seen 25 25, complete 25 25",
    ),
    "what is covered stays so when it only stirs": (
        "30:25a 25b,30:,2!rf-error,4:",
        "stirs, seen 25 25, complete 25 25, stirs, seen covered, complete covered, stirs, complete covered",
    ),
    "most of a stack is covered": (
        "30:25a 25b 25c 25d 25e,30:25a 25b",
        "stirs, seen 25 25 25 25 25, complete 25 25 25 25 25, stirs, seen 25 25 covered, complete 25 25 covered",
    ),
    "chips beside a stranger that stays are covered": (
        "30:25a ?a,30:?a",
        "stirs, seen 25 ?1, complete 25 ?1, stirs, seen ?1 covered, complete ?1 covered",
    ),
    "less than half of it was taken": (
        "30:25a 25b 25c 25d 25e,30:25a 25b 25c",
        "stirs, seen 25 25 25 25 25, complete 25 25 25 25 25, stirs, seen 25 25 25, complete 25 25 25",
    ),
    "chips that go one by one are not covered": (
        "30:25a 25b 25c,1:25a 25b,1:25a,30:",
        "stirs, seen 25 25 25, complete 25 25 25, stirs, seen, complete",
    ),
    "chips that go under a hand are not covered": (
        "30:25a 25b 25c,1!rf-error,30:",
        "stirs, seen 25 25 25, complete 25 25 25, stirs, seen, complete",
    ),
    # Failed readings
    "one failed reading is no motion": ("12:25a,1!timeout,13:25a", "stirs, seen 25, complete 25"),
    "a hand over the antenna starts the gap again": ("12:25a,4!rf-error,20:25a", "stirs, seen 25, stirs"),
    "faults are not an empty spot": (
        "30:25a,20!rf-error,30:25a",
        "stirs, seen 25, complete 25, stirs, complete 25",
    ),
    "offline after too long without a good reading": (
        "30:25a,31!rf-warning",
        "stirs, seen 25, complete 25, stirs, offline rf-warning",
    ),
    "back online, the same contents are told once as complete": (
        "30:25a,31!rf-error,30:25a",
        "stirs, seen 25, complete 25, stirs, offline rf-error, online, complete 25",
    ),
    "back online, other contents are told as they are": (
        "30:25a,31!rf-error,30:5a 5b",
        "stirs, seen 25, complete 25, stirs, offline rf-error, online, seen 5 5, complete 5 5",
    ),
    "back online, taken away meanwhile": (
        "30:25a,31!rf-error,30:",
        "stirs, seen 25, complete 25, stirs, offline rf-error, online, seen, complete",
    ),
}


@pytest.mark.parametrize("rule", RULES, ids=list(RULES))
def test_rule(rule: str) -> None:
    """An empty spot is told once; then what the readings say."""
    steps, expected = RULES[rule]
    bench = Bench()
    assert told(bench.quiet("")) == ["online", "complete"]
    events = bench.play(steps)
    assert ", ".join(told([event for event in events if event.spot == "bet1"])) == expected  # type: ignore[union-attr]


def test_each_tag_is_told_as_what_it_is() -> None:
    """Chips by denomination and then by UID, strangers by UID, lammers by name, one for each."""
    bench = Bench()
    seen, complete = bench.quiet("5a 25b ?b 100a @rock -a 25a @all-in2 ?a @all-in1")[1:]
    stack = (Chip("100a", 100), Chip("25a", 25), Chip("25b", 25), Chip("5a", 5))
    assert isinstance(seen, StackSeen) and isinstance(complete, StackComplete)
    for event in (seen, complete):
        assert (event.stack, event.chips, event.unknown) == (stack, (100, 25, 25, 5), 2)
        assert (event.strangers, event.lammers) == (("?a", "?b"), ("all-in", "all-in", "rock"))


@pytest.mark.parametrize(("before", "after"), [("25a 5a", "25b 5a"), ("25a ?a", "25a ?b")])
def test_a_tag_for_its_like_is_told_by_its_uid(before: str, after: str) -> None:
    bench = Bench()
    for tags in (before, after):
        complete = bench.quiet(tags)[-1]
        assert isinstance(complete, StackComplete)
        assert sorted([*(chip.uid for chip in complete.stack), *complete.strangers]) == sorted(tags.split())


def test_since_is_when_the_motion_was_first_noticed() -> None:
    bench = Bench()
    bench.quiet("")
    first_us = bench.now_us + READ_MS * 1000
    events = bench.read("25a", 10)
    second_us = bench.now_us + READ_MS * 1000
    events += bench.quiet("25a 25b")
    stacks = [event for event in events if isinstance(event, StackSeen | StackComplete)]
    assert [(event.chips, event.since_us) for event in stacks] == [
        ((25,), first_us),
        ((25, 25), second_us),
        ((25, 25), second_us),
    ]


# Weak tags


def test_a_weak_tag_is_named() -> None:
    bench = Bench()
    bench.quiet("")
    for number in range(60):
        bench.read("25a" if number % 2 == 0 else "25a 25b")
    complete = bench.events[-1]
    assert isinstance(complete, StackComplete)
    assert (complete.chips, complete.weak, complete.at_least) == ((25, 25), ("25b",), False)


WEAK: Final = "1:25a 25b,2:25a,"
"""A chip in good order, and one that answers one reading of three."""
GOOD: Final = "1:25a 25b,"


def weak_told(placings: list[str], spot: str = "bet1") -> list[str]:
    """What is told of weak tags, each after the placing of that number."""
    bench, found = Bench(), []
    bench.quiet("", spot)
    for number, lies in enumerate(placings, start=1):
        events = bench.play(f"{lies * 12}40:", spot)
        found += [f"{number}: {short(event)}" for event in events if isinstance(event, TagWeak)]
    return found


def test_a_tag_that_is_weak_wherever_it_lies_is_told() -> None:
    assert weak_told([WEAK] * 3) == ["3: weak 25b 25"]
    assert weak_told([WEAK] * 6) == ["3: weak 25b 25", "6: weak 25b 25"]


def test_a_tag_that_was_in_good_order_between_is_detuned_by_its_neighbours() -> None:
    assert weak_told([WEAK, WEAK, GOOD, WEAK, WEAK]) == []
    assert weak_told([WEAK, WEAK, GOOD, WEAK, WEAK, WEAK]) == ["6: weak 25b 25"]


@pytest.mark.parametrize(
    "lies", ["1:?b,2:,", "1:25b 1a 1b 1c 1d 1e 1f 1g 1h 1i 1j 1k 1l,2:1a 1b 1c 1d 1e 1f 1g 1h 1i 1j 1k 1l,"]
)
def test_what_is_no_chip_or_lies_in_a_tall_stack_is_not_told_as_weak(lies: str) -> None:
    assert weak_told([lies] * 4) == []


def test_in_a_heap_no_tag_is_weak() -> None:
    assert weak_told([WEAK] * 4, "pot") == []


def test_the_more_seldom_a_tag_answers_the_longer_its_silence_is_waited_for() -> None:
    patience = [likelihood.patience(hits, 20 - hits) for hits in range(20, 3, -1)]
    assert patience == sorted(patience)
    assert (likelihood.patience(20, 0), likelihood.patience(5, 15)) == (GONE_READS, likelihood.MOST_PATIENCE)
    assert likelihood.patience(2000, 40) == GONE_READS


TALL: Final = "1a 1b 1c 1d 1e 1f 1g"


def test_many_weak_tags_make_the_tray_say_at_least_though_it_is_never_quiet() -> None:
    """The lower chips of a high stack are heard now and then, one after the other, for the first time."""
    bench, rng = Bench(), Random(3)
    bench.quiet("")
    lower = [f"5{letter}{more}" for letter in "abcdefgh" for more in "abcde"]
    for _ in range(150):
        bench.read(" ".join([*TALL.split(), *(uid for uid in lower if rng.random() < 0.03)]))
    complete = [event for event in bench.events if isinstance(event, StackComplete) and event.stack]
    assert complete and all(event.at_least for event in complete)


def test_a_weak_tag_that_is_silent_as_is_to_be_expected_of_it_makes_nothing_at_least() -> None:
    bench = Bench(read_ms=150)
    bench.quiet("")
    bench.play("1:25a 25b,14:25a,1:25a 25b")
    bench.play("26:25a 25c")
    assert told(bench.events)[-1] == "complete 25 25 25"


@pytest.mark.parametrize("misses", [2, 4, 8, 12])
def test_a_weak_tag_that_is_not_heard_since_most_of_a_stack_left_is_not_told_for_sure(misses: int) -> None:
    """A stack is coloured up, and one of its tags was silent often before it left with the others."""
    bench = Bench(read_ms=300)
    bench.quiet("")
    bench.play(f"1:5a 5b 5c 5d 1w,{misses}:5a 5b 5c 5d,1:5a 5b 5c 5d 1w,40:25a")
    stacks = [event for event in bench.events if isinstance(event, StackComplete) and event.chips[:1] == (25,)]
    assert stacks[-1].chips == (25,)
    assert all(event.at_least for event in stacks[:-1])


def test_for_weak_tags_is_waited_before_others_like_them_are_feared() -> None:
    """Three weak tags in the twelve readings of the motion gap may hide a fourth; in sixteen they do not."""
    bench = Bench(read_ms=100)
    bench.quiet("")
    for number in range(18):
        bench.read("25a 25b 25c 25d" if number % 2 == 0 else "25a")
    stacks = [event for event in bench.events if isinstance(event, StackComplete) and event.stack]
    assert [(short(event), event.weak) for event in stacks] == [("complete 25 25 25 25", ("25b", "25c", "25d"))]


def test_a_pot_that_passed_over_the_spot_says_nothing_about_the_next_chips() -> None:
    """It came as the bet was swept: its chips were heard once, and were not forgotten yet when the spot was told to be
    empty."""
    bench = Bench(read_ms=250)
    bench.quiet("25c")
    assert told(bench.play("1:25c 5a 5b 5c,20:"))[-2:] == ["seen", "complete >="]
    assert told(bench.play("9:25a 25b")) == ["stirs", "seen 25 25", "complete 25 25"]


def test_a_reading_that_is_not_whole_makes_it_at_least_and_no_tag_of_it_silent() -> None:
    bench = Bench()
    bench.quiet("")
    for _ in range(20):
        bench.read("25a 25b", whole=False)
        bench.read("25b 25c", whole=False)
    assert told(bench.events)[-2:] == ["seen 25 25 25 >=", "complete 25 25 25 >="]


def test_hands_that_keep_moving_chips_are_not_complete() -> None:
    bench = Bench()
    bench.quiet("")
    for letter in "abcdefghijklmnop":
        bench.read(f"25{letter}", 12)
    assert "complete" not in " ".join(told(bench.events)[2:])


# Several spots


def told_of(events: list[Event]) -> list[str]:
    """With the spots, without what only stirs."""
    return [f"{event.spot} {short(event)}" for event in events if not isinstance(event, SpotStirs)]  # type: ignore[union-attr]


def test_a_tag_under_two_antennas_counts_where_it_was_first() -> None:
    bench = Bench()
    for name in ("bet1", "bet2"):
        bench.quiet("", name)
    bench.read("25a", 4)
    before = len(bench.events)
    for _ in range(40):
        bench.read("25a", spot="bet2")
        bench.read("25a")
    assert sorted(told_of(bench.events[before:])) == ["bet1 complete 25", "bet2 complete"]


@pytest.mark.parametrize("goes_to", ["bet2", "bet5", "pot"])
def test_a_tag_that_moves_is_counted_at_the_new_place(goes_to: str) -> None:
    bench = Bench()
    bench.quiet("25a")
    bench.quiet("", goes_to)
    before = len(bench.events)
    for _ in range(40):
        bench.read("")
        bench.read("25a", spot=goes_to)
    complete = [line for line in told_of(bench.events[before:]) if "complete" in line]
    assert complete == ["bet1 complete", f"{goes_to} complete 25"]


def test_a_tag_that_moves_is_not_waited_for_where_heaps_lie() -> None:
    """Chips of the last pot are bet again before the pot's antenna was read."""
    bench = Bench()
    bench.quiet("25a 25b", "pot")
    bench.quiet("", "bet5")
    before = len(bench.events)
    bench.quiet("25a 25b", "bet5")
    assert told_of(bench.events[before:]) == ["bet5 seen 25 25", "bet5 complete 25 25"]
    assert bench.settling.settled("pot") is None
    bench.read("", 3, spot="pot")
    assert told_of(bench.events[-1:]) == ["pot seen"]


def test_a_tag_counts_at_a_bet_spot_until_that_was_read_without_it() -> None:
    """It may have a copy, which takes nothing away from a bet."""
    bench = Bench()
    bench.quiet("25a 25b", "bet1")
    bench.quiet("", "bet5")
    before = len(bench.events)
    bench.quiet("25a 25c", "bet5")
    assert told_of(bench.events[before:]) == ["bet5 seen 25"]
    bench.read("25b", spot="bet1")
    bench.quiet("25a 25c", "bet5")
    assert told_of(bench.events[before:])[1:] == ["bet5 complete 25 25"]


def test_a_uid_that_answers_at_two_places_steadily_is_copied() -> None:
    """It counts at both, and both are in doubt; neighbours that hear the same chip are no such case."""
    bench = Bench()
    for name in ("bet1", "bet5"):
        bench.quiet("", name)
    bench.quiet("25a 25b")
    before = len(bench.events)
    for _ in range(40):
        bench.read("25a 25b")
        bench.read("25a 25c", spot="bet5")
    assert told_of(bench.events[before:]) == [
        "bet5 seen 25",
        "bet5 seen 25 25 >= copied",
        "bet1 complete 25 25 copied",
        "bet5 complete 25 25 copied",
    ]
    for _ in range(40):
        bench.read("25a 25b")
        bench.read("25c", spot="bet5")
    assert told_of(bench.events[-4:])[-1] == "bet5 complete 25"


def test_crosstalk_of_a_neighbour_comes_to_nothing_and_stirs_nothing() -> None:
    bench = Bench()
    bench.quiet("25a", "bet2")
    bench.quiet("5a")
    before = len(bench.events)
    bench.read("5a 25a")
    bench.read("5a", 40)
    assert bench.events[before:] == []


@pytest.mark.parametrize(("hears", "unsure"), [("25a 5a", False), ("25a 100a", True)])
def test_a_settled_spot_is_read_again_at_once_for_what_nothing_explains_only(hears: str, unsure: bool) -> None:
    bench = Bench()
    bench.quiet("25a")
    bench.quiet("5a", "bet2")
    bench.read(hears)
    assert bench.settling.unsure("bet1") is unsure


def test_a_heap_stirs_nothing_and_is_told_though_it_is_never_quiet() -> None:
    bench, rng = Bench(), Random(1)
    bench.quiet("", "pot")
    before = len(bench.events)
    heap = [f"5{one}{other}" for one in "abcdefghij" for other in "abcdefghij"]
    for _ in range(100):
        bench.read(" ".join(uid for uid in heap if rng.random() < 0.8), spot="pot")
    events = bench.events[before:]
    assert all(isinstance(event, StackSeen | StackComplete) and event.at_least for event in events)
    last = events[-1]
    assert isinstance(last, StackComplete) and len(last.stack) == len(heap) and len(events) < 6


# Links


@pytest.mark.parametrize(
    ("steps", "blind"),
    [
        ("30:25a,1!rf-error,5:25a", [False]),
        ("30:25a,2!rf-error,5:25a", [False, True]),
        ("30:25a,9!rf-error,5:25a", [False, True]),
        ("30:25a,1:25a 5a,2!rf-error", [False, False, True]),
        ("5:25a,2!rf-error", [False, True]),
        ("30:25a,2!rf-error,30:25a,2!rf-error", [False, True, True]),
    ],
)
def test_readings_that_fail_are_told_as_blind(steps: str, blind: list[bool]) -> None:
    """Each time once, also where the spot stirs already."""
    bench = Bench()
    bench.read("")
    bench.quiet("")
    bench.play(steps)
    assert [event.blind for event in bench.events if isinstance(event, SpotStirs)] == blind


def test_a_lost_link_is_offline_at_once_and_told_once() -> None:
    bench = Bench()
    bench.quiet("25a")
    lost = bench.settling.lost(["bet1"], "unplugged", bench.now_us)
    again = bench.settling.lost(["bet1"], "silence", bench.now_us)
    assert (told(lost), again) == (["offline unplugged"], [])


def test_a_spot_that_was_never_read_goes_offline_in_time() -> None:
    bench = Bench()
    assert bench.settling.tick(2_999_999) == []
    offline = told_of(bench.settling.tick(3_000_000))
    assert offline == [f"{name} offline no-reading" for name in ("bet1", "bet2", "bet5", "pot")]


def test_a_spot_that_is_excused_is_waited_for() -> None:
    bench = Bench()
    bench.settling.excuse(["bet1"], 1_000_000)
    assert "bet1 offline no-reading" not in told_of(bench.settling.tick(3_000_000))
    bench.settling.excuse(["bet2"], 9_000_000)
    assert told_of(bench.settling.tick(9_000_000)) == ["bet1 offline no-reading"]


def test_a_cable_that_comes_and_goes_is_back_when_it_is_steady() -> None:
    """200 times within 200 s a lost link and good readings again: three times it is believed."""
    bench = Bench()
    events: list[Event] = []
    for _ in range(200):
        events += bench.settling.lost(["bet1"], "unplugged", bench.now_us)
        events += bench.read("25a", 1000 // READ_MS)
    words = [word for word in told(events) if word.startswith(("on", "off"))]
    assert words == [*["offline unplugged", "online"] * (FLAPS - 1), "offline unplugged"]
    back = bench.read("25a", STEADY_US // 1000 // READ_MS)
    assert told(back)[:1] == ["online"]
    # A fault while it is waited for begins the wait again.
    bench.settling.lost(["bet1"], "unplugged", bench.now_us)
    assert not bench.read("25a", 3000 // READ_MS) + bench.fail() + bench.read("25a", 3000 // READ_MS)
    bench.now_ms += FLAPPING_US // 1000
    assert told(bench.read("25a"))[:1] == ["online"]


@pytest.mark.parametrize("fault_ms", [50, 300, 700])
def test_offline_is_known_within_two_seconds(fault_ms: int) -> None:
    """However slowly failures come in, as long as there are two of them: the deadline itself tells."""
    bench = Bench()
    for name in ("bet2", "bet5", "pot"):
        bench.read("", spot=name)
    bench.quiet("25a")
    last_good_us = bench.now_us
    for _ in range(2):
        bench.now_ms += fault_ms
        bench.settling.fault("bet1", "timeout", bench.now_us)
    deadline_us = bench.settling.next_deadline_us()
    while not (events := bench.settling.tick(deadline_us)):
        assert bench.settling.next_deadline_us() > deadline_us
        deadline_us = bench.settling.next_deadline_us()
    assert told_of(events)[0] == "bet1 offline timeout"
    assert deadline_us - last_good_us <= 2_000_000


# Properties

CHIPS: Final = [f"{value}{letter}" for value in (1, 5, 25) for letter in "abcd"]
motions = st.lists(
    st.tuples(st.frozensets(st.sampled_from(CHIPS), max_size=6), st.integers(GONE_READS, 40)),
    min_size=1,
    max_size=12,
)


@given(motions=motions, seed=st.integers(0, 2**16), miss=st.sampled_from([0.0, 0.02, 0.05, 0.2]))
@settings(max_examples=100, deadline=None)
def test_complete_contents_were_there(motions: list[tuple[frozenset[str], int]], seed: int, miss: float) -> None:
    """Nothing is made up, whatever was missed: each chip that is told as complete without "at least" lay there in the
    last readings, and at the beginning of the gap or the readings before it."""
    rng, bench = Random(seed), Bench()
    lay: dict[str, int] = {}
    for lying, reads in motions:
        for _ in range(reads):
            lay.update(dict.fromkeys(lying, bench.now_ms + READ_MS))
            for event in bench.read(" ".join(uid for uid in sorted(lying) if rng.random() >= miss)):
                if isinstance(event, StackComplete) and not event.at_least:
                    early_ms = event.at_us // 1000 - GAP_MS
                    assert all(lay[chip.uid] >= early_ms for chip in event.stack)


@given(motions=motions, seed=st.integers(0, 2**16))
@settings(max_examples=100, deadline=None)
def test_without_noise_the_end_is_told_exactly(motions: list[tuple[frozenset[str], int]], seed: int) -> None:
    bench = Bench()
    for lying, reads in motions:
        bench.read(" ".join(lying), reads)
    final = motions[-1][0]
    bench.quiet(" ".join(final))
    complete = [event for event in bench.events if isinstance(event, StackComplete)]
    assert complete[-1].chips == tuple(sorted((value_of(uid) for uid in final), reverse=True))
    assert {chip.uid for chip in complete[-1].stack} == final
    assert bench.settling.settled("bet1") == final
    last = max((event.at_us for event in bench.events if isinstance(event, StackSeen | SpotStirs)), default=0)
    assert complete[-1].at_us >= last, "every StackSeen and SpotStirs is followed by a StackComplete"


@given(motions=motions, seed=st.integers(0, 2**16), miss=st.sampled_from([0.0, 0.02, 0.2]))
@settings(max_examples=50, deadline=None)
def test_a_spot_stirs_once_until_more_is_told(
    motions: list[tuple[frozenset[str], int]], seed: int, miss: float
) -> None:
    rng, bench = Random(seed), Bench()
    for lying, reads in motions:
        for _ in range(reads):
            bench.read(" ".join(uid for uid in sorted(lying) if rng.random() >= miss))
    kinds = [isinstance(event, SpotStirs) for event in bench.events]
    assert not any(one and other for one, other in pairwise(kinds))


@given(pattern=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=40, max_size=80))
@settings(max_examples=100, deadline=None)
def test_a_tag_is_counted_twice_where_it_is_copied_only(pattern: list[tuple[bool, bool]]) -> None:
    bench = Bench()
    for one, other in pattern:
        bench.read("25a" if one else "", spot="bet1")
        bench.read("25a" if other else "", spot="bet5")
        counted = [bench.settling.settled(name) or frozenset() for name in ("bet1", "bet5")]
        copied = bench.events and any(getattr(event, "doubt", "") == "copied" for event in bench.events)
        assert copied or sum("25a" in here for here in counted) <= 1


# Planted faults


def test_planted_fault_counting_the_first_reading_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracks, "HERE_READS", 1)
    monkeypatch.setattr(spot, "HERE_READS", 1)
    monkeypatch.setattr(telling, "SEEN_READS", 1)
    with pytest.raises(AssertionError):
        test_rule("two readings are not enough")


@pytest.mark.parametrize(
    "rule", ["a chip added to what was seen needs its three readings", "two readings are not enough"]
)
def test_planted_fault_two_readings_for_seen_are_caught(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "SEEN_READS", 2)
    with pytest.raises(AssertionError):
        test_rule(rule)


def test_planted_fault_forgetting_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot, "LEAST_PATIENCE", 1)
    monkeypatch.setattr(spot, "patience", lambda *_: 1)
    with pytest.raises(AssertionError):
        test_rule("chips missed after completion are nothing")


def test_planted_fault_counting_a_tag_at_each_spot_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracks.Whereabouts, "counts", lambda *_: True)
    with pytest.raises(AssertionError):
        test_a_tag_under_two_antennas_counts_where_it_was_first()


def test_planted_fault_uids_dropped_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chips told by their value alone: one for its like goes unnoticed."""
    monkeypatch.setattr("hardware.settling.contents.Chip", lambda uid, value: Chip("", value))
    with pytest.raises(AssertionError):
        test_a_tag_for_its_like_is_told_by_its_uid("25a 5a", "25b 5a")
