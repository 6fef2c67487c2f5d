"""Many tags at one antenna of a FEIG reader.

A reader with a hundred tags answers late, but is not reported as silent. A reader that does not answer at all is still
reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from firmware_bridge.driver_interface import SILENCE_TIMEOUT_US
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message, ReaderFault
from firmware_bridge.emulators.air_time import AirTimeModel, ModulationDepth
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import RF_RESET_US, FeigEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.feig import FeigDriver
from firmware_bridge.feig.inventory_job import InventoryJob
from firmware_bridge.inventory_timeout import AIR_TIME_PER_TAG_US, MIN_SILENCE_TAGS, STALE_COUNT_US

ANTENNAS = (1, 2, 3, 4)
HEAP = 2
HALF_US = 500_000
TEN_MINUTES = 600
DONE = (InventoryResult, ReaderFault)


@dataclass
class Table:
    """A reader with `heap_size` chips at the antenna `HEAP` and five chips at every other antenna.

    `run` reads the antennas one after the other.
    """

    ask: ModulationDepth = 100
    heap_size: int = 5
    ont: bool = False
    reader_class: type[FeigDriver] = FeigDriver
    tag_counts: dict[int, list[int]] = field(default_factory=lambda: {antenna: [] for antenna in ANTENNAS})
    others: list[LinkDown | LinkUp | ReaderFault] = field(default_factory=list)

    def __post_init__(self) -> None:
        air = AirTimeModel("iso15693", self.ask)
        self.emulator = FeigEmulator(self._field, baud=115_200, air=air, ont=1 if self.ont else 0)
        us_per_tag = AIR_TIME_PER_TAG_US * (1 if self.ask == 100 else 25) // (1 if self.ask == 100 else 10)
        self.reader = self.reader_class("r1", antennas=ANTENNAS, baud=115_200, us_per_tag=us_per_tag)
        self.wire = SimulatedLine(self.reader, self.emulator)
        self.wire.plug()
        self.wire.run_until_message((LinkUp,), 5_000_000)

    def _field(self, antenna: int, now_us: int) -> list[str]:
        return [f"E0{antenna:02X}{n:012X}" for n in range(self.heap_size if antenna == HEAP else 5)]

    def longest_us(self, tags: int) -> int:
        """Return the longest duration of fifty readings with this number of tags, including the transmission."""
        serial_us = (20 + 10 * tags) * 11 * 1_000_000 // 115_200
        return (
            max(AirTimeModel("iso15693", self.ask, seed).inventory_us(tags) for seed in range(50))
            + RF_RESET_US
            + serial_us
        )

    def run(self, seconds: int) -> None:
        end_us = self.wire.now_us + seconds * 1_000_000
        turn = 0
        while self.wire.now_us < end_us:
            antenna = ANTENNAS[turn % len(ANTENNAS)]
            turn += 1
            if not self.reader.is_idle:
                new_messages = self.wire.run_until_message((LinkUp,), end_us)
                self.others += [
                    message for message in new_messages if isinstance(message, LinkDown | LinkUp | ReaderFault)
                ]
                continue
            self.reader.start_inventory(antenna, self.wire.now_us)
            for message in self.wire.run_until_message(DONE, self.wire.now_us + 60_000_000):
                if isinstance(message, InventoryResult):
                    assert message.antenna == antenna
                    assert all(int(tag[2:4], 16) == antenna for tag in message.tags)
                    self.tag_counts[antenna].append(len(message.tags))
                elif isinstance(message, LinkDown | LinkUp | ReaderFault):
                    self.others.append(message)


def check_heap(tags: int, ask: ModulationDepth, seconds: int, reader_class: type[FeigDriver] = FeigDriver) -> None:
    table = Table(ask, heap_size=tags, reader_class=reader_class)
    table.run(seconds)
    assert table.others == []
    assert set(table.tag_counts[HEAP]) == {tags}
    assert all(set(table.tag_counts[antenna]) == {5} for antenna in ANTENNAS if antenna != HEAP)
    assert table.reader.stats.unexpected_frames <= len(table.tag_counts[HEAP]) // 20, "expected few late answers"


@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("tags", [60, 100, 150, 255])
def test_heap_is_read_and_other_antennas_work(tags: int, ask: ModulationDepth) -> None:
    check_heap(tags, ask, TEN_MINUTES)


class HastyReader(FeigDriver):
    """Planted fault: a driver that waits for every answer only as long as a single tag takes."""

    def _advance_job(self, job: InventoryJob, now_us: int) -> None:
        self._timeouts.record_count(job.antenna, 1, now_us)
        super()._advance_job(job, now_us)


def test_planted_fault_fixed_timeout_is_caught() -> None:
    with pytest.raises(AssertionError):
        check_heap(150, 100, 60, HastyReader)


@pytest.mark.parametrize("ask", [100, 10])
def test_heap_that_doubled_between_readings_is_read(ask: ModulationDepth) -> None:
    table = Table(ask, heap_size=50)
    table.run(10)
    for heap_size in (100, 150, 250):
        table.heap_size = heap_size
        table.wire.run_until(table.wire.now_us + STALE_COUNT_US)
        table.reader.start_inventory(HEAP, table.wire.now_us)
        new_messages = table.wire.run_until_message(DONE, table.wire.now_us + 60_000_000)
        assert [len(message.tags) for message in new_messages if isinstance(message, InventoryResult)] == [heap_size]
        table.wire.run_until(table.wire.now_us + 200_000)


@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("tags", [60, 100, 150, 255])
def test_heap_put_down_at_once_times_out_at_most_once(tags: int, ask: ModulationDepth) -> None:
    table = Table(ask)
    table.run(10)
    table.heap_size = tags
    before = len(table.tag_counts[HEAP])
    table.run(30)
    assert set(table.tag_counts[HEAP][before:]) == {tags}
    downs = [message for message in table.others if isinstance(message, LinkDown)]
    assert len(downs) <= (tags > 80 if ask == 100 else tags > 60)
    assert all(isinstance(message, LinkDown | LinkUp) or message.antenna == HEAP for message in table.others)


@pytest.mark.parametrize(("step", "ask"), [(15, 100), (30, 100), (45, 100), (15, 10), (30, 10), (45, 10)])
def test_growing_heap_never_times_out(step: int, ask: ModulationDepth) -> None:
    """Let the heap grow so fast that an answer may arrive after its timeout.

    The driver must still accept the answer.
    """
    table = Table(ask)
    for heap_size in range(5, 250, step):
        table.heap_size = heap_size
        before = len(table.tag_counts[HEAP])
        table.run(8)
        assert set(table.tag_counts[HEAP][before + 1 :]) == {heap_size}
    assert table.others == []


def test_more_tags_than_an_answer_can_contain_are_reported_as_partial() -> None:
    table = Table(heap_size=300)
    new_messages: list[Message] = []
    table.reader.start_inventory(HEAP, table.wire.now_us)
    new_messages += table.wire.run_until_message(DONE, 60_000_000)
    assert [
        (len(message.tags), message.is_complete) for message in new_messages if isinstance(message, InventoryResult)
    ] == [(255, False)]
    table.run(30)
    assert table.others == []


def test_heap_of_long_tags_is_fetched_in_parts() -> None:
    table = Table()
    table.reader.start_inventory(HEAP, table.wire.now_us)
    table.emulator._field = lambda antenna, now_us: [f"E280{n:026X}" for n in range(250)]
    new_messages = table.wire.run_until_message(DONE, 60_000_000)
    assert [
        (len(message.tags), message.is_complete) for message in new_messages if isinstance(message, InventoryResult)
    ] == [(250, True)]
    assert table.emulator.inventory_count == 2


def test_heap_of_once_reported_tags_is_read() -> None:
    table = Table(heap_size=100, ont=True)
    table.run(30)
    assert table.others == []
    assert set(table.tag_counts[HEAP]) == {100}


@pytest.mark.parametrize(
    ("heap_size", "ask"), [(5, 100), (20, 100), (60, 100), (100, 100), (255, 100), (5, 10), (100, 10)]
)
def test_silent_reader_is_reported_within_its_reading_and_half_a_second(heap_size: int, ask: ModulationDepth) -> None:
    table = Table(ask, heap_size=heap_size)
    table.run(10)
    longest_us = table.longest_us(heap_size)
    for antenna in ANTENNAS:
        start_us = table.wire.now_us
        table.reader.start_inventory(antenna, start_us)
        table.emulator.silence(start_us + 20_000_000)
        new_messages = table.wire.run_until_message((LinkDown,), start_us + 20_000_000)
        reading_us = longest_us if antenna == HEAP else table.longest_us(5)
        half_us = HALF_US if ask == 100 else HALF_US * 5 // 2
        most_us = max(SILENCE_TIMEOUT_US, reading_us + half_us, 0 if ask == 100 else table.longest_us(MIN_SILENCE_TAGS))
        assert new_messages[-1].at_us - start_us <= most_us * 1.15
        table.emulator._deaf_until_us = 0
        table.run(15)


def test_lost_request_costs_little_time() -> None:
    """Check that a lost request is noticed soon, although a reader with a heap may be silent for longer."""
    table = Table(heap_size=100)
    table.run(10)
    for antenna, most_us in ((1, 700_000), (HEAP, 3_000_000)):
        table.emulator.inject(Fault("silence"))
        start_us = table.wire.now_us
        table.reader.start_inventory(antenna, start_us)
        new_messages = table.wire.run_until_message(DONE, start_us + 10_000_000)
        assert isinstance(new_messages[-1], InventoryResult)
        assert table.wire.now_us - start_us < most_us
