"""A service as a process, and what the tests of this folder say to it."""

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
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from controller.config import read_config
from controller.simulation.demo import Link
from controller.table import parse
from controller.view import Command, Refused, SeatView, TableView, ToScreen, decode_to_screen, encode
from hardware.layout import load, reference
from hardware.simulated.pty_rig import PtyTable
from hardware.simulated.world import World

DEADLINE_S = 20.0
"""For what takes a second: only a broken test waits so long."""
TOLD_S = 3.0
"""What lies on a spot has been told by then, also the first time."""
ROOT = Path(__file__).parents[2]

CONFIG = """
button = 1
stacks = { 1 = 1000, 2 = 1000, 3 = 1000, 4 = 1000 }
names  = { 1 = "ann", 2 = "ben", 3 = "cho", 4 = "dev" }
[game]
blinds = [5, 10]
"""


def until(true: Callable[[], object], what: str, limit_s: float = DEADLINE_S) -> None:
    """Waits for something outside this process that tells nobody."""
    end_s = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < end_s, f"not within {limit_s:g} s: {what}"
        time.sleep(0.005)


def plain(view: TableView) -> TableView:
    """The view without what another run of the service may show otherwise."""
    return msgspec.structs.replace(view, run=0, sequence=0, devices=())


class Served:
    """One table's service: started, killed, started again on the same journal."""

    def __init__(self, folder: Path, *options: str, config: str = CONFIG, journal: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.address = folder / "table.sock"
        self.journal = journal or folder / "journal.db"
        self._config = folder / "table.toml"
        self._config.write_text(config)
        self._options = options
        self.environment: dict[str, str] | None = None
        """Of the process, where it is another than ours."""
        self._process: subprocess.Popen[bytes] | None = None
        self._links: list[Link] = []

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> Link:
        """Starts the process and waits for the socket; gives a connection to it."""
        self.address.unlink(missing_ok=True)
        return self.start_beside()

    def start_beside(self) -> Link:
        """The same with the socket of the last run still lying there."""
        arguments = ["--config", str(self._config), "--journal", str(self.journal), "--socket", str(self.address)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", *arguments, *self._options],
            cwd=ROOT,
            env=self.environment,
        )
        until(self._up, "the service's socket")
        return self.link()

    def _up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the service has ended"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.address)) == 0

    def link(self) -> Link:
        """One more connection."""
        link = Link(self.address)
        self._links.append(link)
        return link

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def ended(self) -> int:
        """The exit code of a process that ends by itself."""
        assert self._process is not None
        return self._process.wait(DEADLINE_S)

    def hang_up(self) -> None:
        """Closes all connections."""
        for link in self._links:
            link.close()
        self._links.clear()

    def end(self) -> None:
        """SIGTERM, and closes all connections."""
        self.hang_up()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            assert self._process.wait(DEADLINE_S) == 0


@contextlib.contextmanager
def served(folder: Path, *options: str, config: str = CONFIG, journal: Path | None = None) -> Iterator[Served]:
    """A service that has not been started yet; ended in any case."""
    service = Served(folder, *options, config=config, journal=journal)
    try:
        yield service
    finally:
        service.end()


class Bare:
    """A bare connection, line by line, for what no screen would send."""

    def __init__(self, address: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        self.socket.connect(str(address))
        self._lines = self.socket.makefile("rb")
        self._name = secrets.token_hex(8)
        self._last = 0
        self.shown = 0
        """The newest view that was read."""

    def close(self) -> None:
        self._lines.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> bytes:
        """The next line; b"" where the service has hung up."""
        return self._lines.readline()

    def message(self) -> ToScreen:
        line = self.line()
        assert line, "the service hung up"
        message = decode_to_screen(line)
        if message.view is not None:
            self.shown = message.view.sequence
        return message

    def reply(self) -> tuple[int, Refused | None]:
        """The next reply; views are passed over."""
        while (reply := self.message().reply) is None:
            pass
        return reply.id, reply.refused

    def command(self, do: str) -> Refused | None:
        """A line of which nobody knows whether it is a step, and what came of it."""
        self.send(encode(self.next(do)))
        return self.reply()[1]

    def next(self, do: str) -> Command:
        """A command that has not been sent, of the newest view that was read."""
        self._last += 1
        return Command(client=self._name, id=self._last, do=do, shown=self.shown)

    def view(self) -> TableView:
        """The next view; replies are passed over."""
        while (view := self.message().view) is None:
            pass
        return view

    def beat(self) -> int:
        """The next beat; all else is passed over."""
        while not (beat := self.message().beat):
            pass
        return beat


def connected(address: Path) -> contextlib.closing[Bare]:
    """A bare connection for a while."""
    return contextlib.closing(Bare(address))


STEADY_S = 1.2
"""A reading of every spot and four motion gaps of the quick layout: what a tray has to tell, it has told by then."""


class Felt:
    """A table with devices on ptys, its chips, and the service that reads them."""

    def __init__(self, service: Served, table: PtyTable) -> None:
        self.service = service
        self.table = table

    def start(self) -> Link:
        """Starts the service and waits until all devices answer."""
        for port in self.table.layout.ports.values():
            forget_settings(port)
        link = self.service.start_beside()
        assert link.wait(lambda view: len(view.devices) == len(self.table.layout.ports), DEADLINE_S)
        assert link.wait(lambda view: all(device.up for device in view.devices), DEADLINE_S)
        return link

    def put(self, seat: int, *chips: int) -> None:
        with self.table.hands() as world:
            world.put(seat, chips)

    def sweep(self) -> None:
        with self.table.hands() as world:
            world.sweep()


@contextlib.contextmanager
def felt(folder: Path, config: str = CONFIG) -> Iterator[Felt]:
    """A table of the configuration with nothing on it; the service has not been started yet."""
    file = quick_layout(folder)
    layout = load(file)
    players = read_config(config).table.players
    world = World({seat: player.stack for seat, player in players.items()}, chips=layout.chip_set)
    with PtyTable(layout, world) as table:
        ports = [part for name, port in table.layout.ports.items() for part in ("--port", f"{name}={port}")]
        with served(folder, "--layout", str(file), *ports, config=config) as service:
            yield Felt(service, table)


def forget_settings(port: str) -> None:
    """A pty has no parity: asked for nothing but that, as by a second program with the same settings, it refuses."""
    descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        settings = termios.tcgetattr(descriptor)
        settings[4] = settings[5] = termios.B300
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    finally:
        os.close(descriptor)


def command(link: Link, do: str) -> Refused | None:
    """Sends a step; gives why it was refused, or None."""
    return link.command(parse(do))


def done(link: Link, do: str) -> TableView:
    """Sends a command, which is done; gives the view that has it: it comes before the answer."""
    assert command(link, do) is None
    return link.view()


def codes(view: TableView) -> list[tuple[str, int]]:
    """The alerts: their codes, each with its seat, 0 for none."""
    return [(alert.code, alert.values.seat) for alert in view.alerts]


def book(view: TableView) -> TableView:
    """The view without what only says that a tray is looking again."""
    calm = tuple(msgspec.structs.replace(seat, tray="ok") if seat.tray == "unsettled" else seat for seat in view.seats)
    return msgspec.structs.replace(plain(view), seats=calm, provisional=False)


def steady(link: Link) -> TableView:
    """The view, in which nothing happens although the trays have time to tell."""
    view = book(link.view())
    changed = link.wait(lambda other: book(other) != view, STEADY_S)
    assert not changed, f"{book(link.view())} after {view}"
    assert link.wait(lambda other: plain(other) == view, DEADLINE_S)
    return view


def posted(table: Felt, link: Link) -> None:
    """Seats 2 and 3 put in their blinds, 5 and 10, one after the other: two readers see them, and the first may be
    settled before the second has begun. A spot that had not told anything yet tells the blind as what lies there."""
    for number, chips in ((2, (5,)), (3, (5, 5))):
        table.put(number, *chips)
        link.wait(lambda view, number=number: seat(view, number).tray == "unsettled", TOLD_S)  # type: ignore[misc]
        assert link.wait(lambda view, number=number: seat(view, number).tray == "ok", DEADLINE_S)  # type: ignore[misc]


def seat(view: TableView, number: int) -> SeatView:
    return view.seats[number - 1]


def quick_layout(folder: Path, motion_gap_ms: int = 300) -> Path:
    """The reference table with fast tags and a short motion gap, as a file."""
    text = (ROOT / "hardware" / "layout.toml").read_text()
    for old, new in (
        (f"motion_gap_ms  = {reference().sensing.motion_gap_ms}", f"motion_gap_ms  = {motion_gap_ms}"),
        ('technology     = "iso15693"', 'technology     = "mode3"'),
        ("# encoded = ", "encoded = "),
    ):
        assert old in text
        text = text.replace(old, new)
    path = folder / "layout.toml"
    path.write_text(text)
    return path


def marked(environment: str) -> list[int]:
    """The processes that run with this text in their environment, zombies apart."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if environment.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
    return found
