"""Pepper C1 frames: streams are cut, requests built, answers parsed; nothing is kept but a frame that has begun.

Source: readers.md, 3. `F5 LENL LENH ~LENL ~LENH PAYLOAD… CRCL CRCH` both ways, LEN = payload + 2; CRC-16/CCITT-FALSE
over the payload. Answers begin with 00 (done), FF (error) or FE (unasked event).
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from firmware_bridge.errors import PotkeeperError, Whose
from firmware_bridge.framing import Frame, Noise

MARK: Final = 0xF5
HEAD_BYTES: Final = 5
CRC_BYTES: Final = 2
MIN_LENGTH: Final = CRC_BYTES + 1
MAX_LENGTH: Final = 256
"""Far above a tag's 13 bytes and a version's few dozen: a longer frame is noise that looks like a head."""

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

ANTENNAS: Final = 8
ALL_FAMILIES: Final = 0x00
"""The AFI of an inventory that asks tags of every application family."""
UID_BYTES: Final = 8
TAG_BYTES: Final = UID_BYTES + 2
"""UID, DSFID, whether there are more."""


class BadAnswerError(PotkeeperError):
    """A frame with a right checksum whose content is not what its command answers."""

    whose: ClassVar[Whose] = "link"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader said. `command` is the one that it answers (0 with an event); `error` is 0 where it was done."""

    kind: Literal["done", "error", "event"]
    command: int
    error: int
    data: bytes


class PepperSplitter:
    """Cuts a stream into payloads by head, length and checksum; holds at most one frame of `MAX_LENGTH`.

    What is no frame is skipped one byte at a time. A head that noise made blocks it for at most `MAX_LENGTH` bytes, or
    until `flush` is called, which the owner does when the line has been quiet.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noise = False
        self.spoilt = False
        """What came last ended a frame, by its length, whose checksum is wrong: nothing more of it is to come."""

    @property
    def begun(self) -> bool:
        """Whether the beginning of a frame is there."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[Frame | Noise]:
        """The frames that are whole now: each is a payload, without head and checksum."""
        self._buffer += data
        self.spoilt = False
        return list(self._cut())

    def flush(self) -> None:
        """Gives up on what has begun; the next byte starts a frame."""
        self._buffer.clear()
        self._noise = self.spoilt = False

    def _length(self) -> int | None:
        """The announced length; 0 while the head is not all there; None where no frame starts so."""
        if self._buffer[0] != MARK:
            return None
        if len(self._buffer) < HEAD_BYTES:
            return 0
        length = int.from_bytes(self._buffer[1:3], "little")
        inverse = int.from_bytes(self._buffer[3:5], "little")
        return length if length ^ inverse == 0xFFFF and MIN_LENGTH <= length <= MAX_LENGTH else None

    def _cut(self) -> Iterator[Frame | Noise]:
        noise = bytearray()
        while self._buffer:
            length = self._length()
            if length is not None and (length == 0 or len(self._buffer) < HEAD_BYTES + length):
                break
            end = HEAD_BYTES + (length or 0)
            payload = bytes(self._buffer[HEAD_BYTES : end - CRC_BYTES])
            if length is not None and checksum(payload) == bytes(self._buffer[end - CRC_BYTES : end]):
                if noise:
                    yield Noise(bytes(noise))
                    noise.clear()
                yield Frame(payload, self._noise)
                self._noise = False
                del self._buffer[:end]
            else:
                self.spoilt = self.spoilt or (length is not None and end == len(self._buffer))
                noise.append(self._buffer.pop(0))
                self._noise = True
        if noise:
            yield Noise(bytes(noise))


def checksum(payload: bytes) -> bytes:
    """CRC-16/CCITT-FALSE: polynomial 1021, start FFFF, not reflected; "123456789" gives 29B1. Low byte first."""
    return binascii.crc_hqx(payload, 0xFFFF).to_bytes(CRC_BYTES, "little")


def frame(payload: bytes) -> bytes:
    """The frame around a payload, as both ends send it."""
    length = len(payload) + CRC_BYTES
    head = length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little")
    return bytes((MARK,)) + head + payload + checksum(payload)


def request(command: int, data: bytes = b"") -> bytes:
    """A request frame."""
    return frame(bytes((command,)) + data)


def select_antenna(antenna: int) -> bytes:
    """All that follows is asked at this antenna. Raises ValueError below 1 and above 8."""
    if not 1 <= antenna <= ANTENNAS:
        raise ValueError(f"antenna {antenna}: 1 to {ANTENNAS} expected")
    return request(SELECT_ANTENNA, bytes((antenna,)))


def polling_off() -> bytes:
    """The reader looks for tags only when it is asked to."""
    return request(POLLING, b"\x00")


def inventory_start() -> bytes:
    """A new inventory: its answer is the first tag, or the error `NO_TAG`."""
    return request(INVENTORY_START, bytes((ALL_FAMILIES,)))


def inventory_next() -> bytes:
    """The next tag of the inventory."""
    return request(INVENTORY_NEXT, bytes((ALL_FAMILIES,)))


def parse_answer(payload: bytes) -> Answer:
    """What a payload from the reader says. Raises BadAnswerError where it is none of the three kinds."""
    match payload[0], len(payload):
        case (kind, length) if kind == DONE and length >= 2:
            return Answer("done", payload[1], 0, payload[2:])
        case (kind, 4) if kind == ERROR:
            return Answer("error", payload[1], int.from_bytes(payload[2:], "little"), b"")
        case (kind, _) if kind == EVENT:
            return Answer("event", 0, 0, payload[1:])
        case _:
            raise BadAnswerError(f"answer {payload.hex(' ')}: 00 with a command, FF with an error, or FE expected")


def parse_tag(data: bytes) -> tuple[str, bool]:
    """UID (hex, most significant byte first) and whether there are more tags. Raises BadAnswerError."""
    if len(data) != TAG_BYTES:
        raise BadAnswerError(f"tag of {len(data)} bytes: {TAG_BYTES} expected")
    return data[UID_BYTES - 1 :: -1].hex().upper(), data[-1] != 0


def build_tag(uid: str, more: bool) -> bytes:
    """The data of an inventory's answer, the reverse of `parse_tag` (DSFID 00)."""
    return bytes.fromhex(uid)[::-1] + bytes((0, int(more)))
