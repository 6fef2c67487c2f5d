"""Run a service in a separate process, connect to it, and simulate its devices."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from controller.config import parse_config
from controller.simulation.demo import ServiceConnection
from controller.steps import parse_step
from controller.view import (
    Command,
    RefusalView,
    SeatView,
    ServiceMessage,
    TableView,
    protocol,
)
from hardware.layout import load_layout, reference_layout
from hardware.simulated.pty_table import PtyTable
from hardware.simulated.world import World
from hardware.spots import bet_spot

DEADLINE_S = 120.0
"""Maximum time in seconds that a test waits for an event. On a quiet machine every event comes within about a second,
so only a failing test waits this long."""
ROOT = Path(__file__).parents[2]

CONFIG = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
names  = { 1 = "ann", 2 = "ben", 3 = "cho", 4 = "dev" }
[game]
blinds = [5, 10]
"""


def wait_until(condition: Callable[[], object], description: str, limit_s: float = DEADLINE_S) -> None:
    """Test a condition every 5 ms until it is true. Raise AssertionError if it is false after `limit_s` seconds."""
    end_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end_s, f"not within {limit_s:g} s: {description}"
        time.sleep(0.005)


def without_run_details(view: TableView) -> TableView:
    """Return a copy of the view. Fields that change at a restart, such as the sequence number, are empty."""
    return msgspec.structs.replace(view, service_run=0, sequence=0, devices=())


