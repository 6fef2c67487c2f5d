"""The room accepts summaries of its tables only, and no table or client can hold up another one."""

from __future__ import annotations

import asyncio
import logging
import resource
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode

from controller.integrity import ChainHead, TableKey
from controller.room import LiveServer, RoomServer, TablesFile, add_table, encode_span
from controller.room import server as room_server
from controller.room.live import folder, messages, server, table_states, tunnels
from controller.room.live.messages import MAX_DATA_BYTES, MAX_MESSAGE_BYTES, Close, Data, Open, Summary, Taken
from controller.room.live.tunnels import MAX_TUNNELS, WINDOW_BYTES
from controller.view import TableView, live_protocol
from controller.view.table_summary import SUMMARY_VERSION, encode_summary, summarise
from hardware.text_input_validation import BadInputError
from tests.room.live_room import FakeTable, Room, is_closed, live_room, until
from tests.room.test_spans import spans

SUMMARY = summarise(TableView(sequence=7, table_name="Table 1"))
HEAD = ChainHead("0123abcd", 1, 20, bytes(16))
GOOD = Summary(encode_summary(SUMMARY), HEAD)
LiveTest = Callable[[Room], Awaitable[None]]


def run_in_room(test: LiveTest, table_count: int = 1) -> None:
    async def run() -> None:
        async with live_room(table_count) as room:
            await test(room)

    asyncio.run(run())


async def is_shown(room: Room, *, connected: bool, name: str = "Table 1") -> live_protocol.TableState:
    """Wait until the state says whether the table is connected, and return this state."""
    async with room.followed() as client:
        await client.until(lambda state: state.connected == connected, name)
        return client.states[name]


# --- connections ---


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer " + "0" * 64])
def test_unknown_token_is_refused(token: str) -> None:
    async def test(room: Room) -> None:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(room.address + "/live", additional_headers={"Authorization": token}, proxy=None):
                pass
        assert caught.value.response.status_code == 401

    run_in_room(test)


def test_room_without_a_live_folder_refuses_summaries_only(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        async with await RoomServer(room.store, TablesFile(room.tables)).listen("127.0.0.1", 0, None) as other:
            address = f"ws://127.0.0.1:{next(iter(other.sockets)).getsockname()[1]}"
            with pytest.raises(InvalidStatus) as caught:
                async with connect(address + "/live", additional_headers=room.headers(), proxy=None):
                    pass
            assert caught.value.response.status_code == 404
            async with connect(address, additional_headers=room.headers(), proxy=None) as connection:
                await connection.recv()

    run_in_room(test)


def test_second_connection_is_refused_and_an_alert() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as first, room.connected() as second:
            code, reason = await second.until_closed()
            assert (code, reason) == (CloseCode.POLICY_VIOLATION, "another connection uses this token")
            assert room.store.problems() == ["second-live-connection"]
            await first.send(GOOD)
            await is_shown(room, connected=True)
            # The connection for spans has another place.
            async with connect(room.address, additional_headers=room.headers(), proxy=None) as connection:
                await connection.recv()
                await connection.send(encode_span(spans()[0]))
                await connection.recv()
        assert room.store.problems() == ["second-live-connection"]

    run_in_room(test)


def test_new_connection_takes_the_place_of_one_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_server, "ALIVE_TIMEOUT_S", 0.2)

    async def test(room: Room) -> None:
        async with room.connected() as first:
            first.connection.transport.pause_reading()
            async with room.connected() as second:
                await second.send(GOOD)
                await is_shown(room, connected=True)
            first.connection.transport.abort()
        assert room.store.problems() == []

    run_in_room(test)


def test_silent_table_is_not_connected_after_a_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PING_INTERVAL_S", 0.1)
    monkeypatch.setattr(server, "PING_TIMEOUT_S", 0.3)

    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            table.connection.transport.pause_reading()  # Pings arrive, and nobody answers.
            state = await is_shown(room, connected=False)
            assert state.summary == SUMMARY
            table.connection.transport.abort()

    run_in_room(test)


# --- messages ---

