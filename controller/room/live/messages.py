"""The messages between the room and the uplink of a table, on the WebSocket for summaries and tunnels."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, TypeAlias, TypeVar

import msgspec

from controller.integrity import ChainHead
from controller.view import table_summary
from firmware_bridge.errors import FaultSource, PotkeeperError

LIVE_PATH: Final = "/live"
"""Path of the WebSocket. Any other path is for spans."""
MAX_DATA_BYTES: Final = 16_384
"""Maximum number of bytes in one message of a tunnel. A view has 5 kB."""
MAX_MESSAGE_BYTES: Final = MAX_DATA_BYTES + 1_000
"""Maximum size of a message. A summary with the head of a journal needs 500 bytes."""
MAX_TUNNEL_NUMBER: Final = 2**53
MAX_REASON_CHARS: Final = 200


class LiveError(PotkeeperError, ValueError):
    """Error for a message that must not occur here. The connection then ends."""

    fault: ClassVar[FaultSource] = "link"


_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_TUNNEL_NUMBER)]
_SummaryBytes: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=1, max_length=table_summary.MAX_SUMMARY_BYTES)]


class Summary(msgspec.Struct, frozen=True, tag="summary"):
    """The newest summary of the table, encoded, so that the room can also receive an unknown version.

    `summary` is None if the uplink cannot see the table now. `newest` is the head of the table's journal, or None if
    the table does not record, or if the journal cannot be read.
    """

    summary: _SummaryBytes | None
    newest: ChainHead | None


class Open(msgspec.Struct, frozen=True, tag="open"):
    """The room opens a tunnel. Its number is higher than those of all tunnels before it on this connection."""

    tunnel: _Number


class Data(msgspec.Struct, frozen=True, tag="data"):
    """Bytes through a tunnel."""

    tunnel: _Number
    content: Annotated[bytes, msgspec.Meta(min_length=1, max_length=MAX_DATA_BYTES)]


class Taken(msgspec.Struct, frozen=True, tag="taken"):
    """The client behind a tunnel has read this number of bytes, so that the sender may send as many again."""

    tunnel: _Number
    count: Annotated[int, msgspec.Meta(ge=1)]


class Close(msgspec.Struct, frozen=True, tag="close"):
    """The end of a tunnel. `reason` says why it could not be opened, or is "" if its client has closed it."""

    tunnel: _Number
    reason: Annotated[str, msgspec.Meta(max_length=MAX_REASON_CHARS)] = ""


TunnelMessage: TypeAlias = Data | Taken | Close
TableMessage: TypeAlias = Summary | TunnelMessage
"""Messages of a table to the room."""
RoomMessage: TypeAlias = Open | TunnelMessage
"""Messages of the room to a table."""

encode_message = msgspec.msgpack.Encoder().encode
_table_decoder: Final[msgspec.msgpack.Decoder[TableMessage]] = msgspec.msgpack.Decoder(TableMessage)
_room_decoder: Final[msgspec.msgpack.Decoder[RoomMessage]] = msgspec.msgpack.Decoder(RoomMessage)
_Message = TypeVar("_Message")


def decode_table_message(data: bytes | str) -> TableMessage:
    """Return the message of a table. Raises LiveError."""
    return _decode(_table_decoder, data, "message of a table", "a summary or the bytes of a tunnel")


def decode_room_message(data: bytes | str) -> RoomMessage:
    """Return the message of the room. Raises LiveError."""
    return _decode(_room_decoder, data, "message of the room", "a message about a tunnel")


def _decode(decoder: msgspec.msgpack.Decoder[_Message], data: bytes | str, name: str, expected: str) -> _Message:
    if len(data) > MAX_MESSAGE_BYTES:
        raise LiveError(f"message: {len(data)} bytes, expected at most {MAX_MESSAGE_BYTES}")
    try:
        return decoder.decode(data if isinstance(data, bytes) else data.encode())
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise LiveError(f"{name}: {error}, expected {expected}") from None
