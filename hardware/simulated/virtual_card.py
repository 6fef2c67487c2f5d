"""Virtual badge: a card with a UID and the badge applet, on the virtual card reader of vsmartcard.

`CardApplet` computes the answer to each command. `VirtualCard` is a card that a test puts on the virtual card reader
and takes away. PIV cards are in `virtual_piv_card.py`. Source: readers.md, 6. The commands are in
hardware/badges/card_commands.py.
"""

from __future__ import annotations

import socket
import threading
from typing import Final, Protocol

from hardware.badges import (
    AID,
    CHALLENGE_BYTES,
    GET_UID_COMMAND,
    SELECT_COMMAND,
    STORE_KEY_HEADER,
    compute_answer,
)

VPCD_PORT: Final = 35963
"""TCP port of vpcd's first slot. The second slot uses the next port."""
ATR: Final = bytes.fromhex("3B80800101")
"""Answer to reset (ATR) of a contactless card with the protocol T=1 and without historical bytes (PC/SC part 3)."""
CONNECT_RETRY_S: Final = 0.05
"""Pause between two attempts to connect to the virtual card reader, which is missing until pcscd has started."""
JOIN_TIMEOUT_S: Final = 5.0
"""Maximum time until the thread ends after its socket is closed."""
MAX_MESSAGE_BYTES: Final = 65535
"""Maximum length of a message, because its length field has two bytes."""

OK: Final = b"\x90\x00"
NOT_FOUND: Final = b"\x6a\x82"
WRONG_LENGTH: Final = b"\x67\x00"
NOT_SELECTED: Final = b"\x69\x85"
UNKNOWN: Final = b"\x6d\x00"


class Applet(Protocol):
    """The program of a virtual card."""

    def reset(self) -> None:
        """Forget everything except keys, as a card does when its power is switched or it is reset."""

    def answer(self, command: bytes) -> bytes:
        """Return the answer to one command, with its status bytes."""


class CardApplet:
    """Answers of a card to commands.

    A card with a `key` of None has no badge applet, like a hotel key. A card with an empty key has not got its key yet.
    """

    def __init__(self, uid: bytes, key: bytes | None) -> None:
        self.uid = uid
        self.key = key
        self._selected = False

    def reset(self) -> None:
        """Deselect the applet, as a card does when its power is switched or it is reset."""
        self._selected = False

    def answer(self, command: bytes) -> bytes:
        """Return the answer to one command, with its status bytes."""
        if command == GET_UID_COMMAND:
            return self.uid + OK
        if command[:4] == SELECT_COMMAND[:4]:
            self._selected = self.key is not None and command[5 : 5 + len(AID)] == AID
            return OK if self._selected else NOT_FOUND
        if command[:4] == STORE_KEY_HEADER:
            if self.key or not self._selected:
                return NOT_SELECTED
            if len(command) != 5 + command[4]:
                return WRONG_LENGTH
            self.key = command[5:]
            return OK
        if command[:4] == b"\x00\x88\x00\x00":
            if not self.key or not self._selected:
                return NOT_SELECTED
            challenge = command[5 : 5 + CHALLENGE_BYTES]
            if len(challenge) < CHALLENGE_BYTES or command[4] != CHALLENGE_BYTES:
                return WRONG_LENGTH
            return compute_answer(self.key, challenge) + OK
        return UNKNOWN


class CardOnVirtualReader:
    """One card for one virtual card reader: `insert` puts the card on the reader, and `remove` takes it away.

    If pcscd restarts, a card on the reader connects again, like a real card that was left there.
    """

    def __init__(self, applet: Applet, port: int = VPCD_PORT, host: str = "127.0.0.1", atr: bytes = ATR) -> None:
        self._applet = applet
        self._address = (host, port)
        self._atr = atr
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_removed = threading.Event()
        self._thread: threading.Thread | None = None

    def insert(self) -> None:
        """Put the card on the card reader. The card is present as soon as pcscd has started the reader."""
        if self._thread is None:
            self._is_removed = threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(self._is_removed,), name="virtual card", daemon=True
            )
            self._thread.start()

    def remove(self) -> None:
        """Take the card away. The card is gone when this method returns."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with self._lock:
            self._is_removed.set()
            if self._socket is not None:
                self._shut_down(self._socket)
        thread.join(JOIN_TIMEOUT_S)

    def _run(self, is_removed: threading.Event) -> None:
        while not is_removed.is_set():
            try:
                connection = socket.create_connection(self._address, timeout=JOIN_TIMEOUT_S)
            except OSError:
                is_removed.wait(CONNECT_RETRY_S)
                continue
            with connection:
                connection.settimeout(None)
                # Without TCP_NODELAY, a command takes 44 ms, because the other side delays its acknowledgement.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    if is_removed.is_set():
                        return
                    self._socket = connection
                try:
                    self._serve(connection)
                except OSError:
                    # The connection to the card reader is lost. The card tries again until the card reader is back.
                    is_removed.wait(CONNECT_RETRY_S)
                finally:
                    with self._lock:
                        self._socket = None

    def _serve(self, connection: socket.socket) -> None:
        """Answer commands until the card reader closes the connection."""
        while True:
            length = _receive_exactly(connection, 2)
            message = _receive_exactly(connection, int.from_bytes(length, "big"))
            if message == b"\x04":
                _send(connection, self._atr)
            elif len(message) == 1:
                self._applet.reset()
            else:
                _send(connection, self._applet.answer(message))

    @staticmethod
    def _shut_down(connection: socket.socket) -> None:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


class VirtualCard(CardOnVirtualReader):
    """A card with the badge applet for one virtual card reader."""

    def __init__(self, uid: str, key: bytes | None, port: int = VPCD_PORT, host: str = "127.0.0.1") -> None:
        self.applet = CardApplet(bytes.fromhex(uid), key)
        super().__init__(self.applet, port, host)


def _send(connection: socket.socket, message: bytes) -> None:
    assert len(message) <= MAX_MESSAGE_BYTES
    connection.sendall(len(message).to_bytes(2, "big") + message)


def _receive_exactly(connection: socket.socket, count: int) -> bytes:
    """Read `count` bytes from the connection. Raise OSError if it ends early."""
    data = b""
    while len(data) < count:
        # The kernel turns TCP_QUICKACK off after a while, so the option is set again before every read.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionResetError("the virtual reader closed the line")
        data += part
    return data
