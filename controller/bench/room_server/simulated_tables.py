"""Run simulated tables, which send prepared spans to a room.

`python -m controller.bench.room_server.simulated_tables TABLES PORT SECONDS` is started by the measurement.

Each table has a key, a token and a connection with TLS of its own, and sends what a real uplink sends. The spans are
signed and framed before the measurement, so that the tables leave the processor to the room. They differ from a real
uplink in two ways: all tables have the same records, and nothing checks the certificate of the room.

The process prints `ready` when all tables are connected, waits for a line, and prints a `TablesReport` as JSON.
"""

from __future__ import annotations

import asyncio
import random
import ssl
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from controller.bench.room_server.identities import READY, TablesReport, table_key, table_name, table_token
from controller.integrity import ChainHead, make_guard
from controller.journal import Entry, Journal, JournalFollower, Stretch, new_header
from controller.room import LOOK_INTERVAL_S, TOKEN_PREFIX, SpanAccepted, encode_message, encode_span
from controller.steps import Declaration, hand_steps

RECORDS_PER_S: Final = 2
"""Number of records that a busy table writes in a second."""
HAND_RECORDS: Final = 40
"""Number of records of a hand. The last record of a hand has a snapshot."""
STATE_BYTES: Final = 3_000
"""Size of a snapshot in bytes, after its compression."""
CONNECTIONS_AT_ONCE: Final = 20
"""Number of tables that connect at the same time."""
_FRAME_OF_BYTES: Final = 0x82
"""First byte of a WebSocket frame that is a whole message of bytes. Source: RFC 6455, section 5.2."""
_FRAME_OF_PING: Final = 0x89
_FRAME_OF_PONG: Final = 0x8A
_ACCEPTED: Final = encode_message(SpanAccepted(is_stored=True))


def prepare_stretches(count: int) -> list[Stretch]:
    """Return what an uplink reads from a journal at `count` looks. The first look finds no record."""
    records = max(1, round(RECORDS_PER_S * LOOK_INTERVAL_S))
    random_bytes = random.Random(1)
    stretches: list[Stretch] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.journal"
        with closing(Journal.create(path, new_header("{}"), guard=make_guard(path, table_key(0)))) as journal:
            follower = JournalFollower(path)
            while len(stretches) < count:
                if (stretch := follower.read()) is not None:
                    stretches.append(stretch)
                for number in range(journal.last_number + 1, journal.last_number + records + 1):
                    state = b"" if number % HAND_RECORDS else random_bytes.randbytes(STATE_BYTES)
                    entry = Entry(number, hand_steps.Declares(3, Declaration("raise", number)), "dealer")
                    journal.append([entry], state)
    return stretches


