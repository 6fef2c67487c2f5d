"""A service as a process, and what the tests of this folder say to it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from controller.demo import Link
from controller.view import TableView
from hardware.layout import reference

DEADLINE_S = 20.0
"""For what takes a second: only a broken test waits so long."""
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
    return msgspec.structs.replace(view, sequence=0, devices=())


class Served:
    """One table's service: started, killed, started again on the same journal."""

    def __init__(self, folder: Path, *options: str, config: str = CONFIG) -> None:
        self.address = folder / "table.sock"
        self.journal = folder / "journal.db"
        self._config = folder / "table.toml"
        self._config.write_text(config)
        self._options = options
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
            [sys.executable, "-m", "controller.cli", "serve", "--no-gpio", *arguments, *self._options], cwd=ROOT
        )
        return self.link()

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

    def end(self) -> None:
        """SIGTERM, and closes all connections."""
        for link in self._links:
            link.close()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            assert self._process.wait(DEADLINE_S) == 0


@contextlib.contextmanager
def served(folder: Path, *options: str, config: str = CONFIG) -> Iterator[Served]:
    """A service that has not been started yet; ended in any case."""
    service = Served(folder, *options, config=config)
    try:
        yield service
    finally:
        service.end()


@contextlib.contextmanager
def connected(address: Path) -> Iterator[socket.socket]:
    """A bare connection, for lines that no screen would send."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(DEADLINE_S)
        connection.connect(str(address))
        yield connection


def quick_layout(folder: Path, motion_gap_ms: int = 300) -> Path:
    """The reference table with fast tags and a short motion gap, as a file."""
    text = (ROOT / "hardware" / "layout.toml").read_text()
    for old, new in (
        (f"motion_gap_ms  = {reference().sensing.motion_gap_ms}", f"motion_gap_ms  = {motion_gap_ms}"),
        ('technology     = "iso15693"', 'technology     = "mode3"'),
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
