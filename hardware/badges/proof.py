"""What a badge proved itself with, kept so that it can be checked again by who has the badge's key.

The challenge is made of a random number, of the time, and of what it was asked for: the end of a table's records at
that moment. So an answer is good for one table, for one place in its records, and for a short time after it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from typing import Final, NamedTuple

CHALLENGE_BYTES: Final = 16
ANSWER_BYTES: Final = 32
"""Of HMAC-SHA-256."""
PROOF_LASTS_US: Final = 60_000_000
"""A badge on the reader is asked anew three times in this time. An older proof does not say who is there."""
_FORM: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s{ANSWER_BYTES}s")
_ASKED: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s")
TEXT_DIGITS: Final = 2 * _FORM.size
"""Hex digits of a proof as text."""


class Occasion(NamedTuple):
    """What a proof is asked for: the number of the last record of a journal, and bytes that stand for all records up
    to it."""

    number: int = 0
    records: bytes = b""
    journal: str = ""


NO_OCCASION: Final = Occasion()
"""Where nothing is recorded."""


class Proof(NamedTuple):
    """A card's answer: on which occasion (`number`), when, to which random number."""

    number: int
    at_us: int
    nonce: bytes
    answer: bytes

    @property
    def text(self) -> str:
        """As hex digits."""
        return _FORM.pack(*self).hex()


def read_proof(text: str) -> Proof | None:
    """The proof that was written so; None where it is none."""
    try:
        return Proof(*_FORM.unpack(bytes.fromhex(text)))
    except (ValueError, struct.error):
        return None


def new_nonce() -> bytes:
    """A random number that is used once."""
    return secrets.token_bytes(CHALLENGE_BYTES)


def challenge_for(occasion: Occasion, at_us: int, nonce: bytes) -> bytes:
    """What the card is asked."""
    asked = _ASKED.pack(occasion.number, at_us, nonce) + occasion.records
    return hashlib.blake2b(asked, digest_size=CHALLENGE_BYTES, person=b"potkeeper badge").digest()


def prove(key: bytes, challenge: bytes) -> bytes:
    """What a card with this key answers to a challenge."""
    return hmac.digest(key, challenge, "sha256")


def holds(proof: Proof, key: bytes, records: bytes) -> bool:
    """Whether the card with this key gave the answer when these were the records up to `proof.number`."""
    challenge = challenge_for(Occasion(proof.number, records), proof.at_us, proof.nonce)
    return hmac.compare_digest(proof.answer, prove(key, challenge))
