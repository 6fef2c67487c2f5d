"""What every reader's driver promises, whatever its protocol: the same cases for all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.emulators.air import Ask
from firmware_bridge.emulators.faults import Fault
from firmware_bridge.failures import ATTEMPTS, RESET_AFTER
from firmware_bridge.feig import FeigReader
from firmware_bridge.framing import Frame
from firmware_bridge.link import DOWN_SILENCE, DOWN_UNPLUGGED, SERIAL_GAP_US, LinkNotReadyError
from firmware_bridge.messages import LinkDown, LinkUp, Message, ReaderFault, TagsSeen
from firmware_bridge.patience import GROWTH, TALL
from firmware_bridge.pepper import PepperReader
from firmware_bridge.pepper import frames as pepper_frames
from tests.firmware_bridge.readers import (
    ANTENNAS,
    LONG_US,
    READERS,
    STRAY,
    US_PER_TAG,
    Bench,
    ReaderName,
    bench,
    splitter_of,
    stray_answer,
    tags_of,
)

readers = pytest.mark.parametrize("name", READERS)
SOON_US = 1_000_000
"""Within that a reader that is silent is told down where nothing long can be on the air."""
LATE_US = 500_000
"""So much later than its longest reading, else; and by the air time of a pot that may have been swept onto it."""
MORE_US = GROWTH * US_PER_TAG[100]


@readers
def test_greeting(name: ReaderName) -> None:
    table = bench(name)
    table.up()
    assert table.messages == [LinkUp("r1", table.wire.now_us)]
    assert table.reader.version
    assert table.reader.antennas == ANTENNAS
    assert table.wire.now_us < 50_000


@readers
@pytest.mark.parametrize("count", [0, 1, 5, 20, 60, 100, 255])
def test_all_tags_are_told_once_and_in_order(name: ReaderName, count: int) -> None:
    table = bench(name, count)
    table.lying = lambda antenna: [*reversed(tags_of(antenna, count)), *tags_of(antenna, count)]
    table.up()
    assert table.seen(2) == tuple(tags_of(2, count))
    assert table.emulator.inventories == 1
    assert (table.reader.stats.retries, table.reader.stats.timeouts) == (0, 0)


@readers
@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("count", [60, 255])
def test_a_heap_darkens_nothing(name: ReaderName, ask: Ask, count: int) -> None:
    """One antenna has a heap from the beginning; the others are read as ever."""
    table = bench(name, ask=ask, seed=count)
    table.lying = lambda antenna: tags_of(antenna, count if antenna == 2 else 5)
    table.up()
    for antenna in (1, 2, 3, 2, 1, 2):
        assert len(table.seen(antenna)) == (count if antenna == 2 else 5)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]
    assert table.reader.stats.retries == 0


@readers
@pytest.mark.parametrize("ask", [100, 10])
@pytest.mark.parametrize("count", [40, 60])
def test_a_heap_may_land_at_once(name: ReaderName, ask: Ask, count: int) -> None:
    table = bench(name, 0, ask=ask)
    table.up()
    assert table.seen(1) == ()
    table.lying = lambda antenna: tags_of(antenna, count)
    assert len(table.seen(1)) == count
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_unplugged_at_every_state(name: ReaderName) -> None:
    """The cable is pulled out after each step of a greeting and two inventories, and put in again."""
    steps = 0
    while True:
        table = bench(name, 2)
        told = table.wire.plug()
        asked = 0
        for _ in range(steps):
            if table.reader.idle and asked < 2:
                asked += 1
                table.reader.inventory(asked, table.wire.now_us)
            told += table.wire.step(LONG_US)
        open_job = asked - sum(isinstance(m, TagsSeen) for m in told)
        was_up = table.reader.up
        last = table.wire.unplug()
        ends = [ReaderFault("r1", asked, "timeout", table.wire.now_us)] if open_job else []
        assert last == [*ends, LinkDown("r1", DOWN_UNPLUGGED, table.wire.now_us)]
        assert (table.reader.up, table.reader.idle, table.reader.next_deadline_us()) == (False, False, None)
        assert table.wire.unplug() == []
        table.up()
        assert table.seen(3) == tuple(tags_of(3, 2))
        if was_up and asked == 2 and not open_job:
            return
        steps += 1


@readers
@pytest.mark.parametrize("after_us", range(0, 400_000, 37_000))
def test_a_silent_reader_is_told(name: ReaderName, after_us: int) -> None:
    """At any moment of a sweep over settled spots; what was asked for has its end, and all is well afterwards."""
    table = bench(name)
    table.up()
    for antenna in ANTENNAS:
        table.seen(antenna)
    start_us = table.wire.now_us
    until_us, asked, ended = start_us + after_us, 0, 0
    table.emulator.silence(0)
    told = list[object]()
    while not any(isinstance(m, LinkDown) for m in told):
        if table.wire.now_us >= until_us:
            table.emulator.silence(until_us + 3_000_000)
        if table.reader.idle:
            asked += 1
            table.reader.inventory(1 + asked % 3, table.wire.now_us)
        new = table.wire.step(until_us if table.wire.now_us < until_us else LONG_US)
        ended += sum(isinstance(m, TagsSeen | ReaderFault) for m in new)
        told += new
    assert asked == ended
    assert told[-1] == LinkDown("r1", DOWN_SILENCE, table.wire.now_us)
    assert table.wire.now_us - until_us <= SOON_US + 100_000
    back = table.wire.run_until_message((LinkUp,), LONG_US)
    assert [type(m) for m in back] == [LinkUp]
    assert table.wire.now_us - (until_us + 3_000_000) < LATE_US
    assert table.seen(1)


@readers
def test_silence_during_a_heap_is_told_when_the_heap_must_have_been_read(name: ReaderName) -> None:
    table = bench(name, 100)
    table.up()
    start_us = table.wire.now_us
    table.seen(1)
    longest_us = table.wire.now_us - start_us
    table.reader.inventory(1, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + 30_000)
    start_us = table.wire.now_us
    table.wire.to_host = lambda data: []
    told = table.wire.run_until_message((LinkDown,), LONG_US)
    assert [type(m) for m in told] == [ReaderFault, LinkDown]
    assert table.wire.now_us - start_us < longest_us + LATE_US + MORE_US


@readers
def test_a_reader_that_never_answers_is_told_down_once(name: ReaderName) -> None:
    table = bench(name)
    table.emulator.silence(LONG_US)
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
    table = bench(name)
    table.up()
    table.emulator.inject(fault, times)
    for antenna in (2, 3, 1, 2):
        table.read(antenna)
    for antenna in ANTENNAS * 2:
        end = table.read(antenna)
    assert isinstance(end, TagsSeen)
    assert table.seen(2) == tuple(tags_of(2, 5))


def time_with_a_spoilt_answer_us(name: ReaderName) -> int:
    table = bench(name)
    table.up()
    table.emulator.inject(Fault("corrupt", 100))
    start_us = table.wire.now_us
    table.seen(2)
    assert table.reader.stats.retries == 1
    return table.wire.now_us - start_us


@readers
def test_a_spoilt_answer_is_asked_for_again_at_once(name: ReaderName, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was whole, by its length: a driver that waits for a pause of the line takes that much longer."""
    at_once_us = time_with_a_spoilt_answer_us(name)
    splitter = type(splitter_of(bench(name).reader))
    monkeypatch.setattr(splitter, "spoilt", property(lambda self: False, lambda self, value: None), raising=False)
    assert time_with_a_spoilt_answer_us(name) == at_once_us + SERIAL_GAP_US


