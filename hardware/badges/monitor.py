"""Monitor of the badge readers in a separate thread: the cards on them, and whether they work."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from firmware_bridge.clock import monotonic_us
from hardware.badges.badge_file import Badge, Role, badge_label
from hardware.badges.card_commands import read_uid
from hardware.badges.card_prover import BadgeProof, CardProver
from hardware.badges.pcsc import (
    NO_SERVICE,
    UNPLUGGED,
    CardGoneError,
    PcscError,
    PcscReason,
    PcscSession,
    ReaderState,
    ScardSession,
    UnresponsiveCardError,
)
from hardware.badges.proof import NO_CHALLENGE_CONTEXT, ChallengeContext

ALL_READERS: Final = "pcscd"
"""Reader name in `BadgeReaderOffline` and `BadgeReaderOnline` if the event concerns all badge readers."""

POLL_TIMEOUT_MS: Final = 250
"""Maximum wait, in ms, for a change of a card or reader before the readers are listed again. A new reader is noticed
within this time."""
RECONNECT_DELAY_S: Final = 0.25
"""Delay, in seconds, between attempts to reach pcscd. A restart is noticed well within a second, and a missing pcscd
costs almost no processor time."""
PROOF_RENEWAL_INTERVAL_US: Final = 20_000_000
"""Interval, in µs, of new proofs from a badge on the reader. New proofs detect a badge that was removed or exchanged
unnoticed, and keep the stored proof recent."""
STOP_TIMEOUT_S: Final = 5.0
"""Maximum wait, in seconds, for the thread to end: twenty polls of the readers. A driver that hangs must not keep the
service alive."""
MAX_READ_ATTEMPTS: Final = 3
"""Maximum attempts to read a card that is reset or moved during the exchange. The card then counts as unreadable until
it is put on the reader again."""
MAX_WRONG_ANSWERS: Final = 5
"""Wrong answers at one badge reader within `PAUSE_US` after which the reader is paused. A worn card may fail a few
times, but nobody may try cards all evening."""
PAUSE_US: Final = 300_000_000
"""Duration, in µs, of the pause of a badge reader after too many wrong answers: five minutes."""
OfflineReason: TypeAlias = PcscReason | Literal["no-reader", "internal", "paused"]
CardRefusal: TypeAlias = Literal["unreadable", "unknown", "revoked", "no-key", "wrong-answer"]
"""Reason why a card gives no rights.

