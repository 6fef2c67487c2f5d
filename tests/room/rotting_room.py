"""Rot in the files of PostgreSQL, and a judgement whether the room notices it.

Each damage is done to a copy of the files of a stopped or killed server. The server is then started, and `room verify`
reads everything.
"""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg
from click.testing import CliRunner

from controller.bench import PostgresServer
from controller.cli import main
from controller.integrity import TableKey
from controller.journal import JournalFollower
from controller.room import SpanStore, StoredSpan, add_table, decode_span, encode_span, read_spans, split_stretch
from tests.controller.test_journal_replication import Writer, read_all
from tests.room.postgres_server import postgres_server
from tests.room.rot import DAMAGES, KINDS, Damage, FileKind, Outcome
from tests.service.service_process import DEADLINE_S

TABLES = ("Table 1", "Table 2", "Table 3")
_NAMED = re.compile(
    r"invalid page in block \d+|checksum|invalid (primary )?checkpoint|could not (access|open|read)"
    r"|missing chunk|unexpected|corrupt"
)
"""Words of PostgreSQL about a damaged file."""


class RottingRoom:
    """A database with spans. Its files are damaged again and again."""

    def __init__(self, server: PostgresServer, folder: Path) -> None:
        self.server = server
        self.tables = folder / "tables.toml"
        self.original = {name: self._write_spans(folder / name, number) for number, name in enumerate(TABLES, 1)}
        asyncio.run(self._store({name: data[: len(data) * 2 // 3] for name, data in self.original.items()}))
        server.execute("VACUUM (FREEZE, ANALYZE)")
        server.execute("CHECKPOINT")
        asyncio.run(self._store({name: data[len(data) * 2 // 3 :] for name, data in self.original.items()}))
        self.files = self._find_files()
        self.wal_bytes = self._wal_bytes()
        server.kill()
        self.killed, self.stopped = folder / "killed", folder / "stopped"
        self._copy(server.data, self.killed)
        server.start()
        server.stop()
        self._copy(server.data, self.stopped)

    def _write_spans(self, folder: Path, number: int) -> list[bytes]:
        """Write the journal of a table, add the table to the room, and return its spans."""
        folder.mkdir()
        key, content = TableKey(f"{number:02}" * 32), random.Random(number)
        add_table(self.tables, folder.name, key.public_key)
        with closing(Writer(folder, key)) as writer:
            follower, stretches = JournalFollower(writer.path), []
            for step in range(60):
                writer.append(4, content.randbytes(2_500) if step % 4 == 0 else b"")
                if step % 20 == 19:
                    writer.rotate()
                stretches += read_all(follower)
        return [encode_span(part) for stretch in stretches for part in split_stretch(stretch)]

    async def _store(self, spans: dict[str, list[bytes]]) -> None:
        store = SpanStore(self.server.database)
        try:
            await store.open()
            for name, data in spans.items():
                await store.add(name, [StoredSpan(decode_span(encoded), encoded) for encoded in data])
        finally:
            await store.close()

    def _find_files(self) -> dict[FileKind, list[str]]:
        """Return the files that exist, by their kind."""
        rows = self.server.execute(
            "SELECT t.reltoastrelid <> 0, pg_relation_filepath(t.oid), pg_relation_filepath(t.reltoastrelid),"
            " (SELECT string_agg(pg_relation_filepath(indexrelid), ' ') FROM pg_index WHERE indrelid = t.oid),"
            " (SELECT string_agg(pg_relation_filepath(indexrelid), ' ') FROM pg_index WHERE indrelid = t.reltoastrelid)"
            " FROM pg_inherits JOIN pg_class t ON t.oid = inhrelid WHERE relkind = 'r'"
            # The partition of the next month is still empty.
            " ORDER BY t.relname LIMIT 1"
        )
        ((_, heap, toast, index, toast_index),) = rows
        catalogue = self.server.execute(
            "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relname IN"
            " ('pg_class', 'pg_attribute', 'pg_index', 'pg_inherits', 'pg_partitioned_table', 'pg_type')"
        )
        files: dict[FileKind, list[str]] = {
            "heap": [str(heap)],
            "toast": [str(toast)],
            "index": str(index).split(),
            "toast index": str(toast_index).split(),
            "map": [f"{heap}_fsm", f"{heap}_vm", f"{toast}_fsm", f"{toast}_vm"],
            "catalogue": [str(file) for (file,) in catalogue],
            "transactions": ["pg_xact/0000"],
        }
        found: dict[FileKind, list[str]] = {
            kind: [file for file in names if (self.server.data / file).exists()] for kind, names in files.items()
        }
        assert all(found.values()), found
        return found

    def _wal_bytes(self) -> list[tuple[str, int, int]]:
        """Return the parts of the WAL that a recovery after a kill reads: file, first byte and end."""
        query = (
            "SELECT pg_walfile_name(redo_lsn), (pg_walfile_name_offset(redo_lsn)).file_offset,"
            " pg_walfile_name(pg_current_wal_lsn()), (pg_walfile_name_offset(pg_current_wal_lsn())).file_offset"
            " FROM pg_control_checkpoint()"
        )
        ((first, start, last, end),) = self.server.execute(query)
        if first == last:
            return [(f"pg_wal/{first}", int(str(start)), int(str(end)))]
        return [(f"pg_wal/{first}", int(str(start)), 2**20), (f"pg_wal/{last}", 0, int(str(end)))]

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", source, target], check=True, timeout=DEADLINE_S)

    def choose(self, choices: random.Random) -> Damage:
        """Return a random damage."""
        kind = choices.choice(KINDS)
        if kind == "wal":
            file, start, end = choices.choice(self.wal_bytes)
            return Damage(kind, file, choices.randrange(start, end), choices.choice(("bit", "byte")))
        file = choices.choice(self.files[kind])
        content = (self.stopped / file).read_bytes()
        used = content.rstrip(b"\0") if kind == "transactions" else content
        return Damage(kind, file, choices.randrange(len(used)), choices.choice(DAMAGES))

    def judge(self, damage: Damage, choices: random.Random) -> Outcome | str:
        """Do a damage to a copy of the files, and return how the room notices it, or why this is a miss."""
        self._copy(self.killed if damage.kind == "wal" else self.stopped, self.server.data)
        damage.apply(self.server.data, choices)
        log = self.server.folder / "log"
        log.unlink(missing_ok=True)
        try:
            if not self._starts():
                return "named by PostgreSQL" if _NAMED.search(log.read_text()) else f"no reason: {log.read_text()}"
            outcome = self._read()
        finally:
            self.server.stop()
        return self._offline(damage) if outcome == "harmless" else outcome

    def _starts(self) -> bool:
        """Start the server, and return False if it ends before it answers."""
        process = self.server._process = self.server._spawn()
        end_s = time.monotonic() + DEADLINE_S
        while process.poll() is None:
            with suppress(psycopg.Error), psycopg.connect(self.server.database, connect_timeout=5):
                return True
            assert time.monotonic() < end_s
            time.sleep(0.02)
            if "FATAL" in (log := (self.server.folder / "log").read_text()) and _NAMED.search(log):
                return False
        return False

    def _read(self) -> Outcome | str:
        words = ["--database", self.server.database, "--tables", str(self.tables)]
        result = CliRunner().invoke(main, ["room", "verify", *words])
        if result.exit_code:
            if re.search(r"Table \d: .*record \d+", result.stderr):
                return "named by verify"
            if "expected the" in result.stderr and "of the table" in result.stderr:
                return "named by verify"
            return "named by PostgreSQL" if _NAMED.search(result.stderr) else f"unnamed: {result.stderr}"
        found = {name: list(read_spans(self.server.database, name)) for name in TABLES}
        if found == self.original:
            return "harmless"
        missing = {name: data[len(found[name]) :] for name, data in self.original.items()}
        if any(found[name] != data[: len(found[name])] for name, data in self.original.items()):
            return "spans differ, and verify has found nothing"
        asyncio.run(self._store({name: data for name, data in missing.items() if data}))
        again = {name: list(read_spans(self.server.database, name)) for name in TABLES}
        return "sent again" if again == self.original else "spans could not be sent again"

    def _offline(self, damage: Damage) -> Outcome:
        """Return whether `pg_checksums` finds the damage while the server is stopped."""
        try:
            self.server.run("pg_checksums", "--check")
        except subprocess.CalledProcessError as error:
            assert damage.file in error.stderr.decode(), error.stderr
            return "named by pg_checksums"
        return "harmless"


@contextmanager
def rotting_room(folder: Path) -> Iterator[RottingRoom]:
    """Yield a room with a database that can be damaged."""
    with postgres_server("--data-checksums", "--wal-segsize=1") as server:
        yield RottingRoom(server, folder)
