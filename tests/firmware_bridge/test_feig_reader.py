"""The FEIG driver with an emulated reader in simulated time, on a line with every kind of fault."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import retry_policy
from firmware_bridge.driver_interface import (
    DOWN_SILENCE,
    DOWN_UNPLUGGED,
    MAX_PROBE_TIMEOUT_US,
    READER_SILENCE_TIMEOUT_US,
    LinkNotReadyError,
)
from firmware_bridge.driver_messages import InventoryResult, LinkDown, LinkUp, Message, ReaderFault
from firmware_bridge.emulators.air_time import AirTimeModel
from firmware_bridge.emulators.fault_injection import Fault
from firmware_bridge.emulators.feig import BOOT_US, RF_RESET_US, FeigEmulator, no_capture
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.feig import FeigDriver, FieldOptions, frames, reader, reader_settings, second_pass
from firmware_bridge.feig.inventory_job import InventoryJob
from firmware_bridge.feig.request_channel import Purpose, RequestChannel
from firmware_bridge.feig.tag_records import build_tags
from firmware_bridge.feig_framing import FeigFrameSplitter, Frame, LineNoise

ANTENNAS = (1, 2, 3)
DONE = (InventoryResult, ReaderFault)
LONG_US = 60_000_000


def field_with_tags(count: int) -> Callable[[int, int], list[str]]:
    """Return a function that returns `count` tags for an antenna.

    The second byte of every tag is the antenna's number.
    """
    return lambda antenna, now_us: [f"E0{antenna:02X}{number:012X}" for number in range(count)]


@dataclass
class Table:
    """Test bench with a FEIG driver and its emulator on a simulated line."""

    count: int = 5
    baud: int = 115_200
    reader_class: type[FeigDriver] = FeigDriver
    ont: bool = False
    quick_looks: bool = False
    second_pass: bool = False
    tags_per_answer: int = 255
    capture: Callable[[int, Collection[str]], Collection[str]] = no_capture
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.emulator = FeigEmulator(
            field_with_tags(self.count),
            baud=self.baud,
            ont=1 if self.ont else 0,
            tags_per_answer=self.tags_per_answer,
        )
        self.emulator.capture = self.capture
        self.reader = self.reader_class(
            "r1",
            antennas=ANTENNAS,
            baud=self.baud,
            field_options=FieldOptions(self.quick_looks, self.quick_looks, self.second_pass),
        )
        self.wire = SimulatedLine(self.reader, self.emulator)

    def up(self) -> None:
        self.messages += self.wire.plug()
        self.messages += self.wire.run_until_message((LinkUp,), LONG_US)
        assert self.reader.is_idle

    def read(self, antenna: int) -> InventoryResult | ReaderFault:
        """Wait until the reader is idle, perform an inventory, and return its result.

        Check that the result has this antenna.
        """
        if not self.reader.is_idle:
            self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + LONG_US)
        self.reader.start_inventory(antenna, self.wire.now_us)
        answers: list[InventoryResult | ReaderFault] = []
        while not answers:
            new = self.wire.run_until_message(DONE, self.wire.now_us + LONG_US)
            self.messages += new
            answers = [m for m in new if isinstance(m, DONE) and m.antenna is not None]
        assert len(answers) == 1, "expected one result for an inventory"
        assert answers[0].antenna == antenna
        if isinstance(answers[0], InventoryResult):
            assert all(tag.startswith(f"E0{antenna:02X}") for tag in answers[0].tags), "tags of another antenna"
        return answers[0]


def test_handshake_reads_the_version() -> None:
    table = Table()
    table.up()
    assert table.messages == [LinkUp("r1", table.wire.now_us)]
    assert table.reader.version
    assert table.wire.now_us < 20_000


@pytest.mark.parametrize("baud", [9_600, 38_400, 115_200])
@pytest.mark.parametrize("count", [0, 1, 20, 24, 25, 100, 255])
def test_inventory_of_any_size_is_read(count: int, baud: int) -> None:
    table = Table(count=count, baud=baud)
    table.up()
    result = table.read(2)
    assert isinstance(result, InventoryResult)
    assert result.tags == tuple(sorted(field_with_tags(count)(2, 0)))
    assert table.emulator.inventory_count == 1
    assert table.reader.stats.retries == 0


def test_driver_adds_little_time() -> None:
    """Check that three readings of 20 tags take little more than the necessary time.

    This is the time on the air, to switch the antenna, and to transmit the bytes.
    """
    table = Table(count=20)
    table.up()
    start_us = table.wire.now_us
    for _ in range(3):
        table.read(2)
    serial_us = (7 + 207) * 11 * 1_000_000 // 115_200
    air = AirTimeModel()
    floor_us = sum(air.inventory_us(20) + RF_RESET_US + serial_us for _ in range(3)) + 5_000
    assert floor_us <= table.wire.now_us - start_us < floor_us + 10_000


def test_more_data_is_fetched() -> None:
    table = Table(count=30, tags_per_answer=7)
    table.up()
    result = table.read(1)
    assert isinstance(result, InventoryResult)
    assert len(result.tags) == 30
    assert table.emulator.inventory_count == 5


class UnreadReader(FeigDriver):
    """Planted fault: a driver that does not read the settings of its reader."""

    def on_port_opened(self, now_us: int) -> list[Message]:
        self._handshake.start = lambda: None  # type: ignore[method-assign]
        self._handshake._pending.clear()
        return super().on_port_opened(now_us)


def test_once_reported_tags_need_an_rf_reset() -> None:
    table = Table(ont=True)
    table.up()
    assert table.reader.wrong_settings == (reader.REPORTS_TAGS_ONCE,)
    assert [len(result.tags) for result in (table.read(1), table.read(1)) if isinstance(result, InventoryResult)] == [
        5,
        5,
    ]
    careless = Table(ont=True, reader_class=UnreadReader)
    careless.up()
    assert [
        len(result.tags) for result in (careless.read(1), careless.read(1)) if isinstance(result, InventoryResult)
    ] == [
        5,
        0,
    ]


class ResetlessReader(FeigDriver):
    """Planted fault: a driver that never resets the field."""

    def _on_answer(self, purpose: Purpose, answer: frames.Answer, now_us: int) -> list[Message]:
        self._powered = 0
        return super()._on_answer(purpose, answer, now_us)


@pytest.mark.parametrize(("reader_class", "again"), [(FeigDriver, 5), (ResetlessReader, 0)], ids=["driver", "planted"])
def test_quick_look_needs_a_reset_only_at_the_same_antenna(reader_class: type[FeigDriver], again: int) -> None:
    table = Table(ont=True, quick_looks=True, reader_class=reader_class)
    table.up()
    durations_us = []
    for antenna, count in ((1, 5), (2, 5), (2, again), (1, 5)):
        start_us = table.wire.now_us
        table.reader._selected = None
        result = table.read(antenna)
        assert isinstance(result, InventoryResult) and len(result.tags) == count
        durations_us.append(table.wire.now_us - start_us)
    if again:
        assert durations_us[2] > max(durations_us[1], durations_us[3]) + RF_RESET_US // 2
    assert table.emulator.inventory_count == 4
    assert table.reader.wrong_settings == ()


def test_quick_looks_need_a_reader_with_ont() -> None:
    table = Table(quick_looks=True)
    table.up()
    assert table.reader.wrong_settings == (reader.REPORTS_TAGS_AGAIN,)


def _same_slot(antenna: int, quiet: Collection[str]) -> Collection[str]:
    """Return the tags that the lowest tag of their slot drowns out."""
    loudest: dict[str, str] = {}
    for uid in field_with_tags(40)(antenna, 0):
        if uid not in quiet:
            loudest.setdefault(uid[-1], uid)
    return set(field_with_tags(40)(antenna, 0)) - set(loudest.values()) - set(quiet)


def _tag_counts(table: Table, readings: int) -> list[int]:
    """Return the number of tags in each of the next inventories of antenna 1."""
    results = [table.read(1) for _ in range(readings)]
    assert all(result.is_complete for result in results if isinstance(result, InventoryResult))
    return [len(result.tags) for result in results if isinstance(result, InventoryResult)]


class ForgetfulReader(FeigDriver):
    """Planted fault: a driver that forgets in which pass it has heard drowned-out tags."""

    def _finish(self, message: Message) -> list[Message]:
        for antenna in self._second_passes._antennas.values():
            antenna.depths.clear()
            antenna.depths.append(1)
        return super()._finish(message)


@pytest.mark.parametrize("ont", [False, True], ids=["ONT 0 in the EEPROM", "ONT 1"])
@pytest.mark.parametrize(
    ("count", "heard_first", "passes"), [(0, 0, (1, 1, 1)), (3, 3, (1, 2, 1)), (20, 16, (1, 3, 2)), (36, 16, (1, 4, 3))]
)
def test_tags_that_others_drown_out_are_heard_from_the_fourth_inventory(
    count: int, heard_first: int, passes: tuple[int, int, int], ont: bool
) -> None:
    table = Table(count=count, ont=ont, second_pass=True, capture=_same_slot)
    table.up()
    assert _tag_counts(table, 3) == [heard_first] * 3, "the first three inventories are quick"
    assert table.emulator.inventory_count == 3 * passes[0]
    assert _tag_counts(table, 2) == [count] * 2
    assert table.emulator.inventory_count == 3 * passes[0] + 2 * passes[1]
    assert _tag_counts(table, 2) == [count] * 2
    assert table.emulator.inventory_count == 3 * passes[0] + 2 * passes[1] + 2 * passes[2]
    assert table.reader.wrong_settings == ()


def test_planted_fault_driver_that_forgets_drowned_out_tags_loses_them_again() -> None:
    table = Table(count=20, second_pass=True, capture=_same_slot, reader_class=ForgetfulReader)
    table.up()
    assert _tag_counts(table, 6) == [16, 16, 16, 20, 20, 16]


def test_tags_that_others_drown_out_are_heard_with_quick_looks() -> None:
    table = Table(count=20, ont=True, quick_looks=True, second_pass=True, capture=_same_slot)
    table.up()
    for number in range(6):
        table.read(2)
        assert _tag_counts(table, 1) == [16 if number < 3 else 20]


def test_drowned_out_tag_that_is_added_alone_is_heard_in_the_next_check() -> None:
    table = Table(count=16, second_pass=True, capture=_same_slot)
    table.up()
    assert _tag_counts(table, 10) == [16] * 10
    table.emulator._field = field_with_tags(17)
    readings = 0
    while _tag_counts(table, 1) == [16]:
        readings += 1
    assert readings < second_pass.RECHECK_INVENTORIES
    assert _tag_counts(table, 20) == [17] * 20


def test_unchanged_stack_is_seldom_checked() -> None:
    table = Table(count=5, second_pass=True)
    table.up()
    readings = 200
    assert _tag_counts(table, readings) == [5] * readings
    checks = readings // second_pass.RECHECK_INVENTORIES + second_pass.CHECKS_PER_CHANGE
    assert readings < table.emulator.inventory_count <= readings + checks


def test_first_inventories_of_a_new_stack_are_quick_after_the_spot_was_empty_for_long() -> None:
    table = Table(count=0, second_pass=True)
    table.up()
    assert _tag_counts(table, 2 * second_pass.RECHECK_INVENTORIES) == [0] * 2 * second_pass.RECHECK_INVENTORIES
    table.emulator._field = field_with_tags(5)
    before = table.emulator.inventory_count
    assert _tag_counts(table, 3) == [5] * 3
    assert table.emulator.inventory_count == before + 3


def test_check_of_several_new_tags_is_due_after_the_first_of_them() -> None:
    """The order in which Python goes through a set of tags must not decide."""
    first, *others = [f"E00401{number:010X}" for number in range(8)]
    passes = second_pass.SecondPasses()
    for uids, at_us in (([first], 0), (others, second_pass.MAX_CHECK_DELAY_US // 2)):
        assert not passes.needs_next_pass(InventoryJob(1, tags=uids), at_us)
    assert passes.needs_next_pass(InventoryJob(1, tags=[first, *others]), second_pass.MAX_CHECK_DELAY_US)


def test_tag_of_a_neighbour_spot_that_answers_once_is_no_reason_for_a_check() -> None:
    table = Table(count=5, second_pass=True)
    table.up()
    assert _tag_counts(table, 6) == [5] * 6
    before = table.emulator.inventory_count
    for count in (6, 5, 5, 5):
        table.emulator._field = field_with_tags(count)
        assert _tag_counts(table, 1) == [count]
    assert table.emulator.inventory_count == before + 4


def test_tag_that_misses_a_reading_by_chance_is_not_drowned_out() -> None:
    table = Table(count=5, second_pass=True)
    table.up()
    assert _tag_counts(table, 5) == [5] * 5
    table.emulator.capture = lambda antenna, quiet: () if quiet else field_with_tags(1)(antenna, 0)
    assert _tag_counts(table, 1) == [5 - 1]
    for antenna in table.reader._second_passes._antennas.values():
        antenna.checks_left = 1
    assert _tag_counts(table, 1) == [5], "the check hears the tag in its second pass"
    table.emulator.capture = no_capture
    before = table.emulator.inventory_count
    assert _tag_counts(table, 5) == [5] * 5
    assert table.emulator.inventory_count == before + 5


def test_stack_that_is_read_seldom_is_checked_before_it_can_settle() -> None:
    table = Table(count=20, second_pass=True, capture=_same_slot)
    table.up()
    assert _tag_counts(table, 1) == [16]
    table.wire.run_until(table.wire.now_us + second_pass.MAX_CHECK_DELAY_US)
    assert _tag_counts(table, 1) == [20]


def test_driver_without_second_pass_leaves_ont_as_it_is_and_reads_once() -> None:
    table = Table(count=20, capture=_same_slot)
    table.up()
    assert _tag_counts(table, 10) == [16] * 10
    assert table.emulator.inventory_count == 10
    assert not table.emulator._is_bit_set(reader_settings.ONT_OFFSET, reader_settings.ONT_BIT)


def test_retry_with_once_reported_tags_reads_all_again() -> None:
    table = Table(count=30, ont=True, tags_per_answer=10)
    table.up()
    table.emulator.inject(Fault("rf-error"), 0)
    table.emulator.inject(Fault("silence"))
    result = table.read(1)
    assert isinstance(result, InventoryResult)
    assert len(result.tags) == 30


@pytest.mark.parametrize(
    ("fault", "once", "twice"),
    [
        (Fault("rf-error"), "rf-error", "rf-error"),
        (Fault("rf-warning"), "rf-warning", "rf-warning"),
        (Fault("corrupt", 3), None, "bad-frame"),
        (Fault("corrupt", 100), None, "bad-frame"),
        (Fault("silence"), None, "timeout"),
        (Fault("late", 900_000), None, None),
        (Fault("late", 100_000), None, None),
        (Fault("reset"), None, "timeout"),
    ],
)
def test_faults_end_in_one_answer(fault: Fault, once: str | None, twice: str | None) -> None:
    for times, code in ((1, once), (2, twice)):
        table = Table()
        table.up()
        table.emulator.inject(fault, times)
        answer = table.read(2)
        assert (answer.code if isinstance(answer, ReaderFault) else None) == code
        if not code or not code.startswith("rf"):
            assert isinstance(table.read(3), InventoryResult)


class CarelessReader(FeigDriver):
    """Planted fault: a driver that accepts any answer to the right command, even one to an earlier request."""

    def _advance(self, now_us: int) -> None:
        if self.is_up:
            self._flush_needed = False
        super()._advance(now_us)

    def _send(self, purpose: Purpose, data: bytes, ctrl: int, work_us: int, now_us: int) -> None:
        super()._send(purpose, data, ctrl, work_us, now_us)
        if purpose == "select" and self._job is not None:
            self._channel.pending = None
            self._liveness.record_answer(now_us)
            self._selected = self._job.antenna
            self._advance(now_us)


def check_late_answers(reader_class: type[FeigDriver]) -> None:
    for late_us in range(100_000, 2_000_000, 130_000):
        table = Table(reader_class=reader_class)
        table.up()
        for antenna in ANTENNAS:
            table.read(antenna)
        table.emulator.inject(Fault("late", late_us), 2)
        for antenna in (1, 2, 3, 2, 1):
            table.read(antenna)


def test_late_answer_is_never_used_for_another_antenna() -> None:
    check_late_answers(FeigDriver)


def test_planted_fault_mixed_up_late_answers_are_caught() -> None:
    with pytest.raises(AssertionError, match="another antenna"):
        check_late_answers(CarelessReader)


def test_unsolicited_answer_is_ignored() -> None:
    table = Table()
    table.up()
    stray = frames.answer(frames.ISO_HOST, 0, build_tags(("E009000000000001",)))
    assert table.reader.receive_data(stray, table.wire.now_us) == []
    assert table.reader.stats.unexpected_frames == 1
    assert isinstance(table.read(1), InventoryResult)


def test_answer_out_of_order_is_ignored() -> None:
    table = Table()
    table.up()
    table.reader.start_inventory(2, table.wire.now_us)
    stray = frames.answer(frames.ISO_HOST, 0, build_tags(("E009000000000001",)))
    assert table.reader.receive_data(stray, table.wire.now_us) == []
    result = [m for m in table.wire.run_until(table.wire.now_us + 500_000) if isinstance(m, InventoryResult)]
    assert [m.tags for m in result] == [tuple(sorted(field_with_tags(5)(2, 0)))]


def test_frame_found_in_noise_is_read_again() -> None:
    table = Table()
    table.up()
    hits: list[bytes] = []

    def noise_before(data: bytes) -> list[bytes]:
        if len(data) > 20 and not hits:
            hits.append(data)
            return [b"\x01\x04" + data]
        return [data]

    table.wire.corrupt_to_host = noise_before
    assert isinstance(table.read(1), InventoryResult)
    assert (table.reader.stats.bad_frames, table.reader.stats.retries) == (1, 1)


def test_reset_between_two_readings_keeps_the_antenna() -> None:
    """Restart the reader so quickly that the driver does not notice it. Only the selected antenna has changed."""
    table = Table()
    table.up()
    table.read(3)
    table.emulator.reset(table.wire.now_us, boot_us=reader.SELECTION_TRUST_US)
    table.wire.run_until(table.wire.now_us + reader.SELECTION_TRUST_US + 1)
    assert isinstance(table.read(3), InventoryResult)


def test_unexpected_cpu_reset_is_reported() -> None:
    table = Table()
    table.up()
    now_us = table.wire.now_us
    new_messages = table.reader.receive_data(frames.answer(frames.CPU_RESET, 0), now_us)
    assert new_messages == [ReaderFault("r1", None, "reset", now_us)]


def test_reader_that_only_fails_inventories_is_reset() -> None:
    table = Table()
    table.up()
    table.emulator.inject(Fault("silence"), retry_policy.MAX_FAILURES_BEFORE_RESET * retry_policy.MAX_ATTEMPTS)
    for _ in range(retry_policy.MAX_FAILURES_BEFORE_RESET):
        assert isinstance(table.read(1), ReaderFault)
    assert [m.code for m in table.messages if isinstance(m, ReaderFault)][-1] == "reset"
    assert isinstance(table.read(1), InventoryResult)


@pytest.mark.parametrize("baud", [9_600, 115_200])
@pytest.mark.parametrize("reading", [False, True])
def test_silent_reader_is_down_after_a_second_and_up_again_later(reading: bool, baud: int) -> None:
    table = Table(baud=baud)
    table.up()
    start_us = table.wire.now_us
    table.emulator.silence(start_us + 3_000_000)
    if reading:
        table.reader.start_inventory(1, start_us)
    new_messages = table.wire.run_until_message((LinkDown,), LONG_US)
    assert new_messages == [ReaderFault("r1", 1, "timeout", new_messages[0].at_us)] * reading + [
        LinkDown("r1", DOWN_SILENCE, new_messages[-1].at_us)
    ]
    assert (
        READER_SILENCE_TIMEOUT_US
        <= new_messages[-1].at_us - start_us
        <= READER_SILENCE_TIMEOUT_US + (50_000 if baud > 9_600 else 150_000)
    )
    assert not table.reader.is_idle
    with pytest.raises(LinkNotReadyError):
        table.reader.start_inventory(1, table.wire.now_us)
    new_messages = table.wire.run_until_message((LinkUp,), LONG_US)
    assert new_messages[-1].at_us - (start_us + 3_000_000) < 2 * MAX_PROBE_TIMEOUT_US + 200_000, (
        "expected every other probe at this baud rate"
    )


def test_silent_reader_is_reported_down_once() -> None:
    table = Table()
    table.emulator.silence(LONG_US)
    table.messages += table.wire.plug()
    table.messages += table.wire.run_until(10_000_000)
    table.messages += table.wire.unplug()
    assert [type(m) for m in table.messages] == [LinkDown]


def test_unplugging_ends_the_inventory_too() -> None:
    table = Table()
    table.up()
    table.reader.start_inventory(2, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + 20_000)
    now_us = table.wire.now_us
    assert table.wire.unplug() == [
        ReaderFault("r1", 2, "timeout", now_us),
        LinkDown("r1", DOWN_UNPLUGGED, now_us),
    ]
    assert table.reader.next_deadline_us() is None
    table.up()
    assert isinstance(table.read(2), InventoryResult)


def test_wrong_use_raises() -> None:
    table = Table()
    table.up()
    with pytest.raises(ValueError, match="antenna 9"):
        table.reader.start_inventory(9, table.wire.now_us)
    table.reader.start_inventory(1, table.wire.now_us)
    with pytest.raises(LinkNotReadyError):
        table.reader.start_inventory(2, table.wire.now_us)
    with pytest.raises(ValueError, match="antennas"):
        FeigDriver("r1", antennas=())


def test_idle_link_stays_up() -> None:
    table = Table()
    table.up()
    assert table.wire.run_until(30_000_000) == []
    assert table.reader.is_idle


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_any_chunking_gives_the_same_answer(count: int, sizes: list[int]) -> None:
    def chunks(data: bytes) -> list[bytes]:
        out: list[bytes] = []
        while data:
            size = sizes[len(out) % len(sizes)]
            out.append(data[:size])
            data = data[size:]
        return out

    table, pieces = Table(count=count), Table(count=count)
    pieces.wire.corrupt_to_host = pieces.wire.corrupt_to_device = chunks
    for bench in (table, pieces):
        bench.up()
        bench.read(2)
    at_once, chunked = ([m.tags for m in t.messages if isinstance(m, InventoryResult)] for t in (table, pieces))
    assert at_once == chunked == [tuple(sorted(field_with_tags(count)(2, 0)))]
    assert pieces.reader.stats == table.reader.stats


def check_mutated_frames(
    count: int,
    plan: list[tuple[int, int]],
    reader_class: type[FeigDriver] = FeigDriver,
    *,
    second_pass: bool = False,
    antennas: tuple[int, ...] = (1, 2, 3, 1),
) -> None:
    """Read tags while chunks of bytes on the line are kept, dropped, doubled or changed in one bit, as planned.

    With `second_pass`, requests are not doubled, because a reader with ONT 1 reports nothing in the second answer.
    """
    table = Table(count=count, reader_class=reader_class, second_pass=second_pass)
    table.up()
    steps = iter(plan)

    def damage(data: bytes) -> list[bytes]:
        kind, bit = next(steps, (0, 0))
        if kind == 3:
            corrupted = bytearray(data)
            bit %= 8 * len(data)
            corrupted[bit // 8] ^= 1 << bit % 8
            return [bytes(corrupted)]
        return [data] * (1, 0, 2)[kind]

    table.wire.corrupt_to_host = damage
    table.wire.corrupt_to_device = (lambda data: damage(data)[:1]) if second_pass else damage
    for antenna in antennas:
        answer = table.read(antenna)
        if isinstance(answer, InventoryResult):
            assert answer.tags == tuple(sorted(field_with_tags(count)(antenna, 0))), "tags that are not in the field"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 8), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=40))
def test_mutated_frames_never_change_a_tag(count: int, plan: list[tuple[int, int]]) -> None:
    check_mutated_frames(count, plan)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 8), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=60))
def test_mutated_frames_never_change_a_tag_in_second_passes(count: int, plan: list[tuple[int, int]]) -> None:
    check_mutated_frames(count, plan, second_pass=True, antennas=(1,) * 8)


class TrustingSplitter(FeigFrameSplitter):
    """Planted fault: a splitter that accepts each chunk of bytes as a frame, even if its checksum is wrong."""

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        return [Frame(data, False)]


class TrustingLine(RequestChannel):
    def __init__(self, baud: int) -> None:
        super().__init__(baud)
        self._splitter = TrustingSplitter()


class TrustingReader(FeigDriver):
    def on_port_opened(self, now_us: int) -> list[Message]:
        self._channel = TrustingLine(self.baud)
        return super().on_port_opened(now_us)


def test_planted_fault_missing_checksum_is_caught() -> None:
    """Flip one bit of the first tag in an answer.

    In the plan, entries 0 and 1 are the request and the answer that select the antenna. Entry 2 is the inventory
    request, and entry 3 is its answer.
    """
    plan = [(0, 0), (0, 0), (0, 0), (3, 8 * 10)]
    check_mutated_frames(2, plan)
    with pytest.raises(AssertionError, match="not in the field"):
        check_mutated_frames(2, plan, TrustingReader)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=20))
def test_garbage_never_crashes_the_driver(pieces: list[bytes]) -> None:
    table = Table()
    table.up()
    table.reader.start_inventory(1, table.wire.now_us)
    for piece in pieces:
        assert not [m for m in table.reader.receive_data(piece, table.wire.now_us) if isinstance(m, InventoryResult)]
    assert table.wire.run_until_message(DONE, LONG_US)


def test_restart_time_of_a_reset_does_not_bring_the_link_down() -> None:
    table = Table()
    table.up()
    table.emulator.reset(table.wire.now_us)
    assert isinstance(table.read(2), InventoryResult)
    assert BOOT_US < table.wire.now_us < READER_SILENCE_TIMEOUT_US + BOOT_US
    assert not [m for m in table.messages if isinstance(m, LinkDown)]
