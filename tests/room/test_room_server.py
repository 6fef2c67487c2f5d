"""The room stores the journal of every table, refuses what does not fit, and raises an alert that names it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.cli import main
from controller.integrity import ChainHead
from controller.journal import Segment, Stretch, audit_journal
from controller.journal.archive import list_quarantined
from controller.room import (
    MAX_SPAN_BYTES,
    RoomServer,
    SpanStore,
    TablesFile,
    Uplink,
    add_table,
    encode_span,
    read_alerts,
    read_spans,
)
from controller.room import server as server_module
from controller.room.messages import (
    TOKEN_PREFIX,
    RoomMessage,
    RoomPosition,
    SpanAccepted,
    SpanRefused,
    decode_message,
)
from tests.controller.journal_tampering import KEY, OTHER_KEY
from tests.controller.test_journal_replication import Writer, journal_rows
from tests.room.postgres_server import postgres_server, why_no_postgres
from tests.room.test_spans import (
    FIRST_SEGMENT,
    KEYS,
    NEXT_RECORDS,
    SECOND_SEGMENT,
    TAMPERINGS,
    THIRD_SEGMENT,
    signed,
    spans,
)
from tests.service.service_process import (
    DEADLINE_S,
    command,
    command_view,
    service_process,
    without_run_details,
)

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres_server() as running:
        yield running.database


class Room:
    """A room in this process, with one table, as a test sees it."""

    def __init__(self, database: str, folder: Path, table: str, port: int, token: str) -> None:
        self.database = database
        self.folder = folder
        self.table = table
        self.address = f"ws://127.0.0.1:{port}"
        self.token = token

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[ClientConnection, ChainHead | None]]:
        """Connect as the table, and yield the connection and the position that the room has sent."""
        headers = {"Authorization": TOKEN_PREFIX + self.token}
        async with connect(self.address, additional_headers=headers, proxy=None) as connection:
            message = await receive(connection)
            assert isinstance(message, RoomPosition)
            yield connection, message.head

    async def send(self, *sent: Stretch | bytes) -> list[RoomMessage]:
        """Send spans on a connection of their own, and return the replies."""
        async with self.connected() as (connection, _):
            replies: list[RoomMessage] = []
            for span in sent:
                await connection.send(span if isinstance(span, bytes) else encode_span(span))
                replies.append(await receive(connection))
            return replies

    def alerts(self) -> list[tuple[str, int]]:
        return [(alert.problem, alert.number) for alert in read_alerts(self.database) if alert.table == self.table]

    def stored(self) -> list[bytes]:
        return list(read_spans(self.database, self.table))


async def receive(connection: ClientConnection) -> RoomMessage:
    async with asyncio.timeout(DEADLINE_S):
        data = await connection.recv()
    assert isinstance(data, bytes)
    return decode_message(data)


TABLE_NUMBERS = itertools.count(1)
RoomTest = Callable[[Room], Awaitable[None]]


@pytest.fixture
def run_in_room(database: str, tmp_path: Path) -> Callable[[RoomTest], None]:
    """Return a function that runs a test with a room and a table that no other test has."""
    table = f"Table {next(TABLE_NUMBERS)}"

    async def run(test: RoomTest) -> None:
        tables = tmp_path / "tables.toml"
        token = add_table(tables, table, KEY.public_key)
        store = SpanStore(database)
        await store.open()
        try:
            server = await RoomServer(store, TablesFile(tables)).listen("127.0.0.1", 0, None)
            async with server:
                port = next(iter(server.sockets)).getsockname()[1]
                await test(Room(database, tmp_path, table, port, token))
        finally:
            await store.close()

    return lambda test: asyncio.run(run(test))


STORED, HELD = SpanAccepted(True), SpanAccepted(False)
RunInRoom = Callable[[RoomTest], None]


def test_room_stores_spans_before_it_acknowledges_them(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        for number, span in enumerate(spans()):
            assert await room.send(span) == [STORED]
            assert room.stored() == [encode_span(span) for span in spans()[: number + 1]]
            async with room.connected() as (_, position):
                assert position == span.head

    run_in_room(test)


def test_position_of_a_new_table_is_empty(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        async with room.connected() as (_, position):
            assert position is None

    run_in_room(test)


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_on_the_way_is_refused_and_an_alert(run_in_room: RunInRoom, name: str) -> None:
    tamper, problem = TAMPERINGS[name]

    async def test(room: Room) -> None:
        await room.send(spans()[FIRST_SEGMENT], spans()[SECOND_SEGMENT])
        (reply,) = await room.send(tamper(spans()[NEXT_RECORDS]))
        assert isinstance(reply, SpanRefused)
        assert reply.problem == problem
        assert [found for found, _ in room.alerts()] == [problem]
        assert len(room.stored()) == 2
        # The table itself is not locked out.
        assert await room.send(spans()[NEXT_RECORDS]) == [STORED]

    run_in_room(test)


BAD_MESSAGES: dict[str, tuple[bytes, str]] = {
    "truncated": (encode_span(spans()[0])[:-1], "not-a-span"),
    "oversized": (bytes(MAX_SPAN_BYTES + 1), "oversized"),
}


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_message_that_is_no_span_is_refused_and_an_alert(run_in_room: RunInRoom, name: str) -> None:
    data, problem = BAD_MESSAGES[name]

    async def test(room: Room) -> None:
        (reply,) = await room.send(data)
        assert isinstance(reply, SpanRefused)
        assert room.alerts() == [(problem, 0)]

    run_in_room(test)


def test_message_that_is_much_too_long_ends_the_connection(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        with pytest.raises(ConnectionClosed):
            await room.send(bytes(server_module.MAX_MESSAGE_BYTES + 1))
        assert room.stored() == []

    run_in_room(test)


def test_gap_and_fork_are_alerts_with_their_record(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        await room.send(spans()[FIRST_SEGMENT])
        await room.send(spans()[NEXT_RECORDS])
        await room.send(spans()[FIRST_SEGMENT])
        assert room.alerts() == [("gap", 5), ("fork", 1)]
        assert [alert.journal for alert in read_alerts(room.database) if alert.table == room.table] == [
            spans()[0].head.journal
        ] * 2

    run_in_room(test)


def test_missing_segment_is_stored_with_an_alert(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        assert await room.send(spans()[FIRST_SEGMENT], spans()[THIRD_SEGMENT]) == [STORED, STORED]
        assert room.alerts() == [("missing-records", 10)]

    run_in_room(test)


def test_repeated_problem_is_one_alert(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        for _ in range(3):
            await room.send(spans()[NEXT_RECORDS])
        assert room.alerts() == [("gap", 5)]

    run_in_room(test)


def test_many_problems_of_a_table_are_ten_alerts_a_minute(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        span = spans()[NEXT_RECORDS]
        for number in range(server_module.MAX_ALERTS_PER_MINUTE + 5):
            end = span.previous._replace(number=100 * number)
            (reply,) = await room.send(Stretch(b"", end, (), {}, end, None))
            assert isinstance(reply, SpanRefused)
        assert room.alerts() == [("gap", 100 * number + 1) for number in range(server_module.MAX_ALERTS_PER_MINUTE)]

    run_in_room(test)


def test_unsigned_records_wait_for_a_signature_with_an_alert(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        unsigned = spans()[SECOND_SEGMENT]._replace(signature=b"")
        assert await room.send(spans()[FIRST_SEGMENT], unsigned) == [STORED, HELD]
        assert (room.alerts(), len(room.stored())) == ([("unsigned", 1)], 1)
        assert await room.send(unsigned, spans()[NEXT_RECORDS]) == [HELD, STORED]
        assert (room.alerts(), len(room.stored())) == ([("unsigned", 1)], 3)

    run_in_room(test)


def test_stolen_token_without_the_key_adds_nothing(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        (reply,) = await room.send(signed(spans()[FIRST_SEGMENT], OTHER_KEY))
        assert isinstance(reply, SpanRefused)
        held = spans()[FIRST_SEGMENT]._replace(signature=None)
        assert await room.send(held) == [HELD]
        assert (room.alerts(), room.stored()) == ([("other-key", 0)], [])

    run_in_room(test)


@pytest.mark.parametrize("token", ["", "0" * 64])
def test_unknown_token_is_refused(run_in_room: RunInRoom, token: str) -> None:
    async def test(room: Room) -> None:
        room.token = token
        with pytest.raises(InvalidStatus) as caught:
            await room.send(spans()[0])
        assert caught.value.response.status_code == 401

    run_in_room(test)


def test_table_that_is_added_later_may_connect_at_once(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        room.token = add_table(room.folder / "tables.toml", "a new table", OTHER_KEY.public_key)
        (reply,) = await room.send(signed(spans()[FIRST_SEGMENT], OTHER_KEY))
        assert reply == STORED

    run_in_room(test)


def test_second_connection_is_refused_and_an_alert(run_in_room: RunInRoom) -> None:
    async def test(room: Room) -> None:
        async with room.connected() as (first, _):
            with pytest.raises(ConnectionClosed, match="another connection uses this token"):
                await room.send(spans()[0])
            assert room.alerts() == [("second-connection", 0)]
            await first.send(encode_span(spans()[0]))
            assert await receive(first) == STORED
        assert await room.send(spans()[1]) == [STORED]

    run_in_room(test)


def test_new_connection_takes_the_place_of_one_that_does_not_answer(
    run_in_room: RunInRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "ALIVE_TIMEOUT_S", 0.2)

    async def test(room: Room) -> None:
        async with room.connected() as (first, _):
            first.transport.pause_reading()
            assert await room.send(spans()[0]) == [STORED]
            first.transport.abort()
        assert room.alerts() == []

    run_in_room(test)


def test_uplink_sends_a_journal_with_all_its_changes(run_in_room: RunInRoom, tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        with closing(Writer(tmp_path)) as writer:
            writer.append(3, b"state at the end of a hand")
            async with running_uplink(room, writer.path):
                for event in (Writer.rotate, Writer.append, Writer.begin_new_journal, Writer.append, Writer.restart):
                    event(writer)
                    writer.append()
                    await until_stored(room, writer.journal.chain_head())
            check_copy(room, writer)

    run_in_room(test)


OFFLINE_RECORDS = 57_600
"""Number of records that a table writes while it has no network: two records a second for eight hours.

