"""The messages between the room and the uplink of a table, on one WebSocket.

The room first sends the position up to which it has the journal. The uplink then sends one span after the other, and
waits for the reply to each span.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from controller.integrity import ChainHead
from controller.room.spans import SpanError

TOKEN_PREFIX: Final = "Bearer "
"""Text before the token in the header `Authorization` of a connection. Source: RFC 6750."""


class RoomPosition(msgspec.Struct, frozen=True, tag="position"):
    """The first message of the room: the head after the last stored record, or None for a new table."""

    head: ChainHead | None


class SpanAccepted(msgspec.Struct, frozen=True, tag="accepted"):
    """Reply to a span. If `is_stored` is True, the span and all spans before it are on the disk of the room.

    Otherwise the room waits for a signature that covers the span.
    """

    is_stored: bool


class SpanRefused(msgspec.Struct, frozen=True, tag="refused"):
    """Reply to a span that the room does not accept. The room then closes the connection."""

    problem: str
    text: str


RoomMessage: TypeAlias = RoomPosition | SpanAccepted | SpanRefused
"""Messages of the room. The messages of an uplink are spans."""

encode_message = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RoomMessage).decode


def decode_message(data: bytes) -> RoomMessage:
    """Return the message that bytes from the room contain. Raises SpanError."""
    try:
        message: RoomMessage = _decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SpanError("not-a-span", f"message of the room: {error}, expected another version") from None
    return message
