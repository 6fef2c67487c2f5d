"""Check the client of the screen on a real socket, in simulated time.

The tests cover views, commands, lost connections and a silent service.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.view import (
    PROTOCOL_VERSION,
    Command,
    RefusalView,
    Reply,
    ServiceMessage,
    TableView,
    pages,
    protocol,
)
from tests.simulated_time import run_in_simulated_time
from ui import client as module
from ui.client import Client, Handlers
from ui.state import ScreenMessage

DEADLINE_S = 60.0
"""Maximum simulated time in seconds. It may be long, because simulated time passes at once."""


class Listener:
    """A listener that collects the events of the client."""

    def __init__(self) -> None:
        self.events: list[tuple[str, object]] = []
        self._changed = asyncio.Event()
        self.handlers = Handlers(
            on_view=lambda view: self._add("view", view.sequence),
            on_refusal=lambda refused: self._add("refused", refused.code),
            on_bad_line=lambda reason: self._add("bad", reason),
            on_connection_lost=lambda reason: self._add("lost", reason),
            on_live_again=lambda: self._add("live", None),
            on_page=lambda do, page: self._add("page", (do, page)),
        )

    def _add(self, kind: str, content: object) -> None:
        self.events.append((kind, content))
        self._changed.set()

    async def until(self, kind: str) -> object:
        while True:
            for index, (event_kind, content) in enumerate(self.events):
                if event_kind == kind:
                    del self.events[index]
                    return content
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), DEADLINE_S)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Service:
    """A stub of the service, from which a test gets each connection of the client in turn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._writers.append(writer)
            await self._connections.put((reader, writer))

        self._server = await asyncio.start_unix_server(accept, self.path)

    async def connection(self) -> Connection:
        return await asyncio.wait_for(self._connections.get(), DEADLINE_S)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        self.path.unlink(missing_ok=True)


def run_scenario(
    tmp_path: Path, scenario: Callable[[Client, Listener, Service], Awaitable[None]], *, start: bool = True
) -> None:
    async def main() -> None:
        client, listener, service = Client(tmp_path / "table"), Listener(), Service(tmp_path / "table")
        if start:
            await service.start()
        task = asyncio.create_task(client.run(listener.handlers))
        try:
            await asyncio.wait_for(scenario(client, listener, service), 3 * DEADLINE_S)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await service.stop()

    run_in_simulated_time(main())


def test_client_receives_views_and_sends_commands(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=7))))
        assert await listener.until("view") == 7
        assert client.send("3 call", 7)
        assert client.send("undo", 7)
        lines = [protocol.decode_command(await reader.readline()) for _ in range(2)]
        name = lines[0].client
        assert lines == [
            Command(client=name, id=1, do="3 call", view_sequence=7),
            Command(client=name, id=2, do="undo", view_sequence=7),
        ]
        writer.write(
            protocol.encode(ServiceMessage(reply=Reply(id=1)))
            + protocol.encode(ServiceMessage(reply=Reply(id=2, refused=RefusalView(code="folded"))))
        )
        assert await listener.until("refused") == "folded"
        writer.close()

    run_scenario(tmp_path, scenario)


def test_client_waits_for_a_service_that_has_not_started(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        lost = await listener.until("lost")
        assert isinstance(lost, ScreenMessage)
        assert (lost.key, lost.values["reason"]) == ("no-connection", "No such file or directory")
        assert not client.send("3 call", 1)
        await service.start()
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=1))))
        assert await listener.until("view") == 1
        assert not [event for event in listener.events if event[0] == "lost"], "the same reason was reported twice"
        writer.close()

    run_scenario(tmp_path, scenario, start=False)


def test_lost_connection_is_reported_and_restored(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        for sequence in (1, 2):
            _, writer = await service.connection()
            writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=sequence))))
            assert await listener.until("view") == sequence
            writer.close()
            assert await listener.until("lost") == ScreenMessage("connection-ended")
            assert not client.send("3 call", sequence)

    run_scenario(tmp_path, scenario)


def test_unanswered_commands_are_resent_and_answered_ones_are_not(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=7))))
        await listener.until("view")
        assert all(client.send(do, 7) for do in ("3 call", "3 tip 5", "undo"))
        sent = [await reader.readline() for _ in range(3)]
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=2))))
        writer.close()
        await listener.until("lost")
        for _ in range(2):  # the client must keep the commands if the next connection also ends before a reply
            reader, writer = await service.connection()
            assert [await reader.readline() for _ in range(2)] == [sent[0], sent[2]]
            writer.close()
        reader, writer = await service.connection()
        assert [await reader.readline() for _ in range(2)] == [sent[0], sent[2]]
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=1, refused=RefusalView(code="folded")))))
        assert await listener.until("refused") == "folded"
        assert not client.send("4 call", 8), "the new connection has not sent a view yet"
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=8))))
        assert await listener.until("view") == 8
        assert client.send("4 call", 8)
        assert protocol.decode_command(await reader.readline()).id == 4
        writer.close()

    run_scenario(tmp_path, scenario)


def test_two_clients_have_different_names(tmp_path: Path) -> None:
    names = set()

    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=7))))
        await listener.until("view")
        client.send("3 call", 7)
        names.add(protocol.decode_command(await reader.readline()).client)
        writer.close()

    run_scenario(tmp_path, scenario)
    run_scenario(tmp_path, scenario)
    assert len(names) == 2


