"""The commands `potkeeper room …` and `potkeeper uplink`: the journals of many tables in one PostgreSQL database."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from controller.commands.error_exit import EXIT_BAD_INPUT, EXIT_CHECK_FAILED, exit_on, exit_on_bad_input, print_error
from controller.commands.option_values import log_level_option
from controller.log_setup import configure_logging
from hardware.text_input_validation import BadInputError, read_file, to_one_line

if TYPE_CHECKING:
    import ssl
    from datetime import datetime

ROOM_PACKAGES: Final = ("psycopg", "websockets")
"""Packages of the extra `room`, without which these commands do not run."""
METRICS_PACKAGE: Final = "prometheus_client"
"""Package of the extra `web`, without which the room has no measurements for Prometheus."""
DEFAULT_PORT: Final = 8444
"""Port of the room. The next lower one is that of a table in a browser."""
MAX_TOKEN_BYTES: Final = 200
"""Maximum size of a token's file, which has one line of 64 hex digits."""
_FILE: Final = click.Path(path_type=Path)
_database_option: Final = click.option(
    "--database",
    default="dbname=potkeeper_room",
    show_default=True,
    help="Connection string of PostgreSQL. A password belongs in ~/.pgpass.",
)
_tables_option: Final = click.option(
    "--tables", type=_FILE, default=Path("tables.toml"), show_default=True, help="File with the tables of the room."
)