@readers
@pytest.mark.parametrize(("count", "again"), [(TALL, True), (TALL + 1, False)])
def test_whether_a_tall_stack_is_read_again_is_for_others_to_say(name: ReaderName, count: int, again: bool) -> None:
    """Its answer came spoilt: another spot may have waited longer."""
    table = bench(name, count)
    table.up()
    table.seen(2)
    table.emulator.inject(Fault("corrupt", 100))
    end, now_us = table.read(2), table.wire.now_us
    whole = TagsSeen("r1", 2, tuple(tags_of(2, count)), now_us)
    assert end == (whole if again else ReaderFault("r1", 2, "bad-frame", now_us))
    assert table.reader.stats.retries == again
    assert table.seen(2) == tuple(tags_of(2, count))


@readers
@pytest.mark.parametrize(("count", "inventories"), [(TALL, RESET_AFTER), (TALL + 1, RESET_AFTER * ATTEMPTS)])
def test_a_reader_is_started_anew_after_as_many_attempts_of_any_stack(
    name: ReaderName, count: int, inventories: int
) -> None:
    table = bench(name, count)
    table.up()
    table.seen(2)
    table.emulator.inject(Fault("corrupt", 100), RESET_AFTER * ATTEMPTS)
    codes = list[str]()
    for _ in range(inventories):
        assert "reset" not in codes
        table.messages.clear()
        table.read(2)
        codes = [told.code for told in table.messages if isinstance(told, ReaderFault)]
    assert codes == ["bad-frame", "reset"]


