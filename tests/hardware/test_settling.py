"""Stack detection: rules as short scripts, weak tags, tags at several spots, lost links and random motions."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.events import Chip, Event, SpotActive, StackProvisional, StackSettled, WeakTagFound
from hardware.stack_detection import silence_likelihood, spot_reporter, spot_tracker, tag_locator
from hardware.stack_detection.stack_detector import FLAPPING_WINDOW_US, MAX_FLAPS, STABLE_ONLINE_US
from tests.hardware.settling_bench import (
    GAP_MS,
    READ_MS,
    REMOVED_READS,
    SettlingBench,
    event_line,
    event_lines,
    value_of,
)

RULES: Final = {
    "provisional at the third equal reading": ("3:25a 5a", "active, provisional 25 5"),
    "two readings are not enough": ("2:25a 5a", "active"),
    "chip missing in the first reading is reported with the others": ("1:25a,2:25a 5a", "active, provisional 25 5"),
    "chip missing in the second reading is reported with the others": (
        "1:25a 5a,1:25a,1:25a 5a",
        "active, provisional 25 5",
    ),
    "chip first read in the third reading delays the report": ("2:25a,1:25a 5a", "active"),
    "chips landing one by one are reported when the last has answered twice": (
        "1:25a,1:25a 25b,2:25a 25b 25c",
        "active, provisional 25 25 25",
    ),
    "chip added to a provisional stack needs three readings": (
        "10:25a,2:25a 25b",
        "active, provisional 25, active",
    ),
    "settled after the motion gap": ("30:25a 5a", "active, provisional 25 5, settled 25 5"),
    "not settled within the motion gap": ("24:25a", "active, provisional 25"),
    "single answer is not reported": ("1:25a,40:", "active, settled"),
    "tag that answers again is present": ("1:25a,3:,1:25a,40:25a", "active, provisional 25, settled 25"),
    "single miss is not a motion": ("10:25a 5a,1:25a,30:25a 5a", "active, provisional 25 5, settled 25 5"),
    "chips missed after settling are not a change": (
        "30:25a,3:,30:25a",
        "active, provisional 25, settled 25, active, settled 25",
    ),
    "chip missed once causes no activity": ("30:25a,1:,30:25a", "active, provisional 25, settled 25"),
    "second motion restarts the motion gap": (
        "20:25a,20:25a 25b,10:25a 25b",
        "active, provisional 25, active, provisional 25 25 >=, settled 25 25",
    ),
    "chips cut back out are not counted": (
        "10:25a 25b 25c,30:25a",
        "active, provisional 25 25 25, active, provisional 25, settled 25",
    ),
    "chip put and taken back within the gap is reported both times": (
        "6:25a,30:",
        "active, provisional 25, active, provisional, settled",
    ),
    "change for the same value is a change": (
        "30:100a,30:25a 25b 25c 25d",
        "active, provisional 100, settled 100, active, provisional 25 25 25 25, settled 25 25 25 25",
    ),
    "chip exchanged for one of the same kind is reported only as settled": (
        "30:25a,30:25b",
        "active, provisional 25, settled 25, active, settled 25",
    ),
    "exchanged chip that is exchanged back causes only activity": (
        "30:25a,10:25b,30:25a",
        "active, provisional 25, settled 25, active, settled 25",
    ),
    "chips added to an exchanged chip are an addition": (
        "10:25a,10:25b 25c,30:25b 25c",
        "active, provisional 25, active, provisional 25 25 >=, settled 25 25",
    ),
    "stack above the sure height is at least": (
        "30:1a 1b 1c 1d 1e 1f 1g",
        "active, provisional 1 1 1 1 1 1 1 >=, settled 1 1 1 1 1 1 1 >=",
    ),
    "stack up to the sure height is exact": (
        "30:1a 1b 1c 1d 1e 1f",
        "active, provisional 1 1 1 1 1 1, settled 1 1 1 1 1 1",
    ),
    "unknown tags are reported without value": ("30:25a ?a ?b", "active, provisional 25 ?2, settled 25 ?2"),
    "removed unknown tag is a change": (
        "30:25a ?a,30:25a",
        "active, provisional 25 ?1, settled 25 ?1, active, provisional 25, settled 25",
    ),
    "exchanged unknown tag is reported only as settled": (
        "30:?a,30:?b",
        "active, provisional ?1, settled ?1, active, settled ?1",
    ),
    "ignored tags are not reported": ("30:-a -b", "active, settled"),
    "lammer is reported by its name": ("30:@button", "active, provisional @button, settled @button"),
    "removed lammer is a change": (
        "30:25a @rock,30:25a",
        "active, provisional 25 @rock, settled 25 @rock, active, provisional 25, settled 25",
    ),
    "exchanged lammer is a change": (
        "30:@rock,30:@kill",
        "active, provisional @rock, settled @rock, active, provisional @kill, settled @kill",
    ),
    "lammer put next to moving chips is not an addition": (
        "10:25a,30:25a @button",
        "active, provisional 25, active, provisional 25 @button, settled 25 @button",
    ),
    "chips put next to a moving lammer are not an addition": (
        "10:@button,30:25a @button",
        "active, provisional @button, active, provisional 25 @button, settled 25 @button",
    ),
    # --- tags that answered once and may still be there ---
    "chip read once in a motion delays settling, then causes at least": (
        "10:25a,1:25a 25b,60:25a",
        "active, provisional 25, active, settled 25 >=",
    ),
    "chip read once next to a settled stack is not reported": (
        "30:25a,1:25a 25b,40:25a",
        "active, provisional 25, settled 25, active, settled 25",
    ),
    "chip read once that has just left is a ghost": (
        "30:25a 5a,2:25a,1!rf-error,3:25a,1:25a 5a,25:25a",
        "active, provisional 25 5, settled 25 5, active, provisional 25, settled 25",
    ),
    # --- activity ---
    "one of five chips missed once causes no activity": (
        "30:25a 25b 25c 25d 25e,1:25a 25b 25c 25d,30:25a 25b 25c 25d 25e",
        "active, provisional 25 25 25 25 25, settled 25 25 25 25 25",
    ),
    "one of five chips missed twice causes activity": (
        "30:25a 25b 25c 25d 25e,2:25a 25b 25c 25d,30:25a 25b 25c 25d 25e",
        "active, provisional 25 25 25 25 25, settled 25 25 25 25 25, active, settled 25 25 25 25 25",
    ),
    "two of five chips missed at once cause activity": (
        "30:25a 25b 25c 25d 25e,1:25a 25b 25c,30:25a 25b 25c 25d 25e",
        "active, provisional 25 25 25 25 25, settled 25 25 25 25 25, active, settled 25 25 25 25 25",
    ),
    # --- covered chips ---
    "chips that fall silent all at once are covered": (
        "30:25a 25b 25c,30:",
        "active, provisional 25 25 25, settled 25 25 25, active, provisional covered, settled covered",
    ),
    "covered chips are reported when they are back": (
        "30:25a 25b,30:,30:25a 25b",
        "active, provisional 25 25, settled 25 25, active, provisional covered, settled covered, "
        "active, provisional 25 25, settled 25 25",
    ),
    "covered chips stay covered after mere activity": (
        "30:25a 25b,30:,2!rf-error,4:",
        "active, provisional 25 25, settled 25 25, active, provisional covered, settled covered, "
        "active, settled covered",
    ),
    "most of a stack can be covered": (
        "30:25a 25b 25c 25d 25e,30:25a 25b",
        "active, provisional 25 25 25 25 25, settled 25 25 25 25 25, "
        "active, provisional 25 25 covered, settled 25 25 covered",
    ),
    "chips next to a remaining unknown tag are covered": (
        "30:25a ?a,30:?a",
        "active, provisional 25 ?1, settled 25 ?1, active, provisional ?1 covered, settled ?1 covered",
    ),
    "less than half of a stack was taken": (
        "30:25a 25b 25c 25d 25e,30:25a 25b 25c",
        "active, provisional 25 25 25 25 25, settled 25 25 25 25 25, active, provisional 25 25 25, settled 25 25 25",
    ),
    "chips that leave one by one are not covered": (
        "30:25a 25b 25c,1:25a 25b,1:25a,30:",
        "active, provisional 25 25 25, settled 25 25 25, active, provisional, settled",
    ),
    "chips that leave under a hand are not covered": (
        "30:25a 25b 25c,1!rf-error,30:",
        "active, provisional 25 25 25, settled 25 25 25, active, provisional, settled",
    ),
    # --- failed readings ---
    "single failed reading is not a motion": ("12:25a,1!timeout,13:25a", "active, provisional 25, settled 25"),
    "hand over the antenna restarts the motion gap": ("12:25a,4!rf-error,20:25a", "active, provisional 25, active"),
    "failed readings are not an empty spot": (
        "30:25a,20!rf-error,30:25a",
        "active, provisional 25, settled 25, active, settled 25",
    ),
    "offline after too long without a good reading": (
        "30:25a,31!rf-warning",
        "active, provisional 25, settled 25, active, offline rf-warning",
    ),
    "same contents back online are reported once as settled": (
        "30:25a,31!rf-error,30:25a",
        "active, provisional 25, settled 25, active, offline rf-error, online, settled 25",
    ),
    "other contents back online are reported": (
        "30:25a,31!rf-error,30:5a 5b",
        "active, provisional 25, settled 25, active, offline rf-error, online, provisional 5 5, settled 5 5",
    ),
    "chips taken away while offline are reported as gone": (
        "30:25a,31!rf-error,30:",
        "active, provisional 25, settled 25, active, offline rf-error, online, provisional, settled",
    ),
}


@pytest.mark.parametrize("rule", RULES, ids=list(RULES))
def test_detection_rule(rule: str) -> None:
    """Start with an empty spot that is settled, play the steps of the rule, and compare the events."""
    steps, expected = RULES[rule]
    bench = SettlingBench()
    assert event_lines(bench.read_until_settled("")) == ["online", "settled"]
    events = bench.play(steps)
    assert ", ".join(event_lines([event for event in events if event.spot == "bet1"])) == expected  # type: ignore[union-attr]


def test_tags_are_reported_by_kind_in_order() -> None:
    """Check that an event sorts chips by denomination and UID, unknown tags by UID, and lammers by name."""
    bench = SettlingBench()
    provisional, settled = bench.read_until_settled("5a 25b ?b 100a @rock -a 25a @all-in2 ?a @all-in1")[1:]
    stack = (Chip("100a", 100), Chip("25a", 25), Chip("25b", 25), Chip("5a", 5))
    assert isinstance(provisional, StackProvisional) and isinstance(settled, StackSettled)
    for event in (provisional, settled):
        assert (event.stack, event.chips, event.unknown_count) == (stack, (100, 25, 25, 5), 2)
        assert (event.unknown_tags, event.lammers) == (("?a", "?b"), ("all-in", "all-in", "rock"))


@pytest.mark.parametrize(("before", "after"), [("25a 5a", "25b 5a"), ("25a ?a", "25a ?b")])
def test_exchanged_tag_of_the_same_kind_is_reported_by_uid(before: str, after: str) -> None:
    bench = SettlingBench()
    for tags in (before, after):
        settled = bench.read_until_settled(tags)[-1]
        assert isinstance(settled, StackSettled)
        assert sorted([*(chip.uid for chip in settled.stack), *settled.unknown_tags]) == sorted(tags.split())


def test_first_seen_time_is_when_the_motion_was_noticed() -> None:
    bench = SettlingBench()
    bench.read_until_settled("")
    first_us = bench.now_us + READ_MS * 1000
    events = bench.read("25a", 10)
    second_us = bench.now_us + READ_MS * 1000
    events += bench.read_until_settled("25a 25b")
    stacks = [event for event in events if isinstance(event, StackProvisional | StackSettled)]
    assert [(event.chips, event.first_seen_us) for event in stacks] == [
        ((25,), first_us),
        ((25, 25), second_us),
        ((25, 25), second_us),
    ]


# --- weak tags ---


def test_weak_tag_is_named_in_the_stack() -> None:
    bench = SettlingBench()
    bench.read_until_settled("")
    for number in range(60):
        bench.read("25a" if number % 2 == 0 else "25a 25b")
    settled = bench.events[-1]
    assert isinstance(settled, StackSettled)
    assert (settled.chips, settled.weak_tags, settled.at_least) == ((25, 25), ("25b",), False)


WEAK: Final = "1:25a 25b,2:25a,"
"""Script with a good chip, and with a chip that answers in one of three readings."""
GOOD: Final = "1:25a 25b,"


def weak_tag_reports(placings: list[str], spot: str = "bet1") -> list[str]:
    """Play stays of chips on a spot. Return each report of a weak tag with the number of the stay."""
    bench, reports = SettlingBench(), []
    bench.read_until_settled("", spot)
    for number, placing in enumerate(placings, start=1):
        events = bench.play(f"{placing * 12}40:", spot)
        reports += [f"{number}: {event_line(event)}" for event in events if isinstance(event, WeakTagFound)]
    return reports


def test_tag_weak_at_three_placings_is_reported() -> None:
    assert weak_tag_reports([WEAK] * 3) == ["3: weak 25b 25"]
    assert weak_tag_reports([WEAK] * 6) == ["3: weak 25b 25", "6: weak 25b 25"]


def test_tag_with_a_good_placing_in_between_is_not_reported_as_weak() -> None:
    assert weak_tag_reports([WEAK, WEAK, GOOD, WEAK, WEAK]) == []
    assert weak_tag_reports([WEAK, WEAK, GOOD, WEAK, WEAK, WEAK]) == ["6: weak 25b 25"]


@pytest.mark.parametrize(
    "placing", ["1:?b,2:,", "1:25b 1a 1b 1c 1d 1e 1f 1g 1h 1i 1j 1k 1l,2:1a 1b 1c 1d 1e 1f 1g 1h 1i 1j 1k 1l,"]
)
def test_unknown_tag_or_tall_stack_is_not_reported_as_weak(placing: str) -> None:
    assert weak_tag_reports([placing] * 4) == []


def test_tag_in_a_heap_is_not_reported_as_weak() -> None:
    assert weak_tag_reports([WEAK] * 4, "pot") == []


def test_allowed_silence_grows_as_answers_become_rarer() -> None:
    silent_reads = [silence_likelihood.silent_reads_until(hits, 20 - hits) for hits in range(20, 3, -1)]
    assert silent_reads == sorted(silent_reads)
    assert (silence_likelihood.silent_reads_until(20, 0), silence_likelihood.silent_reads_until(5, 15)) == (
        REMOVED_READS,
        silence_likelihood.MAX_SILENT_READS,
    )
    assert silence_likelihood.silent_reads_until(2000, 40) == REMOVED_READS


TALL: Final = "1a 1b 1c 1d 1e 1f 1g"


def test_many_weak_tags_settle_as_at_least_without_a_quiet_time() -> None:
    """Let the lower chips of a high stack answer rarely, so that new chips are found again and again."""
    bench, rng = SettlingBench(), Random(3)
    bench.read_until_settled("")
    lower = [f"5{letter}{suffix}" for letter in "abcdefgh" for suffix in "abcde"]
    for _ in range(150):
        bench.read(" ".join([*TALL.split(), *(uid for uid in lower if rng.random() < 0.03)]))
    settled = [event for event in bench.events if isinstance(event, StackSettled) and event.stack]
    assert settled and all(event.at_least for event in settled)


def test_expected_silence_of_a_weak_tag_does_not_cause_at_least() -> None:
    bench = SettlingBench(read_ms=150)
    bench.read_until_settled("")
    bench.play("1:25a 25b,14:25a,1:25a 25b")
    bench.play("26:25a 25c")
    assert event_lines(bench.events)[-1] == "settled 25 25 25"


@pytest.mark.parametrize("misses", [2, 4, 8, 12])
def test_weak_tag_silent_since_most_of_the_stack_left_is_uncertain(misses: int) -> None:
    """Exchange a stack for one larger chip. One tag of the stack was often silent before the exchange."""
    bench = SettlingBench(read_ms=300)
    bench.read_until_settled("")
    bench.play(f"1:5a 5b 5c 5d 1w,{misses}:5a 5b 5c 5d,1:5a 5b 5c 5d 1w,40:25a")
    stacks = [event for event in bench.events if isinstance(event, StackSettled) and event.chips[:1] == (25,)]
    assert stacks[-1].chips == (25,)
    assert all(event.at_least for event in stacks[:-1])


def test_detector_waits_for_weak_tags_before_reporting_at_least() -> None:
    """Show three weak tags for eighteen readings.

    After twelve readings (the motion gap) a fourth weak tag may not have answered yet. After sixteen readings this is
    unlikely.
    """
    bench = SettlingBench(read_ms=100)
    bench.read_until_settled("")
    for number in range(18):
        bench.read("25a 25b 25c 25d" if number % 2 == 0 else "25a")
    stacks = [event for event in bench.events if isinstance(event, StackSettled) and event.stack]
    assert [(event_line(event), event.weak_tags) for event in stacks] == [
        ("settled 25 25 25 25", ("25b", "25c", "25d"))
    ]


def test_pot_that_passed_over_the_spot_does_not_affect_the_next_chips() -> None:
    """Sweep a bet while the pot passes over the spot, so that the chips of the pot answer once.

    The detector has not forgotten these chips yet when it reports the spot as empty.
    """
    bench = SettlingBench(read_ms=250)
    bench.read_until_settled("25c")
    assert event_lines(bench.play("1:25c 5a 5b 5c,20:"))[-2:] == ["provisional", "settled >="]
    assert event_lines(bench.play("9:25a 25b")) == ["active", "provisional 25 25", "settled 25 25"]


def test_partial_reading_causes_at_least_and_counts_no_tag_as_silent() -> None:
    bench = SettlingBench()
    bench.read_until_settled("")
    for _ in range(20):
        bench.read("25a 25b", is_complete=False)
        bench.read("25b 25c", is_complete=False)
    assert event_lines(bench.events)[-2:] == ["provisional 25 25 25 >=", "settled 25 25 25 >="]


def test_chips_that_keep_moving_do_not_settle() -> None:
    bench = SettlingBench()
    bench.read_until_settled("")
    for letter in "abcdefghijklmnop":
        bench.read(f"25{letter}", 12)
    assert "settled" not in " ".join(event_lines(bench.events)[2:])


# --- several spots ---


def spot_lines(events: list[Event]) -> list[str]:
    """Return the events as lines that begin with the spot, without `SpotActive` events."""
    return [f"{event.spot} {event_line(event)}" for event in events if not isinstance(event, SpotActive)]  # type: ignore[union-attr]


def test_tag_under_two_antennas_counts_at_the_first() -> None:
    bench = SettlingBench()
    for name in ("bet1", "bet2"):
        bench.read_until_settled("", name)
    bench.read("25a", 4)
    before = len(bench.events)
    for _ in range(40):
        bench.read("25a", spot="bet2")
        bench.read("25a")
    assert sorted(spot_lines(bench.events[before:])) == ["bet1 settled 25", "bet2 settled"]


@pytest.mark.parametrize("target", ["bet2", "bet5", "pot"])
def test_moved_tag_counts_at_the_new_spot(target: str) -> None:
    bench = SettlingBench()
    bench.read_until_settled("25a")
    bench.read_until_settled("", target)
    before = len(bench.events)
    for _ in range(40):
        bench.read("")
        bench.read("25a", spot=target)
    settled = [line for line in spot_lines(bench.events[before:]) if "settled" in line]
    assert settled == ["bet1 settled", f"{target} settled 25"]


def test_tag_moved_from_a_heap_counts_at_once() -> None:
    """Bet chips of the last pot again, before a reading of the pot shows that these chips have left."""
    bench = SettlingBench()
    bench.read_until_settled("25a 25b", "pot")
    bench.read_until_settled("", "bet5")
    before = len(bench.events)
    bench.read_until_settled("25a 25b", "bet5")
    assert spot_lines(bench.events[before:]) == ["bet5 provisional 25 25", "bet5 settled 25 25"]
    assert bench.detector.settled_tags("pot") is None
    bench.read("", 3, spot="pot")
    assert spot_lines(bench.events[-1:]) == ["pot provisional"]


def test_tag_counts_at_a_bet_spot_until_a_reading_without_it() -> None:
    """Check that a tag stays in its bet when a second spot reads the same UID.

    The second tag may be a copy. The tag leaves the bet when a reading of the bet does not contain the tag.
    """
    bench = SettlingBench()
    bench.read_until_settled("25a 25b", "bet1")
    bench.read_until_settled("", "bet5")
    before = len(bench.events)
    bench.read_until_settled("25a 25c", "bet5")
    assert spot_lines(bench.events[before:]) == ["bet5 provisional 25"]
    bench.read("25b", spot="bet1")
    bench.read_until_settled("25a 25c", "bet5")
    assert spot_lines(bench.events[before:])[1:] == ["bet5 settled 25 25"]


def test_uid_that_keeps_answering_at_two_spots_is_copied() -> None:
    """Check that the tag counts at both spots, and that both stacks are reported as `copied`.

    If the two spots are neighbours, both antennas may read the same chip, so the tag is not reported as copied.
    """
    bench = SettlingBench()
    for name in ("bet1", "bet5"):
        bench.read_until_settled("", name)
    bench.read_until_settled("25a 25b")
    before = len(bench.events)
    for _ in range(40):
        bench.read("25a 25b")
        bench.read("25a 25c", spot="bet5")
    assert spot_lines(bench.events[before:]) == [
        "bet5 provisional 25",
        "bet5 provisional 25 25 >= copied",
        "bet1 settled 25 25 copied",
        "bet5 settled 25 25 copied",
    ]
    for _ in range(40):
        bench.read("25a 25b")
        bench.read("25c", spot="bet5")
    assert spot_lines(bench.events[-4:])[-1] == "bet5 settled 25"


@pytest.mark.parametrize(
    ("apart_reads", "share", "expected"),
    [
        (0, 1, "bet2 settled 25 >="),
        (0, 4, "bet2 settled 25"),
        (12, 1, "bet2 settled 25"),
    ],
    ids=["together", "crosstalk", "long before the chips"],
)
def test_chips_that_arrive_with_a_tag_of_the_neighbour_are_at_least(
    apart_reads: int, share: int, expected: str
) -> None:
    """Let tag 25a land on bet1 and answer at bet2 too, in each reading or only in every fourth one."""
    bench = SettlingBench()
    for name in ("bet1", "bet2"):
        bench.read_until_settled("", name)
    bench.read("25a")
    for number in range(apart_reads + 40):
        at_neighbour = "25a" if number % share == 0 else ""
        bench.read(at_neighbour if number < apart_reads else f"{at_neighbour} 25c", spot="bet2")
        bench.read("25a")
    settled = [line for line in spot_lines(bench.events) if line.startswith("bet2 settled 25")]
    assert settled == [expected]


def test_crosstalk_of_a_neighbour_reports_nothing() -> None:
    bench = SettlingBench()
    bench.read_until_settled("25a", "bet2")
    bench.read_until_settled("5a")
    before = len(bench.events)
    bench.read("5a 25a")
    bench.read("5a", 40)
    assert bench.events[before:] == []


@pytest.mark.parametrize(("tags", "unsure"), [("25a 5a", False), ("25a 100a", True)])
def test_settled_spot_is_unsure_only_after_an_unexplained_tag(tags: str, unsure: bool) -> None:
    bench = SettlingBench()
    bench.read_until_settled("25a")
    bench.read_until_settled("5a", "bet2")
    bench.read(tags)
    assert bench.detector.is_unsure("bet1") is unsure


def test_heap_is_reported_without_activity_or_a_quiet_time() -> None:
    bench, rng = SettlingBench(), Random(1)
    bench.read_until_settled("", "pot")
    before = len(bench.events)
    heap = [f"5{first}{other}" for first in "abcdefghij" for other in "abcdefghij"]
    for _ in range(100):
        bench.read(" ".join(uid for uid in heap if rng.random() < 0.8), spot="pot")
    events = bench.events[before:]
    assert all(isinstance(event, StackProvisional | StackSettled) and event.at_least for event in events)
    last = events[-1]
    assert isinstance(last, StackSettled) and len(last.stack) == len(heap) and len(events) < 6


# --- links ---


@pytest.mark.parametrize(
    ("steps", "is_unreadable"),
    [
        ("30:25a,1!rf-error,5:25a", [False]),
        ("30:25a,2!rf-error,5:25a", [False, True]),
        ("30:25a,9!rf-error,5:25a", [False, True]),
        ("30:25a,1:25a 5a,2!rf-error", [False, False, True]),
        ("5:25a,2!rf-error", [False, True]),
        ("30:25a,2!rf-error,30:25a,2!rf-error", [False, True, True]),
    ],
)
def test_failed_readings_are_reported_as_unreadable(steps: str, is_unreadable: list[bool]) -> None:
    """Check that each series of failed readings gives one event, even if the spot is already active."""
    bench = SettlingBench()
    bench.read("")
    bench.read_until_settled("")
    bench.play(steps)
    assert [event.is_unreadable for event in bench.events if isinstance(event, SpotActive)] == is_unreadable


def test_lost_link_is_reported_offline_at_once_and_only_once() -> None:
    bench = SettlingBench()
    bench.read_until_settled("25a")
    lost = bench.detector.record_link_down(["bet1"], "unplugged", bench.now_us)
    again = bench.detector.record_link_down(["bet1"], "silence", bench.now_us)
    assert (event_lines(lost), again) == (["offline unplugged"], [])


def test_spot_that_was_never_read_goes_offline() -> None:
    bench = SettlingBench()
    assert bench.detector.poll(2_999_999) == []
    offline = spot_lines(bench.detector.poll(3_000_000))
    assert offline == [f"{name} offline no-reading" for name in ("bet1", "bet2", "bet5", "pot")]


def test_restarted_offline_timeout_delays_offline() -> None:
    bench = SettlingBench()
    bench.detector.restart_offline_timeout(["bet1"], 1_000_000)
    assert "bet1 offline no-reading" not in spot_lines(bench.detector.poll(3_000_000))
    bench.detector.restart_offline_timeout(["bet2"], 9_000_000)
    assert spot_lines(bench.detector.poll(9_000_000)) == ["bet1 offline no-reading"]


def test_flapping_cable_is_online_again_when_stable() -> None:
    """Lose and restore the link 200 times within 200 s. Only the first three losses are reported."""
    bench = SettlingBench()
    events: list[Event] = []
    for _ in range(200):
        events += bench.detector.record_link_down(["bet1"], "unplugged", bench.now_us)
        events += bench.read("25a", 1000 // READ_MS)
    words = [word for word in event_lines(events) if word.startswith(("on", "off"))]
    assert words == [*["offline unplugged", "online"] * (MAX_FLAPS - 1), "offline unplugged"]
    back = bench.read("25a", STABLE_ONLINE_US // 1000 // READ_MS)
    assert event_lines(back)[:1] == ["online"]
    # A failed reading restarts the time for which all readings must be good.
    bench.detector.record_link_down(["bet1"], "unplugged", bench.now_us)
    assert not bench.read("25a", 3000 // READ_MS) + bench.fail() + bench.read("25a", 3000 // READ_MS)
    bench.now_ms += FLAPPING_WINDOW_US // 1000
    assert event_lines(bench.read("25a"))[:1] == ["online"]


@pytest.mark.parametrize("fault_ms", [50, 300, 700])
def test_offline_is_reported_within_two_seconds(fault_ms: int) -> None:
    """Check that a spot goes offline in time after two failed readings, whatever the interval between them."""
    bench = SettlingBench()
    for name in ("bet2", "bet5", "pot"):
        bench.read("", spot=name)
    bench.read_until_settled("25a")
    last_good_us = bench.now_us
    for _ in range(2):
        bench.now_ms += fault_ms
        bench.detector.record_fault("bet1", "timeout", bench.now_us)
    deadline_us = bench.detector.next_deadline_us()
    while not (events := bench.detector.poll(deadline_us)):
        assert bench.detector.next_deadline_us() > deadline_us
        deadline_us = bench.detector.next_deadline_us()
    assert spot_lines(events)[0] == "bet1 offline timeout"
    assert deadline_us - last_good_us <= 2_000_000


# --- properties ---

CHIPS: Final = [f"{value}{letter}" for value in (1, 5, 25) for letter in "abcd"]
motions = st.lists(
    st.tuples(st.frozensets(st.sampled_from(CHIPS), max_size=6), st.integers(REMOVED_READS, 40)),
    min_size=1,
    max_size=12,
)


@given(motions=motions, seed=st.integers(0, 2**16), miss=st.sampled_from([0.0, 0.02, 0.05, 0.2]))
@settings(max_examples=100, deadline=None)
def test_settled_chips_were_on_the_spot(motions: list[tuple[frozenset[str], int]], seed: int, miss: float) -> None:
    """Check that each chip of a settled stack was on the spot, unless the stack is reported as "at least".

    Each chip was on the spot in the last readings. It was also there at the beginning of the motion gap, or in the
    readings just before the gap.
    """
    rng, bench = Random(seed), SettlingBench()
    lay: dict[str, int] = {}
    for on_spot, reads in motions:
        for _ in range(reads):
            lay.update(dict.fromkeys(on_spot, bench.now_ms + READ_MS))
            for event in bench.read(" ".join(uid for uid in sorted(on_spot) if rng.random() >= miss)):
                if isinstance(event, StackSettled) and not event.at_least:
                    early_ms = event.at_us // 1000 - GAP_MS
                    assert all(lay[chip.uid] >= early_ms for chip in event.stack)


@given(motions=motions, seed=st.integers(0, 2**16))
@settings(max_examples=100, deadline=None)
def test_final_contents_are_exact_without_noise(motions: list[tuple[frozenset[str], int]], seed: int) -> None:
    bench = SettlingBench()
    for on_spot, reads in motions:
        bench.read(" ".join(on_spot), reads)
    final = motions[-1][0]
    bench.read_until_settled(" ".join(final))
    settled = [event for event in bench.events if isinstance(event, StackSettled)]
    assert settled[-1].chips == tuple(sorted((value_of(uid) for uid in final), reverse=True))
    assert {chip.uid for chip in settled[-1].stack} == final
    assert bench.detector.settled_tags("bet1") == final
    last = max((event.at_us for event in bench.events if isinstance(event, StackProvisional | SpotActive)), default=0)
    assert settled[-1].at_us >= last, "a StackProvisional or SpotActive is not followed by a StackSettled"


@given(motions=motions, seed=st.integers(0, 2**16), miss=st.sampled_from([0.0, 0.02, 0.2]))
@settings(max_examples=50, deadline=None)
def test_spot_is_reported_active_once_until_another_event(
    motions: list[tuple[frozenset[str], int]], seed: int, miss: float
) -> None:
    rng, bench = Random(seed), SettlingBench()
    for on_spot, reads in motions:
        for _ in range(reads):
            bench.read(" ".join(uid for uid in sorted(on_spot) if rng.random() >= miss))
    kinds = [isinstance(event, SpotActive) for event in bench.events]
    assert not any(first and other for first, other in pairwise(kinds))


@given(pattern=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=40, max_size=80))
@settings(max_examples=100, deadline=None)
def test_tag_counts_twice_only_if_copied(pattern: list[tuple[bool, bool]]) -> None:
    bench = SettlingBench()
    for first, other in pattern:
        bench.read("25a" if first else "", spot="bet1")
        bench.read("25a" if other else "", spot="bet5")
        counted = [bench.detector.settled_tags(name) or frozenset() for name in ("bet1", "bet5")]
        copied = bench.events and any(getattr(event, "doubt", "") == "copied" for event in bench.events)
        assert copied or sum("25a" in here for here in counted) <= 1


# --- planted faults ---


def test_planted_fault_counting_one_reading_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_locator, "MIN_PRESENT_READS", 1)
    monkeypatch.setattr(spot_tracker, "MIN_PRESENT_READS", 1)
    monkeypatch.setattr(spot_reporter, "MIN_PROVISIONAL_READS", 1)
    with pytest.raises(AssertionError):
        test_detection_rule("two readings are not enough")


@pytest.mark.parametrize(
    "rule", ["chip added to a provisional stack needs three readings", "two readings are not enough"]
)
def test_planted_fault_two_provisional_readings_are_caught(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot_reporter, "MIN_PROVISIONAL_READS", 2)
    with pytest.raises(AssertionError):
        test_detection_rule(rule)


def test_planted_fault_forgetting_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spot_tracker, "MIN_SILENT_READS", 1)
    monkeypatch.setattr(spot_tracker, "silent_reads_until", lambda *_: 1)
    with pytest.raises(AssertionError):
        test_detection_rule("chips missed after settling are not a change")


def test_planted_fault_counting_a_tag_at_each_spot_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_locator.TagLocator, "counts_here", lambda *_: True)
    with pytest.raises(AssertionError):
        test_tag_under_two_antennas_counts_at_the_first()


def test_planted_fault_dropped_uids_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: events have no UIDs, so that a chip exchanged for an equal chip goes unnoticed."""
    monkeypatch.setattr("hardware.stack_detection.spot_contents.Chip", lambda uid, value: Chip("", value))
    with pytest.raises(AssertionError):
        test_exchanged_tag_of_the_same_kind_is_reported_by_uid("25a 5a", "25b 5a")


