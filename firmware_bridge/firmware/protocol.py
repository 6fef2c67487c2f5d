"""Frames and messages between host and panel board; the same file runs at both ends.

A frame is `COBS(TYPE u8, SEQ u16, NONCE u32, payload, CRC-32 u32) 00`, numbers with their low byte first. SEQ
counts the sender's frames, NONCE names the board's boot (0 in HELLO, whose sender does not know it yet).

Source: readers.md, 4; Cheshire and Baker, "Consistent Overhead Byte Stuffing" (1999).
"""

import binascii
import struct

VERSION = 1

HELLO = 0x01
SYNC = 0x02
WELCOME = 0x81
STATUS = 0x82
EVENTS = 0x83

HELLO_FORMAT = "<I"
"""token: comes back in the WELCOME."""
SYNC_FORMAT = "<II"
"""delivered: all edges below this number have arrived; lamps: mask of those that shall shine."""
WELCOME_FORMAT = "<BIIBBQI"
"""version, dictionary hash, token, number of buttons, of lamps, board time in us, delivered. Version and hash
come first in every version of the protocol."""
STATUS_FORMAT = "<HQI"
"""SEQ of the SYNC that it answers, board time in us, mask of the lamps that shine."""
EVENTS_FORMAT = "<I"
"""number of the first edge, the oldest that the board still has and that is not delivered; edges follow."""
EDGE_FORMAT = "<BBQ"
"""button, 1 pressed or 0 released, board time in us."""

WELCOME_HEAD = "<BI"
HEADER_FORMAT = "<BHI"
HEADER_BYTES = 7
CRC_BYTES = 4
EDGE_BYTES = 10

MAX_EDGES = 8
"""Edges in one frame: 100 bytes, 9 ms at 115200 baud, so that a frame that is hit costs little."""
MAX_ENCODED = 160
"""Longer than any frame; what is longer is noise and is thrown away."""
SEQ_MASK = 0xFFFF

DICTIONARY = ";".join(
    (
        "header " + HEADER_FORMAT,
        "hello 01 " + HELLO_FORMAT,
        "sync 02 " + SYNC_FORMAT,
        "welcome 81 " + WELCOME_FORMAT,
        "status 82 " + STATUS_FORMAT,
        "events 83 " + EVENTS_FORMAT + " edges " + EDGE_FORMAT,
    )
)
"""All layouts as text. Its hash in the greeting tells a board whose firmware has other ones."""


def dictionary_hash() -> int:
    """CRC-32 of the dictionary."""
    return binascii.crc32(DICTIONARY.encode()) & 0xFFFFFFFF


def is_newer(seq: int, than: int) -> bool:
    """Whether a sequence number comes after another, within half its range."""
    return 0 < ((seq - than) & SEQ_MASK) < 0x8000


def cobs_encode(data: bytes) -> bytes:
    """The same data without a zero byte; the 00 that ends the frame is not added."""
    out = bytearray(b"\x00")
    code_at = 0
    for byte in data:
        if len(out) - code_at == 0xFF:
            out[code_at] = 0xFF
            code_at = len(out)
            out.append(0)
        if byte:
            out.append(byte)
        else:
            out[code_at] = len(out) - code_at
            code_at = len(out)
            out.append(0)
    out[code_at] = len(out) - code_at
    return bytes(out)


def cobs_decode(encoded: bytes) -> "bytes | None":
    """The data back from what stood before the 00; None where it is no such encoding."""
    out = bytearray()
    at = 0
    while at < len(encoded):
        code = encoded[at]
        end = at + code
        if code == 0 or end > len(encoded) or encoded.find(b"\x00", at + 1, end) >= 0:
            return None
        out += encoded[at + 1 : end]
        if code != 0xFF and end < len(encoded):
            out.append(0)
        at = end
    return bytes(out)


def seal(kind: int, seq: int, nonce: int, payload: bytes) -> bytes:
    """A whole frame, with the 00 that ends it."""
    body = struct.pack(HEADER_FORMAT, kind, seq, nonce) + payload
    crc = binascii.crc32(body) & 0xFFFFFFFF
    return cobs_encode(body + struct.pack("<I", crc)) + b"\x00"


def unseal(encoded: bytes) -> "tuple[int, int, int, bytes] | None":
    """Type, SEQ, NONCE and payload of what stood before a 00; None where it is damaged."""
    body = cobs_decode(encoded)
    if body is None or len(body) < HEADER_BYTES + CRC_BYTES:
        return None
    (crc,) = struct.unpack("<I", body[-CRC_BYTES:])
    body = body[:-CRC_BYTES]
    if binascii.crc32(body) & 0xFFFFFFFF != crc:
        return None
    kind, seq, nonce = struct.unpack(HEADER_FORMAT, body[:HEADER_BYTES])
    return kind, seq, nonce, body[HEADER_BYTES:]


class ZeroSplitter:
    """Cuts a stream at its zero bytes. Holds at most MAX_ENCODED bytes; a longer piece is dropped whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._too_long = False
        self.dropped = 0

    def feed(self, data: bytes) -> "list[bytes]":
        """The pieces that are complete now, without their zeros; empty ones are left out."""
        pieces = []
        for byte in data:
            if byte:
                if len(self._buffer) < MAX_ENCODED:
                    self._buffer.append(byte)
                else:
                    self._too_long = True
                continue
            if self._too_long:
                self.dropped += 1
            elif self._buffer:
                pieces.append(bytes(self._buffer))
            self.flush()
        return pieces

    def flush(self) -> None:
        """Forgets a piece that has begun."""
        self._buffer = bytearray()
        self._too_long = False
