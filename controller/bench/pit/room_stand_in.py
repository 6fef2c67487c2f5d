"""A stand-in for the live part of a room: the socket `room.sock` with simulated tables, on a thread.

Tests and benchmarks of the pit page use it, because a thousand real tables need more than one machine.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from controller.view import live_protocol, table_summary

START_TIMEOUT_S: Final = 60.0
MAX_READ_BYTES: Final = 65_536
_VARIANTS: Final = (("holdem", "no-limit"), ("omaha", "pot-limit"), ("stud", "fixed-limit"))
_DEALERS: Final = ("Ann Lee", "Bob Hart", "Cho Min", "Dana Wolf", "Eli Stone", "Fay Brook")


def simulated_summary(number: int, random: Random) -> table_summary.TableSummary:
    """Return the summary of a simulated table. About one table of ten needs a person."""
    variant, structure = random.choice(_VARIANTS)
    attention: table_summary.Attention = random.choice(table_summary.ATTENTION_ORDER) if random.random() < 0.1 else ""
    is_call = attention in ("floor-call", "fill")
    unit = random.choice((1, 2, 5, 25))
    return table_summary.TableSummary(
        table_name=table_name(number),
        attention=attention,
        call_why="fill" if attention == "fill" else "ruling" if is_call else "",
        call_minutes=random.randrange(12) if is_call else None,
        variant=variant,
        structure=structure,
        blinds=(unit, 2 * unit) if structure != "fixed-limit" else (),
        bets=(2 * unit, 4 * unit) if structure == "fixed-limit" else (),
        prefix="$",
        hand_number=random.randrange(1, 400),
        seats="".join(random.choices("ota", (2, 10, 1), k=9)),
        hands_per_hour=random.randrange(18, 42),
        dealer=random.choice(_DEALERS),
        dealer_minutes=75 if attention == "long-since-push" else random.randrange(40),
        pot=unit * random.randrange(3, 400),
        sequence=1,
    )


def table_name(number: int) -> str:
    """Return the name of a simulated table, counted from 1."""
    return f"Table {number + 1}"


def simulated_state(number: int, random: Random, *, at_s: float = 0.0) -> live_protocol.TableState:
    """Return the state of a simulated table that is connected and recorded."""
    return live_protocol.TableState(
        table=table_name(number),
        summary=simulated_summary(number, random),
        connected=True,
        recorded=True,
        at=at_s,
        version=table_summary.SUMMARY_VERSION,
    )


def changed_state(state: live_protocol.TableState, random: Random, *, at_s: float) -> live_protocol.TableState:
    """Return the state after a step of a hand. One change of a hundred also changes what the table needs."""
    summary = simulated_summary(0, random) if random.random() < 0.01 or state.summary is None else state.summary
    summary = msgspec.structs.replace(summary, pot=summary.pot + 5, sequence=summary.sequence + 1)
    return msgspec.structs.replace(state, summary=summary, at=at_s)


@dataclass(slots=True)
class RoomStandIn:
    """Sends the states of tables to each client of `room.sock`, and passes connections on to sockets of tables."""

    folder: Path
    states: dict[str, live_protocol.TableState] = field(default_factory=dict)
    sockets: Mapping[str, Path] = field(default_factory=dict)
    """The read-only sockets of real tables by name. The other tables have no socket."""
    _loop: asyncio.AbstractEventLoop = field(init=False)
    _clients: set[asyncio.StreamWriter] = field(default_factory=set)
    _tunnels: set[asyncio.StreamWriter] = field(default_factory=set)
    _ready: threading.Event = field(default_factory=threading.Event)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, *states: live_protocol.TableState) -> None:
        """Send new states to all clients."""
        self._loop.call_soon_threadsafe(self._send, states)

    def run(self) -> None:
        """Serve the sockets until `stop`."""
        asyncio.run(self._run())

    def wait_until_ready(self) -> None:
        """Wait until the sockets exist. Raise TimeoutError if this takes too long."""
        if not self._ready.wait(START_TIMEOUT_S):
            raise TimeoutError(f"expected that the stand-in for a room starts within {START_TIMEOUT_S:.0f} s")

    def stop(self) -> None:
        """Close all connections and end."""
        self._loop.call_soon_threadsafe(self._stopped.set)

    def _send(self, states: Sequence[live_protocol.TableState]) -> None:
        self.states |= {state.table: state for state in states}
        data = b"".join(map(live_protocol.encode_line, states))
        for writer in self._clients:
            writer.write(data)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        (self.folder / live_protocol.TABLE_SOCKETS).mkdir(parents=True, exist_ok=True)
        servers = [await asyncio.start_unix_server(self._serve_client, self.folder / live_protocol.ROOM_SOCKET)]
        for number, name in enumerate(self.states):
            if name in self.sockets:
                serve = partial(self._serve_table, self.sockets[name])
                servers.append(await asyncio.start_unix_server(serve, self.folder / _socket_path(number)))
        self._ready.set()
        while not self._stopped.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), live_protocol.ALIVE_INTERVAL_S)
            for writer in self._clients:
                writer.write(live_protocol.encode_line(live_protocol.RoomAlive(time.time())))
        for server in servers:
            server.close()
        for writer in (*self._clients, *self._tunnels):
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tables = tuple(live_protocol.TableSocket(name, _socket_path(i)) for i, name in enumerate(self.states))
        writer.write(live_protocol.encode_line(live_protocol.RoomTables(tables)))
        writer.write(b"".join(map(live_protocol.encode_line, self.states.values())))
        self._clients.add(writer)
        with suppress(OSError):
            await reader.read()
        self._clients.discard(writer)
        await _close(writer)

    async def _serve_table(self, path: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass all bytes on to the socket of a table and back."""
        table_reader, table_writer = await asyncio.open_unix_connection(path)
        self._tunnels |= {writer, table_writer}
        await asyncio.gather(_copy(reader, table_writer), _copy(table_reader, writer))
        self._tunnels -= {writer, table_writer}


def _socket_path(number: int) -> str:
    return f"{live_protocol.TABLE_SOCKETS}/{number}.sock"


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(MAX_READ_BYTES):
            sink.write(data)
            await sink.drain()
    await _close(sink)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@contextmanager
def room_stand_in(
    folder: Path, states: Sequence[live_protocol.TableState], sockets: Mapping[str, Path] | None = None
) -> Iterator[RoomStandIn]:
    """Serve the states in a folder while the block runs."""
    room = RoomStandIn(folder, {state.table: state for state in states}, sockets or {})
    thread = threading.Thread(target=room.run, daemon=True, name="room")
    thread.start()
    room.wait_until_ready()
    try:
        yield room
    finally:
        room.stop()
        thread.join(START_TIMEOUT_S)
