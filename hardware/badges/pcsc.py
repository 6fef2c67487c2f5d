"""Thin layer over pyscard's `smartcard.scard` that raises errors instead of returning codes.

It lists readers, waits for changes at them, and exchanges commands with a card. Sources: PC/SC Workgroup, part 5;
winscard.h of pcsc-lite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar

from firmware_bridge.errors import FaultSource, PotkeeperError

NO_SERVICE: Final = "no-service"
UNPLUGGED: Final = "unplugged"
STATUS_BYTES: Final = 2
"""Bytes of the status at the end of every answer (ISO 7816-4)."""
MAX_ANSWER_PARTS: Final = 32
"""Maximum number of parts of a card's answer. A part has up to 256 bytes, and a certificate about 2,000."""
PcscReason: TypeAlias = Literal["no-service", "unplugged", "not-allowed", "error"]
T = TypeVar("T", bound=str)


class PcscError(PotkeeperError):
    """The PC/SC service or a reader does not work.

    `reason` is `no-service` (pcscd does not run), `unplugged`, `not-allowed`, or `error` with the `code` of PC/SC.
    """

    fault: ClassVar[FaultSource] = "sensor"

    def __init__(self, reason: PcscReason, code: int = 0) -> None:
        super().__init__(f"{reason}-{code:08X}" if code else reason)
        self.reason: PcscReason = reason
        self.code = code


class CardGoneError(PotkeeperError):
    """The card left the reader, or was replaced, before the exchange was complete."""

    fault: ClassVar[FaultSource] = "person"


class UnresponsiveCardError(PotkeeperError):
    """The card on the reader does not communicate. The message names the reason from PC/SC."""

    fault: ClassVar[FaultSource] = "sensor"


@dataclass(frozen=True, slots=True)
class ReaderState:
    """State of a badge reader at one moment.

    `card_event_count` grows with each card that is put on or taken away. `raw` is passed back to `wait_for_changes`.
    """

    has_card: bool = False
    is_card_mute: bool = False
    is_working: bool = True
    card_event_count: int = 0
    raw: int = 0


class CardConnection(Protocol):
    """Connection to one card."""

    def transmit(self, command: bytes) -> bytes:
        """Return the card's answer with its two status bytes.

        Raises CardGoneError, UnresponsiveCardError or PcscError.
        """

    def close(self) -> None:
        """End the connection. It never raises."""


class PcscSession(Protocol):
    """A connection to the PC/SC service. Every method raises PcscError if the service is gone."""

    def readers(self) -> tuple[str, ...]:
        """Return the names of the badge readers, or an empty tuple if no badge reader is connected."""

    def wait_for_changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        """Return the badge readers with a state that differs from `known`.

        Wait at most `wait_ms` for a change. Return an empty dict if no state changes in this time.
        """

    def connect(self, reader: str) -> CardConnection:
        """Return a connection to the card at a reader.

        Raises CardGoneError or UnresponsiveCardError.
        """

    def close(self) -> None:
        """End the session. It never raises."""


def _by_code(module: Any, reasons: Mapping[str, T]) -> dict[int, T]:
    """Return the reason for each PC/SC error code.

    The result leaves out constants that this version of pyscard does not have.
    """
    return {getattr(module, name) & 0xFFFFFFFF: reason for name, reason in reasons.items() if hasattr(module, name)}


_SERVICE_REASONS: Final[Mapping[str, PcscReason]] = {
    "SCARD_E_NO_SERVICE": NO_SERVICE,
    "SCARD_E_SERVICE_STOPPED": NO_SERVICE,
    "SCARD_F_COMM_ERROR": NO_SERVICE,
    "SCARD_E_INVALID_HANDLE": NO_SERVICE,
    "SCARD_E_READER_UNAVAILABLE": UNPLUGGED,
    "SCARD_E_UNKNOWN_READER": UNPLUGGED,
}
_GONE_REASONS: Final = {
    "SCARD_W_REMOVED_CARD": "removed",
    "SCARD_W_RESET_CARD": "reset",
    "SCARD_E_NO_SMARTCARD": "no card",
}
_UNRESPONSIVE_REASONS: Final = {
    "SCARD_W_UNRESPONSIVE_CARD": "unresponsive",
    "SCARD_W_UNPOWERED_CARD": "unpowered",
    "SCARD_W_UNSUPPORTED_CARD": "unsupported",
    "SCARD_E_PROTO_MISMATCH": "protocol",
    "SCARD_E_NOT_TRANSACTED": "not transacted",
    "SCARD_E_SHARING_VIOLATION": "in use by another program",
    "SCARD_F_INTERNAL_ERROR": "internal",
    "SCARD_W_SECURITY_VIOLATION": "not allowed",
}


class _ErrorCodes:
    """The module `smartcard.scard` of pyscard, and the reason for each of its error codes."""

    def __init__(self) -> None:
        import smartcard.scard as module

        self.api: Any = module
        self._service = _by_code(module, _SERVICE_REASONS)
        self._gone = _by_code(module, _GONE_REASONS)
        self._mute = _by_code(module, _UNRESPONSIVE_REASONS)

    def check(self, code: int) -> None:
        """Raise the exception for this PC/SC error code. Do nothing if the code means success."""
        code &= 0xFFFFFFFF
        if code == self.api.SCARD_S_SUCCESS:
            return
        if code in self._gone:
            raise CardGoneError(self._gone[code])
        if code in self._mute:
            raise UnresponsiveCardError(self._mute[code])
        if code in self._service:
            raise PcscError(self._service[code])
        raise PcscError("error", code)

    def matches(self, code: int, name: str) -> bool:
        """Return True if the error code equals the PC/SC constant of this name."""
        return bool((code ^ getattr(self.api, name)) & 0xFFFFFFFF == 0)


