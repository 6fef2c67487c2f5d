"""Pepper C1 MUX reader: the frames in readers.md, and behaviour that no other reader has.

Tests that run for every reader are in test_reader_contract.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.driver_messages import InventoryResult, LinkUp, ReaderFault
from firmware_bridge.emulators.pepper import PepperEmulator
from firmware_bridge.emulators.simulated_line import SimulatedLine
from firmware_bridge.feig_framing import Frame, LineNoise
from firmware_bridge.inventory_timeout import TALL_STACK_TAGS
from firmware_bridge.pepper import PepperDriver, frames
from tests.firmware_bridge.reader_bench import reader_bench, tags_of

TAG = "E01624010A7F8F04"


def from_hex(text: str) -> bytes:
    return bytes.fromhex(text)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (frames.request(frames.DUMMY), "F5 03 00 FC FF 01 D1 F1"),
        (frames.request(frames.VERSION), "F5 03 00 FC FF 0B 9B 50"),
        (frames.select_antenna(1), "F5 04 00 FB FF 0F 01 10 1D"),
        (frames.select_antenna(8), "F5 04 00 FB FF 0F 08 39 8C"),
        (frames.inventory_start(), "F5 04 00 FB FF 90 00 E4 05"),
        (frames.inventory_next(), "F5 04 00 FB FF 91 00 D5 36"),
    ],
)
def test_requests_are_built_as_documented(frame: bytes, expected: str) -> None:
    assert frame == from_hex(expected)


@pytest.mark.parametrize(
    ("frame_text", "answer"),
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
def test_answers_are_parsed_as_documented(frame_text: str, answer: frames.Answer) -> None:
    (frame,) = frames.PepperFrameSplitter().feed(from_hex(frame_text))
    assert isinstance(frame, Frame)
    assert frames.parse_answer(frame.data) == answer


def test_tag_is_parsed() -> None:
    assert frames.parse_tag(frames.build_tag(TAG, more=True)) == (TAG, True)
    with pytest.raises(frames.BadAnswerError, match="tag of 9 bytes: expected 10"):
        frames.parse_tag(bytes(9))


@pytest.mark.parametrize("payload", [b"\x00", b"\xff\x90\x01", b"\x01\x90"])
def test_invalid_answer_is_rejected(payload: bytes) -> None:
    with pytest.raises(
        frames.BadAnswerError, match="expected 00 and a command, FF and an error, or FE at the beginning"
    ):
        frames.parse_answer(payload)


def test_checksum_check_value() -> None:
    assert frames.checksum(b"123456789") == bytes((0xB1, 0x29))


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=6), st.lists(st.integers(0, 400), max_size=8))
def test_frames_are_split_in_any_chunking(payloads: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(frames.build_frame(payload) for payload in payloads)
    edges = [0, *sorted(at % (len(stream) + 1) for at in cuts), len(stream)]
    splitter = frames.PepperFrameSplitter()
    frames_found = [frame for low, high in pairwise(edges) for frame in splitter.feed(stream[low:high])]
    assert frames_found == [Frame(payload, after_noise=False) for payload in payloads]
    assert not splitter.has_partial_frame


def test_frame_after_noise_is_marked() -> None:
    splitter = frames.PepperFrameSplitter()
    frame = frames.request(frames.DUMMY)
    assert splitter.feed(b"\xf5\x01" + frame) == [LineNoise(b"\xf5\x01"), Frame(b"\x01", after_noise=True)]
    assert splitter.feed(frame) == [Frame(b"\x01", after_noise=False)]


@pytest.mark.parametrize(
    ("cut", "change", "corrupted"),
    [(None, 1, True), (-1, 1, False), (None, 0, False)],
    ids=["whole", "goes on", "right"],
)
def test_complete_frame_with_wrong_checksum_is_corrupt(cut: int | None, change: int, corrupted: bool) -> None:
    frame = bytearray(frames.request(frames.DUMMY))
    frame[5] ^= change
    splitter = frames.PepperFrameSplitter()
    splitter.feed(bytes(frame[:cut]))
    assert splitter.ended_corrupt is corrupted


def test_oversized_header_is_noise() -> None:
    """Send a header with an impossible length.

    The header is otherwise valid, because it also has the matching inverted length.
    """
    splitter = frames.PepperFrameSplitter()
    frame = frames.request(frames.DUMMY)
    assert splitter.feed(b"\xf5\x01\x20\xfe\xdf" + frame)[-1] == Frame(b"\x01", after_noise=True)


def connect(count: int = 3, *, polling: bool = False) -> tuple[PepperDriver, PepperEmulator, SimulatedLine]:
    emulator = PepperEmulator(lambda antenna, now_us: [f"E0{n:014X}" for n in range(count)], polling=polling)
    reader = PepperDriver("r1", antennas=(1, 2, 8))
    return reader, emulator, SimulatedLine(reader, emulator)


def test_reader_in_polling_mode_is_switched_off() -> None:
    reader, emulator, wire = connect(polling=True)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    assert not emulator.is_polling
    assert reader.version == b"Pepper C1 MUX"


def test_polling_mode_is_switched_off_again_after_an_unsolicited_event() -> None:
    """Restart the reader. The reader does not report this to the host."""
    reader, emulator, wire = connect(polling=True)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    emulator.reset(wire.now_us, boot_us=1_000)
    assert emulator.is_polling
    wire.run_until(wire.now_us + 1_000_000)
    assert not emulator.is_polling
    reader.start_inventory(2, wire.now_us)
    assert [len(m.tags) for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, InventoryResult)] == [3]


def test_unsolicited_event_during_an_inventory_costs_no_time() -> None:
    reader, _, wire = connect()
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    event = frames.build_frame(bytes((frames.EVENT, 1)))
    wire.corrupt_to_host = lambda data: [event + data + event]
    reader.start_inventory(8, wire.now_us)
    results = [m for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, InventoryResult)]
    assert [(m.antenna, len(m.tags)) for m in results] == [(8, 3)]
    assert reader.stats.retries == 0


def test_more_tags_than_the_maximum_are_partial() -> None:
    reader, _, wire = connect(300)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    reader.start_inventory(1, wire.now_us)
    results = [
        m for m in wire.run_until_message((InventoryResult, ReaderFault), 60_000_000) if isinstance(m, InventoryResult)
    ]
    assert [(len(m.tags), m.is_complete) for m in results] == [(255, False)]


def test_tags_of_another_technology_do_not_answer() -> None:
    emulator = PepperEmulator(lambda antenna, now_us: ["04A1B2C3D4E5F6", "34000000" + TAG, TAG])
    reader = PepperDriver("r1", antennas=(1,))
    wire = SimulatedLine(reader, emulator)
    wire.plug()
    wire.run_until_message((LinkUp,), 1_000_000)
    reader.start_inventory(1, wire.now_us)
    results = [m for m in wire.run_until(wire.now_us + 900_000) if isinstance(m, InventoryResult)]
    assert [m.tags for m in results] == [(TAG,)]


@pytest.mark.parametrize(
    ("request_", "kind", "error"),
    [
        (frames.request(0x55), "error", 3),
        (frames.request(frames.SELECT_ANTENNA, b"\x09"), "error", 4),
        (frames.request(frames.INVENTORY_NEXT, b"\x00"), "error", frames.NO_TAG),
        (frames.request(frames.REBOOT), "done", 0),
    ],
)
def test_emulator_answers_every_request(request_: bytes, kind: str, error: int) -> None:
    ((_, data),) = connect()[1].feed(request_, 0)
    (frame,) = frames.PepperFrameSplitter().feed(data)
    assert isinstance(frame, Frame)
    answer = frames.parse_answer(frame.data)
    assert (answer.kind, answer.error) == (kind, error)


@pytest.mark.parametrize("count", [5, TALL_STACK_TAGS + 1])
def test_second_attempt_with_duplicate_answers_is_partial(count: int) -> None:
    connect = reader_bench("pepper", count)
    connect.connect()
    connect.read_tags(2)
    connect.wire.corrupt_to_host = lambda data: [data, data]
    for attempts in (1, 2, 3):
        end = connect.read(2)
        assert end == InventoryResult("r1", 2, tuple(tags_of(2, count)), connect.wire.now_us, is_complete=False)
        assert connect.reader.stats.retries == attempts
