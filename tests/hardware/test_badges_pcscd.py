"""Badges with the real pcscd: two virtual readers, virtual cards, a service that is killed and started again."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hardware.badges import (
    ALL_READERS,
    BadgeGone,
    BadgeMonitor,
    BadgeReaderOffline,
    BadgeReaderOnline,
    BadgeSeen,
)
from hardware.simulated.card import VirtualCard
from tests.hardware.listening import ANN, BOB, DEADLINE_S, HOUSE, KEY, OTHER_KEY, Heard, until


def why_no_pcscd() -> str:
    """Why the real thing cannot run here; empty when it can."""
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
"""Where pcscd makes its socket: built in."""

# A pcscd of our own sees a private folder in the place of the system's.
PRIVATE = 'mount -t tmpfs none /run && mkdir /run/pcscd && mount --bind "$0" /run/pcscd && exec "$@"'


class Pcscd:
    """A pcscd of the test's own: its socket, its two virtual readers, start and stop."""

    def __init__(self, folder: Path) -> None:
        self.port = _two_free_ports()
        self._config = folder / "reader.conf"
        self._config.write_text(
            f'FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:0x{self.port:04X}\n'
            f"LIBPATH {VPCD}\nCHANNELID 0x{self.port:04X}\n"
        )
        self._log = folder / "log"
        self._folder = folder / "run"
        self._folder.mkdir()
        self._wrap = self._private()
        if not self._wrap:
            self._folder = SYSTEM_FOLDER
        self._process: subprocess.Popen[bytes] | None = None

    def _private(self) -> list[str]:
        """The command that gives pcscd a /run of its own; empty where the machine does not allow that."""
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

    def start(self) -> None:
        """Returns when it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._wrap, "pcscd", "--foreground", "--config", str(self._config)],
                stdout=log,
                stderr=log,
                env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            )
        until(lambda: self._answers() or self._process is None or self._process.poll() is not None)
        assert self._process.poll() is None, self._log.read_text()

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.socket)) == 0

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(DEADLINE_S)


def _two_free_ports() -> int:
    """The first of two neighbouring free ports; vpcd's second slot takes the one after the first."""
    for port in range(20000 + os.getpid() % 10000, 32000, 2):
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("0.0.0.0", port))
                two.bind(("0.0.0.0", port + 1))
            except OSError:
                continue
            return port
    raise AssertionError("no two neighbouring ports are free")


@pytest.fixture(scope="module")
def pcscd_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pcscd]:
    if reason := why_no_pcscd():
        pytest.skip(reason)
    daemon = Pcscd(tmp_path_factory.mktemp("pcscd"))
    lock = None
    if daemon.shared:
        # One test run at a time has the system's folder; a pcscd that serves the machine is left alone.
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
def real_watch() -> Iterator[Heard]:
    heard = Heard()
    monitor = BadgeMonitor(HOUSE, heard)
    monitor.start()
    try:
        yield heard
    finally:
        assert monitor.stop()


@contextmanager
def lying(*cards: VirtualCard) -> Iterator[None]:
    for card in cards:
        card.insert()
    try:
        yield
    finally:
        for card in cards:
            card.remove()


FIRST, SECOND = "Virtual PCD 00 00", "Virtual PCD 00 01"


def test_real_cards_are_put_on_and_taken_away(pcscd: Pcscd) -> None:
    own = VirtualCard(ANN["uid"], KEY, pcscd.port)
    with real_watch() as heard:
        assert {heard.until(BadgeReaderOnline).reader, heard.until(BadgeReaderOnline).reader} == {FIRST, SECOND}
        for _ in range(3):
            with lying(own):
                seen = heard.until(BadgeSeen)
                assert (seen.reader, seen.uid, seen.name, seen.role, seen.proven) == (
                    FIRST,
                    "04A1B2C3",
                    "Ann",
                    "floor",
                    True,
                )
            assert heard.until(BadgeGone).reader == FIRST


@pytest.mark.parametrize(
    ("uid", "key", "name"),
    [("04A1B2C3", OTHER_KEY, "Ann"), ("04A1B2C3", None, "Ann"), ("DEADBEEF", KEY, "")],
    ids=["wrong key", "copied UID", "unknown"],
)
def test_real_cards_that_prove_nothing(pcscd: Pcscd, uid: str, key: bytes | None, name: str) -> None:
    with lying(VirtualCard(uid, key, pcscd.port)), real_watch() as heard:
        seen = heard.until(BadgeSeen)
        assert (seen.uid, seen.name, seen.proven) == (uid, name, False)


def test_two_real_readers_at_once(pcscd: Pcscd) -> None:
    one, two = VirtualCard(ANN["uid"], KEY, pcscd.port), VirtualCard(BOB["uid"], OTHER_KEY, pcscd.port + 1)
    with lying(one, two), real_watch() as heard:
        seen = {(each.reader, each.name, each.proven) for each in (heard.until(BadgeSeen), heard.until(BadgeSeen))}
        assert seen == {(FIRST, "Ann", True), (SECOND, "Bob", True)}
        two.remove()
        assert heard.until(BadgeGone).reader == SECOND
        two.insert()
        assert heard.until(BadgeSeen).reader == SECOND


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_real_pcscd_is_ended_and_started_again(pcscd: Pcscd, how: signal.Signals) -> None:
    with lying(VirtualCard(ANN["uid"], KEY, pcscd.port)), real_watch() as heard:
        assert heard.until(BadgeSeen).proven
        for _ in range(2):
            pcscd.stop(how)
            assert heard.until(BadgeGone).reader == FIRST
            gone = {(each.reader, each.reason) for each in (heard.until(BadgeReaderOffline) for _ in range(3))}
            assert gone == {(FIRST, "no-service"), (SECOND, "no-service"), (ALL_READERS, "no-service")}
            pcscd.start()
            heard.until(BadgeReaderOnline, lambda event: event.reader == FIRST)
            assert heard.until(BadgeSeen).proven


def test_no_real_pcscd_at_the_start(pcscd_home: Pcscd) -> None:
    with real_watch() as heard:
        offline = heard.until(BadgeReaderOffline)
        assert (offline.reader, offline.reason) == (ALL_READERS, "no-service")
        with lying(VirtualCard(ANN["uid"], KEY, pcscd_home.port)):
            pcscd_home.start()
            assert heard.until(BadgeSeen).proven
        pcscd_home.stop()
