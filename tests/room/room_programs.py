"""Programs of a room as processes, which tests kill, stop and start again within milliseconds.

A program is forked from a process that has already imported it, because its imports take longer than all the rest. It
is a process of its own that shares no memory with another one after its start.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple

from controller.cli import main
from controller.integrity import ChainHead
from controller.journal import JournalFollower, Stretch
from controller.room import SpanStore, StoredSpan, Uplink
from controller.room import uplink as uplink_module
from tests.service.service_process import DEADLINE_S


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.room.room_programs", "psycopg", "websockets.asyncio.server"])
    return context


class Program:
    """A program of the room, which the test kills and starts again."""

    def __init__(self, log: Path, function: Callable[..., None], *arguments: Any, fault: str = "") -> None:
        """`fault` is the name of a fault in `PLANTED_FAULTS` that the program gets, or ""."""
        self._log = log
        self._function = function
        self._arguments = arguments
        self._fault = fault
        self._process: ForkServerProcess | None = None

    def ensure_running(self) -> None:
        """Start the program if it does not run, as systemd does."""
        if self._process is not None and self._process.is_alive():
            return
        self.kill()
        arguments = (self._log, self._fault, self._function, *self._arguments)
        self._process = _context().Process(target=_run, args=arguments, daemon=True)
        self._process.start()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program if it runs."""
        if self._process is not None and self._process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Kill the program, and wait until it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.join(DEADLINE_S)
            self._process.close()
            self._process = None


def _run(log: Path, fault: str, function: Callable[..., None], *arguments: Any) -> None:
    with log.open("ab") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    if fault:
        PLANTED_FAULTS[fault]()
    function(*arguments)


def run_command(*words: str) -> None:
    """Run a command of the program, such as `room serve`."""
    main(words)


class UplinkPlace(NamedTuple):
    """Journal and token for an uplink."""

    journal: Path
    token: str


def run_uplinks(places: list[UplinkPlace], address: str, certificate: Path, acknowledged: Path, wait_s: float) -> None:
    """Run the uplinks of some tables in this process. Append the hash of each acknowledged record to a file."""
    send = uplink_module._send
    file = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    async def send_and_note(connection: Any, span: Stretch) -> None:
        await send(connection, span)
        if span.signature:
            os.write(file, span.head.hash.hex().encode() + b"\n")

    async def run() -> None:
        context = ssl.create_default_context(cafile=str(certificate))
        uplinks = [Uplink(place.journal, address, place.token, context, max_wait_s=wait_s) for place in places]
        await asyncio.gather(*(uplink.run() for uplink in uplinks))

    uplink_module._send = send_and_note
    asyncio.run(run())


# --- planted faults, which a test must find ---


def _acknowledge_early() -> None:
    """Let the room acknowledge a span before it is stored."""
    add = SpanStore.add
    tasks: set[asyncio.Task[None]] = set()

    async def add_later(store: SpanStore, table: str, spans: list[StoredSpan]) -> None:
        async def add_when_due() -> None:
            await asyncio.sleep(0.5)
            await add(store, table, spans)

        tasks.add(asyncio.create_task(add_when_due()))

    SpanStore.add = add_later  # type: ignore[method-assign,assignment]


def _accept_again() -> None:
    """Let the room send an older position than it has, so that it accepts a span twice."""
    read_position = SpanStore.read_position

    async def read_older_position(store: SpanStore, table: str) -> ChainHead | None:
        position = await read_position(store, table)
        if position is None or position.number == 0:
            return position
        connection = await store._connect()
        query = (
            "SELECT journal, segment, last_number, last_hash FROM span WHERE table_name = %s ORDER BY id DESC LIMIT 2"
        )
        rows = await (await connection.execute(query, (table,))).fetchmany(2)
        return ChainHead(*rows[-1])

    SpanStore.read_position = read_older_position  # type: ignore[method-assign,assignment]


def _remember_position() -> None:
    """Let the uplink remember what it has sent, instead of asking the room."""
    positions: dict[Path, ChainHead | None] = {}

    class RememberingFollower(JournalFollower):
        def __init__(self, path: Path, position: ChainHead | None = None) -> None:
            super().__init__(path, positions.get(path, position))

        def read(self) -> Stretch | None:
            stretch = super().read()
            positions[self.path] = self.position
            return stretch

    vars(uplink_module)["JournalFollower"] = RememberingFollower


PLANTED_FAULTS: dict[str, Callable[[], None]] = {
    "acknowledges early": _acknowledge_early,
    "accepts again": _accept_again,
    "remembers the position": _remember_position,
}
