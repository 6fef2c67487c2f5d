"""Pepper C1 frames: a splitter, and functions that build requests and parse answers.

A frame in either direction is `F5 LENL LENH ~LENL ~LENH PAYLOAD… CRCL CRCH`. LEN is the length of the payload plus 2.
The checksum is CRC-16/CCITT-FALSE over the payload. An answer begins with 00 (done), FF (error) or FE (event that was
not requested). Source: readers.md, 3.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from firmware_bridge.errors import FaultSource, PotkeeperError
from firmware_bridge.feig_framing import Frame, LineNoise

START_BYTE: Final = 0xF5
HEADER_BYTES: Final = 5
CRC_BYTES: Final = 2
MIN_FRAME_LENGTH: Final = CRC_BYTES + 1
MAX_FRAME_LENGTH: Final = 256
"""Maximum LEN that the splitter accepts. A tag takes 13 bytes and a version a few dozen, so a longer frame is noise
that looks like a header."""

DUMMY: Final = 0x01
POLLING: Final = 0x06
REBOOT: Final = 0x0A
VERSION: Final = 0x0B
SELECT_ANTENNA: Final = 0x0F
INVENTORY_START: Final = 0x90
INVENTORY_NEXT: Final = 0x91

DONE: Final = 0x00
ERROR: Final = 0xFF
EVENT: Final = 0xFE
NO_TAG: Final = 0x0001

ANTENNA_COUNT: Final = 8
ALL_FAMILIES: Final = 0x00
"""Value of the application family (AFI) in an inventory request to which tags of every family answer."""
UID_BYTES: Final = 8
TAG_BYTES: Final = UID_BYTES + 2
"""Bytes of an answer with one tag: UID, DSFID, and a flag that is set if more tags follow."""


class BadAnswerError(PotkeeperError):
    """A frame with a correct checksum but with content that does not fit its command."""

    fault: ClassVar[FaultSource] = "link"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the reader.

    `command` is the command that it answers, or 0 for an event. `error` is 0 if the command succeeded.
    """

    kind: Literal["done", "error", "event"]
    command: int
    error: int
    data: bytes


class PepperFrameSplitter:
    """Cuts a stream into payloads by header, length and checksum.

    It buffers at most one frame of `MAX_FRAME_LENGTH` bytes. It skips one byte at a time until the bytes form a frame.
    If noise looks like a header, the splitter waits for at most `MAX_FRAME_LENGTH` bytes. The owner calls `flush` when
    the line has been quiet.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noise = False
        self.ended_corrupt = False
        """True if the last bytes completed a frame, by its length, with a wrong checksum. The frame has no further
        bytes."""

    @property
    def has_partial_frame(self) -> bool:
        """Return True if a frame has begun to arrive."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        """Return the noise and the frames that these bytes complete.

        The data of a frame are its payload, without header and checksum.
        """
        self._buffer += data
        self.ended_corrupt = False
        return list(self._cut())

    def flush(self) -> None:
        """Discard an incomplete frame. The next byte begins a new frame."""
        self._buffer.clear()
        self._noise = self.ended_corrupt = False

    def _length(self) -> int | None:
        """Return the length that the frame announces.

        Return 0 if the header is incomplete, and None if no frame begins with these bytes.
        """
        if self._buffer[0] != START_BYTE:
            return None
        if len(self._buffer) < HEADER_BYTES:
            return 0
        length = int.from_bytes(self._buffer[1:3], "little")
        inverse = int.from_bytes(self._buffer[3:5], "little")
        return length if length ^ inverse == 0xFFFF and MIN_FRAME_LENGTH <= length <= MAX_FRAME_LENGTH else None

    def _cut(self) -> Iterator[Frame | LineNoise]:
        noise = bytearray()
        while self._buffer:
            length = self._length()
            if length is not None and (length == 0 or len(self._buffer) < HEADER_BYTES + length):
                break
            end = HEADER_BYTES + (length or 0)
            payload = bytes(self._buffer[HEADER_BYTES : end - CRC_BYTES])
            if length is not None and checksum(payload) == bytes(self._buffer[end - CRC_BYTES : end]):
                if noise:
                    yield LineNoise(bytes(noise))
                    noise.clear()
                yield Frame(payload, self._noise)
                self._noise = False
                del self._buffer[:end]
            else:
                self.ended_corrupt = self.ended_corrupt or (length is not None and end == len(self._buffer))
                noise.append(self._buffer.pop(0))
                self._noise = True
        if noise:
            yield LineNoise(bytes(noise))


def checksum(payload: bytes) -> bytes:
    """Return the CRC-16/CCITT-FALSE of a payload, low byte first.

    The polynomial is 1021, the start value FFFF, not reflected. The check value of "123456789" is 29B1.
    """
    return binascii.crc_hqx(payload, 0xFFFF).to_bytes(CRC_BYTES, "little")


def build_frame(payload: bytes) -> bytes:
    """Return the frame around a payload. Requests and answers have the same frame."""
    length = len(payload) + CRC_BYTES
    head = length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")
    return bytes((START_BYTE,)) + head + payload + checksum(payload)


def request(command: int, data: bytes = b"") -> bytes:
    """Return a request frame."""
    return build_frame(bytes((command,)) + data)


def select_antenna(antenna: int) -> bytes:
    """Return the request that selects the antenna (1 to 8) of all later requests.

    Raises ValueError for any other number.
    """
    if not 1 <= antenna <= ANTENNA_COUNT:
        raise ValueError(f"antenna {antenna}: expected 1 to {ANTENNA_COUNT}")
    return request(SELECT_ANTENNA, bytes((antenna,)))


def polling_off() -> bytes:
    """Return the request that turns polling off, so that the reader does not search for tags unasked."""
    return request(POLLING, b"\x00")


def inventory_start() -> bytes:
    """Return the request for a new inventory. Its answer is the first tag, or the error `NO_TAG`."""
    return request(INVENTORY_START, bytes((ALL_FAMILIES,)))


def inventory_next() -> bytes:
    """Return the request for the next tag of the inventory."""
    return request(INVENTORY_NEXT, bytes((ALL_FAMILIES,)))


def parse_answer(payload: bytes) -> Answer:
    """Return the parts of a payload from the reader.

    Raises BadAnswerError if the payload is neither a success, an error nor an event.
    """
    match payload[0], len(payload):
        case (kind, length) if kind == DONE and length >= 2:
            return Answer("done", payload[1], 0, payload[2:])
        case (kind, 4) if kind == ERROR:
            return Answer("error", payload[1], int.from_bytes(payload[2:], "little"), b"")
        case (kind, _) if kind == EVENT:
            return Answer("event", 0, 0, payload[1:])
        case _:
            raise BadAnswerError(f"answer {payload.hex(' ')}: expected 00 with a command, FF with an error, or FE")


def parse_tag(data: bytes) -> tuple[str, bool]:
    """Return the UID (hex, most significant byte first), and True if the reader has more tags.

    Raises BadAnswerError if the length is wrong.
    """
    if len(data) != TAG_BYTES:
        raise BadAnswerError(f"tag of {len(data)} bytes: expected {TAG_BYTES}")
    return data[UID_BYTES - 1 :: -1].hex().upper(), data[-1] != 0


def build_tag(uid: str, more: bool) -> bytes:
    """Return the data of an answer with one tag (DSFID 00), the reverse of `parse_tag`."""
    return bytes.fromhex(uid)[::-1] + bytes((0, int(more)))
