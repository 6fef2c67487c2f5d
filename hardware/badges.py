"""Floor badges: cards that say who gives an order, by PC/SC.

A badge is identified by the UID of the card (`FF CA 00 00 00`, answered by the reader). A UID can be copied, so that
proves nothing; what proves is a challenge that only the card's own key can answer. Our applet:

    SELECT                 00 A4 04 00 0A <AID> 00           -> 90 00
    INTERNAL AUTHENTICATE  00 88 00 00 10 <challenge> 20     -> HMAC-SHA-256(key, challenge), 90 00

AID is F0 "POTKEEPER", the challenge 16 random bytes, used once. A card without the applet, or with another key, is
shown as what its UID says and is not `proven`; the service decides what that is good for.

`BadgeMonitor` watches all readers in a thread of its own. pcscd may come, go and come back at any time.
Source: PC/SC Workgroup part 3 (UID), ISO 7816-4 (SELECT, INTERNAL AUTHENTICATE), RFC 2104.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
import threading
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from firmware_bridge.clock import monotonic_us
from hardware.pcsc import (
    NO_SERVICE,
    UNPLUGGED,
    CardGoneError,
    CardMuteError,
    Connection,
    PcscError,
    ReaderState,
    ScardSession,
    Session,
    answer_of,
)

Role = Literal["dealer", "floor", "technician"]

AID: Final = b"\xf0POTKEEPER"
CHALLENGE_BYTES: Final = 16
GET_UID: Final = bytes.fromhex("FFCA000000")
SELECT: Final = bytes((0x00, 0xA4, 0x04, 0x00, len(AID))) + AID + b"\x00"

ALL_READERS: Final = "pcscd"
"""Stands for the reader in `BadgeReaderOffline` and `BadgeReaderOnline` where none can be named."""

POLL_MS: Final = 250
"""Longest wait for a change before readers are listed again: a reader that is plugged in is seen within this."""
RETRY_S: Final = 0.25
"""Between two attempts to reach pcscd: its restart is seen well within a second, a dead one costs nothing."""
STOP_S: Final = 5.0
"""Longest wait for the thread to end: twenty polls; a driver that hangs must not keep the service alive."""
READ_TRIES: Final = 3
"""Exchanges with a card that is reset or moved meanwhile; after these it counts as unreadable until put in anew."""
_log: Final = logging.getLogger(__name__)

MAX_BADGES: Final = 500
"""Badges of one house: far more than any has dealers and floor people."""
UID_DIGITS: Final = (8, 14, 20)
"""Hex digits of a UID of one, two or three levels (ISO 14443-3)."""
KEY_DIGITS: Final = (32, 128)
"""Least and most hex digits of a key: 16 bytes are out of reach of guessing, beyond 64 HMAC hashes the key."""


class BadgeError(ValueError):
    """The list of badges cannot be used; one line: where, what, what was expected. Never shows a key."""


class Badge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One badge: UID in upper-case hex, who carries it, and its key in hex (empty: identified, never proven)."""

    uid: str
    name: str
    role: Role
    key: str = ""

    def __repr__(self) -> str:
        return f"Badge(uid={self.uid!r}, name={self.name!r}, role={self.role!r})"


@dataclass(frozen=True, slots=True)
class BadgeSeen:
    """A card lies on the reader. `role` is None and `name` empty where the UID is not in the list; `uid` is
    empty where the card could not be read. `proven`: it answered a challenge with its key."""

    reader: str
    uid: str
    role: Role | None
    name: str
    proven: bool
    at_us: int


@dataclass(frozen=True, slots=True)
class BadgeGone:
    """The card of the last `BadgeSeen` is not on the reader any more, or nobody can tell: its reader went offline."""

    reader: str
    at_us: int


@dataclass(frozen=True, slots=True)
class BadgeReaderOffline:
    """No badge can be read there. `reason`: `no-service` (pcscd does not run), `no-reader`, `unplugged`,
    `not-allowed`, `internal`, or `error-` and the code of PC/SC."""

    reader: str
    reason: str
    at_us: int


@dataclass(frozen=True, slots=True)
class BadgeReaderOnline:
    """The reader works (again, or for the first time); a card that lies there is told next."""

    reader: str
    at_us: int


BadgeEvent: TypeAlias = BadgeSeen | BadgeGone | BadgeReaderOffline | BadgeReaderOnline


