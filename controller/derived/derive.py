"""The program that follows the spans of a room and derives the rows."""

from __future__ import annotations

import logging
import threading
from typing import Final

import psycopg

from controller.derived import database
from controller.derived.changes import Changes
from controller.derived.database import Connection, SpanRow, TableProgress
from controller.derived.table_deriver import TableDeriver
from controller.journal import Stretch
from controller.room import SpanError, StoreError, decode_span, store_error
from controller.systemd import notify_systemd
from hardware.text_input_validation import escape_invisible

logger = logging.getLogger(__name__)

MAX_SPANS: Final = 500
"""Maximum number of spans in one transaction. They have at most 32 MB, and usually 100 kB."""
LOOK_INTERVAL_S: Final = 1.0
"""Time in seconds between two looks at the spans if there are no new ones."""
RETRY_INTERVAL_S: Final = 5.0
"""Time in seconds after an error of the database until the program connects again."""
CONNECT_TIMEOUT_S: Final = 5
"""Maximum time in seconds to connect to PostgreSQL."""
_DERIVER_LOCK: Final = 0x504F5444
"""Number of the advisory lock that the one deriving process holds: "POTD" in ASCII."""


class Deriver:
    """Derives the rows for a database. It only reads the table `span`."""

    def __init__(self, database_text: str) -> None:
        """Use the database with this connection string of libpq."""
        self._database = database_text
        self._connection: Connection | None = None
        self._tables: dict[str, TableDeriver] = {}
        self._span_id = 0

    def open(self, *, again: bool = False) -> None:
        """Connect. Derive everything again if `again` is True, or if another version derived the rows.

        Raises StoreError.
        """
        try:
            self._connection = connection = psycopg.connect(
                self._database, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S
            )
            self._prepare(connection)
            progress = None if again else database.read_progress(connection)
            if progress is None:
                self._derive_all(connection)
            else:
                self._span_id = progress
            connection.execute("SET search_path TO derived, public")
        except psycopg.Error as error:
            raise self._fail(error) from None

    def close(self) -> None:
        """Close the connection. Closing it again has no effect."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def derive_next(self) -> int:
        """Derive the rows of the next spans in one transaction. Return the number of spans. Raises StoreError."""
        assert self._connection is not None
        try:
            with self._connection.transaction():
                return self._derive(self._connection)
        except psycopg.Error as error:
            raise self._fail(error) from None

    def _prepare(self, connection: Connection) -> None:
        """Take the lock of the deriver and check that there are spans. Raises StoreError or psycopg.Error."""
        connection.execute("SET client_min_messages = warning")
        if connection.execute("SELECT pg_try_advisory_lock(%s)", (_DERIVER_LOCK,)).fetchone() != (True,):
            self.close()
            raise StoreError("database: another potkeeper room derive uses it, expected one for each database")
        if connection.execute("SELECT to_regclass('public.span') IS NOT NULL").fetchone() != (True,):
            self.close()
            raise StoreError("database: no table span, expected a database that potkeeper room serve has used")

    def _derive_all(self, connection: Connection) -> None:
        """Derive everything in one transaction, which a kill leaves without effect."""
        self._tables, self._span_id = {}, 0
        with connection.transaction():
            database.create_next(connection)
            while self._derive(connection):
                logger.info("derived up to span %d", self._span_id)
            database.switch_to_next(connection)
            if not database.grant_views(connection):
                logger.warning("no role %s, see the README of the room", database.READER_ROLE)

    def _derive(self, connection: Connection) -> int:
        rows = database.read_spans_after(connection, self._span_id, MAX_SPANS)
        if not rows:
            return 0
        changed: dict[str, TableDeriver] = {}
        for row in rows:
            deriver = changed[row.table] = self._deriver_of(connection, row.table)
            _add(deriver, row)
        changes = {name: deriver.take_changes() for name, deriver in changed.items()}
        _log_problems(changes)
        database.write_changes(connection, changes)
        progress = {name: TableProgress(table.restart_span, table.opening) for name, table in changed.items()}
        database.write_progress(connection, rows[-1].id, progress)
        self._span_id = rows[-1].id
        return len(rows)

    def _deriver_of(self, connection: Connection, table: str) -> TableDeriver:
        """Return the deriver of a table. After a restart, it reads the last records of the table again."""
        deriver = self._tables.get(table)
        if deriver is None:
            deriver = self._tables[table] = TableDeriver()
            progress = database.read_table_progress(connection, table)
            if progress is not None:
                for row in database.read_spans_between(connection, table, progress.restart_span, self._span_id):
                    _add(deriver, row)
                deriver.take_changes()
                deriver.continue_with(progress.opening, database.read_open_call(connection, table))
        return deriver

    def _fail(self, error: psycopg.Error) -> StoreError:
        """Give up the connection and what was derived in memory, and return the error for the caller."""
        self.close()
        self._tables.clear()
        return store_error(error)


def _add(deriver: TableDeriver, row: SpanRow) -> None:
    try:
        span: Stretch = decode_span(bytes(row.body))
    except SpanError as error:
        deriver.add_damaged(row.id, str(error))
    else:
        deriver.add(row.id, span)


def _log_problems(changes_by_table: dict[str, Changes]) -> None:
    for table, changes in changes_by_table.items():
        for problem in changes.problems:
            logger.warning("%s: not derived: %s", table, escape_invisible(problem.message))


def derive(database_text: str, *, once: bool, again: bool, stopped: threading.Event) -> None:
    """Derive the rows of a database until `stopped` is set, or until the last span if `once` is True.

    Raises StoreError if the database cannot be used. If `once` is False, this can only happen at the start.
    """
    deriver = Deriver(database_text)
    try:
        deriver.open(again=again)
        is_open = True
        logger.info("derive: ready")
        notify_systemd("READY=1")
        while not stopped.is_set():
            try:
                if not is_open:
                    deriver.open()
                    is_open = True
                if deriver.derive_next():
                    continue
                if once:
                    return
                stopped.wait(LOOK_INTERVAL_S)
            except StoreError as error:
                if once:
                    raise
                is_open = False
                logger.error("%s. Trying again", error)
                stopped.wait(RETRY_INTERVAL_S)
    finally:
        deriver.close()
