"""The uplink of a table relays what the room asks for within limits, and a room can disturb neither table nor spans."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from controller.room import LiveUplink
from controller.room.live import messages, watcher
from controller.room.live.messages import MAX_DATA_BYTES, MAX_MESSAGE_BYTES, Close, Data, Open, Summary, Taken
from controller.room.live.tunnels import MAX_TUNNELS, WINDOW_BYTES
from controller.room.live.uplink import MAX_OPENS
from controller.room.live.watcher import MIN_RATE_TIME_S, TablePace
from controller.view import PROTOCOL_VERSION, ServiceMessage, TableView, protocol
from controller.view.table_summary import TableSummary, decode_summary, summarise
from tests.room.live_room import MAX_WAIT_S, cancel, until
from tests.service.service_process import DEADLINE_S

VIEW = TableView(sequence=7, table_name="Table 1")


class FakeService:
    """The read-only socket of a table: views on the first line, and then the bytes that a test wants."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.view = VIEW
        self.connections = 0
        """Number of connections since the start."""
        self.most_at_once = 0
        self.received = b""
        self._writers: set[asyncio.StreamWriter] = set()
        self.sends_heartbeats = True
        self.reads = True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        self.most_at_once = max(self.most_at_once, len(self._writers))
        try:
            writer.write(protocol.encode(ServiceMessage(view=self.view)))
            while not self.reads:
                await asyncio.sleep(0.01)
            while data := await reader.read(65_536):
                self.received += data
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            return
        finally:
            self._writers.discard(writer)
            writer.close()

    def send(self, message: ServiceMessage) -> None:
        """Send a line to each connection."""
        for writer in self._writers:
            writer.write(protocol.encode(message))

    async def beat(self) -> None:
        """Send heartbeats as the service does."""
        number = 0
        while True:
            number += 1
            if self.sends_heartbeats:
                self.send(ServiceMessage(heartbeat=number))
            await asyncio.sleep(protocol.HEARTBEAT_INTERVAL_S)

    def show(self, **changes: object) -> None:
        """Show another view."""
        self.view = msgspec.structs.replace(self.view, sequence=self.view.sequence + 1, **changes)
        self.send(ServiceMessage(view=self.view))


class FakeRoom:
    """The room's end of the WebSocket, which sends what a test wants."""

    def __init__(self, connections: asyncio.Queue[ServerConnection]) -> None:
        self._connections = connections
        self.connection: ServerConnection

    async def accept(self) -> None:
        """Wait for the next connection of the uplink."""
        async with asyncio.timeout(DEADLINE_S):
            self.connection = await self._connections.get()

    async def send(self, message: object) -> None:
        await self.connection.send(messages.encode_message(message))

    async def receive(self) -> messages.TableMessage:
        async with asyncio.timeout(DEADLINE_S):
            return messages.decode_table_message(await self.connection.recv())

    async def tunnel_message(self) -> messages.TunnelMessage:
        """Return the next message that is not a summary."""
        while isinstance(message := await self.receive(), Summary):
            pass
        return message

    async def summary(self, condition: Callable[[TableSummary | None], object]) -> TableSummary | None:
        """Wait for a summary that fulfils a condition. None means that the uplink cannot see the table."""
        while True:
            message = await self.receive()
            if isinstance(message, Summary):
                summary = decode_summary(message.summary) if message.summary is not None else None
                if condition(summary):
                    return summary


@asynccontextmanager
async def uplink_between(*, has_service: bool = True) -> AsyncIterator[tuple[FakeService, FakeRoom]]:
    """Run the live side of an uplink between a service and a room of the test, and wait until it is connected."""
    connections: asyncio.Queue[ServerConnection] = asyncio.Queue()

    async def handle(connection: ServerConnection) -> None:
        assert connection.request is not None
        assert connection.request.path == "/live"
        await connections.put(connection)
        await connection.wait_closed()

    with tempfile.TemporaryDirectory(prefix="live") as name:
        service = FakeService(Path(name) / "table.sock")
        server = await asyncio.start_unix_server(service.serve, service.path) if has_service else None
        beats = asyncio.create_task(service.beat())
        async with serve(handle, "127.0.0.1", 0, compression=None) as listening:
            address = f"ws://127.0.0.1:{next(iter(listening.sockets)).getsockname()[1]}"
            uplink = LiveUplink(service.path, Path(name) / "no.journal", address, "token", max_wait_s=MAX_WAIT_S)
            task = asyncio.create_task(uplink.run())
            room = FakeRoom(connections)
            await room.accept()
            try:
                yield service, room
            finally:
                await cancel(task)
                await cancel(beats)
                if server is not None:
                    server.close()
                await until(lambda: not service._writers)


