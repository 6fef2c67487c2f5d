"""All badge readers, watched in a thread: what lies on them, and whether they work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from firmware_bridge.clock import monotonic_us
from hardware.badges.card import identify, proves
from hardware.badges.pcsc import (
    NO_SERVICE,
    UNPLUGGED,
    CardGoneError,
    CardMuteError,
    PcscError,
    ReaderState,
    ScardSession,
    Session,
    Trouble,
)
from hardware.badges.proof import NO_OCCASION, Occasion, Proof
from hardware.badges.register import Badge, Role, label_of

ALL_READERS: Final = "pcscd"
"""Stands for the reader in `BadgeReaderOffline` and `BadgeReaderOnline` where none can be named."""

POLL_MS: Final = 250
"""Longest wait for a change before readers are listed again: a reader that is plugged in is seen within this."""
RETRY_S: Final = 0.25
"""Between two attempts to reach pcscd: its restart is seen well within a second, a dead one costs nothing."""
RENEW_US: Final = 20_000_000
"""A badge that stays on the reader is asked for a new proof this often: one that was taken out of its reader's sight
unseen, or exchanged, is noticed, and a proof that is kept is never old."""
STOP_S: Final = 5.0
"""Longest wait for the thread to end: twenty polls; a driver that hangs must not keep the service alive."""
READ_TRIES: Final = 3
"""Exchanges with a card that is reset or moved meanwhile; after these it counts as unreadable until put in anew."""
OfflineReason: TypeAlias = Trouble | Literal["no-reader", "internal"]
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BadgeSeen:
    """A card lies on the reader; told again each time that it is asked anew. `role` is None and `name` empty where the
    UID is not in the list; `uid` is empty where the card could not be read. `proven`: it answered a challenge with
    its key, which is the `proof`, on this `occasion`."""

    reader: str
    uid: str
    role: Role | None
    name: str
    proven: bool
    at_us: int
    proof: Proof | None = field(default=None, compare=False, repr=False)
    occasion: Occasion = field(default=NO_OCCASION, compare=False)

    @property
    def label(self) -> str:
        """Who decides with it, as it is recorded."""
        return label_of(self.name, self.role)


@dataclass(frozen=True, slots=True)
class BadgeGone:
    """The card of the last `BadgeSeen` is not on the reader any more, or nobody can tell: its reader went offline."""

    reader: str
    at_us: int


@dataclass(frozen=True, slots=True)
class BadgeReaderOffline:
    """No badge can be read there: `no-service` (pcscd does not run), `no-reader`, `unplugged`, `not-allowed`,
    `internal`, or `error`, with the `code` of PC/SC."""

    reader: str
    reason: OfflineReason
    at_us: int
    code: int = 0

    @property
    def why(self) -> str:
        """Reason and code, to be shown."""
        return f"{self.reason}-{self.code:08X}" if self.code else self.reason


@dataclass(frozen=True, slots=True)
class BadgeReaderOnline:
    """The reader works (again, or for the first time); a card that lies there is told next."""

    reader: str
    at_us: int


BadgeEvent: TypeAlias = BadgeSeen | BadgeGone | BadgeReaderOffline | BadgeReaderOnline


class BadgeMonitor:
    """Watches all badge readers in a thread of its own from `start` to `stop`.

    `deliver` is called in that thread for each event, in order, and must only hand it over
    (`loop.call_soon_threadsafe(put, event)`); what it raises ends nothing. Every reader is offline until its
    `BadgeReaderOnline`; a `BadgeGone` follows the last `BadgeSeen` of a card, also when the reader goes offline.
    `occasion` is called in that thread, too: what the proofs are bound to."""

    def __init__(
        self,
        badges: Sequence[Badge],
        deliver: Callable[[BadgeEvent], None],
        *,
        session: Callable[[], Session] = ScardSession,
        clock: Callable[[], int] = monotonic_us,
        occasion: Callable[[], Occasion] = Occasion,
    ) -> None:
        self._badges: Mapping[str, Badge] = {badge.uid: badge for badge in badges}
        self._deliver = deliver
        self._session = session
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="badges", daemon=True)
        self._known: dict[str, ReaderState] = {}
        self._occasion = occasion
        self._on_reader: set[str] = set()
        self._asked: dict[str, tuple[int, Occasion]] = {}
        """By reader with a proven badge, when and on which occasion that was asked last."""
        self._offline: dict[str, tuple[OfflineReason, int]] = {}
        """By reader, the reason and its code."""
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
                self._all_offline(error.reason, error.code)
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
        for name in [name for name, asked in self._asked.items() if self._is_due(*asked)]:
            self._look(session, name, self._known[name])
        if any(not state.working for state in changed.values()):
            # A reader that does not work may say so again at once.
            self._stop.wait(POLL_MS / 1000)

    def _is_due(self, asked_us: int, occasion: Occasion) -> bool:
        """Whether a badge is to be asked anew: its proof gets old, or is one for another journal."""
        return self._clock() - asked_us >= RENEW_US or self._occasion().journal != occasion.journal

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
                        occasion = self._occasion()
                        key = bytes.fromhex(badge.key) if badge is not None else b""
                        proof = proves(connection, key, occasion, self._clock()) if key else None
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
                self._seen(name, uid, badge, proof, occasion)
                return
            if session.changes({name: state}, 0):
                # Taken away while it was read: the next round tells what is there now.
                return
        self._seen(name, "", None, None, NO_OCCASION)

    def _seen(self, reader: str, uid: str, badge: Badge | None, proof: Proof | None, occasion: Occasion) -> None:
        self._on_reader.add(reader)
        # One that could not be read this time, because another program talks to it, is asked again like the others.
        if proof is not None or reader in self._asked:
            self._asked[reader] = self._clock(), occasion
        role, name = (badge.role, badge.name) if badge else (None, "")
        at_us = proof.at_us if proof is not None else self._clock()
        self._tell(BadgeSeen(reader, uid, role, name, proof is not None, at_us, proof, occasion))

    def _gone(self, reader: str) -> None:
        self._asked.pop(reader, None)
        if reader in self._on_reader:
            self._on_reader.remove(reader)
            self._tell(BadgeGone(reader, self._clock()))

    def _lost(self, reader: str, reason: OfflineReason, code: int = 0) -> None:
        self._known.pop(reader, None)
        self._gone(reader)
        self._set_offline(reader, reason, code)

    def _all_offline(self, reason: OfflineReason, code: int = 0) -> None:
        for reader in list(self._known):
            self._lost(reader, reason, code)
        self._set_offline(ALL_READERS, reason, code)

    def _set_offline(self, reader: str, reason: OfflineReason, code: int = 0) -> None:
        if self._offline.get(reader) != (reason, code):
            self._offline[reader] = reason, code
            self._tell(BadgeReaderOffline(reader, reason, self._clock(), code))

    def _set_online(self, reader: str, *, first: bool = False) -> None:
        if self._offline.pop(reader, None) is not None or first:
            self._tell(BadgeReaderOnline(reader, self._clock()))

    def _tell(self, event: BadgeEvent) -> None:
        try:
            self._deliver(event)
        except Exception:
            # A closed loop, as a rule: the service is ending. No event may end the watch.
            _log.exception("a badge event was not taken: %r", event)