def late_answers(name: ReaderName, count: int, **more: Any) -> None:
    for late_us in range(50_000, 2_000_000, 130_000):
        table = bench(name, count, **more)
        table.up()
        for antenna in ANTENNAS:
            table.seen(antenna)
        table.emulator.inject(Fault("late", late_us), 2)
        for antenna in (1, 2, 3, 2, 1):
            table.read(antenna)


@readers
@pytest.mark.parametrize("count", [1, 5])
def test_a_late_answer_is_never_taken_for_another_antenna(name: ReaderName, count: int) -> None:
    late_answers(name, count)


class CarelessPepper(PepperReader):
    """The planted fault: what is late is not waited for, nor the selection of the next antenna."""

    def _on_timeout(self, waiting: Any, now_us: int) -> list[Message]:
        if waiting.command != pepper_frames.INVENTORY_START:
            return super()._on_timeout(waiting, now_us)
        messages = self._fail_attempt(now_us, "timeout")
        self._flush_needed = False
        self._advance(now_us)
        return messages

    def _send(self, command: int, data: bytes, now_us: int, air_us: int = 0) -> None:
        super()._send(command, data, now_us, air_us)
        if command == pepper_frames.SELECT_ANTENNA and self._job is not None:
            self._waiting = None
            self._job.stage = "start"
            self._advance(now_us)


def test_the_planted_mix_up_of_late_answers_is_caught() -> None:
    with pytest.raises(AssertionError, match="another antenna"):
        late_answers("pepper", 1, driver=lambda: CarelessPepper("r1", antennas=ANTENNAS))


@readers
@pytest.mark.parametrize("asked", [False, True])
def test_a_stray_answer_is_not_taken(name: ReaderName, asked: bool) -> None:
    """Before the antenna is selected nobody waits for tags."""
    table = bench(name)
    table.up()
    if asked:
        table.wire.run_until(table.wire.now_us + 100_000)
        table.reader.inventory(2, table.wire.now_us)
    assert table.reader.receive(stray_answer(name), table.wire.now_us) == []
    assert table.reader.stats.unexpected == 1
    if asked:
        seen = [m for m in table.wire.run_until(table.wire.now_us + 900_000) if isinstance(m, TagsSeen)]
        assert [m.tags for m in seen] == [tuple(tags_of(2, 5))]
    assert STRAY not in table.seen(2)


@readers
@pytest.mark.parametrize("boot_us", [60_000, 300_000])
def test_a_restart_between_readings_moves_no_antenna(name: ReaderName, boot_us: int) -> None:
    table = bench(name)
    table.up()
    table.seen(3)
    table.emulator.reset(table.wire.now_us, boot_us)
    table.wire.run_until(table.wire.now_us + boot_us + 1)
    assert table.seen(3)
    assert table.seen(2)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_a_restart_while_reading_is_no_silence(name: ReaderName) -> None:
    table = bench(name)
    table.up()
    table.emulator.reset(table.wire.now_us)
    assert table.seen(2)
    assert not [m for m in table.messages if isinstance(m, LinkDown)]


