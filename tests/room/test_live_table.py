"""A table with a real service is shown live in its room, and its socket works through the tunnel."""

from __future__ import annotations

import asyncio
import grp
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from controller.room.live import server as live_server
from controller.room.live import table_states, watcher
from controller.view import Command, pages, protocol
from tests.room.live_room import KEYS, Room, cancel, live_room, read_until, until
from tests.service.service_process import ServiceProcess, command, command_view, service_process
from ui.client import Client, Handlers
from ui.web.live_table import LiveTable, QueryRefusedError


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceProcess]:
    key = tmp_path / "table.key"
    key.write_text(KEYS[0])
    key.chmod(0o600)
    group = grp.getgrgid(os.getgid()).gr_name
    with service_process(tmp_path / "s", "--no-trays", "--key", str(key), "--room-group", group) as running:
        yield running


LiveTest = Callable[[Room], Awaitable[None]]


def run_with_uplink(service: ServiceProcess, test: LiveTest) -> None:
    """Run a test in a room, to which the uplink of the service is connected."""

    async def run() -> None:
        async with live_room() as room, room.uplink(room_socket(service), service.journal):
            async with room.followed() as client:
                await client.until(lambda state: state.connected)
            await asyncio.wait_for(test(room), 300)

    asyncio.run(run())


def room_socket(service: ServiceProcess) -> Path:
    return service.address.parent / "room" / "table.sock"


def test_room_shows_what_the_table_shows(service: ServiceProcess) -> None:
    link = service.start()

    async def test(room: Room) -> None:
        async with room.followed() as client:
            await client.until(lambda state: state.connected and state.recorded)
            assert client.sockets == {"Table 1": "tables/0.sock"}
            for step, field, expected in (
                ("hand", "hand_number", 1),
                ("4 raise to 30", "pot", 45),
                ("call-floor ruling", "attention", "floor-call"),
                ("floor-came", "attention", ""),
            ):
                await asyncio.to_thread(command_view, link, step)
                await client.until(lambda state: getattr(state.summary, field) == expected)  # noqa: B023
            state = client.states["Table 1"]
            assert state.summary is not None
            assert state.summary.seats == "tttt" + "o" * (len(link.view().seats) - 4)
            assert (state.summary.hands_per_hour, state.summary.dealer_minutes) == (None, None)
            assert abs(state.at - time.time()) < 600
            await client.until(lambda state: state.recorded)

    run_with_uplink(service, test)


def test_tunnel_gives_the_same_views_and_pages_as_the_socket(service: ServiceProcess) -> None:
    link = service.start()

    async def test(room: Room) -> None:
        table = LiveTable(room.live / "tables" / "0.sock")
        task = asyncio.create_task(table.run())
        await until(lambda: table.view)
        await asyncio.to_thread(command_view, link, "hand")
        await until(lambda: table.view == link.view())
        page = await table.ask("look hands")
        assert isinstance(page, pages.HandsPage)
        with pytest.raises(QueryRefusedError):
            await table.ask("look hand 99")
        await cancel(task)

    run_with_uplink(service, test)


def test_tunnel_has_the_rights_of_the_room_and_no_others(service: ServiceProcess) -> None:
    link = service.start()

    async def test(room: Room) -> None:
        refusals: dict[str, str] = {}
        await asyncio.to_thread(command, link, "call-floor")
        async with room.client() as (reader, writer):
            for number, do in enumerate(("hand", "undo", "floor-came", "floor-answers max"), 1):
                shown = link.view().sequence
                writer.write(protocol.encode(Command(client="a", id=number, do=do, view_sequence=shown)))
                line = await read_until(reader, lambda line: b'"reply"' in line)
                reply = protocol.decode_service_message(line).reply
                assert reply is not None
                refusals[do] = reply.refused.code if reply.refused is not None else ""
        assert refusals == {
            "hand": "not-allowed",
            "undo": "not-allowed",
            "floor-came": "not-allowed",
            "floor-answers max": "",
        }
        async with room.followed() as client:
            await client.until(lambda state: state.summary and state.summary.answered_by == "max")

    run_with_uplink(service, test)


