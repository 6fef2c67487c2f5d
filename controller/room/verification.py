"""The check of a whole store: every span of every table, with its row in the database and the heads of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from controller.integrity import ChainHead, SentHead, is_signed_by
from controller.journal import Stretch
from controller.room.span_chain import SpanChain
from controller.room.spans import SpanError, span_error
from controller.room.store import Alert, StoredRow, StoreError, count_spans, read_alerts, read_rows
from controller.room.tables_file import RoomTable, TablesFile
from hardware.text_input_validation import escape_invisible


class TableCheck(NamedTuple):
    """The result of the check of a table."""

    table: str
    records: int
    """Number of records that are proven."""
    head: ChainHead | None
    """Head after the last proven record, or None if there is no record."""
    problems: Sequence[str]
    """Problems with their places, or an empty list."""
    known: Sequence[str]
    """Problems that already are alerts, such as records that a table had deleted before it could send them."""


def verify_store(
    database: str, tables: TablesFile, names: Sequence[str] = (), heads: Sequence[SentHead] = ()
) -> Iterator[TableCheck]:
    """Check the spans of the tables with these names, or of all tables, and yield the results.

    `heads` have left the tables on another way. Only they show that the last records of a table are missing. Raises
    StoreError if the database cannot be asked at all, and BadInputError if there is no table with a name.
    """
    chosen = [tables.find_by_name(name) for name in names] or tables.tables
    counts, alerts = count_spans(database), read_alerts(database)
    for table in chosen:
        signed = {sent.head for sent in heads if _is_from(table, sent)}
        check = _Check(table, signed, [alert for alert in alerts if alert.table == table.name])
        yield check.run(database, counts.get(table.name, 0))
    for name in sorted(counts.keys() - {table.name for table in tables.tables}):
        yield TableCheck(name, 0, None, [f"{counts[name]} spans of a table that is not in the file of the tables"], [])


def _is_from(table: RoomTable, sent: SentHead) -> bool:
    return any(is_signed_by(key, sent.head, bytes.fromhex(sent.signature)) for key in table.keys)


class _Check:
    """Checks one table."""

    def __init__(self, table: RoomTable, heads: set[ChainHead], alerts: Sequence[Alert]) -> None:
        self._table = table
        self._heads = heads
        self._alerts = {(alert.problem, alert.message) for alert in alerts}
        self._records = 0
        self._head: ChainHead | None = None
        self._problems: list[str] = []
        self._known: list[str] = []

    def run(self, database: str, expected_spans: int) -> TableCheck:
        """Check all spans up to the first one that is wrong, and then the heads."""
        spans = 0
        try:
            with closing(read_rows(database, self._table.name)) as rows:
                chain = SpanChain(None, self._table.keys)
                for row in rows:
                    spans += 1
                    self._add(chain, row)
            if chain.held:
                raise span_error("unsigned", chain.held[0].span, "the last spans have no signature")
            if spans != expected_spans:
                self._problems.append(f"the index has {spans} spans, expected the {expected_spans} of the table")
        except SpanError as error:
            self._problems.append(f"{error.problem}: {error}")
        except StoreError as error:
            self._problems.append(str(error))
        else:
            self._problems += [_missing(head) for head in sorted(self._heads)]
        return TableCheck(self._table.name, self._records, self._head, self._problems, self._known)

    def _add(self, chain: SpanChain, row: StoredRow) -> None:
        """Check the next row. Raises SpanError."""
        accepted = chain.add(row.body)
        for problem in accepted.problems:
            is_known = (problem.problem, escape_invisible(str(problem))) in self._alerts
            (self._known if is_known else self._problems).append(f"{problem.problem}: {problem}")
        span = accepted.proven[-1].span if accepted.proven else chain.held[-1].span
        if (row.head, row.first_number) != (span.head, span.previous.number + 1):
            raise span_error("changed", span, "the columns of the row differ from its span")
        for stored in accepted.proven:
            self._records += len(stored.span.bodies)
            self._head = stored.span.head
            self._heads -= {stored.span.head, *_heads_in(stored.span, self._heads)}


def _heads_in(span: Stretch, heads: set[ChainHead]) -> Iterator[ChainHead]:
    """Yield those heads that are in a span."""
    numbers = {head.number for head in heads if (head.journal, head.segment) == (span.head.journal, span.head.segment)}
    if not numbers:
        return
    yield span.previous
    for number in numbers & set(range(span.previous.number + 1, span.head.number)):
        yield span.part(0, number - span.previous.number, has_opening=False).head


def _missing(head: ChainHead) -> str:
    place = f"journal {head.journal:.8}…, segment {head.segment}, record {head.number}"
    return f"missing-records: {place}: the table has signed this record, and the room does not have it"
