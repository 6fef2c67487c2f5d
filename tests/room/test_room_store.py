"""The store keeps what it has acknowledged, names what was changed in it, and gives a journal back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.integrity import make_guard
from controller.journal import Journal, JournalFollower, Stretch, audit_journal
from controller.room import (
    Alert,
    SpanError,
    SpanStore,
    StoredSpan,
    StoreError,
    copy_journal,
    encode_span,
    read_alerts,
    read_spans,
    split_stretch,
    store,
)
from tests.controller.journal_tampering import KEY, RECORDS, copy_table_journal, entries
from tests.controller.test_journal_replication import EVENTS, Writer, journal_rows, read_all
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.room.test_spans import KEYS, NEXT_RECORDS, TAMPERINGS, spans

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


def stored(*sent: Stretch) -> list[StoredSpan]:
    return [StoredSpan(span, encode_span(span)) for span in sent]


def with_store(database: str, use: Callable[[SpanStore], Awaitable[None]]) -> None:
    """Run a test with an open store, and close the store."""

    async def run() -> None:
        span_store = SpanStore(database)
        try:
            await span_store.open()
            await use(span_store)
        finally:
            await span_store.close()

    asyncio.run(run())


def test_store_returns_what_it_has_in_the_order_of_the_table(server: PostgresServer) -> None:
    async def use(span_store: SpanStore) -> None:
        assert await span_store.read_position("order") is None
        for span in spans():
            await span_store.add("order", stored(span))
            await span_store.add("another table", stored(span))
            assert await span_store.read_position("order") == span.head

    with_store(server.database, use)
    assert list(read_spans(server.database, "order")) == [encode_span(span) for span in spans()]


def test_spans_of_many_tables_are_one_transaction(server: PostgresServer) -> None:
    async def use(span_store: SpanStore) -> None:
        await asyncio.gather(*(span_store.add(f"many {number}", stored(spans()[0])) for number in range(30)))

    with_store(server.database, use)
    query = "SELECT count(*), count(DISTINCT xmin::text) FROM span WHERE table_name LIKE 'many %'"
    assert server.execute(query) == [(30, 1)]


@pytest.mark.parametrize("relation", ["span", "alert"])
@pytest.mark.parametrize("change", ["UPDATE {} SET table_name = 'x'", "DELETE FROM {}", "TRUNCATE {}"])
def test_rows_cannot_be_changed(server: PostgresServer, relation: str, change: str) -> None:
    async def use(span_store: SpanStore) -> None:
        await span_store.add("kept", stored(spans()[0]))
        await span_store.add_alert(Alert(datetime.now(UTC), "kept", "gap", "", 1, 1, "text"))

    with_store(server.database, use)
    with pytest.raises(psycopg.errors.RaiseException, match="only added, never changed"):
        server.execute(change.format(relation))


def test_each_month_has_a_partition(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(span_store: SpanStore) -> None:
        for number, (year, month) in enumerate([(2026, 11), (2026, 12), (2027, 1)]):

            class Clock(datetime):
                @classmethod
                def now(cls, tz: object = None, moment: datetime = datetime(year, month, 1, tzinfo=UTC)) -> Clock:
                    return cls.fromtimestamp(moment.timestamp(), UTC)

            monkeypatch.setattr(store, "datetime", Clock)
            await span_store.add("months", stored(spans()[number]))

    with_store(server.database, use)
    rows = server.execute("SELECT tableoid::regclass::text FROM span WHERE table_name = 'months' ORDER BY id")
    assert rows == [("span_2026_11",), ("span_2026_12",), ("span_2027_01",)]
    assert len(list(read_spans(server.database, "months"))) == 3


def test_second_writer_is_refused(server: PostgresServer) -> None:
    async def use(span_store: SpanStore) -> None:
        with pytest.raises(StoreError, match="another room writes to it"):
            await SpanStore(server.database).open()
        await span_store.read_position("still works")

    with_store(server.database, use)


def test_database_without_checksums_is_refused() -> None:
    with postgres_server("--encoding=UTF8") as unchecked:

        async def use(span_store: SpanStore) -> None:
            raise AssertionError("the store opened")

        with pytest.raises(StoreError, match="data_checksums is off"):
            with_store(unchecked.database, use)


def test_alert_of_a_hostile_span_is_kept(server: PostgresServer) -> None:
    alert = Alert(datetime.now(UTC), "hostile", "gap", "x" * 1000, 2**64, -1, "text")

    async def use(span_store: SpanStore) -> None:
        await span_store.add_alert(alert)

    with_store(server.database, use)
    (kept,) = [found for found in read_alerts(server.database) if found.table == "hostile"]
    assert kept == alert._replace(segment=2**63 - 1, number=0)


def test_acknowledged_span_survives_a_kill_of_the_database() -> None:
    with postgres_server() as server:

        async def use(span_store: SpanStore) -> None:
            for span in spans()[:3]:
                await span_store.add("killed", stored(span))
                server.kill()
                with pytest.raises(StoreError):
                    await span_store.add("killed", stored(span))
                server.start()
                assert await span_store.read_position("killed") == span.head

        with_store(server.database, use)
        assert list(read_spans(server.database, "killed")) == [encode_span(span) for span in spans()[:3]]


# --- months ---


def test_partition_of_the_next_month_is_ready_while_readers_read() -> None:
    months = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'span'::regclass ORDER BY 1"
    with postgres_server() as server:

        async def use(span_store: SpanStore) -> None:
            await span_store.add("months", stored(spans()[0]))
            before = server.execute(months)
            assert len(before) == 2
            server.execute(f"ALTER TABLE span DETACH PARTITION {before[1][0]}")
            server.execute(f"DROP TABLE {before[1][0]}")
            span_store._months.clear()
            with psycopg.connect(server.database) as reader:
                reader.execute("SELECT count(*) FROM span")
                await span_store.add("months", stored(spans()[1]))
            assert server.execute(months) == before
            for statement in (*(f"TRUNCATE {name}" for (name,) in before), f"DELETE FROM {before[0][0]}"):
                with pytest.raises(psycopg.errors.RaiseException, match="only added, never changed"):
                    server.execute(statement)

        with_store(server.database, use)


def test_month_after_december_is_january() -> None:
    assert store._month_after((2026, 12)) == (2027, 1)
    assert store._month_after((2026, 2)) == (2026, 3)


# --- copies ---


def spans_of_journal(path: Path) -> list[bytes]:
    stretches = read_all(JournalFollower(path))
    return [encode_span(part) for stretch in stretches for part in split_stretch(stretch)]


def test_copy_of_a_journal_equals_it_and_continues(tmp_path: Path) -> None:
    with closing(Writer(tmp_path)) as writer:
        for name in ("hand-end", "rotate", "append", "hand-end", "new-journal", "rotate", "append"):
            EVENTS[name](writer)
        data = spans_of_journal(writer.path)
        copy = tmp_path / "copy" / "table.journal"
        heads = copy_journal(data, KEYS, copy)
        assert heads[-1] == writer.journal.chain_head()
        assert journal_rows(copy) == journal_rows(writer.path)
    assert audit_journal(copy, KEYS).findings == ()
    with closing(Journal.open(copy, guard=make_guard(copy, KEY))[0]) as journal:
        journal.append(entries(journal.last_number + 1, journal.last_number + 1))


def test_copy_of_a_table_gives_the_same_hands(tmp_path: Path) -> None:
    book = copy_table_journal(tmp_path)
    copy = tmp_path / "copy" / "table.journal"
    copy_journal(spans_of_journal(book.path), KEYS, copy)
    results = [CliRunner().invoke(main, ["journal", "replay", str(path)]) for path in (copy, book.path)]
    assert [result.exit_code for result in results] == [0, 0]
    assert results[0].output == results[1].output
    assert f"{RECORDS} records" in results[0].output


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_with_a_stored_span_is_named(tmp_path: Path, name: str) -> None:
    tamper, problem = TAMPERINGS[name]
    data = [encode_span(span) for span in spans()]
    data[NEXT_RECORDS] = encode_span(tamper(spans()[NEXT_RECORDS]))
    with pytest.raises(SpanError) as caught:
        copy_journal(data, KEYS, tmp_path / "t.journal")
    assert caught.value.problem == problem


ROW_TAMPERINGS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "first row removed": (lambda rows: rows[2:], "gap"),
    "row removed": (lambda rows: [*rows[:1], *rows[2:]], "gap"),
    "row repeated": (lambda rows: [*rows[:3], rows[2], *rows[3:]], "fork"),
    "rows exchanged": (lambda rows: [rows[0], rows[2], rows[1], rows[3]], "gap"),
    "row damaged": (lambda rows: [rows[0], rows[1][:-1], *rows[2:]], "not-a-span"),
    "signature of the end removed": (
        lambda rows: [*rows[:3], encode_span(spans()[3]._replace(signature=b""))],
        "unsigned",
    ),
}


@pytest.mark.parametrize("name", ROW_TAMPERINGS)
def test_tampering_with_the_rows_is_named(tmp_path: Path, name: str) -> None:
    tamper, problem = ROW_TAMPERINGS[name]
    with pytest.raises(SpanError) as caught:
        copy_journal(tamper([encode_span(span) for span in spans()]), KEYS, tmp_path / "t.journal")
    assert caught.value.problem == problem


def test_flipped_byte_in_a_file_of_the_database_is_named(tmp_path: Path) -> None:
    with postgres_server() as server:

        async def use(span_store: SpanStore) -> None:
            for _ in range(20):
                await span_store.add("rot", stored(*spans()))

        with_store(server.database, use)
        server.execute("CHECKPOINT")
        ((name,),) = server.execute(
            "SELECT pg_relation_filepath(inhrelid) FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r'"
            " ORDER BY relname LIMIT 1"
        )
        file = server.data / str(name)
        original = file.read_bytes()
        assert len(original) > 16_384
        for place in range(5_000, len(original), len(original) // 5):
            server.stop()
            file.write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
            server.start()
            with pytest.raises(StoreError, match="invalid page in block"):
                list(read_spans(server.database, "rot"))
        server.stop()
        file.write_bytes(original)
        server.start()
        assert len(list(read_spans(server.database, "rot"))) == 20 * len(spans())
