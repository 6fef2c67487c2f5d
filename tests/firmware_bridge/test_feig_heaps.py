"""Heaps of tags: a reader that reads a hundred is slow, not silent, and a silent one is told all the same."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from firmware_bridge.emulators.air import Air, Ask
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import RF_RESET_US, FeigEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.feig import FeigReader
from firmware_bridge.feig.job import Job
from firmware_bridge.link import SILENCE_US
from firmware_bridge.messages import LinkDown, LinkUp, Message, ReaderFault, TagsSeen
from firmware_bridge.patience import GROWTH, OLD_US, US_PER_TAG

ANTENNAS = (1, 2, 3, 4)
HEAP = 2
HALF_US = 500_000
TEN_MINUTES = 600
DONE = (TagsSeen, ReaderFault)


@dataclass
class Table:
    """Five chips at each antenna, and at `HEAP` what `lying` says; read in turn."""

    ask: Ask = 100
    lying: int = 5
    ont: bool = False
    reader_class: type[FeigReader] = FeigReader
    seen: dict[int, list[int]] = field(default_factory=lambda: {antenna: [] for antenna in ANTENNAS})
    others: list[LinkDown | LinkUp | ReaderFault] = field(default_factory=list)

    def __post_init__(self) -> None:
        air = Air("iso15693", self.ask)
        self.emulator = FeigEmulator(self._field, baud=115_200, air=air, ont=1 if self.ont else 0)
        us_per_tag = US_PER_TAG * (1 if self.ask == 100 else 25) // (1 if self.ask == 100 else 10)
        self.reader = self.reader_class("r1", antennas=ANTENNAS, baud=115_200, us_per_tag=us_per_tag)
        self.wire = Wire(self.reader, self.emulator)
        self.wire.plug()
        self.wire.run_until_message((LinkUp,), 5_000_000)

    def _field(self, antenna: int, now_us: int) -> list[str]:
        return [f"E0{antenna:02X}{n:012X}" for n in range(self.lying if antenna == HEAP else 5)]

    def longest_us(self, tags: int) -> int:
        """The longest of many readings of so many tags, to the last byte."""
        serial_us = (20 + 10 * tags) * 11 * 1_000_000 // 115_200
        return max(Air("iso15693", self.ask, seed).inventory_us(tags) for seed in range(50)) + RF_RESET_US + serial_us

    def run(self, seconds: int) -> None:
        end_us = self.wire.now_us + seconds * 1_000_000
        turn = 0
        while self.wire.now_us < end_us:
            antenna = ANTENNAS[turn % len(ANTENNAS)]
            turn += 1
            if not self.reader.idle:
                told = self.wire.run_until_message((LinkUp,), end_us)
                self.others += [message for message in told if isinstance(message, LinkDown | LinkUp | ReaderFault)]
                continue
            self.reader.inventory(antenna, self.wire.now_us)
            for message in self.wire.run_until_message(DONE, self.wire.now_us + 60_000_000):
                if isinstance(message, TagsSeen):
                    assert message.antenna == antenna
                    assert all(int(tag[2:4], 16) == antenna for tag in message.tags)
                    self.seen[antenna].append(len(message.tags))
                elif isinstance(message, LinkDown | LinkUp | ReaderFault):
                    self.others.append(message)


def heap(tags: int, ask: Ask, seconds: int, reader_class: type[FeigReader] = FeigReader) -> None:
    table = Table(ask, lying=tags, reader_class=reader_class)
    table.run(seconds)
    assert table.others == []
    assert set(table.seen[HEAP]) == {tags}
    assert all(set(table.seen[antenna]) == {5} for antenna in ANTENNAS if antenna != HEAP)
    assert table.reader.stats.unexpected <= len(table.seen[HEAP]) // 20, "late answers are rare"


@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("tags", [60, 100, 150, 255])
def test_a_heap_is_read_and_the_others_go_on(tags: int, ask: Ask) -> None:
    heap(tags, ask, TEN_MINUTES)


class HastyReader(FeigReader):
    """The planted fault: gives every antenna the time of one with a single tag."""

    def _advance_job(self, job: Job, now_us: int) -> None:
        self._patience.seen(job.antenna, 1, now_us)
        super()._advance_job(job, now_us)


def test_a_planted_fixed_timeout_is_caught() -> None:
    with pytest.raises(AssertionError):
        heap(150, 100, 60, HastyReader)


@pytest.mark.parametrize("ask", [100, 10])
def test_a_heap_that_is_read_seldom_may_have_doubled(ask: Ask) -> None:
    table = Table(ask, lying=50)
    table.run(10)
    for lying in (100, 150, 250):
        table.lying = lying
        table.wire.run_until(table.wire.now_us + OLD_US)
        table.reader.inventory(HEAP, table.wire.now_us)
        told = table.wire.run_until_message(DONE, table.wire.now_us + 60_000_000)
        assert [len(message.tags) for message in told if isinstance(message, TagsSeen)] == [lying]
        table.wire.run_until(table.wire.now_us + 200_000)


@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("tags", [60, 100, 150, 255])
def test_a_heap_put_down_at_once_is_silence_once_at_most(tags: int, ask: Ask) -> None:
    table = Table(ask)
    table.run(10)
    table.lying = tags
    before = len(table.seen[HEAP])
    table.run(30)
    assert set(table.seen[HEAP][before:]) == {tags}
    downs = [message for message in table.others if isinstance(message, LinkDown)]
    assert len(downs) <= (tags > 80 if ask == 100 else tags > 60)
    assert all(isinstance(message, LinkDown | LinkUp) or message.antenna == HEAP for message in table.others)


@pytest.mark.parametrize(("step", "ask"), [(15, 100), (30, 100), (45, 100), (15, 10), (30, 10), (45, 10)])
def test_a_heap_that_grows_is_never_silence(step: int, ask: Ask) -> None:
    """Also by more than the answer is waited for: what comes late is taken."""
    table = Table(ask)
    for lying in range(5, 250, step):
        table.lying = lying
        before = len(table.seen[HEAP])
        table.run(8)
        assert set(table.seen[HEAP][before + 1 :]) == {lying}
    assert table.others == []


def test_more_than_an_answer_can_name_is_told_in_part() -> None:
    table = Table(lying=300)
    told: list[Message] = []
    table.reader.inventory(HEAP, table.wire.now_us)
    told += table.wire.run_until_message(DONE, 60_000_000)
    assert [(len(each.tags), each.whole) for each in told if isinstance(each, TagsSeen)] == [(255, False)]
    table.run(30)
    assert table.others == []


def test_a_heap_of_long_tags_is_fetched_in_parts() -> None:
    table = Table()
    table.reader.inventory(HEAP, table.wire.now_us)
    table.emulator._field = lambda antenna, now_us: [f"E280{n:026X}" for n in range(250)]
    told = table.wire.run_until_message(DONE, 60_000_000)
    assert [(len(each.tags), each.whole) for each in told if isinstance(each, TagsSeen)] == [(250, True)]
    assert table.emulator.inventories == 2


def test_a_heap_with_once_reported_tags() -> None:
    table = Table(lying=100, ont=True)
    table.run(30)
    assert table.others == []
    assert set(table.seen[HEAP]) == {100}


@pytest.mark.parametrize(("lying", "ask"), [(5, 100), (20, 100), (60, 100), (100, 100), (255, 100), (5, 10), (100, 10)])
def test_a_silent_reader_is_told_within_its_reading_and_half_a_second(lying: int, ask: Ask) -> None:
    table = Table(ask, lying=lying)
    table.run(10)
    longest_us = table.longest_us(lying)
    for antenna in ANTENNAS:
        start_us = table.wire.now_us
        table.reader.inventory(antenna, start_us)
        table.emulator.silence(start_us + 20_000_000)
        told = table.wire.run_until_message((LinkDown,), start_us + 20_000_000)
        reading_us = longest_us if antenna == HEAP else table.longest_us(5)
        half_us = HALF_US if ask == 100 else HALF_US * 5 // 2
        most_us = max(SILENCE_US, reading_us + half_us, 0 if ask == 100 else table.longest_us(GROWTH))
        assert told[-1].at_us - start_us <= most_us * 1.15
        table.emulator._deaf_until_us = 0
        table.run(15)


def test_a_lost_request_costs_little() -> None:
    """Silence is told late with a heap about; a request that noise ate is found out after the usual time."""
    table = Table(lying=100)
    table.run(10)
    for antenna, most_us in ((1, 700_000), (HEAP, 3_000_000)):
        table.emulator.inject(Fault("silence"))
        start_us = table.wire.now_us
        table.reader.inventory(antenna, start_us)
        told = table.wire.run_until_message(DONE, start_us + 10_000_000)
        assert isinstance(told[-1], TagsSeen)
        assert table.wire.now_us - start_us < most_us
