"""FEIG OBID frames (ISO host mode): requests are built, answers are parsed, nothing is kept.

Source: readers.md, 2. Standard frame to the reader `LEN ADR CTRL DATA… CRC`, from it `LEN ADR CTRL STATUS
DATA… CRC`; advanced frame `02 LENH LENL ADR CTRL [STATUS] DATA… CRC`. CRC-16/MCRF4XX, low byte first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from firmware_bridge.errors import PotkeeperError, Whose
from firmware_bridge.framing import FEIG_ADVANCED_MARK, FEIG_MAX_STANDARD, with_crc16

ANY_READER: Final = 0xFF
BITS_PER_BYTE: Final = 11
"""8 data bits, even parity, one start and one stop bit."""
BAUDS: Final = (38_400, 115_200, 57_600, 19_200, 9_600)
"""What a reader may be set to, likely ones first: the maker's default, the reference table's."""

BAUD_DETECT: Final = 0x52
CPU_RESET: Final = 0x63
VERSION: Final = 0x65
READER_INFO: Final = 0x66
RF_RESET: Final = 0x69
RF_ON_OFF: Final = 0x6A
DIAGNOSTIC: Final = 0x6E
READ_CONFIGURATION: Final = 0x80
WRITE_CONFIGURATION: Final = 0x81
DEFAULT_CONFIGURATION: Final = 0x83
ISO_HOST: Final = 0xB0
INVENTORY: Final = 0x01
MODE_NEW: Final = 0x00
MODE_MORE: Final = 0x80

STATUS_OK: Final = 0x00
STATUS_NO_TRANSPONDER: Final = 0x01
STATUS_READ_PROTECT: Final = 0x15
STATUS_UNKNOWN_COMMAND: Final = 0x80
STATUS_LENGTH: Final = 0x81
STATUS_NOT_AVAILABLE: Final = 0x82
STATUS_RF_ERROR: Final = 0x83
STATUS_RF_WARNING: Final = 0x84
STATUS_MORE: Final = 0x94


class BadAnswerError(PotkeeperError):
    """A frame with a right checksum whose content is not what its command answers."""

    whose: ClassVar[Whose] = "link"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it came: `ctrl` is the command that it answers."""

    adr: int
    ctrl: int
    status: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a reader sees it."""

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
    """A request frame; it is advanced where asked for or where a standard one cannot hold it."""
    body = bytes((adr, ctrl)) + data
    return _frame(body, advanced or len(body) + 3 > FEIG_MAX_STANDARD)


def answer(ctrl: int, status: int, data: bytes = b"", *, adr: int = 0, advanced: bool = False) -> bytes:
    """An answer frame as a reader sends it; advanced where asked for or where a standard one is too small."""
    body = bytes((adr, ctrl, status)) + data
    return _frame(body, advanced or len(body) + 3 > FEIG_MAX_STANDARD)


def cpu_reset() -> bytes:
    """Starts the reader anew; it forgets the antenna."""
    return request(CPU_RESET)


def probe(ctrl: int) -> bytes:
    """A request that changes nothing and is always answered: VERSION, BAUD_DETECT or READER_INFO (block
    0)."""
    return request(ctrl) if ctrl == VERSION else request(ctrl, b"\x00")


def rf_reset() -> bytes:
    """Takes the field away for a moment: every tag starts anew."""
    return request(RF_RESET)


def read_configuration(block: int) -> bytes:
    """Asks for one configuration block (0 to 63) as the reader works with it now (its RAM)."""
    return request(READ_CONFIGURATION, bytes((block,)))


def select_antenna(antenna: int) -> bytes:
    """RF on at this antenna (1 to 255), as on readers with several ports."""
    if not 1 <= antenna <= 255:
        raise ValueError(f"antenna {antenna}: 1 to 255 expected")
    return request(RF_ON_OFF, bytes((antenna,)))


def inventory(*, more: bool = False, advanced: bool = False) -> bytes:
    """A new inventory, or the rest of one that was answered with "more data to fetch"."""
    return request(ISO_HOST, bytes((INVENTORY, MODE_MORE if more else MODE_NEW)), advanced=advanced)


def _body(frame: bytes) -> tuple[bytes, bool]:
    advanced = frame[0] == FEIG_ADVANCED_MARK
    return frame[3 if advanced else 1 : -2], advanced


def parse_answer(frame: bytes) -> Answer:
    """Takes a frame from the splitter apart. Raises BadAnswerError where it is too short for an answer."""
    body, _ = _body(frame)
    if len(body) < 3:
        raise BadAnswerError(f"answer {frame.hex(' ')}: address, command and status expected")
    return Answer(body[0], body[1], body[2], body[3:])


def parse_request(frame: bytes) -> Request:
    """Takes a frame from the splitter apart, as a reader does."""
    body, advanced = _body(frame)
    return Request(body[0], body[1], body[2:], advanced)
