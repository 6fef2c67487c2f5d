"""The FEIG driver against the emulated reader in simulated time, with everything that a wire does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import failures
from firmware_bridge.emulators.air import Air
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.emulators.feig import BOOT_US, RF_RESET_US, FeigEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.feig import FeigReader, frames, reader
from firmware_bridge.feig.line import Line, Purpose
from firmware_bridge.feig.records import build_tags
from firmware_bridge.framing import FeigSplitter, Frame, Noise
from firmware_bridge.link import DOWN_SILENCE, DOWN_UNPLUGGED, PROBE_MAX_US, READER_SILENCE_US, LinkNotReadyError
from firmware_bridge.messages import LinkDown, LinkUp, Message, ReaderFault, TagsSeen

ANTENNAS = (1, 2, 3)
DONE = (TagsSeen, ReaderFault)
LONG_US = 60_000_000


def lying(count: int) -> Callable[[int, int], list[str]]:
    """Every antenna has tags of its own: the second byte names it."""
    return lambda antenna, now_us: [f"E0{antenna:02X}{number:012X}" for number in range(count)]


@dataclass
class Table:
    count: int = 5
    baud: int = 115_200
    reader_class: type[FeigReader] = FeigReader
    ont: bool = False
    tags_per_answer: int = 255
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.emulator = FeigEmulator(
            lying(self.count), baud=self.baud, ont=1 if self.ont else 0, tags_per_answer=self.tags_per_answer
        )
        self.reader = self.reader_class("r1", antennas=ANTENNAS, baud=self.baud)
        self.wire = Wire(self.reader, self.emulator)

    def up(self) -> None:
        self.messages += self.wire.plug()
        self.messages += self.wire.run_until_message((LinkUp,), LONG_US)
        assert self.reader.idle

    def read(self, antenna: int) -> TagsSeen | ReaderFault:
        """One inventory, once the reader is idle; all that belongs to an antenna is checked on the way."""
        if not self.reader.idle:
            self.messages += self.wire.run_until_message((LinkUp,), self.wire.now_us + LONG_US)
        self.reader.inventory(antenna, self.wire.now_us)
        answers: list[TagsSeen | ReaderFault] = []
        while not answers:
            new = self.wire.run_until_message(DONE, self.wire.now_us + LONG_US)
            self.messages += new
            answers = [m for m in new if isinstance(m, DONE) and m.antenna is not None]
        assert len(answers) == 1, "an inventory has one end"
        assert answers[0].antenna == antenna
        if isinstance(answers[0], TagsSeen):
            assert all(tag.startswith(f"E0{antenna:02X}") for tag in answers[0].tags), "tags of another antenna"
        return answers[0]


def test_greeting_and_version() -> None:
    table = Table()
    table.up()
    assert table.messages == [LinkUp("r1", table.wire.now_us)]
    assert table.reader.version
    assert table.wire.now_us < 20_000


@pytest.mark.parametrize("baud", [9_600, 38_400, 115_200])
@pytest.mark.parametrize("count", [0, 1, 20, 24, 25, 100, 255])
def test_inventory_of_any_size(count: int, baud: int) -> None:
    table = Table(count=count, baud=baud)
    table.up()
    seen = table.read(2)
    assert isinstance(seen, TagsSeen)
    assert seen.tags == tuple(sorted(lying(count)(2, 0)))
    assert table.emulator.inventories == 1
    assert table.reader.stats.retries == 0


def test_time_added_by_the_driver() -> None:
    """Three reads of 20 tags at 115200 baud: air, switching and serial time, and little more."""
    table = Table(count=20)
    table.up()
    start_us = table.wire.now_us
    for _ in range(3):
        table.read(2)
    serial_us = (7 + 207) * 11 * 1_000_000 // 115_200
    air = Air()
    floor_us = sum(air.inventory_us(20) + RF_RESET_US + serial_us for _ in range(3)) + 5_000
    assert floor_us <= table.wire.now_us - start_us < floor_us + 10_000


def test_more_data_is_fetched() -> None:
    table = Table(count=30, tags_per_answer=7)
    table.up()
    seen = table.read(1)
    assert isinstance(seen, TagsSeen)
    assert len(seen.tags) == 30
    assert table.emulator.inventories == 5


class UnreadReader(FeigReader):
    """The planted fault: does not ask how the reader is set up."""

    def opened(self, now_us: int) -> list[Message]:
        self._greeting.start = lambda: None  # type: ignore[method-assign]
        self._greeting._pending.clear()
        return super().opened(now_us)


def test_once_reported_tags_need_the_rf_reset() -> None:
    table = Table(ont=True)
    table.up()
    assert [len(seen.tags) for seen in (table.read(1), table.read(1)) if isinstance(seen, TagsSeen)] == [5, 5]
    careless = Table(ont=True, reader_class=UnreadReader)
    careless.up()
    assert [len(seen.tags) for seen in (careless.read(1), careless.read(1)) if isinstance(seen, TagsSeen)] == [5, 0]


def test_a_retry_with_once_reported_tags_reads_all_again() -> None:
    table = Table(count=30, ont=True, tags_per_answer=10)
    table.up()
    table.emulator.inject(Fault("rf-error"), 0)
    table.emulator.inject(Fault("silence"))
    seen = table.read(1)
    assert isinstance(seen, TagsSeen)
    assert len(seen.tags) == 30


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
            assert isinstance(table.read(3), TagsSeen)


class CarelessReader(FeigReader):
    """The planted fault: trusts the first answer of the right command, whoever it was meant for."""

    def _advance(self, now_us: int) -> None:
        if self.up:
            self._flush_needed = False
        super()._advance(now_us)

    def _send(self, purpose: Purpose, data: bytes, ctrl: int, work_us: int, now_us: int) -> None:
        super()._send(purpose, data, ctrl, work_us, now_us)
        if purpose == "select" and self._job is not None:
            self._line.waiting = None
            self._life.heard(now_us)
            self._selected = self._job.antenna
            self._advance(now_us)


def late_answers(reader_class: type[FeigReader]) -> None:
    for late_us in range(100_000, 2_000_000, 130_000):
        table = Table(reader_class=reader_class)
        table.up()
        for antenna in ANTENNAS:
            table.read(antenna)
        table.emulator.inject(Fault("late", late_us), 2)
        for antenna in (1, 2, 3, 2, 1):
            table.read(antenna)


def test_a_late_answer_is_never_taken_for_another_antenna() -> None:
    late_answers(FeigReader)


def test_the_planted_mix_up_of_late_answers_is_caught() -> None:
    with pytest.raises(AssertionError, match="another antenna"):
        late_answers(CarelessReader)


def test_an_unasked_answer_is_not_taken() -> None:
    table = Table()
    table.up()
    stray = frames.answer(frames.ISO_HOST, 0, build_tags(("E009000000000001",)))
    assert table.reader.receive(stray, table.wire.now_us) == []
    assert table.reader.stats.unexpected == 1
    assert isinstance(table.read(1), TagsSeen)


def test_a_wrong_order_answer_is_passed_over() -> None:
    table = Table()
    table.up()
    table.reader.inventory(2, table.wire.now_us)
    stray = frames.answer(frames.ISO_HOST, 0, build_tags(("E009000000000001",)))
    assert table.reader.receive(stray, table.wire.now_us) == []
    seen = [m for m in table.wire.run_until(table.wire.now_us + 500_000) if isinstance(m, TagsSeen)]
    assert [m.tags for m in seen] == [tuple(sorted(lying(5)(2, 0)))]


def test_a_frame_found_in_noise_is_read_again() -> None:
    table = Table()
    table.up()
    hits: list[bytes] = []

    def noise_before(data: bytes) -> list[bytes]:
        if len(data) > 20 and not hits:
            hits.append(data)
            return [b"\x01\x04" + data]
        return [data]

    table.wire.to_host = noise_before
    assert isinstance(table.read(1), TagsSeen)
    assert (table.reader.stats.bad_frames, table.reader.stats.retries) == (1, 1)


def test_a_reset_between_two_reads_does_not_move_the_antenna() -> None:
    """A reader that boots quickly says nothing of it; only the antenna has changed."""
    table = Table()
    table.up()
    table.read(3)
    table.emulator.reset(table.wire.now_us, boot_us=reader.SELECTION_TRUST_US)
    table.wire.run_until(table.wire.now_us + reader.SELECTION_TRUST_US + 1)
    assert isinstance(table.read(3), TagsSeen)


def test_a_foreign_cpu_reset_is_told() -> None:
    table = Table()
    table.up()
    now_us = table.wire.now_us
    told = table.reader.receive(frames.answer(frames.CPU_RESET, 0), now_us)
    assert told == [ReaderFault("r1", None, "reset", now_us)]


def test_a_reader_that_fails_inventories_only_is_reset() -> None:
    table = Table()
    table.up()
    table.emulator.inject(Fault("silence"), failures.RESET_AFTER * failures.ATTEMPTS)
    for _ in range(failures.RESET_AFTER):
        assert isinstance(table.read(1), ReaderFault)
    assert [m.code for m in table.messages if isinstance(m, ReaderFault)][-1] == "reset"
    assert isinstance(table.read(1), TagsSeen)


@pytest.mark.parametrize("baud", [9_600, 115_200])
@pytest.mark.parametrize("reading", [False, True])
def test_silence_is_down_after_a_second_and_up_again(reading: bool, baud: int) -> None:
    table = Table(baud=baud)
    table.up()
    start_us = table.wire.now_us
    table.emulator.silence(start_us + 3_000_000)
    if reading:
        table.reader.inventory(1, start_us)
    told = table.wire.run_until_message((LinkDown,), LONG_US)
    assert told == [ReaderFault("r1", 1, "timeout", told[0].at_us)] * reading + [
        LinkDown("r1", DOWN_SILENCE, told[-1].at_us)
    ]
    assert READER_SILENCE_US <= told[-1].at_us - start_us <= READER_SILENCE_US + (50_000 if baud > 9_600 else 150_000)
    assert not table.reader.idle
    with pytest.raises(LinkNotReadyError):
        table.reader.inventory(1, table.wire.now_us)
    told = table.wire.run_until_message((LinkUp,), LONG_US)
    assert told[-1].at_us - (start_us + 3_000_000) < 2 * PROBE_MAX_US + 200_000, "asked there every other time"


def test_a_silent_reader_is_told_down_once() -> None:
    table = Table()
    table.emulator.silence(LONG_US)
    table.messages += table.wire.plug()
    table.messages += table.wire.run_until(10_000_000)
    table.messages += table.wire.unplug()
    assert [type(m) for m in table.messages] == [LinkDown]


def test_unplugging_ends_the_inventory_too() -> None:
    table = Table()
    table.up()
    table.reader.inventory(2, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + 20_000)
    now_us = table.wire.now_us
    assert table.wire.unplug() == [
        ReaderFault("r1", 2, "timeout", now_us),
        LinkDown("r1", DOWN_UNPLUGGED, now_us),
    ]
    assert table.reader.next_deadline_us() is None
    table.up()
    assert isinstance(table.read(2), TagsSeen)


def test_the_caller_is_told_of_wrong_use() -> None:
    table = Table()
    table.up()
    with pytest.raises(ValueError, match="antenna 9"):
        table.reader.inventory(9, table.wire.now_us)
    table.reader.inventory(1, table.wire.now_us)
    with pytest.raises(LinkNotReadyError):
        table.reader.inventory(2, table.wire.now_us)
    with pytest.raises(ValueError, match="antennas"):
        FeigReader("r1", antennas=())


def test_an_idle_link_is_kept_alive_for_long() -> None:
    table = Table()
    table.up()
    assert table.wire.run_until(30_000_000) == []
    assert table.reader.idle


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
    pieces.wire.to_host = pieces.wire.to_device = chunks
    for each in (table, pieces):
        each.up()
        each.read(2)
    whole, cut = ([m.tags for m in t.messages if isinstance(m, TagsSeen)] for t in (table, pieces))
    assert whole == cut == [tuple(sorted(lying(count)(2, 0)))]
    assert pieces.reader.stats == table.reader.stats


def mutated(count: int, plan: list[tuple[int, int]], reader_class: type[FeigReader] = FeigReader) -> None:
    """Each carried piece is left whole, dropped, doubled, or has one bit flipped, as the plan says."""
    table = Table(count=count, reader_class=reader_class)
    table.up()
    steps = iter(plan)

    def damage(data: bytes) -> list[bytes]:
        kind, where = next(steps, (0, 0))
        if kind == 3:
            spoilt = bytearray(data)
            where %= 8 * len(data)
            spoilt[where // 8] ^= 1 << where % 8
            return [bytes(spoilt)]
        return [data] * (1, 0, 2)[kind]

    table.wire.to_host = table.wire.to_device = damage
    for antenna in (1, 2, 3, 1):
        answer = table.read(antenna)
        if isinstance(answer, TagsSeen):
            assert answer.tags == tuple(sorted(lying(count)(antenna, 0))), "tags that do not lie there"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 8), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=40))
def test_mutated_frames_never_become_other_tags(count: int, plan: list[tuple[int, int]]) -> None:
    mutated(count, plan)


class TrustingSplitter(FeigSplitter):
    """The planted fault: takes what comes in one piece for a frame, whatever its checksum."""

    def feed(self, data: bytes) -> list[Frame | Noise]:
        return [Frame(data, False)]


class TrustingLine(Line):
    def __init__(self, baud: int) -> None:
        super().__init__(baud)
        self._splitter = TrustingSplitter()


class TrustingReader(FeigReader):
    def opened(self, now_us: int) -> list[Message]:
        self._line = TrustingLine(self.baud)
        return super().opened(now_us)


def test_the_planted_lack_of_a_checksum_is_caught() -> None:
    """Pieces 0 and 1 select the antenna, 2 asks, 3 answers: a bit of the first tag's number is flipped."""
    plan = [(0, 0), (0, 0), (0, 0), (3, 8 * 10)]
    mutated(2, plan)
    with pytest.raises(AssertionError, match="do not lie there"):
        mutated(2, plan, TrustingReader)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=20))
def test_garbage_never_crashes_nor_speaks(pieces: list[bytes]) -> None:
    table = Table()
    table.up()
    table.reader.inventory(1, table.wire.now_us)
    for piece in pieces:
        assert not [m for m in table.reader.receive(piece, table.wire.now_us) if isinstance(m, TagsSeen)]
    assert table.wire.run_until_message(DONE, LONG_US)


def test_boot_time_of_a_reset_is_survived_without_link_down() -> None:
    table = Table()
    table.up()
    table.emulator.reset(table.wire.now_us)
    assert isinstance(table.read(2), TagsSeen)
    assert BOOT_US < table.wire.now_us < READER_SILENCE_US + BOOT_US
    assert not [m for m in table.messages if isinstance(m, LinkDown)]
