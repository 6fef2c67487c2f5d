"""Requests to the card of a badge: prove that it is the badge, and sign a decision at the moment of the decision."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import ClassVar, Final, TypeAlias

from firmware_bridge.errors import FaultSource, PotkeeperError
from hardware.badges.badge_file import Badge
from hardware.badges.card_commands import request_proof
from hardware.badges.pcsc import CardConnection, PcscSession
from hardware.badges.piv_card import request_signature
from hardware.badges.proof import ChallengeContext, Proof
from hardware.badges.signed_proof import SignedProof

SIGN_TIMEOUT_S: Final = 1.0
"""Timeout of a card's signature in seconds, because no table may stop for longer.

A contactless card takes about a third of this time.
"""
_log: Final = logging.getLogger(__name__)


class BadgeDidNotSignError(PotkeeperError):
    """The card was taken away or did not answer in time, so that the decision is not proven."""

    fault: ClassVar[FaultSource] = "person"


@dataclass(frozen=True, slots=True)
class CardSigner:
    """A card on a reader that has proved itself at `at_us`. It signs each decision at the moment of the decision."""

    at_us: int
    request: Callable[[bytes], SignedProof | None] = field(repr=False)
    """Function that asks the card for the signature of a text. It may hang in a driver."""

    def bind(self, text: bytes) -> SignedProof:
        """Return the card's signature of this text.

        Raises BadgeDidNotSignError if the card is gone, does not sign, or needs longer than `SIGN_TIMEOUT_S`.
        """
        results: SimpleQueue[SignedProof | None] = SimpleQueue()

        def run() -> None:
            try:
                results.put(self.request(text))
            except Exception as error:
                _log.warning(
                    "a badge did not sign a decision: %s", error, exc_info=not isinstance(error, PotkeeperError)
                )
                results.put(None)

        Thread(target=run, name="badge signature", daemon=True).start()
        try:
            signed = results.get(timeout=SIGN_TIMEOUT_S)
        except Empty:
            signed = None
        if signed is None:
            raise BadgeDidNotSignError("the badge did not sign, expected a card that stays on the reader")
        return signed


BadgeProof: TypeAlias = Proof | CardSigner
"""Proof of a badge on a reader. Its method `bind` returns the proof of one decision."""


class CardProver:
    """Asks cards for proofs. The arguments are those of `BadgeMonitor`."""

    def __init__(
        self,
        open_session: Callable[[], PcscSession],
        clock: Callable[[], int],
        get_challenge_context: Callable[[], ChallengeContext],
    ) -> None:
        self._open_session = open_session
        self._clock = clock
        self._get_challenge_context = get_challenge_context
        self._is_signing = Lock()

    def request_proof(
        self, connection: CardConnection, reader: str, badge: Badge | None, context: ChallengeContext
    ) -> BadgeProof | None:
        """Return the proof that the card is this badge, or None if the badge gives no rights or the answer is wrong.

        Raises the errors of `CardConnection.transmit`.
        """
        if badge is None or badge.revoked:
            return None
        at_us = self._clock()
        if not badge.public_key:
            return request_proof(connection, bytes.fromhex(badge.key), context, at_us) if badge.key else None
        if request_signature(connection, badge.public_key, context, at_us) is None:
            return None
        return CardSigner(at_us, partial(self._sign, reader, badge.public_key, at_us))

    def _sign(self, reader: str, public_key: str, at_us: int, text: bytes) -> SignedProof | None:
        """Return the signature of a text by the card on the reader, or None. It is bound to the end of the journal.

        Each call has a thread of its own. Return None at once if the driver still hangs in an earlier call.
        """
        if not self._is_signing.acquire(blocking=False):
            return None
        try:
            session = self._open_session()
            try:
                connection = session.connect(reader)
                try:
                    return request_signature(connection, public_key, self._get_challenge_context(), at_us, text)
                finally:
                    connection.close()
            finally:
                session.close()
        finally:
            self._is_signing.release()
