"""Checksums, COBS encoding and frame splitters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.feig_framing import FeigFrameSplitter, Frame, LineNoise, crc16_mcrf4xx, with_crc16
from firmware_bridge.firmware import protocol


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(at % (len(data) + 1) for at in cuts), len(data)]
    return [data[low:high] for low, high in pairwise(edges)]


def bitwise_crc(data: bytes) -> int:
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    return crc


def test_crc16_check_value() -> None:
    assert crc16_mcrf4xx(b"123456789") == 0x6F91


@given(st.binary(max_size=64))
def test_crc16_matches_the_bitwise_definition(data: bytes) -> None:
    assert crc16_mcrf4xx(data) == bitwise_crc(data)


@pytest.mark.parametrize(
    ("plain", "encoded"),
    [
        (b"", b"\x01"),
        (b"\x00", b"\x01\x01"),
        (b"\x00\x00", b"\x01\x01\x01"),
        (b"\x11\x22\x00\x33", b"\x03\x11\x22\x02\x33"),
        (b"\x11\x22\x33\x44", b"\x05\x11\x22\x33\x44"),
        (b"\x11\x00\x00\x00", b"\x02\x11\x01\x01\x01"),
        (bytes(range(1, 255)), b"\xff" + bytes(range(1, 255))),
        (bytes(range(255)), b"\x01\xff" + bytes(range(1, 255))),
        (bytes(range(1, 256)), b"\xff" + bytes(range(1, 255)) + b"\x02\xff"),
        (bytes(range(2, 256)) + b"\x00", b"\xff" + bytes(range(2, 256)) + b"\x01\x01"),
        (bytes(range(3, 256)) + b"\x00\x01", b"\xfe" + bytes(range(3, 256)) + b"\x02\x01"),
    ],
)
def test_cobs_examples_round_trip(plain: bytes, encoded: bytes) -> None:
    assert protocol.cobs_encode(plain) == encoded
    assert protocol.cobs_decode(encoded) == plain


@given(st.lists(st.sampled_from([b"\x00", b"\x01", b"\x07" * 253, b"\x07" * 254]), max_size=8).map(b"".join))
def test_cobs_round_trip_without_zeros(data: bytes) -> None:
    encoded = protocol.cobs_encode(data)
    assert 0 not in encoded
    assert protocol.cobs_decode(encoded) == data


@given(st.binary(max_size=80))
def test_cobs_decode_accepts_any_input(data: bytes) -> None:
    decoded = protocol.cobs_decode(data)
    assert decoded is None or protocol.cobs_decode(protocol.cobs_encode(decoded)) == decoded
    protocol.decode_frame(data)


def feig_bodies() -> st.SearchStrategy[bytes]:
    standard = st.binary(min_size=2, max_size=60).map(lambda body: bytes((len(body) + 3,)) + body)
    advanced = st.binary(min_size=2, max_size=400).map(lambda body: b"\x02" + (len(body) + 5).to_bytes(2, "big") + body)
    return st.one_of(standard, advanced).map(with_crc16)


@given(st.lists(feig_bodies(), max_size=5), st.lists(st.integers(0, 5_000), max_size=12))
def test_frames_are_split_in_any_chunking(frames: list[bytes], cuts: list[int]) -> None:
    splitter = FeigFrameSplitter()
    events = [event for piece in cut(b"".join(frames), cuts) for event in splitter.feed(piece)]
    assert events == [Frame(frame, False) for frame in frames]
    assert splitter.missing_bytes == 0


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_noise_in_any_chunking_gives_the_same_frames(data: bytes, cuts: list[int]) -> None:
    one_chunk, pieces = FeigFrameSplitter(), FeigFrameSplitter()
    at_once = one_chunk.feed(data)
    in_pieces = [event for piece in cut(data, cuts) for event in pieces.feed(piece)]
    assert [e for e in at_once if isinstance(e, Frame)] == [e for e in in_pieces if isinstance(e, Frame)]
    assert b"".join(e.data for e in [*in_pieces, LineNoise(pieces.flush())]) == data


def test_frame_after_noise_is_found_and_marked() -> None:
    frame = bytes.fromhex("06 00 B0 01 5C 63")
    events = FeigFrameSplitter().feed(b"\x00\x01\x04" + frame + frame)
    assert events == [LineNoise(b"\x00\x01\x04"), Frame(frame, True), Frame(frame, False)]


def test_length_out_of_range_does_not_block() -> None:
    frame = bytes.fromhex("06 00 B0 01 5C 63")
    events = FeigFrameSplitter().feed(b"\x02\xff\xff" + frame)
    assert Frame(frame, True) not in events, "FF is a valid length, for which the splitter waits"
    splitter = FeigFrameSplitter()
    assert splitter.feed(b"\x02\xff\xff") == [LineNoise(b"\x02")]
    assert splitter.missing_bytes == 0xFF - 2
    assert splitter.flush() == b"\xff\xff"
    assert splitter.feed(frame) == [Frame(frame, False)]


@pytest.mark.parametrize(
    ("pieces", "corrupted"),
    [
        (["06 00 B0 01 5C 62"], True),
        (["06 00 B0", "01 5C 62"], True),
        (["06 00 B0 01 5C"], False),  # The frame is incomplete.
        (["06 00 B0 01 5C 63"], False),  # The checksum is valid.
        (["06 00 B0 01 5C 62 07"], False),  # Another frame has begun.
        (["06 00 B0 01 5C 62", "07"], False),
        (["03"], False),  # No frame can begin with this byte.
    ],
)
def test_complete_frame_with_wrong_checksum_is_corrupt(pieces: list[str], corrupted: bool) -> None:
    splitter = FeigFrameSplitter()
    for piece in pieces:
        splitter.feed(bytes.fromhex(piece))
    assert splitter.ended_corrupt is corrupted
    splitter.flush()
    assert not splitter.ended_corrupt


@given(st.lists(st.binary(min_size=1, max_size=30).map(lambda b: b.replace(b"\0", b"x")), max_size=6))
def test_zero_splitter_works_byte_by_byte(pieces: list[bytes]) -> None:
    splitter = protocol.CobsFrameSplitter()
    stream = b"".join(piece + b"\0" for piece in pieces)
    assert [out for byte in stream for out in splitter.feed(bytes((byte,)))] == pieces


def test_zero_splitter_drops_a_long_frame_and_continues() -> None:
    splitter = protocol.CobsFrameSplitter()
    assert splitter.feed(b"x" * 10_000 + b"\0ab\0") == [b"ab"]
    assert splitter.dropped_count == 1


@given(st.binary(max_size=120), st.integers(0, 0xFFFF), st.integers(0, 0xFFFFFFFF), st.integers(0, 1 << 12))
def test_one_flipped_bit_never_passes_as_another_panel_frame(payload: bytes, seq: int, nonce: int, bit: int) -> None:
    sealed = protocol.encode_frame(protocol.SYNC, seq, nonce, payload)
    assert protocol.decode_frame(sealed[:-1]) == (protocol.SYNC, seq, nonce, payload)
    corrupted = bytearray(sealed)
    bit %= 8 * len(sealed)
    corrupted[bit // 8] ^= 1 << bit % 8
    frames = [protocol.decode_frame(piece) for piece in protocol.CobsFrameSplitter().feed(bytes(corrupted))]
    assert frames in ([], [None], [None, None])