class ScardConnection:
    """Connection to a card through the real PC/SC service."""

    def __init__(self, codes: _ErrorCodes, context: object, reader: str) -> None:
        api = codes.api
        self._codes = codes
        code, self._handle, self._protocol = api.SCardConnect(
            context, reader, api.SCARD_SHARE_SHARED, api.SCARD_PROTOCOL_T0 | api.SCARD_PROTOCOL_T1
        )
        codes.check(code)
        try:
            # No other program can select another application between two commands of this one.
            codes.check(api.SCardBeginTransaction(self._handle))
        except PotkeeperError:
            self.close()
            raise

    def transmit(self, command: bytes) -> bytes:
        """Send a command and return the answer (see `CardConnection`)."""
        if self._protocol == self._codes.api.SCARD_PROTOCOL_T0 and len(command) > 5 and len(command) == 6 + command[4]:
            # With T=0, a command with data has no byte for the length of the answer. The card answers 61 nn instead.
            command = command[:-1]
        code, answer = self._codes.api.SCardTransmit(self._handle, self._protocol, list(command))
        self._codes.check(code)
        if len(answer) < STATUS_BYTES:
            # Some drivers return this when the card has just been taken away.
            raise UnresponsiveCardError(f"answer of {len(answer)} bytes")
        return bytes(byte & 0xFF for byte in answer)

    def close(self) -> None:
        """End the connection (see `CardConnection`)."""
        api = self._codes.api
        api.SCardEndTransaction(self._handle, api.SCARD_LEAVE_CARD)
        api.SCardDisconnect(self._handle, api.SCARD_LEAVE_CARD)


class ScardSession:
    """The real PC/SC service. Creating one raises PcscError if pcscd does not run."""

    def __init__(self) -> None:
        self._codes = _ErrorCodes()
        self._api = self._codes.api
        code, self._context = self._api.SCardEstablishContext(self._api.SCARD_SCOPE_SYSTEM)
        if self._codes.matches(code, "SCARD_W_SECURITY_VIOLATION"):
            raise PcscError("not-allowed")
        self._check_service_call(code)

    def readers(self) -> tuple[str, ...]:
        """List the readers (see `PcscSession`)."""
        code, names = self._api.SCardListReaders(self._context, [])
        if self._codes.matches(code, "SCARD_E_NO_READERS_AVAILABLE"):
            return ()
        self._check_service_call(code)
        return tuple(names)

    def wait_for_changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        """Wait for changes at the readers (see `PcscSession`)."""
        known_states = [(name, state.raw) for name, state in known.items()]
        code, states = self._api.SCardGetStatusChange(self._context, wait_ms, known_states)
        if self._codes.matches(code, "SCARD_E_TIMEOUT"):
            return {}
        self._check_service_call(code)
        return {name: state for name, raw, _ in states if (state := self._reader_state(raw)) != known[name]}

    def _reader_state(self, raw: int) -> ReaderState:
        api = self._api
        not_working_flags = api.SCARD_STATE_UNKNOWN | api.SCARD_STATE_UNAVAILABLE | api.SCARD_STATE_IGNORE
        return ReaderState(
            has_card=bool(raw & api.SCARD_STATE_PRESENT),
            is_card_mute=bool(raw & api.SCARD_STATE_MUTE),
            is_working=not raw & not_working_flags,
            card_event_count=raw >> 16 & 0xFFFF,
            raw=raw & ~api.SCARD_STATE_CHANGED,
        )

    def connect(self, reader: str) -> CardConnection:
        """Connect to a card (see `PcscSession`)."""
        return ScardConnection(self._codes, self._context, reader)

    def close(self) -> None:
        """End the session (see `PcscSession`)."""
        with suppress(PcscError):
            self._api.SCardReleaseContext(self._context)

    def _check_service_call(self, code: int) -> None:
        """Raise PcscError if a call to the service failed that concerns no particular card."""
        if self._codes.matches(code, "SCARD_W_SECURITY_VIOLATION"):
            # pcsc-lite returns this code if pcscd closed the connection, because pcscd does so to clients without
            # permission. This client had permission before, so the cause is that pcscd was killed.
            raise PcscError(NO_SERVICE)
        try:
            self._codes.check(code)
        except (CardGoneError, UnresponsiveCardError):
            raise PcscError("error", code & 0xFFFFFFFF) from None


def connected_readers() -> tuple[str, ...]:
    """Return the names of the badge readers that are connected now.

    Raises PcscError if the PC/SC service does not work, and ImportError if pyscard is not installed.
    """
    session = ScardSession()
    try:
        return session.readers()
    finally:
        session.close()


def transmit_checked(connection: CardConnection, command: Sequence[int] | bytes) -> bytes | None:
    """Return the data of an answer with status 90 00 (success), or None for any other status.

    If a card answers "61 nn", request the next nn bytes of data with a second command. If it answers "6C nn", send the
    command again with this length. A card may do so at most `MAX_ANSWER_PARTS` times.
    """
    command, data = bytes(command), b""
    for _ in range(MAX_ANSWER_PARTS):
        answer = connection.transmit(command)
        data, status = data + answer[:-STATUS_BYTES], answer[-STATUS_BYTES:]
        if status == b"\x90\x00":
            return data
        if status[:1] == b"\x61":
            command = bytes((0x00, 0xC0, 0x00, 0x00)) + status[1:]
        elif status[:1] == b"\x6c":
            command = command[:-1] + status[1:]
        else:
            return None
    return None
