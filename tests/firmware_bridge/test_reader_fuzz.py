"""Fuzz tests of the reader drivers with mutated frames, which arrive in pieces.

A driver must not raise an error or accept a frame with a wrong checksum, and must soon work again.
"""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from firmware_bridge.driver_interface import ReaderDriver
from firmware_bridge.driver_messages import InventoryResult, ReaderFault
from firmware_bridge.feig import frames as feig
from firmware_bridge.feig.tag_records import build_tags
from firmware_bridge.feig_framing import Frame, LineNoise
from firmware_bridge.pepper import frames as pepper
from tests.firmware_bridge.reader_bench import (
    READERS,
    STRAY_TAG,
    ReaderBench,
    ReaderName,
    reader_bench,
    splitter_of,
    stray_answer,
    tags_of,
)

readers = pytest.mark.parametrize("name", READERS)

FRAMES: Final = 25_000
"""Number of mutated frames for each reader in `make test`. `make soak` uses forty times as many."""
SOAK_ROUNDS: Final = 40
FRAMES_PER_ROUND: Final = 40
"""Number of mutated frames that arrive during one inventory."""
QUIET_US: Final = 50_000
TAG_COUNT: Final = 2

CORPUS: Final[dict[ReaderName, tuple[bytes, ...]]] = {
    "feig": (
        feig.answer(feig.ISO_HOST, feig.STATUS_OK, build_tags((STRAY_TAG,))),
        feig.answer(feig.ISO_HOST, feig.STATUS_OK, build_tags((STRAY_TAG, *tags_of(9, 4)))),
        feig.answer(feig.ISO_HOST, feig.STATUS_MORE, build_tags(tuple(tags_of(9, 30)))),
        feig.answer(feig.ISO_HOST, feig.STATUS_NO_TRANSPONDER),
        feig.answer(feig.RF_ON_OFF, feig.STATUS_OK),
        feig.answer(feig.VERSION, feig.STATUS_OK, bytes(7)),
        feig.answer(feig.CPU_RESET, feig.STATUS_OK),
        feig.inventory(),
    ),
    "pepper": (
        stray_answer("pepper"),
        pepper.build_frame(bytes((pepper.DONE, pepper.INVENTORY_NEXT)) + pepper.build_tag(STRAY_TAG, more=True)),
        pepper.build_frame(bytes((pepper.ERROR, pepper.INVENTORY_START, 1, 0))),
        pepper.build_frame(bytes((pepper.DONE, pepper.SELECT_ANTENNA))),
        pepper.build_frame(bytes((pepper.DONE, pepper.VERSION)) + b"Pepper"),
        pepper.build_frame(bytes((pepper.EVENT, 1, 2, 3))),
        pepper.inventory_start(),
    ),
}


def mutated(frame: bytes, other: bytes, random: Random) -> bytes:
    """Return a mutated copy of the frame. The copy may be empty."""
    data = bytearray(frame)
    at = random.randrange(len(data))
    match random.randrange(9):
        case 0:
            data[at] ^= 1 << random.randrange(8)
        case 1:
            data[at] = random.randrange(256)
        case 2:
            del data[at]
        case 3:
            data.insert(at, random.randrange(256))
        case 4:
            del data[at:]
        case 5:
            del data[: at + 1]
        case 6:
            data[at:] = other[random.randrange(len(other)) :]
        case 7:
            data[1] ^= 1 << random.randrange(8)
        case _:
            data = bytearray(random.randbytes(at + 1))
    return bytes(data)


def chopped(data: bytes, random: Random) -> list[bytes]:
    """Return the data in at most three pieces, divided at random places."""
    first, second = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    return [piece for piece in (data[:first], data[first:second], data[second:]) if piece]


def has_valid_checksum(name: ReaderName, frame: Frame, stream: bytes) -> bool:
    """Return True if the frame occurs in the received bytes with a valid checksum.

    This function computes the checksum bit by bit, independently of the driver.
    """
    if name == "feig":
        return _crc(frame.data[:-2], 0x8408, reflected=True) == frame.data[-2:] and frame.data in stream
    return frame.data + _crc(frame.data, 0x1021, reflected=False) in stream


