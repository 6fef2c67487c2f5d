"""The derived rows in PostgreSQL: kills lose and double nothing, and readers may read the views only."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import psycopg
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.derived import READER_ROLE, Deriver
from controller.derived import database as derived_database
from controller.integrity import create_key_file
from controller.journal import Stretch
from controller.room import SpanStore, StoredSpan, StoreError, encode_span, read_alerts, split_stretch, verify_export
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.room.recorded_table import RecordedTable
from tests.service.service_process import DEADLINE_S, wait_until

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

TABLES = ("hand", "seat", "pot", "call", "push", "fill", "hole", "table_progress")


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


def store(server: PostgresServer, table: str, stretches: Sequence[Stretch]) -> None:
    """Store spans as the room does."""

    async def add() -> None:
        span_store = SpanStore(server.database)
        await span_store.open()
        for stretch in stretches:
            spans = [StoredSpan(span, encode_span(span)) for span in split_stretch(stretch)]
            await span_store.add(table, spans)
        await span_store.close()

    asyncio.run(add())


def run(server: PostgresServer, *options: str) -> Result:
    result = CliRunner().invoke(main, ["room", "derive", "--database", server.database, *options])
    assert result.exit_code == 0, result.output
    return result


def rows_of(server: PostgresServer) -> dict[str, list[tuple[object, ...]]]:
    """Return all derived rows."""
    return {name: sorted(server.execute(f"SELECT * FROM derived.{name}"), key=repr) for name in TABLES}


def play(folder: Path, seed: int) -> list[Stretch]:
    """Return what a table with random steps has recorded."""
    folder.mkdir()
    dice = Random(seed)
    with closing(RecordedTable(folder)) as table:
        stretches: list[Stretch] = []
        for _ in range(4):
            table.play_hand()
            table.play_at_random(dice, 25, closes=False)
            table.try_step("void")
            table.rotate()
            stretches += table.new_stretches()
    return stretches


def test_rows_of_two_tables_are_derived_and_derived_again(server: PostgresServer, tmp_path: Path) -> None:
    for number in range(2):
        store(server, f"Table {number}", play(tmp_path / str(number), number))
    run(server, "--once")
    rows = rows_of(server)
    assert all(rows[name] for name in ("hand", "seat", "pot", "call", "push"))
    assert {row[0] for row in rows["hand"]} == {"Table 0", "Table 1"}
    run(server, "--once")
    assert rows_of(server) == rows
    run(server, "--once", "--again")
    assert rows_of(server) == rows
    assert server.execute("SELECT spans_behind FROM report.progress") == [(0,)]
    assert server.execute("SELECT nspname FROM pg_namespace WHERE nspname = 'derived_next'") == []


def test_rows_of_another_version_are_derived_again(server: PostgresServer, tmp_path: Path) -> None:
    store(server, "Table 1", play(tmp_path / "1", 1))
    run(server, "--once")
    rows = rows_of(server)
    server.execute("UPDATE derived.progress SET form = 0")
    server.execute("DELETE FROM derived.hand")
    run(server, "--once")
    assert rows_of(server) == rows


def _named(name: str, stretches: Sequence[Stretch]) -> list[tuple[str, Stretch]]:
    return [(name, stretch) for stretch in stretches]


def test_kills_lose_and_double_no_row(server: PostgresServer, tmp_path: Path) -> None:
    dice = Random(3)
    tables = {f"Table {number}": play(tmp_path / str(number), number) for number in range(2)}
    command = [sys.executable, "-m", "controller.cli", "room", "derive", "--database", server.database]
    store(server, "Table 0", [])
    parts = [part for both in zip(*(_named(*table) for table in tables.items()), strict=False) for part in both]
    kills = 0
    progress = "SELECT coalesce((SELECT span_id FROM derived.progress), 0)"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        for name, stretch in parts:
            store(server, name, [stretch])
            if dice.random() < 0.5:
                time.sleep(dice.random() * 0.3)
            process.kill()
            process.wait(DEADLINE_S)
            kills += 1
            process = subprocess.Popen(command, stdout=log, stderr=log)
            if dice.random() < 0.3:
                server.kill()
                server.start()

        def has_all() -> bool:
            nonlocal process
            if process.poll() is not None:
                # The database may still hold the lock of a killed program. Start the program again, as systemd does.
                process = subprocess.Popen(command, stdout=log, stderr=log)
            with suppress(psycopg.Error):
                return server.execute(progress) == server.execute("SELECT max(id) FROM span")
            return False

        wait_until(has_all, "everything is derived")
        process.terminate()
        process.wait(DEADLINE_S)
    rows = rows_of(server)
    run(server, "--once", "--again")
    assert rows_of(server) == rows
    assert kills > 3


def test_planted_progress_in_another_transaction_is_found(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rows in the transaction of the progress, an error between both loses rows."""
    stretches = play(tmp_path / "1", 1)
    store(server, "Table 1", stretches[:1])
    run(server, "--once")
    store(server, "Table 1", stretches[1:])
    monkeypatch.setattr(derived_database, "write_changes", lambda *_: None)
    run(server, "--once")
    monkeypatch.undo()
    rows = rows_of(server)
    run(server, "--once", "--again")
    assert rows_of(server) != rows