def make_badges(values: object, where: str = "badges") -> tuple[Badge, ...]:
    """The badges of a list of tables with `uid`, `name`, `role`, `key`. Raises BadgeError."""
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise BadgeError(f"{where}: {type(values).__name__}, expected a list of badges")
    if len(values) > MAX_BADGES:
        raise BadgeError(f"{where}: {len(values)} badges, expected at most {MAX_BADGES}")
    badges: dict[str, Badge] = {}
    for number, each in enumerate(values):
        badge = _make_badge(each, f"{where}[{number}]")
        if badge.uid in badges:
            raise BadgeError(f"{where}[{number}].uid = {badge.uid}: twice in the list, expected once")
        badges[badge.uid] = badge
    return tuple(badges.values())


def _make_badge(value: object, where: str) -> Badge:
    try:
        badge = msgspec.convert(value, Badge)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at `$")
        raise BadgeError(f"{where}{path.rstrip('`')}: {text[0].lower()}{text[1:]}") from None
    uid, key = badge.uid.upper(), badge.key.upper()
    if len(uid) not in UID_DIGITS or not re.fullmatch(r"[0-9A-F]*", uid):
        raise BadgeError(f"{where}.uid = {badge.uid[:40]!r}: expected 8, 14 or 20 hex digits")
    if not badge.name or len(badge.name) > 40 or not badge.name.isprintable():
        raise BadgeError(f"{where}.name = {badge.name[:40]!r}: expected 1 to 40 printable characters")
    least, most = KEY_DIGITS
    if key and (not least <= len(key) <= most or len(key) % 2 or not re.fullmatch(r"[0-9A-F]*", key)):
        raise BadgeError(f"{where}.key: {len(key)} characters, expected {least} to {most} hex digits, two a byte")
    return Badge(uid=uid, name=badge.name, role=badge.role, key=key)


