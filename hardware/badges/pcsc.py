"""PC/SC as this project needs it: readers, changes at them, one exchange with a card; errors instead of codes.

A thin layer over pyscard's `smartcard.scard`. Source: PC/SC Workgroup, part 5; pcsc-lite's winscard.h.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar

from firmware_bridge.errors import PotkeeperError, Whose

NO_SERVICE: Final = "no-service"
UNPLUGGED: Final = "unplugged"
Trouble: TypeAlias = Literal["no-service", "unplugged", "not-allowed", "error"]
T = TypeVar("T", bound=str)


class PcscError(PotkeeperError):
    """The service or a reader does not do its work: `no-service` (pcscd does not run), `unplugged`, `not-allowed`, or
    `error`, with the `code` of PC/SC."""

    whose: ClassVar[Whose] = "sensor"

    def __init__(self, reason: Trouble, code: int = 0) -> None:
        super().__init__(f"{reason}-{code:08X}" if code else reason)
        self.reason: Trouble = reason
        self.code = code


class CardGoneError(PotkeeperError):
    """The card left the field, or was put in anew, before the exchange was done."""

    whose: ClassVar[Whose] = "person"


class CardMuteError(PotkeeperError):
    """There is a card, but no talking to it; the message is the code of PC/SC."""

    whose: ClassVar[Whose] = "sensor"


@dataclass(frozen=True, slots=True)
class ReaderState:
    """A reader at one moment. `raw` is handed back to `changes`; `count` grows with every card put in or taken out."""

    present: bool = False
    mute: bool = False
    working: bool = True
    count: int = 0
    raw: int = 0


class Connection(Protocol):
    """One card, connected."""

    def transmit(self, command: bytes) -> bytes:
        """The card's answer, with its two status bytes. Raises CardGoneError, CardMuteError, PcscError."""

    def close(self) -> None:
        """Lets the card go; never raises."""


class Session(Protocol):
    """A connection to the PC/SC service. Every method raises PcscError when the service is gone."""

    def readers(self) -> tuple[str, ...]:
        """The readers' names; none is no error."""

    def changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        """Readers whose state is not the one known, at once or within `wait_ms`; empty when there are none."""

    def connect(self, reader: str) -> Connection:
        """Talks to the card at a reader. Raises CardGoneError, CardMuteError."""

    def close(self) -> None:
        """Ends the session; never raises."""


def _names(module: Any, reasons: Mapping[str, T]) -> dict[int, T]:
    return {getattr(module, name) & 0xFFFFFFFF: reason for name, reason in reasons.items() if hasattr(module, name)}


_SERVICE_REASONS: Final[Mapping[str, Trouble]] = {
    "SCARD_E_NO_SERVICE": NO_SERVICE,
    "SCARD_E_SERVICE_STOPPED": NO_SERVICE,
    "SCARD_F_COMM_ERROR": NO_SERVICE,
    "SCARD_E_INVALID_HANDLE": NO_SERVICE,
    "SCARD_E_READER_UNAVAILABLE": UNPLUGGED,
    "SCARD_E_UNKNOWN_READER": UNPLUGGED,
}
_GONE: Final = {
    "SCARD_W_REMOVED_CARD": "removed",
    "SCARD_W_RESET_CARD": "reset",
    "SCARD_E_NO_SMARTCARD": "no card",
}
_MUTE: Final = {
    "SCARD_W_UNRESPONSIVE_CARD": "unresponsive",
    "SCARD_W_UNPOWERED_CARD": "unpowered",
    "SCARD_W_UNSUPPORTED_CARD": "unsupported",
    "SCARD_E_PROTO_MISMATCH": "protocol",
    "SCARD_E_NOT_TRANSACTED": "not transacted",
    "SCARD_E_SHARING_VIOLATION": "in use by another program",
    "SCARD_F_INTERNAL_ERROR": "internal",
    "SCARD_W_SECURITY_VIOLATION": "not allowed",
}