class ServiceProcess:
    """Process that runs the service of a table. It can be killed and started again on the same journal."""

    def __init__(self, folder: Path, *options: str, config: str = CONFIG, journal: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.address = folder / "table.sock"
        self.journal = journal or folder / "journal.db"
        self._config = folder / "table.toml"
        self._config.write_text(config)
        self._options = options
        self.environment: dict[str, str] | None = None
        """Environment variables of the process, or None to inherit the variables of the test."""
        self._process: subprocess.Popen[bytes] | None = None
        self._links: list[ServiceConnection] = []

    @property
    def pid(self) -> int:
        """Return the process id of the service."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> ServiceConnection:
        """Start the process, wait until it accepts connections, and return a connection."""
        self.address.unlink(missing_ok=True)
        return self.start_with_stale_socket()

    def start_with_stale_socket(self) -> ServiceConnection:
        """Start the process as `start` does, but do not remove the socket file that a killed process has left."""
        arguments = ["--config", str(self._config), "--journal", str(self.journal), "--socket", str(self.address)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", *arguments, *self._options],
            cwd=ROOT,
            env=self.environment,
        )
        wait_until(self._is_up, "the service accepts connections")
        return self.link()

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the service has ended"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.address)) == 0

    def link(self) -> ServiceConnection:
        """Return another connection to the service."""
        link = ServiceConnection(self.address, DEADLINE_S)
        self._links.append(link)
        return link

    def kill(self) -> None:
        """Kill the process with SIGKILL and wait for its end."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def wait_for_exit(self) -> int:
        """Wait for the end of the process and return its exit code."""
        assert self._process is not None
        return self._process.wait(DEADLINE_S)

    def hang_up(self) -> None:
        """Close all connections."""
        for link in self._links:
            link.close()
        self._links.clear()

    def stop(self) -> None:
        """Close all connections and end the process with SIGTERM. Its exit code must be 0."""
        self.hang_up()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            assert self._process.wait(DEADLINE_S) == 0


@contextlib.contextmanager
def service_process(
    folder: Path, *options: str, config: str = CONFIG, journal: Path | None = None
) -> Iterator[ServiceProcess]:
    """Yield a service that is not started yet, and stop it when the context ends."""
    service = ServiceProcess(folder, *options, config=config, journal=journal)
    try:
        yield service
    finally:
        service.stop()


class RawConnection:
    """Connection to the service that sends any bytes, even bytes that no screen would send, and reads line by line."""

    def __init__(self, address: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        try:
            self.socket.connect(str(address))
        except OSError:
            self.socket.close()
            raise
        self._lines = self.socket.makefile("rb")
        self._name = secrets.token_hex(8)
        self._last = 0
        self.shown = 0
        """Sequence number of the newest view that this connection has read."""

    def close(self) -> None:
        self._lines.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send raw bytes."""
        self.socket.sendall(data)

    def line(self) -> bytes:
        """Return the next line from the service, or b"" if the service has closed the connection."""
        return self._lines.readline()

    def message(self) -> ServiceMessage:
        """Return the next message of the service."""
        line = self.line()
        assert line, "the service closed the connection"
        message = protocol.decode_service_message(line)
        if message.view is not None:
            self.shown = message.view.sequence
        return message

    def reply(self) -> tuple[int, RefusalView | None]:
        """Skip views until the next reply. Return the number of the answered command and its refusal.

        The refusal is None if the service accepted the command.
        """
        while (reply := self.message().reply) is None:
            pass
        return reply.id, reply.refused

    def command(self, do: str) -> RefusalView | None:
        """Send any text as a command and return its refusal, or None if the service accepted the command."""
        self.send(protocol.encode(self.next_command(do)))
        return self.reply()[1]

    def next_command(self, do: str) -> Command:
        """Return a new command for the newest view that this connection has read. Do not send the command."""
        self._last += 1
        return Command(client=self._name, id=self._last, do=do, view_sequence=self.shown)

    def view(self) -> TableView:
        """Skip all messages until the next view, and return this view."""
        while (view := self.message().view) is None:
            pass
        return view

    def heartbeat(self) -> int:
        """Skip all messages until the next heartbeat, and return its number."""
        while not (number := self.message().heartbeat):
            pass
        return number


def raw_connection(address: Path) -> contextlib.closing[RawConnection]:
    """Return a context manager that opens a raw connection and closes it when the context ends."""
    return contextlib.closing(RawConnection(address))


STABLE_WAIT_S = 0.6
"""Time in seconds for which a test waits for a change of the view. It is four times the motion gap of `quick_layout`,
the quiet time after which chips are settled."""
STEADY_READS = 4
"""Number of readings after which the view shows that the chips on a spot have changed.

The service needs three readings to detect a new or missing chip. It requests the fourth reading only after it has
handled the first three.
"""
ACTIVE_READS = 6
"""Number of readings for which a test waits after it has put chips on a spot. The number is above the minimum, because
some readings may fail on a busy machine."""


class CountedWorld(World):
    """Simulated world that counts the readings at each spot, so that a test can wait for readings."""

    reads: Counter[str]

    def answering_tags(self, spot: str, now_us: int) -> list[str]:
        self.reads[spot] += 1
        return super().answering_tags(spot, now_us)


class SensorTable:
    """Table with chips, simulated devices on pseudo terminals, and a service that reads these devices."""

    def __init__(self, service: ServiceProcess, table: PtyTable, world: CountedWorld) -> None:
        self.service = service
        self.table = table
        self._world = world

    def read(self, link: ServiceConnection, *seats: int, count: int = STEADY_READS) -> None:
        """Wait until each bet spot of these seats was read `count` more times. Then skip to the newest view."""
        wanted = {spot: self._world.reads[spot] + count for spot in map(bet_spot, seats)}
        wait_until(lambda: all(self._world.reads[spot] >= reads for spot, reads in wanted.items()), f"reads of {seats}")
        with raw_connection(self.service.address) as connection:
            newest = connection.view().sequence
        assert link.wait_for_view(lambda view: view.sequence >= newest, DEADLINE_S)

    def start(self) -> ServiceConnection:
        """Start the service, wait until all simulated devices answer, and return a connection."""
        for port in self.table.layout.ports.values():
            reset_port_settings(port)
        link = self.service.start_with_stale_socket()
        assert link.wait_for_view(lambda view: len(view.devices) == len(self.table.layout.ports), DEADLINE_S)
        assert link.wait_for_view(lambda view: all(device.up for device in view.devices), DEADLINE_S)
        return link

    def put_chips(self, seat: int, *chips: int) -> None:
        """Put chips of these denominations on the bet spot of a seat."""
        with self.table.exclusive_world() as world:
            world.put_on_spot(seat, chips)

    def sweep(self) -> None:
        """Move the chips on all bet spots to the pot, as the dealer's sweep does."""
        with self.table.exclusive_world() as world:
            world.sweep_to_pot()


@contextlib.contextmanager
def sensor_table(folder: Path, config: str = CONFIG) -> Iterator[SensorTable]:
    """Yield an empty table with sensors and a service that is not started yet."""
    file = quick_layout(folder)
    layout = load_layout(file)
    players = parse_config(config).table.players
    world = CountedWorld({seat: player.stack for seat, player in players.items()}, chips=layout.chip_set)
    world.reads = Counter()
    with PtyTable(layout, world) as table:
        ports = [part for name, port in table.layout.ports.items() for part in ("--port", f"{name}={port}")]
        with service_process(folder, "--layout", str(file), *ports, config=config) as service:
            yield SensorTable(service, table, world)


def reset_port_settings(port: str) -> None:
    """Set a pseudo terminal to 300 baud, so that the next program that opens it must change the speed.

    A program that finds its speed already set would change only the parity. A pseudo terminal refuses such a change,
    because it has no parity.
    """
    descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        settings = termios.tcgetattr(descriptor)
        settings[4] = settings[5] = termios.B300
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    finally:
        os.close(descriptor)


def command(link: ServiceConnection, do: str) -> RefusalView | None:
    """Send a step and return its refusal, or None if it was accepted."""
    return link.send_step(parse_step(do))


def command_view(link: ServiceConnection, do: str) -> TableView:
    """Send a step that the service must accept, and return the view after the step."""
    assert command(link, do) is None
    return link.view()


def alert_codes(view: TableView) -> list[tuple[str, int]]:
    """Return the code and the seat for each alert in a view. The seat is 0 if the alert is not about a seat."""
    return [(alert.code, alert.values.seat) for alert in view.alerts]


def without_tray_activity(view: TableView) -> TableView:
    """Return a copy of the view in which every spot is settled. Fields that change at a restart are empty."""
    seats = tuple(msgspec.structs.replace(seat, tray="ok") if seat.tray == "unsettled" else seat for seat in view.seats)
    return msgspec.structs.replace(without_run_details(view), seats=seats, provisional=False)


def stable_view(table: SensorTable, link: ServiceConnection) -> TableView:
    """Return the view after the chips on all spots have settled. Check that nothing else changes meanwhile."""
    view = without_tray_activity(link.view())
    changed = link.wait_for_view(lambda other: without_tray_activity(other) != view, STABLE_WAIT_S)
    if not changed:
        table.read(
            link, *(seat.seat for seat in link.view().seats if seat.status != "empty" and seat.tray != "offline")
        )
    assert link.wait_for_view(lambda other: without_run_details(other) == without_tray_activity(other), DEADLINE_S), (
        "a spot is not settled"
    )
    assert without_run_details(link.view()) == view
    return view


def post_blinds(table: SensorTable, link: ServiceConnection) -> None:
    """Put chips for the small blind of 5 at seat 2, and for the big blind of 10 at seat 3.

    After each blind the function waits until the chips are settled. Otherwise the service would report them as chips
    from before the start of the hand.
    """
    for number, chips in ((2, (5,)), (3, (5, 5))):
        table.put_chips(number, *chips)
        table.read(link, number, count=ACTIVE_READS)
        assert link.wait_for_view(lambda view, number=number: seat_view(view, number).tray == "ok", DEADLINE_S)  # type: ignore[misc]


def seat_view(view: TableView, number: int) -> SeatView:
    """Return the part of the view that describes the seat with this number."""
    return view.seats[number - 1]


def quick_layout(folder: Path, motion_gap_ms: int = 150) -> Path:
    """Write a layout file with fast tags and a short motion gap. Return the path of the file.

    The motion gap is the quiet time after which chips on a spot are settled.
    """
    text = (ROOT / "hardware" / "layout.toml").read_text()
    for old, new in (
        (f"motion_gap_ms  = {reference_layout().sensing.motion_gap_ms}", f"motion_gap_ms  = {motion_gap_ms}"),
        ('technology     = "iso15693"', 'technology     = "mode3"'),
        ("# encoded = ", "encoded = "),
    ):
        assert old in text
        text = text.replace(old, new)
    path = folder / "layout.toml"
    path.write_text(text)
    return path


def processes_with_environment(environment: str) -> list[int]:
    """Return the ids of other running processes with this text in their environment, except zombies."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if environment.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                pids.append(int(folder.name))
    return pids