@readers
def test_restarts_by_the_driver_are_few(name: ReaderName) -> None:
    """Inventories fail for five minutes although the reader answers all else: three restarts, then one a minute."""
    table = bench(name)
    table.up()
    table.emulator.inject(Fault("silence"), 1_000)
    while table.wire.now_us < 300_000_000:
        assert isinstance(table.read(1), ReaderFault)
        if not table.reader.idle:
            table.messages += table.wire.run_until_message((LinkUp,), LONG_US * 9)
        table.wire.run_until(table.wire.now_us + 500_000)
        if table.emulator.inventories > 900:
            break
    resets = [m for m in table.messages if isinstance(m, ReaderFault) and m.code == "reset"]
    minutes = table.wire.now_us // 60_000_000
    assert 3 <= len(resets) <= 4 + minutes


@readers
def test_wrong_use_is_told(name: ReaderName) -> None:
    table = bench(name)
    with pytest.raises(LinkNotReadyError):
        table.reader.inventory(1, 0)
    table.up()
    with pytest.raises(ValueError, match="antenna 9"):
        table.reader.inventory(9, table.wire.now_us)
    table.reader.inventory(1, table.wire.now_us)
    with pytest.raises(LinkNotReadyError):
        table.reader.inventory(2, table.wire.now_us)


@pytest.mark.parametrize(
    ("make", "antennas"), [(FeigReader, ()), (FeigReader, (256,)), (PepperReader, (0,)), (PepperReader, (9,))]
)
def test_antennas_are_checked(make: Any, antennas: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="antennas"):
        make("r1", antennas=antennas)


@readers
def test_an_idle_link_is_kept_alive(name: ReaderName) -> None:
    table = bench(name)
    table.up()
    assert table.wire.run_until(30_000_000) == []
    assert table.reader.idle


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

    table, pieces = bench(name, count), bench(name, count)
    pieces.wire.to_host = pieces.wire.to_device = chunks
    for each in (table, pieces):
        each.up()
        assert each.seen(2) == tuple(tags_of(2, count))
    assert pieces.reader.stats == table.reader.stats


def damaged(table: Bench, count: int, plan: list[tuple[int, int]]) -> None:
    """Each carried piece is left whole, dropped, has one bit flipped, or (answers) comes twice, as the plan says."""
    table.up()
    steps = iter(plan)

    def damage(data: bytes, to_host: bool = True) -> list[bytes]:
        kind, where = next(steps, (0, 0))
        if kind == 3:
            spoilt = bytearray(data)
            where %= 8 * len(data)
            spoilt[where // 8] ^= 1 << where % 8
            return [bytes(spoilt)]
        return [data] * (1, 0, 2 if to_host else 1)[kind]

    table.wire.to_host = damage
    table.wire.to_device = lambda data: damage(data, to_host=False)
    for antenna in (1, 2, 3, 1):
        answer = table.read(antenna)
        if isinstance(answer, TagsSeen):
            lying = set(tags_of(antenna, count))
            assert set(answer.tags) == lying or (set(answer.tags) < lying and not answer.whole), (
                "tags that do not lie there"
            )


@readers
@settings(max_examples=100, deadline=None)
@given(count=st.integers(0, 6), plan=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 10_000)), max_size=40))
def test_damaged_frames_never_become_other_tags(name: ReaderName, count: int, plan: list[tuple[int, int]]) -> None:
    damaged(bench(name, count), count, plan)


@readers
def test_the_planted_lack_of_a_check_is_caught(name: ReaderName) -> None:
    """A driver that takes every piece for a frame: some flipped bit of the answers becomes another tag."""

    def trusting(data: bytes) -> list[Frame]:
        return [Frame(data if name == "feig" else data[5:-2], after_noise=False)]

    caught = 0
    for piece in range(8):
        for bit in (8 * 10, 8 * 12):
            table = bench(name, 2)
            splitter_of(table.reader).feed = trusting
            plan = [(0, 0)] * piece + [(3, bit)]
            try:
                damaged(table, 2, plan)
            except AssertionError as error:
                caught += "do not lie there" in str(error) or "another antenna" in str(error)
    assert caught
    for piece in range(8):
        damaged(bench(name, 2), 2, [(0, 0)] * piece + [(3, 8 * 10)])