def test_second_program_and_missing_spans_end_with_one_line(server: PostgresServer, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["room", "derive", "--database", server.database, "--once"])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "no table span, expected a database that potkeeper room serve has used" in result.stderr
    store(server, "Table 1", play(tmp_path / "1", 1))
    running = Deriver(server.database)
    running.open()
    try:
        with pytest.raises(StoreError, match="another potkeeper room derive uses it"):
            Deriver(server.database).open()
    finally:
        running.close()


# --- records that are missing or cannot be read ---


def test_missing_segment_is_a_hole_and_not_a_wrong_hand(server: PostgresServer, tmp_path: Path) -> None:
    with closing(RecordedTable(tmp_path)) as table:
        parts: list[list[Stretch]] = []
        for _ in range(3):
            table.play_hand()
            table.play_hand()
            parts.append(table.new_stretches())
            table.rotate()
        table.play_hand()
        parts.append(table.new_stretches())
    store(server, "Table 1", [*parts[0], *parts[2], *parts[3]])
    run(server, "--once")
    assert server.execute("SELECT number FROM derived.hand ORDER BY number") == [(1,), (2,), (5,), (6,), (7,)]
    first, last = parts[1][0].previous.number + 1, parts[1][-1].head.number
    query = "SELECT first_record, last_record, reason, hands FROM report.hole"
    assert server.execute(query) == [(first, last, "missing-records", 2)]


def test_unreadable_records_are_an_alert_and_other_tables_go_on(server: PostgresServer, tmp_path: Path) -> None:
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
        with closing(RecordedTable(tmp_path / name)) as table:
            for hand in range(3):
                table.play_hand()
                if name == "bad" and hand == 1:
                    _record_unknown_step(table)
            stretches = table.new_stretches()
        store(server, name, stretches)
    run(server, "--once")
    assert server.execute("SELECT table_name, number FROM derived.hand ORDER BY 1, 2") == [
        *(("bad", number) for number in (1, 2)),
        *(("good", number) for number in (1, 2, 3)),
    ]
    (alert,) = read_alerts(server.database)
    assert (alert.table, alert.problem) == ("bad", "not-derived")
    assert alert.number == 15
    assert "teleport" in alert.message
    run(server, "--once", "--again")
    assert len(read_alerts(server.database)) == 1
    assert server.execute("SELECT hands, reason FROM report.hole") == [(1, "not-derived")]