UplinkTest = Callable[[FakeService, FakeRoom], Awaitable[None]]


def run_between(test: UplinkTest, *, has_service: bool = True) -> None:
    async def run() -> None:
        async with uplink_between(has_service=has_service) as (service, room):
            await test(service, room)

    asyncio.run(run())


def test_uplink_sends_the_newest_summary_and_not_each_one() -> None:
    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary and summary.sequence == 7)
        begin_s = asyncio.get_running_loop().time()
        for _ in range(100):
            service.show(pot=1)
            await asyncio.sleep(0.01)
        count = 1
        while await room.summary(lambda summary: True) != summarise(service.view):
            count += 1
        passed_s = asyncio.get_running_loop().time() - begin_s
        assert count <= 2 + passed_s * 2

    run_between(test)


def test_table_without_a_service_is_reported_and_refuses_tunnels() -> None:
    async def test(_: FakeService, room: FakeRoom) -> None:
        assert await room.summary(lambda summary: True) is None
        await room.send(Open(1))
        message = await room.tunnel_message()
        assert isinstance(message, Close)
        assert "No such file" in message.reason

    run_between(test, has_service=False)


def test_silent_service_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "SILENCE_TIMEOUT_S", 1.0)

    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        service.sends_heartbeats = False
        await room.summary(lambda summary: summary is None)
        service.sends_heartbeats = True
        await room.summary(lambda summary: summary)

    run_between(test)


@pytest.mark.parametrize(
    "line",
    [
        protocol.encode(ServiceMessage(view=TableView(sequence=1, protocol=PROTOCOL_VERSION + 1))),
        b"not a line of the service\n",
        b"x" * (protocol.MAX_LINE_BYTES + 1),
    ],
)
def test_service_of_another_version_is_not_guessed(line: bytes) -> None:
    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        for writer in service._writers:
            writer.write(line)
        await room.summary(lambda summary: summary is None)

    run_between(test)


def test_thousands_of_tunnels_are_refused_by_name_and_the_table_does_not_notice() -> None:
    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        count = 3000

        async def flood() -> None:
            for number in range(1, count + 1):
                await room.send(Open(number))

        flooding = asyncio.create_task(flood())
        reasons: list[str] = []
        while len(reasons) < count - MAX_TUNNELS:
            message = await room.tunnel_message()
            if isinstance(message, Close):
                reasons.append(message.reason)
        await flooding
        assert {reason for reason in reasons if reason} <= {
            f"expected at most {MAX_TUNNELS} tunnels",
            f"expected at most {MAX_OPENS} tunnels in 2 s",
        }
        assert service.most_at_once <= 1 + MAX_TUNNELS
        service.show(pot=640)
        await room.summary(lambda summary: summary and summary.pot == 640)

    run_between(test)


def test_tunnels_that_are_opened_and_closed_quickly_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.room.live.uplink.OPENS_WINDOW_S", 600.0)

    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        for number in range(1, MAX_OPENS + 1):
            await room.send(Open(number))
            assert isinstance(await room.tunnel_message(), Data)
            await room.send(Close(number))
            await until(lambda: len(service._writers) == 1)
        await room.send(Open(MAX_OPENS + 1))
        refused = await room.tunnel_message()
        while isinstance(refused, Data):  # Heartbeats from before the end of a tunnel.
            refused = await room.tunnel_message()
        assert refused == Close(MAX_OPENS + 1, f"expected at most {MAX_OPENS} tunnels in 600 s")
        assert service.connections == 1 + MAX_OPENS

    run_between(test)


BAD_MESSAGES: dict[str, tuple[object, ...]] = {
    "no message": (b"",),
    "text": ("open",),
    "oversized": (bytes(MAX_MESSAGE_BYTES + 1),),
    "message of a table": (Summary(None, None),),
    "bytes of a tunnel that was never opened": (Data(1, b"x"),),
    "end of a tunnel that was never opened": (Close(1),),
    "tunnel opened twice": (Open(1), Open(1)),
    "lower number": (Open(2), Open(1)),
    "more bytes read than sent": (Open(1), Taken(1, WINDOW_BYTES + 1)),
    "more bytes than the window": (Open(1), *[Data(1, bytes(MAX_DATA_BYTES))] * 50),
}


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_bad_message_of_the_room_ends_the_connection_and_the_uplink_connects_again(name: str) -> None:
    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        service.reads = False
        for message in BAD_MESSAGES[name]:
            data = message if isinstance(message, bytes | str) else messages.encode_message(message)
            await room.connection.send(data)
        async with asyncio.timeout(DEADLINE_S):
            await room.connection.wait_closed()
        await room.accept()
        await room.summary(lambda summary: summary)
        service.reads = True

    run_between(test)