# --- chips that fell silent ---


@pytest.mark.parametrize(
    ("script", "fallen_silent"),
    [
        pytest.param("30:,1:25a,40:", ("25a",), id="single answer"),
        pytest.param("30:,6:25a 5a,40:", ("25a", "5a"), id="provisional stack"),
        pytest.param("30:25a,4:25a 5a,40:", ("5a",), id="only the chip that had not settled"),
        pytest.param("30:,1:25a,2!rf-error,40:", (), id="chip under a hand"),
        pytest.param("30:,6:25a,30:25a", (), id="chip that settles"),
        pytest.param("30:,1:25a,3:,30:25a", (), id="chip that answers again"),
        pytest.param("30:,1:?a,40:", (), id="unknown tag"),
    ],
)
def test_settled_stack_names_chips_that_fell_silent(script: str, fallen_silent: tuple[str, ...]) -> None:
    bench = SettlingBench()
    settled = [event for event in bench.play(script) if isinstance(event, StackSettled)]
    assert tuple(chip.uid for chip in settled[-1].fallen_silent) == fallen_silent


def test_chip_that_answers_at_another_spot_did_not_fall_silent() -> None:
    bench = SettlingBench()
    bench.play("30:", "bet5")
    bench.play("30:,1:25a,2:")
    bench.read_until_settled("25a", "bet5")
    settled = [event for event in bench.read("", 40) if isinstance(event, StackSettled)]
    assert [event.fallen_silent for event in settled] == [()]


