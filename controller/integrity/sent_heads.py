"""Signed heads that leave the table: after each hand, the last record of the journal and its signature go elsewhere.

Whoever changes the journal later cannot change what has left the table. A target is one of these:

- a file on another device, to which lines are only appended
- the system's log, which can send lines to another machine
- an HTTP address, in `http_target`

A line is JSON:

    {"journal":"71b6…","segment":3,"number":412,"hash":"5b0c…","signature":"9f31…","sent_ms":1764077521123}

A new target needs only the members of `HeadTarget`. A thread of its own delivers the lines, so that a target that hangs
never delays the table.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections import deque
from pathlib import Path
from threading import Condition, Thread
from typing import Final, Protocol

import msgspec

from controller.integrity.high_water import StoredNumber, open_without_links
from controller.integrity.http_target import URL_SCHEMES, HttpTarget
from controller.integrity.signatures import ChainHead, IntegrityFileError
from hardware.text_input_validation import read_file

SYSLOG: Final = "syslog"
"""Name of the target that sends heads to the system's log."""
SYSLOG_SOCKET: Final = "/dev/log"
SYSLOG_TAG: Final = "potkeeper-head"
"""Name of the sender in the system's log."""
MAX_WAITING_HEADS: Final = 1_000
"""Maximum number of heads that wait for a target that is out. Of more heads, the oldest are dropped. At 30 hands an
hour, these heads are of more than a day."""
MAX_LOG_BYTES: Final = 500_000_000
"""Maximum bytes of a log of heads that are read. A million heads take 350 MB."""
SEND_TIMEOUT_S: Final = 5.0
"""Duration in seconds above which an unfinished delivery is reported as a problem."""
FIRST_RETRY_S: Final = 1.0
"""Time in seconds after the first failure until the head is sent again. Each further failure doubles it."""
MAX_RETRY_S: Final = 60.0
"""Maximum time in seconds between two attempts. A head of the next hand is tried at once."""
CLOSE_TIMEOUT_S: Final = 1.0
"""Maximum time in seconds for which a service that stops waits until the last head is delivered."""
_SYSLOG_PRIORITY: Final = 10 * 8 + 5
"""Facility `authpriv` and severity `notice`. Source: RFC 3164, 4.1.1."""


class SentHead(msgspec.Struct, frozen=True):
    """One line of a log of heads. `hash` and `signature` are in hex, and `sent_ms` is the wall-clock time."""

    journal: str
    segment: StoredNumber
    number: StoredNumber
    hash: str
    signature: str
    sent_ms: int = 0

    @property
    def head(self) -> ChainHead:
        """The head of the journal."""
        return ChainHead(self.journal, self.segment, self.number, bytes.fromhex(self.hash))


def encode_head(head: ChainHead, signature: bytes) -> bytes:
    """Return a line of a log of heads, with the present time."""
    sent_ms = time.time_ns() // 1_000_000
    return msgspec.json.encode(
        SentHead(head.journal, head.segment, head.number, head.hash.hex(), signature.hex(), sent_ms)
    )


class HeadTarget(Protocol):
    """A place outside the table that keeps heads."""

    @property
    def name(self) -> str:
        """Name of the target in messages."""

    @property
    def outage_before_alert_s(self) -> float:
        """Time in seconds without a delivery, after which the target is reported."""

    def deliver(self, line: bytes) -> None:
        """Deliver one line. Raises OSError. Only the thread of the sender calls this, and the call may take long."""


