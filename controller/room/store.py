"""The store of a room: spans and alerts in PostgreSQL, to which rows are only added.

`SpanStore` writes the spans that arrive within 50 ms in one transaction, and returns after the commit. After an error
of the database it connects again at the next call. `read_spans` and `read_alerts` read with a connection of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import ClassVar, Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from controller.integrity import ChainHead
from controller.room.span_chain import StoredSpan
from firmware_bridge.errors import FaultSource, PotkeeperError

COMMIT_INTERVAL_S: Final = 0.05
"""Time in seconds during which spans are collected for one transaction.

A commit waits for the disk for some milliseconds, so that one commit for each span would limit a room to few tables.
"""
CONNECT_TIMEOUT_S: Final = 5
"""Maximum time in seconds to connect to PostgreSQL."""
NETWORK_TIMEOUT_MS: Final = 30_000
"""Maximum time in ms in which PostgreSQL must confirm what was sent, if it is on another machine."""
_WRITER_LOCK: Final = 0x504F544B
"""Number of the advisory lock that the one writing process holds: "POTK" in ASCII."""
_MAX_NUMBER: Final = 2**63 - 1
"""Largest number that a column can have. A bad span may name a larger one."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS span (
    id bigint GENERATED ALWAYS AS IDENTITY,
    received_at timestamptz NOT NULL,
    table_name text NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    first_number bigint NOT NULL,
    last_number bigint NOT NULL,
    last_hash bytea NOT NULL,
    body bytea NOT NULL
) PARTITION BY RANGE (received_at);
CREATE INDEX IF NOT EXISTS span_of_table ON span (table_name, id);
CREATE INDEX IF NOT EXISTS span_by_id ON span (id);
CREATE TABLE IF NOT EXISTS alert (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    raised_at timestamptz NOT NULL,
    table_name text NOT NULL,
    problem text NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    number bigint NOT NULL,
    message text NOT NULL
);
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'rows of % are only added, never changed', TG_TABLE_NAME; END $$;
CREATE OR REPLACE TRIGGER keep_spans BEFORE UPDATE OR DELETE ON span
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER keep_all_spans BEFORE TRUNCATE ON span EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER keep_alerts BEFORE UPDATE OR DELETE ON alert
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE OR REPLACE TRIGGER keep_all_alerts BEFORE TRUNCATE ON alert EXECUTE FUNCTION refuse_change();
"""
_ADD_SPANS: Final = """
COPY span (received_at, table_name, journal, segment, first_number, last_number, last_hash, body) FROM STDIN
"""
_REQUIRED_SETTINGS: Final = {"data_checksums": "on", "fsync": "on", "full_page_writes": "on"}
"""Settings of PostgreSQL without which a power cut or a bad disk could lose or change records unnoticed."""


class StoreError(PotkeeperError):
    """The database cannot be used. The one-line message says why."""

    fault: ClassVar[FaultSource] = "storage"


class Alert(NamedTuple):
    """A problem that a person must see, with its place in the journal of a table."""

    raised_at: datetime
    table: str
    problem: str
    journal: str
    segment: int
    number: int
    message: str


class SpanOfDay(NamedTuple):
    """A stored span with its table and the time at which the room received it."""

    table: str
    received_at: datetime
    body: bytes


class SpanStore:
    """The writing connection of a room. Only one process can have it at a time."""

    def __init__(self, database: str) -> None:
        """Use the database with this connection string of libpq, such as `dbname=potkeeper_room`."""
        self._database = database
        self._connection: psycopg.AsyncConnection[TupleRow] | None = None
        self._lock = asyncio.Lock()
        self._months: set[tuple[int, int]] = set()
        self._waiting: list[tuple[str, Sequence[StoredSpan], asyncio.Future[None]]] = []
        self._commits: set[asyncio.Task[None]] = set()
        self._is_commit_due = False

    async def open(self) -> None:
        """Connect and create the tables if they are missing. Raises StoreError."""
        async with self._lock:
            await self._connect()

    async def close(self) -> None:
        """Close the connection. Closing it again has no effect."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def read_position(self, table: str) -> ChainHead | None:
        """Return the head after the last stored record of a table, or None for a new table. Raises StoreError."""
        async with self._lock:
            try:
                connection = await self._connect()
                cursor = await connection.execute(
                    "SELECT journal, segment, last_number, last_hash FROM span WHERE table_name = %s"
                    " ORDER BY id DESC LIMIT 1",
                    (table,),
                )
                row = await cursor.fetchone()
            except psycopg.Error as error:
                raise await self._fail(error) from None
        return None if row is None else ChainHead(*row)

    async def add(self, table: str, spans: Sequence[StoredSpan]) -> None:
        """Add spans of a table, and return after they are on disk. Raises StoreError.

        After an error, nobody knows whether the spans are stored. `read_position` then says what is stored.
        """
        written = asyncio.get_running_loop().create_future()
        self._waiting.append((table, spans, written))
        if not self._is_commit_due:
            self._is_commit_due = True
            # The loop keeps only a weak reference to a task.
            self._commits.add(task := asyncio.create_task(self._commit_soon()))
            task.add_done_callback(self._commits.discard)
        await written

    async def add_alert(self, alert: Alert) -> None:
        """Add an alert, and return after it is on disk. Raises StoreError."""
        segment, number = (max(0, min(value, _MAX_NUMBER)) for value in (alert.segment, alert.number))
        async with self._lock:
            try:
                connection = await self._connect()
                await connection.execute(
                    "INSERT INTO alert (raised_at, table_name, problem, journal, segment, number, message)"
                    " VALUES (%s, %s, %s, %s, %s, %s, %s)",
                    alert._replace(segment=segment, number=number),
                )
            except psycopg.Error as error:
                raise await self._fail(error) from None

    async def _commit_soon(self) -> None:
        await asyncio.sleep(COMMIT_INTERVAL_S)
        batch, self._waiting, self._is_commit_due = self._waiting, [], False
        error: StoreError | None = None
        async with self._lock:
            try:
                await self._insert([(table, span) for table, spans, _ in batch for span in spans])
            except psycopg.Error as database_error:
                error = await self._fail(database_error)
            except StoreError as store_error:
                error = store_error
        for _, _, written in batch:
            if written.done():
                continue
            if error is None:
                written.set_result(None)
            else:
                written.set_exception(StoreError(str(error)))

    async def _insert(self, rows: Sequence[tuple[str, StoredSpan]]) -> None:
        """Write the rows in one transaction. Raises psycopg.Error or StoreError."""
        connection, now = await self._connect(), datetime.now(UTC)
        await self._ensure_partitions(connection, now)
        # COPY needs about half the processor time of one INSERT for each row.
        async with connection.cursor() as cursor, cursor.copy(_ADD_SPANS) as rows_of_copy:
            for table, (span, data) in rows:
                head, first = span.head, span.previous.number + 1
                row = (now, table, head.journal, head.segment, first, head.number, head.hash, data)
                await rows_of_copy.write_row(row)

    async def _ensure_partitions(self, connection: psycopg.AsyncConnection[TupleRow], now: datetime) -> None:
        """Create the partitions of this month and of the next one if they are missing.

        The next one is ready before its month begins, so that no span has to wait for it.
        """
        month = (now.year, now.month)
        if month in self._months:
            return
        for first in (month, _month_after(month)):
            await _create_partition(connection, first)
        self._months.add(month)

    async def _connect(self) -> psycopg.AsyncConnection[TupleRow]:
        """Return the connection, which is opened again if it was lost. Raises StoreError."""
        if self._connection is not None and not self._connection.closed:
            return self._connection
        try:
            connection = await psycopg.AsyncConnection.connect(
                self._database,
                autocommit=True,
                connect_timeout=CONNECT_TIMEOUT_S,
                tcp_user_timeout=NETWORK_TIMEOUT_MS,
            )
        except psycopg.Error as error:
            raise store_error(error) from None
        try:
            await self._prepare(connection)
        except BaseException as error:
            await connection.close()
            if isinstance(error, psycopg.Error):
                raise store_error(error) from None
            raise
        self._connection = connection
        return connection

    async def _prepare(self, connection: psycopg.AsyncConnection[TupleRow]) -> None:
        """Take the lock of the writer, check the settings and create the tables. Raises psycopg.Error, StoreError."""
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s)", (_WRITER_LOCK,))
        if await cursor.fetchone() != (True,):
            raise StoreError("database: another room writes to it, expected one room for each database")
        for name, expected in _REQUIRED_SETTINGS.items():
            cursor = await connection.execute("SELECT current_setting(%s)", (name,))
            if await cursor.fetchone() != (expected,):
                raise StoreError(f"database: {name} is off, expected {expected}. See the README of the room")
        await connection.execute("SET synchronous_commit = on")
        await connection.execute("SET client_min_messages = warning")
        self._months.clear()
        await connection.execute(_SCHEMA)

    async def _fail(self, error: psycopg.Error) -> StoreError:
        """Give the connection up after an error, and return the error for the caller."""
        with suppress(psycopg.Error):
            await self.close()
        return store_error(error)


