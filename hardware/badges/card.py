"""One card: who it says it is, and whether it can prove it.

A badge is identified by the UID of the card (`FF CA 00 00 00`, answered by the reader). A UID can be copied, so that
proves nothing; what proves is a challenge that only the card's own key can answer. Our applet:

    SELECT                 00 A4 04 00 0A <AID> 00           -> 90 00
    INTERNAL AUTHENTICATE  00 88 00 00 10 <challenge> 20     -> HMAC-SHA-256(key, challenge), 90 00

AID is F0 "POTKEEPER", the challenge 16 bytes, used once (`proof.py`). A card without the applet, or with another key,
is shown as what its UID says and is not `proven`; the service decides what that is good for.

Source: PC/SC Workgroup part 3 (UID), ISO 7816-4 (SELECT, INTERNAL AUTHENTICATE), RFC 2104.
"""

from __future__ import annotations

import hmac
from typing import Final

from hardware.badges.pcsc import Connection, answer_of
from hardware.badges.proof import CHALLENGE_BYTES, NO_OCCASION, Occasion, Proof, challenge_for, new_nonce, prove
from hardware.badges.register import UID_DIGITS

AID: Final = b"\xf0POTKEEPER"
GET_UID: Final = bytes.fromhex("FFCA000000")
SELECT: Final = bytes((0x00, 0xA4, 0x04, 0x00, len(AID))) + AID + b"\x00"


def identify(connection: Connection) -> str:
    """The UID of a card in upper-case hex; empty where it has none. Raises as `Connection.transmit`."""
    uid = answer_of(connection, GET_UID) or b""
    return uid.hex().upper() if 2 * len(uid) in UID_DIGITS else ""


def proves(connection: Connection, key: bytes, occasion: Occasion = NO_OCCASION, at_us: int = 0) -> Proof | None:
    """The card's answer to a new challenge for this occasion, at this time; None where it is not that of the key.
    Raises as `Connection.transmit`."""
    if answer_of(connection, SELECT) is None:
        return None
    nonce = new_nonce()
    challenge = challenge_for(occasion, at_us, nonce)
    command = bytes((0x00, 0x88, 0x00, 0x00, CHALLENGE_BYTES)) + challenge + b"\x20"
    answer = answer_of(connection, command)
    if answer is None or not hmac.compare_digest(answer, prove(key, challenge)):
        return None
    return Proof(occasion.number, at_us, nonce, answer)
