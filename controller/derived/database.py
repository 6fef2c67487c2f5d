"""The derived rows in PostgreSQL: statements for the changes of a table, and the place up to which they are derived.

The rows are in the schema `derived`. To derive them again, they are built in the schema `derived_next`, which takes the
place of `derived` in the same transaction. Readers see the earlier rows until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from controller.derived.changes import Changes, DeriveProblem
from controller.derived.rows import CallRow, FillRow, HandRow, HoleRow, PotRow, PushRow, SeatRow

DERIVED_FORM: Final = 1
"""Version of the derived tables. If the database has another one, everything is derived again."""
PROBLEM: Final = "not-derived"
"""Code of the alert about records from which nothing can be derived."""
READER_ROLE: Final = "potkeeper_reader"
"""Role that may read the views of the schema `report` and nothing else."""

Connection = psycopg.Connection[TupleRow]


class SpanRow(NamedTuple):
    """A stored span with the name of its table."""

    id: int
    table: str
    body: bytes


class TableProgress(NamedTuple):
    """What a restarted program must know about a table."""

    restart_span: int
    opening: int


def read_progress(connection: Connection) -> int | None:
    """Return the identifier of the last derived span, or None if everything must be derived again."""
    exists = connection.execute("SELECT to_regclass('derived.progress') IS NOT NULL").fetchone()
    if exists != (True,):
        return None
    row = connection.execute("SELECT form, span_id FROM derived.progress").fetchone()
    return int(row[1]) if row is not None and row[0] == DERIVED_FORM else None


def create_next(connection: Connection) -> None:
    """Create empty tables in the schema `derived_next`, and use them in the rest of this transaction."""
    connection.execute("DROP SCHEMA IF EXISTS derived_next CASCADE")
    connection.execute("CREATE SCHEMA derived_next")
    connection.execute("SET LOCAL search_path TO derived_next, public")
    connection.execute(_read_sql("tables.sql"))
    connection.execute("INSERT INTO progress VALUES (%s, 0)", (DERIVED_FORM,))


def switch_to_next(connection: Connection) -> None:
    """Let the schema `derived_next` take the place of `derived`, and create the views of people."""
    connection.execute("DROP SCHEMA IF EXISTS report CASCADE")
    connection.execute("DROP SCHEMA IF EXISTS derived CASCADE")
    connection.execute("ALTER SCHEMA derived_next RENAME TO derived")
    connection.execute("CREATE SCHEMA report")
    connection.execute(_read_sql("views.sql"))


def grant_views(connection: Connection) -> bool:
    """Let the role of the readers read the views, and return True. Return False if there is no such role.

    The role is created if the user of the database may create roles.
    """
    role = sql.Identifier(READER_ROLE)
    if not _has_role(connection):
        try:
            with connection.transaction():
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(role))
        except psycopg.errors.InsufficientPrivilege:
            return False
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA report TO {}").format(role))
    connection.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA report TO {}").format(role))
    return True


def _has_role(connection: Connection) -> bool:
    row = connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = %s", (READER_ROLE,)).fetchone()
    return row == (1,)


def read_spans_after(connection: Connection, span_id: int, count: int) -> list[SpanRow]:
    """Return the next spans, in the order in which they were stored."""
    query = "SELECT id, table_name, body FROM span WHERE id > %s ORDER BY id LIMIT %s"
    return [SpanRow(*row) for row in connection.execute(query, (span_id, count))]


def read_table_progress(connection: Connection, table: str) -> TableProgress | None:
    """Return the progress of a table, or None for a new table."""
    query = "SELECT restart_span, opening FROM table_progress WHERE table_name = %s"
    row = connection.execute(query, (table,)).fetchone()
    return None if row is None else TableProgress(*row)


def read_spans_between(connection: Connection, table: str, first: int, last: int) -> Iterator[SpanRow]:
    """Yield the spans of a table from identifier `first` to `last`."""
    query = "SELECT id, table_name, body FROM span WHERE table_name = %s AND id BETWEEN %s AND %s ORDER BY id"
    for row in connection.execute(query, (table, first, last)):
        yield SpanRow(*row)


def read_open_call(connection: Connection, table: str) -> CallRow | None:
    """Return the last call of a table for the floor if it is open, otherwise None."""
    query = sql.SQL("SELECT {} FROM call WHERE table_name = %s AND ended_at IS NULL ORDER BY called_at DESC LIMIT 1")
    row = connection.execute(query.format(_columns(CallRow)), (table,)).fetchone()
    return None if row is None else CallRow(*row)


def write_progress(connection: Connection, span_id: int, tables: dict[str, TableProgress]) -> None:
    """Note up to which span the rows are derived. This must be in the same transaction as the rows."""
    connection.execute("UPDATE progress SET span_id = %s", (span_id,))
    _execute_many(
        connection,
        sql.SQL(
            "INSERT INTO table_progress VALUES (%s, %s, %s) ON CONFLICT (table_name)"
            " DO UPDATE SET restart_span = EXCLUDED.restart_span, opening = EXCLUDED.opening"
        ),
        [(table, *progress) for table, progress in tables.items()],
    )


def write_changes(connection: Connection, changes_by_table: dict[str, Changes]) -> None:
    """Delete and write the derived rows of some tables."""
    by_table = list(changes_by_table.items())
    for table, changes in by_table:
        if changes.no_hands_after is not None:
            query = "DELETE FROM hand WHERE table_name = %s AND (opening, number) > (%s, %s)"
            connection.execute(query, (table, *changes.no_hands_after))
        if changes.no_pushes_after is not None:
            query = "DELETE FROM push WHERE table_name = %s AND (opening, push) > (%s, %s)"
            connection.execute(query, (table, *changes.no_pushes_after))
    hands = [(table, hand) for table, changes in by_table for hand in changes.hands.values()]
    # The players and pots of a hand are deleted with it, because a hand that was undone may be played by others.
    _execute_many(
        connection,
        sql.SQL("DELETE FROM hand WHERE table_name = %s AND opening = %s AND number = %s"),
        [(table, hand.hand.opening, hand.hand.number) for table, hand in hands],
    )
    _upsert(connection, "hand", HandRow, [(table, *hand.hand) for table, hand in hands])
    _upsert(connection, "seat", SeatRow, [(table, *seat) for table, hand in hands for seat in hand.seats])
    _upsert(connection, "pot", PotRow, [(table, *pot) for table, hand in hands for pot in hand.pots])
    for name, kind, rows_of in _ROWS_OF_CHANGES:
        _upsert(connection, name, kind, [(table, *row) for table, changes in by_table for row in rows_of(changes)])
    fills = [(table, key, row) for table, changes in by_table for key, row in changes.fills.items()]
    _execute_many(
        connection,
        sql.SQL("DELETE FROM fill WHERE table_name = %s AND journal = %s AND segment = %s AND record = %s"),
        [(table, *key) for table, key, row in fills if row is None],
    )
    _upsert(connection, "fill", FillRow, [(table, *row) for table, _, row in fills if row is not None])
    for table, changes in by_table:
        for problem in changes.problems:
            _write_alert(connection, table, problem)


def _write_alert(connection: Connection, table: str, problem: DeriveProblem) -> None:
    """Add an alert, unless an earlier derivation has added it."""
    place = (table, PROBLEM, problem.journal, problem.segment, problem.number)
    connection.execute(
        "INSERT INTO alert (raised_at, table_name, problem, journal, segment, number, message)"
        " SELECT %s, %s, %s, %s, %s, %s, %s WHERE NOT EXISTS (SELECT FROM alert WHERE table_name = %s"
        " AND problem = %s AND journal = %s AND segment = %s AND number = %s)",
        (datetime.now(UTC), *place, problem.message, *place),
    )


_KEYS: Final = {
    "hand": ("opening", "number"),
    "seat": ("opening", "number", "seat"),
    "pot": ("opening", "number", "award"),
    "push": ("opening", "push"),
    "call": ("journal", "segment", "record"),
    "fill": ("journal", "segment", "record"),
    "hole": ("journal", "segment", "first_record"),
}
"""Columns of the primary keys after the name of the table."""


_ROWS_OF_CHANGES: Final[tuple[tuple[str, type[NamedTuple], Callable[[Changes], Iterable[NamedTuple]]], ...]] = (
    ("push", PushRow, lambda changes: changes.pushes.values()),
    ("call", CallRow, lambda changes: changes.calls.values()),
    ("hole", HoleRow, lambda changes: changes.holes.values()),
)
"""Tables without rows of other tables, with the class of their rows and the function that returns the new rows."""


def _upsert(connection: Connection, name: str, kind: type[NamedTuple], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, and replace rows with the same key."""
    fields = kind._fields
    keys = ("table_name", *_KEYS[name])
    updates = sql.SQL(", ").join(
        sql.SQL("{0} = EXCLUDED.{0}").format(sql.Identifier(field)) for field in fields if field not in keys
    )
    statement = sql.SQL("INSERT INTO {} (table_name, {}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}").format(
        sql.Identifier(name),
        _columns(kind),
        sql.SQL(", ").join(sql.Placeholder() for _ in range(len(fields) + 1)),
        sql.SQL(", ").join(map(sql.Identifier, keys)),
        updates,
    )
    _execute_many(connection, statement, rows)


def _columns(kind: type[NamedTuple]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, kind._fields))


def _execute_many(connection: Connection, statement: sql.SQL | sql.Composed, rows: Iterable[Sequence[Any]]) -> None:
    rows = list(rows)
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)


def _read_sql(name: str) -> bytes:
    """Return the text of a file with SQL statements of this package."""
    return resources.files("controller.derived").joinpath("sql", name).read_bytes()
