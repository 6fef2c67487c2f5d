"""Pepper C1 MUX: frames of readers.md, what is its own in driver and emulator. All else: test_reader_contract."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.wire import Wire
from firmware_bridge.framing import Frame, Noise
from firmware_bridge.messages import LinkUp, ReaderFault, TagsSeen
from firmware_bridge.patience import TALL
from firmware_bridge.pepper import PepperReader, frames
from tests.firmware_bridge.readers import bench, tags_of

TAG = "E01624010A7F8F04"


def hexed(text: str) -> bytes:
    return bytes.fromhex(text)


@pytest.mark.parametrize(
    ("made", "sent"),
    [
        (frames.request(frames.DUMMY), "F5 03 00 FC FF 01 D1 F1"),
        (frames.request(frames.VERSION), "F5 03 00 FC FF 0B 9B 50"),
        (frames.select_antenna(1), "F5 04 00 FB FF 0F 01 10 1D"),
        (frames.select_antenna(8), "F5 04 00 FB FF 0F 08 39 8C"),
        (frames.inventory_start(), "F5 04 00 FB FF 90 00 E4 05"),
        (frames.inventory_next(), "F5 04 00 FB FF 91 00 D5 36"),
    ],
)
def test_requests(made: bytes, sent: str) -> None:
    assert made == hexed(sent)


@pytest.mark.parametrize(
    ("came", "answer"),
    [
        ("F5 04 00 FB FF 00 01 2E 0D", frames.Answer("done", frames.DUMMY, 0, b"")),
        ("F5 04 00 FB FF 00 0F E0 EC", frames.Answer("done", frames.SELECT_ANTENNA, 0, b"")),
        (
            "F5 0E 00 F1 FF 00 90 04 8F 7F 0A 01 24 16 E0 00 01 01 00",
            frames.Answer("done", frames.INVENTORY_START, 0, frames.build_tag(TAG, more=True)),
        ),
        (
            "F5 0E 00 F1 FF 00 91 04 8F 7F 0A 01 24 16 E0 00 00 69 C8",
            frames.Answer("done", frames.INVENTORY_NEXT, 0, frames.build_tag(TAG, more=False)),
        ),
        ("F5 06 00 F9 FF FF 90 01 00 6B 84", frames.Answer("error", frames.INVENTORY_START, frames.NO_TAG, b"")),
    ],
)
def test_answers(came: str, answer: frames.Answer) -> None:
    (frame,) = frames.PepperSplitter().feed(hexed(came))
    assert isinstance(frame, Frame)
    assert frames.parse_answer(frame.data) == answer


def test_a_tag() -> None:
    assert frames.parse_tag(frames.build_tag(TAG, more=True)) == (TAG, True)
    with pytest.raises(frames.BadAnswerError, match="tag of 9 bytes: 10 expected"):
        frames.parse_tag(bytes(9))


@pytest.mark.parametrize("payload", [b"\x00", b"\xff\x90\x01", b"\x01\x90"])
def test_what_is_no_answer(payload: bytes) -> None:
    with pytest.raises(frames.BadAnswerError, match="00 with a command, FF with an error, or FE expected"):
        frames.parse_answer(payload)


def test_check_value() -> None:
    assert frames.checksum(b"123456789") == bytes((0xB1, 0x29))


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=6), st.lists(st.integers(0, 400), max_size=8))
def test_several_frames_in_any_pieces(payloads: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(frames.frame(payload) for payload in payloads)
    edges = [0, *sorted(at % (len(stream) + 1) for at in cuts), len(stream)]
    splitter = frames.PepperSplitter()
    found = [each for low, high in pairwise(edges) for each in splitter.feed(stream[low:high])]
    assert found == [Frame(payload, after_noise=False) for payload in payloads]
    assert not splitter.begun


def test_a_frame_behind_noise_says_so() -> None:
    splitter = frames.PepperSplitter()
    frame = frames.request(frames.DUMMY)
    assert splitter.feed(b"\xf5\x01" + frame) == [Noise(b"\xf5\x01"), Frame(b"\x01", after_noise=True)]
    assert splitter.feed(frame) == [Frame(b"\x01", after_noise=False)]


@pytest.mark.parametrize(
    ("cut", "change", "spoilt"), [(None, 1, True), (-1, 1, False), (None, 0, False)], ids=["whole", "goes on", "right"]
)
def test_a_whole_frame_with_a_wrong_checksum_is_spoilt(cut: int | None, change: int, spoilt: bool) -> None:
    frame = bytearray(frames.request(frames.DUMMY))
    frame[5] ^= change
    splitter = frames.PepperSplitter()
    splitter.feed(bytes(frame[:cut]))
    assert splitter.spoilt is spoilt


def test_a_head_that_is_too_long_is_noise() -> None:
    """Its length and inverse fit; so many bytes never come."""
    splitter = frames.PepperSplitter()
    frame = frames.request(frames.DUMMY)
    assert splitter.feed(b"\xf5\x01\x20\xfe\xdf" + frame)[-1] == Frame(b"\x01", after_noise=True)


def table(count: int = 3, *, polling: bool = False) -> tuple[PepperReader, PepperEmulator, Wire]:
    emulator = PepperEmulator(lambda antenna, now_us: [f"E0{n:014X}" for n in range(count)], polling=polling)
    reader = PepperReader("r1", antennas=(1, 2, 8))
    return reader, emulator, Wire(reader, emulator)


def test_a_reader_that_looks_for_tags_by_itself_is_told_not_to() -> None:
    reader, emulator, wire = table(polling=True)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    assert not emulator.polling
    assert reader.version == b"Pepper C1 MUX"


def test_it_is_told_again_when_it_speaks_unasked() -> None:
    """As after a restart that nobody noticed."""
    reader, emulator, wire = table(polling=True)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    emulator.reset(wire.now_us, boot_us=1_000)
    assert emulator.polling
    wire.run_until(wire.now_us + 1_000_000)
    assert not emulator.polling
    reader.inventory(2, wire.now_us)
    assert [len(m.tags) for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, TagsSeen)] == [3]


def test_an_unasked_event_within_an_inventory_costs_nothing() -> None:
    reader, _, wire = table()
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    event = frames.frame(bytes((frames.EVENT, 1)))
    wire.to_host = lambda data: [event + data + event]
    reader.inventory(8, wire.now_us)
    seen = [m for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, TagsSeen)]
    assert [(m.antenna, len(m.tags)) for m in seen] == [(8, 3)]
    assert reader.stats.retries == 0


def test_more_tags_than_there_can_be_are_some_of_them() -> None:
    reader, _, wire = table(300)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    reader.inventory(1, wire.now_us)
    seen = [m for m in wire.run_until_message((TagsSeen, ReaderFault), 60_000_000) if isinstance(m, TagsSeen)]
    assert [(len(m.tags), m.whole) for m in seen] == [(255, False)]


def test_tags_of_another_technology_do_not_answer() -> None:
    emulator = PepperEmulator(lambda antenna, now_us: ["04A1B2C3D4E5F6", "34000000" + TAG, TAG])
    reader = PepperReader("r1", antennas=(1,))
    wire = Wire(reader, emulator)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    reader.inventory(1, wire.now_us)
    seen = [m for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, TagsSeen)]
    assert [m.tags for m in seen] == [(TAG,)]


@pytest.mark.parametrize(
    ("request_", "kind", "error"),
    [
        (frames.request(0x55), "error", 3),
        (frames.request(frames.SELECT_ANTENNA, b"\x09"), "error", 4),
        (frames.request(frames.INVENTORY_NEXT, b"\x00"), "error", frames.NO_TAG),
        (frames.request(frames.REBOOT), "done", 0),
    ],
)
def test_the_emulator_answers_everything(request_: bytes, kind: str, error: int) -> None:
    ((_, data),) = table()[1].feed(request_, 0)
    (frame,) = frames.PepperSplitter().feed(data)
    assert isinstance(frame, Frame)
    answer = frames.parse_answer(frame.data)
    assert (answer.kind, answer.error) == (kind, error)


@pytest.mark.parametrize("count", [5, TALL + 1])
def test_where_each_answer_comes_twice_the_second_attempt_is_told_as_not_whole(count: int) -> None:
    table = bench("pepper", count)
    table.up()
    table.seen(2)
    table.wire.to_host = lambda data: [data, data]
    for attempts in (1, 2, 3):
        end = table.read(2)
        assert end == TagsSeen("r1", 2, tuple(tags_of(2, count)), table.wire.now_us, whole=False)
        assert table.reader.stats.retries == attempts
