"""The data of an inventory answer: `N`, then for each tag a record whose layout depends on its type.

Source: readers.md, 2; the layouts of other tags as two open programs read them: Amarok79/InlayTester.Drivers.FeigReader
(DefaultFeigReader.cs) and the maker's class library (FEDM_ISOTabItem.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from firmware_bridge.feig.frames import BadAnswerError
from firmware_bridge.framing import FEIG_MAX_ADVANCED

MAX_TAGS_PER_ANSWER: Final = 255
"""The count is one byte."""
OVERHEAD: Final = 9
"""Bytes of the longest answer beside the records: frame, status and count."""
RECORD_HEAD: Final = 6
"""Bytes of a built record beside the UID, at most."""
TR_ISO14443A: Final = 0x04
TR_ISO15693: Final = 0x03
TR_ISO14443B: Final = 0x05
TR_MODE3: Final = 0x09
"""ISO 18000-3 mode 3."""
LONG_UID: Final = 0x04
"""Bit of an ISO 14443A record's TRINFO: ten bytes of UID, else seven."""


class Layout(NamedTuple):
    """Where the UID lies behind the type byte, and how long the record is without that byte."""

    at: int
    length: int
    size: int
    turned: bool = False
    """The UID comes with its low byte first."""


class Tags(NamedTuple):
    """UIDs in upper-case hex as they came. `whole` is False where a record of a type unknown here hid the rest."""

    uids: tuple[str, ...]
    whole: bool


def _told(at: int, fixed: int) -> Callable[[bytes], Layout]:
    """The byte at `at` says how long the UID behind it is; `fixed` bytes beside the UID."""
    return lambda record: Layout(fixed, record[at], fixed + record[at])


def _iso14443a(record: bytes) -> Layout:
    length = 10 if record[0] & LONG_UID else 7
    return Layout(2, length, 2 + length)


def _icode_epc(record: bytes) -> Layout:
    length = 12 if record[0] < 0x40 else 8
    return Layout(0, length, length)


def _innovatron(record: bytes) -> Layout:
    return Layout(0, 8, 11 + record[10])


_LAYOUTS: Final[dict[int, Layout | Callable[[bytes], Layout]]] = {
    0x00: Layout(1, 8, 9),  # I-Code 1
    0x01: Layout(1, 8, 9),  # Tag-it
    TR_ISO15693: Layout(1, 8, 9),
    TR_ISO14443A: _iso14443a,
    TR_ISO14443B: Layout(5, 4, 9, turned=True),
    0x06: _icode_epc,
    0x07: Layout(14, 5, 19),  # I-Code UID
    0x08: Layout(4, 4, 8, turned=True),  # Jewel
    TR_MODE3: _told(1, 2),
    0x0A: Layout(1, 8, 9, turned=True),  # SR176
    0x0B: Layout(1, 8, 9, turned=True),  # SRIxx
    0x0C: _told(0, 1),  # MCRF
    0x0D: Layout(1, 8, 17),  # FeliCa
    0x10: _innovatron,
    0x11: Layout(4, 8, 12),  # ASK CTx
    0x84: _told(1, 2),  # EPC class 1 generation 2
}


def parse_tags(data: bytes) -> Tags:
    """The tags of an inventory answer's data.

    Raises BadAnswerError where records of known types do not fill the data as their count says. How long a record of
    an unknown type is cannot be known: it ends the reading.
    """
    if not data:
        raise BadAnswerError("inventory answer without data: a count expected")
    uids: list[str] = []
    at = 1
    for _ in range(data[0]):
        record = data[at + 1 :]
        layout = _LAYOUTS.get(data[at]) if at < len(data) else Layout(0, 0, 1)
        if layout is None:
            return Tags(tuple(uids), False)
        try:
            where = layout if isinstance(layout, Layout) else layout(record)
        except IndexError:
            where = Layout(0, 0, len(record) + 1)
        if where.size > len(record):
            raise BadAnswerError(f"inventory answer of {len(data)} bytes: {data[0]} records expected")
        uid = record[where.at : where.at + where.length]
        if uid:
            uids.append((uid[::-1] if where.turned else uid).hex().upper())
        at += 1 + where.size
    if at != len(data):
        raise BadAnswerError(f"inventory answer of {len(data)} bytes: {at} expected")
    return Tags(tuple(uids), True)


def _record(uid: str) -> bytes:
    digits = bytes.fromhex(uid)
    match len(digits):
        case 8:
            return bytes((TR_ISO15693, 0)) + digits
        case 7 | 10:
            return bytes((TR_ISO14443A, LONG_UID if len(digits) == 10 else 0, 0)) + digits
        case 4:
            return bytes((TR_ISO14443B, 0, 0, 0, 0, 0)) + digits[::-1]
        case long if 12 <= long <= 255:
            return bytes((TR_MODE3, 1, long)) + digits
        case other:
            raise ValueError(f"UID {uid} of {other} bytes: 4, 7, 8, 10, or 12 and more expected")


def fitting(uids: Sequence[str]) -> int:
    """How many of these tags, in order, one answer holds."""
    free = FEIG_MAX_ADVANCED - OVERHEAD
    if len(uids) <= MAX_TAGS_PER_ANSWER and sum(map(len, uids)) // 2 + RECORD_HEAD * len(uids) <= free:
        return len(uids)
    for count, uid in enumerate(uids[:MAX_TAGS_PER_ANSWER]):
        free -= len(_record(uid))
        if free < 0:
            return count
    return min(len(uids), MAX_TAGS_PER_ANSWER)


def build_tags(uids: tuple[str, ...]) -> bytes:
    """The data of an inventory answer, the reverse of `parse_tags`; a UID's length says what tag it is.

    8 bytes ISO 15693, 7 and 10 ISO 14443A, 4 ISO 14443B, 12 and more ISO 18000-3 mode 3. Raises ValueError for others,
    and for more than `MAX_TAGS_PER_ANSWER`.
    """
    if len(uids) > MAX_TAGS_PER_ANSWER:
        raise ValueError(f"{len(uids)} tags: at most {MAX_TAGS_PER_ANSWER} expected")
    return bytes((len(uids),)) + b"".join(map(_record, uids))
