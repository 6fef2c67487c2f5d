"""The lines that the room sends on `room.sock` about its tables, one JSON object a line.

The first line has all tables. Then comes one line for the present state of every table, and later one for each change.
A client that reads slowly misses states in between, but never the newest one.

Example:

    {"kind":"tables","tables":[{"name":"Table 4","socket":"tables/0.sock"}]}
    {"kind":"table","table":"Table 4","summary":[1,"Table 4",…],"connected":true,"recorded":true,"at":1764482400.5,
     "version":1}
    {"kind":"alive","at":1764482401.5}
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias

import msgspec

from controller.view.table_summary import SUMMARY_VERSION, TableSummary
from firmware_bridge.errors import FaultSource, PotkeeperError

ROOM_SOCKET: Final = "room.sock"
"""Name of the socket with these lines in the folder of the room."""
TABLE_SOCKETS: Final = "tables"
"""Name of the folder with one socket for each table."""
ALIVE_INTERVAL_S: Final = 1.0
"""Interval in seconds at which the room sends `RoomAlive`. A client without lines for a few seconds is not live."""
MAX_LINE_BYTES: Final = 1_000_000
"""Maximum length of a line in bytes. The names of 4,000 tables need half."""


class LiveProtocolError(PotkeeperError, ValueError):
    """Error for a line that the room should not have sent."""

    fault: ClassVar[FaultSource] = "link"


class TableSocket(msgspec.Struct, frozen=True):
    """A table of the room. `socket` is relative to the folder, and behaves as the read-only socket of the table."""

    name: str
    socket: str


class RoomTables(msgspec.Struct, frozen=True, tag_field="kind", tag="tables"):
    """All tables in the order of the file of the tables. It is sent first, and again when the file changes."""

    tables: tuple[TableSocket, ...]


class TableState(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="table"):
    """The newest state of a table."""

    table: str
    summary: TableSummary | None = None
    """The newest summary, or None before the first one. None also if its version is unknown here."""
    connected: bool = False
    """False if the table cannot be seen now. The summary is then an old one."""
    recorded: bool = False
    """True if the table records, and the room has stored the newest record that it knows of."""
    at: float = 0.0
    """Wall-clock time of the change in seconds since 1970."""
    version: int = 0
    """Version of the summary that the table has sent, or 0 before the first one."""


class RoomAlive(msgspec.Struct, frozen=True, tag_field="kind", tag="alive"):
    """A sign that the room is alive and that all states that were sent are the newest."""

    at: float


RoomLine: TypeAlias = RoomTables | TableState | RoomAlive


class _RawState(msgspec.Struct, tag_field="kind", tag="table"):
    """The state of a table with a summary that is not decoded yet."""

    table: str
    summary: msgspec.Raw
    connected: bool
    recorded: bool
    at: float
    version: int


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RoomTables | _RawState | RoomAlive).decode
_decode_summary = msgspec.json.Decoder(TableSummary | None).decode


def encode_line(line: RoomLine) -> bytes:
    """Return the line with its newline."""
    return _encode(line) + b"\n"


def decode_line(data: bytes) -> RoomLine:
    """Return what a line contains. Raises LiveProtocolError."""
    try:
        line: RoomTables | _RawState | RoomAlive = _decode(data)
        if not isinstance(line, _RawState):
            return line
        summary = _decode_summary(line.summary) if line.version == SUMMARY_VERSION else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise LiveProtocolError(f"line of the room: {error}, expected the state of a table") from None
    return TableState(
        table=line.table,
        summary=summary,
        connected=line.connected,
        recorded=line.recorded,
        at=line.at,
        version=line.version,
    )