# --- presence sensors ---


@pytest.mark.parametrize(
    ("is_used", "sensor_ms", "read_ms", "readings", "settled_ms"),
    [
        pytest.param(True, [0], 50, "30:25a 5a", 750, id="noticed"),
        pytest.param(True, [0, 400], 50, "30:25a 5a", 1_100, id="hand stays"),
        pytest.param(True, [0, 1_100], 50, "30:25a 5a", 750, id="hand comes later"),
        pytest.param(True, [0], 200, "10:25a 5a", 1_400, id="few readings"),
        pytest.param(True, [0], 50, "12:25a,30:25a 5a", 1_350, id="second chip later"),
        pytest.param(True, [0], 50, "24:25a,30:25a 5a", 750, id="second chip after the motion"),
        pytest.param(True, [], 50, "30:25a 5a", 1_250, id="not noticed"),
        pytest.param(False, [0], 50, "30:25a 5a", 1_250, id="sensor not used"),
    ],
)
def test_motion_ends_early_only_if_the_sensor_noticed_it_and_readings_agree(
    is_used: bool, sensor_ms: list[int], read_ms: int, readings: str, settled_ms: int
) -> None:
    """Let chips land at 0 ms, and compare the time at which the first stack has settled."""
    bench = SettlingBench()
    bench.read_until_settled("")
    bench.read_ms, start_ms = read_ms, bench.now_ms
    bench.detector.set_presence_sensors({"bet1"} if is_used else set())
    for step in readings.split(","):
        count, _, tags = step.partition(":")
        for _ in range(int(count)):
            if bench.now_ms - start_ms in sensor_ms:
                bench.detector.record_presence_change("bet1", bench.now_us)
            bench.read(tags)
    settled = next(event for event in bench.events if isinstance(event, StackSettled) and event.stack)
    assert settled.at_us // 1_000 - start_ms == settled_ms