class _Codes:
    """pyscard's module and what its codes mean here."""

    def __init__(self) -> None:
        import smartcard.scard as module

        self.api: Any = module
        self._service = _names(module, _SERVICE_REASONS)
        self._gone = _names(module, _GONE)
        self._mute = _names(module, _MUTE)

    def check(self, code: int) -> None:
        """Raises what a code other than success means."""
        code &= 0xFFFFFFFF
        if code == self.api.SCARD_S_SUCCESS:
            return
        if code in self._gone:
            raise CardGoneError(self._gone[code])
        if code in self._mute:
            raise CardMuteError(self._mute[code])
        if code in self._service:
            raise PcscError(self._service[code])
        raise PcscError("error", code)

    def is_(self, code: int, name: str) -> bool:
        return bool((code ^ getattr(self.api, name)) & 0xFFFFFFFF == 0)


class ScardConnection:
    """A card behind the real PC/SC."""

    def __init__(self, codes: _Codes, context: object, reader: str) -> None:
        api = codes.api
        self._codes = codes
        code, self._handle, self._protocol = api.SCardConnect(
            context, reader, api.SCARD_SHARE_SHARED, api.SCARD_PROTOCOL_T0 | api.SCARD_PROTOCOL_T1
        )
        codes.check(code)

    def transmit(self, command: bytes) -> bytes:
        """See `Connection`."""
        code, answer = self._codes.api.SCardTransmit(self._handle, self._protocol, list(command))
        self._codes.check(code)
        return bytes(each & 0xFF for each in answer)

    def close(self) -> None:
        """See `Connection`."""
        self._codes.api.SCardDisconnect(self._handle, self._codes.api.SCARD_LEAVE_CARD)


class ScardSession:
    """The real PC/SC service. Making one raises PcscError when pcscd does not run."""

    def __init__(self) -> None:
        self._codes = _Codes()
        self._api = self._codes.api
        code, self._context = self._api.SCardEstablishContext(self._api.SCARD_SCOPE_SYSTEM)
        if self._codes.is_(code, "SCARD_W_SECURITY_VIOLATION"):
            raise PcscError("not-allowed")
        self._checked(code)

    def readers(self) -> tuple[str, ...]:
        """See `Session`."""
        code, names = self._api.SCardListReaders(self._context, [])
        if self._codes.is_(code, "SCARD_E_NO_READERS_AVAILABLE"):
            return ()
        self._checked(code)
        return tuple(names)

    def changes(self, known: Mapping[str, ReaderState], wait_ms: int) -> dict[str, ReaderState]:
        """See `Session`."""
        asked = [(name, state.raw) for name, state in known.items()]
        code, states = self._api.SCardGetStatusChange(self._context, wait_ms, asked)
        if self._codes.is_(code, "SCARD_E_TIMEOUT"):
            return {}
        self._checked(code)
        return {name: state for name, raw, _ in states if (state := self._state(raw)) != known[name]}

    def _state(self, raw: int) -> ReaderState:
        api = self._api
        lost = api.SCARD_STATE_UNKNOWN | api.SCARD_STATE_UNAVAILABLE | api.SCARD_STATE_IGNORE
        return ReaderState(
            present=bool(raw & api.SCARD_STATE_PRESENT),
            mute=bool(raw & api.SCARD_STATE_MUTE),
            working=not raw & lost,
            count=raw >> 16 & 0xFFFF,
            raw=raw & ~api.SCARD_STATE_CHANGED,
        )

    def connect(self, reader: str) -> Connection:
        """See `Session`."""
        return ScardConnection(self._codes, self._context, reader)

    def close(self) -> None:
        """See `Session`."""
        with suppress(PcscError):
            self._api.SCardReleaseContext(self._context)

    def _checked(self, code: int) -> None:
        """For calls that concern no card: whatever is wrong is wrong with the service."""
        if self._codes.is_(code, "SCARD_W_SECURITY_VIOLATION"):
            # pcsc-lite's word for a connection that was cut, as pcscd does to a client that may not use it. One that
            # worked before was cut because pcscd was killed.
            raise PcscError(NO_SERVICE)
        try:
            self._codes.check(code)
        except (CardGoneError, CardMuteError):
            raise PcscError("error", code & 0xFFFFFFFF) from None


def answer_of(connection: Connection, command: Sequence[int] | bytes) -> bytes | None:
    """The data of an answer with status 90 00, fetched where a T=0 card says "61 nn"; None with any other status."""
    answer = connection.transmit(bytes(command))
    if len(answer) == 2 and answer[0] == 0x61:
        answer = connection.transmit(bytes((0x00, 0xC0, 0x00, 0x00, answer[1])))
    return answer[:-2] if answer[-2:] == b"\x90\x00" else None
