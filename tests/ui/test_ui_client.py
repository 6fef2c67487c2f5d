"""The screen's end of the socket, on a real one: views in, commands out, losses and silence said and mended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.view import (
    MAX_LINE_BYTES,
    PROTOCOL,
    Command,
    PhhPage,
    Refused,
    Reply,
    TableView,
    ToScreen,
    decode_command,
    encode,
)
from ui import client as module
from ui.client import Client, Handlers
from ui.state import Say

DEADLINE_S = 10.0


class Listener:
    """Collects what the client tells; `until` waits for it."""

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []
        self._changed = asyncio.Event()
        self.handlers = Handlers(
            view=lambda view: self._add("view", view.sequence),
            refused=lambda refused: self._add("refused", refused.code),
            bad_line=lambda reason: self._add("bad", reason),
            lost=lambda why: self._add("lost", why),
            live=lambda: self._add("live", None),
            page=lambda do, page: self._add("page", (do, page)),
        )

    def _add(self, kind: str, what: object) -> None:
        self.told.append((kind, what))
        self._changed.set()

    async def until(self, kind: str) -> object:
        while True:
            for index, (one, what) in enumerate(self.told):
                if one == kind:
                    del self.told[index]
                    return what
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), DEADLINE_S)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Service:
    """The other end: hands out its connections in turn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._connections.put((reader, writer))

        self._server = await asyncio.start_unix_server(accept, self.path)

    async def connection(self) -> Connection:
        return await asyncio.wait_for(self._connections.get(), DEADLINE_S)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.path.unlink(missing_ok=True)


def play(tmp_path: Path, scene: Callable[[Client, Listener, Service], Awaitable[None]], *, start: bool = True) -> None:
    async def main() -> None:
        client, listener, service = Client(tmp_path / "table"), Listener(), Service(tmp_path / "table")
        if start:
            await service.start()
        task = asyncio.create_task(client.run(listener.handlers))
        try:
            await asyncio.wait_for(scene(client, listener, service), 3 * DEADLINE_S)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await service.stop()

    asyncio.run(main())


def test_views_come_and_commands_go(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=7))))
        assert await listener.until("view") == 7
        assert client.send("3 call", 7)
        assert client.send("undo", 7)
        lines = [decode_command(await reader.readline()) for _ in range(2)]
        name = lines[0].client
        assert lines == [
            Command(client=name, id=1, do="3 call", shown=7),
            Command(client=name, id=2, do="undo", shown=7),
        ]
        writer.write(
            encode(ToScreen(reply=Reply(id=1))) + encode(ToScreen(reply=Reply(id=2, refused=Refused(code="folded"))))
        )
        assert await listener.until("refused") == "folded"
        writer.close()

    play(tmp_path, scene)


def test_a_service_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        lost = await listener.until("lost")
        assert isinstance(lost, Say)
        assert (lost.key, lost.values["reason"]) == ("no-connection", "No such file or directory")
        assert not client.send("3 call", 1)
        await service.start()
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=1))))
        assert await listener.until("view") == 1
        assert not [told for told in listener.told if told[0] == "lost"], "the same reason is told once"
        writer.close()

    play(tmp_path, scene, start=False)


def test_a_lost_connection_is_told_and_mended(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        for sequence in (1, 2):
            _, writer = await service.connection()
            writer.write(encode(ToScreen(view=TableView(sequence=sequence))))
            assert await listener.until("view") == sequence
            writer.close()
            assert await listener.until("lost") == Say("connection-ended")
            assert not client.send("3 call", sequence)

    play(tmp_path, scene)


def test_what_was_not_answered_is_sent_again_and_what_was_is_not(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=7))))
        await listener.until("view")
        assert all(client.send(do, 7) for do in ("3 call", "3 tip 5", "undo"))
        sent = [await reader.readline() for _ in range(3)]
        writer.write(encode(ToScreen(reply=Reply(id=2))))
        writer.close()
        await listener.until("lost")
        for _ in range(2):  # also where the next connection ends before an answer
            reader, writer = await service.connection()
            assert [await reader.readline() for _ in range(2)] == [sent[0], sent[2]]
            writer.close()
        reader, writer = await service.connection()
        assert [await reader.readline() for _ in range(2)] == [sent[0], sent[2]]
        writer.write(encode(ToScreen(reply=Reply(id=1, refused=Refused(code="folded")))))
        assert await listener.until("refused") == "folded"
        assert not client.send("4 call", 8), "this connection has shown nothing yet"
        writer.write(encode(ToScreen(view=TableView(sequence=8))))
        assert await listener.until("view") == 8
        assert client.send("4 call", 8)
        assert decode_command(await reader.readline()).id == 4
        writer.close()

    play(tmp_path, scene)


def test_two_clients_have_names_of_their_own(tmp_path: Path) -> None:
    names = set()

    async def scene(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=7))))
        await listener.until("view")
        client.send("3 call", 7)
        names.add(decode_command(await reader.readline()).client)
        writer.close()

    play(tmp_path, scene)
    play(tmp_path, scene)
    assert len(names) == 2


