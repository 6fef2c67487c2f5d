"""The commands of the page about backups work as they are written, on databases of the test."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.journal import Stretch
from controller.room import SpanStore, StoredSpan, add_table, encode_span
from tests.controller.journal_tampering import KEY
from tests.controller.test_journal_replication import journal_rows
from tests.room.postgres_server import (
    PostgresServer,
    postgres_server,
    program_folder,
    server_user,
    why_no_postgres,
)
from tests.room.recorded_table import RecordedTable
from tests.service.service_process import DEADLINE_S, wait_until

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())

PAGE = Path(__file__).resolve().parents[2] / "controller" / "room" / "backup.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TABLE = "Table 4"


class Machine:
    """A room's database with the paths of the page below a folder of the test."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self.backups = server.folder / "backups"
        self._paths = {
            "/var/backups/potkeeper-room": str(self.backups),
            "/etc/postgresql/15/main/pg_hba.conf": str(server.data / "pg_hba.conf"),
            "/usr/lib/postgresql/15/bin": str(program_folder()),
            "dbname=potkeeper_room": f"host={server.folder} user=room dbname=postgres",
            "--dbname potkeeper_room": f"--dbname 'host={server.folder} user=room dbname=postgres'",
            "/tmp/restored-table": str(server.folder / "restored-table"),
            "port = 5433": f"unix_socket_directories = '{server.folder}'\nport = 5433",
            "/var/lib/postgresql/15/main": str(server.folder / "standby"),
            "host=ROOM": f"host={server.folder}",
        }
        self.done: list[str] = []

    def place(self, text: str) -> str:
        """Return a text of the page with the paths of the test."""
        for path, here in self._paths.items():
            text = text.replace(path, here)
        return text

    def run(self, line: str, *options: str) -> str:
        """Run a command of the page, and return its output."""
        self.done.append(line)
        words = shlex.split(self.place(line))
        if words[:3] == ["sudo", "-u", "postgres"]:
            words = words[3:]
        elif words[0] == "sudo":
            words = words[1:]
        if words[0] == "potkeeper":
            words = [sys.executable, "-m", "controller.cli", *words[1:], *options]
            user = None
        else:
            user = server_user() if words[0] != "install" else None
        folder = program_folder()
        environment = os.environ | {
            "PATH": f"{folder}:{os.environ['PATH']}",
            "PGHOST": str(self.server.folder),
            "PGUSER": "room",
            "PGDATABASE": "postgres",
        }
        # A server inherits the outputs of pg_ctl, so that a pipe would stay open.
        with (self.server.folder / "output").open("w+b") as output:
            result = subprocess.run(
                words,
                stdout=output,
                stderr=output,
                timeout=2 * DEADLINE_S,
                user=user,
                cwd=None if user is None else self.server.folder,
                env=environment,
                check=False,
            )
            output.seek(0)
            text = output.read().decode()
        assert result.returncode == 0, (line, text)
        return text


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language."""
    return [text for kind, text in BLOCK.findall(PAGE.read_text()) if kind == language]


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines()]


def take(word: str) -> str:
    """Return the only command of the page with this text."""
    (line,) = [line for line in commands() if word in line]
    return line


def store(server: PostgresServer, stretches: Sequence[Stretch]) -> None:
    async def add() -> None:
        span_store = SpanStore(server.database)
        await span_store.open()
        await span_store.add(TABLE, [StoredSpan(stretch, encode_span(stretch)) for stretch in stretches])
        await span_store.close()

    asyncio.run(add())


@contextmanager
def archiving_machine() -> Iterator[Machine]:
    """Yield a machine whose database archives its WAL with the settings of the page."""
    with postgres_server() as server:
        machine = Machine(server)
        owner = server_user() or "root"
        line = take("sudo install")
        here = line if server_user() is not None else line.replace("-o postgres -g postgres ", "")
        machine.run(here.replace("-o postgres -g postgres", f"-o {owner} -g {owner}"))
        machine.done[-1] = line
        settings = machine.place(blocks("ini")[0])
        with (server.data / "postgresql.auto.conf").open("a") as file:
            file.write(settings)
        server.stop()
        server.start()
        yield machine


def test_backup_and_archive_give_the_journal_back(tmp_path: Path) -> None:
    with archiving_machine() as machine, closing(RecordedTable(tmp_path)) as table:
        server = machine.server
        table.play_hand()
        store(server, table.new_stretches())
        for word in ("pg_basebackup --pgdata", "pg_verifybackup"):
            machine.run(take(word))
        table.play_hand()
        store(server, table.new_stretches())
        ((wal,),) = server.execute("SELECT pg_walfile_name(pg_switch_wal())")
        wait_until((machine.backups / "wal" / str(wal)).exists, "the last records are archived")
        (machine.backups / "restore.conf").write_text(machine.place(blocks("ini")[1]))
        tables = tmp_path / "tables.toml"
        add_table(tables, TABLE, KEY.public_key)
        for word in ("cp -a", "recovery.signal", "pg_ctl start"):
            machine.run(take(word))
        machine.run(take("potkeeper room copy"), "--tables", str(tables))
        for word in ("pg_ctl stop", "rm -r"):
            machine.run(take(word))
        assert journal_rows(server.folder / "restored-table" / "table.journal") == journal_rows(table.path)


def test_standby_shows_the_views_and_takes_over(tmp_path: Path) -> None:
    with postgres_server() as server, closing(RecordedTable(tmp_path)) as table:
        machine = Machine(server)
        table.play_hand()
        store(server, table.new_stretches())
        derive = ["room", "derive", "--once", "--database", server.database]
        assert CliRunner().invoke(main, derive).exit_code == 0
        machine.run(take("createuser"))
        machine.run(take("--create-slot"))
        standby = PostgresServer(server.folder / "socket", {})
        standby.folder.mkdir()
        standby.folder.chmod(0o777)
        standby.data = server.folder / "standby"
        try:
            standby.start()
            with psycopg.connect(standby.database) as connection:
                assert connection.execute("SELECT hands FROM report.day").fetchall() == [(1,)]
            machine = Machine(standby)
            machine._paths["/var/lib/postgresql/15/main"] = str(standby.data)
            assert " t\n" in machine.run(take("pg_is_in_recovery"))
            assert TABLE in machine.run(take("report.day"))
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                standby.execute("DELETE FROM derived.hand")
            machine.run(take("promote"))
            store(standby, [])
            assert CliRunner().invoke(main, [*derive[:-1], standby.database]).exit_code == 0
        finally:
            standby.stop()


def test_old_month_is_dumped_and_removed(tmp_path: Path) -> None:
    with postgres_server() as server, closing(RecordedTable(tmp_path)) as table:
        machine = Machine(server)
        machine.backups.mkdir()
        machine.backups.chmod(0o777)
        table.play_hand()
        store(server, table.new_stretches())
        server.execute("CREATE TABLE span_2026_01 PARTITION OF span FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')")
        for word in ("pg_dump", "DETACH", "DROP TABLE"):
            machine.run(take(word))
        assert (machine.backups / "span_2026_01.sql").read_text().count("CREATE TABLE public.span_2026_01") == 1
        assert server.execute("SELECT count(*) FROM span") == [(1,)]


def test_each_command_of_the_page_is_in_a_test() -> None:
    words = [
        *("sudo install", "pg_basebackup --pgdata", "pg_verifybackup", "cp -a", "recovery.signal", "pg_ctl start"),
        *("potkeeper room copy", "pg_ctl stop", "rm -r", "createuser", "--create-slot", "pg_is_in_recovery"),
        *("report.day", "promote", "pg_dump", "DETACH", "DROP TABLE"),
    ]
    assert sorted(map(take, words)) == sorted(commands())