BAD_MESSAGES: dict[str, object] = {
    "no message": b"",
    "no MessagePack": b"\xc1",
    "text": "summary",
    "truncated": messages.encode_message(GOOD)[:-1],
    "oversized": bytes(MAX_MESSAGE_BYTES + 1),
    "message of the room": Open(1),
    "bytes that are no summary": Summary(b"\xc1", None),
    "summary of a known version with other fields": Summary(msgspec.msgpack.encode([SUMMARY_VERSION, 5]), None),
    "oversized summary": Summary(bytes(401), None),
    "bytes of a tunnel that was never opened": Data(1, b"x"),
    "end of a tunnel that was never opened": Close(1),
    "tunnel 0": Taken(0, 1),
    "no bytes": Data(1, b""),
    "too many bytes": Data(1, bytes(MAX_DATA_BYTES + 1)),
}


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_bad_message_ends_this_connection_only(name: str) -> None:
    message = BAD_MESSAGES[name]
    data = message if isinstance(message, bytes | str) else messages.encode_message(message)

    async def test(room: Room) -> None:
        async with connect(room.address, additional_headers=room.headers(), proxy=None) as journal:
            await journal.recv()
            async with room.connected() as table:
                await table.send(GOOD)
                await table.connection.send(data)
                assert await table.until_closed() == (CloseCode.POLICY_VIOLATION, "a message is not valid")
            assert room.store.problems() == ["bad-live-message"]
            await journal.send(encode_span(spans()[0]))
            await journal.recv()
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)

    run_in_room(test)


def test_message_that_is_much_too_long_ends_the_connection() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.connection.send(bytes(room_server.MAX_MESSAGE_BYTES + 1))
            assert (await table.until_closed())[0] == CloseCode.MESSAGE_TOO_BIG

    run_in_room(test)


def test_too_many_summaries_end_the_connection() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            for _ in range(server.MAX_SUMMARIES + 1):
                await table.send(GOOD)
            await table.until_closed()
        assert room.store.problems() == ["bad-live-message"]

    run_in_room(test)


def test_summary_of_another_version_is_shown_as_unknown() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(Summary(msgspec.msgpack.encode([SUMMARY_VERSION + 1, {"new": 1}]), HEAD))
            state = await is_shown(room, connected=True)
            assert (state.summary, state.version) == (None, SUMMARY_VERSION + 1)

    run_in_room(test)


def test_table_that_cannot_see_its_service_is_not_connected() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            await table.send(Summary(None, None))
            state = await is_shown(room, connected=False)
            assert (state.summary, state.recorded) == (SUMMARY, False)

    run_in_room(test)


# --- tunnels ---


async def opened(table: FakeTable) -> int:
    message = await table.receive()
    assert isinstance(message, Open)
    return message.tunnel


def test_bytes_go_both_ways_and_both_ends_may_close() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            async with room.client() as (reader, writer):
                assert await opened(table) == 1
                writer.write(b"question")
                assert await table.receive() == Data(1, b"question")
                await table.send(Taken(1, 8))
                await table.send(Data(1, b"answer"))
                assert await table.receive() == Taken(1, 6)
                await table.send(Data(1, b"!"))
                await table.send(Close(1))
                assert await reader.read() == b"answer!"
            assert await table.receive() == Taken(1, 1)
            async with room.client():
                assert await opened(table) == 2
            assert await table.receive() == Close(2)
            await table.send(Data(2, b"on its way"))  # The table did not know yet that the client has gone.
            async with room.client():
                assert await opened(table) == 3

    run_in_room(test)


def test_client_without_a_table_is_closed_at_once() -> None:
    async def test(room: Room) -> None:
        async with room.client() as (reader, _):
            assert await is_closed(reader)

    run_in_room(test)


def test_client_is_closed_when_its_table_is_lost() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            client = room.client()
            reader, _ = await client.__aenter__()
            await opened(table)
        assert await is_closed(reader)
        await client.__aexit__(None, None, None)

    run_in_room(test)


def test_client_that_does_not_read_fills_its_window_only() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            async with room.client() as (_, stuck), room.client() as (reader, _):
                stuck.transport.pause_reading()  # type: ignore[attr-defined]
                assert [await opened(table), await opened(table)] == [1, 2]
                on_the_way = 0
                while on_the_way + MAX_DATA_BYTES <= WINDOW_BYTES:
                    await table.send(Data(1, bytes(MAX_DATA_BYTES)))
                    on_the_way += MAX_DATA_BYTES
                    # The kernel accepts the first bytes only.
                    await table.send(Data(2, b"ping"))
                    while (message := await table.receive()) != Taken(2, 4):
                        assert isinstance(message, Taken)
                        on_the_way -= message.count
                    assert await reader.readexactly(4) == b"ping"
                await table.send(Data(1, bytes(MAX_DATA_BYTES)))
                assert (await table.until_closed())[0] == CloseCode.POLICY_VIOLATION
        assert room.store.problems() == ["bad-live-message"]

    run_in_room(test)


