"""Tag records in inventory answers of a FEIG reader, for every type of tag that may be on a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.feig import frames
from firmware_bridge.feig.tag_records import ParsedTags, build_tags, parse_tags

CHIP = "03 00 E0 16 80 FF 08 00 50 24"
RECORDS = {
    "00 00 01 02 03 04 05 06 07 08": "0102030405060708",
    "01 00 01 02 03 04 05 06 07 08": "0102030405060708",
    CHIP: "E01680FF08005024",
    "04 00 00 04 5A 1B 2C 3D 4E 5F": "045A1B2C3D4E5F",
    "04 04 00 04 5A 1B 2C 3D 4E 5F 01 02 03": "045A1B2C3D4E5F010203",
    "05 00 00 00 00 00 0D 0C 0B 0A": "0A0B0C0D",
    "06 51 02 03 04 05 06 07 08": "5102030405060708",
    "06 31 02 03 04 05 06 07 08 09 0A 0B 0C": "3102030405060708090A0B0C",
    "07 " + "00 " * 14 + "01 02 03 04 05": "0102030405",
    "08 00 00 00 00 04 03 02 01": "01020304",
    "09 01 0C E2 80 11 05 20 00 50 24 00 00 00 01": "E28011052000502400000001",
    "09 01 0E 30 00 E2 80 11 05 20 00 50 24 00 00 00 01": "3000E28011052000502400000001",
    "0A 00 08 07 06 05 04 03 02 01": "0102030405060708",
    "0B 00 08 07 06 05 04 03 02 01": "0102030405060708",
    "0C 04 01 02 03 04": "01020304",
    "0D 00 01 02 03 04 05 06 07 08 00 00 00 00 00 00 00 00": "0102030405060708",
    "10 01 02 03 04 05 06 07 08 00 00 02 3B 00": "0102030405060708",
    "11 00 00 00 00 01 02 03 04 05 06 07 08": "0102030405060708",
    "84 01 0C 30 08 33 B2 DD D9 01 40 00 00 00 01": "300833B2DDD9014000000001",
}
"""An example record for each tag type, mapped to the UID that it contains."""


@pytest.mark.parametrize("record", RECORDS)
def test_foreign_tag_next_to_eight_chips_is_parsed(record: str) -> None:
    chips = [f"E00400000000000{number}" for number in range(8)]
    data = build_tags(tuple(chips))[1:]
    for before in range(9):
        cut = 10 * before
        mixed = b"\x09" + data[:cut] + bytes.fromhex(record) + data[cut:]
        assert parse_tags(mixed) == ParsedTags((*chips[:before], RECORDS[record], *chips[before:]), True)


def test_unknown_record_discards_the_rest() -> None:
    unknown = bytes.fromhex("0E 05 01 02 03")
    chip = bytes.fromhex(CHIP)
    assert parse_tags(b"\x03" + chip + unknown + chip) == ParsedTags((RECORDS[CHIP],), False)
    assert parse_tags(b"\x01" + unknown) == ParsedTags((), False)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "01",
        "00 00",
        "02" + CHIP,
        "01" + CHIP + "00",
        "01 04 00",
        "01 09 01 0C E2 80",
        "01 09 01",
        "01 10 01 02 03 04 05 06 07 08 00 00 02 3B",
    ],
)
def test_records_that_do_not_fill_the_answer_are_rejected(data: str) -> None:
    with pytest.raises(frames.BadAnswerError):
        parse_tags(bytes.fromhex(data))


@given(st.binary(max_size=60))
def test_any_data_is_parsed_or_rejected(data: bytes) -> None:
    try:
        tags = parse_tags(data)
    except frames.BadAnswerError:
        return
    assert len(tags.uids) <= data[0]
    assert all(uid == uid.upper() and bytes.fromhex(uid) for uid in tags.uids)


UIDS = st.one_of(
    *(st.binary(min_size=size, max_size=size) for size in (4, 7, 8, 10, 12, 14, 30)),
).map(lambda digits: digits.hex().upper())


@given(st.lists(UIDS, max_size=40).map(tuple))
def test_built_records_are_parsed(uids: tuple[str, ...]) -> None:
    assert parse_tags(build_tags(uids)) == ParsedTags(uids, True)


@pytest.mark.parametrize(("count", "head"), [(24, bytes([247])), (25, b"\x02"), (255, b"\x02\x09\xff")])
def test_25_tags_need_an_advanced_answer(count: int, head: bytes) -> None:
    tags = tuple(f"E004{number:012X}" for number in range(count))
    data = frames.answer(frames.ISO_HOST, 0, build_tags(tags))
    assert data.startswith(head)
    assert parse_tags(frames.parse_answer(data).data) == ParsedTags(tags, True)


def test_records_too_large_for_an_answer_are_not_built() -> None:
    with pytest.raises(ValueError, match="at most 255"):
        build_tags(("E004000000000001",) * 256)
    with pytest.raises(ValueError, match="of 5 bytes"):
        build_tags(("0102030405",))
