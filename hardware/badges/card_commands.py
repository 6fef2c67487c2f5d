"""Commands to one card: read its UID, and request a proof that it has the key of its badge.

The UID (`FF CA 00 00 00`, answered by the reader) identifies a badge but proves nothing, because it can be copied.
The proof is the answer to a challenge, which only a card with the badge's key can compute. The cards run this
applet:

    SELECT                 00 A4 04 00 0A <AID> 00           -> 90 00
    INTERNAL AUTHENTICATE  00 88 00 00 10 <challenge> 20     -> HMAC-SHA-256(key, challenge), 90 00
    PUT DATA               00 DA 01 00 20 <key>              -> 90 00, only while the card has no key yet

AID is F0 "POTKEEPER". The challenge has 16 bytes and is used once (`proof.py`). A card without the applet, or with
another key, is reported with `is_proven` False. The service decides what such a badge may do.

Sources: PC/SC Workgroup part 3 (UID), ISO 7816-4 (SELECT, INTERNAL AUTHENTICATE, PUT DATA), RFC 2104.
"""

from __future__ import annotations

import hmac
from typing import Final

from hardware.badges.badge_file import UID_DIGITS
from hardware.badges.pcsc import CardConnection, transmit_checked
from hardware.badges.proof import (
    CHALLENGE_BYTES,
    NO_CHALLENGE_CONTEXT,
    ChallengeContext,
    Proof,
    build_challenge,
    compute_answer,
    new_nonce,
)

AID: Final = b"\xf0POTKEEPER"
GET_UID_COMMAND: Final = bytes.fromhex("FFCA000000")
STORE_KEY_HEADER: Final = bytes.fromhex("00DA0100")
SELECT_COMMAND: Final = bytes((0x00, 0xA4, 0x04, 0x00, len(AID))) + AID + b"\x00"


def read_uid(connection: CardConnection) -> str:
    """Return the UID of a card in upper-case hex, or an empty string if the card has no valid UID.

    Raises the errors of `CardConnection.transmit`.
    """
    uid = transmit_checked(connection, GET_UID_COMMAND) or b""
    return uid.hex().upper() if 2 * len(uid) in UID_DIGITS else ""


def store_key(connection: CardConnection, key: bytes) -> bool:
    """Write a new badge's key to its card. Return False if the card has no badge applet, or already has a key.

    Raises the errors of `CardConnection.transmit`.
    """
    if transmit_checked(connection, SELECT_COMMAND) is None:
        return False
    return transmit_checked(connection, STORE_KEY_HEADER + bytes((len(key),)) + key) is not None


def request_proof(
    connection: CardConnection, key: bytes, challenge_context: ChallengeContext = NO_CHALLENGE_CONTEXT, at_us: int = 0
) -> Proof | None:
    """Return the card's answer to a new challenge, or None if the answer does not fit the key.

    The challenge is bound to `challenge_context` and `at_us`. Raises the errors of `CardConnection.transmit`.
    """
    if transmit_checked(connection, SELECT_COMMAND) is None:
        return None
    nonce = new_nonce()
    challenge = build_challenge(challenge_context, at_us, nonce)
    command = bytes((0x00, 0x88, 0x00, 0x00, CHALLENGE_BYTES)) + challenge + b"\x20"
    answer = transmit_checked(connection, command)
    if answer is None or not hmac.compare_digest(answer, compute_answer(key, challenge)):
        return None
    return Proof(challenge_context.record_number, at_us, nonce, answer)