def test_room_sends_no_more_than_the_window() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            async with room.client() as (_, writer):
                await opened(table)
                writer.write(bytes(3 * WINDOW_BYTES))
                received = 0
                while received < WINDOW_BYTES:
                    message = await table.receive()
                    assert isinstance(message, Data)
                    received += len(message.content)
                await table.send(Taken(1, 100))
                message = await table.receive()
                assert isinstance(message, Data)
                assert (received, len(message.content)) == (WINDOW_BYTES, 100)
                await table.send(Taken(1, WINDOW_BYTES + 1))
                await table.until_closed()
        assert room.store.problems() == ["bad-live-message"]

    run_in_room(test)


def test_one_client_too_many_is_refused_by_name(caplog: pytest.LogCaptureFixture) -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
            await is_shown(room, connected=True)
            clients = [room.client() for _ in range(MAX_TUNNELS)]
            streams = [await client.__aenter__() for client in clients]
            for _ in clients:
                await opened(table)
            async with room.client() as (reader, _):
                assert await is_closed(reader)
            streams[0][1].write(b"still there")
            assert await table.receive() == Data(1, b"still there")
            for client in clients:
                await client.__aexit__(None, None, None)

    with caplog.at_level(logging.WARNING):
        run_in_room(test)
    assert f"Table 1: {MAX_TUNNELS} clients are connected, another one is refused" in caplog.text


# --- the folder ---


def test_only_owner_and_group_may_use_the_folder() -> None:
    async def test(room: Room) -> None:
        paths = [room.live, room.live / "tables", room.live / "room.sock", room.live / "tables" / "0.sock"]
        modes = [stat.S_IMODE(path.stat().st_mode) for path in paths]
        assert modes == [0o750, 0o750, 0o660, 0o660]
        assert {path.stat().st_gid for path in paths} == {room.live.stat().st_gid}

    run_in_room(test)