def _record_unknown_step(table: RecordedTable) -> None:
    """Record a step of a later program, which this program does not know."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controller.journal.records.format_step", lambda _: "2 teleport")
        table.do("2 add 10")


# --- export ---


def test_export_of_a_day_has_the_records_of_its_tables(server: PostgresServer, tmp_path: Path) -> None:
    stretches = {name: play(tmp_path / name, seed) for seed, name in enumerate(("one", "two"))}
    for name, recorded in stretches.items():
        store(server, name, recorded)
    key, file = tmp_path / "room.key", tmp_path / "day.jsonl"
    public_key = create_key_file(key)
    ((day,),) = server.execute("SELECT (min(received_at) AT TIME ZONE 'UTC')::date FROM span")
    for options, names in (((), ("one", "two")), (("--table", "two"), ("two",))):
        command = ["room", "export", str(day), "--key", str(key), "--database", server.database, *options]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        file.write_bytes(result.stdout_bytes)
        lines = result.stdout_bytes.splitlines()
        assert verify_export(lines, public_key) == []
        bodies = [body for name in names for stretch in stretches[name] for body in stretch.bodies]
        rows = [json.loads(line) for line in lines]
        assert [row["body"].encode() for row in rows if row["kind"] == "record"] == bodies
        command = ["room", "verify-export", str(file), "--key", f"{key}.pub"]
        assert CliRunner().invoke(main, command).exit_code == 0


# --- readers ---


def test_reader_reads_the_views_and_nothing_else(server: PostgresServer, tmp_path: Path) -> None:
    store(server, "Table 1", play(tmp_path / "1", 1))
    run(server, "--once")
    server.execute(f"CREATE ROLE auditor LOGIN IN ROLE {READER_ROLE}")
    with psycopg.connect(server.database.replace("user=room", "user=auditor"), autocommit=True) as reader:
        assert reader.execute("SELECT count(*) FROM report.hand").fetchone() != (0,)
        views = server.execute("SELECT viewname FROM pg_views WHERE schemaname = 'report'")
        for (view,) in views:
            reader.execute(f"SELECT * FROM report.{view}".encode())
        for statement in (
            *("SELECT * FROM span", "SELECT * FROM alert", "SELECT * FROM derived.hand"),
            *("DELETE FROM report.hand", "UPDATE report.fill SET amount = 0", "CREATE TABLE public.t (n int)"),
            *(
                "CREATE TABLE report.t (n int)",
                "TRUNCATE span",
                "INSERT INTO span (table_name) VALUES (1)",
                "DROP VIEW report.hand",
            ),
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(statement.encode())


def test_planted_right_to_read_the_spans_is_noticed(server: PostgresServer, tmp_path: Path) -> None:
    store(server, "Table 1", play(tmp_path / "1", 1))
    run(server, "--once")
    server.execute(f"CREATE ROLE auditor LOGIN IN ROLE {READER_ROLE}")
    server.execute(f"GRANT SELECT ON span TO {READER_ROLE}")
    with psycopg.connect(server.database.replace("user=room", "user=auditor")) as reader:
        assert reader.execute("SELECT count(*) FROM span").fetchone() != (0,)


def test_program_without_the_right_to_create_roles_says_so(
    server: PostgresServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.execute("CREATE ROLE plain LOGIN")
    server.execute("CREATE DATABASE plain OWNER plain")
    plain = server.database.replace("dbname=postgres", "dbname=plain").replace("user=room", "user=plain")

    async def create() -> None:
        span_store = SpanStore(plain)
        await span_store.open()
        await span_store.close()

    asyncio.run(create())
    deriver = Deriver(plain)
    deriver.open()
    deriver.close()
    assert f"no role {READER_ROLE}" in caplog.text
    server.execute(f"CREATE ROLE {READER_ROLE} NOLOGIN")
    deriver.open(again=True)
    deriver.close()
    with psycopg.connect(plain) as connection:
        query = f"SELECT has_table_privilege('{READER_ROLE}', 'report.hand', 'SELECT')"
        assert connection.execute(query.encode()).fetchone() == (True,)


# --- documents ---

SQL_PAGE = Path(__file__).resolve().parents[2] / "controller" / "room" / "sql.md"
TYPES = {"int4": "integer", "int8": "bigint", "bool": "boolean"}


def documented_columns(text: str) -> list[tuple[str, str, str]]:
    """Return view, column and type for the rows in the tables of a page."""
    columns: list[tuple[str, str, str]] = []
    view = ""
    for line in text.splitlines():
        if line.startswith("## "):
            view = line.removeprefix("## report.") if line.startswith("## report.") else ""
        elif view and (row := re.match(r"\| `(\w+)` \| ([\w\[\]]+) \|", line)):
            columns.append((view, row[1], row[2]))
    return columns


def test_page_describes_each_column_of_the_views(server: PostgresServer, tmp_path: Path) -> None:
    store(server, "Table 1", play(tmp_path / "1", 1))
    run(server, "--once")
    columns = [
        (
            str(view),
            str(column),
            TYPES.get(kind := str(name).removeprefix("_"), kind) + "[]" * str(name).startswith("_"),
        )
        for view, column, name in server.execute(
            "SELECT table_name, column_name, udt_name FROM information_schema.columns"
            " WHERE table_schema = 'report' ORDER BY table_name, ordinal_position"
        )
    ]
    documented = documented_columns(SQL_PAGE.read_text())
    assert sorted(documented, key=lambda column: column[0]) == columns
    for statements in re.findall(r"```sql\n(.*?)```", SQL_PAGE.read_text(), re.DOTALL):
        for statement in statements.splitlines():
            server.execute(statement)


def test_report_of_the_day_counts_what_happened(server: PostgresServer, tmp_path: Path) -> None:
    with closing(RecordedTable(tmp_path)) as table:
        table.do("dealer Ann")
        table.play_hand()
        table.do("hand", "void", "dealer Bob", "call-floor fill")
        table.do("floor-answers Eve", "fill 500", "credit 200", source="floor")
        table.play_hand()
        store(server, "Table 1", table.new_stretches())
    run(server, "--once")
    query = "SELECT hands, void_hands, pots, largest_pot, calls, pushes, fills, credits, holes, alerts FROM report.day"
    assert server.execute(query) == [(3, 1, 90, 45, 1, 2, 500, 200, 0, 0)]
    assert server.execute("SELECT dealer, dealer_before, hands FROM report.push ORDER BY push") == [
        ("", None, 0),
        ("Ann", "", 2),
        ("Bob", "Ann", 1),
    ]
    assert server.execute("SELECT why, answered_by, ended_at FROM report.call") == [("fill", "Eve", None)]
    assert server.execute("SELECT hands, mean_pot FROM report.hands_per_hour") == [(3, 35)]
