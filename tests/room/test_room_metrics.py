"""Prometheus reads what the room has stored, how fast, and which tables are missing."""

from __future__ import annotations

import asyncio
import re
import socket
import urllib.request

import pytest
from websockets.asyncio.client import connect

from controller.room import RoomServer, TablesFile, encode_span
from controller.room.room_counts import ACKNOWLEDGE_LIMITS_S, RoomCounts, offer_measurements
from tests.free_ports import free_port
from tests.room.live_room import Room, live_room, until
from tests.room.test_spans import spans

pytest.importorskip("prometheus_client")


def read_measurements(port: int) -> dict[str, float]:
    """Return all measurements of a room, without the times at which they were created."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    lines = re.findall(r"^(potkeeper_room_[^ ]+(?:\{[^}]*\})?) (\S+)$", text.replace("Table ", "Table_"), re.MULTILINE)
    return {name: float(value) for name, value in lines}


def test_measurements_show_spans_alerts_and_connected_tables() -> None:
    async def test(room: Room) -> None:
        server, port = RoomServer(room.store, TablesFile(room.tables)), free_port()
        stop = offer_measurements(port, server.counts, TablesFile(room.tables).read_names)
        try:
            async with await server.listen("127.0.0.1", 0, None) as listening:
                address = f"ws://127.0.0.1:{next(iter(listening.sockets)).getsockname()[1]}"
                async with connect(address, additional_headers=room.headers(), proxy=None) as connection:
                    await connection.recv()
                    for span in (spans()[0], spans()[1]):
                        await connection.send(encode_span(span))
                        await connection.recv()
                    await until(lambda: sum(server.counts.acknowledged) == 2)
                    found = await asyncio.to_thread(read_measurements, port)
                    await connection.send(b"no span")
                    await connection.wait_closed()
                await until(lambda: not server.counts.connected)
                after = await asyncio.to_thread(read_measurements, port)
        finally:
            stop()
        assert found["potkeeper_room_tables"] == 2
        assert found['potkeeper_room_table_connected{table="Table_1"}'] == 1
        assert found['potkeeper_room_table_connected{table="Table_2"}'] == 0
        assert found["potkeeper_room_spans_total"] == 2
        assert found["potkeeper_room_records_total"] == len(spans()[0].bodies) + len(spans()[1].bodies)
        assert found["potkeeper_room_acknowledge_seconds_count"] == 2
        assert found["potkeeper_room_acknowledge_seconds_sum"] > 0
        assert after['potkeeper_room_table_connected{table="Table_1"}'] == 0
        assert after['potkeeper_room_alerts_total{problem="not-a-span"}'] == 1

    async def run() -> None:
        async with live_room(2) as room:
            await test(room)

    asyncio.run(run())


def test_times_are_counted_in_the_first_class_that_has_them() -> None:
    counts = RoomCounts()
    for time_s in (0.0, ACKNOWLEDGE_LIMITS_S[0], 0.03, 1000.0):
        counts.note_acknowledged(time_s)
    assert counts.acknowledged == [2, 1, *[0] * 8, 1]


def test_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as used, pytest.raises(OSError, match="in use"):
        offer_measurements(used.getsockname()[1], RoomCounts(), tuple)
