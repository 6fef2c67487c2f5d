"""Functions that build and parse the frames of Pepper C1 readers, and a splitter that cuts a stream into frames.

A frame in either direction is `F5 LENL LENH ~LENL ~LENH PAYLOAD… CRCL CRCH`. LEN is the length of the payload plus 2.
The checksum is CRC-16/CCITT-FALSE over the payload. The first byte of an answer is 00 (done), FF (error) or FE (event
without a request). Source: readers.md, 3.
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
"""Maximum value of a frame's length field. A tag takes 13 bytes and a version a few dozen bytes. A larger value is
therefore noise that looks like a header."""

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
"""Application family (AFI) in an inventory request. With this value, tags of every family answer."""
UID_BYTES: Final = 8
TAG_BYTES: Final = UID_BYTES + 2
"""Number of data bytes in an answer with one tag: the UID, the DSFID, and a flag that is set if more tags follow."""


class BadAnswerError(PotkeeperError):
    """An error: the checksum of a frame is correct, but its content does not fit its command."""

    fault: ClassVar[FaultSource] = "link"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the reader.

    `command` is the command to which the reader answers, or 0 for an event. `error` is 0 if the command succeeded.
    """

    kind: Literal["done", "error", "event"]
    command: int
    error: int
    data: bytes


class PepperFrameSplitter:
    """Cuts a byte stream into the payloads of frames by header, length and checksum.

    If the bytes do not form a frame, the splitter skips one byte and tries again. Noise may look like a header, and the
    splitter then waits for a frame of up to `MAX_FRAME_LENGTH` bytes. The owner therefore calls `flush` when the line
    has been quiet.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noise = False
        self.ended_corrupt = False
        """True if the last bytes were the end of a frame with a wrong checksum, so that no more bytes will arrive."""

    @property
    def has_partial_frame(self) -> bool:
        """Return True if the beginning of a frame has arrived but not its end."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        """Record received bytes, and return the frames and the noise that are now complete.

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
        """Return the length of the frame at the start of the buffer, read from its header.

        Return 0 if the header is incomplete. Return None if the buffer does not start with a frame.
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

    Its polynomial is 1021, its start value is FFFF, and it is not reflected. The check value of "123456789" is 29B1.
    """
    return binascii.crc_hqx(payload, 0xFFFF).to_bytes(CRC_BYTES, "little")


def build_frame(payload: bytes) -> bytes:
    """Return the complete frame with this payload. Requests and answers have the same frame layout."""
    length = len(payload) + CRC_BYTES
    head = length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")
    return bytes((START_BYTE,)) + head + payload + checksum(payload)


def request(command: int, data: bytes = b"") -> bytes:
    """Return a request frame."""
    return build_frame(bytes((command,)) + data)


def select_antenna(antenna: int) -> bytes:
    """Return the request that selects an antenna (1 to 8) for all later requests.

    Raises ValueError if `antenna` is not from 1 to 8.
    """
    if not 1 <= antenna <= ANTENNA_COUNT:
        raise ValueError(f"antenna {antenna}: expected 1 to {ANTENNA_COUNT}")
    return request(SELECT_ANTENNA, bytes((antenna,)))


def polling_off() -> bytes:
    """Return the request that turns polling off. With polling on, the reader searches for tags without a request."""
    return request(POLLING, b"\x00")


def inventory_start() -> bytes:
    """Return the request that starts an inventory. The answer is the first tag, or the error `NO_TAG`."""
    return request(INVENTORY_START, bytes((ALL_FAMILIES,)))


def inventory_next() -> bytes:
    """Return the request for the next tag of the current inventory."""
    return request(INVENTORY_NEXT, bytes((ALL_FAMILIES,)))


def parse_answer(payload: bytes) -> Answer:
    """Return the content of a payload from the reader.

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
            raise BadAnswerError(
                f"answer {payload.hex(' ')}: expected 00 and a command, FF and an error, or FE at the beginning"
            )


def parse_tag(data: bytes) -> tuple[str, bool]:
    """Return the UID of a tag in an answer, and True if the reader has more tags.

    The UID is in hex, most significant byte first. Raises BadAnswerError if the length of the data is wrong.
    """
    if len(data) != TAG_BYTES:
        raise BadAnswerError(f"tag of {len(data)} bytes: expected {TAG_BYTES}")
    return data[UID_BYTES - 1 :: -1].hex().upper(), data[-1] != 0


def build_tag(uid: str, more: bool) -> bytes:
    """Return the data of an answer with one tag, with the DSFID 00. `parse_tag` is the inverse."""
    return bytes.fromhex(uid)[::-1] + bytes((0, int(more)))
