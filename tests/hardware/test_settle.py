"""Readings -> what lies there: the rules as tables, then properties over random motions and random misses."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import settle
from hardware.chips import Kind
from hardware.events import Chip, Event, StackComplete, StackSeen, TrayOffline, TrayOnline
from hardware.settle import GONE_READS, Settling, Times

GAP_MS = 1_200
READ_MS = 50
HEIGHT = 6


class House:
    """Test tags: "25a" is a chip of 25, "@all-in2" is a lammer, "?a" is a stranger, "-a" is ignored."""

    def denomination(self, uid: str) -> int | None:
        digits = uid.rstrip("abcdefghijklmnopqrstuvwxyz")
        return int(digits) if digits.isdigit() else None

    def lammer(self, uid: str) -> str | None:
        return uid[1:].rstrip("123456789") if uid.startswith("@") else None

    def kind(self, uid: str) -> Kind:
        if self.denomination(uid) is not None:
            return "chip"
        kinds: dict[str, Kind] = {"@": "lammer", "-": "ignored", "?": "unknown"}
        return kinds[uid[0]]


HOUSE = House()


def value_of(uid: str) -> int:
    return HOUSE.denomination(uid) or 0


@dataclass
class Bench:
    """Two spots that are read by hand."""

    settling: Settling = field(default_factory=lambda: Settling([("bet1", HEIGHT), ("bet2", HEIGHT)], HOUSE, Times()))
    now_ms: int = 0
    events: list[Event] = field(default_factory=list)

    def read(self, tags: str, times: int = 1, spot: str = "bet1", every_ms: int = READ_MS) -> list[Event]:
        return self._do(times, every_ms, lambda: self.settling.reading(spot, reading(tags), self.now_ms * 1000))

    def fail(self, times: int = 1, code: str = "rf-error", spot: str = "bet1") -> list[Event]:
        return self._do(times, READ_MS, lambda: self.settling.fault(spot, code, self.now_ms * 1000))

    def _do(self, times: int, every_ms: int, act) -> list[Event]:  # type: ignore[no-untyped-def]
        told: list[Event] = []
        for _ in range(times):
            self.now_ms += every_ms
            told += act()
        self.events += told
        return told

    def quiet(self, tags: str, spot: str = "bet1") -> list[Event]:
        """Read until the motion gap is over."""
        return self.read(tags, GAP_MS // READ_MS + 4, spot)


def reading(tags: str) -> tuple[str, ...]:
    return tuple(sorted(tags.split()))


def short(event: Event) -> str:
    """Events in a line: `seen 25 5`, `complete 25 5 @button ?1 >=`, `online` …"""
    match event:
        case StackSeen() | StackComplete():
            word = "seen" if isinstance(event, StackSeen) else "complete"
            pieces = [*map(str, event.chips), *(f"@{name}" for name in event.lammers)]
            pieces += ([f"?{event.unknown}"] if event.unknown else []) + ([">="] if event.at_least else [])
            return " ".join([word, *pieces])
        case TrayOffline():
            return f"offline {event.reason}"
        case TrayOnline():
            return "online"
    return str(event)


def told(events: list[Event]) -> list[str]:
    return [short(event) for event in events]


READS_OF_GAP = GAP_MS // READ_MS + 4
RULES = {
    "an empty spot is told once": (["30:"], ["online", "complete"]),
    "seen at the third equal reading": (["30:", "3:25a 5a"], ["online", "complete", "seen 25 5"]),
    "two readings are not enough": (["30:", "2:25a 5a"], ["online", "complete"]),
    "complete after the motion gap": (
        ["30:", "30:25a 5a"],
        ["online", "complete", "seen 25 5", "complete 25 5"],
    ),
    "not complete within the motion gap": (["30:", "24:25a"], ["online", "complete", "seen 25"]),
    "a single ghost is nothing": (["30:", "1:25a", "30:"], ["online", "complete"]),
    "one miss is not a motion": (
        ["30:", "10:25a 5a", "1:25a", "30:25a 5a"],
        ["online", "complete", "seen 25 5", "complete 25 5"],
    ),
    "a miss after completion is nothing": (
        ["30:", "30:25a", f"{GONE_READS - 1}:", "30:25a"],
        ["online", "complete", "seen 25", "complete 25"],
    ),
    "gone after enough readings without": (
        ["30:", "30:25a", f"{GONE_READS}:"],
        ["online", "complete", "seen 25", "complete 25", "seen"],
    ),
    "a second motion starts the gap again": (
        ["30:", "20:25a", "20:25a 25b", "10:25a 25b"],
        ["online", "complete", "seen 25", "seen 25 25 >=", "complete 25 25"],
    ),
    "chips cut back out are not bet": (
        ["30:", "10:25a 25b 25c", "30:25a"],
        ["online", "complete", "seen 25 25 25", "seen 25", "complete 25"],
    ),
    "put and taken back within the gap is told as it came and went": (
        ["30:", "6:25a", "30:"],
        ["online", "complete", "seen 25", "seen", "complete"],
    ),
    "change for the same value is a change": (
        ["30:", "30:100a", "30:25a 25b 25c 25d"],
        ["online", "complete", "seen 100", "complete 100", "seen 25 25 25 25", "complete 25 25 25 25"],
    ),
    "a chip for its like is told as complete only": (
        ["30:", "30:25a", "30:25b"],
        ["online", "complete", "seen 25", "complete 25", "complete 25"],
    ),
    "a chip for its like that is taken back is nothing": (
        ["30:", "30:25a", "10:25b", "30:25a"],
        ["online", "complete", "seen 25", "complete 25"],
    ),
    "chips added to the like of what was there are added": (
        ["30:", "10:25a", "10:25b 25c", "30:25b 25c"],
        ["online", "complete", "seen 25", "seen 25 25 >=", "complete 25 25"],
    ),
    "above the sure height the tray says at least": (
        ["30:", "30:1a 1b 1c 1d 1e 1f 1g"],
        ["online", "complete", "seen 1 1 1 1 1 1 1 >=", "complete 1 1 1 1 1 1 1 >="],
    ),
    "up to the sure height it does not": (
        ["30:", "30:1a 1b 1c 1d 1e 1f"],
        ["online", "complete", "seen 1 1 1 1 1 1", "complete 1 1 1 1 1 1"],
    ),
    "strangers are told and not valued": (
        ["30:", "30:25a ?a ?b"],
        ["online", "complete", "seen 25 ?2", "complete 25 ?2"],
    ),
    "a stranger that goes is a change": (
        ["30:", "30:25a ?a", "30:25a"],
        ["online", "complete", "seen 25 ?1", "complete 25 ?1", "seen 25", "complete 25"],
    ),
    "a stranger for another is told as complete only": (
        ["30:", "30:?a", "30:?b"],
        ["online", "complete", "seen ?1", "complete ?1", "complete ?1"],
    ),
    "ignored tags are nothing": (["30:", "30:-a -b"], ["online", "complete"]),
    "a lammer is told by its name": (["30:", "30:@button"], ["online", "complete", "seen @button", "complete @button"]),
    "a lammer that comes and goes is a change": (
        ["30:", "30:25a", "30:25a @rock", "30:25a"],
        [
            "online",
            "complete",
            "seen 25",
            "complete 25",
            "seen 25 @rock",
            "complete 25 @rock",
            "seen 25",
            "complete 25",
        ],
    ),
    "a lammer for another is a change": (
        ["30:", "30:@rock", "30:@kill"],
        ["online", "complete", "seen @rock", "complete @rock", "seen @kill", "complete @kill"],
    ),
    "a lammer laid to chips in motion adds nothing to them": (
        ["30:", "10:25a", "30:25a @button"],
        ["online", "complete", "seen 25", "seen 25 @button", "complete 25 @button"],
    ),
    "chips put beside a lammer in motion are the first": (
        ["30:", "10:@button", "30:25a @button"],
        ["online", "complete", "seen @button", "seen 25 @button", "complete 25 @button"],
    ),
    "one failed reading is no motion": (
        ["30:", "12:25a", "1!timeout", "13:25a"],
        ["online", "complete", "seen 25", "complete 25"],
    ),
    "a hand over the antenna starts the gap again": (
        ["30:", "12:25a", "4!rf-error", "20:25a"],
        ["online", "complete", "seen 25"],
    ),
    "faults are not an empty spot": (
        ["30:", "30:25a", "20!rf-error", "30:25a"],
        ["online", "complete", "seen 25", "complete 25"],
    ),
    "offline after too long without a good reading": (
        ["30:", "30:25a", "31!rf-warning"],
        ["online", "complete", "seen 25", "complete 25", "offline rf-warning"],
    ),
    "back online, the same contents are told once as complete": (
        ["30:", "30:25a", "31!rf-error", "30:25a"],
        ["online", "complete", "seen 25", "complete 25", "offline rf-error", "online", "complete 25"],
    ),
    "back online, other contents are told as they are": (
        ["30:", "30:25a", "31!rf-error", "30:5a 5b"],
        [
            "online",
            "complete",
            "seen 25",
            "complete 25",
            "offline rf-error",
            "online",
            "seen 5 5",
            "complete 5 5",
        ],
    ),
    "back online, taken away meanwhile": (
        ["30:", "30:25a", "31!rf-error", "30:"],
        ["online", "complete", "seen 25", "complete 25", "offline rf-error", "online", "seen", "complete"],
    ),
}


@pytest.mark.parametrize("rule", RULES, ids=list(RULES))
def test_rule(rule: str) -> None:
    steps, expected = RULES[rule]
    bench = Bench()
    for step in steps:
        if "!" in step:
            count, code = step.split("!")
            bench.fail(int(count), code)
        else:
            count, tags = step.split(":")
            bench.read(tags, int(count))
    assert told([event for event in bench.events if event.spot == "bet1"]) == expected  # type: ignore[union-attr]


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


def test_a_weak_chip_makes_the_tray_say_at_least() -> None:
    bench = Bench()
    bench.quiet("")
    for number in range(60):
        bench.read("25a" if number % 3 == 0 else "25a 25b")
    assert told(bench.events)[2:] == ["seen 25 25", "complete 25 25 >="]


TALL = "1a 1b 1c 1d 1e 1f 1g"


def test_a_tall_stack_that_is_never_quiet_is_told_as_at_least() -> None:
    """Its deepest chip goes and comes back; once told, that changes nothing more, a real motion does."""
    bench = Bench()
    bench.quiet("")
    for _ in range(10):
        bench.read(f"{TALL} 25a", 5)
        bench.read(TALL, 6)
    assert told(bench.events)[-1].startswith("complete") and told(bench.events)[-1].endswith(">=")
    before = len(bench.events)
    for _ in range(10):
        bench.read(f"{TALL} 25a", 5)
        bench.read(TALL, 6)
    assert bench.events[before:] == []
    bench.quiet(f"{TALL} 100a")
    assert told(bench.events)[-1] == "complete 100 1 1 1 1 1 1 1 >="
    bench.quiet("1a")
    assert told(bench.events)[-1] == "complete 1"


def test_a_tall_stack_that_comes_to_rest_is_told_as_it_rests() -> None:
    bench = Bench()
    bench.quiet("")
    for _ in range(12):
        bench.read(f"{TALL} 25a", 5)
        bench.read(TALL, 6)
    for tags, expected in (
        (f"{TALL} 25a", "complete 25 1 1 1 1 1 1 1 >="),
        (TALL, "complete 1 1 1 1 1 1 1 >="),
    ):
        bench.quiet(tags)
        assert told(bench.events)[-1] == expected


def test_hands_that_keep_moving_chips_are_not_complete() -> None:
    bench = Bench()
    bench.quiet("")
    for letter in "abcdefghijklmnop":
        bench.read(f"25{letter}", 12)
    assert "complete" not in " ".join(told(bench.events)[2:])


def test_a_tag_under_two_antennas_counts_where_it_was_first() -> None:
    bench = Bench()
    for spot in ("bet1", "bet2"):
        bench.quiet("", spot)
    bench.read("25a", 4)
    for _ in range(40):
        bench.read("25a", spot="bet2")
        bench.read("25a")
    assert [(event.spot, short(event)) for event in bench.events[4:]] == [  # type: ignore[union-attr]
        ("bet1", "seen 25"),
        ("bet1", "complete 25"),
    ]
    assert bench.settling.ambiguous("bet1") == bench.settling.ambiguous("bet2") == {"25a"}


def test_a_tag_that_moves_is_counted_at_the_new_place_once_the_old_one_lost_it() -> None:
    bench = Bench()
    bench.quiet("25a")
    bench.quiet("", "bet2")
    before = len(bench.events)
    for _ in range(40):
        bench.read("", spot="bet1")
        bench.read("25a", spot="bet2")
    spots = [(event.spot, short(event)) for event in bench.events[before:]]  # type: ignore[union-attr]
    assert spots == [("bet1", "seen"), ("bet2", "seen 25"), ("bet1", "complete"), ("bet2", "complete 25")]


def test_a_lost_link_is_offline_at_once_and_told_once() -> None:
    bench = Bench()
    bench.quiet("25a")
    lost = bench.settling.lost(["bet1"], "unplugged", bench.now_ms * 1000)
    again = bench.settling.lost(["bet1"], "silence", bench.now_ms * 1000)
    assert told(lost) == ["offline unplugged"]
    assert again == []


def test_a_spot_that_was_never_read_goes_offline_in_time() -> None:
    bench = Bench()
    assert bench.settling.tick(2_999_999) == []
    assert [(event.spot, short(event)) for event in bench.settling.tick(3_000_000)] == [  # type: ignore[union-attr]
        ("bet1", "offline no-reading"),
        ("bet2", "offline no-reading"),
    ]


@pytest.mark.parametrize("fault_ms", [50, 300, 700])
def test_offline_is_known_within_two_seconds(fault_ms: int) -> None:
    """However slowly failures come in, as long as there are two of them: the deadline itself tells."""
    bench = Bench()
    bench.quiet("25a")
    bench.read("", spot="bet2")
    last_good_us = bench.now_ms * 1000
    for _ in range(2):
        bench.now_ms += fault_ms
        bench.events += bench.settling.fault("bet1", "timeout", bench.now_ms * 1000)
    deadline_us = bench.settling.next_deadline_us()
    while not (events := bench.settling.tick(deadline_us)):
        assert bench.settling.next_deadline_us() > deadline_us
        deadline_us = bench.settling.next_deadline_us()
    assert told(events) == ["offline timeout"]
    assert deadline_us - last_good_us <= 2_000_000


CHIPS = [f"{value}{letter}" for value in (1, 5, 25) for letter in "abcd"]
motions = st.lists(
    st.tuples(st.frozensets(st.sampled_from(CHIPS), max_size=6), st.integers(GONE_READS, 40)),
    min_size=1,
    max_size=12,
)


@given(motions=motions, seed=st.integers(0, 2**16), miss=st.sampled_from([0.0, 0.02, 0.05, 0.2]))
@settings(max_examples=150, deadline=None)
def test_complete_contents_were_there_for_the_gap(
    motions: list[tuple[frozenset[str], int]], seed: int, miss: float
) -> None:
    """Nothing is made up, whatever was missed: what is told without "at least" lay there for the whole gap.
    (A chip that is lifted for less
    than GONE_READS readings is not seen to be away.)"""
    rng = Random(seed)
    bench = Bench()
    history: list[tuple[int, frozenset[str]]] = []
    for lying, reads in motions:
        for _ in range(reads):
            answered = frozenset(uid for uid in sorted(lying) if rng.random() >= miss)
            events = bench.read(" ".join(answered))
            history.append((bench.now_ms, lying))
            for event in events:
                if isinstance(event, StackComplete) and not event.at_least:
                    start_ms = event.at_us // 1000 - GAP_MS
                    during = [there for at_ms, there in history if at_ms >= start_ms]
                    for value in set(event.chips):
                        count = event.chips.count(value)
                        for there in during[1 : -settle.GONE_READS] or during[:1]:
                            assert sum(value_of(uid) == value for uid in there) >= count


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
    last_seen = max((e.at_us for e in bench.events if isinstance(e, StackSeen)), default=0)
    assert complete[-1].at_us > last_seen, "every StackSeen is followed by a StackComplete"


@given(
    owner=st.sampled_from(["bet1", "bet2"]),
    pattern=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=40, max_size=80),
)
@settings(max_examples=100, deadline=None)
def test_a_tag_is_never_counted_twice(owner: str, pattern: list[tuple[bool, bool]]) -> None:
    bench = Bench()
    stacks = {"bet1": 0, "bet2": 0}
    for one, other in pattern:
        bench.read("25a" if one else "", spot="bet1")
        bench.read("25a" if other else "", spot="bet2")
        counted = [bench.settling.settled(spot) or frozenset() for spot in stacks]
        assert sum("25a" in here for here in counted) <= 1


def test_planted_fault_counting_the_first_reading_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A settling that believes a single reading tells the ghost: the rule table must not pass."""
    monkeypatch.setattr(settle, "SEEN_READS", 1)
    monkeypatch.setattr(settle, "HERE_READS", 1)
    with pytest.raises(AssertionError):
        test_rule("two readings are not enough")


def test_planted_fault_forgetting_at_once_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "GONE_READS", 1)
    with pytest.raises(AssertionError):
        test_rule("a miss after completion is nothing")
