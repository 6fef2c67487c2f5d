"""Large spans reach the room through TLS, with a small buffer for each connection."""

from __future__ import annotations

import asyncio
import random
import ssl
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from controller.journal import JournalFollower
from controller.room import MAX_SPAN_BYTES, RoomServer, SpanStore, TablesFile, add_table, encode_span, read_spans
from controller.room.messages import TOKEN_PREFIX, SpanAccepted, decode_message
from controller.room.server import TLS_BUFFER_BYTES
from tests.controller.journal_tampering import KEY
from tests.controller.test_journal_replication import Writer
from tests.room.kill_bench import make_certificate
from tests.room.postgres_server import postgres_server, why_no_postgres
from tests.service.service_process import DEADLINE_S

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


def largest_span(folder: Path) -> bytes:
    """Return a span that is nearly as large as a span may be, because of its snapshots."""
    content = random.Random(1)
    with closing(Writer(folder)) as writer:
        for _ in range(20):
            writer.append(1, content.randbytes(3_000))
        stretch = JournalFollower(writer.path).read()
    assert stretch is not None
    data = encode_span(stretch)
    assert len(data) > MAX_SPAN_BYTES - 5_000
    assert len(zlib.compress(data)) > 3 * TLS_BUFFER_BYTES
    return data


def test_large_span_arrives_through_tls(tmp_path: Path) -> None:
    make_certificate(tmp_path / "room.pem", tmp_path / "room.key")
    token = add_table(tmp_path / "tables.toml", "Table 1", KEY.public_key)
    data = largest_span(tmp_path)

    async def run(database: str) -> None:
        listening = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        listening.load_cert_chain(tmp_path / "room.pem", tmp_path / "room.key")
        trusting = ssl.create_default_context(cafile=str(tmp_path / "room.pem"))
        store = SpanStore(database)
        await store.open()
        try:
            room = RoomServer(store, TablesFile(tmp_path / "tables.toml"))
            async with await room.listen("127.0.0.1", 0, listening) as server, asyncio.timeout(DEADLINE_S):
                port = next(iter(server.sockets)).getsockname()[1]
                headers = {"Authorization": TOKEN_PREFIX + token}
                address = f"wss://127.0.0.1:{port}"
                async with connect(address, ssl=trusting, additional_headers=headers, proxy=None) as connection:
                    await connection.recv()
                    await connection.send(data)
                    reply = await connection.recv()
                    assert isinstance(reply, bytes)
                    assert decode_message(reply) == SpanAccepted(is_stored=True)
                    (at_room,) = server.connections
                    assert len(vars(at_room.transport)["_ssl_protocol"]._ssl_buffer) <= TLS_BUFFER_BYTES
        finally:
            await store.close()

    with postgres_server() as running:
        asyncio.run(run(running.database))
        assert list(read_spans(running.database, "Table 1")) == [data]