- `unreadable`: the card has no UID, or does not communicate
- `unknown`: the list of badges does not have the UID
- `revoked`: the house has revoked the badge
- `no-key`: the list has no key for the badge, so that the badge can never prove itself
- `wrong-answer`: the card has the UID of a badge, but not its key
"""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BadgeSeen:
    """A card is on the reader. The event is repeated after each new proof.

    - `uid` is empty if the card could not be read.
    - `role` is None and `name` is empty if the list of badges does not have the UID.
    - `is_proven` is True if the card answered a challenge with its key. `proof` is the answer, or asks a PIV card for
      the signature of a decision. `challenge_context` is the place in the journal to which the answer is bound.
    - `refusal` is the reason why an unproven card gives no rights.
    """

    reader: str
    uid: str
    role: Role | None
    name: str
    is_proven: bool
    at_us: int
    proof: BadgeProof | None = field(default=None, compare=False, repr=False)
    challenge_context: ChallengeContext = field(default=NO_CHALLENGE_CONTEXT, compare=False)
    refusal: CardRefusal | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """Return the name and role that the journal records for a decision with this badge."""
        return badge_label(self.name, self.role)


@dataclass(frozen=True, slots=True)
class BadgeGone:
    """The card of the last `BadgeSeen` was taken away, or its reader went offline."""

    reader: str
    at_us: int


@dataclass(frozen=True, slots=True)
class BadgeReaderOffline:
    """No badge can be read at this reader.

    `reason` is `no-service` (pcscd does not run), `no-reader`, `unplugged`, `not-allowed`, `internal`, `paused` after
    too many wrong answers, or `error` with the `code` of PC/SC.
    """

    reader: str
    reason: OfflineReason
    at_us: int
    code: int = 0

    @property
    def reason_text(self) -> str:
        """Return reason and code as text for the screen."""
        return f"{self.reason}-{self.code:08X}" if self.code else self.reason


@dataclass(frozen=True, slots=True)
class BadgeReaderOnline:
    """A badge reader works. If a card is on the reader, a `BadgeSeen` follows."""

    reader: str
    at_us: int


BadgeEvent: TypeAlias = BadgeSeen | BadgeGone | BadgeReaderOffline | BadgeReaderOnline


class BadgeMonitor:
    """Watches all badge readers in a separate thread from `start` to `stop`.

    `on_event` is called in that thread for each event, in order. It must only pass the event on
    (`loop.call_soon_threadsafe(put, event)`), and an error that it raises is logged. Every reader is offline until its
    `BadgeReaderOnline`. A `BadgeGone` follows the last `BadgeSeen` of a card, even if the reader goes offline.
    `get_challenge_context` is called in that thread too. It returns the place in the journal to which a proof is bound.
    """

    def __init__(
        self,
        badges: Sequence[Badge],
        on_event: Callable[[BadgeEvent], None],
        *,
        open_session: Callable[[], PcscSession] = ScardSession,
        clock: Callable[[], int] = monotonic_us,
        get_challenge_context: Callable[[], ChallengeContext] = ChallengeContext,
    ) -> None:
        self._badges: Mapping[str, Badge] = {badge.uid: badge for badge in badges}
        self._new_badges: Mapping[str, Badge] | None = None
        """List of badges that the thread has yet to take up, or None."""
        self._on_event = on_event
        self._open_session = open_session
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="badges", daemon=True)
        self._reader_states: dict[str, ReaderState] = {}
        self._get_challenge_context = get_challenge_context
        self._prover = CardProver(open_session, clock, get_challenge_context)
        self._readers_with_card: set[str] = set()
        self._proof_requests: dict[str, tuple[int, ChallengeContext]] = {}
        """For each badge reader with a proven badge: the time and the journal context of the last proof request."""
        self._wrong_answers_us: dict[str, list[int]] = {}
        """For each badge reader: the times of its wrong answers since its last pause."""
        self._paused_until_us: dict[str, int] = {}
        """For each paused badge reader: the end of its pause. Unplugging the reader does not end the pause."""
        self._offline: dict[str, tuple[OfflineReason, int]] = {}
        """For each badge reader that is offline: the reason and the error code of PC/SC."""
        self._heartbeat_us = clock()

    @property
    def heartbeat_us(self) -> int:
        """Return the time at which the thread last polled the readers.

        If that is several seconds ago, a driver hangs.
        """
        return self._heartbeat_us

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def replace_badges(self, badges: Sequence[Badge]) -> None:
        """Use another list of badges. Every card on a reader is read again. Any thread may call this."""
        self._new_badges = {badge.uid: badge for badge in badges}

    def stop(self) -> bool:
        """End the thread. Return False if the thread hangs in a driver.

        Such a thread does not keep the process alive.
        """
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(STOP_TIMEOUT_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._heartbeat_us = self._clock()
            try:
                session = self._open_session()
                try:
                    while not self._stop.is_set():
                        self._poll_once(session)
                finally:
                    session.close()
            except PcscError as error:
                self._set_all_offline(error.reason, error.code)
            except Exception:
                # No error may end the thread. The screen meanwhile shows that badges do not work.
                _log.exception("watching the badge readers failed, so it starts again")
                self._set_all_offline("internal")
            self._stop.wait(RECONNECT_DELAY_S)

    def _poll_once(self, session: PcscSession) -> None:
        """Handle added and removed readers, then changes at the other readers, then badges with a due proof."""
        self._heartbeat_us = self._clock()
        names = session.readers()
        for name in [name for name in self._reader_states if name not in names]:
            self._lose_reader(name, "unplugged")
        if not names:
            self._set_offline(ALL_READERS, "no-reader")
            self._stop.wait(POLL_TIMEOUT_MS / 1000)
            return
        self._set_online(ALL_READERS)
        for name in names:
            self._reader_states.setdefault(name, ReaderState(is_working=False))
        try:
            changed = session.wait_for_changes(self._reader_states, POLL_TIMEOUT_MS)
        except PcscError as error:
            if error.reason != UNPLUGGED:
                raise
            # A reader was unplugged after it was listed. The next round reports it, and the other readers stay usable.
            self._stop.wait(RECONNECT_DELAY_S)
            return
        for name, state in changed.items():
            self._handle_change(session, name, self._reader_states[name], state)
        for name in [name for name, end_us in self._paused_until_us.items() if self._clock() >= end_us]:
            del self._paused_until_us[name]
            if name in self._reader_states and self._reader_states[name].is_working:
                self._set_online(name)
                if self._reader_states[name].has_card:
                    self._read_card(session, name, self._reader_states[name])
        self._use_new_badges(session)
        for name in [name for name, asked in self._proof_requests.items() if self._is_due(*asked)]:
            self._read_card(session, name, self._reader_states[name])
        if any(not state.is_working for state in changed.values()):
            # A reader that does not work may report its state again at once, so a pause avoids a busy loop.
            self._stop.wait(POLL_TIMEOUT_MS / 1000)

    def _use_new_badges(self, session: PcscSession) -> None:
        if self._new_badges is None:
            return
        self._badges, self._new_badges = self._new_badges, None
        for name in sorted(self._readers_with_card):
            self._report_gone(name)
            self._read_card(session, name, self._reader_states[name])

    def _is_due(self, requested_us: int, context: ChallengeContext) -> bool:
        """Return True if a badge must prove itself again.

        A new proof is due if the last one is old, or if it is bound to another journal.
        """
        return (
            self._clock() - requested_us >= PROOF_RENEWAL_INTERVAL_US
            or self._get_challenge_context().journal_name != context.journal_name
        )

    def _handle_change(self, session: PcscSession, name: str, before: ReaderState, now: ReaderState) -> None:
        if not now.is_working:
            self._lose_reader(name, "unplugged")
            return
        self._reader_states[name] = now
        if name in self._paused_until_us:
            self._set_offline(name, "paused")
            return
        if not before.is_working:
            self._set_online(name, first=True)
        # If a card was taken away and put back between two polls, only `card_event_count` has changed.
        same = (
            before.has_card == now.has_card
            and before.card_event_count == now.card_event_count
            and before.is_card_mute == now.is_card_mute
        )
        if before.is_working and same:
            return
        self._report_gone(name)
        if now.has_card:
            self._read_card(session, name, now)

    def _read_card(self, session: PcscSession, name: str, state: ReaderState) -> None:
        """Read the card and report it. Report nothing if the card is already gone."""
        if not state.is_card_mute:
            for _ in range(MAX_READ_ATTEMPTS):
                try:
                    connection = session.connect(name)
                    try:
                        uid = read_uid(connection)
                        badge = self._badges.get(uid)
                        context = self._get_challenge_context()
                        proof = self._prover.request_proof(connection, name, badge, context)
                    finally:
                        connection.close()
                except CardGoneError:
                    continue
                except UnresponsiveCardError:
                    break
                except PcscError as error:
                    if error.reason == NO_SERVICE:
                        raise
                    # The error concerns only this reader, so the others stay usable.
                    break
                self._report_card(name, uid, badge, proof, context)
                if badge is not None and _refusal(uid, badge, proof) == "wrong-answer":
                    self._count_wrong_answer(name)
                return
            if session.wait_for_changes({name: state}, 0):
                # The card was taken away during the exchange. The next round reports the new state.
                return
        self._report_card(name, "", None, None, NO_CHALLENGE_CONTEXT)

    def _report_card(
        self, reader: str, uid: str, badge: Badge | None, proof: BadgeProof | None, context: ChallengeContext
    ) -> None:
        self._readers_with_card.add(reader)
        # Another program may be using the card, so that a proven badge cannot prove itself now. The next proof is still
        # requested at the usual time.
        if proof is not None or reader in self._proof_requests:
            self._proof_requests[reader] = self._clock(), context
        role, name = (badge.role, badge.name) if badge else (None, "")
        at_us = proof.at_us if proof is not None else self._clock()
        refusal = _refusal(uid, badge, proof)
        self._emit(BadgeSeen(reader, uid, role, name, proof is not None, at_us, proof, context, refusal))

    def _count_wrong_answer(self, reader: str) -> None:
        """Pause the reader if it has had too many wrong answers in the last minutes."""
        now_us = self._clock()
        recent_us = [at_us for at_us in self._wrong_answers_us.get(reader, []) if now_us - at_us < PAUSE_US]
        self._wrong_answers_us[reader] = [*recent_us, now_us]
        if len(self._wrong_answers_us[reader]) >= MAX_WRONG_ANSWERS:
            del self._wrong_answers_us[reader]
            self._paused_until_us[reader] = now_us + PAUSE_US
            self._report_gone(reader)
            self._set_offline(reader, "paused")

    def _report_gone(self, reader: str) -> None:
        self._proof_requests.pop(reader, None)
        if reader in self._readers_with_card:
            self._readers_with_card.remove(reader)
            self._emit(BadgeGone(reader, self._clock()))

    def _lose_reader(self, reader: str, reason: OfflineReason, code: int = 0) -> None:
        self._reader_states.pop(reader, None)
        self._report_gone(reader)
        self._set_offline(reader, reason, code)

    def _set_all_offline(self, reason: OfflineReason, code: int = 0) -> None:
        for reader in list(self._reader_states):
            self._lose_reader(reader, reason, code)
        self._set_offline(ALL_READERS, reason, code)

    def _set_offline(self, reader: str, reason: OfflineReason, code: int = 0) -> None:
        if self._offline.get(reader) != (reason, code):
            self._offline[reader] = reason, code
            self._emit(BadgeReaderOffline(reader, reason, self._clock(), code))

    def _set_online(self, reader: str, *, first: bool = False) -> None:
        if self._offline.pop(reader, None) is not None or first:
            self._emit(BadgeReaderOnline(reader, self._clock()))

    def _emit(self, event: BadgeEvent) -> None:
        try:
            self._on_event(event)
        except Exception:
            # The callback usually fails because the service is ending and its event loop is closed. No error may end
            # the thread.
            _log.exception("a badge event could not be delivered: %r", event)


def _refusal(uid: str, badge: Badge | None, proof: BadgeProof | None) -> CardRefusal | None:
    """Return why a card gives no rights, or None if it has proved that it is a badge of the house."""
    if proof is not None:
        return None
    if not uid:
        return "unreadable"
    if badge is None:
        return "unknown"
    if badge.revoked:
        return "revoked"
    return "wrong-answer" if badge.can_prove_itself else "no-key"
