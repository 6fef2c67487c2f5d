"""A room, its database and the uplinks are killed at random, and the room still has every record once."""

from __future__ import annotations

import random
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.integrity import ChainHead, TableKey
from controller.journal import JournalBusy
from controller.room import StoreError, decode_span, read_alerts, read_spans
from tests.controller.test_journal_replication import EVENTS, Writer, journal_rows
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.service.service_process import DEADLINE_S, wait_until

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

README = Path(__file__).resolve().parents[2] / "controller" / "room" / "README.md"
TABLES = 3
KILLS = 20
SOAK_KILLS = 300
MAX_KILL_DELAY_S = 0.1
"""Maximum time from a stored span to the next kill, so that kills reach each part of a transaction."""
MAX_WAIT_S = "0.3"
"""Longest wait of an uplink after an error in seconds. The default of 30 s would make the test slow."""


class Program:
    """A program of the room, which the test kills and starts again."""

    def __init__(self, log: Path, *arguments: str | Path) -> None:
        self._log = log
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None

    def ensure_running(self) -> None:
        """Start the program if it does not run, as systemd does."""
        if self._process is None or self._process.poll() is not None:
            with self._log.open("ab") as log:
                command = [sys.executable, "-m", "controller.cli", *self._arguments]
                self._process = subprocess.Popen(command, stdout=log, stderr=log)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the program, and wait until it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)


class Bench:
    """A room with TLS and its database, and tables with their uplinks."""

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self.server = server
        self.folder = folder
        self.options = ["--database", server.database, "--tables", str(folder / "tables.toml")]
        certificate, key = folder / "room.pem", folder / "room.key"
        make_certificate(certificate, key)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.room = Program(
            folder / "room.log",
            *("room", "serve", *self.options, "--port", port, "--certificate", str(certificate), "--key", str(key)),
        )
        self.tables = [self.add_table(number, port, certificate) for number in range(1, TABLES + 1)]

    def add_table(self, number: int, port: str, certificate: Path) -> tuple[str, Writer, Program]:
        """Add a table with a key and a journal to the room, and return its name, its writer and its uplink."""
        name, home = f"Table {number}", self.folder / f"table-{number}"
        home.mkdir()
        key = TableKey(f"{number:02}" * 32)
        (home / "table.key.pub").write_text(key.public_key)
        options = [*self.options[2:], "--key", str(home / "table.key.pub")]
        result = CliRunner().invoke(main, ["room", "add", name, *options])
        assert result.exit_code == 0, result.output
        (home / "token").write_text(result.output)
        writer = Writer(home, key)
        uplink = Program(
            home / "uplink.log",
            *("uplink", "--journal", writer.path, "--room", f"wss://127.0.0.1:{port}", "--token", home / "token"),
            *("--ca", certificate, "--max-wait", MAX_WAIT_S),
        )
        return name, writer, uplink

    @property
    def programs(self) -> list[Program]:
        return [self.room, *(uplink for _, _, uplink in self.tables)]

    def stored_spans(self) -> int:
        """Return how many spans the room has, or -1 if the database cannot be asked at this moment."""
        try:
            ((count,),) = self.server.execute("SELECT count(*) FROM span")
        except psycopg.Error:
            return -1
        return int(str(count))

    def wait_for_progress(self) -> None:
        """Let the tables play until the room has stored another span."""
        count = self.stored_spans()

        def has_progress() -> bool:
            for program in self.programs:
                program.ensure_running()
            for _, writer, _ in self.tables:
                writer.append()
            time.sleep(0.02)
            return self.stored_spans() > max(count, 0)

        wait_until(has_progress, "the room stores another span")

    def wait_for_all_records(self) -> None:
        """Wait until the room has every record of each table."""
        for name, writer, _ in self.tables:
            head = writer.journal.chain_head()

            def has_all(name: str = name, head: ChainHead = head) -> bool:
                for program in self.programs:
                    program.ensure_running()
                try:
                    rows = list(read_spans(self.server.database, name))
                except StoreError:
                    return False
                time.sleep(0.05)
                return bool(rows) and decode_span(rows[-1]).head == head

            wait_until(has_all, f"the room has all records of {name}")

    def differences(self) -> list[str]:
        """Copy the journal of each table from the room, and return how the copies differ from the originals."""
        problems: list[str] = []
        for name, writer, _ in self.tables:
            folder = self.folder / f"copy of {name}"
            result = CliRunner().invoke(main, ["room", "copy", name, str(folder), *self.options])
            if result.exit_code != 0:
                problems.append(f"{name}: {result.stderr}")
            elif journal_rows(folder / "table.journal") != journal_rows(writer.path):
                problems.append(f"{name}: the rows differ")
        return problems


