"""Checksums, byte stuffing and the cutting of byte streams into frames. Pure: bytes in, values out.

Splitters take bytes in any chunking and give the same frames for it. What is not a frame is skipped one byte
at a time until a frame with a right checksum is found again: noise costs no more than the frame it hit.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FEIG_MIN_FRAME: Final = 5
"""Length, address, command and checksum: the shortest request (readers.md, 2)."""
FEIG_MAX_STANDARD: Final = 255
"""The length byte counts the whole frame."""
FEIG_MIN_ADVANCED: Final = 7
FEIG_MAX_ADVANCED: Final = 4096
"""An inventory answer of 255 tags, the most its count byte can name, has 2559 bytes with ISO 15693 and 3834 with mode
3 and 96 bits; longer is noise."""
FEIG_ADVANCED_MARK: Final = 0x02


_REFLECTED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc16_mcrf4xx(data: bytes) -> int:
    """CRC-16/MCRF4XX: polynomial 8408 reflected, start FFFF, no final xor; "123456789" gives 6F91.

    The standard library has the same polynomial with the other bit order, so bits are mirrored on both sides.
    """
    high, low = divmod(binascii.crc_hqx(data.translate(_REFLECTED), 0xFFFF), 256)
    return _REFLECTED[low] << 8 | _REFLECTED[high]


def with_crc16(body: bytes) -> bytes:
    """The body followed by its CRC-16/MCRF4XX, low byte first."""
    return body + crc16_mcrf4xx(body).to_bytes(2, "little")


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame with a right checksum, whole. `after_noise`: bytes right before it were no frame, so it may be
    a piece of something else that fits by chance; it shows life, but is not to be trusted with data."""

    data: bytes
    after_noise: bool


@dataclass(frozen=True, slots=True)
class Noise:
    """Bytes that are no frame. A run of them may come in several pieces."""

    data: bytes


class FeigSplitter:
    """Cuts a stream into FEIG frames, standard and advanced, by length and CRC-16.

    It holds at most one frame of `FEIG_MAX_ADVANCED` bytes. A length that noise made too large blocks it
    until those bytes have come or `flush` is called, which the owner does when the line has been quiet.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noise = False
        self.spoilt = False
        """What came last ended a frame, by its length, whose checksum is wrong: nothing more of it is to come."""

    @property
    def missing(self) -> int:
        """How many bytes the frame that has begun still needs at least; 0 when none has."""
        if not self._buffer:
            return 0
        need = self._length()
        return max(1, need - len(self._buffer)) if need else 1

    def feed(self, data: bytes) -> list[Frame | Noise]:
        self._buffer += data
        self.spoilt = False
        return list(self._cut())

    def flush(self) -> bytes:
        """Gives up on what has begun; the next byte starts a frame."""
        self.spoilt = False
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._noise = False
        return rest

    def _length(self) -> int | None:
        """The announced length; 0 when it is not all there yet; None where no frame starts so."""
        first = self._buffer[0]
        if first != FEIG_ADVANCED_MARK:
            return first if first >= FEIG_MIN_FRAME else None
        if len(self._buffer) < 3:
            return 0
        length = int.from_bytes(self._buffer[1:3], "big")
        return length if FEIG_MIN_ADVANCED <= length <= FEIG_MAX_ADVANCED else None

    def _cut(self) -> Iterator[Frame | Noise]:
        noise = bytearray()
        while self._buffer:
            length = self._length()
            if length is not None and (length == 0 or len(self._buffer) < length):
                break
            frame = bytes(self._buffer[:length]) if length is not None else b""
            if frame and crc16_mcrf4xx(frame[:-2]) == int.from_bytes(frame[-2:], "little"):
                if noise:
                    yield Noise(bytes(noise))
                    noise.clear()
                yield Frame(frame, self._noise)
                self._noise = False
                del self._buffer[:length]
            else:
                self.spoilt = self.spoilt or length == len(self._buffer)
                noise.append(self._buffer[0])
                self._noise = True
                del self._buffer[0]
        if noise:
            yield Noise(bytes(noise))