They are in 30 segments of three journals, because of a salvage and a new configuration in between.
"""


def test_table_that_was_offline_for_a_shift_catches_up(run_in_room: RunInRoom, tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        with closing(Writer(tmp_path)) as writer:
            async with running_uplink(room, writer.path):
                writer.append(10)
                await until_stored(room, writer.journal.chain_head())
            hands = OFFLINE_RECORDS // 100
            for number in range(hands):
                writer.append(100, b"state %d at the end of a hand" % number)
                if number == hands // 3:
                    writer.salvage()
                elif number == 2 * hands // 3:
                    writer.begin_new_journal()
                elif writer.journal.segment_record_count >= 2_000:
                    writer.rotate()
            async with running_uplink(room, writer.path):
                await until_stored(room, writer.journal.chain_head())
            check_copy(room, writer)
            assert len(list_quarantined(writer.path)) == 1
            assert len(journal_rows(writer.path)) == 30

    run_in_room(test)


STEPS_OF_A_HAND = ("hand", "4 raise to 30", "1 call", "2 fold")


def test_new_machine_continues_the_hand_of_a_lost_table(run_in_room: RunInRoom, tmp_path: Path) -> None:
    key = tmp_path / "table.key"
    key.write_text("11" * 32)  # The key that the room knows.
    key.chmod(0o600)
    options = ("--no-trays", "--key", str(key))

    async def test(room: Room) -> None:
        with service_process(tmp_path / "lost", *options) as service:
            link = service.start()
            async with running_uplink(room, service.journal):
                for step in STEPS_OF_A_HAND:
                    command_view(link, step)
                with closing(Segment.open_read_only(service.journal)) as segment:
                    await until_stored(room, segment.chain_head())
            service.kill()
            restarted = without_run_details(service.start().view())
        copy_from(room)
        journal = room.folder / "copy" / "table.journal"
        with service_process(tmp_path / "new", *options, journal=journal) as service:
            link = service.start()
            assert without_run_details(link.view()) == restarted
            assert command(link, "3 call") is None
        assert audit_journal(journal, KEYS).findings == ()

    run_in_room(test)


@asynccontextmanager
async def running_uplink(room: Room, journal: Path) -> AsyncIterator[None]:
    """Run the uplink of a table during a block."""
    uplink = asyncio.create_task(Uplink(journal, room.address, room.token, max_wait_s=0.1).run())
    try:
        yield
    finally:
        uplink.cancel()
        with suppress(asyncio.CancelledError):
            await uplink


async def until_stored(room: Room, head: ChainHead) -> None:
    """Wait until the room has the records up to this head."""
    query = "SELECT last_hash FROM span WHERE table_name = %s ORDER BY id DESC LIMIT 1"
    async with asyncio.timeout(DEADLINE_S), await psycopg.AsyncConnection.connect(room.database) as connection:
        while True:
            cursor = await connection.execute(query, (room.table,))
            if await cursor.fetchone() == (head.hash,):
                return
            await connection.rollback()
            await asyncio.sleep(0.05)


def copy_from(room: Room) -> str:
    """Copy the journal of the table with the command, and return what the command prints."""
    options = ["--database", room.database, "--tables", str(room.folder / "tables.toml")]
    result = CliRunner().invoke(main, ["room", "copy", room.table, str(room.folder / "copy"), *options])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def check_copy(room: Room, writer: Writer) -> None:
    """Check that there is no alert, and that a copy from the room equals the journal."""
    assert room.alerts() == []
    head = writer.journal.chain_head()
    assert f"to record {head.number} of segment {head.segment}" in copy_from(room)
    assert journal_rows(room.folder / "copy" / "table.journal") == journal_rows(writer.path)
