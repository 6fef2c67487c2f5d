"""Check what the tiles say, and that browsers get only what has changed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.view import live_protocol
from tests.service.service_process import DEADLINE_S
from tests.ui.pit.pit_room import quiet_state
from tests.ui.web.route_checks import SimulatedClock
from ui.pit.live_room import LiveRoom, RoomChange
from ui.pit.open_tables import IDLE_S, MAX_OPEN, OpenTables
from ui.pit.tile import Tile, make_tile
from ui.web.live_table import LiveTable


def room_of(folder: Path, count: int) -> LiveRoom:
    room = LiveRoom(folder)
    states = [quiet_state(number) for number in range(count)]
    room.apply(live_protocol.RoomTables(tuple(live_protocol.TableSocket(state.table, "x.sock") for state in states)))
    for state in states:
        room.apply(state)
    return room


@pytest.mark.parametrize(
    ("changes", "need"),
    [
        ({}, ""),
        ({"is_closed": True}, "closed"),
        ({"attention": "fault"}, "fault"),
        ({"attention": "not-recorded"}, "not-recorded"),
        ({"attention": "floor-call", "call_minutes": 3}, "floor-call"),
        ({"attention": "long-since-push", "is_closed": True}, "long-since-push"),
    ],
)
def test_tile_names_the_need_of_the_summary(changes: dict[str, Any], need: str) -> None:
    assert make_tile(0, "Table 1", quiet_state(0, **changes), "en").need == need


def test_tile_of_a_table_that_cannot_be_seen_is_a_fault_with_the_last_state() -> None:
    tile = make_tile(0, "Table 1", msgspec.structs.replace(quiet_state(0, pot=640), connected=False), "en")
    assert (tile.need, tile.connected, tile.pot) == ("fault", False, "$640")
    assert make_tile(0, "Table 1", None, "en").need == "fault"


def test_tile_of_a_summary_of_another_version_says_so() -> None:
    state = live_protocol.TableState(table="Table 1", connected=True, recorded=True, version=99)
    assert make_tile(0, "Table 1", state, "en").need == "unknown-version"


def test_records_that_the_room_misses_are_a_need() -> None:
    late = msgspec.structs.replace(quiet_state(1, attention="decision"), recorded=False)
    assert make_tile(1, "Table 2", late, "en").need == "not-recorded"
    assert make_tile(1, "Table 2", msgspec.structs.replace(late, connected=False), "en").need == "fault"


def numbers(change: RoomChange) -> list[int]:
    return [msgspec.json.decode(tile, type=Tile).number for tile in change.tiles]


def test_browser_gets_all_tiles_once_and_then_only_the_newest_of_changed_ones(tmp_path: Path) -> None:
    async def follow() -> None:
        room = room_of(tmp_path, 5)
        changes = room.changes("en")

        async def next_change() -> RoomChange:
            return await asyncio.wait_for(anext(changes), DEADLINE_S)

        first = await next_change()
        assert (first.is_whole, numbers(first)) == (True, [0, 1, 2, 3, 4])
        for pot in (1, 2, 3):  # This browser reads nothing meanwhile.
            room.apply(quiet_state(2, pot=pot))
        room.apply(quiet_state(4, pot=9))
        second = await next_change()
        assert (second.is_whole, sorted(numbers(second))) == (False, [2, 4])
        pots = {tile.number: tile.pot for tile in (msgspec.json.decode(raw, type=Tile) for raw in second.tiles)}
        assert pots == {2: "$3", 4: "$9"}
        room.apply(live_protocol.RoomTables((live_protocol.TableSocket("Table 2", "x.sock"),)))
        third = await next_change()
        assert (third.is_whole, numbers(third)) == (True, [0])
        await changes.aclose()

    asyncio.run(follow())


def test_room_that_is_silent_is_not_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.pit.live_room.SILENCE_S", 0.05)
    monkeypatch.setattr("ui.pit.live_room.RETRY_S", 0.01)

    async def follow() -> None:
        connections: set[asyncio.Task[None] | None] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.add(asyncio.current_task())
            writer.write(live_protocol.encode_line(live_protocol.RoomTables(())))
            await reader.read()
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_unix_server(serve, tmp_path / live_protocol.ROOM_SOCKET)
        room = LiveRoom(tmp_path)
        task = asyncio.create_task(room.run())
        seen = set()
        async with asyncio.timeout(DEADLINE_S):
            async for change in room.changes("en"):
                seen.add(change.is_live)
                if seen == {True, False}:
                    break
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        server.close()
        await asyncio.gather(*[connection for connection in connections if connection is not None])

    asyncio.run(follow())


def test_unused_tables_are_closed_and_followed_ones_stay(tmp_path: Path) -> None:
    async def use() -> None:
        clock = SimulatedClock()
        tables = OpenTables(clock)
        followed, unused = tables.open(tmp_path / "0.sock"), tables.open(tmp_path / "1.sock")
        assert isinstance(followed, LiveTable)
        assert tables.open(tmp_path / "1.sock") is unused
        followed.followers = 1
        clock.now_s += IDLE_S
        tables.close_idle()
        assert tables.open(tmp_path / "0.sock") is followed
        assert tables.open(tmp_path / "1.sock") is not unused

    asyncio.run(use())


def test_too_many_open_tables_replace_unused_ones_and_never_followed_ones(tmp_path: Path) -> None:
    async def use() -> None:
        tables = OpenTables(SimulatedClock())
        opened = [tables.open(tmp_path / f"{number}.sock") for number in range(MAX_OPEN)]
        assert tables.open(tmp_path / "more.sock") is not None, "an unused table is closed for it"
        for table in opened[1:]:
            assert table is not None
            table.followers = 1
        newest = tables.open(tmp_path / "more.sock")
        assert newest is not None
        newest.followers = 1
        assert tables.open(tmp_path / "one-more.sock") is None

    asyncio.run(use())