def test_room_replaces_sockets_that_a_killed_room_has_left(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        left = room.folder / "left"
        (left / "tables").mkdir(parents=True)
        for name in ("room.sock", "tables/0.sock", "tables/7.sock"):
            dead = await asyncio.start_unix_server(lambda reader, writer: None, left / name)
            dead.close()
        assert len(list(left.rglob("*.sock"))) == 3
        async with LiveServer(left, TablesFile(room.tables).read_names).running():
            assert sorted(path.name for path in left.rglob("*.sock")) == ["0.sock", "room.sock"]
        assert list(left.rglob("*.sock")) == []

    run_in_room(test)


def test_unusable_folder_is_an_error_that_names_it() -> None:
    async def test(room: Room) -> None:
        names = TablesFile(room.tables).read_names
        file = room.folder / "file"
        file.touch()
        other = room.folder / "other"
        (other / "room.sock").mkdir(parents=True)
        for path in (room.live, file, file / "below", other, room.folder / ("x" * 120)):
            with pytest.raises(BadInputError) as caught:
                async with LiveServer(path, names).running():
                    pass
            assert str(path) in str(caught.value)
        # The room that was there before still works.
        async with room.followed() as client:
            await client.read_line()

    run_in_room(test)


def test_new_tables_get_a_socket_and_clients_a_new_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CHECK_INTERVAL_S", 0.05)

    async def test(room: Room) -> None:
        async with room.followed() as client, room.connected() as table:
            await table.send(GOOD)
            await client.until(lambda state: state.connected)
            async with room.client() as (reader, _):
                await opened(table)
                add_table(room.tables, "Table 9", TableKey("99" * 32).public_key)
                await client.until(lambda state: not state.connected, "Table 9")
                assert client.sockets == {"Table 1": "tables/0.sock", "Table 9": "tables/1.sock"}
                # The numbers may mean other tables now, so that each client must connect again.
                assert await is_closed(reader)
            await until((room.live / "tables" / "1.sock").exists)
            assert client.states["Table 1"].connected
            room.tables.write_text("")
            while client.sockets:
                await client.read_line()
            await until(lambda: not list((room.live / "tables").iterdir()))

    run_in_room(test)


def test_one_follower_too_many_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_FOLLOWERS", 1)

    async def test(room: Room) -> None:
        async with room.followed() as first, room.followed() as second:
            await first.read_line()
            with pytest.raises(AssertionError, match="the room has closed the connection"):
                await second.read_line()
            await first.until(lambda state: not state.connected)

    run_in_room(test)


def test_follower_gets_signs_of_life() -> None:
    async def test(room: Room) -> None:
        async with room.followed() as client:
            while not isinstance(await client.read_line(), live_protocol.RoomAlive):
                pass

    run_in_room(test)


def test_room_of_many_tables_may_open_more_files_than_usual() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[0] // 2, limits[1]))
    try:
        room_server.raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (limits[1], limits[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# --- states ---


def test_slow_follower_gets_the_newest_state_only() -> None:
    async def test() -> None:
        states = table_states.TableStates()
        states.set_names(["Table 1", "Table 2"])
        follower = states.follow()
        assert (await anext(follower)).count(b"\n") == 3
        for sequence in range(1000):
            summary = encode_summary(summarise(TableView(sequence=sequence)))
            states.note_summary("Table 2", Summary(summary, None))
        (line,) = (await anext(follower)).splitlines()
        state = live_protocol.decode_line(line)
        assert isinstance(state, live_protocol.TableState)
        assert state.summary is not None
        assert state.summary.sequence == 999
        await follower.aclose()

    asyncio.run(test())


def head(number: int, segment: int = 1, journal: str = "a") -> ChainHead:
    return ChainHead(journal, segment, number, bytes(16))


Event = tuple[str, ChainHead | None] | float
RECORDED: dict[str, tuple[list[Event], bool]] = {
    "nothing is known": ([], False),
    "stored before the table says so": ([("stored", head(5)), ("newest", head(5))], True),
    "on its way": ([("stored", head(4)), ("newest", head(5)), 9.0], True),
    "not stored in time": ([("stored", head(4)), ("newest", head(5)), 11.0], False),
    "stored late": ([("newest", head(5)), 11.0, ("stored", head(5))], True),
    "stored in time while the table continues": (
        [("newest", head(5)), 6.0, ("newest", head(6)), ("stored", head(5)), 6.0],
        True,
    ),
    "newer records hide no older one": ([("newest", head(5)), 6.0, ("newest", head(6)), 6.0], False),
    "no journal": ([("stored", head(5)), ("newest", None)], False),
    "next segment": ([("stored", head(9, segment=2)), ("newest", head(5)), 11.0], True),
    "new journal that the room does not have": (
        [("stored", head(5)), ("newest", head(1, journal="b")), 11.0],
        False,
    ),
    "new journal after records that will not come": (
        [("newest", head(5)), 6.0, ("newest", head(1, journal="b")), ("stored", head(1, journal="b")), 11.0],
        True,
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_means_that_the_room_has_the_newest_record(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    events, expected = RECORDED[name]
    now_s = 100.0
    monkeypatch.setattr("controller.room.live.table_states.time.monotonic", lambda: now_s)

    async def test() -> live_protocol.TableState:
        nonlocal now_s
        states = table_states.TableStates()
        states.set_names(["Table 1"])
        for event in events:
            if isinstance(event, float):
                now_s += event
                states.check_delays()
            elif event[0] == "stored":
                states.note_stored("Table 1", event[1])
            else:
                states.note_summary("Table 1", Summary(encode_summary(SUMMARY), event[1]))
        line = (await anext(states.follow())).splitlines()[1]
        state = live_protocol.decode_line(line)
        assert isinstance(state, live_protocol.TableState)
        return state

    assert asyncio.run(test()).recorded == expected


def test_all_limits_of_a_tunnel_fit_into_its_messages() -> None:
    largest = messages.encode_message(Data(messages.MAX_TUNNEL_NUMBER, bytes(MAX_DATA_BYTES)))
    assert len(largest) <= MAX_MESSAGE_BYTES
    summary = messages.encode_message(Summary(bytes(400), ChainHead("f" * 32, 2**40, 2**40, bytes(32))))
    assert len(summary) <= MAX_MESSAGE_BYTES
    assert tunnels.MAX_TUNNELS < 16


def test_closed_connection_is_no_error_for_a_table() -> None:
    async def test(room: Room) -> None:
        async with room.connected() as table:
            await table.send(GOOD)
        with pytest.raises(ConnectionClosed):
            await table.connection.recv()
        await is_shown(room, connected=False)
        assert room.store.problems() == []

    run_in_room(test)