def _crc(data: bytes, polynomial: int, *, reflected: bool) -> bytes:
    crc = 0xFFFF
    for byte in data:
        crc ^= byte if reflected else byte << 8
        for _ in range(8):
            if reflected:
                crc = crc >> 1 ^ polynomial if crc & 1 else crc >> 1
            else:
                crc = (crc << 1 ^ polynomial if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc.to_bytes(2, "little")


class SplitterSpy:
    """Records the bytes that a driver receives, and the frames that its splitter finds in them."""

    def __init__(self, reader: ReaderDriver) -> None:
        splitter = splitter_of(reader)
        self._feed = splitter.feed
        self.stream = bytearray()
        self.accepted: list[Frame] = []
        splitter.feed = self.feed

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        self.stream += data
        frames: list[Frame | LineNoise] = self._feed(data)
        self.accepted += [frame for frame in frames if isinstance(frame, Frame)]
        return frames

    def begin(self) -> None:
        self.stream.clear()
        self.accepted.clear()


def run_round(table: ReaderBench, spy: SplitterSpy, antenna: int, random: Random) -> None:
    """Send mutated frames during a first inventory. After a silence, a second inventory must find all tags.

    - If all mutated frames are invalid, the first inventory must not report wrong tags, and the second one must succeed
      without a retry.
    - If a mutated frame is valid by chance, the first inventory may have any result. Its own answer may then still be
      on the line, so the second inventory may need a retry.
    """
    corpus = CORPUS[table.name]
    spy.begin()
    table.reader.start_inventory(antenna, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + random.randrange(20_000))
    inventory_results = list[InventoryResult | ReaderFault]()
    for _ in range(FRAMES_PER_ROUND):
        data = mutated(random.choice(corpus), random.choice(corpus), random)
        for piece in chopped(data, random):
            inventory_results += [
                m
                for m in table.reader.receive_data(piece, table.wire.now_us)
                if isinstance(m, InventoryResult | ReaderFault)
            ]
    has_valid_frames = len(spy.accepted)
    assert all(has_valid_checksum(table.name, frame, bytes(spy.stream)) for frame in spy.accepted), (
        "a frame with a wrong checksum"
    )
    while not [result for result in inventory_results if result.antenna]:
        inventory_results += [
            m for m in table.wire.step(table.wire.now_us + 9_000_000) if isinstance(m, InventoryResult | ReaderFault)
        ]
    results = [result for result in inventory_results if isinstance(result, InventoryResult)]
    assert has_valid_frames or all(result.tags == tuple(tags_of(antenna, TAG_COUNT)) for result in results), (
        "tags that are not in the field"
    )
    table.wire.run_until(table.wire.now_us + QUIET_US)
    retries = table.reader.stats.retries
    assert table.read_tags(1 + antenna % 3) == tuple(tags_of(1 + antenna % 3, TAG_COUNT))
    assert has_valid_frames or table.reader.stats.retries == retries


def fuzz(name: ReaderName, frames: int, seed: int) -> None:
    random = Random(f"{seed} {name}")
    table = reader_bench(name, TAG_COUNT)
    table.connect()
    spy = SplitterSpy(table.reader)
    for number in range(frames // FRAMES_PER_ROUND):
        run_round(table, spy, 1 + number % 3, random)


@readers
def test_mutated_frames_never_change_a_tag(name: ReaderName) -> None:
    fuzz(name, FRAMES, 0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, SOAK_ROUNDS + 1))
def test_a_million_mutated_frames_never_change_a_tag(seed: int) -> None:
    for name in READERS:
        fuzz(name, FRAMES, seed)


@readers
def test_driver_resynchronises_after_two_good_frames_or_silence(name: ReaderName) -> None:
    """Send garbage and two good frames.

    The driver must then accept the next good frame, at the latest after a silence.
    """
    random = Random(name)
    table = reader_bench(name, TAG_COUNT)
    table.connect()
    spy = SplitterSpy(table.reader)
    good = CORPUS[name][3]
    for number in range(30):
        table.wire.corrupt_to_host = lambda data: [data]
        table.read_tags(1)
        table.reader.start_inventory(1 + number % 3, table.wire.now_us)
        table.wire.corrupt_to_host = lambda data: []
        table.wire.run_until(table.wire.now_us + 5_000)
        table.reader.receive_data(mutated(random.choice(CORPUS[name]), good, random), table.wire.now_us)
        table.reader.receive_data(good + good, table.wire.now_us)
        spy.begin()
        table.reader.receive_data(good, table.wire.now_us)
        if not spy.accepted:
            table.wire.run_until(table.wire.now_us + QUIET_US)
            table.reader.receive_data(good, table.wire.now_us)
        assert spy.accepted, "not in step"


@readers
def test_planted_fault_accepted_checksums_are_caught(name: ReaderName, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "feig":
        monkeypatch.setattr("firmware_bridge.feig_framing.crc16_mcrf4xx", lambda data: AnyCheck())
    else:
        monkeypatch.setattr("firmware_bridge.pepper.frames.checksum", lambda payload: AnyBytes(b"\0\0"))
    table = reader_bench(name, TAG_COUNT)
    table.connect()
    spy = SplitterSpy(table.reader)
    with pytest.raises(AssertionError, match="a frame with a wrong checksum"):
        for number in range(50):
            run_round(table, spy, 1 + number % 3, Random(number))


class AnyCheck(int):
    """A number that equals every other number. With it as checksum, a driver accepts every frame."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class AnyBytes(bytes):
    """Bytes that equal all other bytes. With them as checksum, a driver accepts every frame."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = bytes.__hash__