def test_dead_table_is_not_connected_and_comes_back(service: ServiceProcess) -> None:
    service.start()

    async def test(room: Room) -> None:
        async with room.followed() as client, room.client() as (reader, _):
            await client.until(lambda state: state.connected)
            await asyncio.to_thread(service.kill)
            await client.until(lambda state: not state.connected)
            assert client.states["Table 1"].summary is not None
            assert not client.states["Table 1"].recorded
            await read_until(reader, lambda line: not line)
            await asyncio.to_thread(service.start)
            await client.until(lambda state: state.connected and state.recorded)

    run_with_uplink(service, test)


def test_service_that_hangs_is_not_connected(service: ServiceProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "SILENCE_TIMEOUT_S", 1.0)
    service.start()

    async def test(room: Room) -> None:
        async with room.followed() as client:
            await client.until(lambda state: state.connected)
            os.kill(service.pid, signal.SIGSTOP)
            try:
                await client.until(lambda state: not state.connected)
            finally:
                os.kill(service.pid, signal.SIGCONT)
            await client.until(lambda state: state.connected)

    run_with_uplink(service, test)


def test_table_is_not_recorded_while_the_room_stores_nothing(
    service: ServiceProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_states, "MAX_STORE_DELAY_S", 0.5)
    monkeypatch.setattr(live_server, "CHECK_INTERVAL_S", 0.1)
    link = service.start()

    async def test(room: Room) -> None:
        async with room.followed() as client:
            await client.until(lambda state: state.recorded)
            room.store.works.clear()
            await asyncio.to_thread(command_view, link, "hand")
            await client.until(lambda state: not state.recorded)
            assert client.states["Table 1"].connected
            room.store.works.set()
            await client.until(lambda state: state.recorded)

    run_with_uplink(service, test)


def test_client_that_stops_reading_delays_nobody(service: ServiceProcess) -> None:
    """While one client reads nothing, its tunnel stops. Views, spans and the other tunnel go on."""
    link = service.start()

    async def test(room: Room) -> None:
        # Each page has several kB, so that the stuck tunnel is full after some of them.
        query = protocol.encode(Command(client="stuck", id=1, do="look games"))

        async def flood(writer: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while True:
                    writer.write(query)
                    await writer.drain()
                    await asyncio.sleep(0.005)

        async with room.client() as (_, stuck_writer), room.client() as (reader, _), room.followed() as client:
            stuck_writer.transport.pause_reading()  # type: ignore[attr-defined]
            flooding = asyncio.create_task(flood(stuck_writer))
            await client.until(lambda state: state.recorded)
            for step in ("call-floor", "floor-came") * 3:
                view = await asyncio.to_thread(command_view, link, step)
                await read_until(reader, lambda line: b'"sequence":%d,' % view.sequence in line)  # noqa: B023
                await client.until(lambda state: state.summary and state.summary.sequence >= view.sequence)  # noqa: B023
            await client.until(lambda state: state.recorded)
            await cancel(flooding)

    run_with_uplink(service, test)


def test_screen_client_sees_silence_as_at_the_socket(service: ServiceProcess) -> None:
    """The page's own client notices through the tunnel that the service hangs, and that it is live again."""
    service.start()
    events: list[str] = []

    async def test(room: Room) -> None:
        client = Client(room.live / "tables" / "0.sock")
        task = asyncio.create_task(
            client.run(
                Handlers(
                    on_view=lambda view: events.append("view"),
                    on_refusal=lambda refusal: None,
                    on_bad_line=events.append,
                    on_connection_lost=lambda reason: events.append(reason.key),
                    on_live_again=lambda: events.append("live"),
                )
            )
        )
        await until(lambda: "view" in events)
        events.clear()
        os.kill(service.pid, signal.SIGSTOP)
        try:
            await until(lambda: "silent" in events)
        finally:
            os.kill(service.pid, signal.SIGCONT)
        await until(lambda: "live" in events or "view" in events)
        await cancel(task)

    run_with_uplink(service, test)
