"""A real pcscd with two virtual readers, and cards that a test puts on them."""

from __future__ import annotations

import atexit
import fcntl
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from hardware.badges import ReaderState, ScardSession
from hardware.simulated.virtual_card import CardOnVirtualReader
from tests.free_ports import free_port
from tests.hardware.badge_fixtures import DEADLINE_S, wait_until

FIRST, SECOND = "Virtual PCD 00 00", "Virtual PCD 00 01"
"""PC/SC names of the two virtual readers."""


def why_no_pcscd() -> str:
    """Return the reason why the real pcscd cannot run on this machine, or "" if it can."""
    if shutil.which("pcscd", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        return "pcscd is not installed (Debian: pcscd)"
    if not VPCD.exists():
        return "vpcd is not installed (Debian: vsmartcard-vpcd)"
    try:
        import smartcard.scard  # noqa: F401
    except ImportError as error:
        return f"pyscard does not load: {error}"
    return ""


VPCD = Path("/usr/lib/pcsc/drivers/serial/libifdvpcd.so")
SYSTEM_FOLDER = Path("/run/pcscd")
"""Folder in which pcscd creates its socket. The path cannot be configured."""

# Folder that replaces the system folder for the private pcscd of the tests.
PRIVATE = 'mount -t tmpfs none /run && mkdir /run/pcscd && mount --bind "$0" /run/pcscd && exec "$@"'


class Pcscd:
    """Private pcscd of the tests, with its socket and two virtual readers."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port(neighbours=1)  # The second slot of vpcd uses the next port.
        self._config = folder / "reader.conf"
        self._log = folder / "log"
        self._folder = folder / "run"
        self._folder.mkdir(exist_ok=True)
        self._wrap = self._private()
        if not self._wrap:
            self._folder = SYSTEM_FOLDER
        self._process: subprocess.Popen[bytes] | None = None

    def _private(self) -> list[str]:
        """Return the command prefix that gives pcscd a private /run, or an empty list if that is not allowed."""
        for options in (["-m"], ["-r", "-m"]):
            command = ["unshare", *options, "sh", "-c", PRIVATE, str(self._folder)]
            if subprocess.run([*command, "true"], check=False, capture_output=True, timeout=DEADLINE_S).returncode == 0:
                return command
        return []

    @property
    def socket(self) -> Path:
        return self._folder / "pcscd.comm"

    @property
    def shared(self) -> bool:
        return not self._wrap

    def start(self, *further_readers: str) -> None:
        """Start pcscd, with two virtual readers more for each of these names, and wait until it answers."""
        text = ""
        for name, port in zip(("Virtual PCD", *further_readers), itertools.count(self.port, 2), strict=False):
            text += f'FRIENDLYNAME "{name}"\nDEVICENAME /dev/null:0x{port:04X}\n'
            text += f"LIBPATH {VPCD}\nCHANNELID 0x{port:04X}\n"
        self._config.write_text(text)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._wrap, "pcscd", "--foreground", "--config", str(self._config)],
                stdout=log,
                stderr=log,
                env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            )
        wait_until(lambda: self._answers() or self._process is None or self._process.poll() is not None)
        assert self._process.poll() is None, self._log.read_text()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.socket)) == 0

    def stop(self, stop_signal: signal.Signals = signal.SIGTERM) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(stop_signal)
            process.wait(DEADLINE_S)


@cache
def _folder_of_process() -> Path:
    """Return the folder of pcscd, which is the same for all tests of this process.

    The client library reads the path of the socket only once in a process.
    """
    folder = Path(tempfile.mkdtemp(prefix="potkeeper-pcscd-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@pytest.fixture(scope="module")
def pcscd_home() -> Iterator[Pcscd]:
    if reason := why_no_pcscd():
        pytest.skip(reason)
    daemon = Pcscd(_folder_of_process())
    lock = None
    if daemon.shared:
        # The lock lets only one test run at a time use the system folder. If the machine already runs a pcscd, the
        # tests are skipped.
        lock = os.open(Path(tempfile.gettempdir(), "potkeeper-pcscd.lock"), os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if daemon.socket.exists() and daemon._answers():
            pytest.skip("a pcscd runs on this machine and no private one is possible (unshare is not allowed)")
        if not os.access("/run", os.W_OK):
            pytest.skip("no private pcscd (unshare is not allowed), and /run/pcscd needs root")
        SYSTEM_FOLDER.mkdir(exist_ok=True)
    before = os.environ.get("PCSCLITE_CSOCK_NAME")
    os.environ["PCSCLITE_CSOCK_NAME"] = str(daemon.socket)
    yield daemon
    daemon.stop()
    del os.environ["PCSCLITE_CSOCK_NAME"]
    if before is not None:
        os.environ["PCSCLITE_CSOCK_NAME"] = before
    if lock is not None:
        os.close(lock)


@pytest.fixture
def pcscd(pcscd_home: Pcscd) -> Iterator[Pcscd]:
    pcscd_home.start()
    yield pcscd_home
    pcscd_home.stop()


@contextmanager
def inserted(*cards: CardOnVirtualReader) -> Iterator[None]:
    for card in cards:
        card.insert()
    try:
        yield
    finally:
        for card in cards:
            card.remove()


def reader_has_card(reader: str) -> bool:
    session = ScardSession()
    try:
        return session.wait_for_changes({reader: ReaderState(is_working=False)}, 0)[reader].has_card
    finally:
        session.close()
