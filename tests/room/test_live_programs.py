"""The programs of a room, killed and stopped, show the table live again, and the table never waits for them."""

from __future__ import annotations

import asyncio
import grp
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller.integrity import TableKey
from controller.room import add_table
from controller.view import live_protocol
from tests.free_ports import free_port
from tests.room.live_room import KEYS, RoomClient
from tests.room.postgres_server import PostgresServer, postgres_server, why_no_postgres
from tests.room.room_programs import Program, run_command
from tests.service.service_process import ServiceProcess, command_view, service_process, wait_until

pytestmark = pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())


class LiveBench:
    """A service, its uplink, and a room with its database, each as a process."""

    def __init__(self, folder: Path, server: PostgresServer, service: ServiceProcess) -> None:
        port = str(free_port())
        tables, token = folder / "tables.toml", folder / "token"
        token.write_text(add_table(tables, "Table 1", TableKey(KEYS[0]).public_key))
        self.live = folder / "live"
        self.service = service
        self.room = Program(
            folder / "room.log",
            run_command,
            *("room", "serve", "--database", server.database, "--tables", str(tables)),
            *("--port", port, "--live", str(self.live)),
        )
        self.uplink = Program(
            folder / "uplink.log",
            run_command,
            *("uplink", "--journal", str(service.journal), "--room", f"ws://127.0.0.1:{port}"),
            *("--token", str(token), "--max-wait", "0.3"),
            *("--socket", str(service.address.parent / "room" / "table.sock")),
        )

    def ensure_running(self) -> None:
        self.room.ensure_running()
        self.uplink.ensure_running()

    async def until(self, *, connected: bool, recorded: bool) -> None:
        """Connect to the room as often as necessary, and wait until the state of the table is as expected."""
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(
                    self.live / "room.sock", limit=live_protocol.MAX_LINE_BYTES
                )
            except OSError:
                await asyncio.sleep(0.05)
                continue
            try:
                await RoomClient(reader).until(lambda state: (state.connected, state.recorded) == (connected, recorded))
                return
            except (AssertionError, ConnectionError):
                continue
            finally:
                writer.close()


@pytest.fixture
def bench() -> Iterator[LiveBench]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="live")))
        key = folder / "table.key"
        key.write_text(KEYS[0])
        key.chmod(0o600)
        options = ("--no-trays", "--key", str(key), "--room-group", grp.getgrgid(os.getgid()).gr_name)
        service = stack.enter_context(service_process(folder / "s", *options))
        bench = LiveBench(folder, stack.enter_context(postgres_server()), service)
        stack.callback(bench.room.kill)
        stack.callback(bench.uplink.kill)
        yield bench


def test_programs_that_are_killed_or_stopped_come_back_and_the_table_never_waits(bench: LiveBench) -> None:
    link = bench.service.start()

    def wait(*, connected: bool = True, recorded: bool = True) -> None:
        asyncio.run(bench.until(connected=connected, recorded=recorded))

    bench.ensure_running()
    wait()
    for program in (bench.room, bench.uplink):
        program.kill()  # The sockets of a killed room stay in the folder.
        command_view(link, "call-floor")
        program.ensure_running()
        wait()
        command_view(link, "floor-came")
    bench.uplink.signal(signal.SIGSTOP)
    wait(connected=False, recorded=False)
    command_view(link, "call-floor")
    bench.uplink.signal(signal.SIGCONT)
    wait()
    bench.room.signal(signal.SIGSTOP)
    command_view(link, "floor-came")
    bench.room.signal(signal.SIGCONT)
    wait()
    bench.room.signal(signal.SIGTERM)
    wait_until(lambda: not list(bench.live.rglob("*.sock")), "the room removes its sockets")
