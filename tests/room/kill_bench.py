"""A room with TLS, its database, and tables whose uplinks reach the room through a faulty network.

The test kills the programs. `Bench` starts them again, and compares what the room has with what the tables have.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psycopg
from click.testing import CliRunner

from controller.cli import main
from controller.integrity import TableKey
from tests.controller.test_journal_replication import Writer, journal_rows
from tests.free_ports import free_port
from tests.room.faulty_network import FaultyNetwork
from tests.room.postgres_server import PostgresServer, postgres_server
from tests.room.room_programs import Program, UplinkPlace, run_command, run_uplinks
from tests.service.service_process import DEADLINE_S, wait_until

README = Path(__file__).resolve().parents[2] / "controller" / "room" / "README.md"
OWN_PROCESSES = 4
"""Number of tables with one process for each uplink."""
SHARED_BY = 4
"""Number of other tables that share a process for their uplinks, so that twenty tables fit on two cores."""
MAX_WAIT_S = 0.3
"""Longest wait of an uplink after an error in seconds. The default of 30 s would make the test slow."""


class BenchTable(NamedTuple):
    """A table of the room."""

    name: str
    writer: Writer
    place: UplinkPlace


class Bench:
    """A room with TLS and its database, and tables with their uplinks."""

    def __init__(self, folder: Path, server: PostgresServer, tables: int, room_fault: str, uplink_fault: str) -> None:
        self.server = server
        self.folder = folder
        self.options = ["--database", server.database, "--tables", str(folder / "tables.toml")]
        certificate, key = folder / "room.pem", folder / "room.key"
        make_certificate(certificate, key)
        port = free_port()
        serve = ("room", "serve", *self.options, "--port", str(port), "--certificate", str(certificate))
        words = (*serve, "--key", str(key))
        self.room = Program(folder / "room.log", run_command, *words, fault=room_fault)
        self.network = FaultyNetwork(port)
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None
        self.tables = [self._add_table(number) for number in range(1, tables + 1)]
        alone, shared = self.tables[:OWN_PROCESSES], self.tables[OWN_PROCESSES:]
        groups = [[table] for table in alone] + [shared[n : n + SHARED_BY] for n in range(0, len(shared), SHARED_BY)]
        self.uplinks = [
            self._uplinks(number, group, certificate, uplink_fault) for number, group in enumerate(groups, 1)
        ]

    def _add_table(self, number: int) -> BenchTable:
        """Add a table with a key and a journal to the room."""
        name, home = f"Table {number}", self.folder / f"table-{number}"
        home.mkdir()
        key = TableKey(f"{number:02}" * 32)
        (home / "table.key.pub").write_text(key.public_key)
        result = CliRunner().invoke(
            main, ["room", "add", name, *self.options[2:], "--key", str(home / "table.key.pub")]
        )
        assert result.exit_code == 0, result.output
        writer = Writer(home, key)
        return BenchTable(name, writer, UplinkPlace(writer.path, result.output.strip()))

    def _uplinks(self, number: int, tables: list[BenchTable], certificate: Path, fault: str) -> Program:
        places, address = [table.place for table in tables], f"wss://127.0.0.1:{self.network.port}"
        arguments = (places, address, certificate, self.acknowledged, MAX_WAIT_S)
        return Program(self.folder / f"uplinks-{number}.log", run_uplinks, *arguments, fault=fault)

    @property
    def acknowledged(self) -> Path:
        """Return the file with the hashes that the uplinks write when the room acknowledges a span."""
        return self.folder / "acknowledged"

    @property
    def programs(self) -> list[Program]:
        return [self.room, *self.uplinks]

    def ensure_running(self) -> None:
        for program in self.programs:
            program.ensure_running()

    def query(self, statement: str) -> list[tuple[object, ...]] | None:
        """Return the rows, or None if the database cannot be asked at this moment."""
        try:
            if self._connection is None:
                self._connection = psycopg.connect(self.server.database, autocommit=True, connect_timeout=5)
            return self._connection.execute(statement.encode()).fetchall()
        except psycopg.Error:
            self.close()
            return None

    def close(self) -> None:
        """Close the connection that the bench uses itself."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def wait_for_rows(self, statement: str) -> list[tuple[object, ...]]:
        """Return the rows as soon as the database can be asked, such as after its recovery."""
        answers: list[list[tuple[object, ...]]] = []

        def has_answered() -> bool:
            if (rows := self.query(statement)) is not None:
                answers.append(rows)
            return bool(answers)

        wait_until(has_answered, "the database answers")
        return answers[0]

    def lost(self) -> list[str]:
        """Return the hashes of acknowledged records that the database does not have."""
        stored = {str(last_hash) for (last_hash,) in self.wait_for_rows("SELECT encode(last_hash, 'hex') FROM span")}
        return [last_hash for last_hash in self.acknowledged_hashes() if last_hash not in stored]

    def acknowledged_hashes(self) -> list[str]:
        """Return the hashes of the last records of all spans that the room has acknowledged."""
        return self.acknowledged.read_text().split("\n")[:-1] if self.acknowledged.exists() else []

    def doubled(self) -> list[str]:
        """Return the tables that have a record twice in the database."""
        query = "SELECT table_name, encode(last_hash, 'hex') FROM span GROUP BY 1, 2 HAVING count(*) > 1"
        return [f"{table} has {last_hash} twice" for table, last_hash in self.wait_for_rows(query)]

    def wait_for_progress(self, choices: random.Random) -> None:
        """Let tables play until the room has stored another span or alert."""
        count = self._count_spans_and_alerts()

        def has_progress() -> bool:
            self.ensure_running()
            for table in choices.sample(self.tables, min(5, len(self.tables))):
                table.writer.append()
            time.sleep(0.01)
            return self._count_spans_and_alerts() > max(count, 0)

        wait_until(has_progress, "the room stores another span")

    def _count_spans_and_alerts(self) -> int:
        """Return how many spans and alerts the room has, or -1 if the database cannot be asked at this moment."""
        rows = self.query("SELECT (SELECT count(*) FROM span) + (SELECT count(*) FROM alert)")
        return -1 if rows is None else int(str(rows[0][0]))

    def heads(self) -> dict[str, str]:
        """Return the hash of the last record of every table."""
        return {table.name: table.writer.journal.chain_head().hash.hex() for table in self.tables}

    def wait_for_all_records(self) -> None:
        """Wait until the room has the last record of every table, or has an alert of a loss."""
        heads = self.heads()

        def has_all() -> bool:
            self.ensure_running()
            time.sleep(0.05)
            rows = self.query(
                "SELECT DISTINCT ON (table_name) table_name, encode(last_hash, 'hex') FROM span"
                " ORDER BY table_name, id DESC"
            )
            return rows is not None and (set(rows) == set(heads.items()) or bool(self.wrong_alerts()))

        wait_until(has_all, "the room has all records of every table")

    def differences(self) -> list[str]:
        """Copy the journal of every table from the room, and return how the copies differ from the originals."""
        problems: list[str] = []
        for table in self.tables:
            folder = self.folder / f"copy of {table.name}"
            result = CliRunner().invoke(main, ["room", "copy", table.name, str(folder), *self.options])
            if result.exit_code != 0:
                problems.append(f"{table.name}: {result.stderr}")
            elif journal_rows(folder / "table.journal") != journal_rows(table.writer.path):
                problems.append(f"{table.name}: the rows differ")
        return problems

    def wrong_alerts(self) -> list[str]:
        """Return the alerts that name a loss.

        If a new journal is damaged before its uplink has sent it, the room does not know the parent of the salvaged
        one. This alert is correct.
        """
        rows = self.query("SELECT table_name, problem, message FROM alert WHERE problem <> 'unknown-journal'")
        return [" ".join(str(text) for text in row) for row in rows or []]

    def signal_backend(self, *signals: signal.Signals, pause_s: float = 0.0) -> None:
        """Send signals to the process of PostgreSQL that serves the room, if there is one."""
        for (number,) in self.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted") or []:
            for sent in signals:
                with suppress(ProcessLookupError):
                    os.kill(int(str(number)), sent)
                time.sleep(pause_s)


def make_certificate(certificate: Path, key: Path) -> None:
    """Make a certificate with the command in the README of the room."""
    (command,) = [line for line in README.read_text().splitlines() if "openssl req" in line]
    words = shlex.split(command.replace("ADDRESS", "127.0.0.1"))
    subprocess.run(words, check=True, capture_output=True, timeout=DEADLINE_S, cwd=certificate.parent)
    assert certificate.exists()
    assert key.exists()


@contextmanager
def bench(folder: Path, tables: int, room_fault: str = "", uplink_fault: str = "") -> Iterator[Bench]:
    """Yield a bench with a running database, and end all programs at the end."""
    with postgres_server() as server, ExitStack() as stack:
        running = Bench(folder, server, tables, room_fault, uplink_fault)
        stack.callback(running.network.close)
        stack.callback(running.close)
        for table in running.tables:
            stack.enter_context(closing(table.writer))
        for program in running.programs:
            stack.callback(program.kill)
        yield running