class HeadLogFile:
    """A file on another device. It may have the attribute `append only` of its file system (`chattr +a`)."""

    outage_before_alert_s = 0.0

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path

    def deliver(self, line: bytes) -> None:
        """Append the line to the file, and flush it to the device.

        A power cut or a full device may have torn the last line. The new line then begins on a line of its own.
        """
        descriptor = open_without_links(self._path, os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            data = b"\n" * is_torn + line + b"\n"
            if os.write(descriptor, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class SystemLog:
    """The system's log, which journald and rsyslog read."""

    name = SYSLOG
    outage_before_alert_s = 0.0

    def deliver(self, line: bytes) -> None:
        """Send the line as one message."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.settimeout(SEND_TIMEOUT_S)
            log.connect(SYSLOG_SOCKET)
            log.send(f"<{_SYSLOG_PRIORITY}>{SYSLOG_TAG}: ".encode() + line)


class HeadSender:
    """Sends heads to one target, in a thread of its own and in order. A head that fails is sent again later."""

    def __init__(self, target: HeadTarget) -> None:
        self._target = target
        self._waiting: deque[bytes] = deque(maxlen=MAX_WAITING_HEADS)
        self._changed = Condition()
        self._error = ""
        self._began_s: float | None = None
        self._outage_began_s: float | None = None
        """Monotonic time of the first attempt since the last delivery, or None if the last attempt was successful."""
        self._retry_s = FIRST_RETRY_S
        self._is_closed = False
        self._thread: Thread | None = None

    @property
    def error(self) -> str:
        """Reason why the last head was not delivered, or "" if there is no problem."""
        began_s, outage_began_s, now_s = self._began_s, self._outage_began_s, time.monotonic()
        if outage_began_s is None or now_s - outage_began_s < self._target.outage_before_alert_s:
            return ""
        is_late = began_s is not None and now_s - began_s > SEND_TIMEOUT_S
        return f"{self._target.name}: no answer for {SEND_TIMEOUT_S:g} s" if is_late else self._error

    def send(self, head: ChainHead, signature: bytes) -> None:
        """Send a head whose record is on disk. Never raises and never waits."""
        with self._changed:
            self._waiting.append(encode_head(head, signature))
            self._changed.notify()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="heads", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End the thread after it has tried once more to deliver all heads. A target that hangs is not waited for."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
            self._deliver_waiting()
            with self._changed:
                if self._is_closed:
                    return
                if self._error:
                    self._changed.wait(self._retry_s)  # The next head, which notifies, is tried at once.
                    self._retry_s = min(2 * self._retry_s, MAX_RETRY_S)

    def _deliver_waiting(self) -> None:
        while self._waiting:
            line = self._waiting[0]
            self._began_s = time.monotonic()
            self._outage_began_s = self._outage_began_s or self._began_s
            try:
                self._target.deliver(line)
            except OSError as error:
                self._error = f"{self._target.name}: {error.strerror or error}"
                return
            finally:
                self._began_s = None
            self._error, self._outage_began_s, self._retry_s = "", None, FIRST_RETRY_S
            with self._changed:
                if self._waiting and self._waiting[0] is line:
                    self._waiting.popleft()


def make_head_sender(target: str, ca_file: Path | None = None) -> HeadSender:
    """Return a sender for a target of the command line: `syslog`, an HTTP address, or the path of a file.

    `ca_file` has the certificates that confirm the server of an address. Raises IntegrityFileError if the address is
    not valid.
    """
    if target.startswith(URL_SCHEMES):
        return HeadSender(HttpTarget(target, ca_file))
    return HeadSender(SystemLog() if target == SYSLOG else HeadLogFile(Path(target)))


def check_head_target(target: str) -> None:
    """Raise IntegrityFileError if a target of the command line is an address that is not valid."""
    if target.startswith(URL_SCHEMES):
        HttpTarget(target, None)


def read_sent_heads(path: Path) -> tuple[list[SentHead], list[int]]:
    """Return all heads in a log of heads, and the numbers of the lines that are none.

    Raises IntegrityFileError if the file cannot be read.
    """
    try:
        *lines, rest = read_file(path, MAX_LOG_BYTES).split(b"\n")
    except OSError as error:
        raise IntegrityFileError(f"{path}: {error.strerror or error}, expected a log of heads") from None
    heads: list[SentHead] = []
    bad_lines: list[int] = []
    for number, line in enumerate([*lines, *([rest] if rest else [])], 1):
        try:
            sent = msgspec.json.decode(line, type=SentHead)
            bytes.fromhex(sent.hash + sent.signature)
        except (msgspec.MsgspecError, ValueError):
            bad_lines.append(number)
        else:
            heads.append(sent)
    return heads, bad_lines