def make_certificate(certificate: Path, key: Path) -> None:
    """Make a certificate with the command in the README of the room."""
    (command,) = [line for line in README.read_text().splitlines() if "openssl req" in line]
    words = shlex.split(command.replace("ADDRESS", "127.0.0.1"))
    subprocess.run(words, check=True, capture_output=True, timeout=DEADLINE_S, cwd=certificate.parent)
    assert certificate.exists()
    assert key.exists()


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    """Yield a bench with a running database, and end all programs at the end."""
    with postgres_server() as server, ExitStack() as stack:
        running = Bench(folder, server)
        for _, writer, _ in running.tables:
            stack.enter_context(closing(writer))
        for program in running.programs:
            stack.callback(program.kill)
        yield running


def play_with_kills(running: Bench, kills: int, seed: int) -> None:
    """Let the tables play, and kill the room, the database or an uplink again and again."""
    choices = random.Random(seed)
    for _ in range(kills):
        running.wait_for_progress()
        _, writer, uplink = choices.choice(running.tables)
        EVENTS[choices.choice([*EVENTS])](writer)
        time.sleep(choices.uniform(0, MAX_KILL_DELAY_S))
        victim = choices.choice(["room", "room", "room", "uplink", "uplink", "uplink", "database"])
        if victim == "database":
            running.server.kill()
            running.server.start()
        else:
            (running.room if victim == "room" else uplink).kill()
    running.wait_for_all_records()


def wrong_alerts(running: Bench) -> list[str]:
    """Return the alerts that name a loss.

    If a new journal is damaged before its uplink has sent it, the room does not know the parent of the salvaged one.
    This alert is correct.
    """
    alerts = read_alerts(running.server.database)
    return [alert.message for alert in alerts if alert.problem != "unknown-journal"]


def test_kills_lose_double_and_reorder_no_record(tmp_path: Path) -> None:
    with bench(tmp_path) as running:
        play_with_kills(running, KILLS, seed=1)
        assert running.differences() == []
        assert wrong_alerts(running) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
def test_many_kills_lose_double_and_reorder_no_record(tmp_path: Path, seed: int) -> None:
    with bench(tmp_path) as running:
        play_with_kills(running, SOAK_KILLS, seed)
        assert running.differences() == []
        assert wrong_alerts(running) == []


def test_planted_loss_of_a_stored_span_is_found(tmp_path: Path) -> None:
    with bench(tmp_path) as running:
        for _ in range(3):
            running.wait_for_progress()
        running.wait_for_all_records()
        running.room.kill()
        running.server.execute("ALTER TABLE span DISABLE TRIGGER keep_spans")
        running.server.execute("DELETE FROM span WHERE id = (SELECT max(id) FROM span WHERE table_name = 'Table 2')")
        (problem,) = running.differences()
        assert problem.startswith("Table 2: ")


def test_table_waits_for_no_uplink_and_no_room(tmp_path: Path) -> None:
    with bench(tmp_path) as running:
        running.wait_for_progress()
        for program in running.programs:
            program.signal(signal.SIGSTOP)
        for _, writer, _ in running.tables:
            writer.append()
            # If the uplink was stopped while it read, the table stays in its segment and tries again between hands.
            with suppress(JournalBusy):
                writer.journal.rotate(b"state of the next segment")
            writer.append()
        for program in running.programs:
            program.signal(signal.SIGCONT)
        running.wait_for_all_records()
        assert running.differences() == []
