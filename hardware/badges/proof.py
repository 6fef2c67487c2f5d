"""Proofs of badges, stored so that they can be checked again with the badge's key.

The challenge to a card is a hash of the time, a random number, and the end of the table's journal at that time. An
answer is therefore valid for one table, one place in its journal, and a short time.

The card's answer is never written to disk. It is only the key of two hashes in the journal: `presence_code` proves that
the badge was present, and `text_code` proves for which text the badge was used. Nobody who has only the files can make
these hashes for another text.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from typing import Final, NamedTuple

CHALLENGE_BYTES: Final = 16
PROOF_LIFETIME_US: Final = 60_000_000
"""Time, in µs, for which a proof is valid. A badge that stays on the reader must prove itself three times in this
period. A proof older than this period does not show who is present."""
CODE_BYTES: Final = 16
"""Bytes of each stored hash, which is a BLAKE2b hash with the card's answer as its key."""
_PROOF_FORMAT: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s{CODE_BYTES}s{CODE_BYTES}s")
_CHALLENGE_FORMAT: Final = struct.Struct(f">qq{CHALLENGE_BYTES}s")
PROOF_TEXT_DIGITS: Final = 2 * _PROOF_FORMAT.size
"""Number of hex digits of a proof that is written as text."""


class ChallengeContext(NamedTuple):
    """Place in a journal to which a proof is bound.

    It consists of the number of the last record, a digest of all records up to it, and the journal's name.
    """

    record_number: int = 0
    records_digest: bytes = b""
    journal_name: str = ""


NO_CHALLENGE_CONTEXT: Final = ChallengeContext()
"""Context of a proof if no journal is written."""


class Proof(NamedTuple):
    """A card's answer to a challenge. The other fields are the challenge's record number, time and random number.

    The answer must never be written to disk, because anyone who has it can bind it to any text.
    """

    record_number: int
    at_us: int
    nonce: bytes
    answer: bytes

    def bind(self, text: bytes) -> BoundProof:
        """Return the proof in a form that is valid only for this text."""
        return BoundProof(
            self.record_number, self.at_us, self.nonce, _keyed_hash(self.answer), _keyed_hash(self.answer, text)
        )


class BoundProof(NamedTuple):
    """A proof in the form that is written to the journal.

    `presence_code` proves that the badge was present, and `text_code` proves for which text the badge was used.
    """

    record_number: int
    at_us: int
    nonce: bytes
    presence_code: bytes
    text_code: bytes

    @property
    def to_hex(self) -> str:
        """Return the proof as hex digits."""
        return _PROOF_FORMAT.pack(*self).hex()


def _keyed_hash(answer: bytes, text: bytes | None = None) -> bytes:
    message = b"there" if text is None else b"words" + text
    return hashlib.blake2b(message, digest_size=CODE_BYTES, key=answer).digest()


def parse_bound_proof(text: str) -> BoundProof | None:
    """Return the proof with these hex digits, or None if they are not a proof."""
    try:
        return BoundProof(*_PROOF_FORMAT.unpack(bytes.fromhex(text)))
    except (ValueError, struct.error):
        return None


def new_nonce() -> bytes:
    """Return a random number that must be used only once."""
    return secrets.token_bytes(CHALLENGE_BYTES)


def build_challenge(challenge_context: ChallengeContext, at_us: int, nonce: bytes) -> bytes:
    """Return the challenge to a card for this context, time and random number."""
    message = _CHALLENGE_FORMAT.pack(challenge_context.record_number, at_us, nonce) + challenge_context.records_digest
    return hashlib.blake2b(message, digest_size=CHALLENGE_BYTES, person=b"potkeeper badge").digest()


def compute_answer(key: bytes, challenge: bytes) -> bytes:
    """Return the answer of a card with this key to a challenge."""
    return hmac.digest(key, challenge, "sha256")


def recover_proof(bound: BoundProof, key: bytes, records_digest: bytes) -> Proof | None:
    """Compute the answer of a card again from the card's key.

    Return None if the stored proof `bound` was made with another key or for other records. `records_digest` is the
    digest of the records up to `bound.record_number`.
    """
    challenge = build_challenge(ChallengeContext(bound.record_number, records_digest), bound.at_us, bound.nonce)
    proof = Proof(bound.record_number, bound.at_us, bound.nonce, compute_answer(key, challenge))
    return proof if hmac.compare_digest(_keyed_hash(proof.answer), bound.presence_code) else None


def is_bound_to(bound: BoundProof, proof: Proof, text: bytes) -> bool:
    """Return True if the stored proof `bound` was made for this text.

    `proof` contains the card's answer, as `recover_proof` returns it.
    """
    return hmac.compare_digest(bound.text_code, proof.bind(text).text_code)