class SimulatedTable(asyncio.Protocol):
    """The connection of a table, which has one span on its way."""

    def __init__(self, number: int, stretches: list[Stretch]) -> None:
        self.name = table_name(number)
        key = table_key(number)
        self._heads = [stretch.head for stretch in stretches]
        self._frames = [
            _frame(_FRAME_OF_BYTES, encode_span(stretch._replace(signature=key.sign(stretch.head))))
            for stretch in stretches
        ]
        self._token = table_token(number)
        self._received = b""
        self._is_open = False
        self._sent_at_s = 0.0
        self._transport: asyncio.Transport | None = None
        self.sent = 0
        self.replies_s: list[float] = []
        self.failure = ""
        self.connected = asyncio.get_running_loop().create_future()

    @property
    def acknowledged(self) -> ChainHead | None:
        """Return the last head that the room has acknowledged, or None."""
        return self._heads[len(self.replies_s) - 1] if self.replies_s else None

    def send_next(self) -> None:
        """Send the next span, unless the reply to the last one is missing."""
        if self._transport is None or self.sent > len(self.replies_s) or self.sent == len(self._frames):
            return
        self._sent_at_s = time.perf_counter()
        self._transport.write(self._frames[self.sent])
        self.sent += 1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a WebSocket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        headers = {
            "Host": "127.0.0.1",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "cG90a2VlcGVyIGJlbmNoIQ==",
            "Authorization": TOKEN_PREFIX + self._token,
        }
        lines = ["GET / HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        transport.write("\r\n".join(lines).encode())

    def data_received(self, data: bytes) -> None:
        """Read the reply to the request, the position of the room, and then the replies to spans."""
        self._received += data
        if not self._is_open:
            head, end, rest = self._received.partition(b"\r\n\r\n")
            if not end:
                return
            self._is_open, self._received = True, rest
            if b" 101 " not in head:
                self._fail(head.decode(errors="replace").splitlines()[0])
        while len(self._received) >= 2 and len(self._received) >= 2 + self._received[1]:
            end_at = 2 + self._received[1]
            kind, payload, self._received = self._received[0], self._received[2:end_at], self._received[end_at:]
            self._handle(kind, payload)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the room has closed the connection."""
        self._fail(f"the connection ended: {exc}")

    def _handle(self, kind: int, payload: bytes) -> None:
        if kind == _FRAME_OF_PING and self._transport is not None:
            self._transport.write(_frame(_FRAME_OF_PONG, payload))
        elif not self.connected.done():
            self.connected.set_result(None)
        elif payload == _ACCEPTED:
            self.replies_s.append(time.perf_counter() - self._sent_at_s)
        else:
            self._fail(f"the room has sent {payload!r}")

    def _fail(self, reason: str) -> None:
        self.failure = self.failure or f"{self.name}: {reason}"
        if not self.connected.done():
            self.connected.set_result(None)


def _frame(kind: int, payload: bytes) -> bytes:
    """Return a WebSocket frame with a mask of zeros, which leaves the payload as it is."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2, "big")
    return bytes([kind]) + length + bytes(4) + payload


async def _connect(tables: list[SimulatedTable], port: int) -> None:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    waiting = asyncio.Semaphore(CONNECTIONS_AT_ONCE)

    async def connect(table: SimulatedTable) -> None:
        async with waiting:
            await asyncio.get_running_loop().create_connection(lambda: table, "127.0.0.1", port, ssl=context)
            await table.connected

    await asyncio.gather(*(connect(table) for table in tables))


async def _send(tables: list[SimulatedTable], seconds: float) -> None:
    """Let each table send at each of its looks, and wait for the last replies.

    The looks of the tables are spread over the interval.
    """
    start_s = time.perf_counter()
    due = [(start_s + LOOK_INTERVAL_S * number / len(tables), table) for number, table in enumerate(tables)]
    while due and due[0][0] < start_s + seconds:
        at_s, table = due.pop(0)
        if (wait_s := at_s - time.perf_counter()) > 0:
            await asyncio.sleep(wait_s)
        else:
            await asyncio.sleep(0)
        table.send_next()
        due.append((at_s + LOOK_INTERVAL_S, table))
    end_s = time.perf_counter() + 60
    while any(len(table.replies_s) < table.sent for table in tables) and time.perf_counter() < end_s:
        await asyncio.sleep(0.05)


async def run_tables(count: int, port: int, seconds: float) -> TablesReport:
    """Connect the tables, wait for a line on the standard input, and return what they have seen."""
    stretches = prepare_stretches(int(seconds / LOOK_INTERVAL_S) + 2)
    tables = [SimulatedTable(number, stretches) for number in range(1, count + 1)]
    await _connect(tables, port)
    sys.stdout.buffer.write(READY)
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    await _send(tables, seconds)
    return TablesReport(
        [time_s for table in tables for time_s in table.replies_s],
        {table.name: head.number for table in tables if (head := table.acknowledged) is not None},
        [table.failure for table in tables if table.failure],
    )


if __name__ == "__main__":
    report = asyncio.run(run_tables(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
