"""A card that is a program: UID, our applet, and the TCP side of vsmartcard's virtual reader.

`CardApplet` answers commands byte for byte and touches nothing else; `VirtualCard` is one card that a hand puts on the
virtual reader and takes away. Source: readers.md, 6; hardware/badges/card.py has the applet.
"""

from __future__ import annotations

import socket
import threading
from typing import Final

from hardware.badges import AID, CHALLENGE_BYTES, GET_UID, SELECT, prove

VPCD_PORT: Final = 35963
"""Where vpcd's first slot listens; its second slot has the next port."""
ATR: Final = bytes.fromhex("3B80800101")
"""A contactless card without historical bytes (PC/SC part 3), T=1."""
CONNECT_S: Final = 0.05
"""Between two attempts while the virtual reader is not there: it comes back within pcscd's own start-up."""
JOIN_S: Final = 5.0
"""Longest wait for the thread to end: it is woken by the closing of its socket."""
MAX_COMMAND: Final = 65535
"""The length before each message has two bytes."""

OK: Final = b"\x90\x00"
NOT_FOUND: Final = b"\x6a\x82"
WRONG_LENGTH: Final = b"\x67\x00"
NOT_SELECTED: Final = b"\x69\x85"
UNKNOWN: Final = b"\x6d\x00"


class CardApplet:
    """What a card answers. `key` None: a card without the applet, such as a copied UID or a hotel key."""

    def __init__(self, uid: bytes, key: bytes | None) -> None:
        self.uid = uid
        self.key = key
        self._selected = False

    def reset(self) -> None:
        """Power off, power on or reset: nothing is selected any more."""
        self._selected = False

    def answer(self, command: bytes) -> bytes:
        """The answer to one command, with its status bytes."""
        if command == GET_UID:
            return self.uid + OK
        if command[:4] == SELECT[:4]:
            self._selected = self.key is not None and command[5 : 5 + len(AID)] == AID
            return OK if self._selected else NOT_FOUND
        if command[:4] == b"\x00\x88\x00\x00":
            if self.key is None or not self._selected:
                return NOT_SELECTED
            challenge = command[5 : 5 + CHALLENGE_BYTES]
            if len(challenge) < CHALLENGE_BYTES or command[4] != CHALLENGE_BYTES:
                return WRONG_LENGTH
            return prove(self.key, challenge) + OK
        return UNKNOWN


class VirtualCard:
    """One card and one virtual reader: `insert` puts it there, `remove` takes it away.

    While it is inserted it comes back by itself when pcscd restarts, as a card does that lies on a reader."""

    def __init__(self, uid: str, key: bytes | None, port: int = VPCD_PORT, host: str = "127.0.0.1") -> None:
        self.applet = CardApplet(bytes.fromhex(uid), key)
        self._address = (host, port)
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._away = threading.Event()
        self._thread: threading.Thread | None = None

    def insert(self) -> None:
        """Puts the card on the reader; it is there as soon as the reader is."""
        if self._thread is None:
            self._away = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(self._away,), name="virtual card", daemon=True)
            self._thread.start()

    def remove(self) -> None:
        """Takes the card away; it is gone when this returns."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with self._lock:
            self._away.set()
            if self._socket is not None:
                self._shut(self._socket)
        thread.join(JOIN_S)

    def _run(self, away: threading.Event) -> None:
        while not away.is_set():
            try:
                line = socket.create_connection(self._address, timeout=JOIN_S)
            except OSError:
                away.wait(CONNECT_S)
                continue
            with line:
                line.settimeout(None)
                # Without these the other side's delayed acknowledgement makes a command take 44 ms.
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    if away.is_set():
                        return
                    self._socket = line
                try:
                    self._serve(line)
                except OSError:
                    # The reader is gone; a card waits for the next.
                    away.wait(CONNECT_S)
                finally:
                    with self._lock:
                        self._socket = None

    def _serve(self, line: socket.socket) -> None:
        """Answers until the reader closes the line."""
        while True:
            length = _exactly(line, 2)
            message = _exactly(line, int.from_bytes(length, "big"))
            if message == b"\x04":
                _send(line, ATR)
            elif len(message) == 1:
                self.applet.reset()
            else:
                _send(line, self.applet.answer(message))

    @staticmethod
    def _shut(line: socket.socket) -> None:
        try:
            line.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def _send(line: socket.socket, message: bytes) -> None:
    assert len(message) <= MAX_COMMAND
    line.sendall(len(message).to_bytes(2, "big") + message)


def _exactly(line: socket.socket, count: int) -> bytes:
    """`count` bytes from the line. Raises OSError when it ends before."""
    data = b""
    while len(data) < count:
        # The kernel leaves this mode by itself: it is asked for before every read.
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        part = line.recv(count - len(data))
        if not part:
            raise ConnectionResetError("the virtual reader closed the line")
        data += part
    return data
