"""FEIG frames that were captured from real readers (readers.md, 2) are built and parsed."""

from __future__ import annotations

import pytest

from firmware_bridge.emulators.feig import FeigEmulator
from firmware_bridge.feig import frames, reader_settings
from firmware_bridge.feig.tag_records import ParsedTags, parse_tags
from firmware_bridge.feig_framing import FeigFrameSplitter, Frame, crc16_mcrf4xx

REQUESTS = {
    "07 FF B0 01 00 1C 56": frames.inventory(),
    "02 00 09 FF B0 01 00 18 43": frames.inventory(advanced=True),
    "05 FF 63 D3 AE": frames.cpu_reset(),
    "06 FF 52 00 0F 6E": frames.probe(frames.BAUD_DETECT),
    "14 FF 81 81 00 00 08 01 00 05 00 04 00 00 00 00 00 00 31 CA": frames.request(
        0x81, bytes.fromhex("81 00 00 08 01 00 05 00 04 00 00 00 00 00 00")
    ),
    "14 FF 81 05 02 00 00 00 00 00 00 00 00 00 00 05 00 00 87 5B": frames.write_configuration(
        reader_settings.ANTICOLLISION_BLOCK,
        reader_settings.with_ont(bytes.fromhex("02 00 00 00 00 00 00 00 00 00 00 04 00 00")),
    ),
    "05 FF 65 E5 CB": frames.probe(frames.VERSION),
    "05 FF 69 89 01": frames.rf_reset(),
    "06 FF 6A 01 E4 07": frames.select_antenna(1),
    "07 FF B0 01 80 14 D2": frames.inventory(more=True),
}
ANSWERS = {
    "06 00 B0 01 5C 63": (0xB0, 0x01, ()),
    "11 00 B0 00 01 03 00 E0 16 80 FF 08 00 50 24 80 75": (0xB0, 0, ("E01680FF08005024",)),
    "11 00 B0 00 01 03 00 E0 16 80 FF 08 00 4F BC 18 7B": (0xB0, 0, ("E01680FF08004FBC",)),
    "07 00 B0 83 00 B2 2C": (0xB0, 0x83, None),
    "06 00 B0 81 54 E7": (0xB0, 0x81, None),
    "06 00 63 00 86 07": (0x63, 0, None),
    "06 00 52 00 FC A8": (0x52, 0, None),
    "06 00 81 00 AF DD": (0x81, 0, None),
    "1B 00 B0 00 02 03 00 E0 04 01 53 06 A2 2D 70 03 00 E0 04 01 53 06 A2 2D 80 6C D4": (
        0xB0,
        0,
        ("E004015306A22D70", "E004015306A22D80"),
    ),
}


@pytest.mark.parametrize("text", [*REQUESTS, *ANSWERS])
def test_captured_frames_have_valid_checksums_byte_by_byte(text: str) -> None:
    data = bytes.fromhex(text)
    assert crc16_mcrf4xx(data[:-2]).to_bytes(2, "little") == data[-2:]
    splitter = FeigFrameSplitter()
    events = [event for byte in data for event in splitter.feed(bytes((byte,)))]
    assert events == [Frame(data, False)]


@pytest.mark.parametrize("text", REQUESTS)
def test_requests_are_built_as_captured(text: str) -> None:
    data = bytes.fromhex(text)
    assert REQUESTS[text] == data
    request = frames.parse_request(data)
    assert frames.request(request.ctrl, request.data, adr=request.adr, advanced=request.advanced) == data


@pytest.mark.parametrize("text", ANSWERS)
def test_answers_are_parsed_and_built_as_captured(text: str) -> None:
    data = bytes.fromhex(text)
    ctrl, status, tags = ANSWERS[text]
    answer = frames.parse_answer(data)
    assert (answer.adr, answer.ctrl, answer.status) == (0, ctrl, status)
    assert frames.answer(answer.ctrl, answer.status, answer.data) == data
    if tags:
        assert parse_tags(answer.data) == ParsedTags(tags, True)


@pytest.mark.parametrize(
    ("request_hex", "answer"),
    [
        ("07 FF B0 01 00 1C 56", "06 00 B0 01 5C 63"),
        ("05 FF 63 D3 AE", "06 00 63 00 86 07"),
        ("06 FF 52 00 0F 6E", "06 00 52 00 FC A8"),
        ("14 FF 81 81 00 00 08 01 00 05 00 04 00 00 00 00 00 00 31 CA", "06 00 81 00 AF DD"),
    ],
)
def test_the_emulator_answers_as_captured(request_hex: str, answer: str) -> None:
    emulator = FeigEmulator(lambda antenna, now_us: ())
    ((_, data),) = emulator.feed(bytes.fromhex(request_hex), 0)
    assert data == bytes.fromhex(answer)


def test_answer_without_status_is_rejected() -> None:
    with pytest.raises(frames.BadAnswerError):
        frames.parse_answer(bytes.fromhex("05 FF 63 D3 AE"))


def test_antenna_numbers_are_checked() -> None:
    with pytest.raises(ValueError, match="1 to 255"):
        frames.select_antenna(0)
