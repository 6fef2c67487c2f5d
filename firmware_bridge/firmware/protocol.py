"""Frames and messages between host and panel board.

The same file runs on both ends. A frame is `COBS(TYPE u8, SEQ u16, NONCE u32, payload, CRC-32 u32) 00`, with
little-endian numbers. SEQ counts the sender's frames. NONCE identifies one boot of the board. In HELLO it is 0, because
the host does not know the nonce yet.

Sources: readers.md, 4; Cheshire and Baker, "Consistent Overhead Byte Stuffing" (1999).
"""

import binascii
import struct

VERSION = 3

HELLO = 0x01
SYNC = 0x02
WELCOME = 0x81
STATUS = 0x82
EVENTS = 0x83
PRESENCE = 0x84

HELLO_FORMAT = "<I"
"""Payload of a HELLO frame: a token, which the WELCOME frame returns."""
SYNC_FORMAT = "<II"
"""Payload of a SYNC frame: `delivered` (the host has all edges below this number) and the mask of the lamps to turn
on."""
WELCOME_FORMAT = "<BIIBBBQIQ"
"""Payload of a WELCOME frame: version, dictionary hash, token, number of buttons, number of lamps, number of presence
inputs, board time in us, `delivered` (the host has all edges below this number), and the serial number of the board.

Version and dictionary hash come first in every version of the protocol.
"""
STATUS_FORMAT = "<HQII"
"""Payload of a STATUS frame: SEQ of the answered SYNC frame, board time in us, mask of the lamps that are on, and the
number that the next edge will get. If the host has all edges below this number, it knows every edge until that time."""
EVENTS_FORMAT = "<I"
"""Payload of an EVENTS frame before the edges: the number of the first edge. It is the oldest edge that the board still
has and has not delivered."""
EDGE_FORMAT = "<BBQ"
"""Data of an edge (press or release) in an EVENTS frame: button number, 1 for pressed, 0 for released or HELD_AT_BOOT,
board time in us."""
PRESENCE_FORMAT = "<Q"
"""Payload of a PRESENCE frame before the inputs: the board time in us."""
PRESENCE_INPUT_FORMAT = "<BH"
"""Data of a presence input in a PRESENCE frame: number of changes since boot, modulo 256, and the time since the last
change in ms, at most MAX_PRESENCE_AGE_MS."""
MAX_PRESENCE_AGE_MS = 0xFFFF
HELD_AT_BOOT = 2
"""Value of an edge for a button that was down when the board booted, so that nobody has pressed it just now."""

WELCOME_PREFIX_FORMAT = "<BI"
HEADER_FORMAT = "<BHI"
HEADER_BYTES = 7
CRC_BYTES = 4
EDGE_BYTES = 10
PRESENCE_INPUT_BYTES = 3

MAX_EDGES_PER_FRAME = 8
"""Maximum number of edges (presses and releases) in one frame. A full frame has 100 bytes, which take 9 ms at 115200
baud, so a damaged frame is quickly sent again."""
MAX_ENCODED_BYTES = 160
"""Maximum number of bytes between two zero bytes on the line. No frame is longer, so a longer piece is dropped as
noise."""
SEQ_MASK = 0xFFFF

DICTIONARY = ";".join(
    (
        "header " + HEADER_FORMAT,
        "hello 01 " + HELLO_FORMAT,
        "sync 02 " + SYNC_FORMAT,
        "welcome 81 " + WELCOME_FORMAT,
        "status 82 " + STATUS_FORMAT,
        "events 83 " + EVENTS_FORMAT + " edges " + EDGE_FORMAT + " held at boot 02",
        "presence 84 " + PRESENCE_FORMAT + " inputs " + PRESENCE_INPUT_FORMAT,
    )
)
"""All frame layouts as one text. The handshake compares the hash of this text to detect a board with other firmware."""


def dictionary_hash() -> int:
    """Return the CRC-32 of `DICTIONARY`, the text with the frame layouts."""
    return binascii.crc32(DICTIONARY.encode()) & 0xFFFFFFFF


def is_newer(seq: int, reference: int) -> bool:
    """Return True if the frame number `seq` is newer than `reference`.

    Frame numbers have 16 bits and wrap from 65535 to 0. A number is newer if it is 1 to 32767 steps ahead.
    """
    return 0 < ((seq - reference) & SEQ_MASK) < 0x8000


def cobs_encode(data: bytes) -> bytes:
    """Return the data in COBS encoding, which contains no zero bytes.

    The caller must append the 00 that ends the frame.
    """
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
    """Return the data of a COBS-encoded frame, without its final 00. Return None if the encoding is not valid."""
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


def encode_frame(kind: int, seq: int, nonce: int, payload: bytes) -> bytes:
    """Return a complete encoded frame, including its final 00."""
    body = struct.pack(HEADER_FORMAT, kind, seq, nonce) + payload
    crc = binascii.crc32(body) & 0xFFFFFFFF
    return cobs_encode(body + struct.pack("<I", crc)) + b"\x00"


def decode_frame(encoded: bytes) -> "tuple[int, int, int, bytes] | None":
    """Return type, SEQ, NONCE and payload of an encoded frame without its final 00. Return None if it is damaged."""
    body = cobs_decode(encoded)
    if body is None or len(body) < HEADER_BYTES + CRC_BYTES:
        return None
    (crc,) = struct.unpack("<I", body[-CRC_BYTES:])
    body = body[:-CRC_BYTES]
    if binascii.crc32(body) & 0xFFFFFFFF != crc:
        return None
    kind, seq, nonce = struct.unpack(HEADER_FORMAT, body[:HEADER_BYTES])
    return kind, seq, nonce, body[HEADER_BYTES:]


class CobsFrameSplitter:
    """Cuts a byte stream at its zero bytes. Pieces of more than `MAX_ENCODED_BYTES` bytes are dropped."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._too_long = False
        self.dropped_count = 0

    def feed(self, data: bytes) -> "list[bytes]":
        """Record received bytes, and return the pieces that are now complete.

        The pieces do not include the zero bytes between them. Empty pieces are left out.
        """
        pieces = []
        for byte in data:
            if byte:
                if len(self._buffer) < MAX_ENCODED_BYTES:
                    self._buffer.append(byte)
                else:
                    self._too_long = True
                continue
            if self._too_long:
                self.dropped_count += 1
            elif self._buffer:
                pieces.append(bytes(self._buffer))
            self.flush()
        return pieces

    def flush(self) -> None:
        """Discard an incomplete piece."""
        self._buffer = bytearray()
        self._too_long = False