async def _create_partition(connection: psycopg.AsyncConnection[TupleRow], month: tuple[int, int]) -> None:
    """Create the partition of a month unless it exists. Raises psycopg.Error.

    The partition is created as a table and attached then, because its creation in one statement would wait for each
    reader of the spans, such as an export.
    """
    name = "span_{}_{:02}".format(*month)
    cursor = await connection.execute("SELECT to_regclass(%s) IS NULL", (name,))
    if await cursor.fetchone() != (True,):
        return
    partition, begin, end = sql.Identifier(name), _first_day(*month), _first_day(*_month_after(month))
    async with connection.transaction():
        await connection.execute(sql.SQL("CREATE TABLE {} (LIKE span)").format(partition))
        await connection.execute(
            sql.SQL("ALTER TABLE span ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})").format(partition, begin, end)
        )
        await connection.execute(
            sql.SQL("CREATE TRIGGER keep_all_spans BEFORE TRUNCATE ON {} EXECUTE FUNCTION refuse_change()").format(
                partition
            )
        )


def _month_after(month: tuple[int, int]) -> tuple[int, int]:
    year, number = month
    return year + number // 12, number % 12 + 1


class StoredRow(NamedTuple):
    """A row of the table `span`."""

    head: ChainHead
    """Head after the span, as the columns of the row name it."""
    first_number: int
    body: bytes
    """The encoded span."""