def require_room_extra() -> None:
    """End the program with one line and exit code 2 if the extra `room` is not installed."""
    missing = [name for name in ROOM_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        print_error(BadInputError(f"{names} not installed, expected the extra: pip install potkeeper[room]"))
        sys.exit(EXIT_BAD_INPUT)


@click.group("room")
def room_group() -> None:
    """Keep the journals of many tables in PostgreSQL."""
    require_room_extra()


@room_group.command("serve")
@_database_option
@_tables_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address at which tables connect.")
@click.option("--port", type=click.IntRange(1, 65535), default=DEFAULT_PORT, show_default=True, help="Port.")
@click.option("--certificate", type=_FILE, help="Certificate of the room, as PEM.")
@click.option("--key", type=_FILE, help="Key of the certificate, as PEM.")
@click.option(
    "--live", "live_folder", metavar="FOLDER", type=_FILE, help="Folder for sockets with what the tables show now."
)
@click.option(
    "--metrics",
    "metrics_port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="Port of 127.0.0.1 for Prometheus.",
)
@log_level_option
def serve_room(
    database: str, tables: Path, host: str, certificate: Path | None, key: Path | None, **options: Any
) -> None:
    """Receive the journals of the tables.

    Without a certificate, tables can connect from this machine only, such as through a proxy that ends TLS.
    """
    import asyncio

    from controller.room import StoreError, TablesFile, run_room

    with exit_on(BadInputError), exit_on(StoreError, OSError, code=EXIT_CHECK_FAILED):
        context = _server_context(host, certificate, key)
        if options["metrics_port"] is not None and importlib.util.find_spec(METRICS_PACKAGE) is None:
            raise BadInputError(f"--metrics: {METRICS_PACKAGE} not installed, expected pip install potkeeper[room,web]")
        configure_logging(options.pop("log_level"))
        asyncio.run(run_room(database, TablesFile(tables), host, context=context, **options))


def _server_context(host: str, certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return how the room encrypts its connections, or None on this machine. Raises BadInputError."""
    import ssl

    if (certificate is None) != (key is None):
        raise BadInputError("--certificate and --key: expected both or neither")
    if certificate is None:
        if not _is_loopback(host):
            raise BadInputError(f"--host {host}: expected --certificate and --key, or the address 127.0.0.1")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    _load(lambda: context.load_cert_chain(certificate, key), f"{certificate}, {key}")
    return context


@room_group.command("add")
@click.argument("name")
@_tables_option
@click.option("--key", "key_file", type=_FILE, required=True, help="Public key of the table.")
def add(name: str, tables: Path, key_file: Path) -> None:
    """Add the table NAME to the room and print its token, which the uplink of the table needs."""
    from controller.integrity import read_public_key
    from controller.room import add_table

    with exit_on_bad_input():
        click.echo(add_table(tables, name, read_public_key(key_file)))


@room_group.command("copy")
@click.argument("table")
@click.argument("folder", metavar="DIR", type=_FILE)
@_database_option
@_tables_option
def copy(table: str, folder: Path, database: str, tables: Path) -> None:
    """Write the journal of TABLE into the new folder DIR.

    The copy is verified with the public keys of the table. Each problem is printed, and the exit code is then 1. If a
    stored span is wrong, the archive in DIR has the segments before it.
    """
    from controller.journal import audit_journal
    from controller.room import SpanError, StoreError, TablesFile, copy_journal, read_spans

    with exit_on_bad_input(), exit_on(SpanError, StoreError, code=EXIT_CHECK_FAILED):
        keys = TablesFile(tables).find_by_name(table).keys
        if folder.exists():
            raise BadInputError(f"{folder}: exists, expected a new folder")
        path = folder / "table.journal"
        with closing(read_spans(database, table)) as spans:
            heads = copy_journal(spans, keys, path)
        report = audit_journal(path, keys)
    click.echo(f"{path}: {report.records} records, to record {heads[-1].number} of segment {heads[-1].segment}")
    for finding in report.findings:
        print(f"potkeeper: {to_one_line(finding.line)}", file=sys.stderr)
    if report.findings:
        sys.exit(EXIT_CHECK_FAILED)


@room_group.command("verify")
@_database_option
@_tables_option
@click.option(
    "--heads", "head_logs", type=_FILE, multiple=True, help="Log of signed heads of a table. May be repeated."
)
@click.option("--table", "names", multiple=True, help="Check only this table. May be repeated.")
def verify(database: str, tables: Path, head_logs: tuple[Path, ...], names: tuple[str, ...]) -> None:
    """Check every span of every table, or of the named tables.

    A span that was changed, removed or damaged is printed with its table and record, and the exit code is then 1. With
    a log of heads that have left a table, the command also finds removed spans at the end of its journal. Problems that
    are alerts already do not change the exit code.
    """
    from controller.integrity import read_sent_heads
    from controller.room import StoreError, TablesFile, verify_store

    has_problem = False
    with exit_on_bad_input(), exit_on(StoreError, code=EXIT_CHECK_FAILED):
        heads = [head for log in head_logs for head in read_sent_heads(log)[0]]
        for check in verify_store(database, TablesFile(tables), names, heads):
            head = check.head
            place = "no record" if head is None else f"to record {head.number} of segment {head.segment}"
            click.echo(f"{check.table}: {check.records} records, {place}")
            for problem in check.known:
                click.echo(f"{check.table}: an alert already: {to_one_line(problem)}")
            for problem in check.problems:
                print(f"potkeeper: {check.table}: {to_one_line(problem)}", file=sys.stderr)
                has_problem = True
    if has_problem:
        sys.exit(EXIT_CHECK_FAILED)


@room_group.command("alerts")
@_database_option
def alerts(database: str) -> None:
    """Print what a person must look at, such as records that are missing, oldest first."""
    from controller.room import StoreError, read_alerts

    with exit_on(StoreError, code=EXIT_CHECK_FAILED):
        for alert in read_alerts(database):
            click.echo(f"{alert.raised_at:%Y-%m-%dT%H:%M:%SZ}  {alert.table}  {alert.problem}  {alert.message}")


@room_group.command("derive")
@_database_option
@click.option("--once", is_flag=True, help="End when nothing is left to derive.")
@click.option("--again", is_flag=True, help="First derive everything again, in one transaction.")
@log_level_option
def derive_tables(database: str, once: bool, again: bool, log_level: str) -> None:
    """Derive hands, pots, calls, pushes and fills from the journals, for the views of the schema `report`.

    The journals are only read. Stop the running program before you use --again.
    """
    import signal
    import threading

    from controller.derived import derive
    from controller.room import StoreError

    configure_logging(log_level)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    with exit_on(StoreError, code=EXIT_CHECK_FAILED):
        derive(database, once=once, again=again, stopped=stopped)


@room_group.command("export")
@click.argument("day", type=click.DateTime(["%Y-%m-%d"]))
@click.option("--key", "key_file", type=_FILE, required=True, help="Private key that signs the export.")
@click.option("--table", default="", help="Only this table. Default: all tables.")
@_database_option
def export(day: datetime, key_file: Path, table: str, database: str) -> None:
    """Print what the room received on DAY in UTC as JSON lines, for an auditor.

    The lines have all records and alerts of the day. The last line is signed.
    """
    from controller.integrity import read_key
    from controller.room import SpanError, StoreError, day_limits, export_lines, read_alerts, read_spans_of_day

    with exit_on_bad_input(), exit_on(SpanError, StoreError, code=EXIT_CHECK_FAILED):
        key, (begin, end) = read_key(key_file), day_limits(day.date())
        spans = read_spans_of_day(database, begin, end, table)
        for line in export_lines(key, day.date(), table, spans, read_alerts(database, begin, end, table)):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.flush()


@room_group.command("verify-export")
@click.argument("file", type=_FILE)
@click.option("--key", "key_file", type=_FILE, required=True, help="Public key of the export.")
def verify_export_file(file: Path, key_file: Path) -> None:
    """Check that the export FILE is as the room wrote it.

    Each line that was changed, removed, added or reordered is printed, and the exit code is then 1.
    """
    from controller.integrity import read_public_key
    from controller.room import verify_export

    with exit_on_bad_input():
        public_key = read_public_key(key_file)
        try:
            with file.open("rb") as stream:
                problems = verify_export((line.removesuffix(b"\n") for line in stream), public_key)
        except OSError as error:
            raise BadInputError(f"{file}: {error.strerror or error}, expected an export of the room") from None
    for problem in problems:
        print(f"potkeeper: {file}: {problem}", file=sys.stderr)
    if problems:
        sys.exit(EXIT_CHECK_FAILED)
    click.echo(f"{file}: as the room wrote it")


@click.command()
@click.option("--journal", type=_FILE, required=True, help="Journal of the table.")
@click.option("--room", "address", metavar="URL", required=True, help="Address of the room, such as wss://room:8444.")
@click.option("--token", type=_FILE, required=True, help="File with the token that `potkeeper room add` has printed.")
@click.option("--ca", type=_FILE, help="Certificate of the room, or of its authority. Default: those of the system.")
@click.option(
    "--max-wait",
    type=click.FloatRange(0, 3600),
    default=30.0,
    show_default=True,
    help="Longest wait after an error.",
)
@click.option("--socket", type=_FILE, help="Read-only socket of the table. The room then also shows the table live.")
@log_level_option
def uplink(
    journal: Path,
    address: str,
    token: Path,
    ca: Path | None,
    max_wait: float,
    socket: Path | None,
    log_level: str,
) -> None:
    """Send the journal of a table to the room. The journal is only read."""
    require_room_extra()
    import asyncio

    from controller.journal import follow_link
    from controller.room import LiveUplink, Uplink

    with exit_on(BadInputError):
        context = _client_context(address, ca)
        try:
            token_text = read_file(token, MAX_TOKEN_BYTES).decode("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"{token}: {error}, expected the token of the table") from None
    configure_logging(log_level)
    path = follow_link(journal)
    sender = Uplink(path, address, token_text, context, max_wait_s=max_wait)

    async def run() -> None:
        if socket is None:
            await sender.run()
        else:
            live = LiveUplink(socket, path, address, token_text, context, max_wait_s=max_wait)
            await asyncio.gather(sender.run(), live.run())

    with suppress(KeyboardInterrupt):
        asyncio.run(run())


def _client_context(address: str, ca: Path | None) -> ssl.SSLContext | None:
    """Return how the certificate of the room is checked, or None on this machine. Raises BadInputError."""
    import ssl
    from urllib.parse import urlsplit

    url = urlsplit(address)
    if url.scheme == "ws" and _is_loopback(url.hostname or ""):
        return None
    if url.scheme != "wss" or not url.hostname:
        raise BadInputError(f"--room {address}: expected an address such as wss://room:{DEFAULT_PORT}")
    context = ssl.create_default_context()
    if ca is not None:
        _load(lambda: context.load_verify_locations(ca), str(ca))
    return context


def _is_loopback(host: str) -> bool:
    """Return True if this address is on the machine itself."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _load(load: Callable[[], None], files: str) -> None:
    """Load a certificate. Raises BadInputError with the names of its files."""
    try:
        load()
    except OSError as error:
        raise BadInputError(f"{files}: {error.strerror or error}, expected a certificate as PEM") from None
