"""CRC-16 of FEIG readers, and the splitter that cuts their byte stream into frames.

The splitter accepts bytes in pieces of any size. If the bytes do not form a frame with a correct checksum, it skips one
byte and tries again. Noise therefore destroys only the frame in which it occurs.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FEIG_MIN_FRAME: Final = 5
"""Length, in bytes, of the shortest request. It has a length, an address, a command and a checksum (readers.md, 2)."""
FEIG_MAX_STANDARD_FRAME: Final = 255
"""Maximum length of a standard frame in bytes, because its length field has one byte."""
FEIG_MIN_ADVANCED_FRAME: Final = 7
FEIG_MAX_ADVANCED_FRAME: Final = 4096
"""Maximum length, in bytes, of an advanced frame that the splitter accepts. A longer one must be noise. The longest
real frame is an inventory answer with 255 tags, because the number of tags has one byte. It has 2559 bytes with ISO
15693 tags, and 3834 bytes with ISO 18000-3 mode 3 tags of 96 bits."""
FEIG_ADVANCED_MARK: Final = 0x02


_REFLECTED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc16_mcrf4xx(data: bytes) -> int:
    """Return the CRC-16/MCRF4XX: polynomial 8408 reflected, start value FFFF, no final xor.

    The check value of "123456789" is 6F91. The function `binascii.crc_hqx` uses the same polynomial in the other bit
    order, so the bits of its input and its result are mirrored.
    """
    high, low = divmod(binascii.crc_hqx(data.translate(_REFLECTED), 0xFFFF), 256)
    return _REFLECTED[low] << 8 | _REFLECTED[high]


def with_crc16(body: bytes) -> bytes:
    """Return the body followed by its CRC-16/MCRF4XX, low byte first."""
    return body + crc16_mcrf4xx(body).to_bytes(2, "little")


@dataclass(frozen=True, slots=True)
class Frame:
    """A complete frame with a correct checksum.

    `after_noise` is True if the bytes directly before the frame were noise. The frame may then be a part of other data
    with a checksum that is correct by chance. It shows that the device is alive, but its data must not be used.
    """

    data: bytes
    after_noise: bool


@dataclass(frozen=True, slots=True)
class LineNoise:
    """Bytes that do not belong to a frame. One burst of noise may be reported in several `LineNoise` objects."""

    data: bytes


class FeigFrameSplitter:
    """Cuts a byte stream into standard and advanced FEIG frames by their length and CRC-16.

    The buffer holds at most `FEIG_MAX_ADVANCED_FRAME` bytes, the length of a frame. Noise may look like the beginning
    of a long frame, for which the splitter then waits. The owner therefore calls `flush` when the line has been quiet.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noise = False
        self.ended_corrupt = False
        """True if the last bytes were the end of a frame with a wrong checksum, so that no more bytes will arrive."""

    @property
    def missing_bytes(self) -> int:
        """Return the minimum number of bytes that are missing in the current frame, or 0 if no frame has begun."""
        if not self._buffer:
            return 0
        need = self._length()
        return max(1, need - len(self._buffer)) if need else 1

    def feed(self, data: bytes) -> list[Frame | LineNoise]:
        """Add received bytes, and return the frames and the noise that are now complete."""
        self._buffer += data
        self.ended_corrupt = False
        return list(self._cut())

    def flush(self) -> bytes:
        """Discard an incomplete frame and return its bytes. The next byte begins a new frame."""
        self.ended_corrupt = False
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._noise = False
        return rest

    def _length(self) -> int | None:
        """Return the length of the frame at the start of the buffer, read from its length field.

        Return 0 if the length field is incomplete. Return None if the buffer does not start with a frame.
        """
        first = self._buffer[0]
        if first != FEIG_ADVANCED_MARK:
            return first if first >= FEIG_MIN_FRAME else None
        if len(self._buffer) < 3:
            return 0
        length = int.from_bytes(self._buffer[1:3], "big")
        return length if FEIG_MIN_ADVANCED_FRAME <= length <= FEIG_MAX_ADVANCED_FRAME else None

    def _cut(self) -> Iterator[Frame | LineNoise]:
        noise = bytearray()
        while self._buffer:
            length = self._length()
            if length is not None and (length == 0 or len(self._buffer) < length):
                break
            frame = bytes(self._buffer[:length]) if length is not None else b""
            if frame and crc16_mcrf4xx(frame[:-2]) == int.from_bytes(frame[-2:], "little"):
                if noise:
                    yield LineNoise(bytes(noise))
                    noise.clear()
                yield Frame(frame, self._noise)
                self._noise = False
                del self._buffer[:length]
            else:
                self.ended_corrupt = self.ended_corrupt or length == len(self._buffer)
                noise.append(self._buffer[0])
                self._noise = True
                del self._buffer[0]
        if noise:
            yield LineNoise(bytes(noise))
