"""The room keeps the journals of many tables, see README.md.

It needs the extra `room`: psycopg and websockets.

Example: encode the records that a follower has read, and check them at the other end.

```
data = [encode_span(span) for span in split_stretch(stretch)]
accepted = SpanChain(None, (public_key,)).add(data[0])
```
"""

from controller.room.audit_export import day_limits, export_lines, verify_export
from controller.room.journal_copy import copy_journal
from controller.room.live import LiveError, LiveServer, LiveUplink
from controller.room.messages import TOKEN_PREFIX, SpanAccepted, encode_message
from controller.room.server import RoomServer, run_room
from controller.room.span_chain import AcceptedSpan, SpanChain, StoredSpan
from controller.room.spans import MAX_SPAN_BYTES, SpanError, decode_span, encode_span, split_stretch, verify_span
from controller.room.store import (
    Alert,
    SpanOfDay,
    SpanStore,
    StoreError,
    read_alerts,
    read_spans,
    read_spans_of_day,
    store_error,
)
from controller.room.tables_file import RoomTable, TablesFile, add_table
from controller.room.uplink import LOOK_INTERVAL_S, Uplink
from controller.room.verification import TableCheck, verify_store

__all__ = [
    "LOOK_INTERVAL_S",
    "MAX_SPAN_BYTES",
    "TOKEN_PREFIX",
    "AcceptedSpan",
    "Alert",
    "LiveError",
    "LiveServer",
    "LiveUplink",
    "RoomServer",
    "RoomTable",
    "SpanAccepted",
    "SpanChain",
    "SpanError",
    "SpanOfDay",
    "SpanStore",
    "StoreError",
    "StoredSpan",
    "TableCheck",
    "TablesFile",
    "Uplink",
    "add_table",
    "copy_journal",
    "day_limits",
    "decode_span",
    "encode_message",
    "encode_span",
    "export_lines",
    "read_alerts",
    "read_spans",
    "read_spans_of_day",
    "run_room",
    "split_stretch",
    "store_error",
    "verify_export",
    "verify_span",
    "verify_store",
]
