"""What a badge proved itself with, kept so that it can be checked again by who has the badge's key.

The challenge is made of a random number, of the time, and of what it was asked for: the end of a table's records at
that moment. So an answer is good for one table, for one place in its records, and for a short time after it.

The answer itself is written nowhere. It is the key of two codes that are: one says that the badge was there, the other
which words it speaks for. Who has the files alone cannot take either to other words.
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
CODE_BYTES: Final = 16
"""Of BLAKE2b with the answer as its key."""
_FORM: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s{CODE_BYTES}s{CODE_BYTES}s")
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
    """A card's answer: on which occasion (`number`), when, to which random number. For memory alone: whoever has it can
    bind it to any words."""

    number: int
    at_us: int
    nonce: bytes
    answer: bytes

    def bound(self, words: bytes) -> Bound:
        """The proof for these words and no others."""
        return Bound(self.number, self.at_us, self.nonce, _code(self.answer), _code(self.answer, words))


class Bound(NamedTuple):
    """A proof as it is written: that the badge `was_there`, and for which `words` it speaks."""

    number: int
    at_us: int
    nonce: bytes
    was_there: bytes
    words: bytes

    @property
    def text(self) -> str:
        """As hex digits."""
        return _FORM.pack(*self).hex()


def _code(answer: bytes, words: bytes | None = None) -> bytes:
    said = b"there" if words is None else b"words" + words
    return hashlib.blake2b(said, digest_size=CODE_BYTES, key=answer).digest()


def read_proof(text: str) -> Bound | None:
    """The proof that was written so; None where it is none."""
    try:
        return Bound(*_FORM.unpack(bytes.fromhex(text)))
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


def held(bound: Bound, key: bytes, records: bytes) -> Proof | None:
    """The answer that the card with this key gave when these were the records up to `bound.number`; None where it is
    not that of the proof."""
    challenge = challenge_for(Occasion(bound.number, records), bound.at_us, bound.nonce)
    proof = Proof(bound.number, bound.at_us, bound.nonce, prove(key, challenge))
    return proof if hmac.compare_digest(_code(proof.answer), bound.was_there) else None


def speaks_for(bound: Bound, proof: Proof, words: bytes) -> bool:
    """Whether a proof that `held` is for these words."""
    return hmac.compare_digest(bound.words, proof.bound(words).words)
