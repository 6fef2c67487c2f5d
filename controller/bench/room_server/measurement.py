"""Measure a room: its processor time, memory and replies with many tables.

Each row starts a PostgreSQL server, `potkeeper room serve` with TLS, and a process with all simulated tables. Each
table writes two records a second. Afterwards each record that the room has acknowledged must be in the database once
and in order.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from controller.bench.room_server.identities import READY, TablesReport, table_key, table_name, table_token
from controller.bench.room_server.postgres_server import PostgresServer, postgres_server
from controller.simulation import ChildProcesses

TABLES: Final = (10, 100, 300, 1000)
"""Numbers of tables, one for each row."""
SECONDS: Final = 20.0
"""Duration of the measurement of a row in seconds. Before it, all tables connect."""
START_TIMEOUT_S: Final = 120.0
"""Maximum time in seconds until the room listens, even on a slow machine."""

Progress = Callable[[int, int], None]


def measure_room(
    counts: Sequence[int] = (), seconds: float = SECONDS, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Return one row for each number of tables, or those of `TABLES` if `counts` is empty.

    `lost` is the number of acknowledged records that the database does not have. `disorder` is the number of spans that
    do not directly follow the span before them. Raise TimeoutError if the room does not answer.
    """
    counts, rows = counts or TABLES, list[dict[str, Any]]()
    for number, count in enumerate(counts):
        rows.append(_measure(count, seconds))
        if progress is not None:
            progress(number + 1, len(counts))
    return rows


def _measure(count: int, seconds: float) -> dict[str, Any]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-room")))
        server = stack.enter_context(postgres_server())
        stack.callback((processes := ChildProcesses()).stop_all)
        room, port = _start_room(processes, folder, server, count)
        room_id = room.pid
        tables = processes.start(
            "controller.bench.room_server.simulated_tables",
            *(str(count), port, str(seconds)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert tables.stdin is not None and tables.stdout is not None
        stack.enter_context(tables.stdin)
        stack.enter_context(tables.stdout)
        if tables.stdout.readline() != READY:
            raise TimeoutError("expected that all tables connect")
        before = _processor_s(room_id), _processor_s(server.process_id)
        start_s = time.monotonic()
        report = _run_tables(tables.stdin, tables.stdout)
        took_s = time.monotonic() - start_s
        after = _processor_s(room_id), _processor_s(server.process_id)
        memory = _memory_bytes(room_id), _memory_bytes(server.process_id)
        lost, disorder = compare_with_database(server, report.acknowledged)
    if report.failures:
        raise TimeoutError(report.failures[0])
    replies_ms = sorted(1000 * reply_s for reply_s in report.replies_s)
    return {
        "tables": count,
        "records_per_s": round(sum(report.acknowledged.values()) / took_s),
        "spans_per_s": round(len(replies_ms) / took_s),
        "acknowledged_p50_ms": _percentile(replies_ms, 0.50),
        "acknowledged_p99_ms": _percentile(replies_ms, 0.99),
        "room_core_pct": round(100 * (after[0] - before[0]) / took_s, 1),
        "postgres_core_pct": round(100 * (after[1] - before[1]) / took_s, 1),
        "room_mb": round(memory[0] / 1e6),
        "postgres_mb": round(memory[1] / 1e6),
        "lost": lost,
        "disorder": disorder,
    }


def _start_room(
    processes: ChildProcesses, folder: Path, server: PostgresServer, count: int
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a room that knows these tables, wait until it listens, and return its process and port."""
    tables, certificate, key = folder / "tables.toml", folder / "room.pem", folder / "room.key"
    tables.write_text(
        "".join(
            f'[[table]]\nname = "{table_name(number)}"\nkeys = ["{table_key(number).public_key}"]\n'
            f'token_sha256 = "{hashlib.sha256(table_token(number).encode()).hexdigest()}"\n'
            for number in range(1, count + 1)
        )
    )
    command = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    files = ("-subj", "/CN=room", "-out", certificate, "-keyout", key)
    subprocess.run([*command, *files], check=True, capture_output=True)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
    options = ("--database", server.database, "--tables", tables, "--certificate", certificate, "--key", key)
    words = [str(option) for option in options]
    room = processes.start("controller.cli", "room", "serve", "--port", port, *words, "--log-level", "error")
    deadline = time.monotonic() + START_TIMEOUT_S
    while not _listens(int(port)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"expected that the room listens within {START_TIMEOUT_S:.0f} s")
        time.sleep(0.1)
    return room, port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _run_tables(tables_in: IO[bytes], tables_out: IO[bytes]) -> TablesReport:
    """Let the tables send, and return their report."""
    tables_in.write(b"go\n")
    tables_in.flush()
    return msgspec.json.decode(tables_out.readline(), type=TablesReport)


def compare_with_database(server: PostgresServer, acknowledged: dict[str, int]) -> tuple[int, int]:
    """Return how many acknowledged records the database lacks, and how many spans do not follow their predecessor."""
    stored = server.execute("SELECT table_name, sum(last_number - first_number + 1)::bigint FROM span GROUP BY 1")
    counts = {str(name): int(str(count)) for name, count in stored}
    lost = sum(max(0, number - counts.get(name, 0)) for name, number in acknowledged.items())
    ((disorder,),) = server.execute(
        "SELECT count(*) FROM (SELECT first_number, lag(last_number, 1, 0::bigint)"
        " OVER (PARTITION BY table_name ORDER BY id) AS before FROM span) AS spans WHERE first_number <> before + 1"
    )
    return lost, int(str(disorder))


def _percentile(times: Sequence[float], share: float) -> float:
    return round(times[int(share * (len(times) - 1))], 1) if times else 0.0


def _processes_of(process_id: int) -> Iterable[int]:
    """Yield a process and its children."""
    yield process_id
    for children in Path(f"/proc/{process_id}/task").glob("*/children"):
        yield from (int(child) for child in children.read_text().split())


def _processor_s(process_id: int) -> float:
    """Return the processor time in seconds of a process and its children, including those that have ended."""
    ticks = 0
    for number in _processes_of(process_id):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        own, ended = fields[11:13], fields[13:15]
        ticks += sum(int(field) for field in (*own, *(ended if number == process_id else ())))
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory_bytes(process_id: int) -> int:
    """Return the memory of a process and its children, of which each shared page counts once."""
    lines = (
        line
        for number in _processes_of(process_id)
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    )
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