@pytest.mark.parametrize("line", [b"nonsense\n", b'{"view": {"sequence": "one"}}\n', b"\xff\xfe\n", b"[]\n"])
def test_a_bad_line_is_told_in_one_line_and_the_table_is_asked_for_anew(tmp_path: Path, line: bytes) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=8))) + line + encode(ToScreen(view=TableView(sequence=9))))
        reason = str(await listener.until("bad"))
        assert reason.startswith("line from the service: expected")
        assert "\n" not in reason
        assert await listener.until("lost") == Say("bad-line", {"reason": reason})
        assert not client.send("3 call", 8), "who knows what the damaged line showed"
        assert [what for kind, what in listener.told if kind == "view"] == [8]
        writer.close()
        listener.told.clear()
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=9))))
        assert await listener.until("view") == 9
        assert client.send("3 call", 9)
        writer.close()

    play(tmp_path, scene)


# --- live or not ---


QUICK_S = 0.1


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that is called silent soon."""
    monkeypatch.setattr(module, "SILENT_S", QUICK_S)
    monkeypatch.setattr(module, "READ_FIRST_S", 0.01)


@pytest.mark.usefixtures("quick")
def test_a_silent_service_is_told_nothing_is_sent_to_it_and_its_next_beat_is_enough(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        reader, writer = await service.connection()
        writer.write(encode(ToScreen(beat=70)) + encode(ToScreen(view=TableView(sequence=1))))
        assert await listener.until("view") == 1
        assert client.send("3 call", 1)
        assert await listener.until("lost") == Say("silent")
        assert not client.send("3 fold", 1)
        writer.write(encode(ToScreen(beat=71)))
        await listener.until("live")
        assert client.send("undo", 1)
        sent = [decode_command(await reader.readline()) for _ in range(2)]
        assert [(command.do, command.beat) for command in sent] == [("3 call", 70), ("undo", 71)]
        assert await listener.until("lost") == Say("silent"), "each silence is told"
        writer.close()

    play(tmp_path, scene)


@pytest.mark.usefixtures("quick")
def test_a_service_that_lets_in_and_says_nothing_is_silent_and_a_beat_without_a_view_is_not_live(
    tmp_path: Path,
) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        assert await listener.until("lost") == Say("silent")
        writer.write(encode(ToScreen(beat=70)) + encode(ToScreen(reply=Reply(id=1, refused=Refused(code="fault")))))
        assert await listener.until("refused") == "fault"
        assert not client.send("3 call", 1)
        assert not [told for told in listener.told if told[0] == "live"]
        writer.close()

    play(tmp_path, scene)


@pytest.mark.usefixtures("quick")
def test_beats_keep_a_table_live_on_which_nothing_happens_and_cost_no_paint(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=1))))
        await listener.until("view")
        for beat in range(1, 15):
            writer.write(encode(ToScreen(beat=beat)))
            await asyncio.sleep(QUICK_S / 4)
        assert client.send("3 call", 1)
        assert listener.told == [], "a beat is nothing that a screen would paint"
        writer.close()

    play(tmp_path, scene)


@pytest.mark.usefixtures("quick")
def test_a_service_of_another_protocol_is_not_called_silent(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=1, protocol=PROTOCOL + 1))))
        await listener.until("view")
        await asyncio.sleep(3 * QUICK_S)
        assert listener.told == []
        writer.close()

    play(tmp_path, scene)


@pytest.mark.parametrize(("run", "sequence", "taken"), [(5, 6, False), (5, 7, True), (5, 8, True), (6, 1, True)])
def test_no_view_is_taken_that_is_older_than_the_one_shown_by_the_same_run(
    tmp_path: Path, run: int, sequence: int, taken: bool
) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(run=5, sequence=7))))
        assert await listener.until("view") == 7
        writer.write(encode(ToScreen(view=TableView(run=run, sequence=sequence))))
        if taken:
            assert await listener.until("view") == sequence
        else:
            assert await listener.until("lost") == Say("old-view")
            assert not client.send("3 call", 7)
            assert listener.told == []
        writer.close()

    play(tmp_path, scene)


def test_a_page_comes_with_the_command_that_asked_for_it(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=1))))
        await listener.until("view")
        assert client.send("look phh 12", 0)
        page = PhhPage(hand=12, text="variant")
        writer.write(encode(ToScreen(reply=Reply(id=1, page=page))))
        assert await listener.until("page") == ("look phh 12", page)
        writer.close()

    play(tmp_path, scene)


def test_a_line_without_end_is_bounded(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(b"x" * (2 * MAX_LINE_BYTES + 2))
        assert await listener.until("lost") == Say("line-too-long", {"count": MAX_LINE_BYTES})
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=9))))
        assert await listener.until("view") == 9
        writer.close()

    play(tmp_path, scene)


def test_unanswered_commands_are_bounded(tmp_path: Path) -> None:
    async def scene(client: Client, listener: Listener, service: Service) -> None:
        _, writer = await service.connection()
        writer.write(encode(ToScreen(view=TableView(sequence=1))))
        await listener.until("view")
        assert all(client.send("undo", 1) for _ in range(module.MAX_UNANSWERED))
        assert not client.send("undo", 1)
        writer.write(encode(ToScreen(reply=Reply(id=1, refused=Refused(code="fault")))))
        await listener.until("refused")
        assert client.send("undo", 1)
        writer.close()

    play(tmp_path, scene)