@pytest.mark.parametrize("line", [b"nonsense\n", b'{"view": {"sequence": "one"}}\n', b"\xff\xfe\n", b"[]\n"])
def test_invalid_line_is_reported_in_one_line_and_the_view_requested_again(tmp_path: Path, line: bytes) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(
            protocol.encode(ServiceMessage(view=TableView(sequence=8)))
            + line
            + protocol.encode(ServiceMessage(view=TableView(sequence=9)))
        )
        reason = str(await listener.until("bad"))
        assert reason.startswith("line from the service: expected")
        assert "\n" not in reason
        assert await listener.until("lost") == ScreenMessage("bad-line", {"reason": reason})
        assert not client.send("3 call", 8), "the damaged line may have been a newer view"
        assert [content for kind, content in listener.events if kind == "view"] == [8]
        writer.close()
        listener.events.clear()
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=9))))
        assert await listener.until("view") == 9
        assert client.send("3 call", 9)
        writer.close()

    run_scenario(tmp_path, scenario)


# --- live or not ---


NOT_LIVE_S = 1.0
"""Maximum time in seconds from the last line of the service until the screen reports that the service is silent."""


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_silent_service_is_reported_and_gets_no_command_until_a_heartbeat(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(
            protocol.encode(ServiceMessage(heartbeat=70)) + protocol.encode(ServiceMessage(view=TableView(sequence=1)))
        )
        assert await listener.until("view") == 1
        heard_s = now_s()
        assert client.send("3 call", 1)
        assert await listener.until("lost") == ScreenMessage("silent")
        assert protocol.HEARTBEAT_TIMEOUT_S <= now_s() - heard_s <= NOT_LIVE_S
        assert now_s() - heard_s < protocol.MAX_COMMAND_AGE_S, (
            "the service would still accept a touch that the screen refuses"
        )
        assert not client.send("3 fold", 1)
        writer.write(protocol.encode(ServiceMessage(heartbeat=71)))
        await listener.until("live")
        assert client.send("undo", 1)
        sent = [protocol.decode_command(await reader.readline()) for _ in range(2)]
        assert [(command.do, command.heartbeat) for command in sent] == [("3 call", 70), ("undo", 71)]
        assert await listener.until("lost") == ScreenMessage("silent"), "each silence must be reported"
        writer.close()

    run_scenario(tmp_path, scenario)


def test_planted_late_silence_report_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEARTBEAT_TIMEOUT_S", NOT_LIVE_S)
    with pytest.raises(AssertionError):
        test_silent_service_is_reported_and_gets_no_command_until_a_heartbeat(tmp_path)


def test_heartbeat_without_a_view_does_not_make_the_service_live(
    tmp_path: Path,
) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        connected_s = now_s()
        assert await listener.until("lost") == ScreenMessage("silent")
        assert now_s() - connected_s <= NOT_LIVE_S
        writer.write(
            protocol.encode(ServiceMessage(heartbeat=70))
            + protocol.encode(ServiceMessage(reply=Reply(id=1, refused=RefusalView(code="fault"))))
        )
        assert await listener.until("refused") == "fault"
        assert not client.send("3 call", 1)
        assert not [event for event in listener.events if event[0] == "live"]
        writer.close()

    run_scenario(tmp_path, scenario)


def test_heartbeats_keep_an_idle_table_live_without_repainting(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=1))))
        await listener.until("view")
        for beat in range(1, 15):
            writer.write(protocol.encode(ServiceMessage(heartbeat=beat)))
            await asyncio.sleep(protocol.HEARTBEAT_INTERVAL_S)
        assert client.send("3 call", 1)
        assert listener.events == [], "a heartbeat changes nothing on the screen"
        writer.close()

    run_scenario(tmp_path, scenario)


def test_service_with_another_protocol_is_not_reported_as_silent(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=1, protocol=PROTOCOL_VERSION + 1))))
        await listener.until("view")
        await asyncio.sleep(3 * protocol.HEARTBEAT_TIMEOUT_S)
        assert listener.events == []
        writer.close()

    run_scenario(tmp_path, scenario)


@pytest.mark.parametrize(("run", "sequence", "is_shown"), [(5, 6, False), (5, 7, True), (5, 8, True), (6, 1, True)])
def test_older_view_of_the_same_run_is_ignored(tmp_path: Path, run: int, sequence: int, is_shown: bool) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(service_run=5, sequence=7))))
        assert await listener.until("view") == 7
        writer.write(protocol.encode(ServiceMessage(view=TableView(service_run=run, sequence=sequence))))
        if is_shown:
            assert await listener.until("view") == sequence
        else:
            assert await listener.until("lost") == ScreenMessage("old-view")
            assert not client.send("3 call", 7)
            assert listener.events == []
        writer.close()

    run_scenario(tmp_path, scenario)


def test_page_arrives_with_the_command_that_requested_it(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=1))))
        await listener.until("view")
        assert client.send("look phh 12", 0)
        page = pages.PhhPage(hand=12, text="variant")
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=1, page=page))))
        assert await listener.until("page") == ("look phh 12", page)
        writer.close()

    run_scenario(tmp_path, scenario)


def test_endless_line_from_the_service_is_bounded(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(b"x" * (2 * protocol.MAX_LINE_BYTES + 2))
        assert await listener.until("lost") == ScreenMessage("line-too-long", {"count": protocol.MAX_LINE_BYTES})
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=9))))
        assert await listener.until("view") == 9
        writer.close()

    run_scenario(tmp_path, scenario)


def test_number_of_unanswered_commands_is_limited(tmp_path: Path) -> None:
    async def scenario(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(protocol.encode(ServiceMessage(view=TableView(sequence=1))))
        await listener.until("view")
        assert all(client.send("undo", 1) for _ in range(module.MAX_UNANSWERED))
        assert not client.send("undo", 1)
        writer.write(protocol.encode(ServiceMessage(reply=Reply(id=1, refused=RefusalView(code="fault")))))
        await listener.until("refused")
        assert client.send("undo", 1)
        writer.close()

    run_scenario(tmp_path, scenario)
