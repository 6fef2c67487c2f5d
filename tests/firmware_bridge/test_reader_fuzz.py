"""Mutated and chopped frames: nothing is raised, none is taken whose check is wrong, and all is soon well again."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from firmware_bridge.feig import frames as feig
from firmware_bridge.feig.records import build_tags
from firmware_bridge.framing import Frame, Noise
from firmware_bridge.link import Reader
from firmware_bridge.messages import ReaderFault, TagsSeen
from firmware_bridge.pepper import frames as pepper
from tests.firmware_bridge.readers import READERS, STRAY, Bench, ReaderName, bench, splitter_of, stray_answer, tags_of

readers = pytest.mark.parametrize("name", READERS)

FRAMES: Final = 25_000
"""Of each reader in `make test`; in `make soak` forty times as many."""
SOAK_ROUNDS: Final = 40
A_ROUND: Final = 40
"""Frames that come while one inventory is under way."""
QUIET_US: Final = 50_000
LYING: Final = 2

CORPUS: Final[dict[ReaderName, tuple[bytes, ...]]] = {
    "feig": (
        feig.answer(feig.ISO_HOST, feig.STATUS_OK, build_tags((STRAY,))),
        feig.answer(feig.ISO_HOST, feig.STATUS_OK, build_tags((STRAY, *tags_of(9, 4)))),
        feig.answer(feig.ISO_HOST, feig.STATUS_MORE, build_tags(tuple(tags_of(9, 30)))),
        feig.answer(feig.ISO_HOST, feig.STATUS_NO_TRANSPONDER),
        feig.answer(feig.RF_ON_OFF, feig.STATUS_OK),
        feig.answer(feig.VERSION, feig.STATUS_OK, bytes(7)),
        feig.answer(feig.CPU_RESET, feig.STATUS_OK),
        feig.inventory(),
    ),
    "pepper": (
        stray_answer("pepper"),
        pepper.frame(bytes((pepper.DONE, pepper.INVENTORY_NEXT)) + pepper.build_tag(STRAY, more=True)),
        pepper.frame(bytes((pepper.ERROR, pepper.INVENTORY_START, 1, 0))),
        pepper.frame(bytes((pepper.DONE, pepper.SELECT_ANTENNA))),
        pepper.frame(bytes((pepper.DONE, pepper.VERSION)) + b"Pepper"),
        pepper.frame(bytes((pepper.EVENT, 1, 2, 3))),
        pepper.inventory_start(),
    ),
}


def mutated(frame: bytes, other: bytes, random: Random) -> bytes:
    """The frame with something done to it; now and then with nothing of it left."""
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
    """In one to three pieces."""
    first, second = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    return [piece for piece in (data[:first], data[first:second], data[second:]) if piece]


def right(name: ReaderName, frame: Frame, stream: bytes) -> bool:
    """Whether that came, with a right check: the definition of the checksums, bit by bit."""
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


class Spy:
    """Notes what goes into a reader's splitter and which frames it gives."""

    def __init__(self, reader: Reader) -> None:
        splitter = splitter_of(reader)
        self._feed = splitter.feed
        self.stream = bytearray()
        self.taken: list[Frame] = []
        splitter.feed = self.feed

    def feed(self, data: bytes) -> list[Frame | Noise]:
        self.stream += data
        found: list[Frame | Noise] = self._feed(data)
        self.taken += [each for each in found if isinstance(each, Frame)]
        return found

    def begin(self) -> None:
        self.stream.clear()
        self.taken.clear()


def one_round(table: Bench, spy: Spy, antenna: int, random: Random) -> None:
    """Mutated frames while an inventory is under way, then silence, then an inventory that must succeed at once.

    Some come out right by chance, or are right ones of nobody: then the first inventory may tell anything, and the
    second, which finds the answer of the first on the line, may begin again.
    """
    corpus = CORPUS[table.name]
    spy.begin()
    table.reader.inventory(antenna, table.wire.now_us)
    table.wire.run_until(table.wire.now_us + random.randrange(20_000))
    ends = list[TagsSeen | ReaderFault]()
    for _ in range(A_ROUND):
        data = mutated(random.choice(corpus), random.choice(corpus), random)
        for piece in chopped(data, random):
            ends += [m for m in table.reader.receive(piece, table.wire.now_us) if isinstance(m, TagsSeen | ReaderFault)]
    right_ones = len(spy.taken)
    assert all(right(table.name, frame, bytes(spy.stream)) for frame in spy.taken), "a frame with a wrong check"
    while not [end for end in ends if end.antenna]:
        ends += [m for m in table.wire.step(table.wire.now_us + 9_000_000) if isinstance(m, TagsSeen | ReaderFault)]
    seen = [end for end in ends if isinstance(end, TagsSeen)]
    assert right_ones or all(end.tags == tuple(tags_of(antenna, LYING)) for end in seen), "tags that do not lie there"
    table.wire.run_until(table.wire.now_us + QUIET_US)
    retries = table.reader.stats.retries
    assert table.seen(1 + antenna % 3) == tuple(tags_of(1 + antenna % 3, LYING))
    assert right_ones or table.reader.stats.retries == retries


def fuzz(name: ReaderName, frames: int, seed: int) -> None:
    random = Random(f"{seed} {name}")
    table = bench(name, LYING)
    table.up()
    spy = Spy(table.reader)
    for number in range(frames // A_ROUND):
        one_round(table, spy, 1 + number % 3, random)


@readers
def test_mutated_frames(name: ReaderName) -> None:
    fuzz(name, FRAMES, 0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, SOAK_ROUNDS + 1))
def test_a_million_mutated_frames(seed: int) -> None:
    for name in READERS:
        fuzz(name, FRAMES, seed)


@readers
def test_in_step_again_after_two_good_frames_or_silence(name: ReaderName) -> None:
    """While an inventory is under way: a third good frame is taken, or one that comes after the silence."""
    random = Random(name)
    table = bench(name, LYING)
    table.up()
    spy = Spy(table.reader)
    good = CORPUS[name][3]
    for number in range(30):
        table.wire.to_host = lambda data: [data]
        table.seen(1)
        table.reader.inventory(1 + number % 3, table.wire.now_us)
        table.wire.to_host = lambda data: []
        table.wire.run_until(table.wire.now_us + 5_000)
        table.reader.receive(mutated(random.choice(CORPUS[name]), good, random), table.wire.now_us)
        table.reader.receive(good + good, table.wire.now_us)
        spy.begin()
        table.reader.receive(good, table.wire.now_us)
        if not spy.taken:
            table.wire.run_until(table.wire.now_us + QUIET_US)
            table.reader.receive(good, table.wire.now_us)
        assert spy.taken, "not in step"


@readers
def test_the_planted_trust_in_every_check_is_caught(name: ReaderName, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "feig":
        monkeypatch.setattr("firmware_bridge.framing.crc16_mcrf4xx", lambda data: AnyCheck())
    else:
        monkeypatch.setattr("firmware_bridge.pepper.frames.checksum", lambda payload: AnyBytes(b"\0\0"))
    table = bench(name, LYING)
    table.up()
    spy = Spy(table.reader)
    with pytest.raises(AssertionError, match="a frame with a wrong check"):
        for number in range(50):
            one_round(table, spy, 1 + number % 3, Random(number))


class AnyCheck(int):
    """Equal to every checksum."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class AnyBytes(bytes):
    """Equal to every checksum."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = bytes.__hash__
