"""Functions that build and parse the frames of FEIG OBID readers in ISO host mode.

A standard frame to the reader is `LEN ADR CTRL DATA… CRC`, and one from the reader is `LEN ADR CTRL STATUS DATA… CRC`.
An advanced frame is `02 LENH LENL ADR CTRL [STATUS] DATA… CRC`. The CRC is CRC-16/MCRF4XX, low byte first. Source:
readers.md, 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from firmware_bridge.errors import FaultSource, PotkeeperError
from firmware_bridge.feig_framing import FEIG_ADVANCED_MARK, FEIG_MAX_STANDARD_FRAME, with_crc16

ANY_READER: Final = 0xFF
"""Address in a request to which every reader answers."""
BITS_PER_BYTE: Final = 11
"""Bits on the line for each byte: one start bit, 8 data bits, one even parity bit, one stop bit."""
BAUD_RATES: Final = (38_400, 115_200, 57_600, 19_200, 9_600)
"""Serial speeds that a reader may use, in the order in which they are tried. The maker's default comes first."""

BAUD_DETECT: Final = 0x52
CPU_RESET: Final = 0x63
VERSION: Final = 0x65
READER_INFO: Final = 0x66
DEVICE_ID: Final = 0x80
"""Data byte of READER_INFO that asks for the device ID."""
RF_RESET: Final = 0x69
RF_ON_OFF: Final = 0x6A
DIAGNOSTIC: Final = 0x6E
READ_CONFIGURATION: Final = 0x80
WRITE_CONFIGURATION: Final = 0x81
DEFAULT_CONFIGURATION: Final = 0x83
EEPROM: Final = 0x80
"""Bit in the number of a configuration block that selects the EEPROM. Without it, a command is about the RAM."""
ISO_HOST: Final = 0xB0
INVENTORY: Final = 0x01
MODE_NEW: Final = 0x00
MODE_MORE: Final = 0x80

STATUS_OK: Final = 0x00
STATUS_NO_TRANSPONDER: Final = 0x01
STATUS_READ_PROTECT: Final = 0x15
STATUS_WRITE_PROTECT: Final = 0x16
STATUS_UNKNOWN_COMMAND: Final = 0x80
STATUS_LENGTH: Final = 0x81
STATUS_NOT_AVAILABLE: Final = 0x82
STATUS_RF_ERROR: Final = 0x83
STATUS_RF_WARNING: Final = 0x84
STATUS_MORE: Final = 0x94


class BadAnswerError(PotkeeperError):
    """An error: the checksum of a frame is correct, but its content does not fit its command."""

    fault: ClassVar[FaultSource] = "link"


@dataclass(frozen=True, slots=True)
class Answer:
    """A reader's answer as received. `ctrl` is the command to which the reader answers."""

    adr: int
    ctrl: int
    status: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the host, as a reader receives it."""

    adr: int
    ctrl: int
    data: bytes
    advanced: bool


def _frame(body: bytes, advanced: bool) -> bytes:
    length = len(body) + (5 if advanced else 3)
    if advanced:
        return with_crc16(bytes((FEIG_ADVANCED_MARK,)) + length.to_bytes(2, "big") + body)
    return with_crc16(bytes((length,)) + body)


def request(ctrl: int, data: bytes = b"", *, adr: int = ANY_READER, advanced: bool = False) -> bytes:
    """Return a request frame.

    The frame is an advanced one if `advanced` is True, or if the data are too long for a standard frame.
    """
    body = bytes((adr, ctrl)) + data
    return _frame(body, advanced or len(body) + 3 > FEIG_MAX_STANDARD_FRAME)


def answer(ctrl: int, status: int, data: bytes = b"", *, adr: int = 0, advanced: bool = False) -> bytes:
    """Return an answer frame of a reader.

    The frame is an advanced one if `advanced` is True, or if the data are too long for a standard frame.
    """
    body = bytes((adr, ctrl, status)) + data
    return _frame(body, advanced or len(body) + 3 > FEIG_MAX_STANDARD_FRAME)


def cpu_reset() -> bytes:
    """Return the request that restarts the reader. A restart clears the reader's selected antenna."""
    return request(CPU_RESET)


def probe(ctrl: int) -> bytes:
    """Return a request that changes nothing and that every reader answers.

    `ctrl` is VERSION, BAUD_DETECT or READER_INFO. A request with BAUD_DETECT or READER_INFO has one data byte, 00.
    """
    return request(ctrl) if ctrl == VERSION else request(ctrl, b"\x00")


def read_device_id() -> bytes:
    """Return a request for the number that identifies this reader. The answer begins with its four bytes."""
    return request(READER_INFO, bytes((DEVICE_ID,)))


def rf_reset() -> bytes:
    """Return the request that turns the field off for a moment. Every tag then answers again."""
    return request(RF_RESET)


def read_configuration(block: int) -> bytes:
    """Return the request for one configuration block (0 to 63). It reads the RAM, in which the current settings are."""
    return request(READ_CONFIGURATION, bytes((block,)))


def write_configuration(block: int, data: bytes) -> bytes:
    """Return the request that writes one configuration block (0 to 63) into the RAM, until the next restart."""
    return request(WRITE_CONFIGURATION, bytes((block,)) + data)


def select_antenna(antenna: int) -> bytes:
    """Return the request that selects an antenna (1 to 255) of a reader and turns on its field.

    Raises ValueError if `antenna` is not from 1 to 255.
    """
    if not 1 <= antenna <= 255:
        raise ValueError(f"antenna {antenna}: expected 1 to 255")
    return request(RF_ON_OFF, bytes((antenna,)))


def inventory(*, more: bool = False, advanced: bool = False) -> bytes:
    """Return the request for a new inventory.

    With `more`, return the request for the rest of an inventory that ended with "more data to fetch".
    """
    return request(ISO_HOST, bytes((INVENTORY, MODE_MORE if more else MODE_NEW)), advanced=advanced)


def _body(frame: bytes) -> tuple[bytes, bool]:
    advanced = frame[0] == FEIG_ADVANCED_MARK
    return frame[3 if advanced else 1 : -2], advanced


def parse_answer(frame: bytes) -> Answer:
    """Return address, command, status and data of an answer frame.

    Raises BadAnswerError if the frame is too short for an answer.
    """
    body, _ = _body(frame)
    if len(body) < 3:
        raise BadAnswerError(f"answer {frame.hex(' ')}: expected address, command and status, got {len(body)} bytes")
    return Answer(body[0], body[1], body[2], body[3:])


def parse_request(frame: bytes) -> Request:
    """Return address, command and data of a request frame, as a reader parses it."""
    body, advanced = _body(frame)
    return Request(body[0], body[1], body[2:], advanced)