def load_badges(path: Path) -> tuple[Badge, ...]:
    """The badges of a TOML file with `[[badges]]`. Raises BadgeError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadgeError(f"{path}: {error.strerror}, expected a file with [[badges]]") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadgeError(f"{path}: {error}, expected TOML") from None
    if unknown := set(values) - {"badges"}:
        raise BadgeError(f"{path}: {min(unknown)}: no such key, expected badges")
    return make_badges(values.get("badges", []), f"{path}: badges")


def prove(key: bytes, challenge: bytes) -> bytes:
    """What a card with this key answers to a challenge."""
    return hmac.digest(key, challenge, "sha256")


def identify(connection: Connection) -> str:
    """The UID of a card in upper-case hex; empty where it has none. Raises as `Connection.transmit`."""
    uid = answer_of(connection, GET_UID) or b""
    return uid.hex().upper() if 2 * len(uid) in UID_DIGITS else ""


def proves(connection: Connection, key: bytes) -> bool:
    """Whether the card answers a new challenge with this key. Raises as `Connection.transmit`."""
    if answer_of(connection, SELECT) is None:
        return False
    challenge = secrets.token_bytes(CHALLENGE_BYTES)
    command = bytes((0x00, 0x88, 0x00, 0x00, CHALLENGE_BYTES)) + challenge + b"\x20"
    answer = answer_of(connection, command)
    return answer is not None and hmac.compare_digest(answer, prove(key, challenge))


class BadgeMonitor:
    """Watches all badge readers in a thread of its own from `start` to `stop`.

    `deliver` is called in that thread for each event, in order, and must only hand it over
    (`loop.call_soon_threadsafe(put, event)`); what it raises ends nothing. Every reader is offline until its
    `BadgeReaderOnline`; a `BadgeGone` follows each `BadgeSeen`, also when the reader goes offline."""

    def __init__(
        self,
        badges: Sequence[Badge],
        deliver: Callable[[BadgeEvent], None],
        *,
        session: Callable[[], Session] = ScardSession,
        clock: Callable[[], int] = monotonic_us,
    ) -> None:
        self._badges: Mapping[str, Badge] = {badge.uid: badge for badge in badges}
        self._deliver = deliver
        self._session = session
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="badges", daemon=True)
        self._known: dict[str, ReaderState] = {}
        self._on_reader: set[str] = set()
        self._offline: dict[str, str] = {}
        self._beat_us = clock()

    @property
    def beat_us(self) -> int:
        """When the thread last came round; older than a few seconds: a driver hangs."""
        return self._beat_us

    def start(self) -> None:
        """Begins to watch."""
        self._thread.start()

    def stop(self) -> bool:
        """Ends the thread; False where it hangs in a driver (it does not keep the process alive)."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._beat_us = self._clock()
            try:
                session = self._session()
                try:
                    while not self._stop.is_set():
                        self._round(session)
                finally:
                    session.close()
            except PcscError as error:
                self._all_offline(error.reason)
            except Exception:
                # Whatever it is, it must not end the watch: the screen says that badges do not work meanwhile.
                _log.exception("the badge readers are watched anew")
                self._all_offline("internal")
            self._stop.wait(RETRY_S)

    def _round(self, session: Session) -> None:
        """One look at everything: readers that came or went, then changes at those that are there."""
        self._beat_us = self._clock()
        names = session.readers()
        for name in [name for name in self._known if name not in names]:
            self._lost(name, "unplugged")
        if not names:
            self._set_offline(ALL_READERS, "no-reader")
            self._stop.wait(POLL_MS / 1000)
            return
        self._set_online(ALL_READERS)
        for name in names:
            self._known.setdefault(name, ReaderState(working=False))
        try:
            changed = session.changes(self._known, POLL_MS)
        except PcscError as error:
            if error.reason != UNPLUGGED:
                raise
            # One that was listed is gone already: the next round says which, the others go on.
            self._stop.wait(RETRY_S)
            return
        for name, state in changed.items():
            self._take(session, name, self._known[name], state)
        if any(not state.working for state in changed.values()):
            # A reader that does not work may say so again at once.
            self._stop.wait(POLL_MS / 1000)

    def _take(self, session: Session, name: str, before: ReaderState, now: ReaderState) -> None:
        if not now.working:
            self._lost(name, "unplugged")
            return
        self._known[name] = now
        if not before.working:
            self._set_online(name, first=True)
        # A card that was taken away and put back between two looks shows in the count alone.
        same = before.present == now.present and before.count == now.count and before.mute == now.mute
        if before.working and same:
            return
        self._gone(name)
        if now.present:
            self._look(session, name, now)

    def _look(self, session: Session, name: str, state: ReaderState) -> None:
        """Reads the card and tells what it is; nothing where it is gone again already."""
        if not state.mute:
            for _ in range(READ_TRIES):
                try:
                    connection = session.connect(name)
                    try:
                        uid = identify(connection)
                        badge = self._badges.get(uid)
                        proven = badge is not None and bool(badge.key) and proves(connection, bytes.fromhex(badge.key))
                    finally:
                        connection.close()
                except CardGoneError:
                    continue
                except CardMuteError:
                    break
                except PcscError as error:
                    if error.reason == NO_SERVICE:
                        raise
                    # This reader's trouble; the others go on.
                    break
                self._seen(name, uid, badge, proven)
                return
            if session.changes({name: state}, 0):
                # Taken away while it was read: the next round tells what is there now.
                return
        self._seen(name, "", None, False)

    def _seen(self, reader: str, uid: str, badge: Badge | None, proven: bool) -> None:
        self._on_reader.add(reader)
        role, name = (badge.role, badge.name) if badge else (None, "")
        self._tell(BadgeSeen(reader, uid, role, name, proven, self._clock()))

    def _gone(self, reader: str) -> None:
        if reader in self._on_reader:
            self._on_reader.remove(reader)
            self._tell(BadgeGone(reader, self._clock()))

    def _lost(self, reader: str, reason: str) -> None:
        self._known.pop(reader, None)
        self._gone(reader)
        self._set_offline(reader, reason)

    def _all_offline(self, reason: str) -> None:
        for reader in list(self._known):
            self._lost(reader, reason)
        self._set_offline(ALL_READERS, reason)

    def _set_offline(self, reader: str, reason: str) -> None:
        if self._offline.get(reader) != reason:
            self._offline[reader] = reason
            self._tell(BadgeReaderOffline(reader, reason, self._clock()))

    def _set_online(self, reader: str, *, first: bool = False) -> None:
        if self._offline.pop(reader, None) is not None or first:
            self._tell(BadgeReaderOnline(reader, self._clock()))

    def _tell(self, event: BadgeEvent) -> None:
        try:
            self._deliver(event)
        except Exception:
            # A closed loop, as a rule: the service is ending. No event may end the watch.
            _log.exception("a badge event was not taken: %r", event)
