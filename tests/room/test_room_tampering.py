"""Each tampering of the journal is named with table and record if it is done on the way to the room or in its store."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.journal import Stretch
from controller.room import RoomServer, SpanChain, SpanStore, TablesFile, add_table, encode_span, read_spans
from controller.room.messages import SpanAccepted, SpanRefused
from tests.controller.journal_tampering import FLOOR, KEY
from tests.controller.tampering_matrix import MATRIX_TAMPERINGS
from tests.room.journal_tampering_in_room import Tampered, tamper_with
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.room.test_room_server import Room
from tests.room.test_spans import FIRST_SEGMENT, SECOND_SEGMENT, THIRD_SEGMENT, spans

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

KEYS = (KEY.public_key,)
GENUINE = "genuine"
"""Everything that arrives is from the table and in its place, and the rest can follow."""

ON_THE_WAY: dict[str, tuple[str, str]] = {
    "record changed": ("changed", "changed"),
    "opening changed": ("bad-opening", "bad-opening"),
    "records exchanged": ("bad-number", "bad-number"),
    "neighbours exchanged": ("bad-number", "bad-number"),
    "record removed": ("bad-number", "bad-number"),
    "record removed, others moved up": ("bad-number", "bad-number"),
    "record inserted": ("bad-number", "bad-number"),
    "record put behind the end": ("changed", "changed"),
    "chain remade": ("other-key", "other-key"),
    "chain remade with another key": ("other-key", "other-key"),
    "tail cut": ("changed", "changed"),
    "tail cut, with the head": ("other-key", "other-key"),
    "older copy": (GENUINE, "fork"),
    "WAL removed": (GENUINE, "fork"),
    "WAL emptied": (GENUINE, "fork"),
    "WAL changed": (GENUINE, "fork"),
    "journal deleted": (GENUINE, GENUINE),
    # The forger of these two has the key of the table. The room cannot know that the records are not of the table, but
    # it knows that there are two journals. A copy names the badge.
    "another journal": ("unknown-journal", "unknown-journal"),
    "badge forged": ("badge", "fork"),
    "chain remade, findings accepted in advance": ("other-key", "other-key"),
    "tail cut to a signed head": (GENUINE, "fork"),
}
"""Alert for each tampering on the way to a room that has no record yet, and to a room that has all of them."""

IN_THE_STORE: dict[str, str] = {
    **{name: problem for name, (problem, _) in ON_THE_WAY.items() if problem != GENUINE},
    **dict.fromkeys(("older copy", "WAL removed", "WAL emptied", "WAL changed"), "missing-records"),
    "journal deleted": "missing-records",
    "another journal": "missing-records",
    "tail cut to a signed head": "missing-records",
}
"""Problem that `room verify` prints for each tampering with the rows of the table, with the log of heads."""


@pytest.mark.parametrize("expected", [ON_THE_WAY, IN_THE_STORE])
def test_every_tampering_of_the_journal_has_its_row(expected: dict[str, object]) -> None:
    assert set(expected) == set(MATRIX_TAMPERINGS)


@pytest.fixture(scope="module")
def running_server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture
def server(running_server: PostgresServer) -> Iterator[PostgresServer]:
    """Yield a server with a database without spans."""
    yield running_server
    as_superuser(running_server, "DELETE FROM span")


TABLE_NUMBERS = itertools.count(1)


def run_in_room(server: PostgresServer, folder: Path, test: Callable[[Room], Awaitable[None]]) -> Room:
    """Run a test with a room and a table that no other test has, and return the room, which has ended."""
    table = f"Table {next(TABLE_NUMBERS)}"
    tables = folder / "tables.toml"
    token = add_table(tables, table, KEY.public_key)

    async def run() -> Room:
        store = SpanStore(server.database)
        await store.open()
        try:
            async with await RoomServer(store, TablesFile(tables)).listen("127.0.0.1", 0, None) as listening:
                port = next(iter(listening.sockets)).getsockname()[1]
                room = Room(server.database, folder, table, port, token)
                await test(room)
                return room
        finally:
            await store.close()

    return asyncio.run(run())


def room_command(room: Room, *words: str | Path) -> Result:
    options = ["--database", room.database, "--tables", str(room.folder / "tables.toml")]
    return CliRunner().invoke(main, ["room", *(str(word) for word in words), *options])


# --- on the way ---


@pytest.mark.parametrize("has_records", [False, True], ids=["new room", "room with all records"])
@pytest.mark.parametrize("name", MATRIX_TAMPERINGS)
def test_tampering_on_the_way_is_named(server: PostgresServer, tmp_path: Path, name: str, has_records: bool) -> None:
    expected = ON_THE_WAY[name][has_records]
    tampered = tamper_with(name, tmp_path / "journal")

    async def test(room: Room) -> None:
        if has_records:
            await room.send(*tampered.honest)
        for span in tampered.forged:
            (reply,) = await room.send(span)
            is_refused = expected not in (GENUINE, "unknown-journal", "badge")
            assert isinstance(reply, SpanRefused if is_refused else SpanAccepted)
        # The table itself is not locked out.
        await send_the_rest(room, tampered.honest)

    room = run_in_room(server, tmp_path, test)
    # The table itself does not have the record with the forged badge, so that its own next records are a fork.
    alert = {GENUINE: set(), "badge": {"fork"}}.get(expected, {expected})
    assert {problem for problem, _ in room.alerts()} == alert
    records = [body for span in proven(room) for body in span.bodies]
    honest = [body for span in tampered.honest for body in span.bodies]
    if expected not in ("unknown-journal", "badge"):
        assert records == honest
    if expected == "badge":
        check_badge(room)


async def send_the_rest(room: Room, honest: list[Stretch]) -> None:
    """Send the honest spans that the room does not have, as the uplink of the table does."""
    async with room.connected() as (_, position):
        pass
    heads = [span.head for span in honest]
    await room.send(*honest[heads.index(position) + 1 if position in heads else 0 :])


def proven(room: Room) -> list[Stretch]:
    chain = SpanChain(None, KEYS)
    return [stored.span for data in room.stored() for stored in chain.add(data).proven]


def check_badge(room: Room) -> None:
    """Check that a copy names the decision without a proof of the badge."""
    copy = room.folder / "copy"
    assert room_command(room, "copy", room.table, copy).exit_code == 0
    badges, key = room.folder / "badges.toml", room.folder / "table.key.pub"
    badges.write_text(f'[[badges]]\nuid = "{FLOOR.uid}"\nname = "{FLOOR.name}"\nrole = "floor"\nkey = "{FLOOR.key}"\n')
    key.write_text(KEY.public_key)
    words = ["journal", "verify", str(copy / "table.journal"), "--key", str(key), "--badges", str(badges)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert re.search(r"decision without .*\b31\b", result.output), result.output


# --- in the store ---


@pytest.mark.parametrize("name", MATRIX_TAMPERINGS)
def test_tampering_with_the_rows_is_named(server: PostgresServer, tmp_path: Path, name: str) -> None:
    tampered = tamper_with(name, tmp_path / "journal")

    async def test(room: Room) -> None:
        await room.send(*tampered.honest)

    room = run_in_room(server, tmp_path, test)
    assert verify(room, tampered.heads).exit_code == 0
    replace_rows(server, room.table, tampered.forged)
    if IN_THE_STORE[name] == "badge":
        check_badge(room)
        return
    result = verify(room, tampered.heads)
    assert result.exit_code == 1, result.output
    assert re.search(rf"potkeeper: {room.table}: {IN_THE_STORE[name]}: .*segment 1, record \d+", result.stderr)


def verify(room: Room, heads: Path, *names: str) -> Result:
    """Run `room verify` with the log of heads that have left the table, for these tables or for all."""
    options = [word for name in names for word in ("--table", name)]
    return room_command(room, "verify", "--heads", heads, *options)


def as_superuser(server: PostgresServer, *statements: str) -> None:
    """Run statements in the database, with its triggers off."""
    for statement in ("ALTER TABLE span DISABLE TRIGGER ALL", *statements, "ALTER TABLE span ENABLE TRIGGER ALL"):
        server.execute(statement)


def replace_rows(server: PostgresServer, table: str, spans: list[Stretch]) -> None:
    """Replace all rows of a table by rows for other spans, with columns that fit."""
    rows = [
        f"('{table}', '{span.head.journal}', {span.head.segment}, {span.previous.number + 1}, {span.head.number},"
        f" '\\x{span.head.hash.hex()}', '\\x{encode_span(span).hex()}', now())"
        for span in spans
    ]
    names = "table_name, journal, segment, first_number, last_number, last_hash, body, received_at"
    insert = [f"INSERT INTO span ({names}) VALUES {', '.join(rows)}"] if rows else []
    as_superuser(server, f"DELETE FROM span WHERE table_name = '{table}'", *insert)


HONEST = "older copy"
"""A tampering before which the table has sent two spans, with 30 and 5 records, and a head after them."""

ROW_TAMPERINGS: dict[str, tuple[str, str]] = {
    "first row removed": ("DELETE FROM span WHERE {table} AND first_number = 1", "gap: .* record 31"),
    "last row removed": ("DELETE FROM span WHERE {table} AND first_number = 31", "missing-records: .* record 35"),
    "all rows removed": ("DELETE FROM span WHERE {table}", "missing-records: .* record 35"),
    "row repeated": (
        "INSERT INTO span (received_at, table_name, journal, segment, first_number, last_number, last_hash, body)"
        " SELECT received_at, table_name, journal, segment, first_number, last_number, last_hash, body FROM span"
        " WHERE {table} AND first_number = 31",
        "fork: .* record 31",
    ),
    "number in a column": (
        "UPDATE span SET last_number = 99 WHERE {table} AND first_number = 31",
        "changed: .* record 35",
    ),
    "hash in a column": (
        "UPDATE span SET last_hash = '\\x00' WHERE {table} AND first_number = 31",
        "changed: .* record 35",
    ),
    "byte of a body": (
        "UPDATE span SET body = set_byte(body, 3, get_byte(body, 3) # 1) WHERE {table} AND first_number = 31",
        "not-a-span: ",
    ),
    "row given to another table": (
        "UPDATE span SET table_name = 'another' WHERE {table} AND first_number = 31",
        "missing-records: .* record 35",
    ),
}


@pytest.mark.parametrize("name", ROW_TAMPERINGS)
def test_change_of_the_rows_is_named(server: PostgresServer, tmp_path: Path, name: str) -> None:
    statement, problem = ROW_TAMPERINGS[name]
    tampered = tamper_with(HONEST, tmp_path / "journal")

    async def test(room: Room) -> None:
        await room.send(*tampered.honest)

    room = run_in_room(server, tmp_path, test)
    as_superuser(server, statement.format(table=f"table_name = '{room.table}'"))
    result = verify(room, tampered.heads)
    assert result.exit_code == 1
    assert re.search(rf"potkeeper: {room.table}: {problem}", result.stderr), result.stderr
    if name == "row given to another table":
        assert "potkeeper: another: 1 spans of a table that is not in the file of the tables" in result.stderr
    assert verify(room, tampered.heads, room.table).exit_code == 1


def test_removed_segment_is_named_unless_it_is_an_alert(server: PostgresServer, tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await room.send(spans()[FIRST_SEGMENT], spans()[SECOND_SEGMENT], spans()[THIRD_SEGMENT])

    room = run_in_room(server, tmp_path, test)
    assert [problem for problem, _ in room.alerts()] == ["missing-records"]
    result = room_command(room, "verify")
    assert (result.exit_code, "an alert already: missing-records" in result.stdout) == (0, True)
    as_superuser(server, f"DELETE FROM span WHERE table_name = '{room.table}' AND segment = 2")
    result = room_command(room, "verify")
    assert result.exit_code == 1
    assert f"potkeeper: {room.table}: missing-records: " in result.stderr


# --- a stolen token ---


def test_stolen_token_without_the_key_counts_nothing(server: PostgresServer, tmp_path: Path) -> None:
    forged: list[Tampered] = [tamper_with("chain remade with another key", tmp_path / "journal")]

    async def test(room: Room) -> None:
        for span in forged[0].forged:
            for signature in (span.signature, b"", None):
                await room.send(span._replace(signature=signature))

    room = run_in_room(server, tmp_path, test)
    assert room.stored() == []
    assert {problem for problem, _ in room.alerts()} == {"other-key", "unsigned"}
    result = room_command(room, "verify")
    assert (result.exit_code, result.stdout) == (0, f"{room.table}: 0 records, no record\n")


def test_planted_check_without_keys_lets_a_tampering_pass(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.room.spans.is_signed_by", lambda *_: True)
    tampered = tamper_with("chain remade", tmp_path / "journal")

    async def test(room: Room) -> None:
        (reply,) = await room.send(*tampered.forged)
        assert isinstance(reply, SpanAccepted)

    room = run_in_room(server, tmp_path, test)
    assert list(read_spans(room.database, room.table)) != []