def test_room_that_stops_reading_does_not_stop_the_table() -> None:
    """The uplink reads each view of the service, even if the room reads nothing."""

    async def test(service: FakeService, room: FakeRoom) -> None:
        await room.summary(lambda summary: summary)
        await room.send(Open(1))
        room.connection.transport.pause_reading()
        await until(lambda: service.connections == 2)
        (follower, *_) = sorted(service._writers, key=lambda writer: writer.get_extra_info("socket").fileno())
        follower.transport.set_write_buffer_limits(high=0)
        for _ in range(2000):
            service.show(pot=1)
            async with asyncio.timeout(DEADLINE_S):
                await follower.drain()
        room.connection.transport.resume_reading()
        await room.summary(lambda summary: summary and summary.sequence == 7 + 2000)

    run_between(test)


def test_tunnel_relays_both_ways_within_its_window() -> None:
    async def test(service: FakeService, room: FakeRoom) -> None:
        service.view = msgspec.structs.replace(VIEW, dealer="x" * 200_000)
        await room.send(Open(1))
        received = 0
        while received < WINDOW_BYTES:
            message = await room.tunnel_message()
            assert isinstance(message, Data)
            received += len(message.content)
        assert received == WINDOW_BYTES
        await room.send(Taken(1, 1000))
        message = await room.tunnel_message()
        assert isinstance(message, Data)
        assert len(message.content) == 1000
        await room.send(Data(1, b"question"))
        assert await room.tunnel_message() == Taken(1, 8)
        await until(lambda: service.received == b"question")
        await room.send(Close(1))
        await until(lambda: len(service._writers) == 1)

    run_between(test)


def test_error_of_the_program_does_not_end_the_uplink(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    note_view = TablePace.note_view

    def fail_once(self: TablePace, view: TableView, now_s: float) -> None:
        monkeypatch.setattr(TablePace, "note_view", note_view)
        raise RuntimeError("a planted error")

    monkeypatch.setattr(TablePace, "note_view", fail_once)

    async def test(_: FakeService, room: FakeRoom) -> None:
        with suppress(ConnectionClosed):
            while True:
                await room.receive()
        await room.accept()
        await room.summary(lambda summary: summary)

    run_between(test)
    assert "a planted error" in caplog.text


# --- hands an hour, and the dealer ---


def test_pace_is_unknown_until_ten_minutes_were_seen() -> None:
    pace = TablePace()
    pace.note_view(msgspec.structs.replace(VIEW, hand_number=100), 0)
    assert pace.hands_per_hour(0) is None
    for number in range(5):
        pace.note_view(msgspec.structs.replace(VIEW, hand_number=101 + number), 60 + 120 * number)
    assert pace.hands_per_hour(MIN_RATE_TIME_S - 1) is None
    assert pace.hands_per_hour(MIN_RATE_TIME_S) == 30
    assert pace.hands_per_hour(1200) == 15


def test_pace_counts_the_hands_of_the_last_hour() -> None:
    pace = TablePace()
    for minute in range(0, 180, 2):
        pace.note_view(msgspec.structs.replace(VIEW, hand_number=minute // 2), 60.0 * minute)
    assert pace.hands_per_hour(60.0 * 178) == 30
    assert pace.hands_per_hour(60.0 * 178 + 1800) == 15
    assert pace.hands_per_hour(60.0 * 178 + 3600) == 0
    assert pace.hands_per_hour(60.0 * 1780) == 0


def test_pace_begins_again_with_a_new_journal() -> None:
    pace = TablePace()
    pace.note_view(msgspec.structs.replace(VIEW, hand_number=100), 0)
    pace.note_view(msgspec.structs.replace(VIEW, hand_number=1), 1000)
    assert pace.hands_per_hour(1001) is None


def test_push_is_known_only_if_it_was_seen() -> None:
    pace = TablePace()
    pace.note_view(msgspec.structs.replace(VIEW, dealer="ann"), 0)
    assert pace.dealer_minutes(600) is None
    pace.note_view(msgspec.structs.replace(VIEW, dealer="ben"), 600)
    assert (pace.dealer_minutes(600), pace.dealer_minutes(719)) == (0, 1)
    pace.note_gap()
    pace.note_view(msgspec.structs.replace(VIEW, dealer="ben"), 900)
    assert pace.dealer_minutes(900) == 5
    pace.note_gap()
    pace.note_view(msgspec.structs.replace(VIEW, dealer="cho"), 1200)
    assert pace.dealer_minutes(1200) is None
    pace.note_view(msgspec.structs.replace(VIEW, dealer=""), 1300)
    assert pace.dealer_minutes(1400) is None
