"""Requirements for the driver of every reader, independent of its protocol. Each test runs for every reader."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.driver_interface import DOWN_SILENCE, DOWN_UNPLUGGED, SERIAL_GAP_TIMEOUT_US, LinkNotReadyError
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message, ReaderFault
from firmware_bridge.emulators.air_time import ModulationDepth
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.feig import FeigDriver
from firmware_bridge.feig_framing import Frame
from firmware_bridge.inventory_timeout import MIN_SILENCE_TAGS, TALL_STACK_TAGS
from firmware_bridge.pepper import PepperDriver
from firmware_bridge.pepper import frames as pepper_frames
from firmware_bridge.retry_policy import MAX_ATTEMPTS, MAX_FAILURES_BEFORE_RESET
from tests.firmware_bridge.reader_bench import (
    ANTENNAS,
    READERS,
    STRAY_TAG,
    TIMEOUT_US,
    US_PER_TAG,
    ReaderBench,
    ReaderName,
    reader_bench,
    splitter_of,
    stray_answer,
    tags_of,
)

readers = pytest.mark.parametrize("name", READERS)
SOON_US = 1_000_000
"""Maximum time, in µs, until a silent reader is reported if the reader cannot be busy with many tags."""
LATE_US = 500_000
"""Maximum time, in µs, until a silent reader is reported if the reader may be busy with many tags. The time begins when
the longest possible reading would be over."""
SWEPT_POT_US = MIN_SILENCE_TAGS * US_PER_TAG[100]


@readers
def test_handshake_brings_the_link_up(name: ReaderName) -> None:
    table = reader_bench(name)
    table.connect()
    assert table.messages == [LinkUp("r1", table.wire.now_us)]
    assert table.reader.version
    assert table.reader.antennas == ANTENNAS
    assert table.wire.now_us < 50_000


@readers
@pytest.mark.parametrize("count", [0, 1, 5, 20, 60, 100, 255])
def test_all_tags_are_reported_once_and_in_order(name: ReaderName, count: int) -> None:
    table = reader_bench(name, count)
    table.tags_at = lambda antenna: [*reversed(tags_of(antenna, count)), *tags_of(antenna, count)]
    table.connect()
    assert table.read_tags(2) == tuple(tags_of(2, count))
    assert table.emulator.inventory_count == 1
    assert (table.reader.stats.retries, table.reader.stats.timeouts) == (0, 0)


@readers
@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("count", [60, 255])
def test_heap_takes_no_reader_down(name: ReaderName, ask: ModulationDepth, count: int) -> None:
    """Put a heap on one antenna before the first reading. The other antennas are still read, and the link stays up."""
    table = reader_bench(name, ask=ask, seed=count)
    table.tags_at = lambda antenna: tags_of(antenna, count if antenna == 2 else 5)
    table.connect()
    for antenna in (1, 2, 3, 2, 1, 2):
        assert len(table.read_tags(antenna)) == (count if antenna == 2 else 5)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]
    assert table.reader.stats.retries == 0


@readers
@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("count", [40, 60])
def test_heap_landing_at_once_is_read(name: ReaderName, ask: ModulationDepth, count: int) -> None:
    table = reader_bench(name, 0, ask=ask)
    table.connect()
    assert table.read_tags(1) == ()
    table.tags_at = lambda antenna: tags_of(antenna, count)
    assert len(table.read_tags(1)) == count
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_unplugging_in_any_state_ends_the_inventory(name: ReaderName) -> None:
    """Unplug the cable after each step of a handshake and of two inventories. Plug it in again each time."""
    steps = 0
    while True:
        table = reader_bench(name, 2)
        new_messages = table.wire.plug()
        asked = 0
        for _ in range(steps):
            if table.reader.is_idle and asked < 2:
                asked += 1
                table.reader.start_inventory(asked, table.wire.now_us)
            new_messages += table.wire.step(TIMEOUT_US)
        open_job = asked - sum(isinstance(m, InventoryResult) for m in new_messages)
        was_up = table.reader.is_up
        last = table.wire.unplug()
        ends = [ReaderFault("r1", asked, "timeout", table.wire.now_us)] if open_job else []
        assert last == [*ends, LinkDown("r1", DOWN_UNPLUGGED, table.wire.now_us)]
        assert (table.reader.is_up, table.reader.is_idle, table.reader.next_deadline_us()) == (False, False, None)
        assert table.wire.unplug() == []
        table.connect()
        assert table.read_tags(3) == tuple(tags_of(3, 2))
        if was_up and asked == 2 and not open_job:
            return
        steps += 1


@readers
@pytest.mark.parametrize("after_us", range(0, 400_000, 37_000))
def test_silent_reader_is_reported(name: ReaderName, after_us: int) -> None:
    """Let the reader fall silent at a given moment while all antennas are read in turn.

    Each inventory must have a result, and all antennas must work again afterwards.
    """
    table = reader_bench(name)
    table.connect()
    for antenna in ANTENNAS:
        table.read_tags(antenna)
    start_us = table.wire.now_us
    until_us, asked, ended = start_us + after_us, 0, 0
    table.emulator.silence(0)
    new_messages = list[object]()
    while not any(isinstance(m, LinkDown) for m in new_messages):
        if table.wire.now_us >= until_us:
            table.emulator.silence(until_us + 3_000_000)
        if table.reader.is_idle:
            asked += 1
            table.reader.start_inventory(1 + asked % 3, table.wire.now_us)
        new = table.wire.step(until_us if table.wire.now_us < until_us else TIMEOUT_US)
        ended += sum(isinstance(m, InventoryResult | ReaderFault) for m in new)
        new_messages += new
    assert asked == ended
    assert new_messages[-1] == LinkDown("r1", DOWN_SILENCE, table.wire.now_us)
    assert table.wire.now_us - until_us <= SOON_US + 100_000
    back = table.wire.run_until_message((LinkUp,), TIMEOUT_US)
    assert [type(m) for m in back] == [LinkUp]
    assert table.wire.now_us - (until_us + 3_000_000) < LATE_US
    assert table.read_tags(1)


@readers
def test_silence_during_a_heap_is_reported_after_its_longest_reading(name: ReaderName) -> None:
    table = reader_bench(name, 100)
    table.connect()
    start_us = table.wire.now_us
    table.read_tags(1)
    longest_us = table.wire.now_us - start_us
    table.reader.start_inventory(1, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + 30_000)
    start_us = table.wire.now_us
    table.wire.corrupt_to_host = lambda data: []
    new_messages = table.wire.run_until_message((LinkDown,), TIMEOUT_US)
    assert [type(m) for m in new_messages] == [ReaderFault, LinkDown]
    assert table.wire.now_us - start_us < longest_us + LATE_US + SWEPT_POT_US


@readers
def test_reader_that_never_answers_is_reported_down_once(name: ReaderName) -> None:
    table = reader_bench(name)
    table.emulator.silence(TIMEOUT_US)
    table.messages += table.wire.plug()
    table.messages += table.wire.run_until(10_000_000)
    table.messages += table.wire.unplug()
    assert [type(m) for m in table.messages] == [LinkDown]


FAULTS = [
    Fault("rf-error"),
    Fault("rf-warning"),
    Fault("corrupt", 3),
    Fault("corrupt", 100),
    Fault("silence"),
    Fault("late", 100_000),
    Fault("late", 700_000),
    Fault("reset"),
]


@readers
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.kind} {fault.value}")
@pytest.mark.parametrize("times", [1, 2, 7])
def test_faults_end_in_one_answer_each(name: ReaderName, fault: Fault, times: int) -> None:
    table = reader_bench(name)
    table.connect()
    table.emulator.inject(fault, times)
    for antenna in (2, 3, 1, 2):
        table.read(antenna)
    for antenna in ANTENNAS * 2:
        end = table.read(antenna)
    assert isinstance(end, InventoryResult)
    assert table.read_tags(2) == tuple(tags_of(2, 5))


def time_with_a_corrupt_answer_us(name: ReaderName) -> int:
    table = reader_bench(name)
    table.connect()
    table.emulator.inject(Fault("corrupt", 100))
    start_us = table.wire.now_us
    table.read_tags(2)
    assert table.reader.stats.retries == 1
    return table.wire.now_us - start_us


@readers
def test_corrupt_answer_is_requested_again_at_once(name: ReaderName, monkeypatch: pytest.MonkeyPatch) -> None:
    """Corrupt an answer without a change of its length.

    The driver notices this from the length of the frame, and repeats the request at once. Without the attribute
    `ended_corrupt` it would first wait for a pause on the line.
    """
    at_once_us = time_with_a_corrupt_answer_us(name)
    splitter = type(splitter_of(reader_bench(name).reader))
    monkeypatch.setattr(
        splitter, "ended_corrupt", property(lambda self: False, lambda self, value: None), raising=False
    )
    assert time_with_a_corrupt_answer_us(name) == at_once_us + SERIAL_GAP_TIMEOUT_US


@readers
@pytest.mark.parametrize(("count", "is_retried"), [(TALL_STACK_TAGS, True), (TALL_STACK_TAGS + 1, False)])
def test_corrupt_answer_of_a_tall_stack_is_not_retried_by_the_driver(
    name: ReaderName, count: int, is_retried: bool
) -> None:
    """Check that the driver does not repeat a failed inventory of a tall stack.

    Another spot may have waited longer, so the scheduler decides which spot is read next.
    """
    table = reader_bench(name, count)
    table.connect()
    table.read_tags(2)
    table.emulator.inject(Fault("corrupt", 100))
    end, now_us = table.read(2), table.wire.now_us
    expected = InventoryResult("r1", 2, tuple(tags_of(2, count)), now_us)
    assert end == (expected if is_retried else ReaderFault("r1", 2, "bad-frame", now_us))
    assert table.reader.stats.retries == is_retried
    assert table.read_tags(2) == tuple(tags_of(2, count))


@readers
@pytest.mark.parametrize(
    ("count", "inventories"),
    [(TALL_STACK_TAGS, MAX_FAILURES_BEFORE_RESET), (TALL_STACK_TAGS + 1, MAX_FAILURES_BEFORE_RESET * MAX_ATTEMPTS)],
)
def test_reader_is_restarted_after_the_same_number_of_attempts_for_any_stack(
    name: ReaderName, count: int, inventories: int
) -> None:
    table = reader_bench(name, count)
    table.connect()
    table.read_tags(2)
    table.emulator.inject(Fault("corrupt", 100), MAX_FAILURES_BEFORE_RESET * MAX_ATTEMPTS)
    codes = list[str]()
    for _ in range(inventories):
        assert "reset" not in codes
        table.messages.clear()
        table.read(2)
        codes = [new_messages.code for new_messages in table.messages if isinstance(new_messages, ReaderFault)]
    assert codes == ["bad-frame", "reset"]


def check_late_answers(name: ReaderName, count: int, **options: Any) -> None:
    for late_us in range(50_000, 2_000_000, 130_000):
        table = reader_bench(name, count, **options)
        table.connect()
        for antenna in ANTENNAS:
            table.read_tags(antenna)
        table.emulator.inject(Fault("late", late_us), 2)
        for antenna in (1, 2, 3, 2, 1):
            table.read(antenna)


@readers
@pytest.mark.parametrize("count", [1, 5])
def test_late_answer_is_never_used_for_another_antenna(name: ReaderName, count: int) -> None:
    check_late_answers(name, count)


class CarelessPepper(PepperDriver):
    """Planted fault: a driver that does not wait for late answers, or for the selection of an antenna."""

    def _on_timeout(self, pending: Any, now_us: int) -> list[Message]:
        if pending.command != pepper_frames.INVENTORY_START:
            return super()._on_timeout(pending, now_us)
        messages = self._fail_attempt(now_us, "timeout")
        self._flush_needed = False
        self._advance(now_us)
        return messages

    def _send(self, command: int, data: bytes, now_us: int, air_us: int = 0) -> None:
        super()._send(command, data, now_us, air_us)
        if command == pepper_frames.SELECT_ANTENNA and self._job is not None:
            self._pending = None
            self._job.stage = "start"
            self._advance(now_us)


def test_planted_fault_mixed_up_late_answers_are_caught() -> None:
    with pytest.raises(AssertionError, match="another antenna"):
        check_late_answers("pepper", 1, driver=lambda: CarelessPepper("r1", antennas=ANTENNAS))


@readers
@pytest.mark.parametrize("asked", [False, True])
def test_unsolicited_answer_is_ignored(name: ReaderName, asked: bool) -> None:
    """Send an answer that the driver has not requested.

    The driver is either idle, or it waits for the selection of the antenna of its next inventory.
    """
    table = reader_bench(name)
    table.connect()
    if asked:
        table.wire.run_until(table.wire.now_us + 100_000)
        table.reader.start_inventory(2, table.wire.now_us)
    assert table.reader.receive_data(stray_answer(name), table.wire.now_us) == []
    assert table.reader.stats.unexpected_frames == 1
    if asked:
        results = [m for m in table.wire.run_until(table.wire.now_us + 900_000) if isinstance(m, InventoryResult)]
        assert [m.tags for m in results] == [tuple(tags_of(2, 5))]
    assert STRAY_TAG not in table.read_tags(2)


@readers
@pytest.mark.parametrize("boot_us", [60_000, 300_000])
def test_restart_between_readings_keeps_the_antenna(name: ReaderName, boot_us: int) -> None:
    table = reader_bench(name)
    table.connect()
    table.read_tags(3)
    table.emulator.reset(table.wire.now_us, boot_us)
    table.wire.run_until(table.wire.now_us + boot_us + 1)
    assert table.read_tags(3)
    assert table.read_tags(2)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_restart_while_reading_is_not_silence(name: ReaderName) -> None:
    table = reader_bench(name)
    table.connect()
    table.emulator.reset(table.wire.now_us)
    assert table.read_tags(2)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_restarts_by_the_driver_are_few(name: ReaderName) -> None:
    """Let all inventories fail for five minutes, although the reader answers other requests.

    The driver may restart the reader three times at once, and then only once a minute.
    """
    table = reader_bench(name)
    table.connect()
    table.emulator.inject(Fault("silence"), 1_000)
    while table.wire.now_us < 300_000_000:
        assert isinstance(table.read(1), ReaderFault)
        if not table.reader.is_idle:
            table.messages += table.wire.run_until_message((LinkUp,), TIMEOUT_US * 9)
        table.wire.run_until(table.wire.now_us + 500_000)
        if table.emulator.inventory_count > 900:
            break
    resets = [m for m in table.messages if isinstance(m, ReaderFault) and m.code == "reset"]
    minutes = table.wire.now_us // 60_000_000
    assert 3 <= len(resets) <= 4 + minutes


@readers
def test_wrong_use_raises(name: ReaderName) -> None:
    table = reader_bench(name)
    with pytest.raises(LinkNotReadyError):
        table.reader.start_inventory(1, 0)
    table.connect()
    with pytest.raises(ValueError, match="antenna 9"):
        table.reader.start_inventory(9, table.wire.now_us)
    table.reader.start_inventory(1, table.wire.now_us)
    with pytest.raises(LinkNotReadyError):
        table.reader.start_inventory(2, table.wire.now_us)


@pytest.mark.parametrize(
    ("make", "antennas"), [(FeigDriver, ()), (FeigDriver, (256,)), (PepperDriver, (0,)), (PepperDriver, (9,))]
)
def test_antenna_numbers_are_checked(make: Any, antennas: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="antennas"):
        make("r1", antennas=antennas)


@readers
def test_idle_link_stays_up(name: ReaderName) -> None:
    table = reader_bench(name)
    table.connect()
    assert table.wire.run_until(30_000_000) == []
    assert table.reader.is_idle


@readers
@settings(max_examples=25, deadline=None)
@given(count=st.integers(0, 20), sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_any_chunking_gives_the_same_answer(name: ReaderName, count: int, sizes: list[int]) -> None:
    def chunks(data: bytes) -> list[bytes]:
        out: list[bytes] = []
        while data:
            size = sizes[len(out) % len(sizes)]
            out.append(data[:size])
            data = data[size:]
        return out

    table, pieces = reader_bench(name, count), reader_bench(name, count)
    pieces.wire.corrupt_to_host = pieces.wire.corrupt_to_device = chunks
    for bench in (table, pieces):
        bench.connect()
        assert bench.read_tags(2) == tuple(tags_of(2, count))
    assert pieces.reader.stats == table.reader.stats


def check_damaged_frames(table: ReaderBench, count: int, plan: list[tuple[int, int]]) -> None:
    """Read tags while chunks of bytes on the line are kept, dropped, changed in one bit or doubled, as planned."""
    table.connect()
    steps = iter(plan)

    def damage(data: bytes, to_host: bool = True) -> list[bytes]:
        kind, bit = next(steps, (0, 0))
        if kind == 3:
            corrupted = bytearray(data)
            bit %= 8 * len(data)
            corrupted[bit // 8] ^= 1 << bit % 8
            return [bytes(corrupted)]
        return [data] * (1, 0, 2 if to_host else 1)[kind]

    table.wire.corrupt_to_host = damage
    table.wire.corrupt_to_device = lambda data: damage(data, to_host=False)
    for antenna in (1, 2, 3, 1):
        answer = table.read(antenna)
        if isinstance(answer, InventoryResult):
            in_field = set(tags_of(antenna, count))
            assert set(answer.tags) == in_field or (set(answer.tags) < in_field and not answer.is_complete), (
                "tags that are not in the field"
            )


@readers
@settings(max_examples=100, deadline=None)
@given(count=st.integers(0, 6), plan=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=40))
def test_damaged_frames_never_change_a_tag(name: ReaderName, count: int, plan: list[tuple[int, int]]) -> None:
    check_damaged_frames(reader_bench(name, count), count, plan)


@readers
def test_planted_fault_missing_checksum_is_caught(name: ReaderName) -> None:
    """Planted fault: a driver that accepts every chunk of bytes as a frame. A flipped bit then changes a UID."""

    def trusting(data: bytes) -> list[Frame]:
        return [Frame(data if name == "feig" else data[5:-2], after_noise=False)]

    caught = 0
    for piece in range(8):
        for bit in (8 * 10, 8 * 12):
            table = reader_bench(name, 2)
            splitter_of(table.reader).feed = trusting
            plan = [(0, 0)] * piece + [(3, bit)]
            try:
                check_damaged_frames(table, 2, plan)
            except AssertionError as error:
                caught += "not in the field" in str(error) or "another antenna" in str(error)
    assert caught
    for piece in range(8):
        check_damaged_frames(reader_bench(name, 2), 2, [(0, 0)] * piece + [(3, 8 * 10)])