def read_rows(database: str, table: str) -> Generator[StoredRow, None, None]:
    """Yield the rows of a table in the order in which they were stored. Raises StoreError."""
    try:
        with (
            psycopg.connect(database, connect_timeout=CONNECT_TIMEOUT_S) as connection,
            connection.cursor("spans") as cursor,
        ):
            # The index is the way to the newest span. It is read here too, so that a damaged page of it is named.
            connection.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(
                "SELECT journal, segment, last_number, last_hash, first_number, body FROM span"
                " WHERE table_name = %s ORDER BY id",
                (table,),
            )
            for journal, segment, last_number, last_hash, first_number, body in cursor:
                yield StoredRow(ChainHead(journal, segment, last_number, last_hash), first_number, bytes(body))
    except psycopg.Error as error:
        raise store_error(error) from None


def read_spans(database: str, table: str) -> Generator[bytes, None, None]:
    """Yield the encoded spans of a table in the order in which they were stored. Raises StoreError."""
    with closing(read_rows(database, table)) as rows:
        for row in rows:
            yield row.body


def count_spans(database: str) -> dict[str, int]:
    """Return the number of spans by table, counted without an index. Raises StoreError."""
    try:
        with psycopg.connect(database, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            for way in ("indexscan", "indexonlyscan", "bitmapscan"):
                connection.execute(sql.SQL("SET LOCAL {} = off").format(sql.Identifier(f"enable_{way}")))
            return dict(connection.execute("SELECT table_name, count(*) FROM span GROUP BY table_name").fetchall())
    except psycopg.Error as error:
        raise store_error(error) from None


def read_spans_of_day(database: str, begin: datetime, end: datetime, table: str = "") -> Iterator[SpanOfDay]:
    """Yield the spans that the room received from `begin` to before `end`, table by table. Raises StoreError.

    `table` is the name of a table, or "" for all tables.
    """
    query = (
        "SELECT table_name, received_at, body FROM span WHERE received_at >= %s AND received_at < %s"
        " AND (%s = '' OR table_name = %s) ORDER BY table_name, id"
    )
    try:
        with (
            psycopg.connect(database, connect_timeout=CONNECT_TIMEOUT_S) as connection,
            connection.cursor("spans") as cursor,
        ):
            cursor.execute(query, (begin, end, table, table))
            for name, received_at, body in cursor:
                yield SpanOfDay(name, received_at, bytes(body))
    except psycopg.Error as error:
        raise store_error(error) from None


def read_alerts(
    database: str, begin: datetime | None = None, end: datetime | None = None, table: str = ""
) -> list[Alert]:
    """Return all alerts, or those from `begin` to before `end`, oldest first. Raises StoreError.

    `table` is the name of a table, or "" for all tables.
    """
    query = (
        "SELECT raised_at, table_name, problem, journal, segment, number, message FROM alert"
        " WHERE raised_at >= coalesce(%s, timestamptz '-infinity') AND raised_at < coalesce(%s, timestamptz 'infinity')"
        " AND (%s = '' OR table_name = %s) ORDER BY id"
    )
    try:
        with psycopg.connect(database, connect_timeout=CONNECT_TIMEOUT_S) as connection:
            return [Alert(*row) for row in connection.execute(query, (begin, end, table, table))]
    except psycopg.Error as error:
        raise store_error(error) from None


def _first_day(year: int, month: int) -> sql.Literal:
    return sql.Literal(f"{year}-{month:02}-01 00:00:00+00")


def store_error(error: psycopg.Error) -> StoreError:
    """Return an error of the database as one line."""
    text = " ".join(str(error).split())
    return StoreError(f"database: {text or type(error).__name__}")
