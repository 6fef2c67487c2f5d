"""Tag records in the data of an inventory answer.

The data consist of the number of tags and one record for each tag. The layout of a record depends on its type.

The layout for ISO 15693 tags is in section 2 of readers.md. The layouts for other tags are copied from two open
programs: Amarok79/InlayTester.Drivers.FeigReader (DefaultFeigReader.cs) and the maker's class library
(FEDM_ISOTabItem.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from firmware_bridge.feig.frames import BadAnswerError
from firmware_bridge.feig_framing import FEIG_MAX_ADVANCED_FRAME

MAX_TAGS_PER_ANSWER: Final = 255
"""Maximum number of tags in an answer, because the number of tags is stored in one byte."""
ANSWER_OVERHEAD_BYTES: Final = 9
"""Maximum number of bytes in an answer that do not belong to tag records: the frame, the status and the number of
tags."""
RECORD_OVERHEAD_BYTES: Final = 6
"""Maximum number of bytes that `build_tags` adds to a UID in its record."""
TR_ISO14443A: Final = 0x04
TR_ISO15693: Final = 0x03
TR_ISO14443B: Final = 0x05
TR_MODE3: Final = 0x09
"""Type of the tag records of ISO 18000-3 mode 3."""
LONG_UID_BIT: Final = 0x04
"""Bit in the byte TRINFO of an ISO 14443A record. If the bit is set, the UID has ten bytes, otherwise seven."""


class RecordLayout(NamedTuple):
    """Position and length of the UID in a tag record, and length of the whole record, without the type byte."""

    uid_offset: int
    uid_length: int
    record_size: int
    is_uid_reversed: bool = False
    """True if the low byte of the UID comes first in the record."""


class ParsedTags(NamedTuple):
    """The tags of an inventory answer. `uids` are in upper-case hex, in the order of the answer.

    `is_complete` is False if parsing ended early at a record of an unknown type.
    """

    uids: tuple[str, ...]
    is_complete: bool


def _with_length_byte(at: int, fixed: int) -> Callable[[bytes], RecordLayout]:
    """Return the function that computes the layout of a record with a UID of variable length.

    The UID begins at position `fixed`, and the byte at position `at` contains its length.
    """
    return lambda record: RecordLayout(fixed, record[at], fixed + record[at])


def _iso14443a(record: bytes) -> RecordLayout:
    length = 10 if record[0] & LONG_UID_BIT else 7
    return RecordLayout(2, length, 2 + length)


def _icode_epc(record: bytes) -> RecordLayout:
    length = 12 if record[0] < 0x40 else 8
    return RecordLayout(0, length, length)


def _innovatron(record: bytes) -> RecordLayout:
    return RecordLayout(0, 8, 11 + record[10])


_LAYOUTS: Final[dict[int, RecordLayout | Callable[[bytes], RecordLayout]]] = {
    0x00: RecordLayout(1, 8, 9),  # I-Code 1
    0x01: RecordLayout(1, 8, 9),  # Tag-it
    TR_ISO15693: RecordLayout(1, 8, 9),
    TR_ISO14443A: _iso14443a,
    TR_ISO14443B: RecordLayout(5, 4, 9, is_uid_reversed=True),
    0x06: _icode_epc,
    0x07: RecordLayout(14, 5, 19),  # I-Code UID
    0x08: RecordLayout(4, 4, 8, is_uid_reversed=True),  # Jewel
    TR_MODE3: _with_length_byte(1, 2),
    0x0A: RecordLayout(1, 8, 9, is_uid_reversed=True),  # SR176
    0x0B: RecordLayout(1, 8, 9, is_uid_reversed=True),  # SRIxx
    0x0C: _with_length_byte(0, 1),  # MCRF
    0x0D: RecordLayout(1, 8, 17),  # FeliCa
    0x10: _innovatron,
    0x11: RecordLayout(4, 8, 12),  # ASK CTx
    0x84: _with_length_byte(1, 2),  # The record of an EPC class 1 generation 2 tag.
}


def parse_tags(data: bytes) -> ParsedTags:
    """Return the tags in the data of an inventory answer.

    Parsing ends at a record of an unknown type, because its length is unknown. Raises BadAnswerError if records of
    known types do not fill the data exactly.
    """
    if not data:
        raise BadAnswerError("inventory answer: expected a count of tags, got no data")
    uids: list[str] = []
    at = 1
    for _ in range(data[0]):
        record = data[at + 1 :]
        layout = _LAYOUTS.get(data[at]) if at < len(data) else RecordLayout(0, 0, 1)
        if layout is None:
            return ParsedTags(tuple(uids), False)
        try:
            fields = layout if isinstance(layout, RecordLayout) else layout(record)
        except IndexError:
            fields = RecordLayout(0, 0, len(record) + 1)
        if fields.record_size > len(record):
            raise BadAnswerError(f"inventory answer of {len(data)} bytes: too short, expected {data[0]} records")
        uid = record[fields.uid_offset : fields.uid_offset + fields.uid_length]
        if uid:
            uids.append((uid[::-1] if fields.is_uid_reversed else uid).hex().upper())
        at += 1 + fields.record_size
    if at != len(data):
        raise BadAnswerError(f"inventory answer of {len(data)} bytes: expected {at} for {data[0]} records")
    return ParsedTags(tuple(uids), True)


def _build_record(uid: str) -> bytes:
    digits = bytes.fromhex(uid)
    match len(digits):
        case 8:
            return bytes((TR_ISO15693, 0)) + digits
        case 7 | 10:
            return bytes((TR_ISO14443A, LONG_UID_BIT if len(digits) == 10 else 0, 0)) + digits
        case 4:
            return bytes((TR_ISO14443B, 0, 0, 0, 0, 0)) + digits[::-1]
        case long if 12 <= long <= 255:
            return bytes((TR_MODE3, 1, long)) + digits
        case other:
            raise ValueError(f"UID {uid} of {other} bytes: expected a UID of 4, 7, 8, 10, or 12 to 255 bytes")


def count_that_fit(uids: Sequence[str]) -> int:
    """Return the number of tags, from the first one on, whose records fit into one answer."""
    free = FEIG_MAX_ADVANCED_FRAME - ANSWER_OVERHEAD_BYTES
    if len(uids) <= MAX_TAGS_PER_ANSWER and sum(map(len, uids)) // 2 + RECORD_OVERHEAD_BYTES * len(uids) <= free:
        return len(uids)
    for count, uid in enumerate(uids[:MAX_TAGS_PER_ANSWER]):
        free -= len(_build_record(uid))
        if free < 0:
            return count
    return min(len(uids), MAX_TAGS_PER_ANSWER)


def build_tags(uids: tuple[str, ...]) -> bytes:
    """Return the data of an inventory answer with these tags. `parse_tags` is the inverse.

    The length of a UID determines the type of its record: 8 bytes for ISO 15693, 7 or 10 for ISO 14443A, 4 for ISO
    14443B, and 12 or more for ISO 18000-3 mode 3. Raises ValueError for any other length, or if there are more than
    `MAX_TAGS_PER_ANSWER` tags.
    """
    if len(uids) > MAX_TAGS_PER_ANSWER:
        raise ValueError(f"{len(uids)} tags: expected at most {MAX_TAGS_PER_ANSWER}")
    return bytes((len(uids),)) + b"".join(map(_build_record, uids))
